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
