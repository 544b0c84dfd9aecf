//! Which tasks and lessons a model can take, in a sentence each.

use super::tasks::groups;
use crate::chart::number::listed;
use crate::study::lessons::LessonFits;
use crate::study::refusal::TaskRefusal;
use crate::task::built_in::BuiltInTask;

/// Says which models show the steps that this one cannot.
pub const OTHERS: &str =
    "Steps that a model cannot show are shown by the model that they are written for.";

/// Says of each group of built-in tasks how many the open model can be asked.
pub fn tasks(refused: &[TaskRefusal]) -> String {
    let counted = groups().map(|(heading, group)| {
        let is_asked = |task: &&BuiltInTask| refused.iter().all(|refusal| refusal.task != **task);
        let asked: Vec<&str> = group.iter().filter(is_asked).map(|task| task.name()).collect();
        let heading = heading.replacen("Tasks", "tasks", 1);
        match asked.len() {
            0 => format!("none of the {} {heading}", group.len()),
            all if all == group.len() => format!("all {all} {heading}"),
            some => format!("{some} of the {} {heading} ({})", group.len(), asked.join(", ")),
        }
    });
    format!("It can be asked {}.", counted.join(" and "))
}

/// Says which lessons the model can show wholly, in part, or not at all.
pub fn lessons(fits: &LessonFits) -> String {
    let LessonFits { whole, partly, none } = fits;
    if partly.is_empty() && none.is_empty() {
        return format!("Lessons: all {}.", whole.len());
    }
    let parts = [("whole", whole), ("in part", partly), ("not at all", none)];
    let parts = parts.into_iter().filter(|(_, numbers)| !numbers.is_empty());
    let parts: Vec<String> =
        parts.map(|(how, numbers)| format!("{} {how}", listed(numbers))).collect();
    format!("Lessons: {}.", parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_counted_by_group() {
        let refused = |is_refused: fn(&str) -> bool| -> Vec<TaskRefusal> {
            let tasks = BuiltInTask::all().filter(|task| is_refused(task.name()));
            tasks.map(|task| TaskRefusal { task, reason: String::new() }).collect()
        };
        let is_plain =
            |name: &str| matches!(BuiltInTask::from_name(name), Some(BuiltInTask::Plain(_)));
        let of_scholars = refused(is_plain);
        assert_eq!(
            tasks(&of_scholars),
            "It can be asked none of the 9 tasks in plain English and all 10 tasks of the scholars."
        );
        assert_eq!(
            tasks(&refused(|name| name != "sum" && name != "capitals")),
            "It can be asked 1 of the 9 tasks in plain English (capitals) and 1 of the 10 tasks of the scholars (sum)."
        );
    }

    #[test]
    fn lessons_are_listed_by_how_far_they_can_be_shown() {
        let fits = |whole: &[usize], partly: &[usize], none: &[usize]| LessonFits {
            whole: whole.into(),
            partly: partly.into(),
            none: none.into(),
        };
        assert_eq!(lessons(&fits(&[1, 2, 3], &[], &[])), "Lessons: all 3.");
        assert_eq!(
            lessons(&fits(&[2, 5, 6], &[1, 3], &[10])),
            "Lessons: 2, 5 and 6 whole; 1 and 3 in part; 10 not at all."
        );
        assert_eq!(lessons(&fits(&[], &[1], &[])), "Lessons: 1 in part.");
    }
}
