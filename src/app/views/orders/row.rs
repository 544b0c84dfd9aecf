//! Your row: tiles that can be dragged, walked with the arrow keys, and switched off by halves.

use std::collections::HashMap;

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent, PointerEvent};

use crate::app::arrangement::{Arrangement, Edit, Hand, Key, Spot, Votes, painter_name, spot_name};
use crate::app::state::{Bench, Shown, Studio};
use crate::app::widgets::Terms;
use crate::chart::number;
use crate::plan::{BlockRun, Half};

/// A pointer that moved less than this clicked.
const STILL: f64 = 5.0;

/// A pointer that went down on a tile.
#[derive(Clone)]
struct Drag {
    from: usize,
    x: f64,
    y: f64,
    /// Centres of the places, once the pointer has moved.
    places: Option<Vec<(f64, f64)>>,
}

#[component]
pub fn Row() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let bench = expect_context::<Bench>();
    let list = NodeRef::<html::Ol>::new();
    let drag = StoredValue::new(None::<Drag>);
    let seen = Memo::new(move |_| bench.seen());
    let columns = move || seen.with(|row| row.as_ref().map_or(1, Arrangement::columns)).to_string();
    let ids = move || {
        seen.with(|row| {
            row.iter().flat_map(|row| row.spots().iter().map(|spot| spot.id)).collect::<Vec<_>>()
        })
    };
    // Votes of the row as it was run, by tile; the loudest of them is a full bar.
    let votes = Memo::new(move |_| {
        // For the right answer, or against it: which it is, the reader says.
        if !studio.is_judged() {
            return None;
        }
        studio.lab.with(|shown| {
            let lens = shown.as_ref().and_then(Shown::lens)?;
            bench.row.with(|row| {
                let row = row.as_ref()?;
                let votes = row.votes(lens)?;
                let ids = row.spots().iter().map(|spot| spot.id);
                Some(ids.zip(votes).collect::<HashMap<u32, Vec<Votes>>>())
            })
        })
    });
    let most = Memo::new(move |_| {
        votes.with(|votes| {
            let all = votes.iter().flat_map(HashMap::values).flatten().flatten();
            all.flatten().fold(0.0, |most: f64, vote| most.max(vote.abs()))
        })
    });
    let moved = move |event: PointerEvent| {
        let Some(mut now) = drag.get_value() else {
            return;
        };
        // Let go where the row does not hear it.
        if event.buttons() & 1 == 0 {
            drag.set_value(None);
            return;
        }
        let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
        if now.places.is_none() {
            if (x - now.x).hypot(y - now.y) < STILL {
                return;
            }
            let Some(list) = list.get_untracked() else {
                return;
            };
            now.places = Some(places(&list));
            // On the list, which stays where it is while its tiles change places.
            let _ = list.set_pointer_capture(event.pointer_id());
            bench.hand.update(|hand| *hand = hand.pick_up(now.from));
            drag.set_value(Some(now.clone()));
        }
        let Some(to) = now.places.as_ref().and_then(|places| nearest(places, x, y)) else {
            return;
        };
        if bench.hand.with_untracked(|hand| hand.at != to) {
            bench.hand.update(|hand| *hand = hand.carry(to));
        }
    };
    let ended = move |kept: bool| {
        let carried = drag.try_update_value(Option::take).flatten();
        if carried.is_none_or(|drag| drag.places.is_none()) {
            return;
        }
        let hand = bench.hand.get_untracked();
        let Some(from) = hand.held else { return };
        let hand = if kept { hand } else { hand.carry(from) };
        let (hand, act) = hand.put_down(from);
        bench.hand.set(hand);
        bench.act(act);
    };
    let keyed = move |event: KeyboardEvent| {
        let on_tile = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlElement>().ok())
            .is_some_and(|target| target.class_list().contains("grip"));
        if !on_tile || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let at = bench.hand.with_untracked(|hand| hand.at);
        let half = match event.key().as_str() {
            "a" => Some(Half::Attention),
            "m" => Some(Half::Mlp),
            _ => None,
        };
        let done = match (Key::parse(&event.key()), half) {
            (Some(key), _) => bench.press(key, event.shift_key()),
            (None, Some(half)) => {
                bench.edit(Edit::Toggle { spot: at, painter: 0, half });
                true
            }
            (None, None) if event.key() == "Delete" => {
                let (first, last) = bench.hand.with_untracked(|hand| hand.chosen());
                bench.edit(Edit::Remove { first, last });
                true
            }
            _ => false,
        };
        if done {
            event.prevent_default();
            // A tile that changes places loses the focus on its way.
            focus_soon(list, bench);
        }
    };
    let spot = move |id: u32| {
        let place = Memo::new(move |_| {
            seen.with(|row| {
                let spots = row.as_ref()?.spots();
                let at = spots.iter().position(|spot| spot.id == id)?;
                Some((at, spots.len(), spots[at].clone()))
            })
        });
        let down = move |event: PointerEvent| {
            if event.button() == 0
                && let Some((from, ..)) = place.get_untracked()
                && bench.hand.with_untracked(|hand| hand.held.is_none())
            {
                drag.set_value(Some(Drag {
                    from,
                    x: f64::from(event.client_x()),
                    y: f64::from(event.client_y()),
                    places: None,
                }));
            }
        };
        view! { <Tile id place votes most down /> }
    };
    view! {
        <ol
            class="row"
            style=("--columns", columns)
            node_ref=list
            aria-label="This plan"
            aria-describedby="row-help"
            on:pointermove=moved
            on:pointerup=move |_| ended(true)
            on:pointercancel=move |_| ended(false)
            on:keydown=keyed
        >
            <For each=ids key=|id| *id children=spot />
        </ol>
        <p class="hint" id="row-help">
            <Terms text="Drag a tile to move its block. By keyboard: focus a tile, press Space, move it with the arrow keys, press Space again; \
                         Escape puts it back. A click chooses a tile. The boxes below, or the keys A and M, switch its attention and MLP off \
                         and on. Delete leaves the block out. Shift and an arrow key choose several tiles." />
        </p>
    }
}

