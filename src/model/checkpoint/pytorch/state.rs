//! A state dict: which names it has, and which part of which storage each tensor is.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::globals::{PickleGlobal, StorageClass};
use super::other_contents;
use super::pickle::{Pickle, PickleValue, ValueId};
use crate::model::ModelError;
use crate::model::checkpoint::described::Described;

/// Tensors of a file at most: the largest models have a few thousand.
const MAX_TENSORS: usize = 1 << 16;

/// Bytes of a tensor's or a storage's name at most: the longest of a model have a hundred.
const MAX_NAME: usize = 1024;

/// Sides of a tensor at most, as in PyTorch's own loops.
const MAX_SIDES: usize = 64;

/// How many times the stored bytes the tensors may take that share storages: tied ones, and views whose strides lead
/// to a number twice. And the bytes that those of every file may take.
const MAX_SHARED: u64 = 8;
const MIN_SHARED: u64 = 1 << 20;

/// Parameters around one another at most.
const MAX_WRAPPED: usize = 8;

/// Numbers that are stored outside of the pickle.
#[derive(Clone, Copy)]
pub struct NamedStorage<'a> {
    pub key: &'a str,
    pub class: &'static StorageClass,
    /// How many numbers.
    pub count: u64,
}

/// A tensor: part of a storage.
pub struct StorageView<'a> {
    pub storage: NamedStorage<'a>,
    /// Numbers before its first.
    offset: u64,
    shape: Vec<u64>,
    /// Numbers from one index of each side to the next.
    strides: Vec<u64>,
}

/// Every tensor of a state dict, by name.
///
/// # Errors
/// The root is no dict of tensors, or a tensor is not described as PyTorch does or reaches beyond its
/// storage; all of them take many times the bytes that are stored.
pub fn tensors<'p>(
    file: &str,
    pickle: &'p Pickle<'_>,
) -> Result<BTreeMap<&'p str, StorageView<'p>>, ModelError> {
    let not_a_dict = |reason: String| other_contents(file, &reason);
    let PickleValue::Dict(pairs) = pickle.root() else {
        let found = pickle.root().kind();
        return Err(not_a_dict(format!("it holds {found}, not a dict of tensors")));
    };
    refuse_if!(pairs.is_empty(), not_a_dict("its dict of tensors is empty".into()));
    if pairs.len() > MAX_TENSORS {
        return Err(not_a_dict(format!("it has more than {MAX_TENSORS} tensors")));
    }

    // A name that is there twice would be two tensors to two readers.
    let mut tensors = BTreeMap::new();
    for &(key, value) in pairs {
        let Some(name) = pickle.text(key) else {
            return Err(not_a_dict("it has a tensor whose name is no text".into()));
        };
        if name.len() > MAX_NAME {
            let reason = format!("it has a tensor whose name has {} bytes", name.len());
            return Err(not_a_dict(reason));
        }
        let odd = |reason| odd(file, name, reason);
        let view = StorageView::read(pickle, value).map_err(odd)?;
        refuse_if!(tensors.insert(name, view).is_some(), odd("is there twice".into()));
    }

    // A storage is of one type and length, whichever tensor names it, and whatever else does.
    let mut storages: HashMap<&str, NamedStorage> = HashMap::new();
    for (name, view) in &tensors {
        let first = storages.entry(view.storage.key).or_insert(view.storage);
        if !first.is_same(&view.storage) {
            let reason = "names its storage with another type or length than a tensor before it";
            return Err(odd(file, name, reason.into()));
        }
    }
    for storage in pickle.persistent().filter_map(|name| NamedStorage::read(pickle, name)) {
        if storages.get(storage.key).is_some_and(|first| !first.is_same(&storage)) {
            let key = storage.key.escape_debug();
            return Err(not_a_dict(format!(
                "it names its storage {key} with two types or lengths"
            )));
        }
    }

    // A small file is no large model.
    let stored = storages.values().map(|storage| storage.bytes().unwrap_or(u64::MAX));
    let stored = stored.fold(0, u64::saturating_add);
    let most = stored.saturating_mul(MAX_SHARED).saturating_add(MIN_SHARED);
    let mut total = 0u64;
    for (name, view) in &tensors {
        total = total.saturating_add(view.bytes());
        if total > most {
            let reason = format!(
                "shares its numbers with too many: the tensors would take over {MAX_SHARED} times the bytes that are stored"
            );
            return Err(odd(file, name, reason));
        }
    }
    Ok(tensors)
}

/// A tensor that is not what PyTorch writes.
pub fn odd(file: &str, tensor: &str, reason: String) -> ModelError {
    ModelError::OddTensor { tensor: tensor.escape_debug().to_string(), file: file.into(), reason }
}

impl<'p> NamedStorage<'p> {
    /// Reads the name of a storage: `('storage', class, key, device, count)`, and in the older format what
    /// part of another storage it is, which no file of the last years says.
    pub fn read(pickle: &'p Pickle<'_>, name: ValueId) -> Option<Self> {
        let (&[kind, class, key, _, count], view) = pickle.tuple(name)?.split_first_chunk()?;
        let is_whole = match view {
            [] => true,
            [view] => matches!(pickle.value(*view), PickleValue::Opaque),
            _ => false,
        };
        let (&PickleValue::Global(PickleGlobal::Storage(class)), &PickleValue::Int(count)) =
            (pickle.value(class), pickle.value(count))
        else {
            return None;
        };
        let is_storage = is_whole && pickle.text(kind) == Some("storage");
        let count = u64::try_from(count).ok().filter(|_| is_storage)?;
        let key = pickle.text(key).filter(|key| key.len() <= MAX_NAME)?;
        Some(Self { key, class, count })
    }

