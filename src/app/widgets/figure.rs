//! A figure on the page: its sentence, the drawing, the words, the table, the files.
//!
//! What stands first is our own drawing; ECharts takes its place when it has come, laid out the same.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::download::SaveFigure;
use super::words::Words;
use crate::app::browser;
use crate::app::echarts::{self, Chart, Library};
use crate::app::later::Later;
use crate::chart::plot::Room;
use crate::chart::{Figure, TableCell};

/// `key` is the figure's, and no other's in the view; charts of one `group` share their hover. `source` is written under a
/// saved drawing's title, and `on_plan` hears of the point that was chosen, `on_pick` of the cell or point
/// of a figure that has such.
#[component]
pub fn FigureView(
    #[prop(into)] figure: Signal<Option<Figure>>,
    #[prop(into)] key: String,
    #[prop(into)] group: String,
    #[prop(into)] source: Signal<String>,
    #[prop(optional, into)] on_plan: Option<Callback<String>>,
    #[prop(optional, into)] on_pick: Option<Callback<String>>,
    /// The point of the first series that is shown as if it were pointed at.
    #[prop(optional, into)]
    point: Option<Signal<Option<usize>>>,
    /// Words stand in its cells: it takes the whole width, and scrolls where that is too little.
    #[prop(optional)]
    wide: bool,
) -> impl IntoView {
    // Laid out for the width it has.
    let width = RwSignal::new(0);
    let figure: Signal<Option<Figure>> = Memo::new(move |_| {
        let (figure, width) = (figure.get()?, width.get());
        Some(if width > 0 {
            figure.laid_out(Room::of(width))
        } else {
            figure
        })
    })
    .into();
    let title =
        move || figure.with(|f| f.as_ref().map(|f| view! { <Words text=f.title.clone() /> }));
    let words = move || {
        figure.with(|f| {
            let words = f.as_ref()?.words.clone();
            let full = words.into_iter().filter(|text| !text.is_empty());
            Some(
                full.map(|text| view! { <p><Words text /></p> })
                    .collect_view(),
            )
        })
    };
    view! {
        <figure class="figure" class:wide=wide id=format!("figure-{key}")>
            <h3>{title}</h3>
            <div
                class="drawing"
                tabindex=wide.then_some("0")
                role=wide.then_some("region")
                aria-label=wide.then_some("The picture; it scrolls sideways where it is wider than the window")
            ><Drawing figure group on_plan on_pick point width /></div>
            <figcaption>
                {words}
                <SaveFigure figure source />
            </figcaption>
            <Numbers figure on_plan />
        </figure>
    }
}

