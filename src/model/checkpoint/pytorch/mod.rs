//! Checkpoints that PyTorch writes: a zip archive of a pickle and raw numbers, or, before 2020, pickles and
//! raw numbers one behind the other. The pickle is read and never run; tensors stay where they lie.

mod archive;
mod globals;
mod pickle;
mod state;

use std::collections::BTreeMap;
use std::ops::Range;

use self::archive::ZipArchive;
use self::pickle::{Pickle, PickleError, PickleValue};
use self::state::{NamedStorage, StorageView, odd};
use super::described::{FileTensors, ReadRange};
use super::format::{self, OtherFormat};
use crate::model::ModelError;

/// Advice on a whole file that does not hold a state dict as PyTorch writes it today.
const SAVE_AGAIN: &str = "where you trust it, load it in PyTorch and save its state_dict()";

/// Bytes of a pickle at most.
const MAX_PICKLE: u64 = 64 << 20;

/// First bytes of a file by which other formats are known.
const FIRST_BYTES: u64 = 512;

/// Bytes of the older format that are looked at first, where its pickles are.
const FIRST_WINDOW: u64 = 1 << 20;

/// Reads where the tensors of the file called `file` lie, of `size` bytes, through `bytes`, which gives a
/// range of it.
///
/// # Errors
/// A file that is no PyTorch checkpoint (the error names its format, where it is known), was cut off, or asks
/// for a name that no weights need.
pub fn read(file: &str, size: u64, bytes: ReadRange) -> Result<FileTensors, ModelError> {
    let first = bytes(0..size.min(FIRST_BYTES))?;
    if first.starts_with(b"PK") {
        return zipped(file, size, bytes);
    }
    // Every pickle of a protocol since 2 begins so.
    if first.starts_with(b"\x80") {
        return older(file, size, bytes);
    }
    // A header's length, and the header, which is JSON.
    let safetensors = OtherFormat {
        what: "a safetensors file",
        hint: "give it back its name, with .safetensors at the end",
    };
    let is_safetensors = first.get(8) == Some(&b'{');
    Err(match format::known(&first).or(is_safetensors.then_some(safetensors)) {
        Some(OtherFormat { what, hint }) => {
            ModelError::OtherFormat { file: file.into(), expected: "PyTorch", what, hint }
        }
        None if size == 0 => not_pytorch(file, "it is empty"),
        None => not_pytorch(file, "it does not begin as one"),
    })
}

/// Reads the zip format, which PyTorch writes since 1.6.
fn zipped(file: &str, size: u64, bytes: ReadRange) -> Result<FileTensors, ModelError> {
    const PICKLE: &str = "data.pkl";
    let archive = ZipArchive::read(file, size, bytes)?;

    // All records lie in one folder of any name, beside the pickle.
    let pickles = archive.names().filter_map(|name| name.strip_suffix(PICKLE));
    let mut folders = pickles.filter(|folder| folder.is_empty() || folder.ends_with('/'));
    let missing = || not_pytorch(file, "it is a zip archive without a data.pkl");
    let folder = folders.next().ok_or_else(missing)?;
    refuse_if!(folders.next().is_some(), not_pytorch(file, "it holds two data.pkl"));
    if archive.names().any(|name| name.ends_with("/constants.pkl")) {
        return Err(other_contents(file, "it is a TorchScript program, not weights"));
    }
    let record = |name: &str| archive.record(&format!("{folder}{name}"));
    if let Some(order) = record("byteorder")? {
        check_byte_order(file, order, bytes)?;
    }

    // The pickle is read whole; the numbers are not.
    let lies = record(PICKLE)?.ok_or_else(missing)?;
    if lies.end - lies.start > MAX_PICKLE {
        return Err(not_pytorch(file, "its pickle is larger than any model's"));
    }
    let stored = bytes(lies)?;
    let pickle = Pickle::read(&stored).map_err(|error| refusal(file, error))?;
    let mut described = BTreeMap::new();
    for (name, view) in state::tensors(file, &pickle)? {
        let Some(numbers) = record(&format!("data/{}", view.storage.key))? else {
            return Err(odd(file, name, "is stored in a record that is not there".into()));
        };
        let found = numbers.end - numbers.start;
        if view.storage.bytes() != Some(found) {
            let NamedStorage { class, count, .. } = view.storage;
            let reason = format!(
                "claims {count} numbers of {}, and its record has {found} bytes",
                class.dtype.name
            );
            return Err(odd(file, name, reason));
        }
        described.insert(name.to_owned(), view.described(file, name, numbers)?);
    }
    Ok(described)
}

/// Checks the record that says which byte of a number comes first, which older versions do not write.
fn check_byte_order(file: &str, order: Range<u64>, bytes: ReadRange) -> Result<(), ModelError> {
    const LONGEST: u64 = "little".len() as u64;
    let said = bytes(order.start..order.end.min(order.start + LONGEST + 1))?;
    match &said[..] {
        b"little" => Ok(()),
        b"big" => Err(other_contents(
            file,
            "its numbers are in the other byte order, for big-endian machines",
        )),
        _ => Err(not_pytorch(file, "it does not say its byte order")),
    }
}

