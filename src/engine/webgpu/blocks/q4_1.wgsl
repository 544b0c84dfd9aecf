// [d f16, m f16] [32 nibbles]
fn load(i: u32) -> vec4<f32> {
    let block = (i >> 3u) * 5u;
    let q = bytes((weights[block + 1u + (i & 3u)] >> (i & 4u)) & 0x0f0f0f0fu);
    let d = halves(weights[block]);
    return d.x * vec4<f32>(q) + d.y;
}
