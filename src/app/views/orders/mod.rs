//! Orders: the blocks rearranged by hand, and sweeps over many orders.

mod answers;
mod own;
mod row;
mod strategies;
mod sweep;
mod texts;
mod tools;

use leptos::prelude::*;

use crate::app::browser;
use crate::app::link::{Link, View};
use crate::app::shell::Themes;
use crate::app::state::{Bench, Shown, Studio};
use crate::app::widgets::{
    Columns, FigureView, Index, IndexEntry, MemberHint, Painters, Picture, Pictures, Question,
    SaveReport, SaveRun, StoredChoice, Terms, WhichIsRight,
};
use crate::chart::{Figure, lab_figures, need_figure, states_figure, sweep_figures};
use crate::study::lessons::PAINTERS_LESSON;
use crate::study::report::Lens;
use answers::Answers;
use own::OwnOrders;
use row::Row;
use strategies::Strategies;
use sweep::{SweepForm, SweepView};
use texts::WrittenTexts;
use tools::Tools;

#[component]
pub fn OrdersView() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let bench = expect_context::<Bench>();
    let original = Signal::derive(move || {
        studio.lab.with(|shown| {
            let lab = shown.as_ref()?.report.lab.as_ref()?;
            Some::<Lens>(lab.original.clone())
        })
    });
    let picture = Memo::new(move |_| studio.lab.with(Option::is_some));
    browser::hear(leptos::ev::keydown, move |event| {
        let target = event
            .target()
            .and_then(|target| wasm_bindgen::JsCast::dyn_into::<web_sys::Element>(target).ok());
        // Keys of an open dialog, and of a field, are theirs.
        let is_elsewhere = target.is_some_and(|target| {
            ["INPUT", "TEXTAREA"].contains(&target.tag_name().as_str())
                || matches!(target.closest("dialog"), Ok(Some(_)))
        });
        let command = event.ctrl_key() || event.meta_key();
        if is_elsewhere || !command || studio.view.get_untracked() != View::Orders {
            return;
        }
        match (event.key().to_lowercase().as_str(), event.shift_key()) {
            ("z", false) => bench.undo(),
            ("z", true) | ("y", _) => bench.redo(),
            _ => return,
        }
        event.prevent_default();
    });
    let judged = Memo::new(move |_| picture.get() && studio.is_judged());
    let asks = Memo::new(move |_| picture.get() && !studio.is_judged());
    let places = Signal::derive(|| {
        [
            ("order-title", "The order"),
            ("lab-title", "Before and after"),
            ("sweeps-title", "Sweeps"),
        ]
        .map(|(id, name)| IndexEntry::new(id, name))
        .to_vec()
    });
    view! {
        <Question />
        <section class="painters" aria-labelledby="order-title">
            <h2 id="order-title">"The order of the blocks"</h2>
            <Show when=move || bench.row.with(Option::is_some)>
                <div class="bench">
                    <Show when=move || judged.get()>
                        <p class="field" id="own-row">"The original order"</p>
                        <Painters lens=original />
                    </Show>
                    <p class="field">"This plan"</p>
                    <Row />
                    <Tools />
                    <Strategies />
                </div>
            </Show>
            <Show when=move || judged.get()>
                <Answers />
            </Show>
            <WrittenTexts />
            <WhichIsRight when=asks />
            <Show when=move || picture.get()>
                <SaveRun />
            </Show>
            <QuestionsLink />
        </section>
        <Index places />
        <Show when=move || judged.get()>
            <LabPictures />
        </Show>
        <SweepSection />
    }
}

/// The way to the lesson with the paper's questions, which are put to the model that is here.
#[component]
fn QuestionsLink() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let href = Memo::new(move |_| {
        let mut link = Link { draft: Some(studio.draft.get()), ..Link::to(View::Lessons) };
        link.lessons.lesson = Some(PAINTERS_LESSON);
        link.lessons.is_projected = studio.lessons.with(|lessons| lessons.is_projected);
        format!("#{}", link.fragment())
    });
    view! {
        <p class="look" id="paper-questions">
            <a href=href>"A lesson"</a>
            " asks the paper's eight questions: you predict, and a run answers."
        </p>
    }
}

