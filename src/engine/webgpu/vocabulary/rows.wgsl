// Sums of kept rows through the final norm, one workgroup per stream. The scale is the stream's own, or
// that of another stream.

struct Params {
    rows: u32,
    width4: u32,     // D / 4
    eps: f32,
    is_centred: u32, // 1: LayerNorm
    first: u32,      // word of lists: (first word after it, count, stream of the scale) each, then kept rows
    width: u32,      // D
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> kept: array<vec4<f32>>; // [kept rows, D]
@group(0) @binding(2) var<storage, read> lists: array<u32>;
@group(0) @binding(3) var<storage, read> gain: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> bias: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4<f32>>; // [rows, D]

//total

fn stream(row: u32, d: u32) -> vec4<f32> {
    let at = p.first + lists[p.first + 3u * row];
    let count = lists[p.first + 3u * row + 1u];
    var sum = vec4<f32>(0.0);
    for (var i = 0u; i < count; i++) {
        sum += kept[lists[at + i] * p.width4 + d];
    }
    return sum;
}

fn mean_of(row: u32, local: u32) -> f32 {
    var sum = 0.0;
    for (var d = local; d < p.width4; d += 64u) {
        sum += dot(stream(row, d), vec4<f32>(1.0));
    }
    return total(local, sum) / f32(p.width);
}

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
    let scaled = lists[p.first + 3u * row + 2u];
    var mean = 0.0;
    var scaled_mean = 0.0;
    if p.is_centred == 1u {
        mean = mean_of(row, local);
        scaled_mean = mean_of(scaled, local);
    }
    var squares = 0.0;
    for (var d = local; d < p.width4; d += 64u) {
        let v = stream(scaled, d) - vec4<f32>(scaled_mean);
        squares += dot(v, v);
    }
    let scale = norm_scale(total(local, squares) / f32(p.width), p.eps, p.width);
    for (var d = local; d < p.width4; d += 64u) {
        out[row * p.width4 + d] = (stream(row, d) - vec4<f32>(mean)) * scale * gain[d] + bias[d];
    }
}
