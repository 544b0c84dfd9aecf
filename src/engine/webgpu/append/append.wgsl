// Keys and values of a pack's rows, to their rows of a cache: a thread four numbers.

struct Params {
    rows: u32,     // N
    width4: u32,   // of a cache's row: 2 kv_heads W / 4
    row4: u32,     // of a row of qkv: (heads + 2 kv_heads) W / 4
    keys_at4: u32, // where its keys begin: heads W / 4
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> places: array<u32>;    // [N] rows of the cache
@group(0) @binding(2) var<storage, read> qkv: array<vec4<f32>>; // [N, (heads + 2 kv_heads) W]
@group(0) @binding(3) var<storage, read_write> cache: array<vec4<f32>>; // [cache rows, 2 kv_heads W]

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = (group.y * groups.x + group.x) * 64u + local;
    let row = i / p.width4;
    if row >= p.rows {
        return;
    }
    let at = i % p.width4;
    cache[places[row] * p.width4 + at] = qkv[row * p.row4 + p.keys_at4 + at];
}