#[component]
fn LabPictures() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let themes = expect_context::<Themes>();
    let pictures = Pictures::of_run(studio.lab, move || {
        studio.lab.with(|shown| {
            let lab = shown.as_ref()?.report.lab.as_ref()?;
            Some(lab_figures(lab, studio.column.get(), themes.theme.get()))
        })
    });
    view! {
        <section class="pictures" aria-labelledby="lab-title">
            <h2 id="lab-title">"Before and after"</h2>
            <Columns />
            <MemberHint />
            {["both", "votes", "cosine", "trajectories"]
                .map(|key| view! { <FigureView picture=pictures.one(key) /> })
                .collect_view()}
        </section>
    }
}

#[component]
fn SweepSection() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let bench = expect_context::<Bench>();
    let themes = expect_context::<Themes>();
    let source = Signal::derive(move || studio.sweep_source());
    let pictures = Pictures::with_source(source, move || {
        let (quantity, column) = (studio.sweeping.with(|s| s.quantity), studio.column.get());
        let theme = themes.theme.get();
        studio.with_orders(|orders| {
            let mut figures = sweep_figures(orders, quantity, column, theme);
            figures.extend(states_figure(orders, theme));
            figures
        })
    });

    let shown: Signal<Option<Shown>> = studio.swept;
    let there = Memo::new(move |_| studio.swept.with(Option::is_some));
    // A reader's own order belongs to no curve: where there is no other, there is none to draw.
    let empty = move || {
        let drawable = studio.with_orders(|orders| !orders.points.is_empty());
        let has_curve = |figures: &Vec<Figure>| figures.iter().any(|figure| figure.key != "states");
        drawable == Some(true) && !pictures.figures.with(has_curve)
    };
    let open = Callback::new(move |plan: String| {
        bench.set_plan(plan.clone());
        studio.say(format!("{plan} is the plan now."));
    });

    // A figure per task whose parts were left out.
    let needs = Memo::new(move |_| {
        let theme = themes.theme.get();
        studio.needed.with(|shown| {
            let needs = shown.iter().flat_map(|shown| &shown.report.need);
            needs.filter_map(|need| need_figure(need, theme)).collect::<Vec<_>>()
        })
    });
    let need_source = Signal::derive(move || studio.need_source());
    let need = move || {
        let picture = |n: usize| Picture {
            key: if n == 0 { "need".to_owned() } else { format!("need-{n}") },
            figure: Signal::derive(move || needs.with(|all| all.get(n).cloned())),
            source: need_source,
        };
        let all = 0..needs.with(Vec::len);
        all.map(|n| view! { <FigureView picture=picture(n) group="need" on_plan=open /> })
            .collect_view()
    };

    view! {
        <section class="sweeps" aria-labelledby="sweeps-title">
            <h2 id="sweeps-title">"Many plans, many rows"</h2>
            <p class="look">
                <Terms text="One prompt is an anecdote. A sweep runs many plans of a kind on many rows of a task. “Leave out every part once” \
                             shows the vote of each attention, MLP and head, and what the answers lose without it. A click on a point, or on \
                             its plan in the table, makes it the plan above." />
            </p>
            <StoredChoice
                heading="Sweeps of"
                view=View::Orders
                report="examples/smollm2-orders.atelier.json"
            />
            <SweepForm />
            <Show when=move || there.get()>
                <p class="provenance">{source}</p>
                <p class="keep"><SaveReport shown name="orders" /></p>
                <OwnOrders />
                <SweepView />
                <Show when=empty>
                    <p class="problem">
                        "These rows have no such number: the original order does not score above chance on them. Plot another quantity."
                    </p>
                </Show>
                {["neighbours", "heads-off", "family", "loops", "states"]
                    .map(|key| {
                        let here = pictures.has(key);
                        view! {
                            <Show when=move || here.get()>
                                <FigureView picture=pictures.one(key) on_plan=open />
                            </Show>
                        }
                    })
                    .collect_view()}
            </Show>
            <Show when=move || needs.with(|all| !all.is_empty())>
                <p class="provenance">{need_source}</p>
                <p class="keep"><SaveReport shown=studio.needed name="need" /></p>
                {need}
            </Show>
        </section>
    }
}
