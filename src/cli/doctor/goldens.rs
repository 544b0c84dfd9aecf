//! `--goldens`: golden runs in a folder, on every engine that is there.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;

use super::super::output::Progress;
use super::Clinic;
use crate::model::ModelFiles;
use crate::study::LoadedModel;
use crate::study::doctor::golden::{self, GoldenResult};
use crate::study::doctor::{DoctorReport, EngineThere};

/// Golden runs of a folder.
#[derive(Default)]
pub struct Goldens {
    found: Vec<Golden>,
    /// Files that are no golden runs, and models that are not there.
    pub unmeasured: Vec<String>,
    is_asked: bool,
}

struct Golden {
    name: String,
    model: String,
    folder: PathBuf,
    content: Value,
}

/// Reads the golden runs of a folder, whose models lie beside them or in `models`.
///
/// # Errors
/// A folder that cannot be read, a file that is no JSON, or no golden whose model is there.
pub fn find(folder: &Path, models: Option<&Path>) -> anyhow::Result<Goldens> {
    let unreadable = || format!("the goldens' folder {} cannot be read", folder.display());
    let mut goldens = Goldens { is_asked: true, ..Goldens::default() };
    let entries = std::fs::read_dir(folder).with_context(unreadable)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let paths: std::io::Result<Vec<PathBuf>> = paths.collect();
    let mut paths = paths.with_context(unreadable)?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    for path in &paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(path);
        let text = text.with_context(|| format!("the golden {} cannot be read", path.display()))?;
        let content: Value = serde_json::from_str(&text)
            .with_context(|| format!("the golden {} is no JSON", path.display()))?;
        let Some(model) = golden::model_of(&content).map(str::to_string) else {
            goldens.unmeasured.push(format!("{name}: no golden run of a model"));
            continue;
        };
        let places = [Some(folder), models].into_iter().flatten();
        let mut places = places.map(|place| place.join(&model));
        match places.find(|place| place.exists()) {
            None => goldens.unmeasured.push(format!("{name}: its model {model} is not there")),
            Some(place) => goldens.found.push(Golden {
                name: name.into_owned(),
                model,
                folder: place,
                content,
            }),
        }
    }
    if goldens.found.is_empty() {
        anyhow::bail!(
            "no golden values in {} have their model beside them{}; name the folder with their models by \
             --models",
            folder.display(),
            models.map_or(String::new(), |models| format!(" or in {}", models.display())),
        );
    }
    Ok(goldens)
}

/// Every golden on every engine.
pub fn check(desk: &Clinic, goldens: &Goldens, engines: &[EngineThere], report: &mut DoctorReport) {
    if !goldens.is_asked {
        return super::say_unasked(report, "golden runs", "--goldens FOLDER");
    }
    let of = goldens.found.len() * engines.len();
    let progress = Progress::new("checking goldens", "runs");
    for engine in engines {
        progress.doing(format!("checking goldens on {}", engine.name));
        for golden in &goldens.found {
            progress.at(report.goldens.len(), of);
            let result = GoldenResult::new(&golden.name, &golden.model, engine);
            match one(desk, golden, engine, result.clone()) {
                _ if desk.is_ended() => {
                    let said = format!("{} and later goldens on {}", golden.name, engine.name);
                    report.unmeasured.push(format!("{said}: it was ended"));
                    break;
                }
                Ok(Some(found)) => report.goldens.push(found),
                Ok(None) => report.goldens.push(result.failed(&"it was ended")),
                Err(error) => report.goldens.push(result.failed(&format!("{error:#}"))),
            }
        }
    }
}

fn one(
    desk: &Clinic,
    golden: &Golden,
    engine: &EngineThere,
    result: GoldenResult,
) -> anyhow::Result<Option<GoldenResult>> {
    let files = ModelFiles::open(&golden.folder)?;
    let model = LoadedModel::from_files_with(&files, &engine.choice, &mut |_, _| ())?;
    let mut goes_on = |_, _| match desk.is_ended() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    Ok(golden::check(&golden.content, &model, result, &mut goes_on)?)
}
