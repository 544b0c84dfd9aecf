//! A step's question answered by a run.

use serde::{Deserialize, Serialize};

use super::field::{TextPiece, pieces};
use super::found::StepFound;
use super::{
    FieldName, FieldValue, Holding, Lesson, LessonError, LessonMarks, LessonOption, LessonPremise,
    LessonStep, Predicate, RunSource, StepAsk, StepNumber,
};

/// A step is run in two phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepPhase {
    /// The run that the words before the question need.
    SetUp,
    /// The run that answers the question.
    Reveal,
}

/// A step in words, as far as it was run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepOutcome {
    /// Ids.
    pub lesson: String,
    pub step: String,
    /// The model that was asked: the one it is written for, where the step names its models itself.
    pub model: String,
    /// Source of the numbers; none before anything ran.
    pub source: Option<RunSource>,
    pub showing: StepShowing,
    /// The set-up and the question, their fields filled in; where the model cannot show the step, what of them names
    /// no number.
    pub say: String,
    pub ask: String,
    /// In the file's order.
    pub options: Vec<OptionOutcome>,
    /// The option that holds, where exactly one does.
    pub right: Option<usize>,
    /// Numbers that the predicates compare and that the reveal names; none before the question is answered.
    pub numbers: Vec<StepNumber>,
    /// Empty before the question is answered, as the next.
    pub reveal: String,
    pub caveat: String,
    /// The runs that it asked for; `None` where nothing was run, or an older page kept it.
    #[serde(default)]
    pub asked: Option<AskedStep>,
}

/// The runs of a step, as one model takes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedStep {
    pub before: Option<StepAsk>,
    pub action: StepAsk,
    pub marks: LessonMarks,
}

impl AskedStep {
    fn of(step: &LessonStep) -> Self {
        Self { before: step.before.clone(), action: step.action.clone(), marks: step.marks.clone() }
    }
}

impl StepOutcome {
    /// The step as its file has it, where no run is needed to say it. `lesson` is its lesson's id.
    pub fn asked(lesson: &str, step: &LessonStep) -> Self {
        Self {
            lesson: lesson.to_owned(),
            step: step.id.clone(),
            say: step.say.clone(),
            ask: step.ask.clone(),
            options: step.options.iter().map(OptionOutcome::asked).collect(),
            ..Self::default()
        }
    }

    /// Returns the sentence on what the model lacks, where it cannot show the step.
    pub fn lacking(&self) -> Option<&str> {
        match &self.showing {
            StepShowing::CannotShow(reason) => Some(reason),
            _ => None,
        }
    }
}

/// Can the model show the step?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepShowing {
    /// The words before the question are there.
    #[default]
    Asked,
    /// It was run, and exactly one option holds.
    Answered,
    /// It was run, and the numbers leave open which option holds.
    Open,
    /// It was run, and no option agrees with it.
    NoneHolds,
    /// One sentence: what the model lacks, and which model to take.
    CannotShow(String),
}

/// One option after the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionOutcome {
    pub id: String,
    pub text: String,
    /// `None` before the question is answered.
    pub holding: Option<Holding>,
    /// Empty where there is none, or before the question is answered.
    pub belief: String,
    /// Empty where the run leaves open whether it holds, too.
    pub why: String,
}

impl OptionOutcome {
    /// The option before its question is answered.
    fn asked(option: &LessonOption) -> Self {
        Self { id: option.id.clone(), text: option.text.clone(), ..Self::default() }
    }
}

impl Lesson {
    /// The step called `id`.
    ///
    /// # Errors
    /// There is none.
    pub fn step(&self, id: &str) -> Result<&LessonStep, LessonError> {
        let step = self.steps.iter().find(|step| step.id == id);
        step.ok_or_else(|| LessonError::NoStep { lesson: self.id.clone(), step: id.to_owned() })
    }

    /// Returns a step's words after a phase, as the model `asked` took it: `before` is the result of its set-up, if it
    /// has any; `found` of the run that answers it, once that is over.
    pub fn outcome(
        &self,
        step: &LessonStep,
        asked: &str,
        before: Option<&StepFound>,
        found: Option<&StepFound>,
    ) -> StepOutcome {
        let outcome = self.answered(step, asked, before, found);
        outcome.unwrap_or_else(|error| self.cannot_show(step, asked, &error))
    }

    /// The step where the model `asked` lacks what it needs.
    pub fn cannot_show(
        &self,
        step: &LessonStep,
        asked: &str,
        why: &dyn std::fmt::Display,
    ) -> StepOutcome {
        let written_for = self.model_of(step);
        let mut reason = format!("{asked} cannot show this step ({why})");
        if asked != written_for {
            reason += &format!(": take {written_for}, for which it is written");
        }
        let mut outcome = StepOutcome {
            model: asked.to_owned(),
            showing: StepShowing::CannotShow(reason + "."),
            ..StepOutcome::asked(&self.id, step)
        };
        // Of a question that lacks its numbers no options can be chosen.
        let has_field = |text: &String| text.contains('{');
        if has_field(&step.ask) || step.options.iter().any(|option| has_field(&option.text)) {
            outcome.options.clear();
        }
        for text in [&mut outcome.say, &mut outcome.ask].into_iter().filter(|text| has_field(text))
        {
            text.clear();
        }
        outcome
    }

