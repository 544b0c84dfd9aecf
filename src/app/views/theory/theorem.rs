//! One theorem: its claim, its control, its picture, its caveat.

use leptos::prelude::*;

use crate::app::shell::Themes;
use crate::app::state::Surveys;
use crate::app::widgets::{FigureView, Picture, Terms};
use crate::chart::number::percent;
use crate::chart::{Control, Figure, Theorem, at_start, theorem_figure};

#[component]
pub fn Card(theorem: &'static Theorem) -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let themes = expect_context::<Themes>();
    let place = theorem.number - 1;
    let setting = Memo::new(move |_| {
        let knob = surveys.looking.with(|looking| looking.knobs[place]);
        knob.unwrap_or_else(|| at_start(&theorem.control))
    });
    let set = Callback::new(move |value: f64| {
        let value = (value != at_start(&theorem.control)).then_some(value);
        surveys.looking.update(|looking| looking.knobs[place] = value);
    });
    let drawn = Memo::new(move |_| {
        let (survey, model, task) = (surveys.shown.get()?, surveys.model()?, surveys.task()?);
        let (theme, room) = (themes.theme.get(), surveys.room.get());
        Some(theorem_figure(theorem.number, &survey, [model, task], setting.get(), theme, room))
    });
    let figure: Signal<Option<Figure>> = Signal::derive(move || drawn.get()?.ok());
    let refused = move || drawn.get()?.err();
    let source = Signal::derive(move || match theorem.is_made_up(setting.get()) {
        true => "atelier, made up: from no report".to_owned(),
        false => surveys.source(),
    });
    let key = StoredValue::new(format!("theorem-{}", theorem.number));
    let picture = move || Picture { key: key.get_value(), figure, source };
    let title = format!("{}-title", key.get_value());
    let labelled = title.clone();
    view! {
        <section class="theorem" aria-labelledby=labelled>
            <h2 id=title>{format!("Theorem {}: {}", theorem.number, theorem.name)}</h2>
            <p class="claim"><Terms text=theorem.claim /></p>
            <Knob control=theorem.control key=key.get_value() setting set />
            <Show when=move || figure.with(Option::is_some)>
                <FigureView picture=picture() />
            </Show>
            {move || refused().map(|why| view! { <p class="problem">{why}</p> })}
            <p class="caveat"><Terms text=theorem.caveat /></p>
        </section>
    }
}

#[component]
fn Knob(control: Control, key: String, setting: Memo<f64>, set: Callback<f64>) -> impl IntoView {
    let id = format!("{key}-control");
    let turn = move |event| {
        if let Ok(value) = event_target_value(&event).parse::<f64>() {
            set.run(value);
        }
    };
    match control {
        Control::Choice { label, choices } => {
            let option = |(i, name): (usize, &&'static str)| {
                view! { <option value=i.to_string() selected=move || setting.get() == i as f64>{*name}</option> }
            };
            view! {
                <p class="knob">
                    <label for=id.clone()>{label}</label>
                    <select id=id on:change=turn>{choices.iter().enumerate().map(option).collect_view()}</select>
                </p>
            }
            .into_any()
        }
        Control::Share { label, .. } => view! {
            <p class="knob">
                <label for=id.clone()>{label}</label>
                <input type="range" id=id.clone() min="0" max="1" step="0.05" prop:value=move || setting.get().to_string() on:input=turn />
                <output for=id>{move || percent(setting.get())}</output>
            </p>
        }
        .into_any(),
    }
}
