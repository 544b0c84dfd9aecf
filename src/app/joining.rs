//! Several surveys as one, where they asked the same; and a part of one.

use crate::study::survey::{Survey, SurveyCell, correlations};

/// Surveys joined into one.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    pub survey: Survey,
    /// Tasks that could not be compared, one sentence each.
    pub notes: Vec<String>,
}

/// Joins reports, each with the name of its file. Tasks are the same where name, fingerprint and
/// worked examples agree; others of one name stand apart, with the report's name, and it is said.
/// `None` for no reports.
pub fn join(reports: &[(&str, &Survey)]) -> Option<Joined> {
    let ((_, first), others) = reports.split_first()?;
    let mut survey = (*first).clone();
    // What was asked besides the questions themselves.
    let asked = |survey: &Survey| (survey.shots, if survey.shots > 0 { survey.seed } else { 0 });
    let mut ways: Vec<(usize, u64)> = vec![asked(first); survey.tasks.len()];
    let mut notes = Vec::new();
    for (report, other) in others {
        let mut apart = Vec::new();
        let tasks: Vec<usize> = other
            .tasks
            .iter()
            .map(|task| {
                let same = survey.tasks.iter().zip(&ways).position(|(known, way)| {
                    known.fingerprint == task.fingerprint && *way == asked(other)
                });
                same.unwrap_or_else(|| {
                    let mut task = task.clone();
                    let taken = |name: &str| survey.tasks.iter().any(|known| known.name == name);
                    if taken(&task.name) {
                        apart.push(task.name.clone());
                        task.name = free(&format!("{} ({report})", task.name), &taken);
                    }
                    survey.tasks.push(task);
                    ways.push(asked(other));
                    survey.tasks.len() - 1
                })
            })
            .collect();
        let models: Vec<usize> = other
            .models
            .iter()
            .map(|model| {
                let mut model = model.clone();
                let taken = |name: &str| survey.models.iter().any(|known| known.name == name);
                if taken(&model.name) {
                    model.name = free(&format!("{} ({report})", model.name), &taken);
                }
                survey.models.push(model);
                survey.models.len() - 1
            })
            .collect();
        survey.cells.extend(other.cells.iter().map(|cell| SurveyCell {
            model: models[cell.model],
            task: tasks[cell.task],
            outcome: cell.outcome.clone(),
        }));
        survey.rows = survey.rows.max(other.rows);
        if !apart.is_empty() {
            notes.push(format!(
                "{report} asked other questions of {}, or asked them another way: do not compare its numbers with the others'.",
                apart.join(", ")
            ));
        }
    }
    if !others.is_empty() {
        survey.correlations = correlations(&survey.cells, survey.tasks.len());
    }
    Some(Joined { survey, notes })
}

/// `name`, or with the first number after it that nobody has.
fn free(name: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|n| format!("{name} {n}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}

/// Without some tasks and some models' numbers. Models stay in the list, so that each keeps its
/// colour; correlations are taken anew.
pub fn part(survey: &Survey, model: impl Fn(&str) -> bool, task: impl Fn(&str) -> bool) -> Survey {
    let mut places = Vec::new();
    let mut tasks = Vec::new();
    for known in &survey.tasks {
        places.push(task(&known.name).then_some(tasks.len()));
        if task(&known.name) {
            tasks.push(known.clone());
        }
    }
    let cells: Vec<SurveyCell> = survey
        .cells
        .iter()
        .filter(|cell| model(&survey.models[cell.model].name))
        .filter_map(|cell| Some(SurveyCell { task: places[cell.task]?, ..cell.clone() }))
        .collect();
    Survey {
        correlations: if cells.len() == survey.cells.len() && tasks.len() == survey.tasks.len() {
            survey.correlations.clone()
        } else {
            correlations(&cells, tasks.len())
        },
        models: survey.models.clone(),
        rows: survey.rows,
        shots: survey.shots,
        seed: survey.seed,
        tasks,
        cells,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::survey::SurveyReport;

    fn baked() -> Survey {
        let text = include_str!("../../public/examples/survey.atelier.json");
        SurveyReport::read(text).expect("the baked survey").survey
    }

    #[test]
    fn reports_that_asked_the_same_share_tasks_and_name_their_models() {
        let first = baked();
        let joined = join(&[("baked", &first), ("b.json", &first)]).expect("two reports");
        assert_eq!(joined.survey.tasks.len(), first.tasks.len());
        assert_eq!(joined.survey.models.len(), 2 * first.models.len());
        assert_eq!(joined.survey.models[5].name, "scholar-2 (b.json)");
        assert_eq!(joined.survey.cells.len(), 2 * first.cells.len());
        assert_eq!(joined.survey.cells[50].model, 5);
        assert!(joined.notes.is_empty());
    }

    #[test]
    fn another_fingerprint_is_another_task() {
        let first = baked();
        let mut other = baked();
        other.tasks[1].fingerprint = "0".into();
        let joined = join(&[("baked", &first), ("b.json", &other)]).expect("two reports");
        assert_eq!(joined.survey.tasks.len(), 11);
        assert_eq!(joined.survey.tasks[10].name, "quiz (b.json)");
        assert!(joined.notes[0].starts_with("b.json asked other questions of quiz"));
        // Worked examples in front make it another task, too.
        let mut shots = baked();
        shots.shots = 4;
        let joined = join(&[("baked", &first), ("c.json", &shots)]).expect("two reports");
        assert_eq!(joined.survey.tasks.len(), 20);
    }

    #[test]
    fn a_part_keeps_the_models_places() {
        let first = baked();
        let part =
            part(&first, |model| model != "scholar-2", |task| task == "sum" || task == "last");
        assert_eq!(part.models, first.models);
        assert_eq!(part.tasks.len(), 2);
        assert_eq!(part.cells.len(), 8);
        assert!(part.cells.iter().all(|cell| cell.model > 0 && cell.task < 2));
        assert_eq!(part.correlations.len(), 3);
    }

    #[test]
    fn correlations_of_a_task_that_is_not_ticked_do_not_stay() {
        // As edited by hand: nothing was measured on the last task, but it has a correlation.
        let mut edited = baked();
        let last = edited.tasks.len() - 1;
        edited.cells.retain(|cell| cell.task != last);
        let name = edited.tasks[last].name.clone();
        let part = part(&edited, |_| true, |task| task != name);
        let listed = |task: usize| task < part.tasks.len();
        assert!(part.correlations.iter().all(|found| found.task.is_none_or(listed)));
        crate::chart::overview_figures(&part, &crate::chart::LIGHT);
    }
}
