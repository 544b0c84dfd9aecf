//! The whole window takes what is dropped on it: a model's folder or files, or reports.

use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::DragEvent;

use super::chooser::close;
use crate::app::state::{Place, Studio, Surveys, sentence};
use crate::app::{browser, files};

/// A drag that is not heard of for so long is over.
const SILENCE: std::time::Duration = std::time::Duration::from_millis(800);

/// Takes drops as long as the page is open.
pub fn listen(studio: Studio, surveys: Surveys) {
    let over = |over: bool| browser::set_root_class("over", over);
    // Whoever drags over the page is heard several times a second; a drag that ends elsewhere, or is
    // given up with Escape, may end without a word.
    let heard = StoredValue::new(0_u32);
    browser::hear(leptos::ev::dragover, move |event: DragEvent| {
        if !holds_files(&event) {
            return;
        }
        event.prevent_default();
        over(true);
        heard.update_value(|heard| *heard = heard.wrapping_add(1));
        let now = heard.get_value();
        let silent = move || {
            if heard.try_get_value() == Some(now) {
                over(false);
            }
        };
        set_timeout(silent, SILENCE);
    });
    browser::hear(leptos::ev::dragleave, move |event: DragEvent| {
        // Between two elements of the page it is still over the page.
        if event.related_target().is_none() {
            over(false);
        }
    });
    browser::hear(leptos::ev::drop, move |event: DragEvent| {
        if !holds_files(&event) {
            return;
        }
        event.prevent_default();
        over(false);
        // What is opened, or refused, is shown behind the list of models.
        close();
        let entries =
            event.data_transfer().map(|transfer| files::dropped(&transfer)).unwrap_or_default();
        if entries.is_empty() {
            let sentence = "There were no files in what was dropped: drop a model's folder, its files, or a report.";
            studio.refuse_report(surveys, Place::Model, sentence.to_owned());
            return;
        }
        leptos::task::spawn_local(async move {
            match files::from_entries(entries).await {
                Ok(chosen) => studio.open_files(surveys, chosen),
                Err(why) => {
                    studio.refuse_report(surveys, Place::Model, sentence(&why.to_string()));
                }
            }
        });
    });
}

/// Are files dragged? Text and links belong to the field that they are let go over.
fn holds_files(event: &DragEvent) -> bool {
    let transfer = event.data_transfer();
    transfer.is_some_and(|transfer| transfer.types().includes(&JsValue::from_str("Files"), 0))
}
