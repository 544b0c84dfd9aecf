// [d] [32 signed bytes]
fn load(i: u32) -> vec4<f32> {
    let block = (i >> 3u) * 9u;
    let q = vec4<u32>(weights[block + 1u + (i & 7u)]) << vec4<u32>(24u, 16u, 8u, 0u);
    let d = bitcast<f32>(weights[block]);
    return d * vec4<f32>(bitcast<vec4<i32>>(q) >> vec4<u32>(24u));
}
