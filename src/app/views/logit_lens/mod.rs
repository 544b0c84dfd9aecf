//! The logit lens: what the stream would answer at every depth, and which words rise.

use leptos::prelude::*;

use crate::app::link::{View, colour_name, colour_of};
use crate::app::shell::Themes;
use crate::app::state::{Bench, Studio};
use crate::app::widgets::{
    FigureView, MemberHint, Pictures, Question, SaveRun, Terms, Tick, Window,
};
use crate::chart::{DepthColour, depth_figures};
use crate::study::report::Lens;

#[component]
pub fn LogitLensView() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let bench = expect_context::<Bench>();
    let themes = expect_context::<Themes>();
    let pictures = Pictures::of_run(studio.shown, move || {
        let (colour, theme) = (studio.inside.with(|s| s.colour), themes.theme.get());
        studio.with_run(|lens| depth_figures(lens, colour, theme))
    });
    let there = Memo::new(move |_| pictures.figures.with(|all| !all.is_empty()));
    let has_followed = pictures.has("followed");
    // The plan that ends where the cell stands.
    let open = Callback::new(move |plan: String| {
        bench.set_plan(plan);
        studio.open_view(View::Orders);
    });
    view! {
        <Question />
        <Show when=move || there.get()>
            <section class="pictures" aria-labelledby="depths-title">
                <h2 id="depths-title">"The answer along the depth"</h2>
                <FigureView picture=pictures.one("depths") on_plan=open wide=true from_end=true>
                    <Controls />
                </FigureView>
                <p class="look">
                    <Terms text="A click on a cell opens Orders with a plan of the blocks up to there." />
                </p>
                <SaveRun />
                <MemberHint />
                <FigureView picture=pictures.one("doubt") group="strokes" />
                <Show when=move || has_followed.get()>
                    <FigureView picture=pictures.one("followed") group="strokes" />
                </Show>
            </section>
        </Show>
    }
}

/// Returns the texts of the tokens that the logit lens names.
fn words(lens: &Lens) -> Vec<String> {
    lens.logit_lens_words.iter().flat_map(|words| words.values().cloned()).collect()
}

#[component]
fn Controls() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let lens = move || studio.with_run(Lens::clone);
    let followed = Memo::new(move |_| {
        let lens = lens()?;
        let first = lens.logit_lens_members.as_ref()?.first()?;
        let words = lens.logit_lens_words.as_ref();
        let word = |id: u32| words.and_then(|words| words.get(&id).cloned());
        let ids = first.followed.iter().map(|token| token.id);
        Some(ids.map(|id| word(id).unwrap_or_else(|| id.to_string())).collect::<Vec<String>>())
    });
    let known = Memo::new(move |_| lens().map(|lens| words(&lens)).unwrap_or_default());
    let colours = move || {
        let words = followed.get().unwrap_or_default().into_iter().enumerate();
        let words = words.flat_map(|(n, word)| {
            [
                (DepthColour::Followed(n), format!("surprise of{word}")),
                (DepthColour::Rank(n), format!("rank of{word}")),
            ]
        });
        let all = [
            (DepthColour::Probability, "probability"),
            (DepthColour::Entropy, "entropy"),
            (DepthColour::Kl, "KL to the end"),
        ];
        all.into_iter()
            .map(|(colour, name)| (colour, name.to_owned()))
            .chain(words)
            .map(|(colour, name)| {
                let chosen = move || studio.inside.with(|s| s.colour == colour);
                view! { <option value=colour_name(colour) prop:selected=chosen>{name}</option> }
            })
            .collect_view()
    };
    let follow = move |event: web_sys::Event| {
        let word = event_target_value(&event);
        if !word.trim().is_empty() {
            studio.follow_word(word);
        }
    };
    let own = move || studio.inside.with(|s| s.follow.clone());
    view! {
        <div class="tools">
            <label>
                "Colour "
                <select id="depth-colour" on:change=move |event| {
                    let colour = colour_of(&event_target_value(&event));
                    studio.set_inside(|s| s.colour = colour);
                }>{colours}</select>
            </label>
            <label>
                "Follow a word "
                <input
                    type="text"
                    id="follow"
                    list="follow-words"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder="its text, most often with a space before"
                    prop:value=move || {
                        own();
                        String::new()
                    }
                    on:change=follow
                />
            </label>
            <datalist id="follow-words">
                {move || known.get().into_iter().map(|word| view! { <option value=word></option> }).collect_view()}
            </datalist>
            <Show when=move || !own().is_empty()>
                <button type="button" on:click=move |_| studio.set_inside(|s| s.follow.clear())>"The options again"</button>
            </Show>
            <Tick
                words="Frozen final norm"
                id="norm-held"
                is_on=Signal::derive(move || studio.inside.with(|s| s.is_held))
                on_turn=move |held| studio.set_inside(|s| s.is_held = held)
            />
            <Window positions=Signal::derive(move || {
                lens().and_then(|lens| Some((lens.logit_lens_grid.as_ref()?.positions.clone(), lens.token_ids.len())))
            }) />
        </div>
    }
}
