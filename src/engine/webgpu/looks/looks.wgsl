// Where a token looks with a head, and how much is carried from there: a workgroup for each pair.
// {…} are numbers of the model that the host writes in.

const W4: u32 = {W4}u; // vec4s a head
const HEADS: u32 = {HEADS}u;
const KV_HEADS: u32 = {KV_HEADS}u;
const ROW: u32 = (HEADS + 2u * KV_HEADS) * W4;
const SCALE: f32 = {SCALE};

struct Params {
    first_row: u32,   // of the sequence, in qkv
    length: u32,      // T
    queries: u32,     // Q
    first_query: u32, // word of lists
    end: u32,         // the pair behind the last
    first_head: u32,  // word of lists; the highest bit: the head is off
    window: u32,      // a token sees itself and the window - 1 before it
    width4: u32,      // D / 4
    base: u32,        // the first number of out
    carried: u32,     // numbers from a weight to what it carries
    start: u32,       // the first pair
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> qkv: array<vec4<f32>>; // [steps N, (heads + 2 kv_heads) W], turned
@group(0) @binding(2) var<storage, read> lists: array<u32>;
@group(0) @binding(3) var<storage, read> through: array<vec4<f32>>; // [H', T, D]
@group(0) @binding(4) var<storage, read_write> out: array<f32>;    // [H', Q, T] from base on, and as many lengths

//total

var<workgroup> largest: array<f32, 64>;

fn is_seen(query: u32, key: u32) -> bool {
    return key <= query && query - key < p.window;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let pair = p.start + group.y * groups.x + group.x;
    if pair >= p.end {
        return;
    }
    let own = pair / p.queries;
    let word = lists[p.first_head + own];
    let head = word & 0x7fffffffu;
    let kv_head = HEADS + head / (HEADS / KV_HEADS);
    let query = lists[p.first_query + pair % p.queries];
    let query_at = (p.first_row + query) * ROW + head * W4;
    let to = p.base + pair * p.length;
    var most = -3.0e38;
    for (var key = local; key < p.length; key += 64u) {
        if is_seen(query, key) {
            let at = (p.first_row + key) * ROW + kv_head * W4;
            var sum = vec4<f32>();
            for (var d = 0u; d < W4; d++) {
                sum = fma(qkv[query_at + d], qkv[at + d], sum);
            }
            let score = (sum.x + sum.y + sum.z + sum.w) * SCALE;
            out[to + key] = score;
            most = max(most, score);
        }
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
    for (var key = local; key < p.length; key += 64u) {
        if is_seen(query, key) {
            sum += exp(out[to + key] - most);
        }
    }
    sum = total(local, sum);
    for (var key = local; key < p.length; key += 64u) {
        var weight = 0.0;
        var carried = 0.0;
        if is_seen(query, key) {
            weight = exp(out[to + key] - most) / sum;
            if word == head {
                var square = 0.0;
                let row = (own * p.length + key) * p.width4;
                for (var d = 0u; d < p.width4; d++) {
                    square += dot(through[row + d], through[row + d]);
                }
                carried = weight * sqrt(square);
            }
        }
        out[to + key] = weight;
        out[to + key + p.carried] = carried;
    }
}
