//! Attention: where heads look, how much they carry, and what happens without them.

mod lists;

use leptos::prelude::*;

use crate::app::shell::Themes;
use crate::app::state::{Bench, Studio};
use crate::app::widgets::{
    Answered, Choice, FigureView, HeadNumbers, MemberLinks, Pictures, Question, SaveRun, Tick,
    Window, predictions,
};
use crate::chart::{
    AttentionShown, attention_figures, attention_members, attention_runs, switched, token,
};
use crate::study::report::{HeadLooks, Lens};
use lists::TokenLists;

/// The head that is drawn large: where it is not as asked, the report says which it is.
fn large(lens: &Lens, run: usize, head: usize) -> Option<&HeadLooks> {
    let all = lens.attention_head.as_ref()?;
    let asked = all.iter().find(|one| (one.run, one.head) == (run, head));
    asked.or(all.first())
}

#[component]
pub fn AttentionView() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let bench = expect_context::<Bench>();
    let themes = expect_context::<Themes>();
    let shown = Memo::new(move |_| {
        let (run, head) = studio.inside.with(|s| (s.run, s.head));
        let (is_carried, skips_first) = studio.inside.with(|s| (s.is_carried, s.skips_first));
        studio.shown.with(|shown| {
            let shown = shown.as_ref()?;
            let large = large(shown.lens()?, run, head)?;
            let model = &shown.report.model;
            Some(AttentionShown {
                run: large.run,
                head: large.head,
                is_carried,
                skips_first,
                sharing: model.heads / model.kv_heads.max(1),
            })
        })
    });
    let lens = Memo::new(move |_| {
        let lens = studio.with_run(Lens::clone);
        lens.filter(|_| shown.with(Option::is_some))
    });
    let pictures = Pictures::of_run(studio.shown, move || {
        let theme = themes.theme.get();
        lens.with(|lens| Some(attention_figures(lens.as_ref()?, shown.get()?, theme)))
    });
    // A plan with one head switched says which head that is.
    let switch = Callback::new(move |plan: String| {
        let place = lens.with_untracked(|lens| {
            let lens = lens.as_ref()?;
            let pattern = lens.attention_pattern.as_ref()?.iter().enumerate();
            let mut places =
                pattern.flat_map(|(run, heads)| (0..heads.len()).map(move |head| (run, head)));
            places.find(|&(run, head)| switched(lens, run, head).as_ref() == Some(&plan))
        });
        if let Some((run, head)) = place {
            studio.inside.update(|s| (s.run, s.head) = (run, head));
        }
        bench.set_plan(plan);
    });
    view! {
        <Question />
        <Show when=move || shown.with(Option::is_some)>
            <section class="pictures" aria-labelledby="attention-title">
                <h2 id="attention-title">"Where the heads look"</h2>
                <FigureView picture=pictures.one("heads") on_plan=switch wide=true>
                    <Controls lens=lens shown=shown />
                </FigureView>
                <SaveRun />
                <OneHead lens=lens shown=shown switch=switch />
                <FigureView picture=pictures.one("matrix") />
            </section>
        </Show>
    }
}

