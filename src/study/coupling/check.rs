//! Do the parts of a coupling fit one another? People edit files.

use std::collections::BTreeMap;

use super::wish::{MAX_POSITIONS, MAX_STEPS};
use super::{
    Aligned, Coupling, MisCoupling, ModelsCoupling, Relation, TaskCoupling, TokenMap, TokenWise,
};
use crate::measure::coupling::SHOWN;
use crate::study::report::check::long;

/// A list of lists.
fn square<T>(
    name: &str,
    rows: &[Vec<T>],
    [count, width]: [usize; 2],
    what: &str,
) -> Result<(), String> {
    long(name, rows.len(), count, what)?;
    rows.iter().try_for_each(|row| long(&format!("a row of {name}"), row.len(), width, what))
}

fn steps(count: usize) -> Result<(), String> {
    refuse_if!(!(1..=MAX_STEPS).contains(&count), "it has {count} steps");
    Ok(())
}

fn tops<T>(top: &[usize], of: &BTreeMap<usize, T>) -> Result<(), String> {
    let is_ascending = top.is_sorted_by(|a, b| a < b);
    let begins_at_0 = top.first().is_none_or(|&first| first == 0);
    refuse_if!(begins_at_0 || !is_ascending, "its K are not ascending from 1");
    refuse_if!(!of.keys().eq(top), "depth_wise is not of the K in top");
    Ok(())
}

pub(in crate::study) fn coupling(coupling: &Coupling) -> Result<(), String> {
    let (s, t) = (coupling.steps.len(), coupling.token_ids.len());
    steps(s)?;
    tops(&coupling.top, &coupling.depth_wise)?;
    refuse_if!(t == 0, "it is of no tokens");
    if let Some(tokens) = &coupling.tokens {
        long("tokens", tokens.len(), t, "token ids")?;
    }
    long("spectrum", coupling.spectrum.len(), s, "steps")?;
    for spectrum in &coupling.spectrum {
        let shown = spectrum.singular_values.len();
        refuse_if!(shown > SHOWN, "a spectrum shows more than {SHOWN} values");
        let is_fit = spectrum.gap.keys().eq(&coupling.top);
        refuse_if!(!is_fit, "a spectrum's gap is not of the K in top");
    }
    for one in coupling.depth_wise.values() {
        map(&one.map, s, "steps")?;
    }
    if let Some(of) = &coupling.aligned {
        aligned(of, s)?;
    }
    if let Some(of) = &coupling.token_wise {
        token_wise(of, s, t)?;
    }
    let linearised = &coupling.linearised;
    long("linearised.cosine", linearised.cosine.len(), s, "steps")?;
    let error = linearised.relative_error.len();
    long("linearised.relative_error", error, s, "steps")?;
    let states = &coupling.trajectories.states;
    square("trajectories.states", states, [s + 1, t], "states and tokens")
}

fn map(map: &MisCoupling, count: usize, what: &str) -> Result<(), String> {
    square("off_diagonal", &map.off_diagonal, [count; 2], what)?;
    square("singular", &map.singular, [count; 2], what)?;
    for (name, why) in [("why_row", &map.why_row), ("why_column", &map.why_column)] {
        if !why.is_empty() {
            long(name, why.len(), count, what)?;
        }
    }
    Ok(())
}

fn aligned(aligned: &Aligned, s: usize) -> Result<(), String> {
    let k = aligned.k;
    refuse_if!(!(1..=SHOWN).contains(&k), "aligned is of {k} vectors");
    square("aligned.pairs", &aligned.pairs, [s, s], "steps")?;
    for pair in aligned.pairs.iter().flatten().flatten() {
        square("a pair of aligned", pair, [k, k], "vectors")?;
        let are_finite = pair.iter().flatten().all(|x| x.is_finite());
        refuse_if!(!are_finite, "a number of aligned is too large");
    }
    Ok(())
}

