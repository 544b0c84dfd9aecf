fn act(x: vec4<f32>) -> vec4<f32> {
    // Past -80, exp(-x) would leave f32, and some drivers make a NaN of 1 / infinity.
    return x / (1.0 + exp(-max(x, vec4<f32>(-80.0))));
}
