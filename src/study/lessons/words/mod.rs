//! Fields in words, for who reads a run's numbers: what each is, and in which unit.

mod cells;
mod lens;
mod sweeps;

use super::members::spoken;
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
}

impl LessonStep {
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
    fn words_of(&self, name: &FieldName) -> Option<String> {
        let parts: Vec<&str> = name.parts.iter().map(String::as_str).collect();
        match self {
            Self::Lens(_) => lens::words(&parts),
            Self::Rows(ask) => cells::words(&ask.rows, &parts),
            Self::Survey(_) => cells::words(&[], &parts),
            Self::Sweeps(_) => sweeps::words(&parts),
            Self::Heads(_) => heads(&parts),
            Self::Coupling(_) => coupling(&parts),
            Self::Theory(ask) => theory(*ask, &parts),
        }
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

/// The numbers that a column's squares are of.
fn column(name: &str) -> Option<&'static str> {
    match name {
        "probability" => Some("probabilities"),
        "logit" => Some("whole logits"),
        "centred" => Some("centred logits"),
        "paper" => Some("by the paper's formula"),
        _ => None,
    }
}

fn kind(name: &str) -> Option<&'static str> {
    match name {
        "embedding" => Some("the embedding"),
        "attention" => Some("attentions"),
        "mlp" => Some("MLPs"),
        "bias" => Some("the read-out's bias"),
        _ => None,
    }
}

/// MSE, bias, diversity and what is made of them.
fn decomposition(what: &str) -> Option<&'static str> {
    Some(match what {
        "mse" => "MSE of the members' mean",
        "bias" => "bias",
        "diversity" => "diversity",
        "residue" => "MSE less (bias − diversity)",
        "sum_of" => "bias + diversity",
        "difference_of" => "bias − diversity",
        _ => return None,
    })
}

/// Describes a field on the votes of parts and the losses without them.
fn heads(parts: &[&str]) -> Option<String> {
    let plain = match *parts {
        ["accuracy"] => "accuracy (%)",
        ["rows"] => "rows",
        ["parts"] => "components",
        ["heads"] => "heads that were left out",
        ["rank"] => "rank correlation of vote and loss",
        ["largest_vote"] => "the component with the largest vote",
        ["largest_vote_size"] => "the largest vote (logits)",
        ["largest_vote_cost"] => "loss without the largest vote (percentage points)",
        ["dearest"] => "the component whose removal costs most",
        ["dearest_vote"] => "vote of the component whose removal costs most (logits)",
        ["dearest_cost"] => {
            "loss without the component whose removal costs most (percentage points)"
        }
        ["looking_head"] => "the head that attends most to the right answer",
        ["looking_weight"] => "largest weight of a head on the right answer",
        ["looking_cost"] => {
            "loss without the head that attends most to the right answer (percentage points)"
        }
        ["needed_head"] => "the head whose removal costs most",
        ["needed_head_cost"] => {
            "loss without the head whose removal costs most (percentage points)"
        }
        ["needed_head_weight"] => "weight on the right answer of the head whose removal costs most",
        ["vote", part] => return Some(format!("vote of {} (logits)", spoken(part))),
        ["cost", part] => {
            return Some(format!("loss without {} (percentage points)", spoken(part)));
        }
        ["loss", part] => {
            return Some(format!("loss of the logit difference without {} (logits)", spoken(part)));
        }
        _ => return None,
    };
    Some(plain.to_owned())
}

fn coupling(parts: &[&str]) -> Option<String> {
    Some(match *parts {
        ["coupling", "all"] => "coupling of all pairs".to_owned(),
        ["coupling", "twins"] => "coupling of neighbours of the same weights".to_owned(),
        ["coupling", "others"] => "coupling of other neighbours".to_owned(),
        ["coupling", distance] => format!("coupling at a distance of {distance}"),
        ["above_chance", distance] => {
            format!("pairs above chance at a distance of {distance} (%)")
        }
        ["chance"] => "coupling by chance".to_owned(),
        ["k"] => "directions compared".to_owned(),
        ["rows"] => "rows".to_owned(),
        ["steps"] => "steps of the way".to_owned(),
        ["line"] => "line-shape score".to_owned(),
        ["walk"] => "line-shape score of a random walk".to_owned(),
        ["line_share"] => "line-shape score (% of a random walk's)".to_owned(),
        ["end_cosine"] => "cosine of the linearised end with the true one".to_owned(),
        ["swap_r"] => "correlation of coupling and cost, r".to_owned(),
        ["swap_r_without"] => "r without the pair that matters most".to_owned(),
        ["swap_r_kept"] => "r kept without that pair (%)".to_owned(),
        ["swap_point"] => "the pair that matters most".to_owned(),
        _ => return None,
    })
}

fn theory(ask: TheoryAsk, parts: &[&str]) -> Option<String> {
    Some(match (ask, parts) {
        (TheoryAsk::Voters { .. }, ["members"]) => "voters".to_owned(),
        (TheoryAsk::Voters { .. }, ["single"]) => "error of a single voter".to_owned(),
        (TheoryAsk::Voters { .. }, ["error", percent]) => {
            format!("error of the mean, errors alike by {percent} %")
        }
        (TheoryAsk::Gains { .. }, ["gain", n]) => format!("gain of member {n} (bits)"),
        (TheoryAsk::Gains { .. }, ["growing"]) => {
            "members that add more than the one before".to_owned()
        }
        (TheoryAsk::Gains { .. }, ["bits"]) => "information of all members (bits)".to_owned(),
        (TheoryAsk::Bases { .. }, ["k"]) => "directions compared".to_owned(),
        (TheoryAsk::Bases { .. }, ["unlike"]) => {
            "share of comparisons of unlike with unlike".to_owned()
        }
        (TheoryAsk::Bases { .. }, ["chance"]) => "coupling by chance".to_owned(),
        _ => return None,
    })
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
