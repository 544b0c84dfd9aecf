//! Do a report's lists have the lengths that drawing relies on? People edit files.

use std::collections::HashSet;

use super::{AnswerVocabulary, Averages, Lab, Lens, Prompts, Report, ReportError};
use crate::engine::MemberKind;
use crate::measure::decomposition::{ByKind, ColumnNumbers, DecomposedColumns, Triple, Triples};
use crate::measure::leads::leads;
use crate::plan::{HeadsOff, MAX_RUNS};
use crate::study::coupling::{ModelsCoupling, check};
use crate::study::geometry::Geometry;
use crate::study::member::check::account;
use crate::study::need::Need;
use crate::study::orders::{Measures, OrderRows, Orders, SweepPoint, VoteMeans};
use crate::study::parts::PartLosses;

/// Members of the longest plan: the embedding, and two a block run.
const MEMBERS: usize = 2 * MAX_RUNS + 1;

pub(super) fn report(report: &Report) -> Result<(), ReportError> {
    let run = report.lens.as_ref();
    shape("the lens", run.map_or(Ok(()), lens))?;
    let member = report.member.as_ref();
    shape("the member", member.map_or(Ok(()), |member| account(member, run)))?;
    let without = report.parts.as_ref();
    shape("the parts", without.map_or(Ok(()), |without| parts(without, run)))?;
    shape("the prompts", report.prompts.as_ref().map_or(Ok(()), prompts))?;
    shape("the lab", report.lab.as_deref().map_or(Ok(()), lab))?;
    tasks("the sweep", &report.orders, |one| &one.task, orders)?;
    shape("the coupling", report.coupling.as_deref().map_or(Ok(()), check::coupling))?;
    tasks("the coupling", &report.task_coupling, |one| &one.task, check::task)?;
    tasks("the need", &report.need, |one| &one.task, need)?;
    for (i, median) in report.medians.iter().enumerate() {
        let counted = counted_blocks([Some(median.at), median.middle, median.rounds]);
        shape("the medians", counted.map_err(|reason| format!("median {i} {reason}")))?;
    }
    Ok(())
}

/// Says in which part of a report something does not fit.
fn shape(place: &str, checked: Result<(), String>) -> Result<(), ReportError> {
    checked.map_err(|reason| ReportError::Shape { place: place.to_owned(), reason })
}

/// Checks what a report holds of several tasks, each once.
fn tasks<T>(
    what: &str,
    all: &[T],
    task: impl Fn(&T) -> &String,
    check: impl Fn(&T) -> Result<(), String>,
) -> Result<(), ReportError> {
    let mut seen = HashSet::new();
    for one in all {
        let is_new = seen.insert(task(one));
        let checked = if is_new { check(one) } else { Err("it is there twice".to_owned()) };
        shape(&format!("{what} on “{}”", task(one)), checked)?;
    }
    Ok(())
}

/// Several models' coupling.
pub(super) fn models(found: &ModelsCoupling) -> Result<(), ReportError> {
    shape("the comparison of models", check::models(found))?;
    let mut seen = HashSet::new();
    for model in &found.models {
        let name = &model.report.model.name;
        shape(name, model_report(&model.report, seen.insert(name)))?;
        report(&model.report)?;
    }
    Ok(())
}

/// One model's report among those of others.
fn model_report(report: &Report, is_new: bool) -> Result<(), String> {
    refuse_if!(!is_new, "it is there twice");
    // One that was stopped early has the other orders' rows alone.
    let is_empty = report.task_coupling.is_empty() && report.orders.is_empty();
    refuse_if!(report.coupling.is_none() && is_empty, "it has no coupling");
    Ok(())
}

/// `name` must have as many entries as there are of `what`.
pub(in crate::study) fn long(
    name: &str,
    length: usize,
    count: usize,
    what: &str,
) -> Result<(), String> {
    refuse_if!(length != count, "{name} has {length} entries for {count} {what}");
    Ok(())
}

