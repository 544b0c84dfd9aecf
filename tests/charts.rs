//! The figures of golden runs, held against committed snapshots: every sentence, mark and number.
//! `UPDATE=1 cargo test --test charts` writes them anew; the difference is reviewed like code.

use std::path::Path;

use atelier::chart::{Column, DARK, Figure, LIGHT, Quantity, figures, lab_figures, sweep_figures};
use atelier::engine::Member;
use atelier::measure::decomposition::{argmax, decompose, softmax};
use atelier::measure::interval::Mean;
use atelier::plan::Strategy;
use atelier::study::geometry::{Geometry, Trajectories};
use atelier::study::orders::{
    Extent, Measures, OrderRows, Orders, Sweep, SweepPoint, Variant, VoteMeans,
};
use atelier::study::report::Lab;
use atelier::study::report::Lens;
use atelier::task::score::Score;
use serde_json::{Value, json};

#[derive(serde::Deserialize)]
struct Golden {
    prompt: Option<String>,
    options: Option<Vec<String>>,
    answer: usize,
    token_ids: Vec<u32>,
    option_token_ids: Vec<u32>,
    baseline: Baseline,
}

#[derive(serde::Deserialize)]
struct Baseline {
    members: Vec<Member>,
    member_logits: Vec<Vec<f32>>,
    logits: Vec<f32>,
}

fn lens(name: &str, answer: Option<usize>) -> Lens {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(format!("{name}.json"));
    let golden: Golden = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let answer = answer.unwrap_or(golden.answer);
    let Baseline {
        members,
        member_logits,
        logits,
    } = golden.baseline;
    let wide: Vec<f64> = logits.iter().map(|&x| f64::from(x)).collect();
    Lens {
        prompt: golden.prompt,
        options: golden.options,
        answer,
        plan: "all".to_owned(),
        token_ids: golden.token_ids,
        tokens: None,
        option_token_ids: golden.option_token_ids,
        decomposition: decompose(&members, &member_logits, &logits, answer),
        members,
        member_logits,
        probabilities: softmax(&wide),
        correct: argmax(&wide) == answer,
        logits,
    }
}

fn shown(figure: &Figure) -> Value {
    let rows: Vec<Vec<String>> = figure
        .table
        .rows
        .iter()
        .map(|row| row.iter().map(atelier::chart::Cell::shown).collect())
        .collect();
    json!({
        "key": figure.key, "title": figure.title, "words": figure.words, "height": figure.height,
        "option": figure.option, "headers": figure.table.headers, "rows": rows,
    })
}

fn check(name: &str, seen: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/charts")
        .join(format!("{name}.json"));
    let text = serde_json::to_string_pretty(seen).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let at = kept.lines().zip(text.lines()).position(|(a, b)| a != b);
    assert!(
        kept == text,
        "{name} differs from its snapshot (first at line {}); if that is meant, run UPDATE=1 cargo test --test charts",
        at.map_or(kept.lines().count(), |line| line + 1),
    );
}

#[test]
fn story_model_in_three_columns() {
    let lens = lens("tinystories-656k-lily", None);
    for column in Column::ALL {
        let all: Vec<Value> = figures(&lens, column, &LIGHT).iter().map(shown).collect();
        check(
            &format!("tinystories-656k-lily-{}", column.name()),
            &json!(all),
        );
    }
}

#[test]
fn a_wrong_answer_without_text() {
    let lens = lens("random-llama3", Some(0));
    assert!(
        !lens.correct,
        "the first option is not the one this model answers"
    );
    let all: Vec<Value> = figures(&lens, Column::Probability, &LIGHT)
        .iter()
        .map(shown)
        .collect();
    check("random-llama3-wrong", &json!(all));
}

#[test]
fn blocks_that_run_twice_are_told_apart() {
    let lens = lens("random-mobilellm-layer-share", None);
    let [votes, ..] = figures(&lens, Column::Logit, &LIGHT);
    check("random-mobilellm-layer-share-votes", &shown(&votes));
    let names: Vec<String> = (0..lens.members.len())
        .map(|i| atelier::chart::stroke_name(&lens, i))
        .collect();
    let mut unique = names.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), names.len(), "{names:?}");
    for tile in atelier::chart::tiles(&lens).iter().skip(1) {
        assert_eq!(tile.strokes.len(), 2, "{tile:?}");
    }
}

