//! In which columns a published file keeps what a template asks for.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::Template;
use crate::task::table::TableRecord;

/// One way in which the data set is published.
#[derive(Clone, Debug, PartialEq)]
pub struct FileLayout {
    /// Names for the columns of a file that has no header line.
    pub columns: Option<Vec<String>>,
    pub fields: BTreeMap<String, Field>,
    /// The template over columns that gives a row's label, which says which option is right.
    pub label: Template,
    /// Maps a label as it is written to an option.
    pub labels: BTreeMap<String, String>,
    /// How a label names its option where `labels` is empty.
    pub label_is: Option<LabelKind>,
    /// Labels of rows without an answer: left out and counted.
    pub unlabelled: Vec<String>,
    /// The column with a row's own choices, `choices` or `choices.text`.
    pub choices: Option<String>,
}

/// How a label names its option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelKind {
    /// By the option's text.
    Text,
    /// By the option's index, counted from 0.
    Index,
}

/// A template over columns, and which part of what it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub from: Template,
    pub after: Option<String>,
    pub before: Option<String>,
}

/// As it stands in the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawLayout {
    columns: Option<Vec<String>>,
    #[serde(default)]
    fields: BTreeMap<String, RawField>,
    #[serde(default)]
    label: String,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    label_is: Option<LabelKind>,
    #[serde(default)]
    unlabelled: Vec<String>,
    choices: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum RawField {
    Whole(String),
    Part { from: String, after: Option<String>, before: Option<String> },
}

impl TryFrom<RawLayout> for FileLayout {
    type Error = String;

    fn try_from(raw: RawLayout) -> Result<Self, String> {
        let mut fields = BTreeMap::new();
        for (name, field) in raw.fields {
            let field = match field {
                RawField::Whole(from) => {
                    Field { from: Template::parse(&from)?, after: None, before: None }
                }
                RawField::Part { from, after, before } => {
                    Field { from: Template::parse(&from)?, after, before }
                }
            };
            fields.insert(name, field);
        }
        Ok(Self {
            columns: raw.columns,
            fields,
            label: Template::parse(&raw.label)?,
            labels: raw.labels,
            label_is: raw.label_is,
            unlabelled: raw.unlabelled,
            choices: raw.choices,
        })
    }
}

impl FileLayout {
    /// The columns that a template needs in this layout, `a.b` as `a`.
    pub fn wants<'a>(&'a self, template: &'a Template) -> Vec<&'a str> {
        let direct = template
            .names()
            .filter(|name| !super::GIVEN.contains(name) && !self.fields.contains_key(*name));
        let through = self.fields.values().flat_map(|field| field.from.names());
        let choices = self.choices.as_deref();
        let all = direct.chain(through).chain(self.label.names()).chain(choices);
        let mut all: Vec<&str> = all.map(|name| name.split('.').next().unwrap_or(name)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A field's text, or a column's; `None` where there is no such value, or not the part asked for.
    pub fn text(&self, name: &str, record: &TableRecord) -> Option<String> {
        let Some(field) = self.fields.get(name) else {
            return written(record.get(name)?);
        };
        let whole = field.fill(record)?;
        let mut part = whole.as_str();
        if let Some(after) = &field.after {
            part = part.split_once(after.as_str())?.1;
        }
        if let Some(before) = &field.before {
            part = part.split_once(before.as_str())?.0;
        }
        Some(part.trim().to_string())
    }

    /// The label of a row, as the file has it; `None` where there is none.
    pub fn label(&self, record: &TableRecord) -> Option<String> {
        let label = self.label.fill(|name| record.get(name).and_then(written).ok_or(()));
        Some(label.ok()?.trim().to_string())
    }

    /// A row's own choices.
    pub fn choices(&self, record: &TableRecord) -> Option<Vec<String>> {
        let list = record.get(self.choices.as_deref()?)?.as_array()?;
        list.iter().map(written).collect()
    }
}

impl Field {
    fn fill(&self, record: &TableRecord) -> Option<String> {
        let filled = self.from.fill(|name| record.get(name).and_then(written).ok_or(()));
        filled.ok()
    }
}

/// A value as text; `None` for what is nothing, or several.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(is) => Some(is.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
