// [d f16, dmin f16] [8 scales and offsets of six bits] [32 bytes, bit n of each sub-block n's] [256 nibbles]
fn load(i: u32) -> vec4<f32> {
    let block = (i >> 6u) * 44u;
    let n = (i >> 3u) & 7u;
    let word = weights[block + 12u + (n >> 1u) * 8u + (i & 7u)];
    let fifth = (weights[block + 4u + (i & 7u)] >> n) & 0x01010101u;
    let q = bytes(((word >> (4u * (n & 1u))) & 0x0f0f0f0fu) | (fifth << 4u));
    let pair = scale_and_offset(block, n);
    return pair.x * vec4<f32>(q) - pair.y;
}
