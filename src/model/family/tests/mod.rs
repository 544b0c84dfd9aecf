//! Configs that travel with the project, and edits of them.

mod choices;
mod refusals;
mod rope;
mod shapes;

use std::path::Path;

use serde_json::Value;

use crate::model::ModelShape;
use crate::model::shape::RopeShape;

fn config(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let text = std::fs::read_to_string(folder.join(name).join("config.json"));
    serde_json::from_str(&text.expect("config.json")).expect("JSON")
}

fn shape_of(config: &Value) -> ModelShape {
    ModelShape::from_json(&config.to_string()).expect("a model")
}

fn shape(name: &str) -> ModelShape {
    let shape = shape_of(&config(name));
    assert_eq!(shape.order.len(), if name.contains("share") { 8 } else { shape.blocks.len() });
    shape
}

/// The config with these fields instead.
fn edited(name: &str, edits: &[(&str, Value)]) -> Value {
    let mut config = config(name);
    for (field, value) in edits {
        config[*field] = value.clone();
    }
    config
}

fn without(name: &str, field: &str) -> Value {
    let mut config = config(name);
    config.as_object_mut().expect("an object").remove(field);
    config
}

#[track_caller]
fn refused(config: &Value, pieces: &[&str]) {
    let error = ModelShape::from_json(&config.to_string()).expect_err("a refusal");
    let sentence = error.to_string();
    assert!(!sentence.contains('\n'), "{sentence}");
    for piece in pieces {
        assert!(sentence.contains(piece), "`{piece}` is not in: {sentence}");
    }
}

fn plain_rope(width: usize, theta: f64) -> Option<RopeShape> {
    Some(RopeShape { width, theta, scaling: None })
}
