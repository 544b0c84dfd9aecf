// Four bytes, the lowest first.
fn bytes(word: u32) -> vec4<u32> {
    return (vec4<u32>(word) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u);
}

// Two f16, the lower first. Small scales are subnormal, which unpack2x16float may take for zeros.
fn halves(word: u32) -> vec2<f32> {
    let bits = vec2<u32>(word, word >> 16u) & vec2<u32>(0xffffu);
    let mantissa = bits & vec2<u32>(0x3ffu);
    let exponent = (bits >> vec2<u32>(10u)) & vec2<u32>(31u);
    let normal = bitcast<vec2<f32>>(((exponent + 112u) << vec2<u32>(23u)) | (mantissa << vec2<u32>(13u)));
    let subnormal = vec2<f32>(mantissa) * 5.9604645e-8;
    let size = select(normal, subnormal, exponent == vec2<u32>(0u));
    return select(size, -size, bits >= vec2<u32>(0x8000u));
}
