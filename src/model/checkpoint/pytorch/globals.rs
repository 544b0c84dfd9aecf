//! The few classes and functions that a state dict names.

use crate::model::DType;
use crate::model::checkpoint::described::HeaderType;

/// A class or function that a state dict may name.
#[derive(Clone, Copy, Debug)]
pub enum PickleGlobal {
    OrderedDict,
    /// A tensor of a storage: offset, size, strides.
    RebuildTensor,
    /// A tensor that training would change.
    RebuildParameter,
    Storage(&'static StorageClass),
}

/// A class of numbers that lie one behind the other.
#[derive(Debug)]
pub struct StorageClass {
    /// PyTorch's name of it: `FloatStorage`.
    pub class: &'static str,
    pub dtype: HeaderType,
    /// Bytes of a number.
    pub bytes: u64,
}

/// Numbers that weights are not read as are those of buffers, which a model has no place for.
const STORAGES: &[StorageClass] = &[
    storage("FloatStorage", "F32", 4, Some(DType::F32)),
    storage("HalfStorage", "F16", 2, Some(DType::F16)),
    storage("BFloat16Storage", "BF16", 2, Some(DType::Bf16)),
    storage("DoubleStorage", "F64", 8, None),
    storage("LongStorage", "I64", 8, None),
    storage("IntStorage", "I32", 4, None),
    storage("ShortStorage", "I16", 2, None),
    storage("CharStorage", "I8", 1, None),
    storage("ByteStorage", "U8", 1, None),
    storage("BoolStorage", "BOOL", 1, None),
    storage("ComplexFloatStorage", "C64", 8, None),
    storage("ComplexDoubleStorage", "C128", 16, None),
    storage("QInt8Storage", "QInt8", 1, None),
    storage("QUInt8Storage", "QUInt8", 1, None),
    storage("QInt32Storage", "QInt32", 4, None),
    storage("Float8_e4m3fnStorage", "F8_E4M3", 1, None),
    storage("Float8_e5m2Storage", "F8_E5M2", 1, None),
];

impl PickleGlobal {
    /// The global of this name, if it is one of those; no other is known by any name.
    pub fn named(module: &str, name: &str) -> Option<Self> {
        match (module, name) {
            ("collections", "OrderedDict") => Some(Self::OrderedDict),
            ("torch._utils", "_rebuild_tensor_v2") => Some(Self::RebuildTensor),
            ("torch._utils", "_rebuild_parameter") => Some(Self::RebuildParameter),
            ("torch", class) => {
                STORAGES.iter().find(|storage| storage.class == class).map(Self::Storage)
            }
            _ => None,
        }
    }
}

const fn storage(
    class: &'static str,
    name: &'static str,
    bytes: u64,
    dtype: Option<DType>,
) -> StorageClass {
    StorageClass { class, dtype: HeaderType { name, dtype }, bytes }
}
