//! One member of a run by itself: what it reads, writes and votes, and what the answer loses without it.

mod cost;

use leptos::prelude::*;

use crate::app::shell::Themes;
use crate::app::state::Studio;
use crate::app::widgets::{
    FigureView, HeadNumbers, Pictures, Question, SaveRun, Terms, WhichIsRight,
};
use crate::chart::{member_figures, member_title};
use crate::engine::{MemberKind, member_names};
use crate::study::member::MemberAccount;
use crate::study::report::Lens;
use cost::{Cost, Votes};

/// A run, and the account of one of its members.
type Accounted = Option<(Lens, MemberAccount)>;

#[component]
pub fn MemberView() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let themes = expect_context::<Themes>();
    let accounted: Memo<Accounted> = Memo::new(move |_| {
        studio.shown.with(|shown| {
            let shown = shown.as_ref()?;
            let account = shown.report.member.as_deref()?;
            Some((shown.lens()?.clone(), account.clone()))
        })
    });
    let pictures = Pictures::of_run(studio.shown, move || {
        let (is_carried, theme) = (studio.inside.with(|s| s.is_carried), themes.theme.get());
        accounted.with(|found| {
            let found = found.as_ref();
            found.map(|(lens, account)| member_figures(lens, account, is_carried, theme))
        })
    });
    // What is measured from the right answer waits until the reader has said which it is.
    let judged = Memo::new(move |_| studio.is_judged());
    let reads = pictures.has("member-reads");
    let title = move || {
        accounted.with(|found| {
            let (lens, account) = found.as_ref()?;
            Some(member_title(lens, account))
        })
    };
    view! {
        <Question />
        <Show when=move || accounted.with(Option::is_some)>
            <section class="pictures" aria-labelledby="member-title">
                <h2 id="member-title">{title}</h2>
                <Chosen accounted />
                <SaveRun />
                <h3 class="part">"What it reads"</h3>
                <Show when=move || reads.get() fallback=move || view! { <ReadsAlone accounted /> }>
                    <div class="tools">
                        <HeadNumbers
                            name="member-shows"
                            is_carried=Signal::derive(move || studio.inside.with(|s| s.is_carried))
                            on_choose=move |carried| studio.inside.update(|s| s.is_carried = carried)
                        />
                    </div>
                    <FigureView picture=pictures.one("member-reads") wide=true />
                </Show>
                <h3 class="part">"What it writes"</h3>
                <FigureView picture=pictures.one("member-writes") />
                <h3 class="part">"What it votes, and what the answer loses without it"</h3>
                <WhichIsRight when=Signal::derive(move || !judged.get()) />
                <Votes accounted judged />
                <Cost accounted judged />
            </section>
        </Show>
    }
}

/// Which of the run's members, and the next ones.
#[component]
fn Chosen(accounted: Memo<Accounted>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let choose = move |name: String| studio.set_inside(|s| s.member = Some(name));
    let names = Memo::new(move |_| {
        let names = accounted.with(|found| {
            let (lens, account) = found.as_ref()?;
            Some((member_names(&lens.members), account.index))
        });
        names.unwrap_or_default()
    });
    let options = move || {
        let (names, chosen) = names.get();
        let all = names.into_iter().enumerate().map(|(n, name)| {
            let value = name.clone();
            view! { <option value=value prop:selected={n == chosen}>{name}</option> }
        });
        all.collect_view()
    };
    let neighbour = move |later: bool, words: &'static str| {
        let to = move || {
            names.with(|(names, at)| {
                let to = if later { at.checked_add(1) } else { at.checked_sub(1) };
                names.get(to?).cloned()
            })
        };
        let go = move |_| {
            if let Some(name) = untrack(to) {
                choose(name);
            }
        };
        view! { <button type="button" disabled=move || to().is_none() on:click=go>{words}</button> }
    };
    view! {
        <div class="tools">
            <label>
                "Component "
                <select id="member" on:change=move |event| choose(event_target_value(&event))>{options}</select>
            </label>
            {neighbour(false, "The one before")}
            {neighbour(true, "The next")}
        </div>
    }
}

/// Says what a member reads where the report lists no token that it attends to.
#[component]
fn ReadsAlone(accounted: Memo<Accounted>) -> impl IntoView {
    let words = move || {
        accounted.with(|found| {
            let (lens, account) = found.as_ref()?;
            Some(match lens.members.get(account.index)?.kind {
                MemberKind::Embedding => "Nothing but the last token's own number: it is what stands there before any block ran.",
                MemberKind::Mlp => "The last token's residual stream alone, as it stands when its turn comes: no MLP reads another token.",
                MemberKind::Bias => "Nothing: it is the same after every prompt.",
                MemberKind::Attention => "The prompt, but this report does not say where.",
            })
        })
    };
    view! { <p class="reads-alone">{move || words().map(|text| view! { <Terms text /> })}</p> }
}
