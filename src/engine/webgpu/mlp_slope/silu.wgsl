fn slope(x: vec4<f32>) -> Slope {
    // Past -80, exp(-x) would leave f32, and some drivers make a NaN of 1 / infinity.
    let s = 1.0 / (1.0 + exp(-max(x, vec4<f32>(-80.0))));
    return Slope(x * s, s + x * s * (1.0 - s));
}
