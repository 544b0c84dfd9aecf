//! Messages between the page and its worker.
//!
//! The worker owns download, tokenizer, weights and engine; the page only draws. A request's `id`
//! comes back on each of its events. Every request but `Cancel` ends in exactly one of `Loaded`,
//! `Done`, `Compared`, `Says`, `Written`, `Measured`, `Lessons`, `Fits`, `Stepped`, `Failed` or `Cancelled`;
//! `Cancel` has no answer of its own.
//!
//! A request crosses as an array: its JSON, then the `File` objects it speaks of. An event crosses
//! as its JSON. JSON, because a report is JSON anyway and numbers come through it unchanged.

mod inside;

pub use inside::{InsideAsk, TokenAsk};

use serde::{Deserialize, Serialize};

use crate::app::link::Draft;
use crate::study::TextEnd;
use crate::study::doctor::DoctorReport;
use crate::study::lessons::{Lesson, LessonFit, StepOutcome, StepPhase, StepPicture};
use crate::study::likeliest::Saying;
use crate::study::orders::{Extent, Sweep};
use crate::study::refusal::TaskRefusal;
use crate::study::report::{ModelFacts, Report};
use crate::task::built_in::BuiltInTask;
use crate::task::english::EnglishPrompt;

/// Raised at every change of these types: a worker file from an older build, kept by a cache, is
/// told from a current one by the first message it sends.
pub const PROTOCOL: u32 = 16;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    pub id: u32,
    pub ask: Ask,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Ask {
    /// Fetch one of the shipped models by its catalogue name.
    LoadKnown { name: String, engine: EngineWish },
    /// Open files the reader chose; the `File` objects travel beside this message.
    LoadFiles { name: String, engine: EngineWish },
    /// Fetch a model's folder that the page's own server serves at `url`, which ends in `/`; it is refused where its
    /// hash is not the one that is asked for.
    LoadServed { name: String, url: String, sha256: Option<String>, engine: EngineWish },
    /// One prompt through the lens, on the model loaded last; with what a view of its inside needs.
    Lens { asked: Asked, inside: Option<InsideAsk> },
    /// One prompt under the model's own order and under the plan: a report with a `lab`.
    Lab(Asked),
    /// Sweeps over rows of built-in tasks: a report with `orders`, one a task.
    /// [`Tell::Partial`] shows it as it fills in.
    Orders(OrdersAsk),
    /// The vote of every member and head, and the losses without it, on rows of built-in tasks: a report with
    /// `need`, one entry per task.
    Need {
        tasks: Vec<BuiltInTask>,
        /// A task.
        rows: usize,
    },
    /// Leaves out each part of the plan once: a report with `parts`.
    Parts(Asked),
    /// How alike the linearised steps of the prompt's run are: a report with `coupling`.
    Coupling { prompt: String, plan: Option<String>, tokens: TokenAsk },
    /// Coupling over rows of a built-in task, beside the costs of leaving out steps and exchanging neighbours on
    /// them: a report with `task_coupling`. [`Tell::Partial`] shows it as it fills in.
    RowsCoupling { task: BuiltInTask, rows: usize, plan: Option<String> },
    /// The prompt on the model's engine and on the processor: ends in [`Tell::Compared`].
    Compare(Asked),
    /// The likeliest next tokens after this prompt. Ends in [`Tell::Says`].
    Says { prompt: String, plan: Option<String> },
    /// Go on with a text, token by token: [`Tell::Wrote`] shows it as it grows, [`Tell::Written`] ends it.
    GoOn {
        text: String,
        plan: Option<String>,
        /// At most.
        tokens: usize,
    },
    /// A test of this machine. Needs no model, and lets other requests pass. [`Tell::Measuring`] shows the findings
    /// as they grow, [`Tell::Measured`] ends it, also where it was cancelled in the middle. Where `engine` is the
    /// CPU, no GPU is asked for.
    Doctor { is_quick: bool, engine: EngineWish },
    /// All lessons, as the models take them that their steps are written for. Needs no model; ends in
    /// [`Tell::Lessons`].
    Lessons,
    /// How many steps of each lesson can the model be asked that was loaded last? Ends in [`Tell::Fits`].
    LessonFits,
    /// Runs a step up to a phase, and says it in words: ends in [`Tell::Stepped`]. With the model loaded
    /// last, or with the catalogue's that the step is written for, which is opened beside it.
    LessonStep {
        /// Ids.
        lesson: String,
        step: String,
        phase: StepPhase,
        is_own: bool,
    },
    /// Stop the request with this id.
    Cancel { id: u32 },
}

impl Ask {
    /// Is another model to be loaded?
    pub fn is_load(&self) -> bool {
        matches!(self, Self::LoadKnown { .. } | Self::LoadFiles { .. } | Self::LoadServed { .. })
    }
}

