//! Tensors as plain rows of numbers in this processor's memory.

use candle_core::{Device, Error, Result, Storage, Tensor};

/// Gives the elements of an f32 tensor to `read`; without a copy, if they lie one after the other
/// in this processor's memory.
pub fn of<T>(tensor: &Tensor, read: impl FnOnce(&[f32]) -> T) -> Result<T> {
    let tensor = tensor.to_device(&Device::Cpu)?.contiguous()?;
    let (storage, layout) = tensor.storage_and_layout();
    let (Storage::Cpu(storage), Some((from, to))) = (&*storage, layout.contiguous_offsets()) else {
        return Err(Error::msg("rows could not be brought to the processor"));
    };
    Ok(read(&storage.as_slice::<f32>()?[from..to]))
}
