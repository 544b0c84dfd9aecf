//! What the worker holds between requests: one model, and the files it came from.

use web_sys::{Blob, File};

use super::crew::Crew;
use super::wanted::Wanted;
use super::{Desk, Stop, coupling, doctor, done, fetch, need, opening, prompt, read, sweep};
use crate::app::hub::budget::{DeviceWords, is_room_for};
use crate::app::protocol::{Ask, EngineWish, Known, Tell};
use crate::model::{ModelFiles, Tokenizer};
use crate::study::LoadedModel;
use crate::task::english::{EnglishPrompt, english};

#[derive(Default)]
pub struct Session {
    held: Option<HeldModel>,
}

struct HeldModel {
    /// `None` only while it is on its way to another engine.
    model: Option<LoadedModel>,
    /// To put the model into an engine again: the bytes are the browser's, not this program's.
    files: ModelFiles<Blob>,
    wish: EngineWish,
    notice: String,
    /// Bytes that it takes.
    memory: u64,
    /// Workers that hold it too.
    crew: Crew,
}

impl Session {
    pub async fn answer(
        &mut self,
        desk: &Desk,
        id: u32,
        ask: Ask,
        files: Vec<File>,
    ) -> Result<Tell, Stop> {
        if let Ask::Doctor { is_quick } = ask {
            desk.listen(id).await?;
            return Ok(doctor::look_at_machine(self, desk, id, is_quick).await);
        }
        if !ask.is_load() {
            desk.listen(id).await?;
            return self.run(desk, id, ask).await;
        }
        let loaded = self.load(desk, id, ask, files).await;
        if loaded.is_err()
            && let Some(held) = self.held.as_ref().filter(|held| held.model.is_some())
        {
            held.tell_engine(desk, id, "");
            desk.tell(id, Tell::Kept);
        }
        loaded
    }

    /// Another model in place of the one that is there, which goes first where both do not fit.
    async fn load(
        &mut self,
        desk: &Desk,
        id: u32,
        ask: Ask,
        files: Vec<File>,
    ) -> Result<Tell, Stop> {
        desk.listen(id).await?;
        // A model that stays after all calls others when it needs them.
        if let Some(held) = &mut self.held {
            held.crew = Crew::default();
        }
        let (files, wish, from) = match ask {
            Ask::LoadKnown { name, engine } => (fetch::model(desk, id, &name).await?, engine, None),
            Ask::LoadFiles { name, engine } => {
                (read::files(desk, id, &name, files).await?, engine, None)
            }
            Ask::LoadServed { name, url, engine } => {
                let (files, from) = fetch::served(desk, id, &name, &url).await?;
                (files, engine, Some(from))
            }
            _ => return Err(Stop::Failed("that is no model".to_owned())),
        };
        self.take(desk, id, files, wish, from).await
    }

    async fn take(
        &mut self,
        desk: &Desk,
        id: u32,
        files: ModelFiles<Blob>,
        wish: EngineWish,
        from: Option<String>,
    ) -> Result<Tell, Stop> {
        desk.listen(id).await?;
        let budget = DeviceWords::here().budget();
        let mut memory = 0;
        let held = &mut self.held;
        let mut make_room = |bytes: u64| {
            memory = bytes;
            let other = held.as_ref().map_or(0, |held| held.memory);
            if is_room_for(bytes.saturating_add(other), budget) {
                return false;
            }
            held.take().is_some()
        };
        let (model, notice) = opening::open(desk, id, &files, wish, &mut make_room).await?;
        desk.listen(id).await?;
        let facts = model.facts();
        let known = model.tokenizer.as_ref().and_then(Tokenizer::known_words);
        let vocabulary = known.map(|(unknown, words)| Known { unknown, words });
        let prompts = readable(&model);
        desk.tell(id, Tell::English { prompts });
        let held = self.held.insert(HeldModel {
            model: Some(model),
            files,
            wish,
            notice,
            memory,
            crew: Crew::default(),
        });
        held.tell_engine(desk, id, "");
        Ok(Tell::Loaded {
            model: facts,
            vocabulary,
            from,
        })
    }

    /// Answers what needs a model. A GPU that fails in the middle is opened again, once; if that is
    /// not enough, the processor does what was asked.
    async fn run(&mut self, desk: &Desk, id: u32, ask: Ask) -> Result<Tell, Stop> {
        let held = self.held.as_mut().ok_or_else(none)?;
        let mut failures = 0;
        loop {
            // Another request was cancelled while the model was on its way to another engine: the page
            // holds it to be loaded, so it is put there now.
            if held.model.is_none() {
                let (model, notice) =
                    opening::open(desk, id, &held.files, held.wish, &mut |_| false).await?;
                (held.model, held.notice) = (Some(model), notice);
                held.tell_engine(desk, id, "");
            }
            let since = js_sys::Date::now();
            let (is_lost, reason) = match held.once(desk, id, &ask).await {
                Err(Stop::Gpu { is_lost, reason }) => (is_lost, reason),
                Err(other) => return Err(other),
                Ok(answer) => {
                    let seconds = (js_sys::Date::now() - since) / 1000.0;
                    let speed = tokens(&answer).map(|n| n / seconds.max(1e-3));
                    let speed = speed.map(|n| format!(", {n:.0} tokens/s in the last run"));
                    let by = matches!(ask, Ask::Orders { .. }).then(|| held.crew.words());
                    held.tell_engine(desk, id, &speed.or(by).unwrap_or_default());
                    return Ok(answer);
                }
            };
            failures += 1;
            let again = is_lost && failures == 1;
            held.reopen(desk, id, again, &reason).await?;
        }
    }
}

