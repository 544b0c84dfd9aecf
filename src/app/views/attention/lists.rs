//! Two lists of tokens with lines between them: what one token looks at, and what looks at it.

use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::large;
use crate::app::state::Studio;
use crate::chart::{AttentionShown, number, token};
use crate::study::report::Lens;

/// Height of a row, in CSS pixels.
const ROW: usize = 24;
/// Shares of the largest number under this are not drawn.
const LEAST: f32 = 0.02;

#[component]
pub fn TokenLists(lens: Memo<Option<Lens>>, shown: Memo<Option<AttentionShown>>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let choose = move |t: usize| studio.set_inside(|s| s.query = Some(t));
    // The lists are drawn anew; whoever walks through them with the keys keeps the focus.
    let walks = StoredValue::new(false);
    Effect::new(move |_| {
        lens.track();
        if walks.get_value() {
            request_animation_frame(|| {
                let chosen = document().query_selector(".token-lists .asking [aria-pressed=true]");
                if let Ok(Some(chosen)) = chosen
                    && let Ok(chosen) = chosen.dyn_into::<web_sys::HtmlElement>()
                {
                    let _ = chosen.focus();
                }
            });
        }
    });
    move || {
        let place = shown.get()?;
        lens.with(|lens| {
            let lens = lens.as_ref()?;
            let looks = large(lens, place.run, place.head)?;
            let numbers = if place.is_carried { &looks.carried } else { &looks.weights };
            let queries = &looks.queries;
            let (&first, &last) = (queries.first()?, queries.last()?);
            // A token outside the window looks from its nearest place.
            let chosen = lens.attention_query.unwrap_or(last).clamp(first, last);
            let at = chosen - first;
            let most = numbers.iter().flatten().fold(f32::MIN_POSITIVE, |most, &x| most.max(x));
            let line = |from: usize, to: usize, value: f32, class: &'static str| {
                let share = value / most;
                let y = |row: usize| (row * ROW + ROW / 2).to_string();
                (share >= LEAST).then(|| {
                    view! {
                        <line
                            class=class
                            x1="0"
                            x2="100"
                            y1=y(from)
                            y2=y(to)
                            stroke-width=format!("{:.1}", 0.6 + 5.0 * share)
                            stroke-opacity=format!("{:.2}", 0.25 + 0.75 * share)
                        ></line>
                    }
                })
            };
            let ahead: Vec<_> =
                (0..=at).filter_map(|key| line(at, key, numbers[at][first + key], "looks")).collect();
            let back: Vec<_> = (at + 1..queries.len())
                .filter_map(|query| line(query, at, numbers[query][chosen], "seen"))
                .collect();
            let height = (queries.len() * ROW).to_string();
            let said = |t: usize| format!("{t} {}", token(lens, t));
            let left = queries.iter().map(|&t| {
                let here = t == chosen;
                view! {
                    <li>
                        <button type="button" aria-pressed=here.to_string() on:click=move |_| choose(t)>{said(t)}</button>
                    </li>
                }
            });
            let right = queries.iter().map(|&t| {
                let value = match t.cmp(&chosen) {
                    std::cmp::Ordering::Greater => String::new(),
                    _ => number::short(numbers[at][t].into()),
                };
                view! { <li class:here={t == chosen}>{token(lens, t)} " " <span class="weight">{value}</span></li> }
            });
            let outside: f32 = numbers[at][..first].iter().sum();
            let outside = (first > 0).then(|| {
                format!(" {} lies on tokens before these.", number::short(outside.into()))
            });
            let what = if place.is_carried { "value-weighted attention" } else { "weight" };
            Some(view! {
                <p class="hint" id="lists-hint">
                    {format!(
                        "Solid lines: what “{}” attends to. Dashed: which later tokens attend to it. Thickness: {what}. Choose \
                         another token on the left, or with the arrow keys.",
                        token(lens, chosen)
                    )}
                    {outside}
                </p>
                <div
                    class="token-lists"
                    on:keydown=move |event: leptos::ev::KeyboardEvent| {
                        let to = match event.key().as_str() {
                            "ArrowUp" => chosen.checked_sub(1).filter(|t| *t >= first),
                            "ArrowDown" => Some(chosen + 1).filter(|t| *t <= last),
                            _ => return,
                        };
                        event.prevent_default();
                        if let Some(to) = to {
                            walks.set_value(true);
                            choose(to);
                        }
                    }
                    // A button that was taken away has not been left.
                    on:focusout=move |event: leptos::ev::FocusEvent| {
                        if event.related_target().is_some() {
                            walks.set_value(false);
                        }
                    }
                >
                    <ol class="asking" aria-label="Tokens that look">{left.collect_view()}</ol>
                    <svg
                        aria-hidden="true"
                        width="100%"
                        height=height.clone()
                        viewBox=format!("0 0 100 {height}")
                        preserveAspectRatio="none"
                    >
                        {back}
                        {ahead}
                    </svg>
                    <ol class="asked" aria-label="Tokens that are looked at">{right.collect_view()}</ol>
                </div>
            })
        })
    }
}
