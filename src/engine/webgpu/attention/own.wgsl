// Keys and values of a pack that begins with its sequences' first tokens: beside the queries.

const KEY_ROW: u32 = ROW;
const KEYS_AT: u32 = HEADS * W4;
const VALUES_AT: u32 = (HEADS + KV_HEADS) * W4;

fn past(sequence: u32) -> u32 {
    return 0u;
}

fn first_key(sequence: u32, base: u32) -> u32 {
    return base;
}

fn kv(at: u32) -> vec4<f32> {
    return qkv[at];
}
