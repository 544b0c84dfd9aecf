// [d f16, m f16] [32 fifth bits] [32 nibbles]
fn load(i: u32) -> vec4<f32> {
    let block = (i >> 3u) * 6u;
    let d = halves(weights[block]);
    return d.x * fives(weights[block + 1u], weights[block + 2u + (i & 3u)], i) + d.y;
}
