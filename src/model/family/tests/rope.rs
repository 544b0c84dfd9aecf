//! Rotary positions, in either spelling.

use serde_json::json;

use super::*;
use crate::model::shape::RopeScaling;

#[test]
fn rope_parameters_say_the_same_as_the_older_spelling() {
    let newer = |name: &str, gone: &[&str], parameters: Value| {
        let mut config = config(name);
        let fields = config.as_object_mut().expect("an object");
        for field in gone {
            fields.remove(*field).expect("it was there");
        }
        fields.insert("rope_parameters".into(), parameters);
        assert_eq!(shape_of(&config), shape(name), "{name}");
    };
    newer(
        "random-llama3",
        &["rope_theta", "rope_scaling"],
        json!({
            "rope_theta": 500000.0, "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
            "high_freq_factor": 4.0, "original_max_position_embeddings": 64,
        }),
    );
    newer(
        "random-phi2",
        &["rope_theta", "rope_scaling", "partial_rotary_factor"],
        json!({ "rope_theta": 10000.0, "partial_rotary_factor": 0.4, "rope_type": "default" }),
    );
    newer(
        "random-pythia",
        &["rotary_emb_base", "rotary_pct"],
        json!({ "rope_theta": 10000, "partial_rotary_factor": 0.25, "rope_type": "default" }),
    );
    newer("random-qwen2", &["rope_theta"], json!({ "rope_theta": 1000000.0 }));
    // Both factors of a 128k Phi-3: the original context inside, or beside.
    let factors =
        json!({ "type": "longrope", "short_factor": [1, 1, 1, 2], "long_factor": [2, 2, 2, 4] });
    let older = edited(
        "random-phi3",
        &[("rope_scaling", factors.clone()), ("original_max_position_embeddings", json!(64))],
    );
    let mut inside = factors;
    inside["rope_theta"] = json!(10000.0);
    inside["original_max_position_embeddings"] = json!(64);
    let mut newer = without("random-phi3", "original_max_position_embeddings");
    newer["rope_scaling"] = Value::Null;
    newer["rope_theta"] = Value::Null;
    newer["rope_parameters"] = inside;
    let (older, newer) = (shape_of(&older), shape_of(&newer));
    assert_eq!(older, newer);
    let Some(RopeScaling::LongRope { attention_factor, .. }) =
        &newer.rope().expect("it turns").scaling
    else {
        panic!("longrope");
    };
    let expected = (1.0 + 4f64.ln() / 64f64.ln()).sqrt();
    assert!((attention_factor - expected).abs() < 1e-12);
    let linear =
        edited("random-llama2", &[("rope_scaling", json!({ "type": "linear", "factor": 4 }))]);
    let scaling = shape_of(&linear).rope().and_then(|rope| rope.scaling.clone());
    assert_eq!(scaling, Some(RopeScaling::Linear { factor: 4.0 }));
}

/// Neither spelling is sure to be the one that its training had.
#[test]
fn two_spellings_that_differ_are_refused() {
    let mut config = config("random-llama3");
    config["rope_parameters"] = config["rope_scaling"].clone();
    assert_eq!(shape_of(&config), shape("random-llama3"));
    config["rope_parameters"]["factor"] = json!(16.0);
    refused(&config, &["rope_scaling is ", "rope_parameters says something else"]);
}

/// Where the config says it twice, transformers takes the one outside.
#[test]
fn the_original_context_outside_wins() {
    let mut llama = config("random-llama3");
    llama["original_max_position_embeddings"] = json!(32);
    let scaling = shape_of(&llama).rope().and_then(|rope| rope.scaling.clone());
    assert!(
        matches!(scaling, Some(RopeScaling::Llama3 { original_context: 32, .. })),
        "{scaling:?}"
    );
    let mut phi3 = edited(
        "random-phi3",
        &[
            (
                "rope_scaling",
                json!({
                    "type": "longrope", "short_factor": [1, 1, 1, 2], "long_factor": [2, 2, 2, 4],
                    "original_max_position_embeddings": 32,
                }),
            ),
            ("original_max_position_embeddings", json!(64)),
        ],
    );
    let longrope = |config: &serde_json::Value| -> (usize, f64) {
        match shape_of(config).rope().and_then(|rope| rope.scaling.clone()) {
            Some(RopeScaling::LongRope { original_context, attention_factor, .. }) => {
                (original_context, attention_factor)
            }
            other => panic!("{other:?}"),
        }
    };
    // transformers 5.23 on this config: 64 and 1.1547005383792517; with a factor, 1.0801234497346435.
    let (original, factor) = longrope(&phi3);
    assert_eq!(original, 64);
    assert!((factor - 1.1547005383792517).abs() < 1e-12, "{factor}");
    phi3["rope_scaling"]["factor"] = json!(2.0);
    let (_, factor) = longrope(&phi3);
    assert!((factor - 1.0801234497346435).abs() < 1e-12, "{factor}");
}
