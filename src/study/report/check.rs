//! Do a report's lists have the lengths that drawing relies on? People edit files.

use super::{Averages, Lab, Lens, Prompts, Report, ReportError};
use crate::measure::decomposition::Column;
use crate::plan::MAX_RUNS;
use crate::study::geometry::Geometry;
use crate::study::orders::{Orders, Point};

/// Members of the longest plan: the embedding, and two a block run.
const MEMBERS: usize = 2 * MAX_RUNS + 1;

/// Why something does not fit.
type Reason = String;

pub(super) fn report(report: &Report) -> Result<(), ReportError> {
    let shape = |place: &str| {
        let place = place.to_owned();
        |reason: Reason| ReportError::Shape { place, reason }
    };
    if let Some(one) = &report.lens {
        lens(one).map_err(shape("the lens"))?;
    }
    if let Some(many) = &report.prompts {
        prompts(many).map_err(shape("the prompts"))?;
    }
    if let Some(both) = &report.lab {
        lab(both).map_err(shape("the lab"))?;
    }
    for one in &report.orders {
        orders(one).map_err(shape(&format!("the sweep on “{}”", one.task)))?;
    }
    Ok(())
}

/// `name` must have as many entries as there are of `what`.
fn long(name: &str, length: usize, count: usize, what: &str) -> Result<(), Reason> {
    if length == count {
        Ok(())
    } else {
        Err(format!("{name} has {length} entries for {count} {what}"))
    }
}

fn lens(lens: &Lens) -> Result<(), Reason> {
    let (m, k) = (lens.members.len(), lens.logits.len());
    if m == 0 || m > MEMBERS {
        return Err(format!("it has {m} members"));
    }
    if k < 2 {
        return Err(format!("it has {k} options"));
    }
    if lens.answer >= k {
        return Err(format!(
            "its right answer is {} of {k} options",
            lens.answer
        ));
    }
    long("probabilities", lens.probabilities.len(), k, "options")?;
    long(
        "option_token_ids",
        lens.option_token_ids.len(),
        k,
        "options",
    )?;
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
    if !all.all(|x| x.is_finite()) {
        return Err("a logit is too large".to_owned());
    }
    let d = &lens.decomposition;
    long("by_depth", d.by_depth.len(), m, "members")?;
    column("probability", &d.probability, m)?;
    column("logit", &d.logit, m)
}

fn column(name: &str, column: &Column, members: usize) -> Result<(), Reason> {
    let lists = [
        ("member_bias", &column.member_bias),
        ("member_diversity", &column.member_diversity),
    ];
    lists.iter().try_for_each(|(list, values)| {
        long(&format!("{name}.{list}"), values.len(), members, "members")
    })
}

fn prompts(prompts: &Prompts) -> Result<(), Reason> {
    let first = prompts.rows.first().ok_or("there are none")?;
    for (i, row) in prompts.rows.iter().enumerate() {
        lens(row).map_err(|reason| format!("row {i}: {reason}"))?;
        if row.members != first.members {
            return Err(format!("row {i} has other members than row 0"));
        }
    }
    let averages = &prompts.averages;
    long("rows", prompts.rows.len(), averages.rows, "averaged rows")?;
    self::averages(averages, first.members.len())
}

/// A cell's, or those of many prompts.
pub(in crate::study) fn averages(averages: &Averages, members: usize) -> Result<(), Reason> {
    long("by_depth", averages.by_depth.len(), members, "members")?;
    column("probability", &averages.probability, members)?;
    column("logit", &averages.logit, members)?;
    if averages.rows == 0 {
        return Err("it has numbers of 0 rows".to_owned());
    }
    Ok(())
}

fn lab(lab: &Lab) -> Result<(), Reason> {
    lens(&lab.original)?;
    lens(&lab.arranged)?;
    let options = lab.original.logits.len();
    long(
        "the arranged model's logits",
        lab.arranged.logits.len(),
        options,
        "options",
    )?;
    lab.geometry.iter().try_for_each(geometry)
}

fn geometry(geometry: &Geometry) -> Result<(), Reason> {
    let states = geometry.cosine_map.len();
    if states == 0 || states > MAX_RUNS + 1 {
        return Err(format!("its stream has {states} states"));
    }
    for row in &geometry.cosine_map {
        long("a row of cosine_map", row.len(), states, "states")?;
    }
    let tokens = &geometry.trajectories.tokens;
    tokens
        .iter()
        .try_for_each(|path| long("a token's trajectory", path.len(), states, "states"))
}

fn orders(orders: &Orders) -> Result<(), Reason> {
    for (i, one) in orders.points.iter().enumerate() {
        point(one, orders.variants.len()).map_err(|reason| format!("point {i} {reason}"))?;
    }
    orders.geometry.iter().try_for_each(geometry)
}

fn point(point: &Point, variants: usize) -> Result<(), Reason> {
    if let Some(i) = point.variants.iter().find(|&&i| i >= variants) {
        return Err(format!("is of variant {i} of {variants}"));
    }
    let numbers = [Some(point.at), point.middle, point.rounds];
    match numbers.into_iter().flatten().find(|&n| n > MAX_RUNS) {
        Some(n) => Err(format!("counts to {n} blocks")),
        None => Ok(()),
    }
}
