// [d] [32 nibbles: the first half of the block low, the second high]
fn load(i: u32) -> vec4<f32> {
    let block = (i >> 3u) * 5u;
    let q = bytes((weights[block + 1u + (i & 3u)] >> (i & 4u)) & 0x0f0f0f0fu);
    let d = bitcast<f32>(weights[block]);
    return d * (vec4<f32>(q) - 8.0);
}
