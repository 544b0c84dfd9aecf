// [d f16, dmin f16] [8 scales and offsets of six bits] [256 nibbles]
fn load(i: u32) -> vec4<f32> {
    let block = (i >> 6u) * 36u;
    let n = (i >> 3u) & 7u; // sub-block of 32: the odd ones in the high nibbles
    let word = weights[block + 4u + (n >> 1u) * 8u + (i & 7u)];
    let q = bytes((word >> (4u * (n & 1u))) & 0x0f0f0f0fu);
    let pair = scale_and_offset(block, n);
    return pair.x * vec4<f32>(q) - pair.y;
}
