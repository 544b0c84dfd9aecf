// out[m, n] = sum_k a[m, k] * w[n, k]: a thread an output, straight from memory.

struct Params { m: u32, n: u32, k: u32, stride: u32 }

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> w: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    if at.x >= p.n || at.y >= p.m {
        return;
    }
    var sum = 0.0;
    for (var k = 0u; k < p.k; k += 1u) {
        sum += a[at.y * p.k + k] * w[at.x * p.k + k];
    }
    out[at.y * p.stride + at.x] = sum;
}
