//! Runs lessons as the page's worker does, from the repository's files.

use std::collections::BTreeMap;
use std::path::Path;

use atelier::model::{FileBytes, ModelFiles, catalogue};
use atelier::study::lessons::{
    FieldName, FieldValue, LESSONS, Lesson, LessonStep, LessonTaker, ModelFound, REAL_MODEL,
    RowGroup, StepAsk, StepFound, StepOutcome, StepPicture, TheoryAsk, WorkRunning,
};
use atelier::study::report::Opened;
use atelier::study::survey::Survey;
use atelier::study::{LoadedModel, Running, StudyError};

use super::swept;
use crate::common::{self, in_project};

/// Every lesson, checked as it is read.
pub fn lessons() -> Vec<Lesson> {
    let folder = in_project("public/lessons");
    let only = std::env::var("ATELIER_LESSON").unwrap_or_default();
    LESSONS
        .iter()
        .filter(|name| name.starts_with(&only))
        .map(|name| {
            let file = format!("{name}.toml");
            let text = std::fs::read_to_string(folder.join(&file)).expect("a lesson's file");
            Lesson::read(&file, &text).unwrap_or_else(|error| panic!("{error}"))
        })
        .collect()
}

/// The step with few rows, for models that it was not written for: how sure a verdict of theirs is matters to nobody.
pub fn on_fewer_rows(step: &LessonStep) -> LessonStep {
    const ROWS: usize = 24;
    let mut short = step.clone();
    if !step.runs_taught() {
        return short;
    }
    for ask in short.before.iter_mut().chain([&mut short.action]) {
        let groups: Vec<&mut RowGroup> = match ask {
            StepAsk::Rows(ask) => ask.rows.iter_mut().collect(),
            StepAsk::Sweeps(ask) => ask.rows.iter_mut().collect(),
            StepAsk::Heads(ask) => vec![&mut ask.rows],
            StepAsk::Coupling(ask) => vec![&mut ask.rows],
            StepAsk::Lens(_) | StepAsk::Survey(_) | StepAsk::Theory(_) => Vec::new(),
        };
        for group in groups {
            group.count = group.count.min(ROWS);
            if let Some(plain) = &mut group.plain {
                plain.count = plain.count.min(ROWS);
            }
        }
    }
    short
}

/// A model, what it was asked, with which prompt, and what came of it.
type AskedOnce = (String, StepAsk, Option<String>, Result<StepFound, String>);

/// The survey and the models that lessons are taught with.
pub struct School {
    survey: Survey,
    real_survey: Survey,
    models: BTreeMap<String, LoadedModel>,
    /// Results of earlier runs: the same ask of the same model finds the same.
    found: Vec<AskedOnce>,
}

impl School {
    pub fn open() -> Self {
        let [survey, real_survey] = ["survey", "smollm2-survey"].map(|name| {
            let bytes = shipped(&format!("examples/{name}.atelier.json"));
            Opened::read(&bytes).and_then(Opened::survey).expect("a survey")
        });
        Self { survey, real_survey, models: BTreeMap::new(), found: Vec::new() }
    }

    /// Models that no lesson is written for, where they are at hand.
    pub fn strangers(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        for name in ["stories260k", "random-llama3"] {
            if let Some(folder) = common::model_folder(name) {
                let mut model = common::load(&folder);
                name.clone_into(&mut model.name);
                self.models.insert(name.to_owned(), model);
                names.push(name.to_owned());
            }
        }
        names
    }

    /// The shipped models with the numbers of each weight matrix in another order: of the same shape and
    /// words, and with nothing learned.
    pub fn shuffled(&mut self) -> Vec<String> {
        let seeds = [1];
        let names = seeds.map(|seed| {
            let name = format!("shuffled-{seed}");
            let model = shuffled(&name, "scholar-12", seed);
            self.models.insert(name.clone(), model);
            name
        });
        names.into()
    }

    /// Values of the fields in the step's predicates, on every model that it ran on.
    pub fn seen(&self, lesson: &Lesson, step: &LessonStep) -> BTreeMap<FieldName, Vec<FieldValue>> {
        let prompt = lesson.prompt.as_ref().map(|prompt| prompt.text.clone());
        let of = |wanted: Option<&StepAsk>| -> Vec<(&str, &StepFound)> {
            let kept =
                self.found.iter().filter(|(_, ask, at, _)| Some(ask) == wanted && *at == prompt);
            let kept = kept.filter_map(|(by, .., found)| Some((by.as_str(), found.as_ref().ok()?)));
            kept.collect()
        };
        let (befores, afters) = (of(step.before.as_ref()), of(Some(&step.action)));
        let mut seen: BTreeMap<FieldName, Vec<FieldValue>> = BTreeMap::new();
        for (by, after) in afters {
            let before = befores.iter().find(|(of, _)| *of == by).or(befores.first());
            let before = before.map(|(_, found)| *found);
            for name in step.options.iter().flat_map(|option| option.holds.fields()) {
                let run = if name.is_before { before } else { Some(after) };
                if let Some(Ok(value)) = run.map(|run| run.field(&name, before)) {
                    seen.entry(name).or_default().push(value);
                }
            }
        }
        seen
    }

