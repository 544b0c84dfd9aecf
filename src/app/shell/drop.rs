//! The whole window takes what is dropped on it: a model's folder or files, or reports.

use leptos::prelude::*;
use web_sys::DragEvent;

use crate::app::files;
use crate::app::state::{Studio, Surveys, sentence};

/// Takes drops as long as the page is open.
pub fn listen(studio: Studio, surveys: Surveys) {
    let over = |over: bool| {
        let root = document().document_element();
        if let Some(root) = root {
            let _ = root.class_list().toggle_with_force("over", over);
        }
    };
    let entered = window_event_listener(leptos::ev::dragover, move |event: DragEvent| {
        event.prevent_default();
        over(true);
    });
    // Between two elements of the page it enters the one before it leaves the other.
    let depth = StoredValue::new(0);
    let came = window_event_listener(leptos::ev::dragenter, move |_| {
        depth.update_value(|depth| *depth += 1);
    });
    let left = window_event_listener(leptos::ev::dragleave, move |_| {
        depth.update_value(|depth| *depth = (*depth - 1).max(0));
        if depth.get_value() == 0 {
            over(false);
        }
    });
    let dropped = window_event_listener(leptos::ev::drop, move |event: DragEvent| {
        event.prevent_default();
        depth.set_value(0);
        over(false);
        let entries = event
            .data_transfer()
            .map(|transfer| files::dropped(&transfer))
            .unwrap_or_default();
        if entries.is_empty() {
            let sentence = "There were no files in what was dropped: drop a model's folder, its files, or a report.";
            say(studio, surveys, sentence);
            return;
        }
        leptos::task::spawn_local(async move {
            match files::from_entries(entries).await {
                Ok(chosen) => studio.open_files(surveys, chosen),
                Err(why) => say(studio, surveys, &sentence(&why.to_string())),
            }
        });
    });
    on_cleanup(move || {
        entered.remove();
        came.remove();
        left.remove();
        dropped.remove();
    });
}

/// Where the view that is open has room for it.
fn say(studio: Studio, surveys: Surveys, sentence: &str) {
    if studio.view.get_untracked().is_live() {
        studio.refuse(sentence);
    } else {
        surveys.refuse(sentence.to_owned());
    }
}
