//! A figure's drawing on the page: it shows its words where it is pointed at, and answers a click.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::chart::Figure;
use crate::chart::plot::{Pointed, Room};

/// The least width that a drawing is laid out for, in CSS pixels.
const NARROWEST: u32 = 240;

/// The part of the page's drawings that is pointed at.
#[derive(Clone, Debug, PartialEq)]
enum Spot {
    /// A column of the x-axis, in every drawing of a group.
    Column { group: String, column: usize },
    /// A pixel of one drawing, in CSS pixels.
    Pixel { key: String, pixel: [f64; 2] },
}

/// Pointing at drawings: one spot of the page, for all of them.
#[derive(Clone, Copy)]
pub struct Pointing(RwSignal<Option<Spot>>);

impl Pointing {
    /// Nothing is pointed at yet. Escape, and pressing elsewhere than on a drawing, forget what was.
    pub fn start() -> Self {
        let pointing = Self(RwSignal::new(None));
        let _ = window_event_listener(leptos::ev::pointerdown, move |event| {
            let target = event.target().and_then(|it| it.dyn_into::<web_sys::Element>().ok());
            let chart = target.and_then(|target| target.closest(".chart").ok().flatten());
            if chart.is_none() {
                pointing.set(None);
            }
        });
        let _ = window_event_listener(leptos::ev::keydown, move |event| {
            if event.key() == "Escape" {
                pointing.set(None);
            }
        });
        pointing
    }

    fn set(self, spot: Option<Spot>) {
        if self.0.with_untracked(|now| *now != spot) {
            self.0.set(spot);
        }
    }

    /// Forgets a spot of the drawing with these names.
    fn forget(self, group: &str, key: &str) {
        let is_there = self.0.with_untracked(|spot| match spot {
            Some(Spot::Column { group: own, .. }) => own == group,
            Some(Spot::Pixel { key: own, .. }) => own == key,
            None => false,
        });
        if is_there {
            self.0.set(None);
        }
    }

    /// Returns the words of a figure's drawing at the spot.
    fn in_drawing(self, figure: &Figure, group: &str, key: &str) -> Option<Pointed> {
        self.0.with(|spot| match spot.as_ref()? {
            Spot::Column { group: own, column } if own == group => figure.pointed_column(*column),
            Spot::Pixel { key: own, pixel } if own == key => figure.pointed(*pixel),
            _ => None,
        })
    }
}

/// `key` is no other drawing's in the view, and those of one `group` answer for their columns together. `width` is
/// where the drawing writes how wide it is, in CSS pixels; `on_plan` and `on_pick` hear of the plan and of the choice
/// at the place that is clicked on; `point` is the column that is shown where nothing is pointed at.
#[component]
pub fn Drawing(
    figure: Signal<Option<Figure>>,
    key: String,
    group: String,
    on_plan: Option<Callback<String>>,
    on_pick: Callback<String>,
    is_pickable: Signal<bool>,
    point: Option<Signal<Option<usize>>>,
    width: RwSignal<u32>,
) -> impl IntoView {
    let [host, canvas] = [(); 2].map(|()| NodeRef::<html::Div>::new());
    let resizer = StoredValue::new_local(None::<Resizer>);

    // Draws the figure, for the width that it has.
    Effect::new(move |drawn_for: Option<Option<Room>>| {
        let (element, figure) = (canvas.get()?, figure.get()?);
        if resizer.with_value(Option::is_none) {
            let measure = {
                let element = element.clone();
                move || {
                    // Nobody sees one without a width: in a closed fold, or in another page's frame.
                    let seen = u32::try_from(element.client_width()).unwrap_or(0);
                    let now = seen.max(NARROWEST);
                    if seen > 0 && width.try_get_untracked() != Some(now) {
                        width.try_set(now);
                    }
                }
            };
            measure();
            resizer.set_value(Resizer::on(&element, measure).ok());
        }
        let drawing = figure.drawing(width.get_untracked().max(NARROWEST));
        // A drawing for another width is another drawing: nothing in it moved.
        match drawn_for == Some(Some(figure.room)) {
            true => change(&element, &drawing),
            false => element.set_inner_html(&drawing),
        }
        Some(figure.room)
    });

    // Finds the words to show: of the spot that is pointed at, or else of the chosen column.
    let pointing = expect_context::<Pointing>();
    let names = StoredValue::new((group, key));
    let pointed = Memo::new(move |_| {
        figure.with(|figure| {
            let figure = figure.as_ref()?;
            let spot = names.with_value(|(group, key)| pointing.in_drawing(figure, group, key));
            spot.or_else(|| figure.pointed_column(point?.get()?))
        })
    });

    // Hears the pointer.
    let found = move |event: &web_sys::MouseEvent| {
        let pixel = pixel_in(&*host.get_untracked()?, event);
        let pointed = figure.with_untracked(|figure| figure.as_ref()?.pointed(pixel))?;
        Some((pixel, pointed))
    };
    let moved = move |event: leptos::ev::PointerEvent| {
        let spot = found(&event).map(|(pixel, pointed)| {
            let (group, key) = names.get_value();
            match pointed.column {
                Some(column) => Spot::Column { group, column },
                None => Spot::Pixel { key, pixel },
            }
        });
        pointing.set(spot);
    };
    let left = move |event: leptos::ev::PointerEvent| {
        // A finger leaves when it is lifted: what it pointed at stays to be read, until it points elsewhere.
        if event.pointer_type() != "touch" {
            pointing.set(None);
        }
    };
    on_cleanup(move || {
        // Another view may draw a figure of this name.
        names.try_with_value(|(group, key)| pointing.forget(group, key));
        resizer.try_set_value(None);
    });
    let clicked = move |event: leptos::ev::MouseEvent| {
        let Some((_, pointed)) = found(&event) else { return };
        if let (Some(on_plan), Some(plan)) = (on_plan, pointed.plan) {
            on_plan.run(plan);
        }
        if let Some(pick) = pointed.pick {
            on_pick.run(pick);
        }
    };

    // Shows what was found, and whether a click would do something.
    let answers_click = move || {
        pointed.with(|pointed| {
            pointed.as_ref().is_some_and(|pointed| {
                (pointed.pick.is_some() && is_pickable.get())
                    || (pointed.plan.is_some() && on_plan.is_some())
            })
        })
    };
    let height = move || {
        figure.with(|f| f.as_ref().map(|f| format!("{}px", f.height())).unwrap_or_default())
    };
    let marked = move || {
        let height = figure.with(|figure| figure.as_ref().map_or(0, Figure::height));
        let size = [width.get(), height].map(f64::from);
        pointed.get().map(|pointed| view! { <Marked pointed size /> })
    };
    view! {
        <div
            class="chart"
            class:pickable=answers_click
            node_ref=host
            on:pointermove=moved
            on:pointerdown=moved
            on:pointerleave=left
            on:pointercancel=move |_| pointing.set(None)
            on:click=clicked
            style=("--height", height)
        >
            <div class="canvas" node_ref=canvas></div>
            {marked}
        </div>
    }
}

