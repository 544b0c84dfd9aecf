// Scale and offset of sub-block n of eight, six bits each in the twelve bytes after word `block`,
// times d and dmin, which that word holds.
fn packed(block: u32, n: u32) -> u32 {
    return (weights[block + 1u + (n >> 2u)] >> (8u * (n & 3u))) & 255u;
}
fn scale_and_offset(block: u32, n: u32) -> vec2<f32> {
    var s = packed(block, n) & 63u;
    var o = packed(block, n + 4u) & 63u;
    if n >= 4u {
        let low = packed(block, n + 4u);
        s = (low & 15u) | ((packed(block, n - 4u) >> 6u) << 4u);
        o = (low >> 4u) | ((packed(block, n) >> 6u) << 4u);
    }
    return halves(weights[block]) * vec2<f32>(f32(s), f32(o));
}
