//! The ten tasks that rows are drawn of, and what a row is.

/// The ten tasks; the paper's data set that each has the shape of is in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GeneratedTask {
    /// Which of four topics most words come from (AG News).
    Topic,
    /// Which of the things A to D is of the category asked for (ARC).
    Quiz,
    /// Whether a claim about who does what holds in the story (BoolQ).
    Fact,
    /// Whether somebody always, sometimes or never does a thing (MNLI).
    Often,
    /// Whether two sentences mean the same (QQP).
    Same,
    /// Whether a general sentence follows from particular ones (RTE).
    Follows,
    /// Whether something is good or bad, through who says and who denies it (SST-2).
    Mood,
    /// Whether a word has the same sense twice (WiC).
    Sense,
    /// The last digit of a sum (GSM8K).
    Sum,
    /// The last person in a line that is told in pieces (LAMBADA's last word).
    Last,
}

impl GeneratedTask {
    /// All ten, in order.
    pub const ALL: [GeneratedTask; 10] = [
        GeneratedTask::Topic,
        GeneratedTask::Quiz,
        GeneratedTask::Fact,
        GeneratedTask::Often,
        GeneratedTask::Same,
        GeneratedTask::Follows,
        GeneratedTask::Mood,
        GeneratedTask::Sense,
        GeneratedTask::Sum,
        GeneratedTask::Last,
    ];

    /// As the command line and files spell it.
    pub fn name(self) -> &'static str {
        match self {
            GeneratedTask::Topic => "topic",
            GeneratedTask::Quiz => "quiz",
            GeneratedTask::Fact => "fact",
            GeneratedTask::Often => "often",
            GeneratedTask::Same => "same",
            GeneratedTask::Follows => "follows",
            GeneratedTask::Mood => "mood",
            GeneratedTask::Sense => "sense",
            GeneratedTask::Sum => "sum",
            GeneratedTask::Last => "last",
        }
    }

    /// The task of this name.
    pub fn from_name(name: &str) -> Option<GeneratedTask> {
        GeneratedTask::ALL.into_iter().find(|task| task.name() == name)
    }

    /// 1/K, by its options.
    pub fn chance(self) -> f64 {
        match self {
            GeneratedTask::Topic | GeneratedTask::Quiz | GeneratedTask::Last => 0.25,
            GeneratedTask::Fact
            | GeneratedTask::Same
            | GeneratedTask::Follows
            | GeneratedTask::Mood
            | GeneratedTask::Sense => 0.5,
            GeneratedTask::Often => 1.0 / 3.0,
            GeneratedTask::Sum => 0.1,
        }
    }
}

/// A prompt with its options and the index of the right one. Every option begins with a space and
/// is one token after the prompt.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct GeneratedRow {
    pub prompt: String,
    pub options: Vec<String>,
    pub answer: usize,
    /// How hard it is, in the task's own count: digits, hops, negations.
    pub level: usize,
}
