// The transposed: a workgroup a KV head of a probe, its query heads one after the other.

//head
@group(0) @binding(2) var<storage, read> weights: array<f32>;     // [places, heads, T]
@group(0) @binding(3) var<storage, read> mixed: array<f32>;       // [places, heads, W]
@group(0) @binding(4) var<storage, read> pairs: array<vec4<u32>>; // (t_in, place of t_out, t_out, is one token)
@group(0) @binding(5) var<storage, read> w: array<f32>;           // [rows, heads W]
@group(0) @binding(6) var<storage, read_write> out: array<f32>;   // [rows, (heads + 2 kv_heads) W], turned

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
    let row = item / KV_HEADS;
    let kv_head = item % KV_HEADS;
    let pair = pairs[p.first_pair + row];
    let t_in = pair.x;
    let t_out = pair.z;
    let key = (HEADS + kv_head) * W;
    let value = key + KV_HEADS * W;
    for (var d = local; d < W; d += 64u) {
        out[row * ROW + key + d] = 0.0;
        out[row * ROW + value + d] = 0.0;
    }
    for (var in_group = 0u; in_group < GROUP; in_group += 1u) {
        let head = kv_head * GROUP + in_group;
        let looked = (pair.y * HEADS + head) * p.length;
        let o = (pair.y * HEADS + head) * W;
        let source = (row * HEADS + head) * W;
        let query = row * ROW + head * W;
        var sum = 0.0;
        var sum_in = 0.0;
        for (var d = local; d < W; d += 64u) {
            sum = fma(w[source + d], mixed[o + d], sum);
            sum_in = fma(w[source + d], qkv[t_in * ROW + value + d], sum_in);
        }
        let along = total(local, sum);
        let weight = weights[looked + t_in];
        let score = weight * SCALE * (total(local, sum_in) - along);
        for (var d = local; d < W; d += 64u) {
            out[row * ROW + key + d] += score * qkv[t_out * ROW + head * W + d];
            out[row * ROW + value + d] += weight * w[source + d];
            out[query + d] = 0.0;
        }
        if pair.w == 1u {
            for (var start = first_seen(t_out); start <= t_out; start += 64u) {
                let s = start + local;
                var e = 0.0;
                if s <= t_out {
                    for (var d = 0u; d < W; d += 1u) {
                        e = fma(w[source + d], qkv[s * ROW + value + d], e);
                    }
                    e = (e - along) * SCALE * weights[looked + s];
                }
                workgroupBarrier();
                weighed[local] = e;
                workgroupBarrier();
                let count = min(64u, t_out + 1u - start);
                for (var d = local; d < W; d += 64u) {
                    var sum = out[query + d];
                    for (var i = 0u; i < count; i += 1u) {
                        sum = fma(weighed[i], qkv[(start + i) * ROW + key + d], sum);
                    }
                    out[query + d] = sum;
                }
            }
        }
    }
}