#[component]
fn Controls(lens: Memo<Option<Lens>>, shown: Memo<Option<AttentionShown>>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let names = move |list: fn(&Lens, usize) -> Vec<String>| {
        Signal::derive(move || {
            let run = shown.get().map_or(0, |shown| shown.run);
            lens.with(|lens| lens.as_ref().map(|lens| list(lens, run)).unwrap_or_default())
        })
    };
    let tokens = names(|lens, _| {
        (0..lens.token_ids.len()).map(|t| format!("{t} {}", token(lens, t))).collect()
    });
    let runs = names(|lens, _| attention_runs(lens).into_iter().map(|(name, _)| name).collect());
    let heads = names(|lens, run| {
        let heads = lens.attention_pattern.as_ref().and_then(|pattern| pattern.get(run));
        (0..heads.map_or(0, Vec::len)).map(|head| head.to_string()).collect()
    });
    view! {
        <div class="tools">
            <Choice
                label="Token that looks "
                id="query"
                names=tokens
                chosen=Signal::derive(move || lens.with(|lens| lens.as_ref()?.attention_query))
                on_choose=move |t| studio.set_inside(|s| s.query = Some(t))
            />
            <Choice
                label="Block "
                id="run"
                names=runs
                chosen=Signal::derive(move || shown.get().map(|shown| shown.run))
                on_choose=move |run| studio.set_inside(|s| s.run = run)
            />
            <Choice
                label="Head "
                id="head"
                names=heads
                chosen=Signal::derive(move || shown.get().map(|shown| shown.head))
                on_choose=move |head| studio.set_inside(|s| s.head = head)
            />
            <HeadNumbers
                name="attention-shows"
                is_carried=Signal::derive(move || studio.inside.with(|s| s.is_carried))
                on_choose=move |carried| studio.set_inside(|s| s.is_carried = carried)
            />
            <Tick
                words="Without the first token"
                id="without-first"
                is_on=Signal::derive(move || studio.inside.with(|s| s.skips_first))
                on_turn=move |skips| studio.set_inside(|s| s.skips_first = skips)
            />
            <Window positions=Signal::derive(move || {
                let place = shown.get()?;
                lens.with(|lens| {
                    let lens = lens.as_ref()?;
                    let large = large(lens, place.run, place.head)?;
                    Some((large.queries.clone(), lens.token_ids.len()))
                })
            }) />
        </div>
    }
}

/// Table of the answer of the model's own order beside this one.
#[component]
fn BeforeAfter(lens: Memo<Option<Lens>>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    move || {
        let is_judged = studio.is_judged();
        lens.with(|lens| {
            let lens = lens.as_ref()?;
            let before = Answered {
                heading: "before",
                shares: lens.before.as_ref()?,
                vocabulary: lens.before_vocabulary.as_ref(),
            };
            let answers = [before, Answered::of("after", lens)];
            let caption = format!("The answer without what is off: {}", lens.plan);
            let table = predictions("switched", caption, lens, is_judged, answers, None);
            Some(view! { <div class="answers">{table}</div> })
        })
    }
}

/// The head that is drawn large: its switch, and its tokens with lines between them.
#[component]
fn OneHead(
    lens: Memo<Option<Lens>>,
    shown: Memo<Option<AttentionShown>>,
    switch: Callback<String>,
) -> impl IntoView {
    let facts = Memo::new(move |_| {
        let shown = shown.get()?;
        lens.with(|lens| {
            let lens = lens.as_ref()?;
            let (name, run) = attention_runs(lens).into_iter().nth(shown.run)?;
            let is_off = run.heads_off.contains(shown.head);
            let plan = switched(lens, shown.run, shown.head)?;
            Some((name, shown.head, is_off, plan))
        })
    });
    let title = move || {
        let (name, head, is_off, _) = facts.get()?;
        let off = if is_off { ", switched off" } else { "" };
        Some(format!("Block {name}, head {head}{off}"))
    };
    let label = move || match facts.get() {
        Some((_, _, true, _)) => "Switch this head on",
        _ => "Switch this head off",
    };
    // A click on a head of the map switches it, so the way to its block's attention stands here.
    let own = Signal::derive(move || {
        let run = shown.get().map(|shown| shown.run);
        let names = lens.with(|lens| lens.as_ref().map(attention_members));
        let name = run.zip(names).and_then(|(run, names)| names.into_iter().nth(run));
        name.into_iter().collect::<Vec<_>>()
    });
    let click = move |_| {
        if let Some((.., plan)) = facts.get_untracked() {
            switch.run(plan);
        }
    };
    view! {
        <div class="one-head">
            <h3>{title}</h3>
            <button type="button" id="switch-head" on:click=click>{label}</button>
            <MemberLinks names=own />
            <BeforeAfter lens=lens />
            <TokenLists lens=lens shown=shown />
        </div>
    }
}
