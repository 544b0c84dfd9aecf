//! Edits of the chosen tiles, one button each.

use leptos::prelude::*;

use crate::app::arrangement::{Edit, History, Spot};
use crate::app::state::{Bench, Studio};
use crate::plan::{Half, MAX_REPEAT};

#[component]
pub fn Tools() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let bench = expect_context::<Bench>();
    // The chosen places and how many there are.
    let chosen = Memo::new(move |_| {
        let (first, last) = bench.hand.get().chosen();
        let of = bench.row.with(|row| row.as_ref().map_or(0, |row| row.spots().len()));
        (first, last, of)
    });
    let one = Memo::new(move |_| {
        let (first, last, _) = chosen.get();
        bench.row.with(|row| {
            let spot: Option<Spot> = row.as_ref().and_then(|row| row.spots().get(first).cloned());
            spot.filter(|_| first == last)
        })
    });
    // Edits the chosen tiles, by the first of them and the last.
    let edit = move |edit: fn(usize, usize) -> Edit| {
        let (first, last, _) = chosen.get_untracked();
        bench.edit(edit(first, last));
    };
    let join = move |_| {
        let (first, last, of) = chosen.get_untracked();
        // A single tile is joined by the next one.
        let last = if first == last { (last + 1).min(of.saturating_sub(1)) } else { last };
        bench.edit(Edit::Join { first, last });
    };
    let repeat = move |event| {
        let spot = chosen.get_untracked().0;
        match event_target_value(&event).trim().parse() {
            Ok(times) => bench.edit(Edit::Repeat { spot, times }),
            Err(_) => {
                bench.refuse(format!("Repeats are a whole number: choose 1 to {MAX_REPEAT}."))
            }
        }
    };
    // The strokes of the chosen tile's painters, each with its switch.
    let strokes = move || {
        let spot = chosen.get().0;
        let painters = one.with(|spot| spot.as_ref().map_or_else(Vec::new, |s| s.painters.clone()));
        let many = painters.len() > 1;
        let switch = move |painter: usize, index: usize, now: Half, half: Half| {
            let word = if half == Half::Attention { "attention" } else { "MLP" };
            let words = if many { format!("{index}'s {word}") } else { word.to_owned() };
            let on = now == Half::Both || now == half;
            view! {
                <label class="tick switch">
                    <input
                        type="checkbox"
                        prop:checked=on
                        on:change=move |event| {
                            bench.edit(Edit::Toggle { spot, painter, half });
                            // A refusal leaves the stroke on.
                            if bench.refusal.with_untracked(Option::is_some) {
                                let input: web_sys::HtmlInputElement = event_target(&event);
                                input.set_checked(on);
                            }
                        }
                    />
                    <span>{words}</span>
                </label>
            }
        };
        painters
            .into_iter()
            .enumerate()
            .map(|(i, run)| {
                view! {
                    {switch(i, run.index, run.half, Half::Attention)}
                    {switch(i, run.index, run.half, Half::Mlp)}
                }
            })
            .collect_view()
    };
    let no_plan = move || studio.own_plan().is_none();
    let not_one = move || one.with(Option::is_none);
    let at_start = move || not_one() || chosen.get().0 == 0;
    let at_end = move || {
        let (_, last, of) = chosen.get();
        not_one() || last + 1 >= of
    };
    let alone = move || chosen.get().2 < 2;
    let not_group = move || one.with(|spot| !spot.as_ref().is_some_and(Spot::is_group));
    let times = move || {
        one.with(|spot| spot.as_ref().map_or_else(String::new, |spot| spot.repeats.to_string()))
    };
    let what = move || {
        let (first, last, _) = chosen.get();
        one.with(|spot| match spot {
            Some(spot) => crate::app::arrangement::spot_name(spot),
            None => format!("{} tiles", last + 1 - first),
        })
    };
    // The first block of what is chosen: from there on.
    let from = move || {
        let spot = chosen.get().0;
        bench.row.with(|row| {
            let painter = row.as_ref()?.spots().get(spot)?.painters.first()?;
            Some(format!("block {}", painter.index))
        })
    };
    view! {
        <div class="tools" role="group" aria-label="The chosen tiles">
            <span class="field chosen-name">{what}</span>
            {strokes}
            <button type="button" disabled=at_start on:click=move |_| edit(|from, _| Edit::Move { from, to: from - 1 })>"← Earlier"</button>
            <button type="button" disabled=at_end on:click=move |_| edit(|from, _| Edit::Move { from, to: from + 1 })>"Later →"</button>
            <button type="button" disabled=alone on:click=join>"In parallel"</button>
            <button type="button" disabled=not_group on:click=move |_| edit(|spot, _| Edit::Dissolve { spot })>"One by one"</button>
            <label class="number">
                "Times"
                <input
                    type="number"
                    min="1"
                    max=MAX_REPEAT.to_string()
                    disabled=not_one
                    prop:value=times
                    on:change=repeat
                />
            </label>
            <button type="button" on:click=move |_| edit(|first, last| Edit::Duplicate { first, last })>"Duplicate"</button>
            <button type="button" on:click=move |_| edit(|first, last| Edit::Remove { first, last })>"Leave out"</button>
        </div>
        <div class="tools" role="group" aria-label="The whole plan">
            <button type="button" disabled=move || !bench.history.with(History::can_undo) on:click=move |_| bench.undo()>"Undo"</button>
            <button type="button" disabled=move || !bench.history.with(History::can_redo) on:click=move |_| bench.redo()>"Redo"</button>
            <button type="button" on:click=move |_| bench.edit(Edit::Reset)>"The original order"</button>
            <button type="button" on:click=move |_| edit(|from, _| Edit::SwitchOff { from, half: Half::Attention })>"Attention off from " {from}</button>
            <button type="button" on:click=move |_| edit(|from, _| Edit::SwitchOff { from, half: Half::Mlp })>"MLPs off from " {from}</button>
            <button type="button" id="sweep-own" disabled=no_plan on:click=move |_| studio.try_own_plan()>
                {move || studio.own_plan_words()}
            </button>
        </div>
        <p class="problem" class:empty=move || bench.refusal.with(Option::is_none)>{move || bench.refusal.get()}</p>
    }
}