    /// Whether another name of this storage says the same of it.
    fn is_same(&self, other: &Self) -> bool {
        self.class.class == other.class.class && self.count == other.count
    }

    /// Bytes of all its numbers.
    pub fn bytes(&self) -> Option<u64> {
        self.count.checked_mul(self.class.bytes)
    }
}

impl<'p> StorageView<'p> {
    /// Reads `_rebuild_tensor_v2(storage, offset, size, strides, requires_grad, hooks)`, which may lie in
    /// a parameter.
    fn read(pickle: &'p Pickle<'_>, value: ValueId) -> Result<Self, String> {
        let mut value = value;
        let mut wrapped = 0;
        let arguments = loop {
            match *pickle.value(value) {
                PickleValue::Call(PickleGlobal::RebuildTensor, arguments) => break arguments,
                PickleValue::Call(PickleGlobal::RebuildParameter, arguments)
                    if wrapped < MAX_WRAPPED =>
                {
                    let inner = pickle.tuple(arguments).and_then(<[_]>::first);
                    value = *inner.ok_or("is a parameter of nothing")?;
                    wrapped += 1;
                }
                PickleValue::Call(..) => return Err("nests deeper than weights do".into()),
                ref other => {
                    let kind = other.kind();
                    return Err(format!("is no tensor but {kind}: this is no model's state dict"));
                }
            }
        };

        // The arguments, each of its type.
        let arguments = pickle.tuple(arguments).ok_or("is not described by a tuple")?;
        let &[storage, offset, shape, strides, _, _] = arguments else {
            return Err(format!("is described by {} values, not 6", arguments.len()));
        };
        let storage = match *pickle.value(storage) {
            PickleValue::Persistent(name) => NamedStorage::read(pickle, name),
            _ => None,
        };
        let storage = storage.ok_or("does not say where it is stored")?;
        let PickleValue::Int(offset) = *pickle.value(offset) else {
            return Err("has an offset that is no number".into());
        };
        let offset = u64::try_from(offset).map_err(|_| "has a negative offset")?;
        let shape = numbers(pickle, shape, "side")?;
        let strides = numbers(pickle, strides, "stride")?;
        if shape.len() != strides.len() {
            return Err(format!("has {} sides and {} strides", shape.len(), strides.len()));
        }

        let view = Self { storage, offset, shape, strides };
        match view.end() {
            Some(end) if end <= storage.count => Ok(view),
            _ => Err("reaches beyond its storage".into()),
        }
    }

    /// Bytes of its numbers, each counted as often as it is one.
    fn bytes(&self) -> u64 {
        let sides = self.shape.iter();
        sides.fold(self.storage.class.bytes, |bytes, &side| bytes.saturating_mul(side))
    }

    /// Numbers of the storage up to its last; `None` where 64 bits cannot count them, or its own.
    fn end(&self) -> Option<u64> {
        let count = self.shape.iter().try_fold(1u64, |count, &side| count.checked_mul(side))?;
        if count == 0 {
            return Some(self.offset);
        }
        let sides = self.shape.iter().zip(&self.strides);
        let mut steps = sides.map(|(side, stride)| (side - 1).checked_mul(*stride));
        let last = steps.try_fold(self.offset, |sum, step| sum.checked_add(step?))?;
        last.checked_add(1)
    }

    /// Where the tensor called `name` lies in a file, by the bytes that are its storage.
    ///
    /// # Errors
    /// It reaches beyond them.
    pub fn described(
        self,
        file: &str,
        name: &str,
        storage: Range<u64>,
    ) -> Result<Described, ModelError> {
        let lies_after = |numbers: u64| {
            let bytes = numbers.checked_mul(self.storage.class.bytes)?;
            bytes.checked_add(storage.start).filter(|&end| end <= storage.end)
        };
        let bounds = lies_after(self.offset).zip(self.end().and_then(lies_after));
        let (start, end) =
            bounds.ok_or_else(|| odd(file, name, "reaches beyond its storage".into()))?;
        let is_dense = is_dense(&self.shape, &self.strides);
        Ok(Described {
            dtype: self.storage.class.dtype,
            bytes: start..end,
            strides: if is_dense { None } else { Some(self.strides) },
            shape: self.shape,
        })
    }
}

/// Whether a tensor's numbers lie one behind the other; the stride of a side of one index says nothing.
fn is_dense(shape: &[u64], strides: &[u64]) -> bool {
    let mut expected = 1u64;
    for (&side, &stride) in shape.iter().zip(strides).rev() {
        if side != 1 && stride != expected {
            return false;
        }
        expected = expected.saturating_mul(side);
    }
    true
}

/// Whole numbers of a tuple, none of them negative.
fn numbers(pickle: &Pickle, tuple: ValueId, what: &str) -> Result<Vec<u64>, String> {
    let values = pickle.tuple(tuple).ok_or_else(|| format!("has {what}s that are no tuple"))?;
    if values.len() > MAX_SIDES {
        return Err(format!("has {} {what}s, and {MAX_SIDES} are the most", values.len()));
    }
    let number = |id: &ValueId| match *pickle.value(*id) {
        PickleValue::Int(number) => {
            u64::try_from(number).map_err(|_| format!("has a negative {what}"))
        }
        PickleValue::Long(_) => Err(format!("has a {what} of more than 64 bits")),
        ref other => Err(format!("has a {what} that is {}, no whole number", other.kind())),
    };
    values.iter().map(number).collect()
}
