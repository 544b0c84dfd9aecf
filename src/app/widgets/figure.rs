//! A figure on the page: its sentence, the drawing, the words, the menu, the table; folded under its sentence,
//! where it is not the first of those that answer a question.
//!
//! Our own drawing stands first; ECharts takes its place when it has come, laid out the same.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::download::FigureMenu;
use super::figure_table::view_table;
use super::member_links::MemberWays;
use super::pictures::Picture;
use super::term::Terms;
use super::words::Words;
use crate::app::browser;
use crate::app::echarts::{self, Chart, Library};
use crate::app::embedding::Embedding;
use crate::app::link::Draft;
use crate::app::state::Address;
use crate::chart::plot::Room;
use crate::chart::{Figure, MEMBER_PICK};

/// `on_plan` hears of the point that was chosen, `on_pick` of the cell or point of a figure that has such. Marks and rows
/// of members lead to the members' own rows.
#[component]
pub fn FigureView(
    picture: Picture,
    /// Charts of one group share their hover; a picture is a group of its own where none is named.
    #[prop(optional)]
    group: Option<&'static str>,
    #[prop(optional, into)] on_plan: Option<Callback<String>>,
    #[prop(optional, into)] on_pick: Option<Callback<String>>,
    /// Takes the name of a member whose mark was chosen; where it is missing, the member's own row opens.
    #[prop(optional)]
    on_member: Option<Callback<String>>,
    /// The point of the first series that is shown as if it were pointed at.
    #[prop(optional, into)]
    point: Option<Signal<Option<usize>>>,
    /// The run that it is of, where that is not the reader's own: its members' rows are looked at in it.
    #[prop(optional)]
    draft: Option<Signal<Option<Draft>>>,
    /// No other page can show it by itself, and no link leads to it.
    #[prop(optional)]
    unframed: bool,
    /// Only its sentence stands there until somebody opens it.
    #[prop(optional)]
    folded: bool,
    /// Words stand in its cells: it takes the whole width, and scrolls where that is too little.
    #[prop(optional)]
    wide: bool,
    /// Where it scrolls, its right end is seen first.
    #[prop(optional)]
    from_end: bool,
    /// Controls of this figure alone.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let Picture { key, figure, source } = picture;
    let group = group.map_or(key.clone(), str::to_owned);
    // A mark of a member leads to its own row, whatever else the figure's marks do.
    let address = expect_context::<Address>();
    let ways = MemberWays { address, draft };
    let leads = Memo::new(move |_| {
        figure.with(|figure| figure.as_ref().is_some_and(|f| f.table.names_members()))
    });
    let is_pickable = Signal::derive(move || on_pick.is_some() || leads.get());
    let on_pick = Callback::new(move |pick: String| {
        if let Some(member) = pick.strip_prefix(MEMBER_PICK) {
            if let Some(on_member) = on_member {
                return on_member.run(member.to_owned());
            }
            browser::go(&untrack(|| ways.to(member)));
        } else if let Some(on_pick) = on_pick {
            on_pick.run(pick);
        }
    });
    // Laid out for the width it has.
    let width = RwSignal::new(0);
    let figure: Signal<Option<Figure>> = Memo::new(move |_| {
        let (figure, width) = (figure.get()?, width.get());
        Some(if width > 0 { figure.laid_out(Room::of(width)) } else { figure })
    })
    .into();
    let title =
        move || figure.with(|f| f.as_ref().map(|f| view! { <Words text=f.title.clone() /> }));
    // In another page's frame it may be the only one, and gives the frame its title.
    let embedding = use_context::<Embedding>();
    let is_chosen = embedding.as_ref().is_some_and(|embedding| embedding.shows(&key));
    let is_alone = is_chosen && embedding.is_some_and(|embedding| embedding.figure.is_some());
    let is_folded = folded && !is_alone;
    let words = move || {
        figure.with(|f| {
            let words = f.as_ref()?.words.clone();
            let full = words.into_iter().filter(|text| !text.is_empty());
            Some(full.map(|text| view! { <p><Terms text aside=is_folded /></p> }).collect_view())
        })
    };
    Effect::new(move |_| {
        if is_chosen && let Some(title) = figure.with(|f| f.as_ref().map(|f| f.title.clone())) {
            document().set_title(&title);
        }
    });
    let frame = NodeRef::<html::Div>::new();
    if from_end {
        frame.on_load(|frame| {
            request_animation_frame(move || frame.set_scroll_left(frame.scroll_width()));
        });
    }
    // A folded one is drawn when it is first opened.
    let folds = address.folds;
    let is_open = {
        let key = key.clone();
        Memo::new(move |_| !is_folded || folds.is_open(&key))
    };
    let is_drawn = Memo::new(move |was: Option<&bool>| was == Some(&true) || is_open.get());

    // Where a link leads to it.
    let id = format!("figure-{key}");
    {
        let (id, key) = (id.clone(), key.clone());
        Effect::new(move |_| {
            if folds.is_aimed_at(&key) && figure.with(Option::is_some) {
                folds.arrive();
                browser::show_soon(id.clone());
            }
        });
    }

    let drawing = move || {
        is_drawn.get().then(|| {
            let group = group.clone();
            view! { <Drawing figure group on_plan on_pick is_pickable point width /> }
        })
    };
    let menu = view! { <FigureMenu figure key=key.clone() source unframed /> };
    let body = view! {
        {children.map(|children| children())}
        {wide.then(|| view! { <p class="hint scrolls">"This picture is wider than the screen: swipe it sideways."</p> })}
        <div
            class="drawing"
            node_ref=frame
            tabindex=wide.then_some("0")
            role=wide.then_some("region")
            aria-label=wide.then_some("The picture; it scrolls sideways where it is wider than the window")
        >{drawing}</div>
        <figcaption>{words} {menu}</figcaption>
        <Numbers figure on_plan ways />
    };
    let whole = match is_folded {
        false => view! { <h3>{title}</h3> {body} }.into_any(),
        true => {
            let turned = move |event: leptos::ev::Event| {
                let fold: web_sys::HtmlElement = event_target(&event);
                folds.turned(&key, fold.has_attribute("open"));
            };
            view! {
                <details class="fold" prop:open=move || is_open.get() on:toggle=turned>
                    <summary><h3>{title}</h3></summary>
                    <div class="unfolded">{body}</div>
                </details>
            }
            .into_any()
        }
    };
    view! { <figure class="figure" class:folded=is_folded class:wide=wide class:chosen=is_chosen id=id>{whole}</figure> }
}