/// English prompts whose options are one token each to this model: none to one that knows few words.
fn readable(model: &LoadedModel) -> Vec<EnglishPrompt> {
    let Some(tokenizer) = model.tokenizer.as_ref().filter(|_| model.unknown.is_none()) else {
        return Vec::new();
    };
    let is_read = |example: &&EnglishPrompt| {
        let cut = tokenizer.prompt(model.shape(), &example.prompt, &example.options);
        cut.is_ok()
    };
    english().iter().filter(is_read).cloned().collect()
}

impl HeldModel {
    /// Says what runs the model, and `more` of the last run.
    fn tell_engine(&self, desk: &Desk, id: u32, more: &str) {
        if let Some(model) = &self.model {
            tell_engine(desk, id, model, &self.notice, more);
        }
    }

    /// Puts the model on the GPU again, or on the processor.
    async fn reopen(
        &mut self,
        desk: &Desk,
        id: u32,
        again: bool,
        reason: &str,
    ) -> Result<(), Stop> {
        // The broken engine goes first: its memory is needed.
        self.model = None;
        let wish = if again { self.wish } else { EngineWish::Cpu };
        let opened = opening::open(desk, id, &self.files, wish, &mut |_| false).await;
        let first = format!("in the middle of a run, {reason}");
        let (model, why) = opened.map_err(|stop| stop.after(&first))?;
        let on_gpu = model.engine.profile().is_some();
        self.notice = if on_gpu {
            format!(
                "In the middle of a run, {reason}; the model was put on the GPU again, and the run repeated."
            )
        } else {
            format!(
                "In the middle of a run, {reason}; the model runs on the processor now, which repeated the run. {why}"
            )
        };
        self.model = Some(model);
        self.tell_engine(desk, id, "");
        Ok(())
    }

    /// One try at a request.
    async fn once(&mut self, desk: &Desk, id: u32, ask: &Ask) -> Result<Tell, Stop> {
        let Self {
            model: Some(model),
            files,
            notice,
            crew,
            ..
        } = self
        else {
            return Err(none());
        };
        let (model, files, notice) = (&*model, &*files, notice.as_str());
        match ask {
            Ask::Orders {
                tasks,
                rows,
                sweeps,
                extent,
                plans,
            } => {
                let wanted = Wanted {
                    tasks: tasks.clone(),
                    rows: *rows,
                    sweeps: sweeps.clone(),
                    extent: *extent,
                    plans: plans.clone(),
                };
                let by = sweep::Runners {
                    model,
                    files,
                    crew,
                    named: &|words| tell_engine(desk, id, model, notice, words),
                };
                let report = sweep::run(by, desk, id, &wanted).await;
                if report.is_err() {
                    // They are in the middle of rows that nobody wants any more, and hear nothing: they go.
                    *crew = Crew::default();
                }
                report.map(done)
            }
            Ask::RowsCoupling { task, rows, plan } => {
                coupling::rows(model, desk, id, task, *rows, plan.as_deref())
                    .await
                    .map(done)
            }
            Ask::Need { tasks, rows } => need::run(model, desk, id, tasks, *rows).await.map(done),
            Ask::Compare {
                prompt,
                options,
                answer,
                plan,
            } => {
                let question = (prompt.as_str(), options.as_slice(), *answer);
                if model.engine.profile().is_none() {
                    let sentence = "The model runs on the processor already.".to_owned();
                    return Ok(Tell::Compared { sentence });
                }
                let reference = opening::reference(desk, id, files).await?;
                let models = [model, &reference];
                prompt::compare(models, desk, id, question, plan.as_deref()).await
            }
            _ => prompt::answer(model, desk, id, ask).await,
        }
    }
}

fn none() -> Stop {
    Stop::Failed("no model is loaded: choose one first".to_owned())
}

/// Says what runs a model, and `more` of its last run.
fn tell_engine(desk: &Desk, id: u32, model: &LoadedModel, notice: &str, more: &str) {
    let mut line = model.engine.describe() + more;
    if let Some(profile) = model.engine.profile() {
        line += &format!(": {profile}");
    }
    line.push('.');
    let notice = notice.to_owned();
    desk.tell(id, Tell::Engine { line, notice });
}

/// Tokens that went through the model for this answer.
fn tokens(answer: &Tell) -> Option<f64> {
    let Tell::Done { report } = answer else {
        return None;
    };
    let lens = report.lens.as_ref().map(|lens| (1, lens));
    let lab = report.lab.as_ref().map(|lab| (2, &lab.original));
    lens.or(lab)
        .map(|(orders, lens)| (orders * lens.token_ids.len()) as f64)
}
