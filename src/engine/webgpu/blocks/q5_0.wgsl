// [d] [32 fifth bits] [32 nibbles]
fn load(i: u32) -> vec4<f32> {
    let block = (i >> 3u) * 6u;
    let d = bitcast<f32>(weights[block]);
    return d * (fives(weights[block + 1u], weights[block + 2u + (i & 3u)], i) - 16.0);
}
