//! Small samples against `tests/golden/statistics`: how they were made stands in docs/definitions.md, section 17.

use atelier::measure::correlation::{
    Correlation, CorrelationKind, InOrder, OverGroups, ahead, fisher_mean, over_groups, pearson,
    pearson_in_order, spearman, spearman_in_order,
};
use atelier::measure::interval::{Mean, Resamples, paired, paired_rows, wilson};
use atelier::measure::largest::{LargestMean, largest_mean, largest_share};
use serde_json::Value;

fn golden(name: &str) -> Value {
    let path = format!("{}/tests/golden/statistics/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a golden");
    serde_json::from_str(&text).expect("JSON")
}

fn cases<'a>(golden: &'a Value, list: &str) -> &'a [Value] {
    let cases = golden[list].as_array().expect("a list");
    assert!(!cases.is_empty());
    cases
}

fn numbers(list: &Value) -> Vec<f64> {
    let list = list.as_array().expect("a list");
    list.iter().map(|number| number.as_f64().expect("a number")).collect()
}

fn size(number: &Value) -> usize {
    usize::try_from(number.as_u64().expect("a size")).expect("a size")
}

/// `null` is no number.
#[track_caller]
fn close(found: f64, expected: &Value) {
    match expected.as_f64() {
        Some(expected) => {
            let most = 1e-9 * expected.abs().max(1.0);
            assert!((found - expected).abs() <= most, "{found}, expected {expected}");
        }
        None => assert!(expected.is_null() && !found.is_finite(), "{found}, expected {expected}"),
    }
}

#[track_caller]
fn close_mean(found: Mean, expected: &Value) {
    if expected.is_null() {
        assert!(!found.has_interval(), "{found:?}");
        return;
    }
    close(found.mean, &expected["mean"]);
    close(found.low, &expected["low"]);
    close(found.high, &expected["high"]);
}

#[track_caller]
fn close_correlation(found: Option<Correlation>, expected: &Value) {
    let Some(found) = found else {
        assert!(expected.is_null(), "none, expected {expected}");
        return;
    };
    close(found.r, &expected["r"]);
    close(found.p, &expected["p"]);
    assert_eq!(found.n, size(&expected["n"]));
}

#[test]
fn p_of_few_points_counts_all_their_orders() {
    let golden = golden("correlation");
    for case in cases(&golden, "cases") {
        let (x, y) = (numbers(&case["x"]), numbers(&case["y"]));
        close_correlation(pearson(&x, &y), &case["pearson"]);
        close_correlation(spearman(&x, &y), &case["spearman"]);
    }
}

#[test]
fn one_perfect_coefficient_does_not_decide_a_mean() {
    let golden = golden("fisher");
    for case in cases(&golden, "cases") {
        let points = numbers(&case["n"]).into_iter().map(|n| n as usize);
        let coefficients: Vec<(f64, usize)> = numbers(&case["r"]).into_iter().zip(points).collect();
        close(fisher_mean(&coefficients).unwrap_or(f64::NAN), &case["mean"]);
    }
}

#[test]
fn shares_have_wilsons_interval() {
    let golden = golden("wilson");
    for case in cases(&golden, "cases") {
        let share = case["share"].as_f64().expect("a share");
        close_mean(wilson(share, size(&case["n"])), &case["expected"]);
    }
}

#[test]
fn differences_of_shares_are_never_certain() {
    let golden = golden("paired");
    for case in cases(&golden, "cases") {
        let [first, second] = ["b", "c"].map(|side| case[side].as_f64().expect("rows"));
        close_mean(paired(first, second, size(&case["n"])), &case["expected"]);
    }
    for case in cases(&golden, "rows") {
        close_mean(paired_rows(&numbers(&case["differences"])), &case["expected"]);
    }
    for case in cases(&golden, "independent") {
        let of = |right: &str, rows: &str| {
            let (right, rows) = (size(&case[right]), size(&case[rows]));
            wilson(right as f64 / rows.max(1) as f64, rows)
        };
        close_mean(of("k1", "n1").less(of("k2", "n2")), &case["expected"]);
    }
}

