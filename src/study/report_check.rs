//! A report's file as text, read with every length checked, since people edit files.

use std::collections::HashSet;

use serde_json::Value;

use super::orders::{OrderRows, Orders};
use super::report::{Averages, Lab, Lens, Prompts, Report, VERSION};
use super::survey::ReportError;

impl Report {
    /// Reads what a lens, the lab or a sweep wrote.
    ///
    /// # Errors
    /// No report, a newer version's, one with nothing in it, or parts that do not fit.
    pub fn read(text: &str) -> Result<Self, ReportError> {
        let json = |error: serde_json::Error| ReportError::Json {
            reason: error.to_string(),
        };
        let value: Value = serde_json::from_str(text).map_err(json)?;
        match value["atelier"].as_u64() {
            Some(found) if found > u64::from(VERSION) => return Err(ReportError::Newer { found }),
            Some(_) => {}
            None => {
                return Err(ReportError::Json {
                    reason: "it does not say which version it is of".into(),
                });
            }
        }
        let report: Self = serde_json::from_value(value).map_err(json)?;
        report.check()?;
        Ok(report)
    }

    fn check(&self) -> Result<(), ReportError> {
        let parts = [
            self.lens
                .as_ref()
                .map(|lens| ("its lens", wrong_lens(lens))),
            self.prompts
                .as_ref()
                .map(|p| ("its prompts", wrong_prompts(p))),
            self.lab.as_ref().map(|lab| ("its lab", wrong_lab(lab))),
        ];
        for (place, wrong) in parts.into_iter().flatten() {
            if let Some(reason) = wrong {
                return Err(misfit(place, reason));
            }
        }
        let mut seen = HashSet::new();
        for orders in &self.orders {
            let reason = if seen.insert(orders.task.as_str()) {
                wrong_sweep(orders)
            } else {
                Some("it is there twice".to_string())
            };
            if let Some(reason) = reason {
                return Err(misfit(&format!("the sweep of {}", orders.task), reason));
            }
        }
        Ok(())
    }
}

fn misfit(place: &str, reason: String) -> ReportError {
    ReportError::Shape {
        place: place.to_string(),
        reason,
    }
}

/// The first list of another length than it should have.
fn wrong_length(lists: &[(&str, usize)], length: usize, what: &str) -> Option<String> {
    let wrong = lists.iter().find(|(_, found)| *found != length);
    wrong.map(|(name, found)| format!("{name} has {found} entries for {length} {what}"))
}

fn wrong_lens(lens: &Lens) -> Option<String> {
    let (m, k) = (lens.members.len(), lens.logits.len());
    if m == 0 {
        return Some("it has no members".into());
    }
    if lens.answer >= k {
        return Some(format!("answer {} is none of {k} options", lens.answer));
    }
    let texts = lens.options.as_ref();
    let of_options = [
        ("probabilities", lens.probabilities.len()),
        ("option_token_ids", lens.option_token_ids.len()),
        ("options", texts.map_or(k, Vec::len)),
    ];
    let found = &lens.decomposition;
    let of_members = [
        ("member_logits", lens.member_logits.len()),
        ("by_depth", found.by_depth.len()),
        ("member_bias", found.probability.member_bias.len()),
        ("member_diversity", found.probability.member_diversity.len()),
        ("logit.member_bias", found.logit.member_bias.len()),
        ("logit.member_diversity", found.logit.member_diversity.len()),
    ];
    wrong_length(&of_options, k, "options")
        .or_else(|| wrong_length(&of_members, m, "members"))
        .or_else(|| {
            let mut rows = lens.member_logits.iter();
            let row = rows.find(|row| row.len() != k)?;
            wrong_length(&[("a member", row.len())], k, "options")
        })
}

fn wrong_prompts(prompts: &Prompts) -> Option<String> {
    let averages = &prompts.averages;
    let Some(first) = prompts.rows.first() else {
        return Some("it has no rows".into());
    };
    if let Some(reason) = prompts.rows.iter().find_map(wrong_lens) {
        return Some(reason);
    }
    let m = first.members.len();
    if prompts.rows.iter().any(|row| row.members != first.members) {
        return Some("its rows have different members".into());
    }
    wrong_length(
        &[("rows", prompts.rows.len())],
        averages.rows,
        "averaged rows",
    )
    .or_else(|| wrong_averages(averages, m))
}

fn wrong_averages(averages: &Averages, members: usize) -> Option<String> {
    let (probability, logit) = (&averages.probability, &averages.logit);
    let lists = [
        ("by_depth", averages.by_depth.len()),
        ("member_bias", probability.member_bias.len()),
        ("member_diversity", probability.member_diversity.len()),
        ("logit.member_bias", logit.member_bias.len()),
        ("logit.member_diversity", logit.member_diversity.len()),
    ];
    wrong_length(&lists, members, "members")
}

fn wrong_lab(lab: &Lab) -> Option<String> {
    let (original, arranged) = (&lab.original, &lab.arranged);
    let lenses = wrong_lens(original).or_else(|| wrong_lens(arranged));
    if lenses.is_some() {
        return lenses;
    }
    if original.logits.len() != arranged.logits.len() {
        return Some("its two orders have different options".into());
    }
    lab.geometry.iter().find_map(|geometry| {
        let states = geometry.cosine_map.len();
        if states == 0 {
            return Some("it has no states".into());
        }
        let maps = geometry.cosine_map.iter().map(|row| ("a row", row.len()));
        let paths = &geometry.trajectories.tokens;
        let paths = paths.iter().map(|path| ("a path", path.len()));
        let lists: Vec<(&str, usize)> = maps.chain(paths).collect();
        wrong_length(&lists, states, "states")
    })
}

