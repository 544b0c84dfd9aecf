// Rows times kept slopes: a thread four numbers of [F].

struct Params {
    rows: u32,
    width4: u32,     // F / 4
    parts: u32,      // 2: gate and up
    first_pair: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> slopes: array<vec4<f32>>; // [places, parts F]
@group(0) @binding(2) var<storage, read> pairs: array<vec4<u32>>;  // (t_in, place of t_out, t_out, is one token)
@group(0) @binding(3) var<storage, read> x: array<vec4<f32>>;         // push: [rows, parts F], pull: [rows, F]
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>; // push: [rows, F], pull: [rows, parts F]

const IS_TRANSPOSED: bool = {IS_TRANSPOSED};

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
    let d = i % p.width4;
    let place = pairs[p.first_pair + row].y;
    var sum = vec4<f32>();
    for (var part = 0u; part < p.parts; part += 1u) {
        let wide = (row * p.parts + part) * p.width4 + d;
        let slope = slopes[(place * p.parts + part) * p.width4 + d];
        if IS_TRANSPOSED {
            out[wide] = x[i] * slope;
        } else {
            sum += x[wide] * slope;
        }
    }
    if !IS_TRANSPOSED {
        out[i] = sum;
    }
}