    fn answered(
        &self,
        step: &LessonStep,
        asked: &str,
        before: Option<&StepFound>,
        found: Option<&StepFound>,
    ) -> Result<StepOutcome, LessonError> {
        let field = |name: &FieldName| {
            let run = if name.is_before { before } else { found };
            let run = run.ok_or_else(|| LessonError::NoField {
                field: name.to_string(),
                instead: "its run is not over".to_owned(),
            })?;
            run.field(name, before)
        };
        let fill = |text: &str| filled(text, &field);
        if let Some(premise) = &step.when {
            premise.granted(&field)?;
        }
        let is_over = found.is_some();
        let holdings = if is_over { step.judged(&field)? } else { Vec::new() };
        let mut options = Vec::with_capacity(step.options.len());
        for (n, option) in step.options.iter().enumerate() {
            let belief = option.belief.as_deref().filter(|_| is_over);
            options.push(OptionOutcome {
                id: option.id.clone(),
                text: fill(&option.text)?,
                holding: holdings.get(n).copied(),
                belief: belief.unwrap_or_default().to_owned(),
                why: match holdings.get(n) {
                    Some(Holding::Agrees) => fill(&option.why)?,
                    Some(Holding::Disagrees) => fill(option.but.as_ref().unwrap_or(&option.why))?,
                    Some(Holding::Open) | None => String::new(),
                },
            });
        }
        let agreeing: Vec<usize> =
            (0..holdings.len()).filter(|&n| holdings[n] == Holding::Agrees).collect();
        let right = match agreeing.as_slice() {
            [one] => Some(*one),
            _ => None,
        };
        let is_none = holdings.iter().all(|one| *one == Holding::Disagrees);
        Ok(StepOutcome {
            lesson: self.id.clone(),
            step: step.id.clone(),
            model: asked.to_owned(),
            source: found.or(before).map(StepFound::source),
            showing: match (is_over, right) {
                (false, _) => StepShowing::Asked,
                (true, Some(_)) => StepShowing::Answered,
                (true, None) if is_none => StepShowing::NoneHolds,
                (true, None) => StepShowing::Open,
            },
            say: fill(&step.say)?,
            ask: fill(&step.ask)?,
            options,
            right,
            numbers: if is_over { step.numbers(&field)? } else { Vec::new() },
            reveal: if is_over { fill(&step.reveal)? } else { String::new() },
            caveat: if is_over { fill(&step.caveat)? } else { String::new() },
            asked: step.runs_taught().then(|| AskedStep::of(step)),
        })
    }
}

impl LessonStep {
    /// Returns the step as the model took it whose outcome this is; as it is, where nothing of it ran.
    #[must_use]
    pub fn as_asked(self, outcome: Option<&StepOutcome>) -> Self {
        match outcome.and_then(|outcome| outcome.asked.clone()) {
            Some(AskedStep { before, action, marks }) => Self { before, action, marks, ..self },
            None => self,
        }
    }

    /// How every option stands to what `field` says.
    ///
    /// # Errors
    /// The error of `field` on a field that is not there.
    pub fn judged<E>(
        &self,
        field: &dyn Fn(&FieldName) -> Result<FieldValue, E>,
    ) -> Result<Vec<Holding>, E> {
        let all: Vec<&Predicate> = self.options.iter().map(|option| &option.holds).collect();
        Predicate::judge_all(&all, field)
    }
}

impl LessonPremise {
    /// Is it so?
    ///
    /// # Errors
    /// When the premise does not hold; the error of `field` on a field that is not there.
    fn granted(
        &self,
        field: &dyn Fn(&FieldName) -> Result<FieldValue, LessonError>,
    ) -> Result<(), LessonError> {
        match self.holds.judge(field)? {
            Some(Holding::Agrees) => Ok(()),
            _ => Err(LessonError::lacking(filled(&self.lacking, field)?)),
        }
    }
}

/// A text with what its fields come to.
fn filled(
    text: &str,
    field: &dyn Fn(&FieldName) -> Result<FieldValue, LessonError>,
) -> Result<String, LessonError> {
    let mut whole = String::with_capacity(text.len());
    let mut number = String::new();
    for piece in pieces(text)? {
        match piece {
            TextPiece::Plain(plain) => match singular(plain).filter(|_| number == "1") {
                Some([noun, rest]) => whole.extend([noun, rest]),
                None => whole.push_str(plain),
            },
            TextPiece::Field(name, format) => {
                number = field(&name)?.formatted(format);
                whole.push_str(&number);
            }
        }
    }
    Ok(whole)
}

/// Nouns that the lessons write after a number.
const COUNTED: [&str; 6] = [" percentage points", " points", " rows", " blocks", " bits", " heads"];

/// Returns a counted noun without its plural s, and what follows it; `None` where the text begins otherwise.
fn singular(text: &str) -> Option<[&str; 2]> {
    COUNTED.iter().find_map(|noun| {
        let rest = text.strip_prefix(noun)?;
        Some([&noun[..noun.len() - 1], rest])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_followed_by_a_singular() {
        let text = "{lost:0} percentage points of {tasks:0} rows, {lost:0} pointless";
        let field = |name: &FieldName| {
            let is_lost = name.parts == ["lost"];
            Ok(FieldValue::exact(if is_lost { 1.0 } else { 2.0 }))
        };
        let filled = filled(text, &field).expect("a text");
        assert_eq!(filled, "1 percentage point of 2 rows, 1 pointless");
    }
}