#[test]
fn dark_differs_in_colours_only() {
    let lens = lens("tinystories-656k-lily", None);
    let light = figures(&lens, Column::Probability, &LIGHT).map(|f| f.option.to_string());
    let dark = figures(&lens, Column::Probability, &DARK).map(|f| f.option.to_string());
    let colours = |theme: &atelier::chart::Theme| {
        [
            theme.paper,
            theme.ink,
            theme.quiet,
            theme.hairline,
            theme.embedding,
            theme.attention,
            theme.mlp,
            theme.bias,
            theme.diversity,
            theme.mse,
        ]
    };
    let repainted = light.map(|mut text| {
        for (from, to) in colours(&LIGHT).into_iter().zip(colours(&DARK)) {
            text = text.replace(from, to);
        }
        text
    });
    assert_eq!(repainted, dark);
}

#[test]
fn page_and_charts_share_their_colours() {
    let css =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("style/tokens.css"))
            .unwrap();
    for theme in [LIGHT, DARK] {
        for (name, colour) in [
            ("paper", theme.paper),
            ("ink", theme.ink),
            ("quiet", theme.quiet),
            ("hairline", theme.hairline),
            ("embedding", theme.embedding),
            ("attention", theme.attention),
            ("mlp", theme.mlp),
            ("bias", theme.bias),
            ("diversity", theme.diversity),
            ("mse", theme.mse),
        ] {
            let line = format!("--{name}-{}: {colour};", theme.name);
            assert!(css.contains(&line), "style/tokens.css lacks `{line}`");
        }
    }
}

/// A sweep with numbers from a formula, so that the pictures can be checked without a model: harm
/// grows with the middle, and each sweep has its own share of it.
fn sweep(runs: usize) -> Orders {
    let mean = |x: f64, width: f64| Mean {
        mean: x,
        low: x - width,
        high: x + width,
    };
    let measures = |harm: f64| {
        let votes = |scale: f64| VoteMeans {
            mse: mean(scale * (0.1 + 0.2 * harm), 0.01),
            bias: mean(scale * (0.2 + 0.2 * harm), 0.01),
            diversity: mean(scale * 0.1, 0.005),
        };
        Measures {
            accuracy: mean(0.9 - 0.6 * harm, 0.05),
            normalised: Some(mean(1.0 - harm, 0.08)),
            change: mean(-0.6 * harm, 0.05),
            margin: mean(2.0 - harm, 0.1),
            kl: mean(2.0 * harm, 0.02),
            probability: votes(1.0),
            logit: votes(10.0),
            paper: votes(1.0),
            log_likelihood: None,
            accuracy_per_byte: None,
            perplexity: None,
        }
    };
    let variant = |name: String, plan: String, harm: f64| Variant {
        name,
        plan,
        measures: measures(harm),
        rows: OrderRows::default(),
    };
    let order: Vec<usize> = (0..runs).collect();
    let extent = Extent {
        seeds: 2,
        rounds: 4,
    };
    let mut variants = Vec::new();
    let mut points: Vec<SweepPoint> = Vec::new();
    for sweep in Sweep::ALL {
        for strategy in sweep.strategies(runs, extent).unwrap() {
            let (_, at) = Sweep::of(&strategy);
            let rounds = match strategy {
                Strategy::Loop { rounds, .. } => Some(rounds),
                _ => None,
            };
            let middle = !matches!(sweep, Sweep::Drop | Sweep::Swap);
            let middle = middle.then(|| runs - 2 * at - 1);
            let size = middle.unwrap_or(1) as f64 / runs as f64;
            let harm = match sweep {
                Sweep::Drop => 1.0 / (1.0 + at as f64),
                Sweep::Swap => 0.3 / (1.0 + at as f64),
                Sweep::Skip => 0.8 * size,
                Sweep::Repeat => size,
                Sweep::Reverse => 0.6 * size,
                Sweep::Shuffle => 0.4 * size,
                Sweep::Parallel => 0.5 * size,
                // Best where the rounds are half the size of the middle.
                Sweep::Loop => {
                    let best = middle.unwrap() as f64 / 2.0;
                    0.1 * (rounds.unwrap() as f64 - best).abs()
                }
            };
            let plan = strategy.plan(&order).unwrap().to_string();
            variants.push(variant(strategy.to_string(), plan, harm));
            let same = |point: &&mut SweepPoint| {
                point.sweep == sweep && point.at == at && point.rounds == rounds
            };
            match points.iter_mut().find(same) {
                Some(point) => point.variants.push(variants.len() - 1),
                None => points.push(SweepPoint {
                    sweep,
                    at,
                    rounds,
                    middle,
                    variants: vec![variants.len() - 1],
                    measures: measures(harm),
                }),
            }
        }
    }
    Orders {
        task: "sum".into(),
        score: Score::Option,
        rows: 32,
        rows_asked: 48,
        chance: 0.1,
        majority: 0.2,
        resamples: 1000,
        seed: 0,
        fingerprint: None,
        block_runs: 100,
        block_runs_alone: 200,
        original: variant("original".into(), format!("0-{}", runs - 1), 0.0),
        variants,
        points,
        geometry: Vec::new(),
    }
}

