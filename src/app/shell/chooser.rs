//! The panel of models in a dialog of its own: a document with its own policy, which alone may ask a
//! hub. It hears from this page which model is wanted, and nothing else.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{File, HtmlIFrameElement, MessageEvent};

use super::dialog;
use crate::app::browser;
use crate::app::files::Chosen;
use crate::app::link::Choice;
use crate::app::state::{Studio, Surveys};
use crate::app::takes;
use crate::chart::number::counted;
use crate::model::catalogue;
use crate::model::hub::HubName;
use crate::study::lessons::LessonFits;

const PANEL: &str = "hub.html";

#[derive(Clone, Copy)]
pub struct Chooser {
    studio: Studio,
    surveys: Surveys,
    /// Its document is fetched when it is needed first, and stays: a download goes on behind it.
    is_there: RwSignal<bool>,
    /// Does its program listen?
    is_ready: RwSignal<bool>,
    /// Messages to the panel that wait until it listens.
    waiting: StoredValue<Vec<Vec<String>>>,
}

impl Chooser {
    pub fn start(studio: Studio, surveys: Surveys) -> Self {
        let chooser = Self {
            studio,
            surveys,
            is_there: RwSignal::new(false),
            is_ready: RwSignal::new(false),
            waiting: StoredValue::default(),
        };
        let heard = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            chooser.hear(&event);
        });
        // The page listens as long as it is open.
        let heard = heard.into_js_value();
        let _ =
            browser::window().add_event_listener_with_callback("message", heard.unchecked_ref());
        studio.fetch_by(move |name| chooser.tell(vec!["want".to_owned(), name]));
        chooser
    }

    pub fn show(self) {
        let name = self.studio.draft.with_untracked(|draft| draft.model.name().to_owned());
        let models = self.studio.at_hand.with_untracked(serde_json::to_string);
        if let Ok(models) = models {
            self.tell(vec!["at hand".to_owned(), models]);
        }
        let mut message = vec!["shown".to_owned(), name];
        message.extend(self.studio.opened_here());
        self.tell(message);
        self.tell_takes();
        if let Some(dialog) = dialog("chooser") {
            let _ = dialog.show_modal();
        }
    }

    /// Says which tasks and lessons the page's model can take: of a shipped one at once, of another as far as it is
    /// open.
    fn tell_takes(self) {
        let choice = self.studio.draft.with_untracked(|draft| draft.model.clone());
        let say = move |sentence: String| self.tell(vec!["takes".to_owned(), sentence]);
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

    /// Shows the panel, and looks a model up at its hub.
    pub fn look_up(self, repo: &str) {
        self.show();
        self.tell(vec!["look up".to_owned(), repo.to_owned()]);
    }

    /// Fetches the panel's document, if it is not there.
    fn prepare(self) {
        // Set once: a frame that is drawn again is a document that begins again.
        if !self.is_there.get_untracked() {
            self.is_there.set(true);
        }
    }

    /// A word, and what it is about.
    fn tell(self, message: Vec<String>) {
        self.prepare();
        if !self.is_ready.get_untracked() {
            self.waiting.update_value(|waiting| {
                if !waiting.contains(&message) {
                    waiting.push(message);
                }
            });
            return;
        }
        let Some(panel) = frame().and_then(|frame| frame.content_window()) else {
            return;
        };
        let message: js_sys::Array = message.into_iter().map(JsValue::from).collect();
        let origin = browser::window().location().origin().unwrap_or_default();
        // Strings can always be cloned into a message.
        let _ = panel.post_message(&message, &origin);
    }

    fn hear(self, event: &MessageEvent) {
        let panel = frame().and_then(|frame| frame.content_window());
        let is_own = match (event.source(), panel) {
            (Some(from), Some(panel)) => js_sys::Object::is(from.as_ref(), panel.as_ref()),
            _ => false,
        };
        if !is_own {
            return;
        }
        let message: js_sys::Array = event.data().unchecked_into();
        let text = |at| message.get(at).as_string().unwrap_or_default();
        let word = text(0);
        if matches!(&*word, "close" | "known" | "at hand" | "again") {
            close();
        }
        match &*word {
            "ready" => {
                self.is_ready.set(true);
                let waiting = self.waiting.try_update_value(std::mem::take);
                for message in waiting.unwrap_or_default() {
                    self.tell(message);
                }
            }
            "known" => self.studio.choose_known(text(1)),
            "at hand" => self.studio.choose_at_hand(text(1)),
            "again" => self.studio.choose_opened(&text(1)),
            // What the page asked for and its reader no longer does; in the open panel, somebody chose it.
            "open" | "none" if !is_shown() && !self.studio.lacks(&text(1)) => {}
            "open" => {
                close();
                let files: Vec<File> = message.iter().skip(2).map(JsCast::unchecked_into).collect();
                let name = text(1);
                self.studio.open_files(self.surveys, Chosen { name, files });
            }
            "none" => self
                .studio
                .refuse(&format!("{} is not on this machine: press “Model” to fetch it.", text(1))),
            _ => {}
        }
    }
}

fn frame() -> Option<HtmlIFrameElement> {
    let frame = document().get_element_by_id("chooser-frame")?;
    frame.dyn_into().ok()
}

fn is_shown() -> bool {
    dialog("chooser").is_some_and(|dialog| dialog.open())
}

/// Closes the dialog; the browser gives the focus back to the element that had it before.
fn close() {
    if let Some(dialog) = dialog("chooser") {
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
    // Whoever is about to press it finds the panel there.
    let prepare = move || chooser.prepare();
    view! {
        <button
            type="button"
            id="model"
            aria-haspopup="dialog"
            on:pointerenter=move |_| prepare()
            on:click=move |_| chooser.show()
        >
            <span class="field">"Model "</span>
            <span class="model-name">{move || choice().name().to_owned()}</span>
            <span class="model-about">{move || format!(" ({})", about(chooser.studio, &choice()))}</span>
        </button>
    }
}

#[component]
pub fn ChooserDialog() -> impl IntoView {
    let chooser = expect_context::<Chooser>();
    let source = browser::beside(&format!("{PANEL}?v={}", browser::build()));
    view! {
        <dialog id="chooser" aria-label="Models">
            // The panel's own button, until it comes or where it does not.
            <Show when=move || !chooser.is_ready.get()>
                <p class="way-out">
                    <button type="button" autofocus on:click=move |_| close()>"Close"</button>
                </p>
            </Show>
            {move || {
                chooser
                    .is_there
                    .get()
                    .then(|| view! { <iframe id="chooser-frame" title="Models" src=source.clone()></iframe> })
            }}
        </dialog>
    }
}
