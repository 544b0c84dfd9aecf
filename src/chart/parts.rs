//! Losses of one prompt's answer without each of its parts: a map of components, and one of heads.

use std::collections::BTreeMap;

use super::TableCell::{self, Check, Count, Number};
use super::number::{counted, fixed, ordinal, short, signed};
use super::plot::{Axis, Panel, Patch, Plot, Ramp, VoidCell};
use super::strokes::{self, member_pick, option_name, tiles};
use super::votes::{capital, uncapital};
use super::{Figure, FigureDraft, Table, Theme};
use crate::engine::{MemberKind, member_names};
use crate::measure::bits::bits;
use crate::plan::HeadsOff;
use crate::study::parts::{PartLoss, PartLosses};
use crate::study::report::{Lens, ModelFacts};

const CELL: u32 = 26;
/// More columns than this have no room for numbers.
const WRITTEN: usize = 16;
/// Said of a plan such as the MLP alone of one block.
pub const NO_PARTS: &str = "This plan has no part that can be left out.";
/// Parts that a sentence names at most.
const NAMED: usize = 2;

/// The map of components, and where the plan runs any the map of heads.
pub fn part_figures(lens: &Lens, parts: &PartLosses, theme: &Theme) -> Vec<Figure> {
    let both = [members(lens, parts), heads(lens, parts)];
    both.into_iter().flatten().map(|draft| draft.figure(theme)).collect()
}

/// The lens's pictures, the heading of the votes led by what leaving components out costs.
pub fn with_losses(mut figures: [Figure; 3], lens: &Lens, parts: &PartLosses) -> [Figure; 3] {
    let sound: Vec<&PartLoss> =
        parts.members.iter().filter(|part| !parts.is_broken(part)).collect();
    if let Some(dearest) = largest(&sound, |part| part.lost).filter(|part| part.lost > 0.0) {
        let who = capital(&name(lens, dearest));
        let lost = short(bits(dearest.lost));
        let [votes, ..] = &mut figures;
        let scope = match sound.len() == parts.members.len() {
            true => "",
            false => " where the model does not break",
        };
        let said = uncapital(&votes.title);
        votes.title = format!("{who} costs most{scope}, {lost} bits of surprise; {said}");
    }
    figures
}

/// Two rows, attention and MLP, over the blocks as they ran.
fn members(lens: &Lens, parts: &PartLosses) -> Option<FigureDraft> {
    let columns: Vec<_> = tiles(lens).into_iter().filter(|tile| tile.block.is_some()).collect();
    let is_written = columns.len() <= WRITTEN;
    let names = member_names(&lens.members);

    // 1. A cell for every member that ran; one that cannot be left out has no value.
    let (mut patches, mut voids, mut picks) = (Vec::new(), Vec::new(), BTreeMap::new());
    for (x, tile) in columns.iter().enumerate() {
        for &member in &tile.strokes {
            let y = usize::from(lens.members[member].kind == MemberKind::Attention);
            match parts.members.iter().find(|part| part.member == member) {
                Some(part) => patches.push(patch(lens, parts, part, [x, y], is_written)),
                None => {
                    let name = format!("{}: nothing runs without it", names[member]);
                    voids.push(VoidCell { x, y, name, framed: false });
                }
            }
            picks.insert([x, y], member_pick(&names[member]));
        }
    }

    // 2. The map.
    let column = |tile: &strokes::Tile| match (tile.block, tile.run) {
        (Some(block), 1) => block.to_string(),
        (Some(block), run) => format!("{block} ({})", ordinal(run)),
        (None, _) => String::new(),
    };
    let name = "component by block, left to right as they run";
    let x = Axis::category("block", columns.iter().map(column).collect());
    let y = Axis::category("", vec!["MLP".to_owned(), "attention".to_owned()]);
    let panel = Panel { voids, picks, ..Panel::map(name, x, y, patches) };
    draft(["parts-members", "component"], lens, parts, &parts.members, panel.tall(2 * CELL))
}

