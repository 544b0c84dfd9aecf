//! A request under way, and the one loop in which the studies of all requests go on.

use super::prompt::answer_waiting;
use super::{Desk, Stop, failed, stop};
use crate::app::opened;
use crate::app::pace::Pace;
use crate::app::protocol::{Asked, Stage, Tell};
use crate::plan::Plan;
use crate::study::{LoadedModel, Question, Running};

/// A request under way: the model that it runs on, and the way back to the page.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    pub model: &'a LoadedModel,
    pub desk: &'a Desk,
    pub id: u32,
    /// The model that answers single prompts meanwhile; `None` where they wait.
    pub beside: Option<&'a LoadedModel>,
    /// Which of the request's studies runs, from 0, and of how many of nearly one size.
    pub part: (usize, usize),
}

impl<'a> Job<'a> {
    /// A request of one study, for which other requests wait.
    pub fn new(model: &'a LoadedModel, desk: &'a Desk, id: u32) -> Self {
        Self { model, desk, id, beside: None, part: (0, 1) }
    }

    /// Advances a study until it is done: tells how far it is and what is known so far, lets messages in, and lets
    /// single prompts pass. Returns the number of steps that there were, as the study counts them.
    pub async fn drive(self, stage: Stage, study: &mut dyn Running) -> Result<usize, Stop> {
        let Self { desk, id, part: (part, parts), .. } = self;
        let mut pace = Pace::begin(js_sys::Date::now());
        let mut steps = 0;
        while let Some((done, of)) = study.advance().map_err(stop)? {
            steps = of;
            desk.progress(id, stage, (part * of + done) as f64, (parts * of) as f64);
            let (now, rows) = (js_sys::Date::now(), study.rows_done());
            if pace.is_due(now, rows)
                && let Some(report) = study.interim()
            {
                desk.tell(id, Tell::Partial { report: Box::new(report) });
                pace.told(now, js_sys::Date::now(), rows);
            }
            if study.is_resting() {
                desk.rest(id).await?;
            } else {
                desk.turn(id, study.is_waiting()).await?;
            }
            if let Some(model) = self.beside {
                answer_waiting(model, desk).await?;
            }
        }
        Ok(steps)
    }

    /// Reads a question and its plan; for a model without a tokenizer the text is token ids, `1, 5, 9`.
    pub fn read(self, asked: &Asked) -> Result<(Question, Plan), Stop> {
        let Asked { prompt, options, answer, plan } = asked;
        let ids = opened::token_ids(prompt, options).filter(|_| self.model.tokenizer.is_none());
        let question = match ids {
            Some((ids, rows)) => self.model.question_from_ids(&ids, &rows, *answer),
            None => self.model.question(prompt, options, *answer),
        };
        Ok((question.map_err(failed)?, self.plan(plan.as_deref())?))
    }

    /// Reads a plan; the model's own order where there is none.
    pub fn plan(self, line: Option<&str>) -> Result<Plan, Stop> {
        self.model.plan(line).map_err(failed)
    }
}