    /// Runs the step and returns the pictures that are drawn.
    pub fn pictures(
        &mut self,
        lesson: &Lesson,
        step: &LessonStep,
        taught: &str,
    ) -> Vec<StepPicture> {
        let before = step.before.as_ref().map(|ask| self.found(lesson, ask, taught));
        let before = before.and_then(Result::ok);
        let found = self.found(lesson, &step.action, taught);
        found.map_or_else(|_| Vec::new(), |found| found.pictures(before.as_ref()))
    }

    /// The step's outcomes had its models' numbers been one another's, or its made-up members others.
    pub fn made_up(
        &mut self,
        lesson: &Lesson,
        step: &LessonStep,
        taught: &str,
    ) -> Vec<StepOutcome> {
        let before = step.before.as_ref().map(|ask| self.found(lesson, ask, taught));
        let Ok(before) = before.transpose() else { return Vec::new() };
        let found = self.found(lesson, &step.action, taught);
        let Ok(found) = found else { return Vec::new() };
        let StepFound { ask, models } = found;
        let others: Vec<StepFound> = match ask {
            StepAsk::Theory(ask) => {
                let others = match ask {
                    TheoryAsk::Voters { .. } => vec![TheoryAsk::Voters { members: 1 }],
                    TheoryAsk::Gains { .. } => vec![TheoryAsk::Gains { together: 0.0 }],
                    TheoryAsk::Bases { .. } => {
                        [2, 1_000_000].map(|k| TheoryAsk::Bases { k }).into()
                    }
                };
                let others = others.into_iter().map(StepAsk::Theory);
                others.map(|ask| StepFound { ask, models: Vec::new() }).collect()
            }
            ask => {
                let shuffled = orders_of(&models).into_iter().map(|mut shuffled| {
                    for (of, model) in shuffled.iter_mut().zip(&models) {
                        of.model.clone_from(&model.model);
                    }
                    shuffled
                });
                let others = shuffled.chain(swept::others(&models));
                others.map(|models| StepFound { ask: ask.clone(), models }).collect()
            }
        };
        let outcome =
            |found: &StepFound| lesson.outcome(step, "made up", before.as_ref(), Some(found));
        others.iter().map(outcome).collect()
    }

    /// A model that is here, or comes with the program.
    pub fn load(&mut self, name: &str) -> &LoadedModel {
        let open = || opened(name, name, &|bytes| FileBytes::Static(bytes));
        self.models.entry(name.to_owned()).or_insert_with(open)
    }

    /// A step of the lesson's file to its end.
    pub fn run(&mut self, lesson: &Lesson, step: &LessonStep, taught: &str) -> StepOutcome {
        let taught = match step.runs_taught() {
            true => taught,
            false => lesson.model_of(step),
        };
        match self.ran(lesson, step, taught) {
            Ok((step, before, found)) => {
                lesson.outcome(&step, taught, before.as_ref(), Some(&found))
            }
            Err(why) => {
                lesson.cannot_show(&lesson.written(step).expect("a checked step"), taught, &why)
            }
        }
    }

    /// The step as the model took it that it is written for.
    pub fn taken(&mut self, lesson: &Lesson, step: &LessonStep) -> LessonStep {
        let taught = lesson.model_of(step).to_owned();
        self.ran(lesson, step, &taught).expect("it is written for this model").0
    }

    /// The step as the model takes it, and what its phases found.
    fn ran(
        &mut self,
        lesson: &Lesson,
        step: &LessonStep,
        taught: &str,
    ) -> Result<(LessonStep, Option<StepFound>, StepFound), String> {
        // The real model's numbers are read from a report where it is not open.
        let is_open = taught != REAL_MODEL || self.models.contains_key(taught);
        let step = match step.runs_taught() && is_open {
            true => {
                self.load(taught);
                let by = LessonTaker::new(&self.models[taught]);
                lesson.fitted(step, &by).map_err(|error| error.to_string())?
            }
            false => lesson.written(step).expect("a checked step"),
        };
        let before = step.before.as_ref().map(|ask| self.found(lesson, ask, taught));
        let before = before.transpose()?;
        let step = step.after(before.as_ref()).map_err(|error| error.to_string())?;
        let found = self.found(lesson, &step.action, taught)?;
        Ok((step, before, found))
    }

