// Softmax weights and mixtures of a position that looks: a workgroup a head of a place.

//head
@group(0) @binding(2) var<storage, read> places: array<u32>;            // t
@group(0) @binding(3) var<storage, read_write> weights: array<f32>;     // [places, heads, T]
@group(0) @binding(4) var<storage, read_write> mixed: array<f32>;       // [places, heads, W]

//total

var<workgroup> largest: array<f32, 64>;

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
    let place = item / HEADS;
    let head = item % HEADS;
    let t = places[p.first_pair + place];
    let first = first_seen(t);
    let query = t * ROW + head * W;
    let key = (HEADS + head / GROUP) * W;
    let value = key + KV_HEADS * W;
    let to = item * p.length;
    var most = -3.0e38;
    for (var s = first + local; s <= t; s += 64u) {
        var sum = 0.0;
        for (var d = 0u; d < W; d += 1u) {
            sum = fma(qkv[query + d], qkv[s * ROW + key + d], sum);
        }
        weights[to + s] = sum * SCALE;
        most = max(most, sum * SCALE);
    }
    largest[local] = most;
    for (var half = 32u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local < half {
            largest[local] = max(largest[local], largest[local + half]);
        }
    }
    workgroupBarrier();
    most = largest[0];
    var sum = 0.0;
    for (var s = first + local; s <= t; s += 64u) {
        let weight = exp(weights[to + s] - most);
        weights[to + s] = weight;
        sum += weight;
    }
    sum = total(local, sum);
    let is_off = head < 128u && ((p.off[head / 32u] >> (head % 32u)) & 1u) == 1u;
    for (var s = first + local; s <= t; s += 64u) {
        weights[to + s] = select(weights[to + s] / sum, 0.0, is_off);
    }
    storageBarrier();
    for (var d = local; d < W; d += 64u) {
        var o = 0.0;
        for (var s = first; s <= t; s += 1u) {
            o = fma(weights[to + s], qkv[s * ROW + value + d], o);
        }
        mixed[item * W + d] = o;
    }
}
