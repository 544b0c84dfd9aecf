//! The page's last lines: what holds everywhere on it.

use leptos::prelude::*;

#[component]
pub fn Foot() -> impl IntoView {
    view! {
        <footer>
            <p>
                "Reports are read in this browser; nothing you open leaves this machine. Make your own with "
                <code>"atelier survey"</code> ". Theorems and figures after " <cite>"Diversity of Transformer Layers"</cite>
                "; what is printed there and does not add up is shown beside what does."
            </p>
        </footer>
    }
}