fn lens(lens: &Lens) -> Result<(), String> {
    let (m, k) = (lens.members.len(), lens.logits.len());
    refuse_if!(m == 0 || m > MEMBERS, "it has {m} members");
    refuse_if!(k < 2, "it has {k} options");
    refuse_if!(lens.answer >= k, "its right answer is {} of {k} options", lens.answer);
    long("probabilities", lens.probabilities.len(), k, "options")?;
    long("option_token_ids", lens.option_token_ids.len(), k, "options")?;
    if let Some(options) = &lens.options {
        long("options", options.len(), k, "options")?;
    }
    if let Some(tokens) = &lens.tokens {
        long("tokens", tokens.len(), lens.token_ids.len(), "token ids")?;
    }
    long("member_logits", lens.member_logits.len(), m, "members")?;
    for row in &lens.member_logits {
        long("a row of member_logits", row.len(), k, "options")?;
    }
    // JSON holds no infinite number, but one that is too large for 32 bits becomes one.
    let mut all = lens.member_logits.iter().flatten().chain(&lens.logits);
    refuse_if!(!all.all(|x| x.is_finite()), "a logit is too large");
    if let Some(beyond) = &lens.vocabulary {
        vocabulary(beyond, k)?;
    }
    let is_led = lens.leads.is_empty() || lens.leads == leads(&lens.member_logits);
    refuse_if!(!is_led, "leads does not follow from member_logits");
    // The bias is no stream's.
    let has_bias = lens.members.last().is_some_and(|last| last.kind == MemberKind::Bias);
    if let Some(depths) = &lens.logit_lens_members {
        let streams = m - usize::from(has_bias);
        long("logit_lens_members", depths.len(), streams, "members")?;
    }
    if let Some(grid) = &lens.logit_lens_grid {
        let streams = lens.logit_lens.as_ref().map_or(0, Vec::len);
        long("logit_lens_grid", grid.depths.len(), grid.positions.len(), "positions")?;
        for depths in &grid.depths {
            long("a position of logit_lens_grid", depths.len(), streams, "depths")?;
        }
        positions(&grid.positions, lens)?;
    }
    attention(lens)?;
    let grid = lens.logit_lens_grid.iter().flat_map(|grid| &grid.depths);
    for depth in lens.logit_lens.iter().chain(&lens.logit_lens_members).chain(grid).flatten() {
        let followed = lens.logit_lens.as_ref().and_then(|depths| depths.first());
        let followed = followed.map_or(0, |depth| depth.followed.len());
        long("followed", depth.followed.len(), followed, "words")?;
        refuse_if!(depth.top_ids.is_empty(), "a depth of the logit lens names no token");
        let (ids, logs) = (&depth.top_ids, &depth.top_log_probabilities);
        long("top_log_probabilities", logs.len(), ids.len(), "top_ids")?;
        let mut numbers = logs.iter().chain([&depth.kl, &depth.entropy]);
        refuse_if!(!numbers.all(|x| x.is_finite()), "a number of the logit lens is too large");
    }
    let d = &lens.decomposition;
    long("by_depth", d.by_depth.len(), m, "members")?;
    long("offset.members", d.offset.members.len(), m, "members")?;
    columns(&d.columns(), m)?;
    depths(d.by_depth.iter().map(|depth| &depth.triples))
}

/// Checks the numbers of a run over the whole vocabulary.
pub(in crate::study) fn vocabulary(
    vocabulary: &AnswerVocabulary,
    options: usize,
) -> Result<(), String> {
    let probabilities = &vocabulary.option_probabilities;
    long("option_probabilities", probabilities.len(), options, "options")?;
    long("option_ranks", vocabulary.option_ranks.len(), options, "options")?;
    refuse_if!(vocabulary.option_ranks.contains(&0), "an option has rank 0, and ranks begin at 1");
    let is_share = |share: &f64| (0.0..=1.0 + 1e-6).contains(share);
    let top = vocabulary.top.iter().map(|token| &token.probability);
    let are_shares = probabilities.iter().chain(top).all(is_share);
    refuse_if!(!are_shares, "a probability lies outside 0 to 1");
    let AnswerVocabulary { log_partition, entropy, surprise, mass, kl, .. } = vocabulary;
    let mut numbers = [log_partition, entropy, surprise, mass].into_iter().chain(kl);
    refuse_if!(!numbers.all(|x| x.is_finite()), "a number of the whole vocabulary is too large");
    let can_be = is_share(mass) && kl.is_none_or(|kl| kl >= 0.0);
    refuse_if!(!can_be, "the options' mass or a KL of the whole vocabulary cannot be");
    Ok(())
}

fn positions(positions: &[usize], lens: &Lens) -> Result<(), String> {
    let tokens = lens.token_ids.len();
    match positions.iter().find(|&&position| position >= tokens) {
        Some(position) => Err(format!("it speaks of position {position} of {tokens} tokens")),
        None => Ok(()),
    }
}

