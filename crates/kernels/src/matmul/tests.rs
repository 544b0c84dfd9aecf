use std::borrow::Cow;

use half::{bf16, f16};

use super::{Isa, MatrixBuilder, NarrowPanels, PackedMatrix, multiply};
use crate::testing::random;
use crate::{DType, Tensor, sample};

/// The slow plain twin, in f64.
fn plain(x: &[f32], weights: &[f32], ins: usize) -> Vec<f64> {
    let dot = |x: &[f32], w: &[f32]| {
        let products = x.iter().zip(w).map(|(&x, &w)| f64::from(x) * f64::from(w));
        products.sum()
    };
    x.chunks_exact(ins).flat_map(|x| weights.chunks_exact(ins).map(move |w| dot(x, w))).collect()
}

/// Numbers as a file of `dtype` has them.
fn stored(dtype: DType, numbers: &[f32], columns: usize) -> Tensor<'static> {
    let bytes: Vec<u8> = match dtype {
        DType::F32 => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
        DType::F16 => numbers.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes()).collect(),
        DType::Bf16 => numbers.iter().flat_map(|&x| bf16::from_f32(x).to_le_bytes()).collect(),
        blocks => panic!("nothing is made {} here", blocks.name()),
    };
    Tensor { dtype, rows: numbers.len() / columns, columns, bytes: Cow::Owned(bytes) }
}

fn packed(isa: Isa, weights: &Tensor) -> PackedMatrix {
    let mut builder = MatrixBuilder::for_isa(isa, weights.rows, weights.columns);
    builder.fill(0, weights);
    builder.finish().expect("all rows")
}

/// Odd numbers of rows, inputs and outputs, one of each, and more inputs than one pass takes.
const SHAPES: [(usize, usize, usize); 9] = [
    (1, 1, 1),
    (1, 64, 320),
    (2, 7, 65),
    (5, 576, 63),
    (7, 33, 129),
    (13, 176, 64),
    (30, 48, 17),
    (3, 4099, 70),
    (25, 2563, 66),
];

