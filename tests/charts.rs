//! The figures of golden runs, held against committed snapshots: every sentence, mark and number.
//! `UPDATE=1 cargo test --test charts` writes them anew; the difference is reviewed like code.

use std::path::Path;

use atelier::chart::{Column, DARK, Figure, LIGHT, figures};
use atelier::engine::Member;
use atelier::measure::decomposition::{argmax, decompose, softmax};
use atelier::study::report::Lens;
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
