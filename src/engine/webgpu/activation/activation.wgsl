// out = act(gate) * up, of rows [gate F, up F], or act(up), of rows [F]: a thread four numbers.

struct Params { rows: u32, width4: u32 }

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> up: array<vec4<f32>>;        // [rows, 2 F] or [rows, F]
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>; // [rows, F]

const IS_GATED: bool = {IS_GATED};

//activation

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
    if IS_GATED {
        out[i] = act(up[i + row * p.width4]) * up[i + (row + 1u) * p.width4];
    } else {
        out[i] = act(up[i]);
    }
}