/// Reads the older format: five pickles, then, for every storage that the last one lists, how many numbers
/// it has, and these.
fn older(file: &str, size: u64, bytes: ReadRange) -> Result<FileTensors, ModelError> {
    let most = size.min(MAX_PICKLE);
    let mut window = FIRST_WINDOW.min(most);
    loop {
        let head = bytes(0..window)?;
        match OlderPickles::read(&head) {
            Err(PickleError::Ends) if window < most => window = most.min(window * 8),
            Err(error) => return Err(refusal(file, error)),
            Ok(pickles) => return pickles.described(file, size, bytes),
        }
    }
}

/// The state dict and the list of storages of the older format.
struct OlderPickles<'p> {
    state: Pickle<'p>,
    keys: Pickle<'p>,
    /// Bytes of all five.
    length: usize,
}

impl<'p> OlderPickles<'p> {
    fn read(bytes: &'p [u8]) -> Result<Self, PickleError> {
        /// The number that the first pickle is, its lowest byte first, and the second.
        const MAGIC: [u8; 10] = [0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];
        const PROTOCOL: i64 = 1001;
        let mut length = 0;
        let mut next = || {
            let pickle = Pickle::read(&bytes[length..])?;
            length += pickle.length;
            Ok(pickle)
        };
        let not_written = |reason: &'static str| Err(PickleError::OtherContents(reason));

        if !matches!(next()?.root(), PickleValue::Long(number) if **number == MAGIC) {
            return not_written("it is a pickle, and PyTorch's begin with another number");
        }
        if !matches!(next()?.root(), PickleValue::Int(PROTOCOL)) {
            return not_written("its format is not the one that PyTorch wrote before 2020");
        }
        next()?; // sizes of numbers on the machine that wrote it, whose format they do not change
        let (state, keys) = (next()?, next()?);
        Ok(Self { state, keys, length })
    }

    fn described(
        &self,
        file: &str,
        size: u64,
        bytes: ReadRange,
    ) -> Result<FileTensors, ModelError> {
        let views = state::tensors(file, &self.state)?;
        let Some(storages) = self.storages(size, bytes)? else {
            let reason = "it is a PyTorch file of before 2020 that was cut off or damaged";
            return Err(not_pytorch(file, reason));
        };
        let described = views.into_iter().map(|(name, view): (&str, StorageView)| {
            let numbers = storages
                .get(view.storage.key)
                .ok_or_else(|| odd(file, name, "is stored in a record that is not there".into()))?;
            Ok((name.to_owned(), view.described(file, name, numbers.clone())?))
        });
        described.collect()
    }

    /// Where the numbers of each storage lie; `None` where the list and what follows it do not fit the
    /// tensors, or the file.
    fn storages(
        &self,
        size: u64,
        bytes: ReadRange,
    ) -> Result<Option<BTreeMap<&str, Range<u64>>>, ModelError> {
        const COUNT: u64 = 8;
        let named = self.state.persistent().filter_map(|id| NamedStorage::read(&self.state, id));
        let named: BTreeMap<&str, NamedStorage> =
            named.map(|storage| (storage.key, storage)).collect();
        let PickleValue::List(keys) = self.keys.root() else {
            return Ok(None);
        };
        let mut storages = BTreeMap::new();
        let mut start = self.length as u64;
        for &key in keys {
            let storage = self.keys.text(key).and_then(|key| named.get(key));
            let length = storage.and_then(|storage| storage.bytes()?.checked_add(COUNT));
            let end = length.and_then(|length| start.checked_add(length));
            let (Some(storage), Some(end)) = (storage, end.filter(|&end| end <= size)) else {
                return Ok(None);
            };
            let count = bytes(start..start + COUNT)?;
            let is_whole = *count == storage.count.to_le_bytes();
            if !is_whole || storages.insert(storage.key, start + COUNT..end).is_some() {
                return Ok(None);
            }
            start = end;
        }
        Ok((start == size).then_some(storages))
    }
}

fn not_pytorch(file: &str, reason: &str) -> ModelError {
    ModelError::NotPyTorch { file: file.into(), reason: reason.into(), hint: "download it again" }
}

/// A whole file that holds something else, or in another way.
fn other_contents(file: &str, reason: &str) -> ModelError {
    ModelError::NotPyTorch { file: file.into(), reason: reason.into(), hint: SAVE_AGAIN }
}

/// A pickle that is not read.
fn refusal(file: &str, error: PickleError) -> ModelError {
    match error {
        PickleError::Ends => not_pytorch(file, "its pickle ends within a value"),
        PickleError::Odd(reason) => not_pytorch(file, &reason),
        PickleError::OtherContents(reason) => other_contents(file, reason),
        PickleError::Asks(what) => {
            // An object of a program is a whole model, more likely than an attack.
            let is_model = what.starts_with("transformers.") || what.starts_with("torch.nn.");
            let hint = match is_model {
                true => {
                    "it is a whole model: where you trust it, load it and save model.state_dict()"
                }
                false => "take the model from another place, in safetensors if there is one",
            };
            ModelError::PickleAsks { file: file.into(), what, hint }
        }
    }
}
