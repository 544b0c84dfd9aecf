//! Settings of the views of surveys and theorems, as a link holds them.

use std::collections::BTreeSet;

use super::{LinkPairs, View, changed};

/// A survey that comes with the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShippedSurvey {
    /// The survey of the teaching models on their own tasks.
    #[default]
    Scholars,
    /// The survey of SmolLM2-135M-Instruct on the tasks in plain English.
    SmolLm2,
}

impl ShippedSurvey {
    pub const ALL: [Self; 2] = [Self::Scholars, Self::SmolLm2];

    /// The name used in links.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scholars => "scholars",
            Self::SmolLm2 => "smollm2",
        }
    }

    /// The models, as the choice names them.
    pub fn models(self) -> &'static str {
        match self {
            Self::Scholars => "Teaching models",
            Self::SmolLm2 => "SmolLM2-135M",
        }
    }

    /// As a report is named in a sentence.
    pub fn title(self) -> &'static str {
        match self {
            Self::Scholars => "the scholars' survey",
            Self::SmolLm2 => "SmolLM2's survey",
        }
    }

    /// Its file, beside the page.
    pub fn file(self) -> &'static str {
        match self {
            Self::Scholars => "survey.atelier.json",
            Self::SmolLm2 => "smollm2-survey.atelier.json",
        }
    }
}

/// The quantity in the table of means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeanOf {
    #[default]
    Accuracy,
    FirstWord,
    LogLikelihood,
    Mass,
    Mse,
    Bias,
    Diversity,
}

impl MeanOf {
    pub const ALL: [Self; 7] = [
        Self::Accuracy,
        Self::FirstWord,
        Self::LogLikelihood,
        Self::Mass,
        Self::Mse,
        Self::Bias,
        Self::Diversity,
    ];

    /// The name used in links, and the words on the page, with scope and unit.
    fn name_and_words(self) -> (&'static str, &'static str) {
        match self {
            Self::Accuracy => {
                ("accuracy", "share of rows with the right answer, among the options")
            }
            Self::FirstWord => {
                ("first-word", "share of rows whose right answer is the model's first word")
            }
            Self::LogLikelihood => {
                ("ln-p", "surprise of the right answer, bits (whole vocabulary)")
            }
            Self::Mass => ("mass", "share of the whole vocabulary that the options hold"),
            Self::Mse => ("MSE", "MSE"),
            Self::Bias => ("bias", "bias"),
            Self::Diversity => ("diversity", "diversity"),
        }
    }

    /// The name used in links.
    pub fn name(self) -> &'static str {
        self.name_and_words().0
    }

    /// The words on the page, with scope and unit.
    pub fn words(self) -> &'static str {
        self.name_and_words().1
    }

    /// Is it counted in per cent?
    pub fn is_share(self) -> bool {
        matches!(self, Self::Accuracy | Self::FirstWord | Self::Mass)
    }

    /// Is it computed from the votes of members?
    pub fn is_of_members(self) -> bool {
        matches!(self, Self::Mse | Self::Bias | Self::Diversity)
    }
}

/// Theorems with a control.
pub const THEOREMS: usize = 8;

/// The reader's settings of the reports that are open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Looking {
    /// Which of the page's own surveys is open, where one is.
    pub shipped: ShippedSurvey,
    /// The model and the task whose rows are looked at; the page chooses where they are empty.
    pub model: String,
    pub task: String,
    /// Whether the rows of that model on that task are open.
    pub rows: bool,
    pub mean: MeanOf,
    /// Models and tasks that are not ticked.
    pub hidden_models: BTreeSet<String>,
    pub hidden_tasks: BTreeSet<String>,
    /// Where each theorem's control stands, if anybody touched it.
    pub knobs: [Option<f64>; THEOREMS],
}

impl Looking {
    pub(super) fn write(&self, view: View, pairs: &mut LinkPairs) {
        let shipped = changed(self.shipped, ShippedSurvey::default());
        pairs.known("shipped", shipped.map(ShippedSurvey::name));
        pairs.known("of", changed(self.model.as_str(), ""));
        pairs.known("task", changed(self.task.as_str(), ""));
        if view == View::Theory {
            for (n, knob) in (1..).zip(self.knobs) {
                pairs.known(&format!("knob{n}"), knob);
            }
            return;
        }
        pairs.known("rows", self.rows.then_some("open"));
        pairs.known("mean", changed(self.mean, MeanOf::default()).map(MeanOf::name));
        pairs.each("without", &self.hidden_models);
        pairs.each("without-task", &self.hidden_tasks);
    }

    /// True if the key is one of these.
    pub(super) fn read(&mut self, key: &str, value: &str) -> bool {
        match key {
            "shipped" => {
                let named = ShippedSurvey::ALL.into_iter().find(|one| one.name() == value);
                self.shipped = named.unwrap_or_default();
            }
            "of" => self.model = value.to_owned(),
            "task" => self.task = value.to_owned(),
            "rows" => self.rows = true,
            "mean" => {
                let named = MeanOf::ALL.into_iter().find(|mean| mean.name() == value);
                self.mean = named.unwrap_or_default();
            }
            "without" => {
                self.hidden_models.insert(value.to_owned());
            }
            "without-task" => {
                self.hidden_tasks.insert(value.to_owned());
            }
            _ => {
                let number = key.strip_prefix("knob").and_then(|n| n.parse::<usize>().ok());
                let place = number.and_then(|n| n.checked_sub(1));
                let Some(knob) = place.and_then(|place| self.knobs.get_mut(place)) else {
                    return false;
                };
                // A setting is an index or a share; what is neither is not one.
                let value = value.parse::<f64>().ok();
                *knob = value.filter(|value| (0.0..=64.0).contains(value));
            }
        }
        true
    }

    /// Returns the settings for another of the page's surveys: those that name no model and no task.
    #[must_use]
    pub fn with_shipped(&self, shipped: ShippedSurvey) -> Self {
        Self { shipped, mean: self.mean, knobs: self.knobs, ..Self::default() }
    }

    /// Takes from `now` the settings that `view` does not write into its address: those of the other view.
    pub fn keeping(self, view: View, now: &Self) -> Self {
        if view == View::Theory {
            Self {
                rows: now.rows,
                mean: now.mean,
                hidden_models: now.hidden_models.clone(),
                hidden_tasks: now.hidden_tasks.clone(),
                ..self
            }
        } else {
            Self { knobs: now.knobs, ..self }
        }
    }
}
