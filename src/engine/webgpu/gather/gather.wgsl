// out[first_out + i] = table[ids[first_id + i] + offset]: a thread four numbers.

struct Params {
    count: u32,     // rows to copy
    width4: u32,    // numbers a row / 4
    first: u32,     // the table's rows bound here begin with this one
    rows: u32,      // and are this many; others are another dispatch's
    first_id: u32,
    first_out: u32,
    offset: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
//weights 1
@group(0) @binding(2) var<storage, read> ids: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

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
    let id = ids[p.first_id + row] + p.offset;
    if id < p.first || id - p.first >= p.rows {
        return;
    }
    let d = i % p.width4;
    out[(p.first_out + row) * p.width4 + d] = load((id - p.first) * p.width4 + d);
}
