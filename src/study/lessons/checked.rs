//! A lesson's file, read and checked.

use std::collections::BTreeSet;

use super::ask::WITHOUT;
use super::field::fields_in;
use super::fit::StepTaker;
use super::{FieldName, Lesson, LessonError, LessonStep, StepAsk};
use crate::task::plain::PlainTask;
use crate::task::primer::{GeneratedTask, level_of_count, level_range};

/// Blocks of a model that is not the one that a lesson is written for.
const DEEP: usize = 30;

/// Words of set-up, question and the prompt that it is about, together at most.
const MOST_WORDS: usize = 60;

impl Lesson {
    /// Reads a file called `file`, and checks what can be checked without a model.
    ///
    /// # Errors
    /// When the file is wrong: the error names the line, or the step.
    pub fn read(file: &str, text: &str) -> Result<Self, LessonError> {
        let lesson: Self = toml::from_str(text).map_err(|error| LessonError::File {
            file: file.to_owned(),
            reason: error.to_string().trim().replace('\n', " "),
        })?;
        let wrong = |step: &str, reason: String| LessonError::Step {
            file: file.to_owned(),
            step: step.to_owned(),
            reason,
        };
        let mut ids = BTreeSet::new();
        for step in &lesson.steps {
            if !ids.insert(step.id.as_str()) {
                let reason = "another step has this id: give every step its own".to_owned();
                return Err(wrong(&step.id, reason));
            }
            let forms = [StepTaker::Written, StepTaker::Plain { blocks: DEEP }];
            let checked = step.check_plain().and_then(|()| {
                forms.into_iter().try_for_each(|form| lesson.check_form(step, form))
            });
            checked.map_err(|reason| wrong(&step.id, reason))?;
        }
        if lesson.steps.is_empty() {
            return Err(LessonError::File {
                file: file.to_owned(),
                reason: "it has no step: write [[step]]".to_owned(),
            });
        }
        Ok(lesson)
    }

    /// Is the step sound as such a model takes it?
    fn check_form(&self, step: &LessonStep, form: StepTaker<'_>) -> Result<(), String> {
        let taken = self.taken(step, form).map_err(|error| error.to_string())?;
        let prompt = taken.prompt(self.prompt.as_ref()).map(|prompt| prompt.text.as_str());
        taken.check(prompt)?;
        let mut asks = taken.before.iter().chain([&taken.action]);
        asks.try_for_each(|ask| ask.check(self.prompt.is_some()))
    }
}

impl LessonStep {
    /// Is there what it names of plain English?
    fn check_plain(&self) -> Result<(), String> {
        let asks = self.before.iter().chain([&self.action]);
        for plain in asks.flat_map(StepAsk::groups).filter_map(|group| group.plain.as_ref()) {
            if PlainTask::from_name(&plain.task).is_none() || plain.count == 0 {
                let names = PlainTask::ALL.map(PlainTask::name).join(", ");
                return Err(format!(
                    "{} rows of {:?} are none in plain English: ask for one at least of {names}",
                    plain.count, plain.task
                ));
            }
        }
        let mut options = self.plain.iter().flat_map(|plain| plain.option.keys());
        let is_option = |id: &&String| self.options.iter().any(|option| option.id == **id);
        match options.find(|id| !is_option(id)) {
            Some(id) => Err(format!("it has other words for the option {id:?}, which it lacks")),
            None => Ok(()),
        }
    }

    fn check(&self, prompt: Option<&str>) -> Result<(), String> {
        let words = [self.say.as_str(), self.ask.as_str()]
            .into_iter()
            .chain(prompt)
            .map(|text| text.split_whitespace().count())
            .sum::<usize>();
        refuse_if!(
            words > MOST_WORDS,
            "{words} words stand before the answer: say it in {MOST_WORDS}"
        );
        for token in &self.marks.tokens {
            if !prompt.is_some_and(|prompt| prompt.split(' ').any(|word| word == token)) {
                return Err(format!(
                    "it points at the word {token:?}, which is in no prompt of its question: name another"
                ));
            }
        }
        if let StepAsk::Lens(ask) = &self.action
            && ask.plan.as_ref().is_some_and(|plan| plan.starts_with(WITHOUT))
            && !matches!(self.before, Some(StepAsk::Lens(_)))
        {
            return Err(
                "it leaves out what no run before the question names: write [step.before.lens]"
                    .to_owned(),
            );
        }

        let count = self.options.len();
        refuse_if!(count < 2, "it has fewer than two options: nothing can be predicted");
        let ids: BTreeSet<&str> = self.options.iter().map(|option| option.id.as_str()).collect();
        refuse_if!(ids.len() < count, "two options have one id: give every option its own");

        // Fields: of what is known by then, and that such a run has.
        let set_up = fields(self.set_up_texts())?;
        if let Some(field) = set_up.iter().find(|field| !field.is_before) {
            return Err(format!(
                "{field} is not known before the question is answered: name a field of before, or ask without it"
            ));
        }
        let premise = self.premise_fields()?;
        if let Some(field) = premise.iter().find(|field| !field.is_before) {
            return Err(format!(
                "{field} is not known before the question is answered: let when name fields of before"
            ));
        }
        for field in set_up.into_iter().chain(premise).chain(self.reveal_fields()?) {
            let ask = if field.is_before { self.before.as_ref() } else { Some(&self.action) };
            let Some(ask) = ask else {
                return Err(format!(
                    "{field} is a field of a run before the question, and there is none: write [step.before]"
                ));
            };
            if self.words_of(&field).is_none() {
                let known = ask.fields();
                return Err(format!("no such run has a field {field}: it has {known}"));
            }
        }
        Ok(())
    }