#[component]
fn Drawing(
    figure: Signal<Option<Figure>>,
    group: String,
    on_plan: Option<Callback<String>>,
    on_pick: Callback<String>,
    is_pickable: Signal<bool>,
    point: Option<Signal<Option<usize>>>,
    width: RwSignal<u32>,
) -> impl IntoView {
    let host = NodeRef::<html::Div>::new();
    let chart = StoredValue::new_local(None::<Chart>);
    let resizer = StoredValue::new_local(None::<Resizer>);
    let failed = RwSignal::new(false);
    let maps = RwSignal::new(false);
    let library = expect_context::<Library>();
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
        let is_there = library.is_there();
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
                new.on_pick(move |pick| on_pick.run(pick));
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
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let mark = target.and_then(|target| target.closest("[data-pick]").ok().flatten());
        let pick = mark.and_then(|mark| mark.get_attribute("data-pick"));
        if let Some(pick) = pick {
            on_pick.run(pick);
        }
    };
    let height = move || {
        figure.with(|f| f.as_ref().map(|f| format!("{}px", f.height())).unwrap_or_default())
    };
    view! {
        <div
            class="chart"
            class:pickable=move || is_pickable.get()
            node_ref=host
            on:click=clicked
            on:pointerenter=move |_| library.fetch()
            style=("--height", height)
        ></div>
        <Show when=move || failed.get() || library.has_failed()>
            <p class="problem">"What answers pointing at the picture did not load: reload the page. The numbers are in the table below."</p>
        </Show>
    }
}

#[component]
fn Numbers(
    figure: Signal<Option<Figure>>,
    on_plan: Option<Callback<String>>,
    ways: MemberWays,
) -> impl IntoView {
    // Long tables are made when someone looks.
    let open = RwSignal::new(false);
    let table = move || figure.get().filter(|_| open.get()).map(|f| view_table(f, on_plan, ways));
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
        Ok(Self { observer, _changed: changed })
    }
}

impl Drop for Resizer {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}
