// {…} are numbers of the model that the host writes in.

const W: u32 = {W}u; // of a head
const HEADS: u32 = {HEADS}u;
const KV_HEADS: u32 = {KV_HEADS}u;
const GROUP: u32 = HEADS / KV_HEADS;
const ROW: u32 = (HEADS + 2u * KV_HEADS) * W;
const SCALE: f32 = {SCALE};

struct Params {
    start: u32,      // the first item of this dispatch
    end: u32,        // the item behind its last
    first_pair: u32, // or place, in its list
    length: u32,     // T
    window: u32,     // a token sees itself and the window - 1 before it
    off: vec4<u32>,  // a bit for each head whose weights and mixtures are 0
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> qkv: array<f32>; // [T, (heads + 2 kv_heads) W], turned

fn first_seen(t: u32) -> u32 {
    if t >= p.window {
        return t - p.window + 1u;
    }
    return 0u;
}
