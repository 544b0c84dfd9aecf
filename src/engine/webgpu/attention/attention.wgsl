// Causal attention of one head over a tile of queries: an online softmax over tiles of keys.
// {…} are numbers of the model that the host writes in.

const W4: u32 = {W4}u;           // vec4s a head
const PADDED: u32 = {PADDED}u;   // the same, to a multiple of the lanes
const QUERIES: u32 = {QUERIES}u; // a tile's queries
const KEYS: u32 = {KEYS}u;       // and keys
const LANES: u32 = 4u;           // threads that share a query
const THREADS: u32 = QUERIES * LANES;
const HEADS: u32 = {HEADS}u;
const KV_HEADS: u32 = {KV_HEADS}u;
const ROW: u32 = (HEADS + 2u * KV_HEADS) * W4;
const SCALE: f32 = {SCALE};
const MASKED: f32 = -3.0e38;
const NOTHING: f32 = -1.0e30;    // above MASKED: a tile that is all masked adds exp(-huge) = 0

struct Params {
    pack_rows: u32,  // N
    window: u32,     // a token sees itself and the window - 1 before it
    first_tile: u32, // where this dispatch begins
    first_head: u32,
    first_step: u32,
    off: vec4<u32>,  // a bit for each head whose output is 0
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> tiles: array<vec4<u32>>; // (first row, T, first query, sequence)
@group(0) @binding(2) var<storage, read> qkv: array<vec4<f32>>;   // [steps N, (heads + 2 kv_heads) W]
@group(0) @binding({OUT}) var<storage, read_write> out: array<vec4<f32>>; // [steps N, heads W]

// KEY_ROW, KEYS_AT, VALUES_AT, past, first_key and kv
{KEYS_OF}

var<workgroup> query_tile: array<vec4<f32>, {QUERY_TILE}>;
var<workgroup> key_tile: array<vec4<f32>, {KEY_TILE}>;   // keys, then their values
var<workgroup> scores: array<f32, {SCORES}>;

@compute @workgroup_size({THREADS})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let tile = tiles[p.first_tile + group.x];
    let length = tile.y;
    let head = p.first_head + group.y;
    let kv_head = head / (HEADS / KV_HEADS);
    let base = (p.first_step + group.z) * p.pack_rows + tile.x;
    let lane = index % LANES;
    let mine = index / LANES;
    let before = past(tile.w); // tokens of the sequence that are not in the pack
    let keys = first_key(tile.w, base);
    let query = before + tile.z + mine;

    for (var i = index; i < QUERIES * PADDED; i += THREADS) {
        let row = tile.z + i / PADDED;
        let d = i % PADDED;
        var x = vec4<f32>();
        if row < length && d < W4 {
            x = qkv[(base + row) * ROW + head * W4 + d] * SCALE;
        }
        query_tile[i] = x;
    }

    let end = before + min(tile.z + QUERIES, length);
    var first = 0u;
    if before + tile.z >= p.window {
        first = before + tile.z - p.window + 1u;
    }
    var most = NOTHING;
    var total = 0.0;
    //repeat {CHUNKS}
    var sum# = vec4<f32>();
    //end
    for (var start = first; start < end; start += KEYS) {
        workgroupBarrier();
        for (var i = index; i < KEYS * PADDED; i += THREADS) {
            let row = start + i / PADDED;
            let d = i % PADDED;
            var x = vec4<f32>();
            if row < end && d < W4 {
                x = kv((keys + row) * KEY_ROW + KEYS_AT + kv_head * W4 + d);
            }
            key_tile[i] = x;
        }
        workgroupBarrier();
        for (var k = lane; k < KEYS; k += LANES) {
            let key = start + k;
            var score = MASKED;
            if key <= query && query - key < p.window {
                var s = vec4<f32>();
                //repeat {PADDED}
                s = fma(query_tile[mine * PADDED + #u], key_tile[k * PADDED + #u], s);
                //end
                score = s.x + s.y + s.z + s.w;
            }
            scores[mine * KEYS + k] = score;
        }
        workgroupBarrier();
        for (var i = index; i < KEYS * PADDED; i += THREADS) {
            let row = start + i / PADDED;
            let d = i % PADDED;
            var x = vec4<f32>();
            if row < end && d < W4 {
                x = kv((keys + row) * KEY_ROW + VALUES_AT + kv_head * W4 + d);
            }
            key_tile[i] = x;
        }
        workgroupBarrier();
        var now = most;
        for (var k = 0u; k < KEYS; k += 1u) {
            now = max(now, scores[mine * KEYS + k]);
        }
        let fade = exp(most - now);
        most = now;
        total *= fade;
        //repeat {CHUNKS}
        sum# *= fade;
        //end
        for (var k = 0u; k < KEYS; k += 1u) {
            let weight = exp(scores[mine * KEYS + k] - now);
            total += weight;
            //repeat {CHUNKS}
            sum# = fma(vec4<f32>(weight), key_tile[k * PADDED + #u * LANES + lane], sum#);
            //end
        }
    }
    if tile.z + mine < length {
        let to = ((base + tile.z + mine) * HEADS + head) * W4;
        let is_off = head < 128u && ((p.off[head / 32u] >> (head % 32u)) & 1u) == 1u;
        //repeat {CHUNKS}
        if #u * LANES + lane < W4 {
            out[to + #u * LANES + lane] = select(sum# / total, vec4<f32>(), is_off);
        }
        //end
    }
}
