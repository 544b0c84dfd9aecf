//! The painters in a row: one tile a block run, in it two strokes.

use leptos::html;
use leptos::prelude::*;

use crate::chart::{Tile, capital, kind_name, number, stroke_votes, tiles};
use crate::engine::MemberKind;
use crate::study::report::Lens;

#[component]
pub fn Painters(lens: Signal<Option<Lens>>) -> impl IntoView {
    let row = move || lens.with(|lens| lens.as_ref().map(row));
    view! { {row} }
}

/// The row's words on the tile under the pointer or the focus.
#[derive(Clone, Debug, PartialEq)]
struct Said {
    tile: usize,
    words: String,
}

fn row(lens: &Lens) -> AnyView {
    // In logits, because only those add up.
    let votes = stroke_votes(lens);
    let most = votes.iter().fold(0.0, |most: f64, vote| most.max(vote.abs()));
    let tiles = tiles(lens);
    let many = tiles.len() > 16;
    let scale = format!("a full bar is {} logits", number::short(most));
    let rest = format!("{}.", capital(&scale));
    // The last blocks decide most answers: where not all are seen, the row begins with them.
    let frame = NodeRef::<html::Div>::new();
    frame.on_load(|frame| {
        request_animation_frame(move || frame.set_scroll_left(frame.scroll_width()))
    });
    let said = RwSignal::new(None::<Said>);
    let readout = move || match said.get() {
        Some(said) => format!("{} {}.", said.words, capital(&scale)),
        None => rest.clone(),
    };
    let tile = |(i, tile): (usize, &Tile)| {
        let before = i.checked_sub(1).and_then(|before| tiles[before].beside);
        let starts_group = tile.beside.is_some() && tile.beside != before;
        view_tile(lens, i, tile, starts_group, &votes, most, said)
    };
    view! {
        {many.then(|| view! { <p class="hint scrolls">"Swipe the row to see the first blocks."</p> })}
        // A region one can scroll has to be reachable by keyboard.
        <div
            class="tiles-frame"
            class:many=many
            role="region"
            aria-label="Tiles, one per block"
            tabindex="0"
            node_ref=frame
        >
            <ol class="tiles" on:pointerleave=move |_| said.set(None)>
                {tiles.iter().enumerate().map(tile).collect_view()}
            </ol>
        </div>
        <p class="readout">{readout}</p>
    }
    .into_any()
}

fn view_tile(
    lens: &Lens,
    at: usize,
    tile: &Tile,
    starts_group: bool,
    votes: &[f64],
    most: f64,
    said: RwSignal<Option<Said>>,
) -> AnyView {
    let name = tile.block.map_or_else(|| "emb".to_owned(), |block| block.to_string());
    let spoken: Vec<String> = tile
        .strokes
        .iter()
        .map(|&i| format!("{} {}", kind_name(lens.members[i].kind), number::signed(votes[i])))
        .collect();
    let spoken = match tile.block {
        Some(block) if tile.beside.is_some() => {
            format!("Block {block}, in parallel with others: {}.", spoken.join(", "))
        }
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
    let words = spoken.clone();
    let look = move || {
        said.set(Some(Said { tile: at, words: words.clone() }));
    };
    // A finger cannot point: it taps.
    let (pointed, focused, clicked) = (look.clone(), look.clone(), look);
    view! {
        <li
            class="tile"
            class:beside=tile.beside.is_some()
            class:first-beside=starts_group
            style:flex-grow=tile.strokes.len().to_string()
        >
            <button
                type="button"
                on:pointerenter=move |_| pointed()
                on:focus=move |_| focused()
                on:blur=move |_| {
                    said.update(|said| {
                        said.take_if(|said| said.tile == at);
                    });
                }
                on:click=move |_| clicked()
            >
                <span class="strokes" aria-hidden="true">{strokes}</span>
                <span class="block" aria-hidden="true">{name}</span>
                <span class="unseen">{spoken}</span>
            </button>
        </li>
    }
    .into_any()
}

fn class(kind: MemberKind) -> &'static str {
    match kind {
        MemberKind::Embedding => "embedding",
        MemberKind::Attention => "attention",
        MemberKind::Mlp => "mlp",
        MemberKind::Bias => "constant",
    }
}
