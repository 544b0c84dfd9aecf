//! Grid of the answers decoded from the stream at every depth and position.

use super::{DepthColour, cut, depth_names, line, steps, token, word};
use crate::chart::TableCell::{self, Number, Text};
use crate::chart::leads::Leaders;
use crate::chart::number::{percent, short};
use crate::chart::plot::{Axis, Panel, Patch, Plot, Ramp};
use crate::chart::{FigureDraft, Table};
use crate::engine::{VocabularyReading, last_members, member_names};
use crate::measure::bits::bits;
use crate::measure::leads::changes;
use crate::plan::{MAX_RUNS, Plan, Step};
use crate::study::report::{Lens, LensNorm};

const CELL: u32 = 26;
/// Letters of a desk's width, over all positions.
const LETTERS: usize = 125;

pub(super) fn figure(lens: &Lens, colour: DepthColour) -> Option<FigureDraft> {
    let grid = lens.logit_lens_grid.as_ref()?;
    let count = grid.depths.first()?.len();
    let names = depth_names(lens, count);
    let steps = steps(&lens.plan);
    let leads = leads(lens, &names, &steps);
    let letters = (LETTERS / grid.positions.len().max(1)).min(14);
    let first = grid.depths.first()?.first()?;
    // A link, or words that took the options' place, may name one that is not followed.
    let colour = match colour {
        DepthColour::Followed(n) | DepthColour::Rank(n) if n >= first.followed.len() => {
            DepthColour::default()
        }
        colour => colour,
    };
    let quantity = quantity(lens, first, colour);
    let (mut patches, mut rows) = (Vec::new(), Vec::new());
    for (x, (&t, depths)) in grid.positions.iter().zip(&grid.depths).enumerate() {
        for (y, depth) in depths.iter().enumerate() {
            let likeliest = word(lens, depth.top_ids[0]);
            let (value, of) = (of(depth, colour), asked(lens, t));
            let others = depth.top_ids.iter().zip(&depth.top_log_probabilities);
            let others =
                others.map(|(&id, log)| format!("{} {}", word(lens, id), percent(log.exp())));
            let name = format!(
                "{} after {of}\n{}\nentropy {}, KL to the end {} bits{}",
                place(&names[y]),
                others.collect::<Vec<_>>().join(", "),
                short(bits(depth.entropy)),
                short(bits(depth.kl)),
                followed(lens, depth, colour),
            );
            patches.push(Patch {
                text: (letters > 2).then(|| cut(&likeliest, letters)),
                plan: line(&steps[..y.min(steps.len())]).filter(|_| y > 0),
                ..Patch::new([x, y], value, name)
            });
            rows.push((t, y, depth));
        }
    }
    let tokens = grid.positions.iter().map(|&t| cut(&token(lens, t), 12));
    let ramp = Ramp::over(quantity, patches.iter().map(|patch| patch.value));
    let panel = Panel::map(
        "likeliest next token, from the embedding up to the answer",
        Axis::category("read after this token of the prompt", tokens.collect()),
        Axis::category("", names.clone()),
        patches,
    );
    let lead = |y: usize| leads.get(y).cloned().unwrap_or_else(|| Text(names[y].clone()));
    let table = Table::of(
        rows,
        &[
            ("after block", &|(_, y, _)| lead(*y)),
            ("position", &|(t, ..)| Number(*t as f64)),
            ("token", &|(t, ..)| Text(token(lens, *t))),
            ("likeliest next", &|(.., depth)| Text(word(lens, depth.top_ids[0]))),
            ("probability", &|(.., depth)| Number(depth.top_log_probabilities[0].exp())),
            ("entropy (bits)", &|(.., depth)| Number(bits(depth.entropy))),
            ("KL to the end (bits)", &|(.., depth)| Number(bits(depth.kl))),
        ],
    );
    Some(FigureDraft {
        key: "depths",
        title: title(lens, &names),
        words: words(lens),
        table,
        plot: Plot::map(panel.tall(CELL * count as u32), ramp),
    })
}

fn of(depth: &VocabularyReading, colour: DepthColour) -> f64 {
    match colour {
        DepthColour::Probability => depth.top_log_probabilities[0].exp(),
        DepthColour::Entropy => bits(depth.entropy),
        DepthColour::Kl => bits(depth.kl),
        DepthColour::Followed(n) => {
            depth.followed.get(n).map_or(0.0, |token| bits(-token.log_probability))
        }
        DepthColour::Rank(n) => {
            depth.followed.get(n).map_or(0.0, |token| f64::from(token.rank).log10())
        }
    }
}

