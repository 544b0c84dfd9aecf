//! One plan on one prompt, or on many: traces to [`Lens`] rows and their averages.

use std::collections::{BTreeMap, BTreeSet};

use super::loaded::{LoadedModel, Question};
use super::report::{AnswerVocabulary, Averages, DepthGrid, HeadLooks, Lens, LikelyToken, Report};
use crate::engine::{AttentionReading, Trace, VocabularyReading, last_members};
use crate::measure::decomposition::{argmax, decompose, softmax};
use crate::measure::leads::leads;
use crate::plan::Plan;

/// Makes a question's lens from its trace.
pub fn lens(model: &LoadedModel, question: &Question, plan: &Plan, trace: Trace) -> Lens {
    let Trace { members, member_logits, logits, vocabulary, depths, grid, attention, .. } = trace;
    let vocabulary = vocabulary.map(|reading| beyond_options(model, question, reading));
    let mut attention = attention.into_iter();
    let pattern = attention.next();
    let decomposition = decompose(&members, &member_logits, &logits, question.answer);
    let wide: Vec<f64> = logits.iter().map(|&x| f64::from(x)).collect();
    let text = question.text.as_ref();
    let mut lens = Lens {
        prompt: text.map(|text| text.prompt.clone()),
        options: text.map(|text| text.options.clone()),
        answer: question.answer,
        plan: plan.to_string(),
        token_ids: question.prompt.token_ids.clone(),
        tokens: text.map(|text| text.tokens.clone()),
        option_token_ids: question.prompt.option_ids.clone(),
        members,
        leads: leads(&member_logits),
        member_logits,
        probabilities: softmax(&wide),
        correct: argmax(&wide) == question.answer,
        logits,
        vocabulary_lacks_bytes: match vocabulary {
            Some(_) => None,
            None => model.engine.vocabulary_lack(),
        },
        vocabulary_ran_out: vocabulary.is_none() && model.engine.has_run_out(),
        vocabulary,
        decomposition,
        logit_lens: along(&depths, plan),
        logit_lens_members: (!depths.is_empty()).then_some(depths),
        ..Lens::default()
    };
    if !grid.is_empty() {
        let (positions, depths) = grid.into_iter().unzip();
        lens.logit_lens_grid = Some(DepthGrid { positions, depths });
    }
    if let Some(pattern) = pattern {
        look(&mut lens, pattern, attention.flatten());
    }
    lens
}

/// Makes a question's lens from its trace, where the original order was run as its
/// [`Reference`](crate::engine::Reference): the KL from it is filled in.
pub fn compared_lens(model: &LoadedModel, question: &Question, plan: &Plan, trace: Trace) -> Lens {
    let kl = trace.vocabulary.as_ref().map(|reading| reading.kl);
    let mut lens = lens(model, question, plan, trace);
    if let Some(vocabulary) = &mut lens.vocabulary {
        vocabulary.kl = kl;
    }
    lens
}

/// Compares an answer with a run of the original order that was made after it.
pub fn compare(lens: &mut Lens, original: &Trace) {
    if let Some(vocabulary) = &mut lens.vocabulary {
        vocabulary.kl = original.earlier_kl;
    }
}

/// Turns a reading of the whole vocabulary into a question's numbers, all but `kl`, which needs the original order.
pub(in crate::study) fn beyond_options(
    model: &LoadedModel,
    question: &Question,
    reading: VocabularyReading,
) -> AnswerVocabulary {
    let options = &reading.followed;
    let option_probabilities: Vec<f64> =
        options.iter().map(|option| option.log_probability.exp()).collect();
    let top = reading.top_ids.iter().zip(&reading.top_log_probabilities);
    let top = top.map(|(&id, &log_probability)| LikelyToken {
        id,
        logit: log_probability + reading.log_partition,
        probability: log_probability.exp(),
        text: model.token_text(id),
    });
    AnswerVocabulary {
        log_partition: reading.log_partition,
        mass: option_probabilities.iter().sum(),
        option_ranks: options.iter().map(|option| option.rank).collect(),
        entropy: reading.entropy,
        top: top.collect(),
        surprise: -options[question.answer].log_probability,
        kl: None,
        option_probabilities,
    }
}

