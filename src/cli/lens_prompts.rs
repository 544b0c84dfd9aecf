//! `atelier lens --prompts`: any number of prompts in the memory of a few. The file is read twice, the
//! first time to check every row, and what a row gives is written before the next ones run.

use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::output::{self, Progress};
use crate::engine::{Capture, Trace, VocabularyWish};
use crate::plan::Plan;
use crate::study::lens::{self, BeyondMeans, RunningAverages};
use crate::study::report::{Averages, Lens, Report};
use crate::study::{LoadedModel, Question, StudyError};
use crate::task::item::{Item, TaskRow};
use crate::task::{file, rows};

/// Prompts that go through the model together.
const CHUNK: usize = 128;

/// A file of prompts, or standard input, which is kept since it comes only once.
pub struct PromptFile {
    path: PathBuf,
    input: Option<Vec<u8>>,
    rows: usize,
}

/// The model and the plan that prompts are run with.
pub struct PromptRun<'a> {
    pub model: &'a LoadedModel,
    pub plan: &'a Plan,
}

impl PromptFile {
    /// Reads them once, to see that every line is a row.
    ///
    /// # Errors
    /// When the path is no regular file, or a line is no row: the first is named.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let named = || format!("{} cannot be read", path.display());
        let input = if path == Path::new("-") {
            Some(file::bounded(io::stdin(), file::PROMPTS).with_context(named)?)
        } else {
            None
        };
        let mut prompts = Self { path: path.to_path_buf(), input, rows: 0 };
        let mut count = 0;
        for row in prompts.each()? {
            row?;
            count += 1;
        }
        prompts.rows = count;
        Ok(prompts)
    }

    fn each(&self) -> anyhow::Result<impl Iterator<Item = anyhow::Result<TaskRow>>> {
        let shown = self.path.display().to_string();
        let from: Box<dyn BufRead + '_> = match &self.input {
            Some(bytes) => Box::new(bytes.as_slice()),
            None => {
                let file = file::open(&self.path);
                Box::new(BufReader::new(file.with_context(|| format!("{shown} cannot be read"))?))
            }
        };
        Ok(rows::each(from).map(move |row| row.with_context(|| shown.clone())))
    }

    /// Every row as a question to the model.
    fn questions<'a>(
        &'a self,
        asking: &'a PromptRun<'_>,
    ) -> anyhow::Result<impl Iterator<Item = anyhow::Result<(usize, Question)>> + 'a> {
        Ok(self.each()?.map(move |row| {
            let row = row?;
            let question = asking.question(&row);
            let question =
                question.with_context(|| format!("{}, line {}", self.path.display(), row.line))?;
            Ok((row.line, question))
        }))
    }

    /// Checks every row before the first one runs, and says how many have words that the model does
    /// not know.
    ///
    /// # Errors
    /// The first row that the model cannot read.
    pub fn check(&self, asking: &PromptRun<'_>) -> anyhow::Result<()> {
        let (mut strange, mut first) = (0, 0);
        for row in self.questions(asking)? {
            let (line, question) = row?;
            let unknown = &asking.model.unknown;
            if unknown.as_ref().is_some_and(|unknown| !unknown.words(&question).is_empty()) {
                strange += 1;
                first = if strange == 1 { line } else { first };
            }
        }
        if let Some(unknown) = &asking.model.unknown
            && strange > 0
        {
            output::say(&format!(
                "atelier: {strange} rows have words that the model does not know and reads all as {} (line {first} is the first)",
                unknown.name
            ));
        }
        Ok(())
    }

    /// Runs all of them and writes the report, row by row; what the table needs comes back.
    ///
    /// # Errors
    /// When the engine fails, or the report cannot be written.
    pub fn run(&self, asking: &PromptRun<'_>, to: &mut dyn Write) -> anyhow::Result<PromptSummary> {
        let bar = Progress::new("running", "prompts");
        let mut averaging = RunningAverages::default();
        let mut summary = None;
        let mut uniform = 0.0;
        let head = serde_json::to_string(&Report::of(asking.model))?;
        let head = head.strip_suffix('}').context("a report is an object")?;
        write!(to, "{head},\"prompts\":{{\"rows\":[")?;
        let mut done = 0;
        let mut questions = self.questions(asking)?;
        loop {
            let chunk = questions.by_ref().take(CHUNK);
            let chunk: Vec<Question> = chunk
                .map(|row| row.map(|(_, question)| question))
                .collect::<anyhow::Result<_>>()?;
            if chunk.is_empty() {
                break;
            }
            ensure!(
                done + chunk.len() <= self.rows,
                "{} has become longer while it was read",
                self.path.display()
            );
            let before = done;
            // No row's numbers depend on the rows beside it.
            let vocabulary =
                Some(VocabularyWish { is_reproducible: true, ..VocabularyWish::ANSWER });
            let capture = Capture { vocabulary, ..Capture::default() };
            let traces =
                asking.traces(&chunk, capture, &|part| bar.at(before + part, self.rows))?;
            for (question, trace) in chunk.iter().zip(traces) {
                let lens = lens::lens(asking.model, question, asking.plan, trace);
                if done > 0 {
                    to.write_all(b",")?;
                }
                serde_json::to_writer(&mut *to, &lens).map_err(io::Error::from)?;
                averaging.add(&lens);
                uniform += crate::measure::decomposition::uniform_mse(lens.option_token_ids.len());
                summary.get_or_insert(lens);
                done += 1;
            }
        }
        ensure!(done == self.rows, "{} has become shorter while it was read", self.path.display());
        let first = summary.context("there are no rows")?;
        let beyond = averaging.beyond();
        let averages = averaging.finish().context("there are no rows")?;
        let text = serde_json::to_string(&averages)?;
        writeln!(to, "],\"averages\":{text}}}}}")?;
        to.flush()?;
        let uniform = uniform / self.rows.max(1) as f64;
        Ok(PromptSummary { first, averages, beyond, uniform })
    }
}

/// The numbers that are printed of many prompts.
pub struct PromptSummary {
    pub first: Lens,
    pub averages: Averages,
    /// `None` where the device has no room for the whole vocabulary.
    pub beyond: Option<BeyondMeans>,
    /// Mean of the uniform answer's MSE.
    pub uniform: f64,
}

impl PromptRun<'_> {
    fn question(&self, row: &TaskRow) -> Result<Question, StudyError> {
        match &row.item {
            Item::Option { prompt, options, answer } => {
                self.model.question(prompt, options, *answer)
            }
            Item::Ids { token_ids, option_ids, answer } => {
                self.model.question_from_ids(token_ids, option_ids, *answer)
            }
            Item::Continuation { .. } | Item::LastWord { .. } | Item::Generate { .. } => {
                Err(StudyError::NeedsOptions { task: "the file of prompts".to_owned() })
            }
        }
    }

    /// Runs questions together; `progress` hears how many are through.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn traces(
        &self,
        questions: &[Question],
        capture: Capture,
        progress: &dyn Fn(usize),
    ) -> Result<Vec<Trace>, StudyError> {
        let prompts: Vec<_> = questions.iter().map(|question| question.prompt.clone()).collect();
        let count = prompts.len();
        let engine = &self.model.engine;
        let mut run = engine.start(prompts.into(), [self.plan.clone()].into(), capture)?;
        while let Some((done, total)) = run.advance()? {
            progress(count * done / total.max(1));
        }
        Ok(run.finish()?.pop().unwrap_or_default())
    }
}
