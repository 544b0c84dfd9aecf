// The same, a thread one head of one token, straight from memory.

const W: u32 = {W}u;
const HEADS: u32 = {HEADS}u;
const KV_HEADS: u32 = {KV_HEADS}u;
const ROW: u32 = (HEADS + 2u * KV_HEADS) * W;
const SCALE: f32 = {SCALE};

struct Params { rows: u32, pack_rows: u32, window: u32 }

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> starts: array<u32>;  // [N] the first row of each token's sequence
@group(0) @binding(2) var<storage, read> qkv: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

fn score(query: u32, key: u32) -> f32 {
    var s = 0.0;
    for (var d = 0u; d < W; d += 1u) {
        s += qkv[query + d] * qkv[key + d];
    }
    return s * SCALE;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let row = at.x / HEADS;
    let head = at.x % HEADS;
    if row >= p.rows {
        return;
    }
    let kv = HEADS + head / (HEADS / KV_HEADS);
    var first = row - row % p.pack_rows + starts[row % p.pack_rows];
    if row - first >= p.window {
        first = row - p.window + 1u;
    }
    let query = row * ROW + head * W;
    var most = -3.0e38;
    for (var key = first; key <= row; key += 1u) {
        most = max(most, score(query, key * ROW + kv * W));
    }
    let to = (row * HEADS + head) * W;
    for (var d = 0u; d < W; d += 1u) {
        out[to + d] = 0.0;
    }
    var total = 0.0;
    for (var key = first; key <= row; key += 1u) {
        let weight = exp(score(query, key * ROW + kv * W) - most);
        total += weight;
        for (var d = 0u; d < W; d += 1u) {
            out[to + d] += weight * qkv[key * ROW + (kv + KV_HEADS) * W + d];
        }
    }
    for (var d = 0u; d < W; d += 1u) {
        out[to + d] /= total;
    }
}
