//! Every type of blocks against candle's own reading of random bytes.

use candle_core::Device;
use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use rand_mt::Mt64;

use super::*;

fn theirs(dtype: DType) -> GgmlDType {
    match dtype {
        DType::Q8_0 => GgmlDType::Q8_0,
        DType::Q4_0 => GgmlDType::Q4_0,
        DType::Q4_1 => GgmlDType::Q4_1,
        DType::Q5_0 => GgmlDType::Q5_0,
        DType::Q5_1 => GgmlDType::Q5_1,
        DType::Q4K => GgmlDType::Q4K,
        DType::Q5K => GgmlDType::Q5K,
        DType::Q6K => GgmlDType::Q6K,
        plain => panic!("{} has no blocks", plain.name()),
    }
}

/// Random blocks; their scales finite.
pub fn random(dtype: DType, blocks: usize, seed: u64) -> Vec<u8> {
    let mut random = Mt64::new(seed);
    let mut bytes = vec![0u8; blocks * dtype.block_bytes()];
    random.fill_bytes(&mut bytes);
    for block in bytes.chunks_exact_mut(dtype.block_bytes()) {
        let scales: &[usize] = match dtype {
            DType::Q6K => &[208],
            DType::Q8_0 | DType::Q4_0 | DType::Q5_0 => &[0],
            _ => &[0, 2],
        };
        for &at in scales {
            let scale = f16::from_f32(f32::from(block[at].cast_signed()) / 100.0);
            block[at..at + 2].copy_from_slice(&scale.to_le_bytes());
        }
    }
    bytes
}

#[test]
fn blocks_mean_what_candle_reads() {
    for dtype in DType::BLOCKS {
        let bytes = random(dtype, 24, 7);
        let count = 24 * dtype.block();
        let mut ours = Vec::new();
        dtype.widen(&bytes, &mut ours);
        let storage = QStorage::from_data((&bytes).into(), &Device::Cpu, theirs(dtype));
        let tensor = storage.and_then(|storage| QTensor::new(storage, (24, dtype.block())));
        let tensor = tensor.and_then(|tensor| tensor.dequantize(&Device::Cpu));
        let theirs = tensor.and_then(|tensor| tensor.flatten_all()?.to_vec1::<f32>());
        let theirs = theirs.expect("candle reads these");
        assert_eq!(ours.len(), count);
        for (at, (a, b)) in ours.iter().zip(&theirs).enumerate() {
            let near = (a - b).abs() <= 1e-6 * b.abs().max(1.0);
            assert!(near, "{} number {at}: {a}, {b}", dtype.name());
        }
    }
}

#[test]
fn a_scale_that_is_no_number_is_found_in_its_block() {
    for dtype in DType::BLOCKS {
        let mut bytes = random(dtype, 5, 3);
        assert_eq!(first_not_finite(dtype, &bytes), None, "{}", dtype.name());
        let at = 3 * dtype.block_bytes() + if dtype == DType::Q6K { 208 } else { 0 };
        bytes[at..at + 2].copy_from_slice(&f16::NAN.to_le_bytes());
        assert_eq!(first_not_finite(dtype, &bytes), Some(3), "{}", dtype.name());
    }
}
