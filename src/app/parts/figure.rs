//! A figure on the page: its sentence, the drawing, the words, the table, the files.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::download::SaveFigure;
use super::words::Words;
use crate::app::browser;
use crate::app::echarts::Chart;
use crate::chart::Figure;

/// Charts of one group share their hover.
const GROUP: &str = "lens";

#[component]
pub fn FigureView(figures: Memo<Option<[Figure; 3]>>, index: usize) -> impl IntoView {
    let figure =
        Signal::derive(move || figures.with(|all| all.as_ref().map(|all| all[index].clone())));
    let title = move || figure.get().map(|f| view! { <Words text=f.title /> });
    let words = move || {
        figure.get().map(|f| {
            f.words
                .map(|text| view! { <p><Words text /></p> })
                .collect_view()
        })
    };
    view! {
        <figure class="figure" id=format!("figure-{}", ["votes", "spread", "running"][index])>
            <h3>{title}</h3>
            <div class="drawing"><Drawing figure /></div>
            <figcaption>
                {words}
                <SaveFigure figure />
            </figcaption>
            <Numbers figure />
        </figure>
    }
}

#[component]
fn Drawing(figure: Signal<Option<Figure>>) -> impl IntoView {
    let host = NodeRef::<html::Div>::new();
    let chart = StoredValue::new_local(None::<Chart>);
    let resizer = StoredValue::new_local(None::<Resizer>);
    let failed = RwSignal::new(false);
    Effect::new(move |_| {
        let (Some(element), Some(figure)) = (host.get(), figure.get()) else {
            return;
        };
        let still = browser::matches("(prefers-reduced-motion: reduce)");
        let drawn = chart.try_update_value(|chart| {
            if chart.is_none() {
                *chart = Some(Chart::on(&element, GROUP)?);
            }
            let Some(chart) = chart else { return Ok(()) };
            chart.resize();
            chart.draw(&figure.option, still)
        });
        failed.set(!matches!(drawn, Some(Ok(()))));
        if resizer.with_value(Option::is_none) {
            let again = move || {
                chart.with_value(|chart| {
                    if let Some(chart) = chart {
                        chart.resize();
                    }
                });
            };
            resizer.set_value(Resizer::on(&element, again).ok());
        }
    });
    on_cleanup(move || {
        resizer.try_set_value(None);
        chart.try_set_value(None);
    });
    view! {
        <div
            class="chart"
            node_ref=host
            style:height=move || figure.with(|f| f.as_ref().map(|f| format!("{}px", f.height)).unwrap_or_default())
        ></div>
        <Show when=move || failed.get()>
            <p class="problem">"The drawing library did not load: reload the page. The numbers are in the table below."</p>
        </Show>
    }
}

#[component]
fn Numbers(figure: Signal<Option<Figure>>) -> impl IntoView {
    let table = move || {
        figure.get().map(|f| {
            let label = format!("Table: {}", f.title);
            view! {
                <div class="scroll" tabindex="0" role="region" aria-label=label>
                    <table>
                        <caption>{f.title}</caption>
                        <thead>
                            <tr>{f.table.headers.into_iter().map(|h| view! { <th scope="col">{h}</th> }).collect_view()}</tr>
                        </thead>
                        <tbody>
                            {f.table
                                .rows
                                .into_iter()
                                .map(|row| {
                                    let mut cells = row.into_iter();
                                    let first = cells.next().map(|c| view! { <th scope="row">{c.shown()}</th> });
                                    let rest = cells.map(|c| view! { <td>{c.shown()}</td> }).collect_view();
                                    view! { <tr>{first} {rest}</tr> }
                                })
                                .collect_view()}
                        </tbody>
                    </table>
                </div>
            }
        })
    };
    view! {
        <details class="numbers">
            <summary>"The numbers as a table"</summary>
            {table}
        </details>
    }
}

/// Calls back when an element changes its size, as long as it lives.
struct Resizer {
    observer: web_sys::ResizeObserver,
    _changed: Closure<dyn FnMut()>,
}

impl Resizer {
    fn on(element: &web_sys::Element, changed: impl Fn() + 'static) -> Result<Self, JsValue> {
        let changed = Closure::<dyn FnMut()>::new(changed);
        let observer = web_sys::ResizeObserver::new(changed.as_ref().unchecked_ref())?;
        observer.observe(element);
        Ok(Self {
            observer,
            _changed: changed,
        })
    }
}

impl Drop for Resizer {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}
