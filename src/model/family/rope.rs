//! Rotary positions, in either spelling: `rope_theta` and `rope_scaling` beside the other fields, or
//! all of it inside `rope_parameters` (transformers 5).

use serde::Deserialize;
use serde_json::Value;

use super::fields::{Fields, config, expect, shown};
use crate::model::ModelError;
use crate::model::shape::{RopeScaling, RopeShape};

/// A family's names of its rotary fields.
#[derive(Clone, Copy)]
pub struct RopeFields {
    pub theta: &'static str,
    /// The field that says which part of a head turns, with its default; `None`: whole heads turn.
    pub part: Option<(&'static str, f64)>,
}

/// The context before it was stretched; where the config says it outside of the rotary object too,
/// transformers takes that one.
const ORIGINAL: &str = "original_max_position_embeddings";

/// Whole heads, as most families have it.
pub const WHOLE: RopeFields = RopeFields { theta: "rope_theta", part: None };

/// The rotary positions of heads `head_width` wide in a model of `context` tokens.
///
/// # Errors
/// A number out of range, a kind of scaling that atelier does not know.
pub fn read(
    fields: &Fields,
    names: RopeFields,
    head_width: usize,
    context: usize,
) -> Result<RopeShape, ModelError> {
    let group = ScalingObject::of(fields)?;
    let theta = match group.number("rope_theta")? {
        Some(theta) => theta,
        // Llama configs from before transformers 4.32 leave it out.
        None => fields.number(names.theta)?.unwrap_or(10_000.0),
    };
    expect(names.theta, theta, theta > 1.0 && theta.is_finite(), "it must be above 1")?;
    let width = width(fields, &group, names, head_width)?;
    let scaling = group.scaling(fields, width / 2, context)?;
    Ok(RopeShape { width, theta, scaling })
}

/// Dimensions of a head that turn.
fn width(
    fields: &Fields,
    group: &ScalingObject,
    names: RopeFields,
    head_width: usize,
) -> Result<usize, ModelError> {
    const PART: &str = "partial_rotary_factor";
    let (field, absent) = names.part.unwrap_or((PART, 1.0));
    let part = match group.number(PART)? {
        Some(part) => part,
        None => fields.number(field)?.unwrap_or(absent),
    };
    if names.part.is_none() {
        expect(PART, part, part == 1.0, "the models of this family rotate whole heads")?;
        let pairs = "it must be even, for rotary positions come in pairs";
        expect("head_dim", head_width, head_width.is_multiple_of(2), pairs)?;
        return Ok(head_width);
    }
    let width = (head_width as f64 * part) as usize;
    let fits = part > 0.0 && part <= 1.0 && width > 0 && width.is_multiple_of(2);
    let expected = format_args!(
        "that part of a head of {head_width} numbers must be an even count of them, for rotary positions come in pairs"
    );
    expect(field, part, fits, expected)?;
    Ok(width)
}

/// The object that holds a kind of scaling, if there is one, and the field it is in.
struct ScalingObject<'a> {
    field: &'static str,
    value: Option<&'a Value>,
}

impl<'a> ScalingObject<'a> {
    fn of(fields: &'a Fields) -> Result<Self, ModelError> {
        let spelled = |field| fields.get(field).map(|value| (field, value));
        let (older, newer) = (spelled("rope_scaling"), spelled("rope_parameters"));
        if let (Some((field, older)), Some((_, newer))) = (older, newer) {
            let expected =
                "rope_parameters says something else: keep the one of them that is meant";
            expect(field, shown(older), older == newer, expected)?;
        }
        let Some((field, value)) = older.or(newer) else {
            return Ok(Self { field: "rope_scaling", value: None });
        };
        let Some(object) = value.as_object() else {
            let expected = "it must be an object with a rope_type, or null";
            return Err(config(field, shown(value), expected));
        };
        let kinds = object.values().any(Value::is_object);
        let expected = "atelier runs models with one kind of rotary positions for all blocks";
        expect(field, shown(value), !kinds, expected)?;
        Ok(Self { field, value: Some(value) })
    }

    fn number(&self, name: &'static str) -> Result<Option<f64>, ModelError> {
        let value = self.value.and_then(|group| group.get(name)).filter(|value| !value.is_null());
        let number = |value: &Value| {
            value.as_f64().ok_or_else(|| config(name, shown(value), "it must be a number"))
        };
        value.map(number).transpose()
    }

