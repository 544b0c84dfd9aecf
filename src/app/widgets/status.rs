//! The work under way: how far it is, and the way to stop it.

use std::time::Duration;

use leptos::prelude::*;

use crate::app::browser;
use crate::app::protocol::Stage;
use crate::app::state::Studio;
use crate::app::state::exchange::{Job, Work};
use crate::chart::number;

/// Work shorter than this is over before one could read about it.
const SHORT: Duration = Duration::from_millis(300);

/// How far one piece of work is, once it lasts.
#[component]
pub fn WorkBar(
    #[prop(into)] of: Signal<Option<Work>>,
    id: &'static str,
    #[prop(into)] on_cancel: Callback<()>,
) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let button = id;
    let id = Memo::new(move |_| of.with(|work| work.as_ref().map(|work| work.id)));
    let lasting = RwSignal::new(None::<u32>);
    Effect::new(move |_| {
        if let Some(id) = id.get() {
            // Work that was under way before this view was opened has lasted already.
            let since = of.with_untracked(|work| work.as_ref().map(|work| work.since));
            let lasted = (browser::now() - since.unwrap_or_default()).max(0.0);
            let left = SHORT.saturating_sub(Duration::from_secs_f64(lasted / 1000.0));
            set_timeout(move || lasting.set(Some(id)), left);
        }
    });
    let visible = move || id.get().is_some() && id.get() == lasting.get();
    let words = move || {
        let behind = studio.sweep.with(Option::is_some);
        of.with(|work| {
            let work = work.as_ref()?;
            let words = words(work, studio.draft.read().model.name(), behind);
            Some(match work.seconds_left(browser::now()) {
                Some(seconds) => format!("{words}, about {} left", duration(seconds)),
                None => words,
            })
        })
    };
    let share = move || of.with(|work| work.as_ref().and_then(share));
    view! {
        <div class="status" class:visible=visible>
            <Show when=visible>
                <label class="work">
                    <span>{words}</span>
                    <progress max="1" prop:value=move || share().unwrap_or(0.0) class:unknown=move || share().is_none()></progress>
                </label>
                <button type="button" id=button on:click=move |_| on_cancel.run(())>"Cancel"</button>
            </Show>
        </div>
    }
}

fn words(work: &Work, model: &str, behind: bool) -> String {
    match (work.job, work.progress) {
        (Job::Load, Some((Stage::Download, done, total))) if total > 0.0 => {
            format!("Fetching {model}: {} of {}", bytes(done), bytes(total))
        }
        (Job::Load, Some((Stage::Download, done, _))) => {
            format!("Fetching {model}: {}", bytes(done))
        }
        (Job::Load, Some((Stage::Weights, done, total))) => {
            format!("Preparing {model}: part {done} of {total}")
        }
        (Job::Load, _) => format!("Loading {model}"),
        (Job::Run, Some((Stage::Write, done, total))) => {
            format!("{model} writes: token {done} of {total}")
        }
        (Job::Run, Some((Stage::Products, done, total))) => {
            // The model's name stands beside it, and both do not fit in one line.
            let share = number::fixed(100.0 * done / total.max(1.0), 0);
            format!("Linearising: {}", number::per_cent(share))
        }
        (Job::Run, Some((Stage::Compare, done, total))) => {
            format!("Running {model} in its original order: block {done} of {total}")
        }
        (Job::Run, Some((_, done, total))) => format!("Running {model}: block {done} of {total}"),
        (Job::Sweep, Some((Stage::Rows, done, total))) => {
            format!("Leaving out every part of {model}: row {done} of {total}")
        }
        (Job::Sweep, Some((Stage::Parts, done, total))) => {
            let (done, total) = (thousands(done), thousands(total));
            format!("Leaving out every part of {model}: {done} of {total} block runs")
        }
        (Job::Sweep, Some((Stage::Linearised, done, total))) => {
            let row = (done / 1000.0).floor();
            format!("Linearising {model}: row {row} of {}", total / 1000.0)
        }
        (Job::Sweep, Some((Stage::Lesson, done, total))) => {
            let share = 100.0 * done / total.max(1.0);
            // Not always of this model: a lesson names others, too.
            format!("A lesson is worked out: {}", number::per_cent(number::fixed(share, 0)))
        }
        (Job::Sweep, Some((_, done, total))) => {
            format!("Sweeping on {model}: {} of {} block runs", thousands(done), thousands(total))
        }
        (Job::Sweep, None) => format!("Sweeping on {model}"),
        (Job::Run, None) => format!("Running {model}"),
        (Job::Write, _) => format!("{model} writes"),
        (Job::Compare, None) if behind => "The check waits until the sweep is done".to_owned(),
        (Job::Compare, _) => format!("Checking {model} against the CPU"),
        (Job::Doctor, _) => "Measuring this machine".to_owned(),
    }
}

/// `40 s`, `3 min`.
pub fn duration(seconds: f64) -> String {
    match seconds < 90.0 {
        true => format!("{} s", number::fixed(seconds.max(1.0), 0)),
        false => format!("{} min", number::fixed(seconds / 60.0, 0)),
    }
}

fn share(work: &Work) -> Option<f64> {
    work.progress
        .filter(|(_, _, total)| *total > 0.0)
        .map(|(_, done, total)| (done / total).min(1.0))
}

/// `12 345`: no unit, and too long to read at once.
fn thousands(n: f64) -> String {
    number::grouped(number::fixed(n, 0), '\u{202f}')
}

fn bytes(n: f64) -> String {
    if n < 1e6 {
        format!("{} kB", number::fixed(n / 1e3, 0))
    } else {
        format!("{} MB", number::fixed(n / 1e6, 1))
    }
}
