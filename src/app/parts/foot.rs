//! The page's last lines: what holds everywhere on it.

use leptos::prelude::*;

#[component]
pub fn Foot() -> impl IntoView {
    view! {
        <footer>
            <p>
                "Every number is computed by the model named above, in this browser; nothing you type or open leaves this machine. "
                "Bias, diversity and the identity are those of Krogh and Vedelsby (1994), applied to layers as in "
                <cite>"Diversity of Transformer Layers"</cite> "; painters, after " <cite>"Transformer Layers as Painters"</cite> "."
            </p>
        </footer>
    }
}
