//! The search against all singular vectors, over matrices and starts.

use rand_mt::Mt;

use super::*;
use atelier_kernels::linear::rows::{length, orthonormal};

fn uniform(random: &mut Mt) -> f64 {
    f64::from(random.next_u32()) / f64::from(u32::MAX) - 0.5
}

/// `sum_k s_k u_k v_k^T` with random vectors, as columns.
fn with_values(values: &[f64], width: usize, seed: u32) -> Jacobian {
    let mut random = Mt::new(seed);
    let mut basis = || {
        let block = (0..values.len() * width).map(|_| uniform(&mut random));
        orthonormal(block.collect(), &[], width, 1e-9)
    };
    let (left, right) = (basis(), basis());
    let mut columns = vec![0.0_f32; width * width];
    for (k, &s) in values.iter().enumerate() {
        for column in 0..width {
            for row in 0..width {
                let x = s * left[k * width + row] * right[k * width + column];
                columns[column * width + row] += x as f32;
            }
        }
    }
    Jacobian::of_columns(width, columns).expect("finite")
}

/// As trained blocks have it: a few large ones, then a slow fall.
fn falling(width: usize) -> Vec<f64> {
    (0..width)
        .map(|k| 3.0 * (-(k as f64) / 4.0).exp() + (-(k as f64) / width as f64 * 3.0).exp())
        .collect()
}

fn random(width: usize, seed: u32) -> Jacobian {
    let mut random = Mt::new(seed);
    let numbers = (0..width * width).map(|_| uniform(&mut random) as f32);
    Jacobian::of_columns(width, numbers.collect()).expect("finite")
}

/// The worst difference of a coupling over both metrics, all K and both directions.
fn worst(jacobians: &[Jacobian], found: &[Leading], exact: &[Leading], tops: &[usize]) -> f64 {
    let width = jacobians[0].width();
    let both = |i: usize, j: usize, all: &[Leading], k: usize| {
        let images = jacobians[i].times(&narrow(all[j].right(k)));
        Alignment::of(&all[j], &images, k, width).mis_coupling(k, &all[i].values(k))
    };
    let mut worst: f64 = 0.0;
    for i in 0..jacobians.len() {
        for j in 0..jacobians.len() {
            for &k in tops {
                let (a, b) = (both(i, j, found, k), both(i, j, exact, k));
                for (a, b) in [(a.off_diagonal, b.off_diagonal), (a.singular, b.singular)] {
                    let (a, b) = (a.expect("defined"), b.expect("defined"));
                    worst = worst.max((a - b).abs());
                }
            }
        }
    }
    worst
}

fn narrow(rows: &[f64]) -> Vec<f32> {
    rows.iter().map(|&x| x as f32).collect()
}

fn searches_hold(jacobians: &[Jacobian], tops: &[usize], starts: u32, most: f64) {
    let (width, top) = (jacobians[0].width(), *tops.last().expect("a K"));
    let exact: Vec<Leading> =
        jacobians.iter().map(|j| j.leading(top, 0).expect("all vectors")).collect();
    for probes in [PROBES, PROBES_TOGETHER] {
        for start in 0..starts {
            let found: Vec<Leading> = jacobians
                .iter()
                .enumerate()
                .map(|(n, j)| {
                    let seed = 100 * start + n as u32;
                    let search = Lanczos::new(width, top, probes, TOLERANCE, seed);
                    j.searched(search).expect("a search")
                })
                .collect();
            for (found, exact) in found.iter().zip(&exact) {
                for k in 0..top {
                    let (a, b) = (found.value(k), exact.value(k));
                    let off = (a.expect("a value") - b.expect("a value")).abs();
                    assert!(off < 1e-3 * exact.value(0).expect("a value"), "s_{k}: {a:?} {b:?}");
                }
            }
            let off = worst(jacobians, &found, &exact, tops);
            assert!(off < most, "D {width}, b {probes}, start {start}: {off}");
        }
    }
}

#[test]
fn a_search_finds_what_the_whole_matrix_has() {
    let random: Vec<Jacobian> = (0..3).map(|seed| random(64, seed)).collect();
    searches_hold(&random, &[4, 8, 16], 10, 1e-3);
    let falling: Vec<Jacobian> = (0..3).map(|seed| with_values(&falling(96), 96, seed)).collect();
    searches_hold(&falling, &[4, 8, 16], 10, 1e-3);
}

#[test]
fn a_k_as_large_as_the_width() {
    let small: Vec<Jacobian> = (0..2).map(|seed| random(8, 50 + seed)).collect();
    searches_hold(&small, &[1, 8], 3, 1e-4);
    let one: Vec<Jacobian> = (0..2).map(|seed| random(1, 60 + seed)).collect();
    searches_hold(&one, &[1], 2, 1e-6);
}

