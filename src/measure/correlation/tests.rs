//! Against SciPy 1.17.1: `stats.pearsonr`, `stats.spearmanr`, `stats.rankdata`, `stats.zscore`, and
//! `tanh(mean(arctanh(r)))`, in float64.

use super::*;

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
}

fn check(x: &[f64], y: &[f64], expected: [f64; 4]) {
    let found = [pearson(x, y), spearman(x, y)].map(|found| found.expect("a coefficient"));
    for (found, expected) in found.iter().zip(expected.chunks(2)) {
        close(found.r, expected[0]);
        close(found.p, expected[1]);
        assert_eq!(found.n, x.len());
    }
}

#[test]
fn coefficients_and_their_significance_are_scipys() {
    check(
        &[0.12, 0.5, 0.5, 0.9, 1.3, -0.4, 2.2, 0.5],
        &[1.0, 0.7, 1.4, 1.4, 2.5, -0.1, 1.9, 0.2],
        [0.7766074973681936, 0.02340963820414903, 0.834497179245487, 0.009973090993959708],
    );
    let x: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 101) / 10.0).collect();
    let y: Vec<f64> =
        (0..60).zip(&x).map(|(i, x)| f64::from(i * 53 % 97) / 7.0 + x * 0.3).collect();
    check(
        &x,
        &y,
        [0.3328356528363424, 0.009364730564618296, 0.19644345651569883, 0.13249498810448893],
    );
    check(
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0],
        &[-1.0, -2.1, -2.9, -4.2, -5.0, -5.8, -7.3, -8.1, -8.8, -10.4],
        [-0.9979882697432043, 7.148390053226752e-11, -1.0, 0.0],
    );
    check(
        &[1.0, 2.0, 4.0],
        &[1.0, 3.0, 2.0],
        [0.3273268353539885, 0.7877043849903435, 0.5, 0.6666666666666666],
    );
}

#[test]
fn ranks_scores_and_means_are_scipys() {
    assert_eq!(average_ranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [4.0, 1.0, 4.0, 2.0, 4.0]);
    let scores = standardised(&[1.0, 2.0, 4.0, 9.0]).expect("scores");
    let expected = [-0.9733285267845753, -0.6488856845230502, 0.0, 1.6222142113076254];
    for (found, expected) in scores.into_iter().zip(expected) {
        close(found, expected);
    }
    close(fisher_mean(&[0.9, -0.2, 0.5]).expect("a mean"), 0.541492142096303);
}

#[test]
fn constants_and_pairs_alone_have_no_coefficient() {
    assert_eq!(pearson(&[0.1; 5], &[1.0, 2.0, 3.0, 4.0, 5.0]), None);
    assert_eq!(spearman(&[1.0, 2.0, 3.0], &[7.0; 3]), None);
    assert_eq!(pearson(&[1.0, 2.0], &[1.0, 2.0]), None);
    assert_eq!(pearson(&[], &[]), None);
    assert_eq!(standardised(&[0.3; 7]), None);
    assert_eq!(fisher_mean(&[]), None);
    assert!(fisher_mean(&[1.0, 1.0]).is_some_and(|r| r <= 1.0 && r > 0.999));
}
