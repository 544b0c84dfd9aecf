// Keys and values of a pack that goes on: those of the tokens before lie in a cache, and so do its own.

const KEY_ROW: u32 = 2u * KV_HEADS * W4;
const KEYS_AT: u32 = 0u;
const VALUES_AT: u32 = KV_HEADS * W4;

@group(0) @binding(3) var<storage, read> sequences: array<vec2<u32>>; // (tokens before the pack's, first row of the cache)
@group(0) @binding(4) var<storage, read> cache: array<vec4<f32>>;     // [cache rows, 2 kv_heads W]

fn past(sequence: u32) -> u32 {
    return sequences[sequence].x;
}

fn first_key(sequence: u32, base: u32) -> u32 {
    return sequences[sequence].y;
}

fn kv(at: u32) -> vec4<f32> {
    return cache[at];
}
