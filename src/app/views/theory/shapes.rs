//! The shapes that theorems 7 and 8 promise, drawn from a formula.

use leptos::prelude::*;

use crate::app::shell::Themes;
use crate::app::state::Surveys;
use crate::app::widgets::{FigureView, Picture, Terms};
use crate::chart::{shape_steps, shapes_figure};

#[component]
pub fn Shapes() -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let themes = expect_context::<Themes>();
    let drawn = Memo::new(move |_| Some(shapes_figure(themes.theme.get(), surveys.room.get())));
    let source = Signal::derive(|| "atelier, drawn from a formula: from no report".to_owned());
    let picture = Picture { key: "fig-2-shapes".to_owned(), figure: drawn.into(), source };
    // The survey's numbers stand outside the figure, which a reader may save, with their own source.
    let steps = move || {
        let text = surveys.shown.with(|survey| Some(shape_steps(survey.as_ref()?)))?;
        Some(view! { <p class="caveat"><Terms text />" ("{surveys.source()}")"</p> })
    };
    view! {
        <section class="theorem" aria-labelledby="shapes-title">
            <h2 id="shapes-title">"Drawn shapes of theorems 7 and 8"</h2>
            <FigureView picture />
            {steps}
        </section>
    }
}