#[test]
fn every_instruction_set_and_dtype_equals_the_plain_product() {
    for isa in Isa::available() {
        for dtype in DType::PLAIN {
            for (rows, ins, outs) in SHAPES {
                let x = random(rows * ins, 0.5, 1);
                let weights = stored(dtype, &random(outs * ins, 0.5, 2), ins);
                let bias = random(outs, 0.5, 3);
                let expected = plain(&x, &weights.to_f32(), ins);
                let matrix = packed(isa, &weights);
                for bias in [&[][..], &bias] {
                    let mut y = vec![f32::NAN; rows * outs];
                    matrix.multiply(&x, bias, &mut y);
                    for (i, (y, expected)) in y.iter().zip(&expected).enumerate() {
                        let expected = expected + bias.get(i % outs).map_or(0.0, |&b| b.into());
                        let off = (f64::from(*y) - expected).abs();
                        let shape = (isa.name(), dtype, rows, ins, outs);
                        assert!(off < 1e-5 * (ins as f64).sqrt(), "{shape:?}: {y}, {expected}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_finite_half_is_widened_exactly() {
    let finite = |bits: u16| f16::from_bits(bits).is_finite() && bf16::from_bits(bits).is_finite();
    let bits: Vec<u16> = (0..=u16::MAX).filter(|&bits| finite(bits)).collect();
    let bytes: Vec<u8> = bits.iter().flat_map(|bits| bits.to_le_bytes()).collect();
    for isa in Isa::available() {
        for dtype in [DType::F16, DType::Bf16] {
            let weights =
                Tensor { dtype, rows: bits.len(), columns: 1, bytes: Cow::Borrowed(&bytes) };
            let mut y = vec![f32::NAN; bits.len()];
            packed(isa, &weights).multiply(&[1.0], &[], &mut y);
            assert_eq!(y, weights.to_f32(), "{} {dtype:?}", isa.name());
        }
    }
}

#[test]
fn a_row_has_the_same_bits_alone_among_others_and_over_threads() {
    for dtype in DType::PLAIN {
        for (rows, ins, outs) in SHAPES {
            let x = random(rows * ins, 0.5, 3);
            let weights = stored(dtype, &random(outs * ins, 0.5, 4), ins);
            let matrix = packed(Isa::best(), &weights);
            let empty = || vec![f32::NAN; rows * outs];
            let (mut together, mut shared, mut on_the_way) = (empty(), empty(), empty());
            matrix.multiply(&x, &[], &mut together);
            matrix.multiply_shared(&x, &[], &mut shared);
            multiply(&x, &weights, &[], &mut on_the_way, outs, 0);
            let mut alone = empty();
            for (x, y) in x.chunks_exact(ins).zip(alone.chunks_exact_mut(outs)) {
                matrix.multiply(x, &[], y);
            }
            assert!(alone.iter().all(|y| y.is_finite()));
            assert_eq!(together, alone);
            assert_eq!(shared, alone);
            assert_eq!(on_the_way, alone);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn sets_that_fuse_agree_to_the_bit() {
    let (rows, ins, outs) = (9, 129, 100);
    let x = random(rows * ins, 0.5, 5);
    for dtype in DType::PLAIN {
        let weights = stored(dtype, &random(outs * ins, 0.5, 6), ins);
        let fusing = Isa::available().into_iter().filter(|isa| isa.name() != "portable");
        let products: Vec<Vec<f32>> = fusing
            .map(|isa| {
                let mut y = vec![0.0; rows * outs];
                packed(isa, &weights).multiply(&x, &[], &mut y);
                y
            })
            .collect();
        assert!(products.windows(2).all(|pair| pair[0] == pair[1]));
    }
}

#[test]
fn rows_come_in_slices_and_all_must_come() {
    let (ins, outs) = (19, 200);
    let weights = random(outs * ins, 0.5, 7);
    for dtype in DType::PLAIN {
        let slice = |from: usize, to: usize| stored(dtype, &weights[from * ins..to * ins], ins);
        let mut builder = MatrixBuilder::new(outs, ins);
        builder.fill(128, &slice(128, 200));
        builder.fill(0, &slice(0, 64));
        assert!(builder.finish().is_none());
        let mut builder = MatrixBuilder::new(outs, ins);
        builder.fill(64, &slice(64, 200));
        builder.fill(0, &slice(0, 64));
        let matrix = builder.finish().expect("all rows");
        let x = random(3 * ins, 0.5, 8);
        let (mut y, mut whole) = (vec![0.0; 3 * outs], vec![0.0; 3 * outs]);
        matrix.multiply(&x, &[], &mut y);
        packed(Isa::best(), &slice(0, outs)).multiply(&x, &[], &mut whole);
        assert_eq!(y, whole);
    }
}

/// Rows in blocks, and beside them rows of another type: the products of the numbers they stand for.
#[test]
fn blocks_are_multiplied_as_the_numbers_they_stand_for() {
    let (ins, outs, rows) = (512, 130, 7);
    let x = random(rows * ins, 0.5, 13);
    let others = random((outs - 64) * ins, 0.5, 14);
    for dtype in DType::BLOCKS {
        let blocks = Tensor {
            dtype,
            rows: 64,
            columns: ins,
            bytes: Cow::Owned(sample::blocks(dtype, 64 * ins, 15, 1.0)),
        };
        let rest = stored(DType::Bf16, &others, ins);
        let weights = [blocks.to_f32(), rest.to_f32()].concat();
        let expected = plain(&x, &weights, ins);
        let scale = expected.iter().fold(0f64, |most, y| most.max(y.abs()));
        for isa in Isa::available() {
            let mut builder = MatrixBuilder::for_isa(isa, outs, ins);
            builder.fill(64, &rest);
            builder.fill(0, &blocks);
            let matrix = builder.finish().expect("all rows");
            let mut y = vec![0.0; rows * outs];
            matrix.multiply(&x, &[], &mut y);
            for (y, expected) in y.iter().zip(&expected) {
                let name = isa.name();
                let near = (f64::from(*y) - expected).abs() < 1e-5 * scale;
                assert!(near, "{} {name}", dtype.name());
            }
        }
        let mut y = vec![0.0; rows * 64];
        multiply(&x, &blocks, &[], &mut y, 64, 0);
        for (y, expected) in y.chunks(64).zip(expected.chunks(outs)) {
            for (y, expected) in y.iter().zip(expected) {
                let near = (f64::from(*y) - expected).abs() < 1e-5 * scale;
                assert!(near, "{}", dtype.name());
            }
        }
    }
}

#[test]
fn a_product_may_be_some_columns_of_a_wider_one() {
    let (ins, outs, wide) = (21, 70, 100);
    let x = random(4 * ins, 0.5, 9);
    let weights = stored(DType::Bf16, &random(outs * ins, 0.5, 10), ins);
    let bias = random(outs, 0.5, 11);
    let (mut y, mut alone) = (vec![-1.0; 4 * wide], vec![0.0; 4 * outs]);
    multiply(&x, &weights, &bias, &mut y, wide, 25);
    multiply(&x, &weights, &bias, &mut alone, outs, 0);
    for (y, alone) in y.chunks(wide).zip(alone.chunks(outs)) {
        assert_eq!(y[25..25 + outs], *alone);
        assert!(y[..25].iter().chain(&y[25 + outs..]).all(|&y| y == -1.0));
    }
}

#[test]
fn no_rows_are_a_product_too() {
    let weights = stored(DType::F32, &random(6, 0.5, 12), 3);
    packed(Isa::best(), &weights).multiply(&[], &[], &mut []);
    packed(Isa::best(), &weights).multiply_shared(&[], &[], &mut []);
    multiply(&[], &weights, &[], &mut [], 2, 0);
}

#[test]
fn panels_from_rows_and_from_columns_are_one_matrix() {
    let (rows, ins, outs) = (5, 21, 37);
    let (x, matrix) = (random(rows * ins, 0.5, 8), random(outs * ins, 0.5, 9));
    let columns: Vec<Vec<f32>> =
        (0..ins).map(|i| matrix[i..].iter().step_by(ins).copied().collect()).collect();
    let from_columns = NarrowPanels::from_columns(outs, ins, columns.iter().map(Vec::as_slice));
    for panels in [NarrowPanels::from_rows(&matrix, ins), from_columns] {
        let mut y = vec![f32::NAN; rows * panels.padded()];
        panels.multiply(&x, ins, 0..ins, 0..panels.padded(), &mut y);
        let plain = plain(&x, &matrix, ins);
        for (y, plain) in y.chunks(panels.padded()).zip(plain.chunks(outs)) {
            assert!(y[outs..].iter().all(|&beside| beside == 0.0));
            for (y, plain) in y.iter().zip(plain) {
                assert!((f64::from(*y) - plain).abs() < 1e-5);
            }
        }
        // Some inputs and some columns: the rest of `y` stays.
        let columns = panels.whole(17..18);
        let mut part = vec![-1.0; rows * panels.padded()];
        panels.multiply(&x, ins, 3..9, columns.clone(), &mut part);
        for (row, y) in part.chunks(panels.padded()).enumerate() {
            for (column, &y) in y.iter().enumerate() {
                if !columns.contains(&column) {
                    assert_eq!(y, -1.0);
                } else if column < outs {
                    let at = |i: usize| x[row * ins + i] * matrix[column * ins + i];
                    assert!((y - (3..9).map(at).sum::<f32>()).abs() < 1e-5);
                }
            }
        }
    }
}

#[test]
fn the_three_products_of_training_equal_their_twins() {
    use super::training::{TurnedWeights, forward, input_gradient, weight_gradient};
    let transposed = |m: &[f32], columns: usize| -> Vec<f32> {
        let column = |c: usize| m[c..].iter().step_by(columns).copied();
        (0..columns).flat_map(column).collect()
    };
    let shapes = [(1, 1, 1), (7, 3, 2), (300, 64, 100), (33, 176, 64), (520, 65, 81)];
    for (n, ins, outs) in shapes {
        let (x, w, dy) =
            (random(n * ins, 0.5, 1), random(outs * ins, 0.5, 2), random(n * outs, 0.5, 3));
        let same = |ours: &[f32], before: f64, expected: &[f64]| {
            assert_eq!(ours.len(), expected.len());
            for (ours, expected) in ours.iter().zip(expected) {
                let off = (f64::from(*ours) - before - expected).abs();
                assert!(off < 5e-5, "{n} {ins} {outs}: {ours}, {expected}");
            }
        };
        for add in [false, true] {
            let mut y = vec![if add { 2.0 } else { f32::NAN }; n * outs];
            let mut turned = TurnedWeights::new(outs, ins);
            turned.fill(&w);
            forward(&mut y, &x, &turned, n, add);
            same(&y, if add { 2.0 } else { 0.0 }, &plain(&x, &w, ins));
        }
        let mut dx = vec![f32::NAN; n * ins];
        input_gradient(&mut dx, &dy, &w, n, ins);
        same(&dx, 0.0, &plain(&dy, &transposed(&w, ins), outs));
        let mut dw = vec![-3.0; outs * ins];
        weight_gradient(&mut dw, &dy, &x, n, ins);
        let (dy, x) = (transposed(&dy, outs), transposed(&x, ins));
        same(&dw, -3.0, &plain(&dy, &x, n));
    }
}

/// Memory between pages that must not be touched: reading or writing past either end is a crash.
#[cfg(unix)]
mod guarded {
    use super::*;

    struct Guarded {
        pages: *mut u8,
        size: usize,
        bytes: usize,
    }

    impl Guarded {
        const PAGE: usize = 1 << 14; // whole pages, on every processor there is

        fn new(bytes: usize) -> Self {
            let inner = bytes.next_multiple_of(Self::PAGE);
            let size = inner + 2 * Self::PAGE;
            // SAFETY: a fresh private mapping, of which the inner part is made accessible.
            let pages = unsafe {
                let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
                let pages = libc::mmap(std::ptr::null_mut(), size, libc::PROT_NONE, flags, -1, 0);
                assert_ne!(pages, libc::MAP_FAILED);
                let inside = pages.cast::<u8>().add(Self::PAGE);
                let both = libc::PROT_READ | libc::PROT_WRITE;
                assert_eq!(libc::mprotect(inside.cast(), inner, both), 0);
                pages.cast()
            };
            Self { pages, size, bytes }
        }

        /// The bytes that end where the guard begins, or that begin where it ends.
        fn bytes(&mut self, at_end: bool) -> &mut [u8] {
            let inner = self.size - 2 * Self::PAGE;
            let from = if at_end { inner - self.bytes } else { 0 };
            // SAFETY: inside the accessible part, and zero from the start.
            unsafe {
                let from = self.pages.add(Self::PAGE + from);
                std::slice::from_raw_parts_mut(from, self.bytes)
            }
        }

        fn floats(&mut self, at_end: bool) -> &mut [f32] {
            let bytes = self.bytes(at_end);
            // SAFETY: pages, and whole numbers before their end, are aligned for f32.
            unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / 4) }
        }
    }

    impl Drop for Guarded {
        fn drop(&mut self) {
            // SAFETY: as it was mapped.
            unsafe { libc::munmap(self.pages.cast(), self.size) };
        }
    }

    /// `numbers` between guards.
    fn guarded(numbers: &[f32]) -> Guarded {
        let mut guarded = Guarded::new(size_of_val(numbers));
        for at_end in [false, true] {
            guarded.floats(at_end).copy_from_slice(numbers);
        }
        guarded
    }

    #[test]
    fn products_touch_nothing_beside_their_slices() {
        for (rows, ins, outs) in SHAPES {
            let (x, y) = (random(rows * ins, 0.5, 1), vec![0.0; rows * outs]);
            for dtype in DType::PLAIN {
                let weights = stored(dtype, &random(outs * ins, 0.5, 2), ins);
                let mut bytes = Guarded::new(weights.bytes.len());
                for at_end in [false, true] {
                    let (mut x, mut y) = (guarded(&x), guarded(&y));
                    let (x, y) = (x.floats(at_end), y.floats(at_end));
                    bytes.bytes(at_end).copy_from_slice(&weights.bytes);
                    let weights = Tensor { bytes: Cow::Borrowed(bytes.bytes(at_end)), ..weights };
                    for isa in Isa::available() {
                        let matrix = packed(isa, &weights);
                        matrix.multiply(x, &[], y);
                        matrix.multiply_shared(x, &[], y);
                    }
                    multiply(x, &weights, &[], y, outs, 0);
                }
            }
        }
    }

    #[test]
    fn training_touches_nothing_beside_its_slices() {
        use super::super::training::{TurnedWeights, forward, input_gradient, weight_gradient};
        for (n, ins, outs) in [(7, 3, 2), (300, 64, 100), (33, 176, 65)] {
            let mut x = guarded(&random(n * ins, 0.5, 1));
            let mut w = guarded(&random(outs * ins, 0.5, 2));
            let mut y = guarded(&random(n * outs, 0.5, 3));
            for at_end in [false, true] {
                let (x, w, y) = (x.floats(at_end), w.floats(at_end), y.floats(at_end));
                let mut turned = TurnedWeights::new(outs, ins);
                turned.fill(w);
                forward(y, x, &turned, n, true);
                input_gradient(x, y, w, n, ins);
                weight_gradient(w, y, x, n, ins);
            }
        }
    }

    #[test]
    fn attentions_panels_touch_nothing_beside_their_slices() {
        let (rows, ins, outs) = (5, 21, 37);
        let mut matrix = guarded(&random(outs * ins, 0.5, 1));
        for at_end in [false, true] {
            let panels = NarrowPanels::from_rows(matrix.floats(at_end), ins);
            let mut x = guarded(&random(rows * ins, 0.5, 2));
            let mut y = guarded(&vec![0.0; rows * panels.padded()]);
            let (x, y) = (x.floats(at_end), y.floats(at_end));
            panels.multiply(x, ins, 0..ins, 0..panels.padded(), y);
            panels.multiply(x, ins, 5..ins, panels.whole(33..34), y);
        }
    }
}
