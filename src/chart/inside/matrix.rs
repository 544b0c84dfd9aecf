//! One head: who looks at whom.

use super::heads::largest;
use super::{AttentionShown, attention_runs, cut, token};
use crate::chart::TableCell::{Number, Text};
use crate::chart::number::short;
use crate::chart::plot::{Axis, Panel, Patch, Plot, Ramp};
use crate::chart::{FigureDraft, Table};
use crate::study::report::Lens;

const CELL: u32 = 20;

pub(super) fn figure(lens: &Lens, shown: AttentionShown) -> Option<FigureDraft> {
    let heads = lens.attention_head.as_ref()?;
    let place = (shown.run, shown.head);
    let looks = heads.iter().find(|head| (head.run, head.head) == place)?;
    let (name, _) = attention_runs(lens).into_iter().nth(looks.run)?;
    let numbers = if shown.is_carried { &looks.carried } else { &looks.weights };
    let keys = looks.queries.clone();
    let (mut patches, mut rows) = (Vec::new(), Vec::new());
    for (q, &query) in looks.queries.iter().enumerate() {
        for (x, &key) in keys.iter().enumerate().filter(|(_, key)| **key <= query) {
            let (weight, length) = (looks.weights[q][key], looks.carried[q][key]);
            let [one, other] = [query, key].map(|t| token(lens, t));
            let [w, l] = [weight, length].map(|x| short(x.into()));
            let name = format!("“{one}” ({query}) at “{other}” ({key})\nweight {w}, carried {l}");
            // The first asks at the top.
            let place = [x, looks.queries.len() - 1 - q];
            patches.push(Patch::new(place, numbers[q][key].into(), name));
            rows.push((query, key, weight, length));
        }
    }
    let names = keys.iter().map(|&t| cut(&token(lens, t), 12));
    let quantity = if shown.is_carried { "value-weighted attention" } else { "weight" };
    let ramp = Ramp::over(quantity, patches.iter().map(|patch| patch.value).chain([0.0]));
    let panel = Panel::map(
        "row: the token that attends; column: what it attends to",
        Axis::category("attended to", names.clone().collect()),
        Axis::category("", names.rev().collect()),
        patches,
    );
    let height = CELL * looks.queries.len().max(4) as u32;
    Some(FigureDraft {
        key: "matrix",
        title: title(lens, &name, looks.head, &looks.queries, numbers, quantity),
        words: [
            "Every row of weights sums to 1 over the whole prompt. Cells after a token are blank, because no \
             token reads what comes after it."
                .to_owned(),
            "A token is by then more than its word: earlier blocks have written into it.".to_owned(),
        ],
        table: Table::of(
            rows,
            &[
                ("token", &|(query, ..)| Text(format!("{} ({query})", token(lens, *query)))),
                ("attends to", &|(_, key, ..)| Text(format!("{} ({key})", token(lens, *key)))),
                ("weight", &|(.., weight, _)| Number((*weight).into())),
                ("value-weighted", &|(.., length)| Number((*length).into())),
            ],
        ),
        plot: Plot::map(panel.tall(height), ramp),
    })
}

fn title(
    lens: &Lens,
    name: &str,
    head: usize,
    queries: &[usize],
    numbers: &[Vec<f32>],
    quantity: &str,
) -> String {
    // From the token whose overview is shown, or the last there is.
    let place = queries.iter().position(|query| Some(*query) == lens.attention_query);
    let place = place.unwrap_or(queries.len().saturating_sub(1));
    let (Some(&query), Some(row)) = (queries.get(place), numbers.get(place)) else {
        return format!("Block {name}, head {head}");
    };
    let at = largest(row);
    let ([from, to], most) = ([query, at].map(|t| token(lens, t)), short(row[at].into()));
    format!("Block {name}, head {head}: “{from}” attends most to “{to}”, {quantity} {most}")
}
