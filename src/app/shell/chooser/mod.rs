//! The dialog of models: every model that can be chosen, and what becomes of a download.

mod downloads;
mod hearing;
mod here;
mod line;
mod lists;
mod offers;
mod opening;
mod under_way;

use leptos::prelude::*;

use super::dialog;
use crate::app::browser;
use crate::app::link::Choice;
use crate::app::state::{Studio, Surveys};
use crate::app::takes;
use crate::chart::number::counted;
use crate::model::catalogue;
use crate::model::hub::HubName;
use crate::study::lessons::LessonFits;
use downloads::Downloads;

const DIALOG: &str = "chooser";

/// The id of the dialog's heading, which has the focus when the dialog opens.
const HEADING: &str = "models";

#[derive(Clone, Copy)]
pub struct Chooser {
    studio: Studio,
    downloads: Downloads,
    /// Has the reader asked for it? Then its content is drawn, and stays.
    is_wanted: RwSignal<bool>,
    /// Which tasks and lessons the page's model can take, where the list of shipped models does not say it.
    takes: RwSignal<String>,
    /// Models opened from disk in this visit, newest first.
    from_disk: RwSignal<Vec<String>>,
}

impl Chooser {
    pub fn start(studio: Studio, surveys: Surveys) -> Self {
        let downloads = Downloads::start(studio, surveys);
        studio.fetch_by(move |name| downloads.open_if_there(name));
        Self {
            studio,
            downloads,
            is_wanted: RwSignal::default(),
            takes: RwSignal::default(),
            from_disk: RwSignal::default(),
        }
    }

    pub fn show(self) {
        self.is_wanted.set(true);
        self.from_disk.set(self.studio.opened_here());
        self.tell_takes();
        self.downloads.refresh();
        if let Some(dialog) = dialog(DIALOG) {
            let _ = dialog.show_modal();
        }
    }

    /// Says which tasks and lessons the page's model can take: of a shipped one at once, of another as far as it is
    /// open.
    fn tell_takes(self) {
        let choice = self.studio.draft.with_untracked(|draft| draft.model.clone());
        let say = move |sentence: String| self.takes.set(sentence);
        if matches!(&choice, Choice::Known(name) if LessonFits::shipped(name).is_some()) {
            // The list says it.
            return say(String::new());
        }
        if self.studio.held.with_untracked(Option::is_none) {
            return say(
                "It is not open here. Once it is, this line says which tasks and lessons it can take.".to_owned()
            );
        }
        let tasks = self.studio.refused.with_untracked(|refused| takes::tasks(refused));
        say(tasks.clone());
        self.studio.ask_fits(move |found| {
            let is_same = self.studio.draft.with_untracked(|draft| draft.model == choice);
            match found {
                _ if !is_same => {}
                Ok((_, lessons)) => {
                    let lessons = takes::lessons(&LessonFits::of(&lessons));
                    say(format!("{tasks} {lessons} {}", takes::OTHERS));
                }
                Err(why) => say(format!("{tasks} {why}")),
            }
        });
    }

    /// Shows the dialog, and looks a model up at its hub.
    pub fn look_up(self, repo: &str) {
        self.show();
        self.downloads.press("");
        self.downloads.look_up(repo, None);
        browser::show_soon(offers::HEADING);
    }
}

fn is_shown() -> bool {
    dialog(DIALOG).is_some_and(|dialog| dialog.open())
}

/// Closes the dialog; the browser gives the focus back to the element that had it before.
pub fn close() {
    if let Some(dialog) = dialog(DIALOG) {
        dialog.close();
    }
}

/// Where a model comes from, or what it is, in few words.
fn about(studio: Studio, choice: &Choice) -> String {
    match choice {
        Choice::Known(name) => match catalogue::find(name) {
            Some(known) => counted(known.blocks, "block"),
            None => String::new(),
        },
        Choice::Folder(name) if HubName::is_one(name) => "from a hub".to_owned(),
        Choice::Folder(name) if studio.is_at_hand(name) => "on this machine".to_owned(),
        Choice::Folder(_) if studio.is_absent.get() => "not here".to_owned(),
        Choice::Folder(_) => "opened here".to_owned(),
    }
}

/// Which model answers, and the button that shows all others.
#[component]
pub fn ChooserButton() -> impl IntoView {
    let chooser = expect_context::<Chooser>();
    let choice = move || chooser.studio.draft.with(|draft| draft.model.clone());
    view! {
        <button type="button" id="model" aria-haspopup="dialog" on:click=move |_| chooser.show()>
            <span class="field">"Model "</span>
            <span class="model-name">{move || choice().name().to_owned()}</span>
            <span class="model-about">{move || format!(" ({})", about(chooser.studio, &choice()))}</span>
        </button>
    }
}

#[component]
pub fn ChooserDialog() -> impl IntoView {
    let Chooser { downloads, is_wanted, .. } = expect_context::<Chooser>();
    view! {
        <dialog id=DIALOG aria-label="Models">
            {move || is_wanted.get().then(|| view! { <ModelList /> })}
        </dialog>
        <line::DownloadFrame downloads />
    }
}

/// The dialog's content.
#[component]
fn ModelList() -> impl IntoView {
    let chooser = expect_context::<Chooser>();
    let Chooser { studio, downloads, takes, .. } = chooser;
    provide_context(downloads);
    // What is loaded behind the open dialog changes what can be taken.
    let choice = Memo::new(move |_| studio.draft.with(|draft| draft.model.clone()));
    Effect::new(move |before: Option<()>| {
        choice.track();
        studio.held.track();
        // At first the opening of the dialog says it.
        if before.is_some() && is_shown() {
            untrack(|| chooser.tell_takes());
        }
    });
    // It is drawn when the dialog has opened; the next time the attribute moves the focus.
    Effect::new(|_| browser::focus(HEADING));
    view! {
        <div class="panel-head">
            <h2 id=HEADING tabindex="-1" autofocus>"Models"</h2>
            <button type="button" class="close" on:click=move |_| close()>"Close"</button>
        </div>
        <p class="now">"Now: " <strong>{move || downloads.current.get()}</strong></p>
        <Show when=move || takes.with(|takes| !takes.is_empty())>
            <p class="hint" id="takes">{move || takes.get()}</p>
        </Show>
        <p class="status-line" role="status" aria-live="polite">{move || downloads.said.get()}</p>
        <lists::Recent />
        <lists::Shipped />
        <lists::FromDisk />
        <here::OnThisMachine />
        <offers::OnTheHub />
    }
}