/// Boxes around the marks that are pointed at, and their words; a screen reader has the same in the table. `size` is
/// the drawing's width and height in CSS pixels.
#[component]
fn Marked(pointed: Pointed, size: [f64; 2]) -> impl IntoView {
    let Pointed { words, boxes, column, .. } = pointed;
    let is_column = column.is_some();
    let tip = boxes.first().filter(|_| !words.is_empty()).map(|&[left, top, wide, high]| {
        // The words stand on the side with more room, or over the middle of a box that leaves none.
        let [width, height] = size;
        let is_wide = wide > 0.4 * width;
        let [left, wide] = if is_wide { [left + 0.5 * wide, 0.0] } else { [left, wide] };
        let is_before = left + 0.5 * wide > 0.5 * width;
        let x = if is_before { width - left } else { left + wide };

        // Those of a low mark end at its foot.
        let is_above = !is_column && top + 0.5 * high > 0.5 * height;
        let y = if is_above { top + high } else { top };
        view! {
            <p
                class="tip"
                class:before=is_before
                class:above=is_above
                style=("--x", pixels(x))
                style=("--y", pixels(y))
                style=("--room", pixels(width - x))
            >
                {words}
            </p>
        }
    });
    let boxes = boxes.into_iter().map(|sides| {
        let [left, top, wide, high] = sides.map(pixels);
        view! {
            <div
                class="pointed"
                class:column=is_column
                style=("--x", left)
                style=("--y", top)
                style=("--w", wide)
                style=("--h", high)
            ></div>
        }
    });
    view! { <div aria-hidden="true">{boxes.collect_view()} {tip}</div> }
}

fn pixels(length: f64) -> String {
    format!("{length:.1}px")
}

/// Returns where an event happened, in CSS pixels of the element, which may be shown enlarged.
fn pixel_in(element: &web_sys::Element, event: &web_sys::MouseEvent) -> [f64; 2] {
    let shown = element.get_bounding_client_rect();
    let enlarged = shown.width() / f64::from(element.client_width().max(1));
    let from =
        [f64::from(event.client_x()) - shown.left(), f64::from(event.client_y()) - shown.top()];
    from.map(|length| length / enlarged)
}

/// Puts a drawing in the place of another. Where it has the same parts, they keep their elements, and style sheets
/// show how they move.
fn change(canvas: &web_sys::Element, drawing: &str) {
    let Ok(next) = document().create_element("div") else { return };
    next.set_inner_html(drawing);
    let [old, new] = [canvas, &next].map(parts);
    let is_alike = old.len() == new.len()
        && old.iter().zip(&new).all(|(old, new)| {
            old.tag_name() == new.tag_name() && attribute_names(old) == attribute_names(new)
        });
    if !is_alike {
        canvas.set_inner_html(drawing);
        return;
    }
    for (old, new) in old.iter().zip(&new) {
        for name in attribute_names(new) {
            let value = new.get_attribute(&name);
            if old.get_attribute(&name) != value {
                // Only a name that is none can fail, and these are a drawing's own.
                let _ = old.set_attribute(&name, &value.unwrap_or_default());
            }
        }
        if new.child_element_count() == 0 && old.text_content() != new.text_content() {
            old.set_text_content(new.text_content().as_deref());
        }
    }
}

/// The elements of a drawing, in the order in which they stand.
fn parts(canvas: &web_sys::Element) -> Vec<web_sys::Element> {
    let all = canvas.get_elements_by_tag_name("*");
    (0..all.length()).filter_map(|i| all.item(i)).collect()
}

fn attribute_names(element: &web_sys::Element) -> Vec<String> {
    element.get_attribute_names().iter().filter_map(|name| name.as_string()).collect()
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