#[component]
fn Tile(
    id: u32,
    place: Memo<Option<(usize, usize, Spot)>>,
    votes: Memo<Option<HashMap<u32, Vec<Votes>>>>,
    most: Memo<f64>,
    down: impl Fn(PointerEvent) + 'static,
) -> impl IntoView {
    let bench = expect_context::<Bench>();
    let at = move || place.with(|place| place.as_ref().map(|place| place.0));
    let chosen = move || {
        let (first, last) = bench.hand.get().chosen();
        at().is_some_and(|at| (first..=last).contains(&at))
    };
    let held = move || bench.hand.with(|hand| hand.held.is_some() && Some(hand.at) == at());
    let focus = move || {
        if bench.hand.with(|hand| Some(hand.at) == at()) { "0" } else { "-1" }
    };
    let label = move || {
        place.with(|place| {
            place.as_ref().map(|(at, of, spot)| {
                let name = spot_name(spot);
                format!("{name}, step {} of {of}", at + 1)
            })
        })
    };
    let numbers = move || {
        place.with(|place| {
            let spot = &place.as_ref()?.2;
            Some(match spot.painters.as_slice() {
                [painter] => painter.index.to_string(),
                group => format!("{} in parallel", group.len()),
            })
        })
    };
    let times = move || {
        place.with(|place| {
            let repeats = place.as_ref()?.2.repeats;
            (repeats > 1).then(|| format!("×{repeats}"))
        })
    };
    let painters = Memo::new(move |_| {
        place.with(|place| place.as_ref().map_or_else(Vec::new, |place| place.2.painters.clone()))
    });
    let choose = move |event: web_sys::MouseEvent| {
        let Some(at) = at() else { return };
        bench.hand.update(|hand| {
            *hand = if event.shift_key() { Hand { at, ..*hand } } else { Hand::on(at) };
        });
    };
    let halves = move || {
        painters
            .get()
            .into_iter()
            .enumerate()
            .map(|(painter, run)| view_painter(id, painter, run, votes, most))
            .collect_view()
    };
    let group = move || painters.with(|painters| painters.len() > 1);
    let choose_number = choose;
    view! {
        <li
            class="spot"
            class:chosen=chosen
            class:held=held
            class:group=group
            on:pointerdown=down
        >
            <button
                type="button"
                class="grip"
                tabindex=focus
                aria-pressed=move || chosen().to_string()
                on:click=choose_number
            >
                <span aria-hidden="true">{numbers}<span class="times">{times}</span></span>
                <span class="unseen">{label}</span>
            </button>
            // For a pointer only: the number beside it is the same button for everybody.
            <span class="company" on:click=choose>{halves}</span>
        </li>
    }
}

