use super::{Isa, Packed, Panels, multiply};

/// The slow plain twin, in f64.
fn plain(x: &[f32], weights: &[f32], ins: usize) -> Vec<f64> {
    let dot = |x: &[f32], w: &[f32]| {
        let products = x.iter().zip(w).map(|(&x, &w)| f64::from(x) * f64::from(w));
        products.sum()
    };
    x.chunks_exact(ins)
        .flat_map(|x| weights.chunks_exact(ins).map(move |w| dot(x, w)))
        .collect()
}

fn random(count: usize, seed: u32) -> Vec<f32> {
    let mut noise = rand_mt::Mt::new(seed);
    (0..count)
        .map(|_| noise.next_u32() as f32 / u32::MAX as f32 - 0.5)
        .collect()
}

/// Odd numbers of rows, inputs and outputs, one of each, and more inputs than one pass takes.
const SHAPES: [(usize, usize, usize); 8] = [
    (1, 1, 1),
    (1, 64, 320),
    (2, 7, 65),
    (5, 576, 63),
    (7, 33, 129),
    (13, 176, 64),
    (30, 48, 17),
    (3, 4099, 70),
];

#[test]
fn every_instruction_set_here_equals_the_plain_product() {
    for isa in Isa::available() {
        for (rows, ins, outs) in SHAPES {
            let (x, weights) = (random(rows * ins, 1), random(outs * ins, 2));
            let mut y = vec![f32::NAN; rows * outs];
            Packed::for_isa(isa, &weights, ins).multiply(&x, &mut y);
            for (y, plain) in y.iter().zip(plain(&x, &weights, ins)) {
                let off = (f64::from(*y) - plain).abs();
                let shape = (isa.name(), rows, ins, outs);
                assert!(off < 1e-5 * (ins as f64).sqrt(), "{shape:?}: {y}, {plain}");
            }
        }
    }
}

#[test]
fn a_row_has_the_same_bits_alone_among_others_and_over_threads() {
    for (rows, ins, outs) in SHAPES {
        let (x, weights) = (random(rows * ins, 3), random(outs * ins, 4));
        let packed = Packed::new(&weights, ins);
        let empty = || vec![f32::NAN; rows * outs];
        let (mut together, mut shared, mut on_the_way) = (empty(), empty(), empty());
        packed.multiply(&x, &mut together);
        packed.multiply_shared(&x, &mut shared);
        multiply(&x, &weights, ins, &mut on_the_way);
        let mut alone = empty();
        for (x, y) in x.chunks_exact(ins).zip(alone.chunks_exact_mut(outs)) {
            packed.multiply(x, y);
        }
        assert!(alone.iter().all(|y| y.is_finite()));
        assert_eq!(together, alone);
        assert_eq!(shared, alone);
        assert_eq!(on_the_way, alone);
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn sets_that_fuse_agree_to_the_bit() {
    let fusing: Vec<Isa> = Isa::available()
        .into_iter()
        .filter(|isa| isa.name() != "portable")
        .collect();
    let (rows, ins, outs) = (9, 129, 100);
    let (x, weights) = (random(rows * ins, 5), random(outs * ins, 6));
    let products: Vec<Vec<f32>> = fusing
        .iter()
        .map(|&isa| {
            let mut y = vec![0.0; rows * outs];
            Packed::for_isa(isa, &weights, ins).multiply(&x, &mut y);
            y
        })
        .collect();
    assert!(products.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn no_rows_are_a_product_too() {
    Packed::new(&random(6, 7), 3).multiply(&[], &mut []);
    Packed::new(&random(6, 7), 3).multiply_shared(&[], &mut []);
    multiply(&[], &random(6, 7), 3, &mut []);
}

#[test]
fn panels_from_rows_and_from_columns_are_one_matrix() {
    let (rows, ins, outs) = (5, 21, 37);
    let (x, matrix) = (random(rows * ins, 8), random(outs * ins, 9));
    let columns: Vec<Vec<f32>> = (0..ins)
        .map(|i| matrix[i..].iter().step_by(ins).copied().collect())
        .collect();
    let from_columns = Panels::from_columns(outs, ins, columns.iter().map(Vec::as_slice));
    for panels in [Panels::from_rows(&matrix, ins), from_columns] {
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
