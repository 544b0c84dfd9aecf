// out[row] = x[row] * weight / sqrt(mean(x[row]^2) + eps): a workgroup a row.

struct Params {
    rows: u32,
    width4: u32,   // D / 4
    eps: f32,
    streams: u32,  // 1: x holds streams, and the copy table says which row reads which
    tokens: u32,   // N: rows of one copy of the pack
    copy: u32,     // the first copy's place in the copy table
}

struct Copy {
    slot_in: u32,
    slot_out: u32,
    first: u32,
    scale: f32,
    kept_attention: u32,
    kept_mlp: u32,
    pad0: u32,
    pad1: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> weight: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> copies: array<Copy>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>;

var<workgroup> partial: array<f32, 64>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = group.y * groups.x + group.x;
    if row >= p.rows {
        return;
    }
    var source = row;
    if p.streams == 1u {
        source = copies[p.copy + row / p.tokens].slot_in * p.tokens + row % p.tokens;
    }
    var sum = 0.0;
    for (var d = local; d < p.width4; d += 64u) {
        let v = x[source * p.width4 + d];
        sum += dot(v, v);
    }
    partial[local] = sum;
    for (var half = 32u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local < half {
            partial[local] += partial[local + half];
        }
    }
    workgroupBarrier();
    let scale = inverseSqrt(partial[0] / f32(p.width4 * 4u) + p.eps);
    for (var d = local; d < p.width4; d += 64u) {
        out[row * p.width4 + d] = x[source * p.width4 + d] * scale * weight[d];
    }
}