fn attention(lens: &Lens) -> Result<(), String> {
    let tokens = lens.token_ids.len();
    let empty = Vec::new();
    let pattern = lens.attention_pattern.as_ref().unwrap_or(&empty);
    let carried = lens.attention_carried.as_ref().unwrap_or(&empty);
    long("attention_carried", carried.len(), pattern.len(), "runs of attention")?;
    for (weights, carried) in pattern.iter().zip(carried) {
        long("a run of attention_carried", carried.len(), weights.len(), "heads")?;
    }
    let heads = lens.attention_head.iter().flatten();
    for head in heads.clone() {
        let is_there = pattern.get(head.run).is_some_and(|run| head.head < run.len());
        refuse_if!(!is_there, "it has no run {} with a head {}", head.run, head.head);
        long("a head's weights", head.weights.len(), head.queries.len(), "queries")?;
        long("a head's carried", head.carried.len(), head.queries.len(), "queries")?;
        positions(&head.queries, lens)?;
    }
    positions(&lens.attention_query.into_iter().collect::<Vec<_>>(), lens)?;
    let rows = pattern.iter().chain(carried).flatten();
    for row in rows.chain(heads.flat_map(|head| head.weights.iter().chain(&head.carried))) {
        long("a row of attention", row.len(), tokens, "tokens")?;
        refuse_if!(!row.iter().all(|x| x.is_finite()), "a number of the attention is too large");
    }
    if let Some(before) = &lens.before {
        long("before", before.len(), lens.logits.len(), "options")?;
    }
    if let Some(beyond) = &lens.before_vocabulary {
        vocabulary(beyond, lens.logits.len())?;
    }
    Ok(())
}

/// Every column has numbers of all members, and the logits' are those of their two parts.
fn columns(columns: &DecomposedColumns<'_>, members: usize) -> Result<(), String> {
    let DecomposedColumns { probability, logit, centred, offset } = columns;
    let named =
        [("probability", probability), ("logit", logit), ("centred", centred), ("offset", offset)];
    for (name, column) in named {
        let lists =
            [("member_bias", &column.member_bias), ("member_diversity", &column.member_diversity)];
        for (list, values) in lists {
            long(&format!("{name}.{list}"), values.len(), members, "members")?;
        }
    }

    let whole = [logit, centred, offset];
    column_sums("the whole", whole.map(|column| column.total.numbers()))?;
    for i in 0..members {
        let member = |column: &&ColumnNumbers| [column.member_bias[i], column.member_diversity[i]];
        column_sums(&format!("member {i}"), [member(logit), member(centred), member(offset)])?;
    }
    column_sums("the kinds", whole.map(|column| kinds(&column.by_kind)))
}

fn kinds(by: &ByKind) -> [f64; 8] {
    let ByKind { embedding, attention, mlp, bias } = by;
    let shares = [embedding, attention, mlp, bias];
    std::array::from_fn(|i| {
        let share = shares[i / 2];
        if i % 2 == 0 { share.bias } else { share.diversity }
    })
}

fn depths<'a>(mut depths: impl Iterator<Item = &'a Triples>) -> Result<(), String> {
    depths.try_for_each(|depth| {
        let Triples { logit, centred, offset, .. } = depth;
        column_sums("a depth", [logit, centred, offset].map(Triple::numbers))
    })
}

/// The digits of a file, as a share of its numbers.
const ROUNDING: f64 = 1e-6;

/// The logits' numbers are the sums of those of their two parts.
pub(in crate::study) fn column_sums<const N: usize>(
    what: &str,
    [logit, centred, offset]: [[f64; N]; 3],
) -> Result<(), String> {
    let is_sum = |i: usize| {
        let (whole, a, b) = (logit[i], centred[i], offset[i]);
        (whole - (a + b)).abs() <= ROUNDING * (whole.abs() + a.abs() + b.abs())
    };
    let are_sums = (0..N).all(is_sum);
    refuse_if!(!are_sums, "the logit column of {what} is not the sum of centred and offset");
    Ok(())
}

