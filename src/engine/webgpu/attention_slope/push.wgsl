// How the mixtures of a place move with a token: a workgroup a head of a probe.

//head
@group(0) @binding(2) var<storage, read> weights: array<f32>;     // [places, heads, T]
@group(0) @binding(3) var<storage, read> mixed: array<f32>;       // [places, heads, W]
@group(0) @binding(4) var<storage, read> pairs: array<vec4<u32>>; // (t_in, place of t_out, t_out, is one token)
@group(0) @binding(5) var<storage, read> moved: array<f32>;       // [rows, (heads + 2 kv_heads) W], turned
@group(0) @binding(6) var<storage, read_write> out: array<f32>;   // [rows, heads W]

//total

var<workgroup> weighed: array<f32, 64>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let item = p.start + group.y * groups.x + group.x;
    if item >= p.end {
        return;
    }
    let row = item / HEADS;
    let head = item % HEADS;
    let pair = pairs[p.first_pair + row];
    let t_in = pair.x;
    let t_out = pair.z;
    let looked = (pair.y * HEADS + head) * p.length;
    let o = (pair.y * HEADS + head) * W;
    let query = t_out * ROW + head * W;
    let key = (HEADS + head / GROUP) * W;
    let value = key + KV_HEADS * W;
    var sum = 0.0;
    for (var d = local; d < W; d += 64u) {
        sum = fma(qkv[query + d], moved[row * ROW + key + d], sum);
    }
    let score = total(local, sum) * SCALE;
    let weight = weights[looked + t_in];
    for (var d = local; d < W; d += 64u) {
        let apart = qkv[t_in * ROW + value + d] - mixed[o + d];
        out[item * W + d] = weight * (moved[row * ROW + value + d] + score * apart);
    }
    if pair.w == 0u {
        return;
    }
    // Its queries move too: sum_s p_s e_s (v_s - o).
    var all = 0.0;
    for (var start = first_seen(t_out); start <= t_out; start += 64u) {
        let s = start + local;
        var e = 0.0;
        if s <= t_out {
            for (var d = 0u; d < W; d += 1u) {
                e = fma(moved[row * ROW + head * W + d], qkv[s * ROW + key + d], e);
            }
            e *= SCALE * weights[looked + s];
        }
        workgroupBarrier();
        weighed[local] = e;
        workgroupBarrier();
        let count = min(64u, t_out + 1u - start);
        for (var i = 0u; i < count; i += 1u) {
            all += weighed[i];
        }
        for (var d = local; d < W; d += 64u) {
            var sum = out[item * W + d];
            for (var i = 0u; i < count; i += 1u) {
                sum = fma(weighed[i], qkv[(start + i) * ROW + value + d], sum);
            }
            out[item * W + d] = sum;
        }
    }
    for (var d = local; d < W; d += 64u) {
        out[item * W + d] -= all * mixed[o + d];
    }
}
