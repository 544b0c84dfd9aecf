// Rows, by their ids, to out: a thread four numbers.

struct Params {
    count: u32,      // rows to copy
    width4: u32,     // D / 4
    base: u32,       // the first number of out
    first: u32,      // the first id
    first_row: u32,  // the row that ids are counted from
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> rows: array<vec4<f32>>; // [.., D]
@group(0) @binding(2) var<storage, read> ids: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;  // [count, D] from base on

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = (group.y * groups.x + group.x) * 64u + local;
    let row = i / p.width4;
    if row >= p.count {
        return;
    }
    let v = rows[(p.first_row + ids[p.first + row]) * p.width4 + i % p.width4];
    let to = p.base + i * 4u;
    out[to] = v.x;
    out[to + 1u] = v.y;
    out[to + 2u] = v.z;
    out[to + 3u] = v.w;
}
