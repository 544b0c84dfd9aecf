//! Every type of blocks against candle's own reading of random bytes.

use atelier_kernels::sample;
use candle_core::Device;
use candle_core::quantized::{GgmlDType, QStorage, QTensor};

use crate::model::DType;

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

#[test]
fn blocks_mean_what_candle_reads() {
    for dtype in DType::BLOCKS {
        let bytes = sample::blocks(dtype, 24 * dtype.block(), 7, 1.0);
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