    /// The texts that are shown before the question is answered.
    fn set_up_texts(&self) -> impl Iterator<Item = &str> {
        let options = self.options.iter().map(|option| option.text.as_str());
        [self.say.as_str(), self.ask.as_str()].into_iter().chain(options)
    }

    /// Every field of what the step takes for granted.
    fn premise_fields(&self) -> Result<Vec<FieldName>, String> {
        let mut all = fields(self.when.iter().map(|premise| premise.lacking.as_str()))?;
        all.extend(self.when.iter().flat_map(|premise| premise.holds.fields()));
        Ok(all)
    }

    /// Every field of what is shown behind it, and of the options' predicates.
    fn reveal_fields(&self) -> Result<Vec<FieldName>, String> {
        let options = &self.options;
        let whys =
            options.iter().flat_map(|option| [Some(option.why.as_str()), option.but.as_deref()]);
        let shown = [self.reveal.as_str(), self.caveat.as_str()];
        let mut all = fields(shown.into_iter().chain(whys.flatten()))?;
        all.extend(options.iter().flat_map(|option| option.holds.fields()));
        Ok(all)
    }
}

impl StepAsk {
    /// Can any model be asked this?
    fn check(&self, has_prompt: bool) -> Result<(), String> {
        match self {
            Self::Lens(ask) if ask.prompt.is_none() && !has_prompt => {
                return Err("it has no prompt: write one here, or the lesson's [prompt]".to_owned());
            }
            Self::Rows(ask) if ask.rows.is_empty() => {
                return Err("it runs no rows: name at least one task".to_owned());
            }
            Self::Rows(ask) => {
                let is_run = |name: &&String| ask.rows.iter().any(|rows| rows.name() == **name);
                if let Some(name) = ask.turned.iter().find(|name| !is_run(name)) {
                    return Err(format!(
                        "it says that {name:?} is turned round, which it does not run: name its rows alone"
                    ));
                }
            }
            Self::Sweeps(ask) if ask.rows.is_empty() || ask.kinds.is_empty() => {
                return Err(
                    "it sweeps nothing: name at least one task and one kind of order".to_owned()
                );
            }
            Self::Sweeps(ask) => {
                let is_run = |name: &&String| ask.rows.iter().any(|rows| rows.name() == **name);
                if let Some(name) = ask.groups.values().flatten().find(|name| !is_run(name)) {
                    return Err(format!(
                        "a group names {name:?}, which it does not run: name its rows alone"
                    ));
                }
            }
            _ => {}
        }
        for group in self.groups() {
            let (task, is_empty) = (&group.task, group.count == 0);
            refuse_if!(is_empty, "it asks for no rows of {task}: ask for one at least");
            if PlainTask::from_name(&group.task).is_some() {
                continue;
            }
            let Some(task) = GeneratedTask::from_name(&group.task) else {
                let names = GeneratedTask::ALL.map(GeneratedTask::name).join(", ");
                return Err(format!("no task is called {:?}: take one of {names}", group.task));
            };
            if let Some(level) = group.level
                && level_of_count(task, level).is_none()
            {
                return Err(format!(
                    "it asks for rows of level {level}: {} has {}",
                    task.name(),
                    level_range(task)
                ));
            }
        }
        Ok(())
    }
}

/// Every field of some texts.
fn fields<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Vec<FieldName>, String> {
    let mut all = Vec::new();
    for text in texts {
        all.extend(fields_in(text).map_err(|error| error.to_string())?);
    }
    Ok(all)
}