fn parts(parts: &PartLosses, lens: Option<&Lens>) -> Result<(), String> {
    let lens = lens.ok_or("their run is not there")?;
    let mut whole = [parts.log_probability, parts.lead].into_iter().chain(parts.unrelated_kl);
    refuse_if!(!whole.all(f64::is_finite), "one of its numbers is too large");
    for part in parts.members.iter().chain(&parts.heads) {
        let member = lens.members.get(part.member);
        let is_fit = match (member.map(|member| member.kind), part.head) {
            (Some(MemberKind::Attention), head) => head.is_none_or(|head| head < HeadsOff::MOST),
            (Some(MemberKind::Mlp), None) => true,
            _ => false,
        };
        refuse_if!(!is_fit, "its run has no part that {} leaves out", part.plan);
        let are_finite = [part.lost, part.lead_lost, part.kl].iter().all(|x| x.is_finite());
        refuse_if!(!are_finite, "one of its numbers is too large");
        let is_below = part.rank == 0 || part.kl < 0.0;
        refuse_if!(is_below, "without it, {} has a rank or a KL below the least", part.plan);
    }
    let are_mixed = parts.members.iter().any(|part| part.head.is_some())
        || parts.heads.iter().any(|part| part.head.is_none());
    refuse_if!(are_mixed, "members and heads are mixed");
    Ok(())
}

fn prompts(prompts: &Prompts) -> Result<(), String> {
    let first = prompts.rows.first().ok_or("there are none")?;
    for (i, row) in prompts.rows.iter().enumerate() {
        lens(row).map_err(|reason| format!("row {i}: {reason}"))?;
        refuse_if!(row.members != first.members, "row {i} has other members than row 0");
    }
    let averages = &prompts.averages;
    long("rows", prompts.rows.len(), averages.rows, "averaged rows")?;
    self::averages(averages, first.members.len())
}

/// A cell's, or those of many prompts.
pub(in crate::study) fn averages(averages: &Averages, members: usize) -> Result<(), String> {
    long("by_depth", averages.by_depth.len(), members, "members")?;
    columns(&averages.columns(), members)?;
    depths(averages.by_depth.iter().map(|depth| &depth.triples))?;
    refuse_if!(averages.rows == 0, "it has numbers of 0 rows");
    Ok(())
}

fn lab(lab: &Lab) -> Result<(), String> {
    lens(&lab.original)?;
    lens(&lab.arranged)?;
    let options = lab.original.logits.len();
    long("the arranged model's logits", lab.arranged.logits.len(), options, "options")?;
    lab.geometry.iter().try_for_each(geometry)
}

fn geometry(geometry: &Geometry) -> Result<(), String> {
    let states = geometry.cosine_map.len();
    refuse_if!(states == 0 || states > MAX_RUNS + 1, "its stream has {states} states");
    for row in &geometry.cosine_map {
        long("a row of cosine_map", row.len(), states, "states")?;
    }
    let tokens = &geometry.trajectories.tokens;
    tokens.iter().try_for_each(|path| long("a token's trajectory", path.len(), states, "states"))
}

fn orders(orders: &Orders) -> Result<(), String> {
    let (count, asked) = (orders.rows, orders.rows_asked);
    refuse_if!(count == 0, "it has numbers of 0 rows");
    refuse_if!(count > asked, "it has {count} rows of {asked} that were asked");
    for variant in std::iter::once(&orders.original).chain(&orders.variants) {
        rows(&variant.rows, count)
            .and_then(|()| measures(&variant.measures))
            .map_err(|reason| format!("{}: {reason}", variant.name))?;
    }
    let tokens = &orders.answer_tokens;
    if !tokens.is_empty() {
        long("answer_tokens", tokens.len(), count, "rows")?;
    }
    refuse_if!(tokens.contains(&0), "a right answer has no tokens");
    for (i, one) in orders.points.iter().enumerate() {
        point(one, orders.variants.len()).map_err(|reason| format!("point {i} {reason}"))?;
    }
    orders.geometry.iter().try_for_each(geometry)
}

fn measures(measures: &Measures) -> Result<(), String> {
    let means = |votes: &VoteMeans| [votes.mse.mean, votes.bias.mean, votes.diversity.mean];
    column_sums("the means", [&measures.logit, &measures.centred, &measures.offset].map(means))
}

