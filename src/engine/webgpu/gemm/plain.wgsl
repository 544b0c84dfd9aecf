@group(0) @binding(4) var<storage, read_write> out: array<f32>;

fn store(row: u32, column: u32, sum: vec4<f32>) {
    for (var i = 0u; i < 4u; i += 1u) {
        if row < p.m && column + i < p.n {
            let d = p.first + column + i;
            out[p.base + row * p.stride + d] = sum[i] + bias[d];
        }
    }
}
