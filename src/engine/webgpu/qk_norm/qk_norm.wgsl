// RMSNorm of queries and keys in place, before they turn: a workgroup a part of a row, a part being
// a head, or all of a row's queries or keys at once.

struct Params {
    rows: u32,
    stride: u32,      // (heads + 2 kv_heads) W
    query_parts: u32,
    query_width: u32, // of a part
    key_parts: u32,
    key_width: u32,
    eps: f32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> query_gain: array<f32>; // [query_width]
@group(0) @binding(2) var<storage, read> key_gain: array<f32>;   // [key_width]
@group(0) @binding(3) var<storage, read_write> qkv: array<f32>;  // [rows, stride]

//total

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = group.y * groups.x + group.x;
    let parts = p.query_parts + p.key_parts;
    let row = i / parts;
    if row >= p.rows {
        return;
    }
    var part = i % parts;
    let is_key = part >= p.query_parts;
    var width = p.query_width;
    var first = row * p.stride;
    if is_key {
        width = p.key_width;
        part -= p.query_parts;
        first += p.query_parts * p.query_width;
    }
    first += part * width;
    var squares = 0.0;
    for (var d = local; d < width; d += 64u) {
        squares = fma(qkv[first + d], qkv[first + d], squares);
    }
    let scale = norm_scale(total(local, squares) / f32(width), p.eps, width);
    for (var d = local; d < width; d += 64u) {
        var gain = 0.0;
        if is_key {
            gain = key_gain[d];
        } else {
            gain = query_gain[d];
        }
        qkv[first + d] *= scale * gain;
    }
}
