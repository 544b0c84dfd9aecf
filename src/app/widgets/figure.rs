//! A figure on the page: its sentence, the drawing, the words, the menu, the table; folded under its sentence,
//! where it is not the first of those that answer a question.

use leptos::html;
use leptos::prelude::*;

use super::download::FigureMenu;
use super::drawing::Drawing;
use super::figure_table::view_table;
use super::member_links::MemberWays;
use super::pictures::Picture;
use super::term::Terms;
use super::words::Words;
use crate::app::browser;
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
    /// The column that is shown where nothing is pointed at.
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
    // The drawing is laid out for the width it has.
    let width = RwSignal::new(0);
    let laid_out = Memo::new(move |_| {
        let (figure, width) = (figure.get()?, width.get());
        Some(if width > 0 { figure.laid_out(Room::of(width)) } else { figure })
    });
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

    let drawing = {
        let key = key.clone();
        move || {
            is_drawn.get().then(|| {
                let (key, group) = (key.clone(), group.clone());
                view! { <Drawing figure=laid_out.into() key group on_plan on_pick is_pickable point width /> }
            })
        }
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