fn token_wise(found: &TokenWise, s: usize, t: usize) -> Result<(), String> {
    refuse_if!(found.k == 0, "token_wise is of no vectors");
    let slots = [
        ("self", &found.same),
        ("fixed_input", &found.fixed_input),
        ("fixed_output", &found.fixed_output),
    ];
    for (slot, map) in slots {
        let Some(map) = map else {
            continue;
        };
        let name = map.positions.name();
        refuse_if!(slot != name, "{slot} has the positions of {name}");
        token_map(map, s, t)?;
    }
    Ok(())
}

fn token_map(TokenMap { positions, pairs }: &TokenMap, s: usize, t: usize) -> Result<(), String> {
    let (name, places) = (positions.name(), positions.places());
    refuse_if!(places.len() > MAX_POSITIONS, "{name} has {} positions", places.len());
    if let Some(&(_, t_out)) = places.iter().find(|(t_in, t_out)| t_in.max(t_out) >= &t) {
        return Err(format!("{name} speaks of position {t_out} of {t} tokens"));
    }
    let is_later = places.iter().any(|(t_in, t_out)| t_in > t_out);
    refuse_if!(is_later, "{name} has an input after its output");
    for pair in pairs {
        if let Some(step) = pair.steps.iter().find(|&&step| step >= s) {
            return Err(format!("{name} speaks of step {step} of {s}"));
        }
        map(&pair.map, places.len(), "positions")?;
        long("gap", pair.gap.len(), places.len(), "positions")?;
    }
    Ok(())
}

pub(in crate::study) fn task(found: &TaskCoupling) -> Result<(), String> {
    let s = found.steps.len();
    steps(s)?;
    tops(&found.top, &found.depth_wise)?;
    refuse_if!(found.rows == 0, "it has numbers of 0 rows");
    let (rows, asked) = (found.rows, found.rows_asked);
    refuse_if!(rows > asked, "it has {rows} rows of {asked} that were asked");
    for one in found.depth_wise.values() {
        square("off_diagonal", &one.off_diagonal, [s, s], "steps")?;
        square("singular", &one.singular, [s, s], "steps")?;
        long("ill_posed", one.ill_posed.len(), s, "steps")?;
        let has_more = one.ill_posed.iter().any(|&count| count > rows);
        refuse_if!(has_more, "more than {rows} rows are ill-posed");
    }
    let linearised = &found.linearised;
    long("linearised.cosine", linearised.cosine.len(), s, "steps")?;
    let error = linearised.relative_error.len();
    long("linearised.relative_error", error, s, "steps")?;
    if let Some(cost) = found.costs.iter().find(|cost| cost.at >= s) {
        return Err(format!("{} speaks of step {} of {s}", cost.order, cost.at));
    }
    found.relations.iter().try_for_each(relation)?;
    long("each", found.each.len(), rows, "rows")?;
    for row in &found.each {
        tops(&found.top, &row.depth_wise)?;
        long("a row's cosine", row.cosine.len(), s, "steps")?;
        long("a row's relative_error", row.relative_error.len(), s, "steps")?;
        for one in row.depth_wise.values() {
            long("a row's off_diagonal", one.off_diagonal.len(), s * s, "pairs")?;
            long("a row's singular", one.singular.len(), s * s, "pairs")?;
            long("a row's gap", one.gap.len(), s, "steps")?;
            let numbers = one.off_diagonal.iter().chain(&one.singular).chain(&one.gap);
            refuse_if!(!numbers.flatten().all(|x| x.is_finite()), "a row's number is too large");
        }
    }
    Ok(())
}

fn relation(relation: &Relation) -> Result<(), String> {
    let points = relation.points.len();
    long("left_out", relation.left_out.len(), points, "points")
}

pub(in crate::study) fn models(found: &ModelsCoupling) -> Result<(), String> {
    refuse_if!(found.models.is_empty(), "it is of no model");
    found.relations.iter().try_for_each(relation)
}
