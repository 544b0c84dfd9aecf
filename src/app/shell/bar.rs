//! Model, plan, engine and what ran, in one slim bar; what has to be said about them opens below it.

use std::time::Duration;

use leptos::prelude::*;

use super::chooser::ChooserButton;
use super::engine::{EngineChoice, EngineWords};
use super::plan_line::{PlanHint, PlanLine};
use super::wall::WallSetting;
use super::ways_on::WaysOn;
use crate::app::state::{Place, Studio};
use crate::app::widgets::{Agreement, ProblemLine, Provenance, WorkBar};

/// Longer than the pause that ends a burst of typing.
const PAUSE: Duration = Duration::from_millis(800);

#[component]
pub fn Bar() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let open = RwSignal::new(false);
    let is_of_draft = Memo::new(move |_| studio.view.get().is_of_draft());
    let latest = StoredValue::new(0);
    // What was stopped, or failed, can be taken up again.
    let stopped = Memo::new(move |_| studio.is_stopped());
    // Not while somebody types: what is typed runs by itself when the typing stops.
    let lasting = RwSignal::new(false);
    Effect::new(move |round: Option<u32>| {
        let round = round.unwrap_or(0) + 1;
        latest.set_value(round);
        studio.draft.track();
        lasting.set(false);
        if stopped.get() {
            let then = move || {
                if latest.get_value() == round {
                    lasting.set(true);
                }
            };
            set_timeout(then, PAUSE);
        }
        round
    });
    view! {
        <Show when=move || studio.view.get().is_live()>
            <section class="bar" class:open=move || open.get() aria-label="Model, files, plan, engine">
                <div class="bar-row">
                    <ChooserButton />
                    <div class="bar-rest" id="bar-rest">
                        <Show when=move || is_of_draft.get()>
                            <PlanLine />
                        </Show>
                        <EngineChoice />
                    </div>
                    // One place for what ran and for what is under way, so that nothing jumps.
                    <div class="bar-now">
                        <Show when=move || is_of_draft.get()>
                            <Provenance />
                        </Show>
                        <WorkBar of=studio.work id="cancel" on_cancel=Callback::new(move |()| studio.cancel_work()) />
                        <Show when=move || lasting.get() && stopped.get()>
                            <p class="stopped">
                                "Nothing is running, and the picture is not that of this prompt and model. "
                                <button type="button" class="again" on:click=move |_| studio.run()>"Run it"</button>
                            </p>
                        </Show>
                    </div>
                    <button
                        type="button"
                        class="bar-more"
                        aria-expanded=move || open.get().to_string()
                        aria-controls="bar-words"
                        on:click=move |_| open.update(|open| *open = !*open)
                    >
                        {move || if open.get() { "Less" } else { "More" }}
                    </button>
                </div>
                <WaysOn />
                <div class="bar-words" id="bar-words">
                    <p class="hint">
                        "“Model” has every model there is: with this page, on this machine, one click away, from disk. A model's folder, a "
                        <code>".gguf"</code> " file, or any report that atelier wrote can be dropped anywhere on the page, too. Nothing is \
                         uploaded."
                    </p>
                    // A path is nobody's business but the reader's: it stands in no picture.
                    <Show when=move || studio.from.with(|from| !from.is_empty())>
                        <p class="hint" id="model-from">{move || format!("The model was read from {}.", studio.from.get())}</p>
                    </Show>
                    <PlanHint />
                    <EngineWords />
                    <Agreement />
                    <WallSetting />
                </div>
                <ProblemLine place=Place::Address />
                <ProblemLine place=Place::Model />
            </section>
        </Show>
    }
}
