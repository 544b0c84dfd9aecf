//! Shared helpers of the kernels' tests.

/// Numbers between `-scale` and `scale`.
pub fn random(count: usize, scale: f32, seed: u32) -> Vec<f32> {
    let mut noise = rand_mt::Mt::new(seed);
    (0..count).map(|_| (noise.next_u32() as f32 / u32::MAX as f32 * 2.0 - 1.0) * scale).collect()
}

/// Checks that all numbers are close to the expected ones.
///
/// # Panics
/// If any number is off by more than `bound`, or `bound` times its size where it is above 1.
#[track_caller]
pub fn close(ours: &[f32], expected: &[f64], bound: f64) {
    assert_eq!(ours.len(), expected.len());
    for (i, (&ours, &expected)) in ours.iter().zip(expected).enumerate() {
        let off = (f64::from(ours) - expected).abs();
        assert!(off <= bound * expected.abs().max(1.0), "number {i}: {ours}, not {expected}");
    }
}
