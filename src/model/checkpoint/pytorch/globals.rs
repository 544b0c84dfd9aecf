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

const STORAGES: &[StorageClass] = &[
    weights("FloatStorage", "F32", 4, DType::F32),
    weights("HalfStorage", "F16", 2, DType::F16),
    weights("BFloat16Storage", "BF16", 2, DType::Bf16),
    others("DoubleStorage", "F64", 8),
    others("LongStorage", "I64", 8),
    others("IntStorage", "I32", 4),
    others("ShortStorage", "I16", 2),
    others("CharStorage", "I8", 1),
    others("ByteStorage", "U8", 1),
    others("BoolStorage", "BOOL", 1),
    others("ComplexFloatStorage", "C64", 8),
    others("ComplexDoubleStorage", "C128", 16),
    others("QInt8Storage", "QInt8", 1),
    others("QUInt8Storage", "QUInt8", 1),
    others("QInt32Storage", "QInt32", 4),
    others("Float8_e4m3fnStorage", "F8_E4M3", 1),
    others("Float8_e5m2Storage", "F8_E5M2", 1),
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

const fn weights(
    class: &'static str,
    name: &'static str,
    bytes: u64,
    dtype: DType,
) -> StorageClass {
    StorageClass { class, dtype: HeaderType { name, dtype: Some(dtype) }, bytes }
}

/// Numbers of buffers, which a model has no place for.
const fn others(class: &'static str, name: &'static str, bytes: u64) -> StorageClass {
    StorageClass { class, dtype: HeaderType { name, dtype: None }, bytes }
}
