//! Which built-in tasks the page offers, by what the open model can be asked.

use crate::study::refusal::TaskRefusal;
use crate::task::built_in::BuiltInTask;
use crate::task::primer::GeneratedTask;

/// Built-in tasks with the heading that they stand under.
pub fn groups() -> [(&'static str, Vec<BuiltInTask>); 2] {
    let is_plain = |task: &BuiltInTask| matches!(task, BuiltInTask::Plain(_));
    let (plain, scholars) = BuiltInTask::all().partition(is_plain);
    [("Tasks in plain English", plain), ("Tasks of the scholars", scholars)]
}

/// Why the model cannot be asked this task.
pub fn reason(refused: &[TaskRefusal], task: BuiltInTask) -> Option<&str> {
    let found = refused.iter().find(|refusal| refusal.task == task);
    found.map(|refusal| refusal.reason.as_str())
}

/// Returns the task that is chosen until the reader chooses: the first in plain English where the model can be asked
/// one, else the scholars' sum; `None` where it can be asked none.
pub fn first(refused: &[TaskRefusal]) -> Option<BuiltInTask> {
    let sum = BuiltInTask::Generated(GeneratedTask::Sum);
    let plain = BuiltInTask::all().filter(|task| matches!(task, BuiltInTask::Plain(_)));
    let mut by_preference = plain.chain([sum]).chain(BuiltInTask::all());
    by_preference.find(|&task| reason(refused, task).is_none())
}

/// Returns the sentences that say which of these tasks `model` cannot be asked, with the first one's reason; `None`
/// where it can be asked all.
pub fn refusal(refused: &[TaskRefusal], tasks: &[BuiltInTask], model: &str) -> Option<String> {
    let found: Vec<&TaskRefusal> =
        refused.iter().filter(|refusal| tasks.contains(&refusal.task)).collect();
    let first = found.first()?;
    let names: Vec<&str> = found.iter().map(|refusal| refusal.task.name()).collect();
    let names = match names.len() == tasks.len() {
        true => "these tasks".to_owned(),
        false => names.join(", "),
    };
    Some(format!("{model} cannot be asked {names}. For {}: {}.", first.task.name(), first.reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::plain::PlainTask;

    fn refused(names: &[&str]) -> Vec<TaskRefusal> {
        let task = |name: &&str| BuiltInTask::from_name(name).expect("a task");
        let refusal = |name| TaskRefusal { task: task(name), reason: format!("no {name}") };
        names.iter().map(refusal).collect()
    }

    #[test]
    fn the_first_task_is_one_that_the_model_can_be_asked() {
        let plain: Vec<&str> = PlainTask::ALL.map(PlainTask::name).to_vec();
        let name = |refused: &[TaskRefusal]| first(refused).map(BuiltInTask::name);
        assert_eq!(name(&[]), Some("capitals"));
        assert_eq!(name(&refused(&["capitals", "sum"])), Some("opposites"));
        assert_eq!(name(&refused(&plain)), Some("sum"));
        let without_sum = [plain.as_slice(), &["sum", "topic"]].concat();
        assert_eq!(name(&refused(&without_sum)), Some("quiz"));
        let all: Vec<&str> = BuiltInTask::all().map(BuiltInTask::name).collect();
        assert_eq!(name(&refused(&all)), None);
    }

    #[test]
    fn what_cannot_be_asked_is_said_with_its_reason() {
        let [(_, plain), (_, scholars)] = groups();
        assert_eq!((plain.len(), scholars.len()), (9, 10));
        let two = refused(&["sum", "last"]);
        assert_eq!(refusal(&two, &plain, "m"), None);
        let said = "m cannot be asked sum, last. For sum: no sum.";
        assert_eq!(refusal(&two, &scholars, "m").as_deref(), Some(said));
        let names: Vec<&str> = plain.iter().map(|task| task.name()).collect();
        let said = "m cannot be asked these tasks. For capitals: no capitals.";
        assert_eq!(refusal(&refused(&names), &plain, "m").as_deref(), Some(said));
    }
}