/// Blocks by heads.
fn heads(lens: &Lens, parts: &PartLosses) -> Option<FigureDraft> {
    let columns = parts.heads.iter().filter_map(|part| part.head).max()? + 1;
    let is_attention = |&member: &usize| lens.members[member].kind == MemberKind::Attention;
    let rows: Vec<usize> = (0..lens.members.len()).filter(is_attention).collect();

    let patches = parts.heads.iter().filter_map(|part| {
        let y = rows.iter().position(|&member| member == part.member)?;
        Some(patch(lens, parts, part, [part.head?, y], columns <= WRITTEN))
    });
    // An attention is called by its block where it runs once.
    let names = member_names(&lens.members);
    let row = |&member: &usize| names[member].replacen('a', "", 1);
    let panel = Panel::map(
        "block (upwards as they run) by head",
        Axis::category("head", (0..columns).map(|head| head.to_string()).collect()),
        Axis::category("", rows.iter().map(row).collect()),
        patches.collect(),
    );
    let height = CELL * rows.len().max(2) as u32;
    draft(["parts-heads", "head"], lens, parts, &parts.heads, panel.tall(height))
}

/// The map of a list of parts, with the figure's key and the noun of a part; `None` of no parts.
fn draft(
    [key, noun]: [&'static str; 2],
    lens: &Lens,
    parts: &PartLosses,
    list: &[PartLoss],
    panel: Panel,
) -> Option<FigureDraft> {
    let quantity = format!("surprise of {} added without it, bits", option_name(lens, lens.answer));
    let ramp = Ramp::signed(quantity, list.iter().map(|part| bits(part.lost)));
    Some(FigureDraft {
        key,
        title: title(lens, parts, list)?,
        words: words(lens, parts, list, noun),
        table: table(lens, parts, list),
        plot: Plot::map(panel, ramp),
    })
}

/// One cell; framed where the model breaks. A head's cell has the plan without it.
fn patch(
    lens: &Lens,
    parts: &PartLosses,
    part: &PartLoss,
    place: [usize; 2],
    is_written: bool,
) -> Patch {
    let is_broken = parts.is_broken(part);
    let end = if is_broken { "\nwithout it the model breaks" } else { "" };
    let [surprise, difference] = [bits(part.lost), -part.lead_lost].map(signed);
    let (name, kl, rank) = (name(lens, part), short(bits(part.kl)), part.rank);
    let name = format!(
        "{name}\nsurprise {surprise} bits, logit difference {difference} logits\nKL {kl} bits, rank {rank}{end}"
    );
    Patch {
        text: is_written.then(|| fixed(bits(part.lost), 2)),
        framed: is_broken,
        plan: part.head.is_some().then(|| part.plan.clone()),
        ..Patch::new(place, bits(part.lost), name)
    }
}

/// `block 3's MLP`, `block 3's head 2`.
pub fn name(lens: &Lens, part: &PartLoss) -> String {
    let member = strokes::stroke_name(lens, part.member);
    match part.head {
        Some(head) => member.replacen("attention", &format!("head {head}"), 1),
        None => member,
    }
}

/// Names the parts without which the model breaks, and the other with the largest loss, by ln P and by the logit
/// difference.
fn title(lens: &Lens, parts: &PartLosses, list: &[PartLoss]) -> Option<String> {
    let (broken, sound): (Vec<&PartLoss>, Vec<&PartLoss>) =
        list.iter().partition(|part| parts.is_broken(part));
    let cost = cost(lens, &sound);
    if broken.is_empty() {
        return cost.map(|cost| capital(&cost));
    }
    let others = cost.map_or_else(String::new, |cost| format!(". Of the others {cost}"));
    Some(format!("Without {} the model breaks{others}", joined(lens, &broken)))
}

/// Which of these costs most; `None` of nothing.
fn cost(lens: &Lens, parts: &[&PartLoss]) -> Option<String> {
    let by_lost = largest(parts, |part| part.lost)?;
    let by_lead = largest(parts, |part| part.lead_lost)?;
    let right = option_name(lens, lens.answer);
    let (who, lost) = (name(lens, by_lost), short(bits(by_lost.lost)));
    let (other, difference) = (name(lens, by_lead), short(by_lead.lead_lost));
    Some(if by_lost.lost <= 0.0 {
        format!("no component's absence raises the surprise of {right}")
    } else if by_lost == by_lead {
        format!(
            "{who} costs most: the surprise of {right} rises by {lost} bits, the logit difference falls by {difference} logits"
        )
    } else {
        format!(
            "{who} costs most surprise ({lost} bits), {other} most logit difference ({difference} logits)"
        )
    })
}

/// The first of those with the largest number.
fn largest<'a>(parts: &[&'a PartLoss], of: impl Fn(&PartLoss) -> f64) -> Option<&'a PartLoss> {
    let farther = |best: &'a PartLoss, part: &&'a PartLoss| match of(part) > of(best) {
        true => *part,
        false => best,
    };
    let (first, rest) = parts.split_first()?;
    Some(rest.iter().fold(*first, farther))
}

