//! Against SciPy 1.17.1: `stats.pearsonr`, `stats.spearmanr`, `stats.rankdata`, `stats.zscore`, and
//! `tanh(mean(arctanh(r)))`, in float64. Small samples stand in tests/it/statistics.rs.

use super::*;

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
}

#[test]
fn coefficients_and_their_significance_are_scipys() {
    let x: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 101) / 10.0).collect();
    let y: Vec<f64> =
        (0..60).zip(&x).map(|(i, x)| f64::from(i * 53 % 97) / 7.0 + x * 0.3).collect();
    let (line, rank) = (pearson(&x, &y).expect("r"), spearman(&x, &y).expect("r"));
    close(line.r, 0.3328356528363424);
    close(line.p, 0.009364730564618296);
    close(rank.r, 0.19644345651569883);
    // Half a step off |r| moves p in the fourth digit.
    assert!((rank.p - 0.13249498810448893).abs() < 1e-4);
    let falling: Vec<f64> = x[..10].iter().map(|x| -x.powi(3)).collect();
    let perfect = spearman(&x[..10], &falling).expect("r");
    close(perfect.r, -1.0);
    // No order of ten points is rarer than these two.
    assert!((perfect.p - 2.0 / 3_628_800.0).abs() < 1e-15);
}

/// A rank order of three points is perfect in a third of all cases.
#[test]
fn three_points_are_never_significant() {
    for y in [[1.0, 2.0, 3.0], [9.0, 4.0, -1.0]] {
        let found = spearman(&[1.0, 2.0, 3.0], &y).expect("r");
        close(found.p, 1.0 / 3.0);
        assert!(!found.is_significant());
    }
}

#[test]
fn ranks_scores_and_means_are_scipys() {
    assert_eq!(average_ranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [4.0, 1.0, 4.0, 2.0, 4.0]);
    let scores = standardised(&[1.0, 2.0, 4.0, 9.0]).expect("scores");
    let expected = [-0.9733285267845753, -0.6488856845230502, 0.0, 1.6222142113076254];
    for (found, expected) in scores.into_iter().zip(expected) {
        close(found, expected);
    }
    close(fisher_mean(&[(0.9, 50), (-0.2, 50), (0.5, 50)]).expect("a mean"), 0.541492142096303);
}

#[test]
fn constants_and_pairs_alone_have_no_coefficient() {
    assert_eq!(pearson(&[0.1; 5], &[1.0, 2.0, 3.0, 4.0, 5.0]), None);
    assert_eq!(spearman(&[1.0, 2.0, 3.0], &[7.0; 3]), None);
    assert_eq!(pearson(&[1.0, 2.0], &[1.0, 2.0]), None);
    assert_eq!(pearson(&[], &[]), None);
    assert_eq!(standardised(&[0.3; 7]), None);
    assert_eq!(fisher_mean(&[]), None);
}

/// Three models whose ranks agree wholly would have p = 0 by Student's t.
#[test]
fn groups_that_all_say_the_same_are_not_tested() {
    let (x, y) = ([1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 5.0, 9.0]);
    let groups = [[&x[..], &y[..]]; 3];
    let found = over_groups(CorrelationKind::Spearman, &groups).expect("r");
    assert_eq!((found.groups, found.test), (3, None));
}