#[component]
fn Drawing(
    figure: Signal<Option<Figure>>,
    group: String,
    on_plan: Option<Callback<String>>,
    on_pick: Option<Callback<String>>,
    point: Option<Signal<Option<usize>>>,
    width: RwSignal<u32>,
) -> impl IntoView {
    let host = NodeRef::<html::Div>::new();
    let chart = StoredValue::new_local(None::<Chart>);
    let resizer = StoredValue::new_local(None::<Resizer>);
    let failed = RwSignal::new(false);
    let maps = RwSignal::new(false);
    let (library, later) = (expect_context::<Library>(), expect_context::<Later>());
    Effect::new(move |_| {
        let (Some(element), Some(figure)) = (host.get(), figure.get()) else {
            return;
        };
        if resizer.with_value(Option::is_none) {
            let measured = {
                let element = element.clone();
                move || {
                    // In steps, so that a window being dragged is not laid out anew at every pixel.
                    let now = width_of(&element) / 20 * 20;
                    if width.try_get_untracked() != Some(now) {
                        width.try_set(now);
                    }
                }
            };
            measured();
            let again = move || {
                measured();
                chart.with_value(|chart| {
                    if let Some(chart) = chart {
                        chart.resize();
                    }
                });
            };
            resizer.set_value(Resizer::on(&element, again).ok());
        }
        // What ECharts is told is put together by the program's second file.
        let both = [library.is_there(), later.is_there()];
        let is_there = both == [true; 2];
        if is_there && echarts::needs_maps(&figure) && !maps.get() {
            leptos::task::spawn_local(async move {
                match echarts::load_maps().await {
                    Ok(()) => maps.try_set(true),
                    Err(_) => failed.try_set(true),
                };
            });
        }
        if !is_there || (echarts::needs_maps(&figure) && !maps.get()) {
            // Our own drawing stands first.
            if chart.with_value(Option::is_none) {
                element.set_inner_html(&figure.drawing(width_of(&element).max(240)));
            }
            library.fetch_soon();
            return;
        }
        let still = browser::matches("(prefers-reduced-motion: reduce)");
        let drawn = chart.try_update_value(|chart| {
            if chart.is_none() {
                element.set_text_content(None);
                let mut new = Chart::on(&element, &group)?;
                if let Some(on_plan) = on_plan {
                    new.on_plan(move |plan| on_plan.run(plan));
                }
                if let Some(on_pick) = on_pick {
                    new.on_pick(move |pick| on_pick.run(pick));
                }
                *chart = Some(new);
            }
            let Some(chart) = chart else { return Ok(()) };
            chart.resize();
            chart.draw(&figure.option(), still)
        });
        failed.set(!matches!(drawn, Some(Ok(()))));
        if let Some(point) = point.and_then(|point| point.get_untracked()) {
            chart.with_value(|chart| {
                if let Some(chart) = chart {
                    chart.point_at(point);
                }
            });
        }
    });
    Effect::new(move |_| {
        if let Some(point) = point.and_then(|point| point.get()) {
            chart.with_value(|chart| {
                if let Some(chart) = chart {
                    chart.point_at(point);
                }
            });
        }
    });
    on_cleanup(move || {
        resizer.try_set_value(None);
        chart.try_set_value(None);
    });
    // On our own drawing; ECharts says itself what was clicked on.
    let clicked = move |event: web_sys::MouseEvent| {
        let target = event
            .target()
            .and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let mark = target.and_then(|target| target.closest("[data-pick]").ok().flatten());
        let pick = mark.and_then(|mark| mark.get_attribute("data-pick"));
        if let (Some(on_pick), Some(pick)) = (on_pick, pick) {
            on_pick.run(pick);
        }
    };
    view! {
        <div
            class="chart"
            class:pickable=on_pick.is_some()
            node_ref=host
            on:click=clicked
            on:pointerenter=move |_| library.fetch()
            style:height=move || figure.with(|f| f.as_ref().map(|f| format!("{}px", f.height())).unwrap_or_default())
        ></div>
        <Show when=move || failed.get() || library.has_failed()>
            <p class="problem">"What answers pointing at the picture did not load: reload the page. The numbers are in the table below."</p>
        </Show>
    }
}

#[component]
fn Numbers(figure: Signal<Option<Figure>>, on_plan: Option<Callback<String>>) -> impl IntoView {
    // Long tables are made when someone looks.
    let open = RwSignal::new(false);
    let table = move || {
        figure
            .get()
            .filter(|_| open.get())
            .map(|f| view_table(f, on_plan))
    };
    let toggled = move |event: leptos::ev::Event| {
        let details: web_sys::HtmlElement = event_target(&event);
        open.set(details.has_attribute("open"));
    };
    view! {
        <details class="numbers" on:toggle=toggled>
            <summary>"The numbers as a table"</summary>
            {table}
        </details>
    }
}

fn view_table(figure: Figure, on_plan: Option<Callback<String>>) -> AnyView {
    let label = format!("Table: {}", figure.title);
    let cell = move |cell: TableCell| match (cell, on_plan) {
        (TableCell::Plan(plan), Some(on_plan)) => {
            let named = plan.clone();
            let label = format!("Make {plan} your order");
            view! {
                <button type="button" class="plan-link" aria-label=label on:click=move |_| on_plan.run(plan.clone())>
                    {named}
                </button>
            }
            .into_any()
        }
        (cell, _) => cell.shown().into_any(),
    };
    let headers = figure.table.headers.into_iter();
    let rows = figure.table.rows.into_iter().map(|row| {
        let mut cells = row.into_iter();
        let first = cells
            .next()
            .map(|c| view! { <th scope="row">{cell(c)}</th> });
        let rest = cells.map(|c| view! { <td>{cell(c)}</td> }).collect_view();
        view! { <tr>{first} {rest}</tr> }
    });
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label=label>
            <table>
                <caption>{figure.title}</caption>
                <thead>
                    <tr>{headers.map(|h| view! { <th scope="col">{h}</th> }).collect_view()}</tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// In CSS pixels.
fn width_of(element: &web_sys::Element) -> u32 {
    u32::try_from(element.client_width()).unwrap_or(0)
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