/// One painter's two strokes, with the bars of their votes. A click on them chooses the tile, as one
/// on its number does: switching a stroke off is a thing one says.
fn view_painter(
    id: u32,
    painter: usize,
    run: BlockRun,
    votes: Memo<Option<HashMap<u32, Vec<Votes>>>>,
    most: Memo<f64>,
) -> AnyView {
    let half = move |half: Half, which: usize, role: &'static str, word: &'static str| {
        let on = run.half == Half::Both || run.half == half;
        let vote = move || {
            votes.with(|votes| {
                let painters = votes.as_ref()?.get(&id)?;
                painters.get(painter)?[which]
            })
        };
        let height = move || {
            let most = most.get();
            let share = vote().filter(|_| most > 0.0).map_or(0.0, |vote| vote.abs() / most);
            format!("{:.2}%", 50.0 * share)
        };
        let label = move || {
            let state = if on { "on" } else { "off" };
            let said =
                vote().map_or_else(String::new, |vote| format!(", vote {}", number::signed(vote)));
            format!("{word} of block {}: {state}{said}", run.index)
        };
        view! {
            <span
                class=format!("half stroke {role}")
                class:off=!on
                class:down=move || vote().is_some_and(|vote| vote < 0.0)
                title=label
            >
                <span class="paint" style:height=height></span>
                <span class="unseen">{label}</span>
            </span>
        }
    };
    let name = painter_name(BlockRun { half: Half::Both, ..run });
    view! {
        <span class="pair" role="group" aria-label=name>
            <span class="who" aria-hidden="true">{run.index}</span>
            {half(Half::Attention, 0, "attention", "Attention")}
            {half(Half::Mlp, 1, "mlp", "MLP")}
        </span>
    }
    .into_any()
}

fn places(list: &HtmlElement) -> Vec<(f64, f64)> {
    let children = list.children();
    (0..children.length())
        .filter_map(|i| children.item(i))
        .map(|child| {
            let at = child.get_bounding_client_rect();
            (at.x() + at.width() / 2.0, at.y() + at.height() / 2.0)
        })
        .collect()
}

fn nearest(places: &[(f64, f64)], x: f64, y: f64) -> Option<usize> {
    // A line of tiles is chosen by height first: tiles are taller than wide.
    let far = |(a, b): &(f64, f64)| (a - x).hypot(0.6 * (b - y));
    (0..places.len()).min_by(|&i, &j| far(&places[i]).total_cmp(&far(&places[j])))
}

/// Focuses the hand's tile once the row is drawn, before the next key arrives.
fn focus_soon(list: NodeRef<html::Ol>, bench: Bench) {
    leptos::task::spawn_local(async move {
        leptos::task::tick().await;
        let Some(at) = bench.hand.try_with_untracked(|hand| hand.at) else {
            return;
        };
        let grip = list.get_untracked().and_then(|list| {
            let spot = list.children().item(u32::try_from(at).ok()?)?;
            spot.query_selector(".grip").ok().flatten()
        });
        if let Some(grip) = grip.and_then(|grip| grip.dyn_into::<HtmlElement>().ok()) {
            // A tile that is gone has nothing to focus.
            let _ = grip.focus();
        }
    });
}