    /// A model from a file, which no lesson is written for.
    pub fn enter(&mut self, file: &Path) -> String {
        let model = common::load(file);
        let name = model.name.clone();
        self.models.insert(name.clone(), model);
        name
    }

    fn found(&mut self, lesson: &Lesson, ask: &StepAsk, own: &str) -> Result<StepFound, String> {
        let prompt = lesson.prompt.as_ref().map(|prompt| prompt.text.clone());
        // Where the models are named, whoever is taught with runs nothing.
        let taught = match ask.models(own) {
            Ok(names) if !names.is_empty() => names.join(" "),
            _ => own.to_owned(),
        };
        let taught = taught.as_str();
        let mut kept = self.found.iter();
        let kept = kept.find(|(of, asked, at, _)| of == taught && asked == ask && *at == prompt);
        if let Some((.., found)) = kept {
            return found.clone();
        }
        let found = self.run_anew(lesson, ask, own);
        let kept = (taught.to_owned(), ask.clone(), prompt, found.clone());
        self.found.push(kept);
        found
    }

    fn run_anew(
        &mut self,
        lesson: &Lesson,
        ask: &StepAsk,
        taught: &str,
    ) -> Result<StepFound, String> {
        if let StepAsk::Survey(ask) = ask {
            return Ok(StepFound::of_surveys(&[&self.survey, &self.real_survey], ask));
        }
        let names = ask.models(taught).map_err(|error| error.to_string())?;
        let mut all = Vec::new();
        for name in &names {
            let is_open = name != REAL_MODEL || self.models.contains_key(name);
            if let Some(file) = ask.report().filter(|_| !is_open) {
                let report = Opened::read(&shipped(file)).and_then(Opened::report);
                let report = report.map_err(|error| error.to_string())?;
                let stored = ModelFound::of_report(&report, ask);
                all.push(stored.ok_or_else(|| format!("{file} lacks what is asked"))?);
                continue;
            }
            self.load(name);
            let model = &self.models[name];
            let one = || -> Result<_, StudyError> {
                let mut running = WorkRunning::start(model, ask, lesson.prompt.as_ref())?;
                while running.advance()?.is_some() {}
                running.finish()
            };
            all.push(one().map_err(|error| error.to_string())?);
        }
        Ok(StepFound { ask: ask.clone(), models: all })
    }
}

/// A file that comes with the page.
fn shipped(file: &str) -> Vec<u8> {
    let public = in_project("public");
    std::fs::read(public.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// A shipped model under a name, its weights' file as `weights_of` makes it.
fn opened(name: &str, of: &str, weights_of: &dyn Fn(&'static [u8]) -> FileBytes) -> LoadedModel {
    let known = catalogue::find(of).unwrap_or_else(|| panic!("a model called {of}"));
    let (mut small, mut weights) = (Vec::new(), Vec::new());
    for file in known.files {
        if ModelFiles::is_weights(file.name) {
            weights.push((file.name.to_owned(), weights_of(file.bytes)));
        } else {
            small.push((file.name.to_owned(), FileBytes::Static(file.bytes)));
        }
    }
    let files = ModelFiles::new(name, small, weights).expect("a shipped model");
    LoadedModel::from_files(&files, &mut |_, _| ()).expect("a model that loads")
}

fn shuffled(name: &str, of: &str, seed: u32) -> LoadedModel {
    opened(name, of, &|bytes| {
        let mut bytes = bytes.to_vec();
        let length = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
        let header: serde_json::Value =
            serde_json::from_slice(&bytes[8..8 + length]).expect("a header");
        let data = 8 + length;
        let mut random = rand_mt::Mt::new(seed);
        for (tensor, facts) in header.as_object().expect("tensors") {
            // Norms are vectors of about one.
            if tensor == "__metadata__" || facts["shape"].as_array().map_or(0, Vec::len) < 2 {
                continue;
            }
            let at = |n: usize| facts["data_offsets"][n].as_u64().expect("an offset") as usize;
            let numbers = &mut bytes[data + at(0)..data + at(1)];
            for i in (1..numbers.len() / 2).rev() {
                let j = random.next_u32() as usize % (i + 1);
                numbers.swap(2 * i, 2 * j);
                numbers.swap(2 * i + 1, 2 * j + 1);
            }
        }
        FileBytes::Owned(bytes)
    })
}

/// Reversed, and rotated.
fn orders_of<T: Clone>(all: &[T]) -> Vec<Vec<T>> {
    if all.len() < 2 {
        return Vec::new();
    }
    let reversed = all.iter().rev().cloned().collect();
    let rotated = (1..all.len()).map(|by| {
        let mut rotated = all.to_vec();
        rotated.rotate_left(by);
        rotated
    });
    rotated.chain([reversed]).collect()
}
