//! Controls that views share.

use leptos::prelude::*;

/// A tick with its words.
#[component]
pub fn Tick(
    #[prop(into)] words: String,
    #[prop(into)] is_on: Signal<bool>,
    #[prop(into)] on_turn: Callback<bool>,
    #[prop(optional)] id: Option<&'static str>,
    #[prop(optional, into)] is_disabled: Signal<bool>,
    /// Why it cannot be ticked.
    #[prop(optional, into)]
    title: Signal<Option<String>>,
) -> impl IntoView {
    view! {
        <label class="tick" title=move || title.get()>
            <input
                type="checkbox"
                id=id
                disabled=move || is_disabled.get()
                prop:checked=move || is_on.get()
                on:change=move |event| on_turn.run(event_target_checked(&event))
            />
            <span>{words}</span>
        </label>
    }
}

/// A whole number from 1 on. What is counted with is shown, whatever was typed.
#[component]
pub fn NumberField(
    name: &'static str,
    most: usize,
    #[prop(into)] value: Signal<usize>,
    #[prop(into)] on_change: Callback<usize>,
    #[prop(optional)] id: Option<&'static str>,
) -> impl IntoView {
    let change = move |event: web_sys::Event| {
        if let Ok(number) = event_target_value(&event).trim().parse::<usize>() {
            on_change.run(number.clamp(1, most));
        }
        // Where that is what it was before, nothing else draws it again.
        let field: web_sys::HtmlInputElement = event_target(&event);
        field.set_value(&value.get_untracked().to_string());
    };
    view! {
        <label class="number">
            {name}
            <input
                type="number"
                id=id
                min="1"
                max=most.to_string()
                prop:value=move || value.get().to_string()
                on:change=change
            />
        </label>
    }
}

/// Whether heads are shown by their weights or by what they carry.
#[component]
pub fn HeadNumbers(
    name: &'static str,
    #[prop(into)] is_carried: Signal<bool>,
    #[prop(into)] on_choose: Callback<bool>,
) -> impl IntoView {
    let kind = move |carried: bool, words: &'static str| {
        view! {
            <label>
                <input
                    type="radio"
                    name=name
                    prop:checked=move || is_carried.get() == carried
                    on:change=move |_| on_choose.run(carried)
                />
                <span>{words}</span>
            </label>
        }
    };
    view! {
        <fieldset class="columns">
            <legend>"Shown"</legend>
            {kind(false, "Weight")}
            {kind(true, "Value-weighted")}
        </fieldset>
    }
}