/// `block 0's MLP`, `block 0's MLP or block 1's MLP`; of many parts their number.
fn joined(lens: &Lens, parts: &[&PartLoss]) -> String {
    let names: Vec<String> = parts.iter().map(|part| name(lens, part)).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [some @ .., last] if names.len() <= NAMED => format!("{} or {last}", some.join(", ")),
        [first, ..] => format!("{first} or any of {} more", names.len() - 1),
    }
}

fn words(lens: &Lens, parts: &PartLosses, list: &[PartLoss], noun: &str) -> [String; 2] {
    let gains = list.iter().filter(|part| part.lost < 0.0).count();
    let broken = match list.iter().filter(|part| parts.is_broken(part)).count() {
        0 => format!("No {noun} breaks it when it alone is left out."),
        1 => format!("It breaks without 1 {noun}, whose cell is framed."),
        broken => format!("It breaks without any one of {broken} {noun}s, whose cells are framed."),
    };
    [
        format!(
            "In the whole run the surprise of {} is {} bits over the whole vocabulary. It falls for {gains} of {} when each is left out alone.",
            option_name(lens, lens.answer),
            short(bits(-parts.log_probability)),
            counted(list.len(), noun)
        ),
        match parts.unrelated_kl {
            Some(kl) => format!("{} {broken}", breaks_from(kl)),
            None => "The prompt has no word, so there are no unrelated prompts to compare with. What breaks the model is not known."
                .to_owned(),
        },
    ]
}

/// Says of a model with more heads than a plan can name that the others are never left out alone.
pub fn unnamed_heads(model: &ModelFacts) -> Option<String> {
    let more = model.heads.checked_sub(HeadsOff::MOST).filter(|&more| more > 0)?;
    Some(format!(
        "A plan can name heads 0 to {} of a block, so the other {more} are never left out alone.",
        HeadsOff::MOST - 1
    ))
}

/// From which KL on the model breaks, in one sentence.
pub fn breaks_from(kl: f64) -> String {
    format!(
        "The model breaks if KL from its own answer reaches {} bits. The nearest of sixteen random prompts is that far away.",
        short(bits(kl))
    )
}