#[test]
fn ranks_short_of_the_width() {
    let values: Vec<f64> = (0..10).map(|k| 5.0 - 0.4 * f64::from(k)).collect();
    let jacobian = with_values(&values, 48, 3);
    for probes in [PROBES, PROBES_TOGETHER] {
        for seed in 0..5 {
            let search = Lanczos::new(48, 16, probes, TOLERANCE, seed);
            let found = jacobian.searched(search).expect("a search");
            for (k, &s) in values.iter().enumerate() {
                assert!((found.value(k).expect("a value") - s).abs() < 1e-5);
            }
            assert!(found.value(10).is_none_or(|s| s < 1e-5), "{:?}", found.value(10));
            assert!(found.is_basis(8) && found.is_basis(10));
            assert!(!found.is_basis(11) && !found.is_basis(16));
        }
    }
    let whole = jacobian.leading(16, 0).expect("all vectors");
    assert!(whole.is_basis(10) && !whole.is_basis(11));
}

#[test]
fn a_jacobian_of_zeros() {
    let zeros = Jacobian::of_columns(12, vec![0.0; 144]).expect("finite");
    let search = Lanczos::new(12, 4, PROBES, TOLERANCE, 0);
    for found in
        [zeros.searched(search).expect("a search"), zeros.leading(4, 0).expect("all vectors")]
    {
        assert!(found.is_zero() && !found.is_basis(1));
        assert_eq!(found.gap(4), None);
        assert_eq!(found.values(4), [0.0; 4]);
    }
    assert_eq!(
        zeros
            .spectrum(&zeros.leading(4, 0).expect("all vectors"), &[4])
            .expect("a spectrum")
            .entropy,
        None
    );
}

/// More directions of one singular value than there are probes.
#[test]
fn equal_and_nearly_equal_singular_values() {
    let equal = with_values(&[2.0; 24], 24, 9);
    for seed in 0..5 {
        let search = Lanczos::new(24, 12, PROBES, TOLERANCE, seed);
        let found = equal.searched(search).expect("a search");
        assert!((0..12).all(|k| (found.value(k).expect("a value") - 2.0).abs() < 1e-5));
        assert!(found.gap(12).expect("a gap") < ILL_POSED);
        for row in found.right(12).chunks(24) {
            assert!((length(row) - 1.0).abs() < 1e-9);
        }
    }
    // Two that lie closer than ILL_POSED, and clear gaps around both.
    let mut values = falling(64);
    values[3] = values[2] * (1.0 - 5e-4);
    values[4..].iter_mut().for_each(|s| *s *= 0.5);
    let near = with_values(&values, 64, 4);
    let exact = near.leading(8, 0).expect("all vectors");
    assert!(exact.gap(8).expect("a gap") < ILL_POSED && exact.gap(2).expect("a gap") > 0.05);
    for seed in 0..10 {
        let search = Lanczos::new(64, 8, PROBES, TOLERANCE, seed);
        let found = near.searched(search).expect("a search");
        for k in 0..8 {
            let off = found.value(k).expect("a value") - exact.value(k).expect("a value");
            assert!(off.abs() < 1e-4, "s_{k}: {off}");
        }
        assert!(found.gap(8).expect("a gap") < ILL_POSED);
    }
}

#[test]
fn one_seed_gives_the_same_bits() {
    let jacobian = random(64, 7);
    let found = |seed| {
        let search = Lanczos::new(64, 8, PROBES, TOLERANCE, seed);
        jacobian.searched(search).expect("a search")
    };
    assert_eq!(found(3), found(3));
    assert_ne!(found(3), found(4));
}

/// A search takes fewer products than the whole matrix where the width is large.
#[test]
fn products_spent_at_a_large_width() {
    let width = 320;
    let jacobian = with_values(&falling(width), width, 1);
    let mut search = Lanczos::new(width, 8, PROBES, TOLERANCE, 0);
    let mut spent = 0;
    while let Some(wanted) = search.wanted() {
        spent += wanted.rows.len() / width;
        let found = match wanted.transposed {
            true => jacobian.transposed_times(&wanted.rows),
            false => jacobian.times(&wanted.rows),
        };
        search.answer(&found).expect("finite");
    }
    assert!(spent < 200, "{spent} products at a width of {width}");
    let found = search.into_leading().expect("found");
    let all = jacobian.spectrum(&found, &[8]).expect("all values");
    for k in 0..8 {
        let off = found.value(k).expect("a value") / all.singular_values[k] - 1.0;
        assert!(off.abs() < 1e-3, "s_{k}: {off}");
    }
}

#[test]
fn what_is_not_finite_is_refused() {
    let mut search = Lanczos::new(4, 1, 1, TOLERANCE, 0);
    assert!(search.wanted().is_some());
    assert_eq!(search.answer(&[1.0, f32::NAN, 0.0, 0.0]), Err(NotFinite));
    assert_eq!(Jacobian::of_columns(1, vec![f32::INFINITY]), Err(NotFinite));
}
