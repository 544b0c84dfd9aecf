//! Which rows a model may learn from: a row is held out when the FNV-1a hash of its prompt falls in
//! one tenth of all values. No prompt can be on both sides, whatever the seeds.

/// Which rows a model may be trained on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataSplit {
    Training,
    HeldOut,
}

impl DataSplit {
    /// The side a prompt belongs to.
    pub fn of(prompt: &str) -> DataSplit {
        // FNV's low bits depend on few bytes; the high half decides.
        if (fnv(prompt.bytes()) >> 32).is_multiple_of(10) {
            DataSplit::HeldOut
        } else {
            DataSplit::Training
        }
    }
}

/// Returns the FNV-1a hash, 64 bits, of some bytes.
pub fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