/// Where heads look from the first query; and the large pictures of single heads.
fn look(
    lens: &mut Lens,
    pattern: Vec<AttentionReading>,
    large: impl Iterator<Item = AttentionReading>,
) {
    let all = |numbers: fn(&AttentionReading) -> &[f32]| {
        let runs = pattern.iter().map(|run| run.first(numbers(run)));
        runs.collect::<Vec<_>>()
    };
    let query = pattern.first().and_then(|run| run.queries.first());
    lens.attention_query = query.copied().or(Some(lens.token_ids.len() - 1));
    lens.attention_pattern = Some(all(|run| &run.weights));
    lens.attention_carried = Some(all(|run| &run.carried));
    let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
    let heads = large.filter_map(|of| {
        // A block that runs twice looks twice.
        let nth = seen.entry(of.block).or_default();
        let runs = pattern.iter().enumerate();
        let run = runs.filter(|(_, run)| run.block == of.block).nth(*nth)?.0;
        *nth += 1;
        let rows = |numbers: &[f32]| numbers.chunks(of.tokens).map(<[f32]>::to_vec).collect();
        Some(HeadLooks {
            run,
            head: *of.heads.first()?,
            weights: rows(&of.weights),
            carried: rows(&of.carried),
            queries: of.queries,
        })
    });
    lens.attention_head = Some(heads.collect()).filter(|heads: &Vec<_>| !heads.is_empty());
}

/// Names the tokens that a logit lens speaks of.
pub fn name_words(lens: &mut Lens, model: &LoadedModel) {
    let grid = lens.logit_lens_grid.iter().flat_map(|grid| grid.depths.iter().flatten());
    let alone = [&lens.logit_lens, &lens.logit_lens_members];
    let depths = alone.into_iter().flatten().flatten().chain(grid);
    let ids = depths.flat_map(|depth| {
        let followed = depth.followed.iter().map(|token| token.id);
        depth.top_ids.iter().copied().chain(followed)
    });
    let ids: BTreeSet<u32> = ids.collect();
    let words = ids.into_iter().filter_map(|id| Some((id, model.token_text(id)?)));
    lens.logit_lens_words =
        Some(words.collect()).filter(|words: &BTreeMap<_, _>| !words.is_empty());
}

/// Returns the readings before the first step and after each, out of the readings after every member.
fn along(depths: &[VocabularyReading], plan: &Plan) -> Option<Vec<VocabularyReading>> {
    let at = last_members(plan);
    let along: Option<Vec<VocabularyReading>> =
        at.iter().map(|&m| depths.get(m).cloned()).collect();
    along
}

/// A report of one prompt.
pub fn report(model: &LoadedModel, lens: Lens) -> Report {
    Report { lens: Some(lens), ..Report::of(model) }
}

/// Means over prompts of what the whole vocabulary says of their right options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeyondMeans {
    /// Share of prompts whose right option is the model's first word.
    pub first_word: f64,
    /// Mean `ln P` of the right option over the whole vocabulary, nats.
    pub log_probability: f64,
}

impl BeyondMeans {
    /// Takes the means over some rows; `None` where one was run without the whole vocabulary, or none is there.
    pub fn over<'a>(rows: impl IntoIterator<Item = &'a Lens>) -> Option<Self> {
        let mut running = RunningBeyond::default();
        rows.into_iter().for_each(|row| running.add(row));
        running.finish()
    }
}

#[derive(Default)]
struct RunningBeyond {
    rows: usize,
    read: usize,
    first_words: usize,
    log_probability: f64,
}

impl RunningBeyond {
    fn add(&mut self, row: &Lens) {
        self.rows += 1;
        if let Some(vocabulary) = &row.vocabulary {
            self.read += 1;
            self.first_words += usize::from(vocabulary.option_ranks[row.answer] == 1);
            self.log_probability -= vocabulary.surprise;
        }
    }

    fn finish(&self) -> Option<BeyondMeans> {
        let rows = self.rows as f64;
        (self.rows > 0 && self.read == self.rows).then(|| BeyondMeans {
            first_word: self.first_words as f64 / rows,
            log_probability: self.log_probability / rows,
        })
    }
}

/// Means over rows of one plan, and so of the same members, row by row.
#[derive(Default)]
pub struct RunningAverages {
    answers: BTreeMap<usize, usize>,
    sums: Option<Averages>,
    beyond: RunningBeyond,
}

impl RunningAverages {
    /// # Panics
    /// If the row is of another plan than those before.
    pub fn add(&mut self, row: &Lens) {
        *self.answers.entry(row.answer).or_default() += 1;
        self.beyond.add(row);
        let found = &row.decomposition;
        let sums = self.sums.get_or_insert_with(|| Averages::empty(row.members.len()));
        assert_eq!(found.by_depth.len(), sums.by_depth.len(), "rows of one plan");
        sums.add(found, row.correct);
    }

    /// Returns the means over the rows so far of what the whole vocabulary says.
    pub fn beyond(&self) -> Option<BeyondMeans> {
        self.beyond.finish()
    }

    /// `None` where no row came.
    pub fn finish(self) -> Option<Averages> {
        let mut sums = self.sums?;
        sums.divide();
        let most = self.answers.values().copied().max().unwrap_or(0);
        sums.majority = most as f64 / sums.rows as f64;
        Some(sums)
    }
}