fn wrong_sweep(orders: &Orders) -> Option<String> {
    if orders.rows == 0 {
        return Some("it has numbers of 0 rows".into());
    }
    if orders.rows > orders.rows_asked {
        let (rows, asked) = (orders.rows, orders.rows_asked);
        return Some(format!("it has {rows} rows of {asked} that were asked"));
    }
    let variants = std::iter::once(&orders.original).chain(&orders.variants);
    let short = variants.clone().find_map(|variant| {
        let reason = wrong_rows(&variant.rows, orders.rows)?;
        Some(format!("{}: {reason}", variant.name))
    });
    if short.is_some() {
        return short;
    }
    let none = orders.points.iter().find(|point| {
        let mut variants = point.variants.iter();
        point.variants.is_empty() || variants.any(|&at| at >= orders.variants.len())
    });
    none.map(|point| format!("its point {} of {} is of no order", point.at, point.sweep))
}

/// All lists have an entry a row; those that a score may be without may be empty.
fn wrong_rows(rows: &OrderRows, count: usize) -> Option<String> {
    let always = [
        ("correct", rows.correct.len()),
        ("margin", rows.margin.len()),
        ("kl", rows.kl.len()),
        ("probability", rows.probability.len()),
        ("logit", rows.logit.len()),
        ("paper", rows.paper.len()),
    ];
    let some = [
        ("log_likelihood", rows.log_likelihood.len()),
        ("correct_per_byte", rows.correct_per_byte.len()),
    ];
    let some: Vec<(&str, usize)> = some.into_iter().filter(|(_, n)| *n > 0).collect();
    wrong_length(&always, count, "rows").or_else(|| wrong_length(&some, count, "rows"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn baked() -> Value {
        let text = include_str!("../../public/examples/first.atelier.json");
        serde_json::from_str(text).expect("the example")
    }

    fn mean() -> Value {
        json!({"mean": 0.5, "low": 0.4, "high": 0.6})
    }

    /// A sweep of two rows and one other order.
    fn sweep() -> Value {
        let votes = json!({"mse": mean(), "bias": mean(), "diversity": mean()});
        let measures = json!({
            "accuracy": mean(), "change": mean(), "margin": mean(), "kl": mean(),
            "probability": votes, "logit": votes, "paper": votes,
        });
        let rows = json!({
            "correct": [true, false], "margin": [0.1, 0.2], "kl": [0.0, 0.0],
            "probability": [[0.1, 0.2, 0.1], [0.1, 0.2, 0.1]],
            "logit": [[0.1, 0.2, 0.1], [0.1, 0.2, 0.1]],
            "paper": [[0.1, 0.2, 0.1], [0.1, 0.2, 0.1]],
        });
        let order = |name: &str, plan: &str| json!({"name": name, "plan": plan, "measures": measures, "rows": rows});
        json!({
            "task": "sum", "score": "option", "rows": 2, "rows_asked": 2, "chance": 0.1,
            "majority": 0.5, "resamples": 1000, "seed": 0, "block_runs": 24, "block_runs_alone": 24,
            "original": order("own", "0-11"), "variants": [order("drop:3", "0-2,4-11")],
            "points": [{"sweep": "drop", "at": 3, "variants": [0], "measures": measures}],
        })
    }

    fn with_sweeps(sweeps: &[Value]) -> Value {
        let mut report = baked();
        report["orders"] = json!(sweeps);
        report
    }

    #[test]
    fn what_was_written_is_read() {
        let lens = Report::read(&baked().to_string()).expect("a lens");
        assert!(lens.lens.is_some());
        let swept = Report::read(&with_sweeps(&[sweep()]).to_string()).expect("a sweep");
        assert_eq!(swept.orders.len(), 1);
    }

    #[test]
    fn parts_that_do_not_fit_are_refused_by_name() {
        let why = |report: &Value| {
            let refused = Report::read(&report.to_string());
            refused.expect_err("it does not fit").to_string()
        };
        let lens = |change: &dyn Fn(&mut Value)| {
            let mut report = baked();
            change(&mut report["lens"]);
            why(&report)
        };
        let orders = |change: &dyn Fn(&mut Value)| {
            let mut changed = sweep();
            change(&mut changed);
            why(&with_sweeps(&[changed]))
        };
        let pop = |list: &mut Value| drop(list.as_array_mut().map(Vec::pop));
        for (sentence, says) in [
            (
                lens(&|lens| lens["answer"] = json!(7)),
                "answer 7 is none of",
            ),
            (
                lens(&|lens| pop(&mut lens["member_logits"])),
                "its lens does not fit",
            ),
            (
                lens(&|lens| pop(&mut lens["member_logits"][0])),
                "a member has 1 entries for 2",
            ),
            (
                lens(&|lens| pop(&mut lens["option_token_ids"])),
                "option_token_ids has 1",
            ),
            (
                orders(&|sweep| sweep["rows"] = json!(0)),
                "the sweep of sum does not fit the rest of the file (it has numbers of 0 rows)",
            ),
            (
                orders(&|sweep| sweep["rows"] = json!(3)),
                "3 rows of 2 that were asked",
            ),
            (
                orders(&|sweep| pop(&mut sweep["variants"][0]["rows"]["kl"])),
                "drop:3: kl has 1 entries for 2 rows",
            ),
            (
                orders(&|sweep| sweep["points"][0]["variants"] = json!([9])),
                "its point 3 of drop is of no order",
            ),
            (why(&with_sweeps(&[sweep(), sweep()])), "it is there twice"),
        ] {
            assert!(sentence.contains(says), "{sentence}");
        }
        let mut newer = baked();
        newer["atelier"] = json!(99);
        assert!(
            why(&newer).contains("written by a newer atelier"),
            "{}",
            why(&newer)
        );
        assert!(why(&json!({})).contains("is no atelier report"));
    }
}