/// A question, and the plan that it runs in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    pub prompt: String,
    pub options: Vec<String>,
    /// Index of the right option.
    pub answer: usize,
    /// `None` for the model's own order.
    pub plan: Option<String>,
}

impl Asked {
    /// Returns a draft's question. Until the reader names the right option, the page shows only what does not depend
    /// on it.
    pub fn of(draft: &Draft) -> Self {
        Self {
            prompt: draft.prompt.clone(),
            options: draft.options.clone(),
            answer: draft.answer.unwrap_or(0),
            plan: draft.plan_line(),
        }
    }
}

/// The tasks, their rows and the orders of a sweep: every worker that is told makes the same of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrdersAsk {
    pub tasks: Vec<BuiltInTask>,
    /// Rows of each task.
    pub rows: usize,
    pub sweeps: Vec<Sweep>,
    pub extent: Extent,
    /// The reader's own orders, beside those of the sweeps.
    pub plans: Vec<String>,
}

/// Where a model was served from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedOrigin {
    /// The name of the file or the folder.
    pub from: String,
    /// By which links tell it from other models of its name; empty where the server does not say.
    pub sha256: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Event {
    /// 0 for `Ready`, which answers no request.
    pub id: u32,
    pub tell: Tell,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Tell {
    Ready {
        protocol: u32,
    },
    Progress {
        stage: Stage,
        done: f64,
        total: f64,
    },
    Loaded {
        model: ModelFacts,
        /// `None` for a tokenizer that can spell every word, and where there is none.
        vocabulary: Option<Known>,
        /// Where it was served from.
        served: Option<ServedOrigin>,
    },
    /// The model that was there before this load is there still; the load's end follows.
    Kept,
    /// The engine that runs the model now, in words, and, unless all is as the reader wished, the reason.
    Engine {
        line: String,
        notice: String,
    },
    /// English prompts that the model being loaded can read as they stand; none where it cannot.
    English {
        prompts: Vec<EnglishPrompt>,
    },
    /// Built-in tasks that the model being loaded cannot be asked.
    Tasks {
        refused: Vec<TaskRefusal>,
    },
    /// The likeliest next tokens, as options.
    Says {
        sayings: Vec<Saying>,
    },
    /// The model's text so far, all of it.
    Wrote {
        text: String,
    },
    /// It writes no more.
    Written {
        end: TextEnd,
    },
    /// How far apart two engines are, in a sentence.
    Compared {
        sentence: String,
    },
    /// A sweep's report so far, rows of single results left out; or a prompt's answer before the original order
    /// ran to be compared with it. More is to come.
    Partial {
        report: Box<Report>,
    },
    Done {
        report: Box<Report>,
        /// Blocks that a prompt ran through for it.
        block_runs: usize,
    },
    /// A doctor's report that is not finished. It is marked as ended early, so that the last one that arrives is
    /// true even if no other follows.
    Measuring {
        report: Box<DoctorReport>,
        /// The next measurement, in words; how many steps are over, and of how many.
        next: String,
        done: usize,
        of: usize,
    },
    /// All of it, or what there was when it was ended.
    Measured {
        report: Box<DoctorReport>,
        was_ended: bool,
    },
    Lessons {
        lessons: Vec<Lesson>,
    },
    /// In the lessons' order, of the model of this name.
    Fits {
        model: String,
        lessons: Vec<LessonFit>,
    },
    /// The outcome of a lesson's step, and the runs that its pictures are drawn from.
    Stepped {
        outcome: Box<StepOutcome>,
        pictures: Vec<StepPicture>,
    },
    /// One sentence for the reader.
    Failed {
        reason: String,
    },
    Cancelled,
}

/// Where the reader wants the model to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EngineWish {
    /// On the GPU, if there is a real one that computes right; else on the processor.
    #[default]
    Auto,
    /// On whatever WebGPU offers, a software adapter too; on the processor if that fails.
    Gpu,
    Cpu,
}

/// The words of a tokenizer that does not know every word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Stands for every word it does not know.
    pub unknown: u32,
    /// How many it knows.
    pub words: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Bytes.
    Download,
    /// Parts of the model, each read and put into the engine.
    Weights,
    /// Block runs.
    Run,
    /// Block runs of the original order, with which an answer is compared.
    Compare,
    /// Rows of tasks.
    Rows,
    /// Block runs, of plans without a part.
    Parts,
    /// Products of Jacobians with vectors.
    Products,
    /// Rows whose steps are linearised, in thousandths.
    Linearised,
    /// Parts of what the models of a lesson's step have to do.
    Lesson,
    /// Tokens.
    Write,
}
