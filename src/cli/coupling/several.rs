//! Several models, each by a name that no other of them has.

use std::path::Path;

use anyhow::ensure;

use crate::cli::known;
use crate::model::ModelFiles;
use crate::model::catalogue;
use crate::model::hub::HubName;

/// Each model's files. Checkpoints of two trainings are called alike, `step-000500`: they are named with
/// as much of their places as tells them apart, `first/step-000500`.
///
/// # Errors
/// When a model cannot be opened, or is named twice.
pub fn files<'a>(asked: impl Iterator<Item = &'a str>) -> anyhow::Result<Vec<ModelFiles>> {
    let (mut models, mut places) = (Vec::new(), Vec::new());
    for name in asked {
        let files = known::files(name)?;
        places.push((files.name.clone(), place(name)?));
        models.push(files);
    }
    for (files, name) in models.iter_mut().zip(told_apart(&places)) {
        files.name = name;
    }
    for (n, files) in models.iter().enumerate() {
        ensure!(
            !models[..n].iter().any(|other| other.name == files.name),
            "--models names {} twice: give each model once",
            files.name
        );
    }
    Ok(models)
}

/// Where a model lies, from the outside in: `home`, `runs`, `first`, `step-000500`.
fn place(name: &str) -> anyhow::Result<Vec<String>> {
    if catalogue::find(name).is_some() {
        return Ok(vec![name.to_owned()]);
    }
    if HubName::is_one(name) {
        let hub = HubName::parse(name)?;
        let owner = hub.repo.split_once('/').map(|(owner, _)| owner.to_owned());
        return Ok(owner.into_iter().chain([hub.title()]).collect());
    }
    let path = Path::new(name);
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let parts = path.components().map(|part| {
        let shown = part.as_os_str().to_string_lossy();
        // As in any model's name.
        let plain = shown.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
        plain.trim_matches('/').to_owned()
    });
    Ok(parts.filter(|part| !part.is_empty()).collect())
}

/// The name of each; where several have the same, the shortest end of its place that no other has.
fn told_apart(models: &[(String, Vec<String>)]) -> Vec<String> {
    let end = |place: &[String], parts: usize| {
        let from = place.len().saturating_sub(parts);
        place[from..].join("/")
    };
    let name = |(at, (name, place)): (usize, &(String, Vec<String>))| {
        let others: Vec<&[String]> = models
            .iter()
            .enumerate()
            .filter(|(n, (other, _))| *n != at && other == name)
            .map(|(_, (_, place))| &place[..])
            .collect();
        let is_own = |parts: &usize| {
            let own = end(place, *parts);
            others.iter().all(|other| end(other, *parts) != own)
        };
        let own = (1..=place.len()).find(is_own);
        match own.filter(|_| !others.is_empty()) {
            Some(parts) => end(place, parts),
            None => name.clone(),
        }
    };
    models.iter().enumerate().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(models: &[(&str, &str)]) -> Vec<String> {
        let parts = |place: &str| place.split('/').map(str::to_owned).collect();
        let models: Vec<_> =
            models.iter().map(|(name, place)| ((*name).to_owned(), parts(place))).collect();
        told_apart(&models)
    }

    #[test]
    fn those_that_are_called_alike_are_named_by_where_they_lie() {
        let names = apart(&[
            ("step-000500", "runs/a/step-000500"),
            ("step-000500", "runs/b/step-000500"),
            ("step-001000", "runs/a/step-001000"),
        ]);
        assert_eq!(names, ["a/step-000500", "b/step-000500", "step-001000"]);
        let names = apart(&[("m", "x/one/m"), ("m", "y/one/m"), ("m", "one/m")]);
        assert_eq!(names, ["x/one/m", "y/one/m", "m"]);
        // A shipped model keeps its name, and so does a file's that says its own.
        let names = apart(&[("scholar-2", "scholar-2"), ("scholar-2", "d/scholar-2")]);
        assert_eq!(names, ["scholar-2", "d/scholar-2"]);
        let names = apart(&[("small", "d/q4.gguf"), ("small", "d/q8.gguf")]);
        assert_eq!(names, ["q4.gguf", "q8.gguf"]);
    }

    #[test]
    fn one_place_twice_keeps_one_name() {
        assert_eq!(apart(&[("m", "d/m"), ("m", "d/m")]), ["m", "m"]);
    }
}