fn quantity(lens: &Lens, first: &VocabularyReading, colour: DepthColour) -> String {
    let word = |n: usize| {
        let id = first.followed.get(n).map(|token| token.id);
        id.map(|id| word(lens, id)).unwrap_or_default()
    };
    match colour {
        DepthColour::Probability => "probability".to_owned(),
        DepthColour::Entropy => "entropy, bits".to_owned(),
        DepthColour::Kl => "KL to the end, bits".to_owned(),
        DepthColour::Followed(n) => format!("surprise of {}, bits", word(n)),
        DepthColour::Rank(n) => format!("log10 of the rank of {}, 0 is the likeliest", word(n)),
    }
}

/// Probability and rank of the followed word, where the colour stands for one.
fn followed(lens: &Lens, depth: &VocabularyReading, colour: DepthColour) -> String {
    let (DepthColour::Followed(n) | DepthColour::Rank(n)) = colour else {
        return String::new();
    };
    let said = depth.followed.get(n).map(|token| {
        let p = percent(token.log_probability.exp());
        format!("\n{}: {p}, rank {}", word(lens, token.id), token.rank)
    });
    said.unwrap_or_default()
}

fn asked(lens: &Lens, t: usize) -> String {
    format!("“{}” ({t})", token(lens, t))
}

/// A depth at the beginning of a sentence.
fn place(name: &str) -> String {
    match name {
        "emb" => "The embedding".to_owned(),
        block => format!("After block {block},"),
    }
}

/// Says which words lead the whole vocabulary along the depth, at the last token.
fn title(lens: &Lens, names: &[String]) -> String {
    let Some(depths) = lens.logit_lens.as_ref().filter(|depths| !depths.is_empty()) else {
        return "What the stream would answer".to_owned();
    };
    let leaders = changes(depths.iter().map(|depth| depth.top_ids[0]));
    let blocks: Vec<String> = names.iter().map(|name| format!("block {name}")).collect();
    Leaders {
        scope: "In the whole vocabulary",
        changes: leaders.iter().map(|&(at, id)| (at, format!("“{}”", word(lens, id)))).collect(),
        depths: &blocks,
        last: None,
    }
    .heading()
}

fn words(lens: &Lens) -> [String; 2] {
    let last = lens.logit_lens.as_ref().and_then(|depths| depths.last());
    let answer = last.map_or_else(String::new, |depth| {
        let p = depth.top_log_probabilities[0].exp();
        format!(
            ": its top row is the model's own answer, at the last token “{}” with {}",
            word(lens, depth.top_ids[0]),
            percent(p)
        )
    });
    let norm = match lens.logit_lens_norm {
        Some(LensNorm::Held) => {
            " The final norm's scale is that of the run's end, so an option gains, from one depth to the next, its \
             components' votes."
        }
        _ => "",
    };
    let grid = lens.logit_lens_grid.iter();
    let echoes = grid.flat_map(|grid| grid.positions.iter().zip(&grid.depths));
    let echo = |(t, depths): (&usize, &Vec<VocabularyReading>)| {
        depths.first().map(|depth| depth.top_ids[0]) == lens.token_ids.get(*t).copied()
    };
    let echoes: Vec<bool> = echoes.map(echo).collect();
    let tied = if echoes.iter().filter(|echo| **echo).count() * 2 > echoes.len() {
        " The lowest row repeats the prompt because input and output share one table."
    } else {
        ""
    };
    [
        format!("Every cell is what the model would say if the run stopped there{answer}.{norm}"),
        format!(
            "Every depth is decoded with the unembedding, which was trained for the last depth alone. The words of the lower \
             third are hints.{tied}{}",
            first_column(lens)
        ),
    ]
}

/// Says which word leads at most depths of the first token, where one does: that token sees nothing but itself.
fn first_column(lens: &Lens) -> String {
    let grid = lens.logit_lens_grid.iter();
    let mut columns = grid.flat_map(|grid| grid.positions.iter().zip(&grid.depths));
    let Some((_, depths)) = columns.find(|(t, _)| **t == 0).filter(|_| lens.token_ids.len() > 1)
    else {
        return String::new();
    };
    let count = |id: u32| depths.iter().filter(|depth| depth.top_ids[0] == id).count();
    let most = depths.iter().map(|depth| depth.top_ids[0]).max_by_key(|&id| count(id));
    match most.filter(|&id| 2 * count(id) > depths.len()) {
        Some(id) => format!(
            " The first token sees only itself: “{}” leads there at {} of {} depths. Many models keep a large constant state in \
             it, which says nothing of the next word.",
            word(lens, id),
            count(id),
            depths.len()
        ),
        None => String::new(),
    }
}

/// The rows' names, each of which leads to the last member that wrote into that stream.
fn leads(lens: &Lens, names: &[String], steps: &[Step]) -> Vec<TableCell> {
    let Ok(plan) = Plan::new(steps.to_vec(), MAX_RUNS) else {
        return Vec::new();
    };
    let members = member_names(&lens.members);
    let last = last_members(&plan).into_iter().zip(names);
    last.filter_map(|(last, text)| {
        Some(TableCell::Member { text: text.clone(), member: members.get(last)?.clone() })
    })
    .collect()
}
