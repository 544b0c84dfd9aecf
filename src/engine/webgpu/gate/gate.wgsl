// out = silu(gate) * up, of rows [gate F, up F]: a thread four numbers.

struct Params { rows: u32, width4: u32 }

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> gate_up: array<vec4<f32>>;  // [rows, 2 F]
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>; // [rows, F]

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
    let gate = gate_up[i + row * p.width4];
    let up = gate_up[i + (row + 1u) * p.width4];
    // Past -80, exp(-gate) would leave f32, and some drivers make a NaN of 1 / infinity.
    out[i] = gate / (1.0 + exp(-max(gate, vec4<f32>(-80.0)))) * up;
}
