fn slope(x: vec4<f32>) -> Slope {
    let a = min(abs(x), vec4<f32>(12.0)) * 0.70710678;
    let t = 1.0 / (1.0 + 0.3275911 * a);
    let sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    let bell = exp(-a * a);
    let tail = 0.5 * sum * bell;  // Phi(-|x|): small where x is far from 0, and not a difference
    let phi = select(1.0 - tail, tail, x < vec4<f32>(0.0));
    return Slope(x * phi, phi + x * 0.39894228 * bell);
}