    /// `frequencies`: half the width that turns.
    fn scaling(
        &self,
        fields: &Fields,
        frequencies: usize,
        context: usize,
    ) -> Result<Option<RopeScaling>, ModelError> {
        let Some(value) = self.value else {
            return Ok(None);
        };
        let kind = |name: &str| value.get(name).filter(|kind| !kind.is_null());
        let kind = match kind("rope_type").or(kind("type")) {
            Some(Value::String(kind)) => kind.as_str(),
            Some(other) => return Err(self.unknown(shown(other))),
            // The newer object holds theta also where nothing is scaled.
            None if self.field == "rope_parameters" => "default",
            None => return Err(self.unknown("not given".into())),
        };
        match kind {
            "default" => Ok(None),
            "linear" => self.linear(value).map(Some),
            "llama3" => self.llama3(value, fields).map(Some),
            "longrope" | "su" => self.long_rope(value, fields, frequencies, context).map(Some),
            other => Err(self.unknown(shown(&other.into()))),
        }
    }

    fn unknown(&self, found: String) -> ModelError {
        config(self.field, found, "atelier knows default, linear, llama3 and longrope")
    }

    /// The numbers of one kind of scaling.
    fn parse<T: for<'de> Deserialize<'de>>(&self, value: &Value) -> Result<T, ModelError> {
        T::deserialize(value).map_err(|reason| ModelError::Json {
            file: format!("config.json ({})", self.field),
            reason,
        })
    }

    fn linear(&self, value: &Value) -> Result<RopeScaling, ModelError> {
        let LinearFields { factor } = self.parse(value)?;
        let fits = factor >= 1.0 && factor.is_finite();
        let found = format_args!("linear with factor {factor}");
        expect(self.field, found, fits, "factor must be at least 1")?;
        Ok(RopeScaling::Linear { factor })
    }

    fn llama3(&self, value: &Value, fields: &Fields) -> Result<RopeScaling, ModelError> {
        let mut read: Llama3Fields = self.parse(value)?;
        if let Some(outside) = fields.optional_size(ORIGINAL)? {
            read.original_max_position_embeddings = outside;
        }
        let fits = read.factor >= 1.0
            && read.factor.is_finite()
            && read.low_freq_factor > 0.0
            && read.high_freq_factor > read.low_freq_factor
            && read.high_freq_factor.is_finite()
            && read.original_max_position_embeddings > 0;
        let expected = "factor must be at least 1, high_freq_factor above low_freq_factor, and the original context positive";
        expect(self.field, shown(value), fits, expected)?;
        Ok(RopeScaling::Llama3 {
            factor: read.factor,
            low_freq_factor: read.low_freq_factor,
            high_freq_factor: read.high_freq_factor,
            original_context: read.original_max_position_embeddings,
        })
    }

    fn long_rope(
        &self,
        value: &Value,
        fields: &Fields,
        frequencies: usize,
        context: usize,
    ) -> Result<RopeScaling, ModelError> {
        let read: LongRopeFields = self.parse(value)?;
        for (name, list) in
            [("short_factor", &read.short_factor), ("long_factor", &read.long_factor)]
        {
            let fits = list.len() == frequencies && list.iter().all(|f| *f > 0.0 && f.is_finite());
            let found = format_args!("{} numbers", list.len());
            let expected = format_args!(
                "{name} must be {frequencies} positive numbers, one a rotary frequency"
            );
            expect(self.field, found, fits, expected)?;
        }
        let inside = read.original_max_position_embeddings;
        let original = fields.optional_size(ORIGINAL)?.or(inside).unwrap_or(0);
        expect(ORIGINAL, original, original >= 2, "it must be at least 2 for longrope")?;
        let stretch = read.factor.unwrap_or(context as f64 / original as f64);
        expect("factor", stretch, stretch.is_finite(), "it must be a number")?;
        let attention_factor = read.attention_factor.unwrap_or(if stretch <= 1.0 {
            1.0
        } else {
            (1.0 + stretch.ln() / (original as f64).ln()).sqrt()
        });
        let fits = attention_factor > 0.0 && attention_factor.is_finite();
        expect("attention_factor", attention_factor, fits, "it must be above 0")?;
        Ok(RopeScaling::LongRope {
            short: read.short_factor,
            long: read.long_factor,
            original_context: original,
            attention_factor,
        })
    }
}

#[derive(Deserialize)]
struct LinearFields {
    factor: f64,
}

#[derive(Deserialize)]
struct Llama3Fields {
    factor: f64,
    low_freq_factor: f64,
    high_freq_factor: f64,
    original_max_position_embeddings: usize,
}

#[derive(Deserialize)]
struct LongRopeFields {
    short_factor: Vec<f64>,
    long_factor: Vec<f64>,
    original_max_position_embeddings: Option<usize>,
    /// How far the context is stretched, where it is not as the contexts say.
    factor: Option<f64>,
    attention_factor: Option<f64>,
}
