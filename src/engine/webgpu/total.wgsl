var<workgroup> partial: array<f32, 64>;

// The sum of what the 64 threads have; every one of them calls it.
fn total(local: u32, mine: f32) -> f32 {
    workgroupBarrier();
    partial[local] = mine;
    for (var half = 32u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local < half {
            partial[local] += partial[local + half];
        }
    }
    workgroupBarrier();
    return partial[0];
}

// A norm's scale, 1 / sqrt(mean square + eps). Where the squares left the range of f32 that would be 0,
// and zeros look like numbers: then it is none, which every later step carries to where it is read.
fn norm_scale(mean_square: f32, eps: f32, width: u32) -> f32 {
    // From a number known only at run time: a constant NaN is refused when a shader is made.
    let none = bitcast<f32>(0x7fc00000u | width);
    return select(none, inverseSqrt(mean_square + eps), mean_square <= 3e38);
}
