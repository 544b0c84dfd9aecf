// A norm of rows: a workgroup a row. RMSNorm x gain / sqrt(mean(x^2) + eps), or LayerNorm, which
// first takes the mean off; then the bias (zeros for RMSNorm) is added.

struct Params {
    rows: u32,
    width4: u32,      // D / 4
    eps: f32,
    is_centred: u32,  // 1: LayerNorm
    from_streams: u32, // 1: x holds streams, and the steps say which row reads which
    pack_rows: u32,   // N
    first_step: u32,  // of this call, among all steps
    width: u32,       // D
    flags: u32,       // members: see member.wgsl
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> gain: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> bias: array<vec4<f32>>;
//epilogue

//total

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
    let first = source_row(row) * p.width4;
    var mean = 0.0;
    if p.is_centred == 1u {
        var sum = 0.0;
        for (var d = local; d < p.width4; d += 64u) {
            sum += dot(x[first + d], vec4<f32>(1.0));
        }
        mean = total(local, sum) / f32(p.width);
    }
    var squares = 0.0;
    for (var d = local; d < p.width4; d += 64u) {
        let v = x[first + d] - vec4<f32>(mean);
        squares += dot(v, v);
    }
    let scale = norm_scale(total(local, squares) / f32(p.width), p.eps, p.width);
    for (var d = local; d < p.width4; d += 64u) {
        store(row, d, (x[first + d] - vec4<f32>(mean)) * scale * gain[d] + bias[d]);
    }
}