fn lab() -> Lab {
    let geometry = |plan: &str, states: usize, bend: f64| Geometry {
        plan: plan.into(),
        prompts: 1,
        cosine_map: (0..states)
            .map(|a| {
                let apart = |b: usize| (a as f64 - b as f64).abs();
                (0..states).map(|b| 1.0 - bend * apart(b)).collect()
            })
            .collect(),
        line_shape_score: Some(1.0 + bend),
        expodistance: (bend < 0.2).then_some(bend),
        trajectories: Trajectories {
            explained: [0.6, 0.25],
            tokens: (0..3)
                .map(|t| {
                    let place = |i: usize| [i as f64 * bend, (t * i) as f64 * 0.5];
                    (0..states).map(place).collect()
                })
                .collect(),
        },
    };
    let original = lens("tinystories-656k-lily", None);
    let arranged = Lens {
        plan: "0,(1-2)".into(),
        ..lens("tinystories-656k-lily", Some(1))
    };
    Lab {
        original,
        arranged,
        kl: 0.25,
        geometry: [geometry("0-2", 4, 0.04), geometry("0,(1-2)", 3, 0.3)],
    }
}

#[test]
fn a_sweep_in_two_quantities() {
    let orders = sweep(6);
    for quantity in [Quantity::Accuracy, Quantity::Diversity] {
        let all: Vec<Value> = sweep_figures(&orders, quantity, Column::Probability, &LIGHT)
            .iter()
            .map(shown)
            .collect();
        assert_eq!(all.len(), 3);
        check(&format!("sweep-{}", quantity.name()), &json!(all));
    }
}

#[test]
fn every_drawn_mean_is_one_of_the_reports() {
    let orders = sweep(6);
    let text = serde_json::to_value(&orders).unwrap();
    let mut known = Vec::new();
    numbers(&text, &mut known);
    for quantity in Quantity::ALL {
        for column in Column::ALL {
            for figure in sweep_figures(&orders, quantity, column, &DARK) {
                for series in figure.option["series"].as_array().unwrap() {
                    for point in series["data"].as_array().unwrap() {
                        let value = point.get("value").unwrap_or(point);
                        let mut x = value.as_array().unwrap().last().unwrap().as_f64().unwrap();
                        if column == Column::Paper
                            && matches!(quantity, Quantity::Bias | Quantity::Mse)
                        {
                            x /= column.scale();
                        }
                        let near = |k: &f64| (k - x).abs() <= 1e-5 * x.abs().max(1e-9);
                        // Chance, on the normalised scale, is 0 by definition.
                        assert!(x == 0.0 || known.iter().any(near), "{} {x}", figure.key);
                    }
                }
            }
        }
    }
}

fn numbers(value: &Value, into: &mut Vec<f64>) {
    match value {
        Value::Number(x) => into.extend(x.as_f64()),
        Value::Array(all) => all.iter().for_each(|value| numbers(value, into)),
        Value::Object(all) => all.values().for_each(|value| numbers(value, into)),
        _ => {}
    }
}

#[test]
fn small_models_and_half_sweeps_are_drawn_as_far_as_they_go() {
    let mut orders = sweep(6);
    let keys = |orders: &Orders, quantity| -> Vec<&str> {
        sweep_figures(orders, quantity, Column::Logit, &LIGHT)
            .iter()
            .map(|figure| figure.key)
            .collect()
    };
    assert_eq!(
        keys(&orders, Quantity::Kl),
        ["neighbours", "family", "loops"]
    );
    orders.points.retain(|point| point.sweep == Sweep::Swap);
    assert_eq!(keys(&orders, Quantity::Kl), ["neighbours"]);
    // A model at chance has no normalised score, and so no picture of it.
    orders.original.measures.normalised = None;
    assert!(keys(&orders, Quantity::Normalised).is_empty());
}

#[test]
fn the_lab_before_and_after() {
    let lab = lab();
    let all: Vec<Value> = lab_figures(&lab, Column::Probability, &LIGHT)
        .iter()
        .map(shown)
        .collect();
    check("lab", &json!(all));
}