#[test]
fn means_of_few_rows_have_wide_intervals() {
    let golden = golden("mean");
    for case in cases(&golden, "cases") {
        let values = numbers(&case["values"]);
        let seed = case["seed"].as_u64().expect("a seed");
        let resamples = Resamples::new(values.len(), size(&case["resamples"]), seed);
        close_mean(resamples.mean(&values), &case["expected"]);
    }
}

#[test]
fn the_largest_is_called_where_its_lead_is_sure() {
    let golden = golden("largest");
    for case in cases(&golden, "cases") {
        let rows: Vec<Vec<f64>> =
            case["rows"].as_array().expect("rows").iter().map(numbers).collect();
        let parts: Vec<Vec<f64>> =
            (0..rows[0].len()).map(|part| rows.iter().map(|row| row[part]).collect()).collect();
        let seed = case["seed"].as_u64().expect("a seed");
        let resamples = Resamples::new(rows.len(), size(&case["resamples"]), seed);
        let found = match case["shares"] == true {
            true => largest_share(&parts),
            false => largest_mean(&parts, &resamples),
        };
        check_largest(found, &case["expected"]);
    }
}

#[track_caller]
fn check_largest(found: Option<LargestMean>, expected: &Value) {
    let Some(found) = found else {
        assert!(expected.is_null(), "none, expected {expected}");
        return;
    };
    assert_eq!(found.part, size(&expected["largest"]));
    assert_eq!(found.is_called(), expected["called"] == true);
    let beside: Vec<usize> =
        expected["beside"].as_array().expect("a list").iter().map(size).collect();
    assert_eq!(found.beside, beside);
    let leads = expected["lead"].as_array().expect("a list");
    for (found, expected) in found.lead.iter().zip(leads) {
        match found {
            Some(found) => close_mean(*found, expected),
            None => assert!(expected.is_null()),
        }
    }
}

#[test]
fn points_in_an_order_count_for_fewer() {
    let golden = golden("dependent");
    for case in cases(&golden, "in_order") {
        let (x, y) = (numbers(&case["x"]), numbers(&case["y"]));
        close_correlation(pearson(&x, &y), &case["pearson"]);
        check_in_order(pearson_in_order(&x, &y), &case["pearson"]);
        check_in_order(spearman_in_order(&x, &y), &case["spearman"]);
    }
}

#[track_caller]
fn check_in_order(found: Option<InOrder>, expected: &Value) {
    match found {
        Some(found) => {
            close(found.effective, &expected["effective"]);
            close(found.p, &expected["p_in_order"]);
        }
        None => assert!(expected.is_null() || expected["effective"].is_null(), "{expected}"),
    }
}

#[test]
fn points_of_groups_are_tested_by_their_groups() {
    let golden = golden("dependent");
    for case in cases(&golden, "over_groups") {
        let groups: Vec<[Vec<f64>; 2]> = case["groups"]
            .as_array()
            .expect("groups")
            .iter()
            .map(|group| [numbers(&group["x"]), numbers(&group["y"])])
            .collect();
        let groups: Vec<[&[f64]; 2]> = groups.iter().map(|[x, y]| [&x[..], &y[..]]).collect();
        let found = |kind| over_groups(kind, &groups).expect("a coefficient");
        check_groups(found(CorrelationKind::Pearson), &case["pearson"]);
        check_groups(found(CorrelationKind::Spearman), &case["spearman"]);
    }
}

#[track_caller]
fn check_groups(found: OverGroups, expected: &Value) {
    close(found.r, &expected["r"]);
    assert_eq!(found.points, size(&expected["points"]));
    assert_eq!(found.groups, size(&expected["groups"]));
    match found.test {
        Some(test) => {
            close(test.p, &expected["p"]);
            close(test.low, &expected["low"]);
            close(test.high, &expected["high"]);
        }
        None => assert!(expected["p"].is_null(), "{expected}"),
    }
}

#[test]
fn one_correlation_beside_another() {
    let golden = golden("beside");
    for case in cases(&golden, "cases") {
        let [y, first, second] = ["y", "x1", "x2"].map(|side| numbers(&case[side]));
        match ahead(&y, &first, &second) {
            Some(found) => {
                let expected = &case["ahead"];
                close(found.mean, &expected["difference"]);
                close(found.low, &expected["low"]);
                close(found.high, &expected["high"]);
            }
            None => assert!(case["ahead"].is_null()),
        }
    }
}
