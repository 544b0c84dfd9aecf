// out = a + b of rows, each of the first of which there are some: a thread four numbers.

struct Params {
    rows: u32,
    width4: u32, // D / 4
    rows_a: u32, // rows of a that count
    rows_b: u32,
    first_a: u32, // where a begins, in fours
    first_b: u32,
    first: u32,   // and out
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

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
    var sum = vec4<f32>();
    if row < p.rows_a {
        sum += a[p.first_a + i];
    }
    if row < p.rows_b {
        sum += b[p.first_b + i];
    }
    out[p.first + i] = sum;
}
