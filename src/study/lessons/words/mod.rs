//! Fields in words, for who reads a run's numbers: what each is, and in which unit.

mod fields;

use super::members::spoken;
use super::reading::{LOUDEST, OPPONENT};
use super::source::listed;
use super::{FieldName, LessonStep, RowGroup, StepAsk, TheoryAsk};
use crate::model::catalogue::moment;

impl LessonStep {
    /// Describes a field of this step; `None` where its runs have no such field.
    pub fn words_of(&self, name: &FieldName) -> Option<String> {
        let ask = match name.is_before {
            true => self.before.as_ref()?,
            false => &self.action,
        };
        let words = ask.words_of(name)?;
        let model = name.model.as_deref();
        let model = model.map_or_else(String::new, |model| match moment(model) {
            Some(step) => format!(", after step {step}"),
            None => format!(", {model}"),
        });
        let before = if name.is_before { "before: " } else { "" };
        Some(format!("{before}{words}{model}"))
    }

    /// Says on how many rows the question is answered: `"40 rows each of sum and quiz"`; `None` where no rows of a
    /// task are run.
    pub fn rows_in_words(&self) -> Option<String> {
        let groups = self.action.groups();
        let first = groups.first()?;
        let tasks = groups.iter().map(|group| task(groups, group.name()));

        // Groups of one size share their number.
        if groups.iter().all(|group| group.count == first.count) {
            let tasks: Vec<String> = tasks.collect();
            let tasks: Vec<&str> = tasks.iter().map(String::as_str).collect();
            let each = if groups.len() > 1 { " each" } else { "" };
            return Some(format!("{} rows{each} of {}", first.count, listed(&tasks)));
        }
        let counted = groups.iter().zip(tasks);
        let counted = counted.map(|(group, task)| format!("{} rows of {task}", group.count));
        let counted: Vec<String> = counted.collect();
        Some(listed(&counted.iter().map(String::as_str).collect::<Vec<_>>()))
    }
}

impl StepAsk {
    /// The fields that such a run has, a line each: a name, and its words.
    fn table(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        lines(match self {
            Self::Lens(_) => fields::LENS,
            Self::Rows(_) | Self::Survey(_) => fields::CELLS,
            Self::Sweeps(_) => fields::SWEEPS,
            Self::Heads(_) => fields::HEADS,
            Self::Coupling(_) => fields::COUPLING,
            Self::Theory(TheoryAsk::Voters { .. }) => fields::VOTERS,
            Self::Theory(TheoryAsk::Gains { .. }) => fields::GAINS,
            Self::Theory(TheoryAsk::Bases { .. }) => fields::BASES,
        })
    }

    /// Lists the names of the fields that such a run has, and what their capital letters stand for.
    #[cfg(any(feature = "cli", feature = "web"))]
    pub(super) fn fields(&self) -> String {
        let names: Vec<&str> = self.table().map(|(name, _)| name).collect();
        let legend = match self {
            Self::Lens(_) => fields::LENS_LEGEND,
            Self::Rows(_) | Self::Survey(_) => fields::CELLS_LEGEND,
            Self::Sweeps(_) => fields::SWEEPS_LEGEND,
            Self::Heads(_) => fields::HEADS_LEGEND,
            Self::Coupling(_) => fields::COUPLING_LEGEND,
            Self::Theory(TheoryAsk::Voters { .. }) => fields::VOTERS_LEGEND,
            Self::Theory(TheoryAsk::Gains { .. }) => fields::GAINS_LEGEND,
            Self::Theory(TheoryAsk::Bases { .. }) => fields::BASES_LEGEND,
        };
        format!("{} ({legend})", names.join(", "))
    }

    fn words_of(&self, name: &FieldName) -> Option<String> {
        // The first line of the table that is of so many parts, each the same or any.
        let is_any = |word: &&str| word.starts_with(char::is_uppercase);
        let mut patterns =
            self.table().map(|(name, words)| (name.split('.').collect::<Vec<_>>(), words));
        let (pattern, words) = patterns.find(|(pattern, _)| {
            let mut pairs = pattern.iter().zip(&name.parts);
            pattern.len() == name.parts.len()
                && pairs.all(|(word, part)| is_any(word) || word == part)
        })?;

        // What stands for any part is said in words.
        let groups = self.groups();
        let mut filled = words.to_owned();
        for (word, part) in pattern.into_iter().zip(&name.parts).filter(|(word, _)| is_any(word)) {
            if word == "TASK" {
                filled = filled.replace("{ROWS}", &rows_of(groups, part));
            }
            filled = filled.replace(&format!("{{{word}}}"), &part_in_words(word, part, groups)?);
        }
        Some(filled)
    }
}

/// The lines of a table: a name, and its words.
fn lines(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table.lines().filter_map(|line| line.split_once(" | "))
}

