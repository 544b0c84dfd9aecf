// [256 low nibbles] [256 pairs of high bits] [16 signed scales] [d]
fn load(i: u32) -> vec4<f32> {
    let block = (i >> 6u) * 53u;
    let half = (i >> 5u) & 1u; // of 128 numbers
    let quarter = (i >> 3u) & 3u; // of 32
    let low = weights[block + half * 16u + (quarter & 1u) * 8u + (i & 7u)] >> (4u * (quarter >> 1u));
    let high = weights[block + 32u + half * 8u + (i & 7u)] >> (2u * quarter);
    let q = bytes((low & 0x0f0f0f0fu) | ((high & 0x03030303u) << 4u));
    let n = half * 8u + quarter * 2u + ((i >> 2u) & 1u); // scale
    let s = bitcast<i32>(weights[block + 48u + (n >> 2u)] << (24u - 8u * (n & 3u))) >> 24u;
    let d = bitcast<f32>(weights[block + 52u]);
    return d * f32(s) * (vec4<f32>(q) - 32.0);
}
