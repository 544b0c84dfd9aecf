//! Seeded draws, the same on every platform: integers only, no floating point.

use rand_mt::Mt64;

/// A 64-bit Mersenne twister with the few draws the generator needs.
pub struct Dice(Mt64);

impl Dice {
    /// A stream of its own for every (seed, stream) pair, so that batch `n` can be drawn without
    /// drawing the ones before it: that is what makes an interrupted training resumable.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self(Mt64::new(mix(seed ^ mix(stream.wrapping_add(1)))))
    }

    /// Uniform in `0..n`; `n` must not be 0. Multiply-high: the bias is below `n / 2^64`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.0.next_u64()) * n as u128) >> 64) as usize
    }

    /// Uniform in `low..=high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True once in `n` draws.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of these, each as likely.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// `n` distinct elements, in random order.
    pub fn pick_distinct<T: Copy>(&mut self, from: &[T], n: usize) -> Vec<T> {
        let mut all = from.to_vec();
        self.shuffle(&mut all);
        all.truncate(n);
        all
    }

    /// Fisher-Yates.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// Approximately standard normal: the sum of twelve uniforms less six. No transcendental
    /// function, so initial weights are the same bits everywhere.
    pub fn normal(&mut self) -> f32 {
        let sum: f64 =
            (0..12).map(|_| (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64).sum();
        (sum - 6.0) as f32
    }
}

/// The finaliser of SplitMix64: spreads close seeds far apart.
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