/// Says a part of a field's name, of which a table knows the kind; `None` where there is no such one.
fn part_in_words(kind_of_part: &str, part: &str, groups: &[RowGroup]) -> Option<String> {
    Some(match kind_of_part {
        "TASK" => task(groups, part),
        "ORDER" | "OTHER_ORDER" => order(part),
        "MIDDLE" | "OTHER_MIDDLE" => order_of_middle(part),
        "MEMBER" => called(part),
        "PART" => spoken(part),
        "KIND" | "COLUMN" | "TERM" => {
            let name = format!("{kind_of_part}.{part}");
            lines(fields::PARTS).find(|(own, _)| *own == name)?.1.to_owned()
        }
        _ => part.to_owned(),
    })
}

/// The number of rows behind a number, after its unit: `", n = 48"`; nothing where the step does not say.
fn rows_of(groups: &[RowGroup], name: &str) -> String {
    let group = groups.iter().find(|group| group.name() == name);
    let count = group.map(|group| group.count).or_else(|| {
        let all: usize = groups.iter().map(|group| group.count).sum();
        (name == "mean" && all > 0).then_some(all)
    });
    count.map_or_else(String::new, |count| format!(", n = {count}"))
}

/// Says a member in words, also one that is named by its vote.
fn called(name: &str) -> String {
    match name {
        OPPONENT => "the attention that votes most against".to_owned(),
        LOUDEST => "the loudest component".to_owned(),
        _ => spoken(name),
    }
}

/// A task in words; rows that have a name of their own have both.
fn task(groups: &[RowGroup], name: &str) -> String {
    let group = groups.iter().find(|group| group.name() == name);
    match (name, group) {
        ("mean", _) => "all tasks".to_owned(),
        (_, Some(group)) if group.task != name => format!("{} ({name})", group.task),
        _ => name.to_owned(),
    }
}

/// An order in words: of the model's own, of one block left out, or of the step's.
fn order(name: &str) -> String {
    match (name, name.strip_prefix("drop:")) {
        ("own", _) => "the original order".to_owned(),
        (_, Some(block)) => format!("block {block} left out"),
        _ => format!("order “{}”", name.replace('-', " ")),
    }
}

/// An order of the middle in words.
fn order_of_middle(name: &str) -> String {
    if let Some(short) = name.strip_prefix("few-") {
        return order_of_middle(short).replacen("the middle", "the short middle", 1);
    }
    let rounds = name.strip_prefix("loop-");
    match (name, rounds) {
        ("own", _) => "the original order".to_owned(),
        ("inside", _) => "a block of the middle left out".to_owned(),
        ("outside", _) => "a block of an end left out".to_owned(),
        ("few", _) => "the short middle left out".to_owned(),
        ("skip", _) => "the middle left out".to_owned(),
        ("repeat", _) => "the middle's centre in every place of it".to_owned(),
        ("reverse", _) => "the middle reversed".to_owned(),
        ("shuffle", _) => "the middle shuffled".to_owned(),
        ("parallel", _) => "the middle in parallel".to_owned(),
        (_, Some(rounds)) => format!("the middle in parallel, {rounds} rounds"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::study::lessons::{FieldName, LESSONS, Lesson, LessonStep};

    fn step(lesson: usize, id: &str) -> LessonStep {
        let file = format!("public/lessons/{}.toml", LESSONS[lesson - 1]);
        let text = std::fs::read_to_string(&file).expect("a lesson of ours");
        let lesson = Lesson::read(&file, &text).expect("a lesson");
        lesson.steps.into_iter().find(|step| step.id == id).expect("its step")
    }

    #[test]
    fn rows_are_said_with_their_number() {
        let said = [(1, "alone"), (7, "swap"), (7, "loop"), (10, "first")]
            .map(|(lesson, id)| step(lesson, id).rows_in_words());
        let expected = [
            None,
            Some("64 rows of sum"),
            Some("96 rows of sum and 32 rows of quiz"),
            Some("48 rows each of fact, last, follows and quiz"),
        ];
        assert_eq!(said, expected.map(|words| words.map(str::to_owned)));
    }

    #[test]
    fn a_per_cent_has_its_rows_beside_it() {
        let step = step(7, "loop");
        let words = ["accuracy.sum.one", "lost.quiz.two", "accuracy.mean", "chance.sum"]
            .map(|name| step.words_of(&name.parse::<FieldName>().expect("a field")));
        let expected = [
            "accuracy on sum, order “one” (%, n = 96)",
            "accuracy lost on quiz, order “two” (points, n = 32)",
            "accuracy on all tasks (%, n = 128)",
            "chance on sum (%)",
        ];
        assert_eq!(words, expected.map(|words| Some(words.to_owned())));
    }
}
