// Turns queries and keys by their positions, in place: a thread one pair (i, i + half) of one head.

struct Params {
    rows: u32,
    pack_rows: u32,  // N
    heads: u32,      // of queries and keys
    half: u32,       // of the dimensions of a head that turn, the first ones
    stride: u32,     // (heads + 2 kv_heads) W
    head_width: u32, // W
    first: u32,      // where tokens begin
    sign: f32,       // -1: the transposed turn
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> tokens: array<vec2<u32>>;  // [N] (angle row, sequence that ends here)
@group(0) @binding(2) var<storage, read> angles: array<vec2<f32>>;  // [angle rows, half] (cos, sin)
@group(0) @binding(3) var<storage, read_write> qkv: array<f32>;     // [rows, stride]

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = (group.y * groups.x + group.x) * 64u + local;
    let pairs = p.heads * p.half;
    let row = i / pairs;
    if row >= p.rows {
        return;
    }
    let head = i % pairs / p.half;
    let pair = i % p.half;
    let angle = angles[tokens[p.first + row % p.pack_rows].x * p.half + pair] * vec2<f32>(1.0, p.sign);
    let low = row * p.stride + head * p.head_width + pair;
    let high = low + p.half;
    let x = qkv[low];
    let y = qkv[high];
    qkv[low] = x * angle.x - y * angle.y;
    qkv[high] = y * angle.x + x * angle.y;
}
