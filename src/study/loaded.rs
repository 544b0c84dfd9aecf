//! A model that is ready to be studied: its files checked, its weights in an engine.

use std::rc::Rc;

use crate::engine::{Engine, EngineChoice};
use crate::model::weights::Weights;
use crate::model::{ModelError, ModelFiles, ModelShape, Prompt, Tokenizer, TokenizerFiles};
use crate::plan::Plan;
use crate::study::facts::ModelFacts;
use crate::study::original::LastOriginal;
use crate::study::{Generation, StudyError, Unknown, Wrote};

/// Name, tokenizer and engine of one model.
pub struct LoadedModel {
    pub name: String,
    pub tokenizer: Option<Tokenizer>,
    /// The token that the tokenizer reads for every word that it does not know.
    pub unknown: Option<Unknown>,
    pub engine: Engine,
    pub(super) original: LastOriginal,
}

/// A prompt with options and a right answer, checked against a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub prompt: Prompt,
    /// Index of the right option.
    pub answer: usize,
    /// The reader's text, where the question came as text.
    pub text: Option<QuestionText>,
}

/// The text behind a [`Question`].
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionText {
    pub prompt: String,
    pub options: Vec<String>,
    /// The prompt's tokens, in step with its ids.
    pub tokens: Vec<String>,
}

/// How a model's text is cut into tokens.
pub struct ModelWords {
    tokenizer: Option<Tokenizer>,
    unknown: Option<Unknown>,
}

impl ModelWords {
    /// Reads the tokenizer beside the weights, or the one that they carry.
    ///
    /// # Errors
    /// One that cannot be read, or is another model's.
    pub fn of(weights: &Weights, beside: Option<&TokenizerFiles>) -> Result<Self, ModelError> {
        let file = beside.or(weights.tokenizer());
        let tokenizer = file.map(|file| Tokenizer::read(file, &weights.shape)).transpose()?;
        let unknown = match file {
            Some(TokenizerFiles::Json(json)) => Unknown::of(json),
            _ => tokenizer.as_ref().and_then(|tokenizer| {
                let id = tokenizer.unknown()?;
                Some(Unknown { id, name: tokenizer.name(id)? })
            }),
        };
        Ok(Self { tokenizer, unknown })
    }
}

impl LoadedModel {
    /// Checks the files and puts the weights into the CPU engine; `progress(done, of)` counts bytes.
    ///
    /// # Errors
    /// See [`ModelError`]; the first problem found, cheap checks first.
    pub fn from_files(
        files: &ModelFiles,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, StudyError> {
        Self::from_files_with(files, &EngineChoice::Cpu, progress)
    }

    /// Checks the files and puts the weights into the engine chosen; `progress(done, of)` counts bytes.
    ///
    /// # Errors
    /// As [`Self::from_files`], and where that engine cannot run here.
    pub fn from_files_with(
        files: &ModelFiles,
        engine: &EngineChoice,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, StudyError> {
        let weights = Rc::new(Weights::open(files)?);
        let words = ModelWords::of(&weights, files.tokenizer.as_ref())?;
        let mut loading = pollster::block_on(engine.begin(weights))?;
        while let Some((done, of)) = loading.step()? {
            progress(done, of);
        }
        Ok(Self::new(&files.name, words, loading.finish()?))
    }

    /// An engine, and the words that go with it.
    pub fn new(name: &str, words: ModelWords, engine: Engine) -> Self {
        Self {
            name: name.to_string(),
            tokenizer: words.tokenizer,
            unknown: words.unknown,
            engine,
            original: LastOriginal::default(),
        }
    }

    /// The model's sizes.
    pub fn shape(&self) -> &ModelShape {
        self.engine.shape()
    }

    /// Returns the facts about the model that a report holds.
    pub fn facts(&self) -> ModelFacts {
        let shape = self.shape();
        // Heads may differ from block to block; what is shown is the first block's.
        let heads = shape.blocks.first().map(|block| &block.attention);
        ModelFacts {
            name: self.name.clone(),
            architecture: shape.family.to_string(),
            blocks: shape.blocks.len(),
            order: shape.order.clone(),
            width: shape.width,
            heads: heads.map_or(0, |attention| attention.heads),
            kv_heads: heads.map_or(0, |attention| attention.kv_heads),
            vocabulary: shape.vocabulary,
            context: shape.context,
            parameters: self.engine.parameters(),
        }
    }

    /// The model's tokenizer, or the error that says it has none.
    pub fn tokenizer(&self) -> Result<&Tokenizer, StudyError> {
        self.tokenizer.as_ref().ok_or_else(|| StudyError::NoTokenizer { model: self.name.clone() })
    }

    /// A token's text, where the model has a tokenizer and the token is in it.
    pub(super) fn token_text(&self, id: u32) -> Option<String> {
        self.tokenizer.as_ref()?.decode(&[id]).ok()
    }

    /// A plan for this model: a line of notation, the name of a strategy, or the model's own order.
    pub fn plan(&self, line: Option<&str>) -> Result<Plan, StudyError> {
        let order = &self.shape().order;
        Ok(match line {
            Some(line) => Plan::parse(line, order)?,
            None => Plan::whole(order)?,
        })
    }

    /// A question as text: every option must be one token after this prompt.
    pub fn question(
        &self,
        prompt: &str,
        options: &[String],
        answer: usize,
    ) -> Result<Question, StudyError> {
        let tokenizer = self.tokenizer()?;
        check_answer(options.len(), answer)?;
        let ids = tokenizer.prompt(self.shape(), prompt, options)?;
        if let Some(unknown) = &self.unknown {
            unknown.check(&ids.option_ids, |at| options.get(at).map(String::as_str))?;
        }
        let text = QuestionText {
            prompt: prompt.to_string(),
            options: options.to_vec(),
            tokens: tokenizer.pieces(prompt)?,
        };
        Ok(Question { prompt: ids, answer, text: Some(text) })
    }

    /// A question as token ids and vocabulary rows.
    pub fn question_from_ids(
        &self,
        ids: &[u32],
        rows: &[u32],
        answer: usize,
    ) -> Result<Question, StudyError> {
        check_answer(rows.len(), answer)?;
        let prompt = Prompt::from_ids(self.shape(), ids.to_vec(), rows.to_vec())?;
        Ok(Question { prompt, answer, text: None })
    }

    /// A prompt and the likeliest next token, again and again: at most `tokens`, until the model ends
    /// its text or its context is full.
    ///
    /// # Errors
    /// As [`Generation::new`]; no tokenizer.
    pub fn greedy(&self, prompt: &str, tokens: usize, plan: &Plan) -> Result<String, StudyError> {
        let tokenizer = self.tokenizer()?;
        let mut ids = tokenizer.encode(prompt)?;
        let mut generation = Generation::new(self, ids.clone(), plan, tokens)?;
        while !matches!(generation.advance()?, Wrote::End(_)) {}
        ids.extend_from_slice(generation.written());
        Ok(tokenizer.decode(&ids)?)
    }
}

/// The first of the largest logits.
pub(super) fn likeliest(logits: impl IntoIterator<Item = f32>) -> u32 {
    let first = (0, f32::NEG_INFINITY);
    let best = logits
        .into_iter()
        .zip(0..)
        .fold(first, |best, (logit, id)| if logit > best.1 { (id, logit) } else { best });
    best.0
}

fn check_answer(options: usize, answer: usize) -> Result<(), StudyError> {
    if options < 2 {
        Err(ModelError::TooFewOptions.into())
    } else if answer >= options {
        Err(ModelError::Answer { answer, options }.into())
    } else {
        Ok(())
    }
}
