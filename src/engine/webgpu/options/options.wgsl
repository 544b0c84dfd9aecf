// Of every kept row z: W[option] (g * z) for its prompt's options, and the mean of z^2.

struct Params {
    rows: u32,
    width4: u32,   // D / 4
    prompts: u32,  // P: row c belongs to prompt c mod P
    options: u32,  // K
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> kept: array<vec4<f32>>;    // [rows, D]
@group(0) @binding(2) var<storage, read> options: array<vec4<f32>>; // [P, K, D]
@group(0) @binding(3) var<storage, read> weight: array<vec4<f32>>;  // [D] g
@group(0) @binding(4) var<storage, read_write> out: array<f32>;     // [rows, K + 1]

var<workgroup> partial: array<f32, 64>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = group.y * groups.x + group.x;
    if row >= p.rows {
        return;
    }
    let prompt = row % p.prompts;
    for (var k = 0u; k <= p.options; k += 1u) {
        var sum = 0.0;
        for (var d = local; d < p.width4; d += 64u) {
            let z = kept[row * p.width4 + d];
            if k < p.options {
                sum += dot(z * weight[d], options[(prompt * p.options + k) * p.width4 + d]);
            } else {
                sum += dot(z, z) / f32(p.width4 * 4u);
            }
        }
        partial[local] = sum;
        for (var half = 32u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if local < half {
                partial[local] += partial[local + half];
            }
        }
        workgroupBarrier();
        if local == 0u {
            out[row * (p.options + 1u) + k] = partial[0];
        }
        workgroupBarrier();
    }
}
