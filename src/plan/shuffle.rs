//! CPython's `random.seed(seed); random.shuffle(list)`, so that a seed means here what it means
//! in the papers' code.

use rand_mt::Mt;

/// Shuffles in place exactly as CPython 3 does for a non-negative integer seed.
pub(super) fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut random = Mt::new_with_key(key(seed));
    for last in (1..items.len()).rev() {
        items.swap(last, below(&mut random, last + 1));
    }
}

/// CPython seeds by array with the integer's 32-bit digits, least significant first; 0 has one.
fn key(seed: u64) -> Vec<u32> {
    let (low, high) = (seed as u32, (seed >> 32) as u32);
    if high == 0 { vec![low] } else { vec![low, high] }
}

/// `_randbelow_with_getrandbits(n)`: draws as many bits as `n` has until the number is below `n`.
/// `n` fits 32 bits: it counts a plan's blocks.
fn below(random: &mut Mt, n: usize) -> usize {
    let bits = usize::BITS - n.leading_zeros();
    loop {
        let drawn = (random.next_u32() >> (32 - bits)) as usize;
        if drawn < n {
            return drawn;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shuffle;

    fn shuffled(range: std::ops::Range<usize>, seed: u64) -> Vec<usize> {
        let mut items: Vec<usize> = range.collect();
        shuffle(&mut items, seed);
        items
    }

    /// The expected orders were printed by CPython 3.11.
    #[test]
    fn a_seed_gives_cpythons_order() {
        assert_eq!(shuffled(13..20, 0), [17, 15, 14, 13, 18, 16, 19]);
        assert_eq!(shuffled(13..20, 1), [16, 19, 18, 15, 13, 17, 14]);
        assert_eq!(shuffled(3..10, 0), [7, 5, 4, 3, 8, 6, 9]);
    }

    #[test]
    fn a_seed_past_32_bits_gives_cpythons_order() {
        assert_eq!(shuffled(3..10, 12_345_678_901), [4, 3, 9, 8, 6, 5, 7]);
        assert_eq!(shuffled(1..12, 1 << 40), [5, 9, 3, 8, 10, 4, 1, 7, 11, 6, 2]);
        assert_eq!(shuffled(1..80, u64::MAX)[..12], [26, 8, 55, 42, 76, 52, 63, 33, 4, 14, 39, 74]);
    }

    #[test]
    fn one_item_and_none_stay() {
        assert_eq!(shuffled(4..5, 7), [4]);
        assert_eq!(shuffled(4..4, 7), [0; 0]);
    }
}
