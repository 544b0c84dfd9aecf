//! The result of a run: members, their votes, and the model's own answer.

use std::rc::Rc;

use super::record::{
    AttentionReading, AttentionWish, DepthWish, VocabularyReading, VocabularyWish,
};
use crate::plan::{Half, Plan};

/// The kind of a member: embedding, attention, MLP or bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemberKind {
    Embedding,
    Attention,
    Mlp,
    /// No branch: the final norm's bias, and the head's.
    Bias,
}

/// One component of the model: it adds a vector to the residual stream, or, as the bias, to the final
/// norm's output and the logits. `block` is the stored block's index, `None` for the embedding and the bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Member {
    pub kind: MemberKind,
    pub block: Option<usize>,
}

/// One plan run on one prompt, read at the prompt's last token.
#[derive(Clone, Debug)]
pub struct Trace {
    /// M members, in the order they were written.
    pub members: Vec<Member>,
    /// The votes `u_i` `[M][K]`: each member through the final norm (its scale taken once, from the full
    /// run's final stream) and the options' rows of the unembedding.
    pub member_logits: Vec<Vec<f32>>,
    /// The final norm's scale, with which every member was decoded.
    pub scale: f32,
    /// `[K]` the model's own logits for the options.
    pub logits: Vec<f32>,
    /// The whole vocabulary where the plan ends: `followed` are the prompt's options, `kl` is from
    /// [`VocabularyWish::reference`]. `None` where it was not wished, or the device has no room for it
    /// ([`Engine::vocabulary_lack`](crate::engine::Engine::vocabulary_lack)).
    pub vocabulary: Option<VocabularyReading>,
    /// KL from this run to an earlier one over the whole vocabulary, nats, where the wish's reference was
    /// [`Reference::OfEarlier`](super::Reference::OfEarlier); `None` under other plans than the first.
    pub earlier_kl: Option<f64>,
    /// `[D]` the first plan's last stream at the last token, a reference for later runs; empty under other
    /// plans, and where the vocabulary was not read.
    pub last_stream: Vec<f32>,
    /// `[S + 1][T * D]` the residual stream of all tokens before the first step and after each, the
    /// final norm not applied; empty unless [`Capture::states`] was wished.
    pub states: Vec<Vec<f32>>,
    /// The logit lens at the last token: the stream before the first block and after every member, decoded
    /// over the whole vocabulary; one per member except the bias; empty unless [`Capture::depths`] was wished.
    pub depths: Vec<VocabularyReading>,
    /// For every one of [`DepthWish::positions`], the streams there before the first step and after
    /// each: `[S + 1]`.
    pub grid: Vec<(usize, Vec<VocabularyReading>)>,
    /// For every wish of [`Capture::attention`], one reading per run of a block's attention that it asks for,
    /// in the plan's order.
    pub attention: Vec<Vec<AttentionReading>>,
    /// `[D]` the vector that the member of [`Capture::written`] wrote at the last token; empty where none was
    /// wished, and for the bias, which no branch wrote.
    pub written: Vec<f32>,
}

/// `[S + 1]` of `[T, D]`: the residual stream of all tokens before the first step of a plan and after each,
/// the final norm not applied.
pub type StepStreams = Vec<Rc<[f32]>>;

/// The wishes for a run beside the members' votes, one per field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capture {
    /// The residual stream of all tokens before the first step and after each: `(S + 1) T D` numbers per
    /// prompt and plan.
    pub states: bool,
    /// The distribution over the whole vocabulary at the last token.
    pub vocabulary: Option<VocabularyWish>,
    /// The logit lens: the stream decoded along the depth.
    pub depths: Option<DepthWish>,
    /// Attention weights and value-weighted attention of some heads.
    pub attention: Vec<AttentionWish>,
    /// The vector that one member wrote, by its index among the members; a plan with fewer members gives none.
    pub written: Option<usize>,
}

impl Capture {
    /// The answer's ten likeliest tokens, and the options among the whole vocabulary.
    pub fn answer() -> Self {
        Self { vocabulary: Some(VocabularyWish::ANSWER), ..Self::default() }
    }

    /// The states alone.
    pub fn states() -> Self {
        Self { states: true, ..Self::default() }
    }
}

/// For the stream before the first step and after each, the index of the last member that it contains.
/// `[S + 1]`
pub fn last_members(plan: &Plan) -> Vec<usize> {
    let mut last = vec![0];
    let mut at = 0;
    for step in plan.steps() {
        for run in step.block_runs() {
            at += 1 + usize::from(run.half == Half::Both);
        }
        last.push(at);
    }
    last
}

/// The members that a plan records, in order: the embedding, one or two for every block run, and
/// where the model has one the bias.
pub fn members(plan: &Plan, has_bias: bool) -> Vec<Member> {
    let of = |kind: MemberKind, block: Option<usize>| Member { kind, block };
    let mut members = vec![of(MemberKind::Embedding, None)];
    for run in plan.block_runs() {
        let block = Some(run.index);
        if run.half.has_attention() {
            members.push(of(MemberKind::Attention, block));
        }
        if run.half.has_mlp() {
            members.push(of(MemberKind::Mlp, block));
        }
    }
    if has_bias {
        members.push(of(MemberKind::Bias, None));
    }
    members
}

/// Names every member for links, tables and the command line: `emb`, `3a`, `3m`, `bias`; where a block
/// runs again, `3a:2` is its attention's second run.
pub fn member_names(members: &[Member]) -> Vec<String> {
    let name = |(i, member): (usize, &Member)| {
        let half = match (member.kind, member.block) {
            (MemberKind::Bias, _) => return "bias".to_owned(),
            (MemberKind::Attention, Some(block)) => format!("{block}a"),
            (MemberKind::Mlp, Some(block)) => format!("{block}m"),
            _ => return "emb".to_owned(),
        };
        match 1 + members[..i].iter().filter(|other| *other == member).count() {
            1 => half,
            run => format!("{half}:{run}"),
        }
    };
    members.iter().enumerate().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_members_of_a_run_share_a_name() {
        let plan = Plan::parse("0,1a,0m,(1,0)", &[0, 1]).expect("a plan");
        let names = member_names(&members(&plan, true));
        let want = ["emb", "0a", "0m", "1a", "0m:2", "1a:2", "1m", "0a:2", "0m:3", "bias"];
        assert_eq!(names, want);
    }
}
