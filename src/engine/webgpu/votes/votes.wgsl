// Of every kept row z: its products with its prompt's option rows, and its mean square or variance.

struct Params {
    rows: u32,     // to where this dispatch goes
    width4: u32,   // D / 4
    prompts: u32,  // P: row c belongs to prompt c mod P
    options: u32,  // K
    is_centred: u32, // 1: the variance
    base: u32,     // the first number of out
    row: u32,      // where this dispatch begins
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> kept: array<vec4<f32>>;    // [rows, D]
@group(0) @binding(2) var<storage, read> options: array<vec4<f32>>; // [P, K, D]
@group(0) @binding(3) var<storage, read_write> out: array<f32>;     // [rows, K + 1] from base on

//total

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = p.row + group.y * groups.x + group.x;
    if row >= p.rows {
        return;
    }
    let first = row * p.width4;
    let to = p.base + row * (p.options + 1u);
    let width = f32(p.width4 * 4u);
    var mean = 0.0;
    if p.is_centred == 1u {
        var sum = 0.0;
        for (var d = local; d < p.width4; d += 64u) {
            sum += dot(kept[first + d], vec4<f32>(1.0));
        }
        mean = total(local, sum) / width;
    }
    var squares = 0.0;
    for (var d = local; d < p.width4; d += 64u) {
        let z = kept[first + d] - vec4<f32>(mean);
        squares += dot(z, z);
    }
    squares = total(local, squares) / width;
    if local == 0u {
        out[to + p.options] = squares;
    }
    for (var k = 0u; k < p.options; k += 1u) {
        let option = (row % p.prompts * p.options + k) * p.width4;
        var sum = 0.0;
        for (var d = local; d < p.width4; d += 64u) {
            sum += dot(kept[first + d], options[option + d]);
        }
        sum = total(local, sum);
        if local == 0u {
            out[to + k] = sum;
        }
    }
}
