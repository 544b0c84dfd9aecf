//! The worker's state between requests: the model held with its files, and the open lesson's.

use web_sys::{Blob, File};

use super::classroom::Classroom;
use super::crew::Crew;
use super::held::{HeldModel, none};
use super::{Desk, Stop, doctor, fetch, opening, read};
use crate::app::hub::budget::{DeviceWords, is_room_for, is_room_on_processor};
use crate::app::protocol::{Ask, EngineWish, Known, ServedOrigin, Tell};
use crate::engine::EngineChoice;
use crate::model::{ModelFiles, Tokenizer};
use crate::study::LoadedModel;
use crate::study::refusal::task_refusals;
use crate::task::english::{EnglishPrompt, english};

#[derive(Default)]
pub struct Session {
    held: Option<HeldModel>,
    classroom: Classroom,
}

impl Session {
    pub async fn answer(
        &mut self,
        desk: &Desk,
        id: u32,
        ask: Ask,
        files: Vec<File>,
    ) -> Result<Tell, Stop> {
        if let Ask::Doctor { is_quick, engine } = ask {
            desk.listen(id).await?;
            return Ok(doctor::look_at_machine(self, desk, id, is_quick, engine).await);
        }
        if !ask.is_load() {
            desk.listen(id).await?;
            let is_lent = matches!(ask, Ask::LessonStep { is_own: false, .. });
            if is_lent && self.held.is_none() {
                return self.classroom.answer(None, desk, id, &ask).await;
            }
            return self.run(desk, id, ask).await;
        }
        let loaded = self.load(desk, id, ask, files).await;
        self.classroom.forget_set_up();
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
        let is_catalogues = matches!(ask, Ask::LoadKnown { .. });
        let (files, wish, served) = match ask {
            Ask::LoadKnown { name, engine } => (fetch::model(desk, id, &name).await?, engine, None),
            Ask::LoadFiles { name, engine } => {
                (read::files(desk, id, &name, files).await?, engine, None)
            }
            Ask::LoadServed { name, url, sha256, engine } => {
                let (files, served) =
                    fetch::served(desk, id, &name, &url, sha256.as_deref()).await?;
                (files, engine, Some(served))
            }
            _ => return Err(Stop::Failed("that is no model".to_owned())),
        };
        self.take(desk, id, (files, is_catalogues), wish, served).await
    }

    async fn take(
        &mut self,
        desk: &Desk,
        id: u32,
        (files, is_catalogues): (ModelFiles<Blob>, bool),
        wish: EngineWish,
        served: Option<ServedOrigin>,
    ) -> Result<Tell, Stop> {
        desk.listen(id).await?;
        let budget = DeviceWords::here().budget();
        let mut memory = 0;
        let held = &mut self.held;
        let mut make_room = |engine: &EngineChoice, bytes: u64| {
            memory = bytes;
            let both_models = bytes.saturating_add(held.as_ref().map_or(0, |held| held.memory));
            let is_room = match engine {
                EngineChoice::Cpu => is_room_on_processor(both_models, budget),
                _ => is_room_for(both_models, budget),
            };
            // A model that ran out of memory leaves the next one the room for its whole vocabulary.
            let model = held.as_ref().and_then(|held| held.model.as_ref());
            if is_room && !model.is_some_and(|model| model.engine.has_run_out()) {
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
        desk.tell(id, Tell::Tasks { refused: task_refusals(&model) });
        let held = self.held.insert(HeldModel {
            model: Some(model),
            files,
            is_catalogues,
            wish,
            notice,
            memory,
            crew: Crew::default(),
        });
        held.tell_engine(desk, id, "");
        Ok(Tell::Loaded { model: facts, vocabulary, served })
    }

    /// Answers what needs a model. A GPU that fails in the middle is opened again, once; if that is
    /// not enough, the processor does what was asked.
    async fn run(&mut self, desk: &Desk, id: u32, ask: Ask) -> Result<Tell, Stop> {
        let Self { held, classroom } = self;
        let held = held.as_mut().ok_or_else(none)?;
        let mut failures = 0;
        loop {
            // Another request was cancelled while the model was on its way to another engine: the page
            // holds it to be loaded, so it is put there now.
            if held.model.is_none() {
                let (model, notice) =
                    opening::open(desk, id, &held.files, held.wish, &mut |_, _| false).await?;
                (held.model, held.notice) = (Some(model), notice);
                held.tell_engine(desk, id, "");
            }
            let since = js_sys::Date::now();
            desk.block_runs.set(0);
            let (is_lost, reason) = match held.once(classroom, desk, id, &ask).await {
                Err(Stop::Gpu { is_lost, reason, .. }) => (is_lost, reason),
                Err(other) => return Err(other),
                // The line stays that of the run before the text.
                Ok(answer @ Tell::Written { .. }) => return Ok(answer),
                Ok(answer) => {
                    let seconds = (js_sys::Date::now() - since) / 1000.0;
                    let speed = block_tokens(&answer)
                        .zip(held.blocks())
                        .map(|(n, blocks)| n / blocks as f64 / seconds.max(1e-3));
                    let speed = speed.map(|n| format!(", {n:.0} tokens/s in the last run"));
                    let by = matches!(ask, Ask::Orders(_)).then(|| held.crew.words());
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

/// Blocks that tokens of one prompt went through for this answer.
fn block_tokens(answer: &Tell) -> Option<f64> {
    let Tell::Done { report, block_runs } = answer else {
        return None;
    };
    let arranged = report.lab.as_ref().map(|lab| &lab.arranged);
    let lens = report.lens.as_ref().or(arranged)?;
    Some((block_runs * lens.token_ids.len()) as f64)
}