fn table(lens: &Lens, parts: &PartLosses, list: &[PartLoss]) -> Table {
    let names = member_names(&lens.members);
    let without = |part: &PartLoss| TableCell::Member {
        text: name(lens, part),
        member: names.get(part.member).cloned().unwrap_or_default(),
    };
    Table::of(
        list,
        &[
            ("without", &|part| without(part)),
            ("plan", &|part| TableCell::Plan(part.plan.clone())),
            ("surprise added, bits", &|part| Number(bits(part.lost))),
            ("logit difference lost, logits", &|part| Number(part.lead_lost)),
            ("KL, bits", &|part| Number(bits(part.kl))),
            ("rank", &|part| Count(part.rank)),
            ("breaks", &|part| Check(parts.is_broken(part))),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Column, LIGHT, figures};
    use crate::study::report::Report;

    fn lens() -> Lens {
        let text = include_str!("../../public/examples/first.atelier.json");
        Report::read(text).expect("the example").lens.expect("a lens")
    }

    /// Parts of block 0, 1 and 2 that lose so much: ln P, lead, KL.
    fn parts(losses: [[f64; 3]; 3]) -> PartLosses {
        let part = |(block, [lost, lead_lost, kl]): (usize, [f64; 3]), head| PartLoss {
            member: 1 + 2 * block,
            head,
            plan: "0".into(),
            lost,
            lead_lost,
            kl,
            rank: 1,
        };
        let all = |head: Option<usize>| {
            losses.into_iter().enumerate().map(move |loss| part(loss, head)).collect()
        };
        PartLosses {
            log_probability: -0.5,
            lead: 4.0,
            unrelated_kl: Some(7.0),
            members: all(None),
            heads: all(Some(2)),
        }
    }

    fn titles(losses: [[f64; 3]; 3]) -> Vec<String> {
        part_figures(&lens(), &parts(losses), &LIGHT).into_iter().map(|one| one.title).collect()
    }

    #[test]
    fn a_heading_names_what_costs_most_by_both_numbers() {
        let right = option_name(&lens(), lens().answer);
        assert_eq!(
            titles([[1.0, 2.0, 1.0], [2.0, 3.0, 1.0], [-1.0, 0.0, 1.0]]),
            ["attention", "head 2"].map(|part| format!(
                "Block 1's {part} costs most: the surprise of {right} rises by 2.89 bits, the logit difference falls by 3.00 logits"
            ))
        );
        assert_eq!(
            titles([[1.0, 5.0, 1.0], [2.0, 3.0, 1.0], [-1.0, 0.0, 1.0]])[0],
            "Block 1's attention costs most surprise (2.89 bits), block 0's attention most logit difference (5.00 logits)"
        );
        assert_eq!(
            titles([[0.0, 1.0, 1.0], [-2.0, 0.0, 1.0], [-1.0, 0.0, 1.0]])[0],
            format!("No component's absence raises the surprise of {right}")
        );
    }

    #[test]
    fn a_part_without_which_the_model_breaks_is_named_apart() {
        let found = titles([[9.0, 9.0, 8.0], [2.0, 3.0, 1.0], [-1.0, 0.0, 1.0]]);
        let says = "Without block 0's attention the model breaks. Of the others block 1's attention costs most: ";
        assert!(found[0].starts_with(says), "{}", found[0]);
        assert_eq!(
            titles([[9.0, 9.0, 8.0]; 3])[1],
            "Without block 0's head 2 or any of 2 more the model breaks"
        );
        let parts = parts([[9.0, 9.0, 8.0], [2.0, 3.0, 1.0], [-1.0, 0.0, 1.0]]);
        let lens = lens();
        let led = with_losses(figures(&lens, Column::default(), &LIGHT), &lens, &parts);
        let says = "Block 1's attention costs most where the model does not break, 2.89 bits of surprise; ";
        assert!(led[0].title.starts_with(says), "{}", led[0].title);
    }

    #[test]
    fn heads_that_no_plan_names_are_told() {
        let text = include_str!("../../public/examples/first.atelier.json");
        let mut model = Report::read(text).expect("the example").model;
        assert_eq!(unnamed_heads(&model), None);
        model.heads = 232;
        assert_eq!(
            unnamed_heads(&model).expect("more than a plan can name"),
            "A plan can name heads 0 to 127 of a block, so the other 104 are never left out alone."
        );
    }

    #[test]
    fn a_component_leads_to_its_page_and_a_head_has_its_plan() {
        let maps = part_figures(&lens(), &parts([[1.0, 2.0, 1.0]; 3]), &LIGHT);
        let [members, heads] = maps.as_slice() else { panic!("two maps") };
        let panel = &members.plot.panels[0];
        assert_eq!(panel.picks[&[1, 1]], "member:1a");
        assert!(panel.patches.iter().all(|patch| patch.plan.is_none()));
        let panel = &heads.plot.panels[0];
        assert!(panel.picks.is_empty());
        assert!(panel.patches.iter().all(|patch| patch.plan.as_deref() == Some("0")));
        // Nothing left out these members: their cells are crossed out.
        assert!(!members.plot.panels[0].voids.is_empty());
    }
}