/// All lists have an entry a row; those that a score or a device may be without may be empty.
fn rows(rows: &OrderRows, count: usize) -> Result<(), String> {
    if rows.is_shared() {
        return long("correct", rows.correct.len(), count, "rows");
    }
    let always = [
        ("correct", rows.correct.len()),
        ("margin", rows.margin.len()),
        ("probability", rows.probability.len()),
        ("logit", rows.logit.len()),
        ("centred", rows.centred.len()),
        ("offset", rows.offset.len()),
        ("paper", rows.paper.len()),
    ];
    let some = [
        ("kl", rows.kl.len()),
        ("first_word", rows.first_word.len()),
        ("log_likelihood", rows.log_likelihood.len()),
        ("correct_per_byte", rows.correct_per_byte.len()),
    ];
    let some = some.into_iter().filter(|(_, length)| *length > 0);
    let mut lists = always.into_iter().chain(some);
    lists.try_for_each(|(name, length)| long(name, length, count, "rows"))?;
    let mut all = rows.logit.iter().zip(&rows.centred).zip(&rows.offset).enumerate();
    all.try_for_each(|(i, ((&logit, &centred), &offset))| {
        column_sums(&format!("row {i}"), [logit, centred, offset])
    })
}

fn point(point: &SweepPoint, variants: usize) -> Result<(), String> {
    refuse_if!(point.variants.is_empty(), "is of no variant");
    if let Some(i) = point.variants.iter().find(|&&i| i >= variants) {
        return Err(format!("is of variant {i} of {variants}"));
    }
    counted_blocks([Some(point.at), point.middle, point.rounds])?;
    measures(&point.measures).map_err(|reason| format!("does not fit: {reason}"))
}

/// Numbers of a point of a sweep are of a plan's blocks.
fn counted_blocks(numbers: [Option<usize>; 3]) -> Result<(), String> {
    match numbers.into_iter().flatten().find(|&n| n > MAX_RUNS) {
        Some(n) => Err(format!("counts to {n} blocks")),
        None => Ok(()),
    }
}

