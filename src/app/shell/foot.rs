//! The page's last lines: what holds everywhere on it.

use leptos::prelude::*;

#[component]
pub fn Foot() -> impl IntoView {
    view! {
        <footer>
            <p>
                "Every number is computed in this browser, by the model named above or from the reports that are open. Nothing you \
                 type or open leaves this machine. Bias, diversity and the identity are those of Krogh and Vedelsby (1994), applied \
                 to layers as in " <cite>"Diversity of Transformer Layers"</cite> ". Plans follow "
                <cite>"Transformer Layers as Painters"</cite>
                ". Where a printed formula does not add up, the page shows it beside the one that does. For whole data sets and \
                 your own models, " <code>"atelier survey"</code> " writes the reports that Survey opens."
            </p>
        </footer>
    }
}
