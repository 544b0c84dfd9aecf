// Derivatives of a norm at kept rows, in place: a workgroup a part of a row.

struct Params {
    rows: u32,
    parts: u32,         // of a row
    width4: u32,        // of a part / 4
    x4: u32,            // fours from row to row of x
    z4: u32,            // and of z
    first: u32,         // where the parts begin in both, in fours
    eps: f32,
    is_centred: u32,    // 1: LayerNorm
    is_transposed: u32,
    by: u32,            // 0: x's row is the pair's t_in, 1: its place
    first_pair: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> gain: array<vec4<f32>>;  // [a part]
@group(0) @binding(3) var<storage, read> pairs: array<vec4<u32>>; // (t_in, place of t_out, t_out, is one token)
@group(0) @binding(4) var<storage, read_write> z: array<vec4<f32>>;

//total

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = group.y * groups.x + group.x;
    let row = i / p.parts;
    if row >= p.rows {
        return;
    }
    let part = p.first + (i % p.parts) * p.width4;
    let pair = pairs[p.first_pair + row];
    let source = select(pair.x, pair.y, p.by == 1u) * p.x4 + part;
    let to = row * p.z4 + part;
    let width = f32(4u * p.width4);
    var mean = 0.0;
    var mean_z = 0.0;
    if p.is_centred == 1u {
        var sum = 0.0;
        var sum_z = 0.0;
        for (var d = local; d < p.width4; d += 64u) {
            sum += dot(x[source + d], vec4<f32>(1.0));
            let g = select(vec4<f32>(1.0), gain[d], p.is_transposed == 1u);
            sum_z += dot(z[to + d], g);
        }
        mean = total(local, sum) / width;
        mean_z = total(local, sum_z) / width;
    }
    var squares = 0.0;
    var product = 0.0;
    for (var d = local; d < p.width4; d += 64u) {
        let v = x[source + d] - vec4<f32>(mean);
        let g = select(vec4<f32>(1.0), gain[d], p.is_transposed == 1u);
        squares += dot(v, v);
        product += dot(v, z[to + d] * g - vec4<f32>(mean_z));
    }
    let r = norm_scale(total(local, squares) / width, p.eps, 4u * p.width4);
    let along = r * r * total(local, product) / width;
    for (var d = local; d < p.width4; d += 64u) {
        let v = x[source + d] - vec4<f32>(mean);
        let is_transposed = p.is_transposed == 1u;
        let before = select(vec4<f32>(1.0), gain[d], is_transposed);
        let after = select(gain[d], vec4<f32>(1.0), is_transposed);
        z[to + d] = r * (z[to + d] * before - vec4<f32>(mean_z) - v * along) * after;
    }
}