fn need(need: &Need) -> Result<(), String> {
    if let Some(part) = need.parts.iter().find(|part| part.run >= MAX_RUNS) {
        return Err(format!("it has a part of run {}", part.run));
    }
    let compared = [&need.components, &need.heads].into_iter();
    let largest = compared.flat_map(|found| [&found.largest_loss, &found.largest_lost]).flatten();
    let mut named = largest.flat_map(|found| found.beside.iter().chain([&found.part]));
    match named.find(|&&part| part >= need.parts.len()) {
        Some(part) => Err(format!("it compares part {part} of {}", need.parts.len())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn baked() -> Value {
        let text = include_str!("../../../public/examples/first.atelier.json");
        serde_json::from_str(text).expect("the example")
    }

    fn read(report: &Value) -> Result<Report, ReportError> {
        Report::read(&report.to_string())
    }

    fn mean() -> Value {
        json!({"mean": 0.5, "low": 0.4, "high": 0.6})
    }

    fn votes(mean: f64) -> Value {
        let mean = json!({"mean": mean, "low": 0.0, "high": 2.0});
        json!({"mse": mean, "bias": mean, "diversity": mean})
    }

    /// A sweep of two rows and one other order.
    fn sweep() -> Value {
        let measures = json!({
            "accuracy": mean(), "change": mean(), "margin": mean(), "kl": mean(),
            "probability": votes(0.5), "paper": votes(0.5),
            "logit": votes(0.5), "centred": votes(0.1), "offset": votes(0.4),
        });
        let rows = json!({
            "correct": [true, false], "margin": [0.1, 0.2], "kl": [0.0, 0.0],
            "probability": [[0.1, 0.2, 0.1], [0.1, 0.2, 0.1]],
            "logit": [[0.1, 0.2, 0.1], [0.1, 0.2, 0.1]],
            "centred": [[0.0, 0.1, 0.1], [0.1, 0.2, 0.1]],
            "offset": [[0.1, 0.1, 0.0], [0.0, 0.0, 0.0]],
            "paper": [[0.1, 0.2, 0.1], [0.1, 0.2, 0.1]],
        });
        let order = |name: &str, plan: &str| json!({"name": name, "plan": plan, "measures": measures, "rows": rows});
        json!({
            "task": "sum", "score": "option", "rows": 2, "rows_asked": 2, "chance": 0.1,
            "majority": 0.5, "resamples": 1000, "seed": 0, "block_runs": 24, "block_runs_alone": 24,
            "original": order("own", "0-11"), "variants": [order("drop:3", "0-2,4-11")],
            "points": [{"sweep": "drop", "at": 3, "variants": [0], "measures": measures}],
        })
    }

    /// Vote and need of one part.
    fn need(run: usize) -> Value {
        json!({
            "task": "sum", "rows": 2, "resamples": 1000, "seed": 0, "accuracy": mean(), "lead": mean(),
            "parts": [{
                "kind": "mlp", "run": run, "block": 0, "plan": "0a,1-11", "vote": mean(),
                "loss": mean(), "accuracy": mean(),
            }],
            "components": {}, "heads": {},
        })
    }

    fn with_sweeps(sweeps: &[Value]) -> Value {
        let mut report = baked();
        report["orders"] = json!(sweeps);
        report
    }

    #[test]
    fn what_was_written_is_read() {
        let lens = read(&baked()).expect("a lens");
        assert!(lens.lens.is_some());
        let swept = read(&with_sweeps(&[sweep()])).expect("a sweep");
        assert_eq!(swept.orders.len(), 1);
        let mut needed = baked();
        needed["need"] = json!([need(MAX_RUNS - 1)]);
        assert_eq!(read(&needed).expect("a need").need.len(), 1);
    }

    #[test]
    fn parts_that_do_not_fit_are_refused_by_name() {
        let why = |report: &Value| {
            let refused = read(report);
            refused.expect_err("it does not fit").to_string()
        };
        let lens = |change: &dyn Fn(&mut Value)| {
            let mut report = baked();
            change(&mut report["lens"]);
            why(&report)
        };
        let orders = |change: &dyn Fn(&mut Value)| {
            let mut changed = sweep();
            change(&mut changed);
            why(&with_sweeps(&[changed]))
        };
        let needs = |needs: &[Value]| {
            let mut report = baked();
            report["need"] = json!(needs);
            why(&report)
        };
        let medians = |change: &dyn Fn(&mut Value)| {
            let mut median = json!({"sweep": "reverse", "at": 0, "tasks": 2, "accuracy": 0.5});
            change(&mut median);
            let mut report = with_sweeps(&[sweep()]);
            report["medians"] = json!([median]);
            why(&report)
        };
        let pop = |list: &mut Value| drop(list.as_array_mut().map(Vec::pop));
        for (sentence, says) in [
            (lens(&|lens| lens["answer"] = json!(7)), "its right answer is 7 of"),
            (lens(&|lens| pop(&mut lens["member_logits"])), "the lens does not fit"),
            (
                lens(&|lens| pop(&mut lens["member_logits"][0])),
                "a row of member_logits has 3 entries for 4",
            ),
            (lens(&|lens| pop(&mut lens["option_token_ids"])), "option_token_ids has 3"),
            (
                lens(&|lens| lens["leads"] = json!([{"from": 99, "option": 0}])),
                "leads does not follow from member_logits",
            ),
            (
                lens(&|lens| lens["by_depth"][2]["offset"]["mse"] = json!(7.0)),
                "the logit column of a depth is not the sum of centred and offset",
            ),
            (
                lens(&|lens| lens["centred"]["member_bias"][1] = json!(7.0)),
                "the logit column of member 1 is not the sum of centred and offset",
            ),
            (
                orders(&|sweep| sweep["points"][0]["measures"]["centred"] = votes(0.2)),
                "point 0 does not fit: the logit column of the means",
            ),
            (
                orders(&|sweep| sweep["original"]["rows"]["offset"][1] = json!([0.0, 0.1, 0.1])),
                "own: the logit column of row 1",
            ),
            (
                orders(&|sweep| sweep["rows"] = json!(0)),
                "the sweep on “sum” does not fit the rest of the file (it has numbers of 0 rows)",
            ),
            (orders(&|sweep| sweep["rows"] = json!(3)), "3 rows of 2 that were asked"),
            (
                orders(&|sweep| pop(&mut sweep["variants"][0]["rows"]["kl"])),
                "drop:3: kl has 1 entries for 2 rows",
            ),
            (
                orders(&|sweep| sweep["points"][0]["variants"] = json!([9])),
                "point 0 is of variant 9 of 1",
            ),
            (why(&with_sweeps(&[sweep(), sweep()])), "it is there twice"),
            (
                needs(&[need(0), need(0)]),
                "the need on “sum” does not fit the rest of the file (it is there twice)",
            ),
            (needs(&[need(MAX_RUNS)]), "it has a part of run"),
            (medians(&|median| median["at"] = json!(MAX_RUNS + 1)), "median 0 counts to"),
            (medians(&|median| median["middle"] = json!(MAX_RUNS + 1)), "median 0 counts to"),
        ] {
            assert!(sentence.contains(says), "{sentence}");
        }
        let mut newer = baked();
        newer["atelier"] = json!(99);
        assert!(why(&newer).contains("written by a newer atelier"), "{}", why(&newer));
        assert!(why(&json!({})).contains("is no atelier report"));
    }
}
