//! `exp` that a compiler can vectorise: the library's is a call an element.

/// e^x within 2 ulp for x in [-87, 88], clamped outside (so never 0 and never infinite); NaN of NaN.
///
/// Cephes' `expf`: x = n ln 2 + r, a polynomial in r, and n added to the exponent bits.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // 1.5 * 2^23: adding and taking it away rounds to an integer without a rounding instruction.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * 0.693_359_4) + n * 2.121_944_4e-4;
    let mut p = 1.987_569_1e-4;
    for c in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_5e-2, 1.666_666_5e-1, 5e-1] {
        p = p * r + c;
    }
    let p = p * r * r + r + 1.0;
    // n is a whole number in [-126, 127], and the last bits of `shifted`: a cast from f32 to i32 would
    // do too, but saturates, which no register full of numbers can.
    p * f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23))
}

#[cfg(test)]
mod tests {
    #[test]
    fn equals_the_library_to_rounding() {
        for i in -86_000..=88_000 {
            let x = i as f32 / 1000.0;
            let (ours, library) = (super::exp(x), f64::from(x).exp());
            assert!(
                (f64::from(ours) / library - 1.0).abs() < 3e-7,
                "exp({x}) = {ours}, not {library}"
            );
        }
    }

    #[test]
    fn what_is_no_number_stays_none() {
        assert!(super::exp(f32::NAN).is_nan());
        assert!(super::exp(f32::INFINITY).is_finite() && super::exp(f32::NEG_INFINITY) > 0.0);
    }
}
