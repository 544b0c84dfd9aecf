fn store(row: u32, column: u32, sum: vec4<f32>) {
    if row >= p.m {
        return;
    }
    let at = place(row);
    for (var i = 0u; i < 4u; i += 1u) {
        if column + i < p.n {
            let d = p.first + column + i;
            join(at, d, sum[i] + bias[d]);
        }
    }
}
