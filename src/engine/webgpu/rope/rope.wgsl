// Turns queries and keys by their positions, in place: a thread one pair (i, i + W/2) of one head.

struct Params {
    rows: u32,
    tokens: u32,   // N: rows of one copy of the pack
    turned: u32,   // heads + kv_heads
    half: u32,     // W / 2
    stride: u32,   // (heads + 2 kv_heads) W
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> tokens: array<vec2<u32>>;  // [N] (angle row, prompt read here)
@group(0) @binding(2) var<storage, read> angles: array<vec2<f32>>;  // [angle rows, W/2] (cos, sin)
@group(0) @binding(3) var<storage, read_write> qkv: array<f32>;     // [rows, stride]

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = (group.y * groups.x + group.x) * 64u + local;
    let pairs = p.turned * p.half;
    let row = i / pairs;
    if row >= p.rows {
        return;
    }
    let head = i % pairs / p.half;
    let pair = i % p.half;
    let turn = angles[tokens[row % p.tokens].x * p.half + pair];
    let low = row * p.stride + head * p.half * 2u + pair;
    let high = low + p.half;
    let x = qkv[low];
    let y = qkv[high];
    qkv[low] = x * turn.x - y * turn.y;
    qkv[high] = y * turn.x + x * turn.y;
}
