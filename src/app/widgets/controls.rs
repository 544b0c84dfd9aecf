//! Controls that views share.

use leptos::prelude::*;

/// A tick with its words.
#[component]
pub fn Tick(
    #[prop(into)] words: String,
    #[prop(into)] is_on: Signal<bool>,
    #[prop(into)] on_turn: Callback<bool>,
    #[prop(optional)] id: Option<&'static str>,
    #[prop(optional, into)] value: Option<String>,
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
                value=value
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

/// One of several values, each with its words.
#[component]
pub fn Radios<T: Copy + PartialEq + Send + Sync + 'static>(
    name: &'static str,
    legend: &'static str,
    all: Vec<(T, String)>,
    #[prop(into)] chosen: Signal<T>,
    #[prop(into)] on_choose: Callback<T>,
    /// The value's text in the document.
    #[prop(optional)]
    text: Option<fn(T) -> &'static str>,
    #[prop(default = "columns")] class: &'static str,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let radio = move |(value, words): (T, String)| {
        view! {
            <label>
                <input
                    type="radio"
                    name=name
                    value=text.map(|text| text(value))
                    prop:checked=move || chosen.get() == value
                    on:change=move |_| on_choose.run(value)
                />
                <span>{words}</span>
            </label>
        }
    };
    view! {
        <fieldset class=class>
            <legend>{legend}</legend>
            {all.into_iter().map(radio).collect_view()}
            {children.map(|children| children())}
        </fieldset>
    }
}

/// A choice among names, by their places in the list.
#[component]
pub fn Choice(
    label: &'static str,
    id: &'static str,
    #[prop(into)] names: Signal<Vec<String>>,
    #[prop(into)] chosen: Signal<Option<usize>>,
    #[prop(into)] on_choose: Callback<usize>,
) -> impl IntoView {
    let options = move || {
        let chosen = chosen.get();
        let all = names.get().into_iter().enumerate().map(|(n, name)| {
            view! { <option value=n.to_string() prop:selected={chosen == Some(n)}>{name}</option> }
        });
        all.collect_view()
    };
    let choose = move |event| {
        if let Ok(n) = event_target_value(&event).parse() {
            on_choose.run(n);
        }
    };
    view! {
        <label>
            {label}
            <select id=id on:change=choose>{options}</select>
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
    let all = vec![(false, "Weight".to_owned()), (true, "Value-weighted".to_owned())];
    view! { <Radios name legend="Shown" all chosen=is_carried on_choose /> }
}
