//! Levels: how hard a row is, in the task's own unit.

use super::GeneratedTask;

/// How many levels a task has: `0..levels(task)`.
pub fn levels(task: GeneratedTask) -> usize {
    task.facts().levels
}

/// Returns a level in the task's own unit: 9, where sums have nine digits.
pub fn level_count(task: GeneratedTask, level: usize) -> usize {
    task.facts().counted.0 + level
}

/// Returns the level of a number in the task's own unit; `None` where the task has no such level.
pub fn level_of_count(task: GeneratedTask, count: usize) -> Option<usize> {
    let level = count.checked_sub(task.facts().counted.0)?;
    (level < levels(task)).then_some(level)
}

/// Returns the plural name of the levels' unit: "digits", "hops".
pub fn level_noun(task: GeneratedTask) -> &'static str {
    task.facts().counted.1
}

/// A level in words: "5 digits", "2 hops".
pub fn level_name(task: GeneratedTask, level: usize) -> String {
    let (count, several) = (level_count(task, level), level_noun(task));
    format!("{count} {}", if count == 1 { several.trim_end_matches('s') } else { several })
}

/// All levels in words: "2 to 9 digits".
pub fn level_range(task: GeneratedTask) -> String {
    let (first, several) = task.facts().counted;
    format!("{first} to {} {several}", first + levels(task) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_said_in_the_tasks_own_count() {
        assert_eq!(level_name(GeneratedTask::Sum, 7), "9 digits");
        assert_eq!(level_name(GeneratedTask::Fact, 0), "1 hop");
        assert_eq!(level_range(GeneratedTask::Mood), "0 to 6 negations");
        for task in GeneratedTask::ALL {
            for level in 0..levels(task) {
                let count = level_count(task, level);
                assert_eq!(level_of_count(task, count), Some(level));
            }
            let past = level_count(task, levels(task));
            assert_eq!(level_of_count(task, past), None);
        }
        assert_eq!(level_of_count(GeneratedTask::Sum, 1), None);
    }
}
