// Derivatives of the activation, in place: a thread four numbers of the gate and of up.

struct Params { rows: u32, width4: u32 }

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read_write> up: array<vec4<f32>>; // [rows, 2 F] or [rows, F]

const IS_GATED: bool = {IS_GATED};

struct Slope { act: vec4<f32>, slope: vec4<f32> }

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
        let gate = i + row * p.width4;
        let found = slope(up[gate]);
        up[gate] = up[gate + p.width4] * found.slope;
        up[gate + p.width4] = found.act;
    } else {
        up[i] = slope(up[i]).slope;
    }
}
