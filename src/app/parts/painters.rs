//! The painters in a row: one tile a block run, in it two strokes.

use leptos::prelude::*;

use super::words::Words;
use crate::chart::{Column, Tile, number, option_name, stroke_votes, tiles};
use crate::engine::MemberKind;
use crate::study::report::Lens;

#[component]
pub fn Painters(
    lens: Signal<Option<Lens>>,
    /// Without the caption, where the words stand elsewhere.
    #[prop(optional)]
    bare: bool,
) -> impl IntoView {
    let row = move || lens.with(|lens| lens.as_ref().map(|lens| row(lens, bare)));
    view! { {row} }
}

fn row(lens: &Lens, bare: bool) -> AnyView {
    // In logits, because only those add up.
    let votes = stroke_votes(lens, Column::Logit);
    let most = votes
        .iter()
        .fold(0.0, |most: f64, vote| most.max(vote.abs()));
    let tiles = tiles(lens);
    let many = tiles.len() > 16;
    let caption = format!(
        "Each tile is a block that ran, left to right; its strokes rise when they speak for {} and fall when they speak \
         against it.",
        option_name(lens, lens.answer)
    );
    view! {
        {(!bare).then(|| view! { <p class="caption"><Words text=caption /></p> })}
        // A region one can scroll has to be reachable by keyboard.
        <div class="tiles-frame" class:many=many role="region" aria-label="Tiles, one a block" tabindex="0">
            <ol class="tiles">
                {tiles.iter().map(|tile| view_tile(lens, tile, &votes, most)).collect_view()}
            </ol>
        </div>
    }
    .into_any()
}

fn view_tile(lens: &Lens, tile: &Tile, votes: &[f64], most: f64) -> AnyView {
    let name = tile
        .block
        .map_or_else(|| "emb".to_owned(), |block| block.to_string());
    let spoken: Vec<String> = tile
        .strokes
        .iter()
        .map(|&i| {
            format!(
                "{} {}",
                kind(lens.members[i].kind),
                number::signed(votes[i])
            )
        })
        .collect();
    let spoken = match tile.block {
        Some(block) => format!("Block {block}: {}.", spoken.join(", ")),
        None => format!("The {}.", spoken.join(", ")),
    };
    let strokes = tile
        .strokes
        .iter()
        .map(|&i| {
            let share = if most > 0.0 { votes[i].abs() / most } else { 0.0 };
            view! {
                <span class=format!("stroke {}", class(lens.members[i].kind)) class:down={votes[i] < 0.0}>
                    <span class="paint" style:height=format!("{:.2}%", 50.0 * share)></span>
                </span>
            }
        })
        .collect_view();
    let hover = spoken.clone();
    view! {
        <li class="tile" style:flex-grow=tile.strokes.len().to_string() title=hover>
            <span class="strokes" aria-hidden="true">{strokes}</span>
            <span class="block" aria-hidden="true">{name}</span>
            <span class="unseen">{spoken}</span>
        </li>
    }
    .into_any()
}

fn kind(kind: MemberKind) -> &'static str {
    match kind {
        MemberKind::Embedding => "embedding",
        MemberKind::Attention => "attention",
        MemberKind::Mlp => "MLP",
        MemberKind::Bias => "bias",
    }
}

fn class(kind: MemberKind) -> &'static str {
    match kind {
        MemberKind::Embedding => "embedding",
        MemberKind::Attention => "attention",
        MemberKind::Mlp => "mlp",
        MemberKind::Bias => "constant",
    }
}
