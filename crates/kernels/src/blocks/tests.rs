use super::*;
use crate::sample;

#[test]
fn a_scale_that_is_no_number_is_found_in_its_block() {
    for dtype in DType::BLOCKS {
        let mut bytes = sample::blocks(dtype, 5 * dtype.block(), 3, 1.0);
        assert_eq!(first_not_finite(dtype, &bytes), None, "{}", dtype.name());
        let at = 3 * dtype.block_bytes() + if dtype == DType::Q6K { 208 } else { 0 };
        bytes[at..at + 2].copy_from_slice(&f16::NAN.to_le_bytes());
        assert_eq!(first_not_finite(dtype, &bytes), Some(3), "{}", dtype.name());
    }
}
