//! The painters in a row: one tile a block run, in it two strokes.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::words::Words;
use crate::app::state::Studio;
use crate::chart::{Column, Tile, number, option_name, stroke_votes, tiles};
use crate::engine::MemberKind;
use crate::study::report::Lens;

#[component]
pub fn Painters(
    lens: Signal<Option<Lens>>,
    /// Without the caption, where the words stand elsewhere, and without a way to the figures.
    #[prop(optional)]
    bare: bool,
) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let row = move || lens.with(|lens| lens.as_ref().map(|lens| row(studio, lens, bare)));
    view! { {row} }
}

/// What the row says of the tile that one looks at.
#[derive(Clone, Debug, PartialEq)]
struct Said {
    tile: usize,
    words: String,
}

fn row(studio: Studio, lens: &Lens, bare: bool) -> AnyView {
    // In logits, because only those add up.
    let votes = stroke_votes(lens, Column::Logit);
    let most = votes.iter().fold(0.0, |most: f64, vote| most.max(vote.abs()));
    let tiles = tiles(lens);
    let many = tiles.len() > 16;
    let beside = match tiles.iter().any(|tile| tile.beside.is_some()) {
        true => " Blocks under one bar ran side by side, on the same input.",
        false => "",
    };
    let caption = format!(
        "Each tile is a block that ran, left to right; its strokes rise when they speak for {} and fall when they speak \
         against it.{beside}",
        option_name(lens, lens.answer)
    );
    let scale = format!("a full stroke is {} logits", number::short(most));
    let rest = if bare {
        format!("{}.", capital(&scale))
    } else {
        format!(
            "{}; point at a tile for its numbers, click it for its strokes below.",
            capital(&scale)
        )
    };
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
        view_tile(studio, lens, i, tile, starts_group, &votes, most, said, bare)
    };
    view! {
        {(!bare).then(|| view! { <p class="caption"><Words text=caption /></p> })}
        {many.then(|| view! { <p class="hint scrolls">"Swipe the row to see the first blocks."</p> })}
        // A region one can scroll has to be reachable by keyboard.
        <div
            class="tiles-frame"
            class:many=many
            role="region"
            aria-label="Tiles, one a block"
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

#[allow(clippy::too_many_arguments)]
fn view_tile(
    studio: Studio,
    lens: &Lens,
    at: usize,
    tile: &Tile,
    starts_group: bool,
    votes: &[f64],
    most: f64,
    said: RwSignal<Option<Said>>,
    bare: bool,
) -> AnyView {
    let name = tile.block.map_or_else(|| "emb".to_owned(), |block| block.to_string());
    let spoken: Vec<String> = tile
        .strokes
        .iter()
        .map(|&i| format!("{} {}", kind(lens.members[i].kind), number::signed(votes[i])))
        .collect();
    let spoken = match tile.block {
        Some(block) if tile.beside.is_some() => {
            format!("Block {block}, beside others: {}.", spoken.join(", "))
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
    let (pointed, focused, clicked) = (look.clone(), look.clone(), look);
    // The tile's loudest stroke.
    let loudest =
        tile.strokes.iter().copied().max_by(|&a, &b| votes[a].abs().total_cmp(&votes[b].abs()));
    let tapped = StoredValue::new(false);
    let click = move |event: web_sys::MouseEvent| {
        let by_touch = event
            .dyn_ref::<web_sys::PointerEvent>()
            .is_some_and(|event| event.pointer_type() == "touch");
        // A finger cannot point: its first tap shows the numbers, its second leads on.
        let first = by_touch && !tapped.get_value();
        clicked();
        tapped.set_value(true);
        if !first && !bare {
            studio.look_at(loudest);
            if let Some(figure) = document().get_element_by_id("figure-votes") {
                figure.scroll_into_view();
            }
        }
    };
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
                    tapped.set_value(false);
                    said.update(|said| {
                        said.take_if(|said| said.tile == at);
                    });
                }
                on:click=click
            >
                <span class="strokes" aria-hidden="true">{strokes}</span>
                <span class="block" aria-hidden="true">{name}</span>
                <span class="unseen">{spoken}</span>
            </button>
        </li>
    }
    .into_any()
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
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
