//! The lens's first picture: the net votes of all components. A bar opens its component.

use leptos::prelude::*;

use crate::app::browser;
use crate::app::state::{Address, Studio};
use crate::app::widgets::{FigureView, Picture};
use crate::chart::{largest_vote, number, stroke_name, stroke_votes};
use crate::engine::member_names;
use crate::study::report::Lens;

/// Windows and hands for which single bars are too narrow.
const NARROW: &str = "(max-width: 40rem), (pointer: coarse)";

#[component]
pub fn Votes(picture: Picture) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let address = expect_context::<Address>();
    let components = Memo::new(move |_| studio.with_run(components));
    // A bar that a finger cannot hit is chosen in the list before it is opened.
    let choose = Callback::new(move |member: String| {
        if !browser::matches(NARROW) {
            return browser::go(&untrack(|| address.member(&member)));
        }
        let index = components.with_untracked(|all| {
            all.as_ref()?.iter().position(|component| component.member == member)
        });
        studio.member.set(index);
    });
    // The component that was chosen belongs to its run's components.
    Effect::new(move |before: Option<Vec<String>>| {
        let members = components.with(|all| {
            let all = all.as_deref().unwrap_or_default();
            all.iter().map(|component| component.member.clone()).collect::<Vec<_>>()
        });
        if before.is_some_and(|before| before != members) {
            studio.member.set(None);
        }
        members
    });
    view! {
        <section class="votes along" aria-labelledby="votes-title">
            <h2 id="votes-title" class="unseen">"What every component adds"</h2>
            <FigureView picture group="lens" point=studio.member on_member=choose>
                <Show when=move || components.with(Option::is_some)>
                    <Chooser components />
                </Show>
            </FigureView>
        </section>
    }
}

/// A component in the list.
#[derive(Clone, Debug, PartialEq)]
struct ListedComponent {
    /// `block 23's attention`.
    name: String,
    /// Its name in addresses and plans: `23a`.
    member: String,
    vote: f64,
}

/// Returns the components as they ran.
fn components(lens: &Lens) -> Vec<ListedComponent> {
    let members = member_names(&lens.members).into_iter().zip(stroke_votes(lens)).enumerate();
    members
        .map(|(i, (member, vote))| ListedComponent { name: stroke_name(lens, i), member, vote })
        .collect()
}

/// The components as a list, and a link to the chosen one; at first the one with the largest vote.
#[component]
fn Chooser(components: Memo<Option<Vec<ListedComponent>>>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let address = expect_context::<Address>();
    let chosen = Memo::new(move |_| {
        components.with(|all| {
            let all = all.as_deref().unwrap_or_default();
            let votes: Vec<f64> = all.iter().map(|component| component.vote).collect();
            let member = studio.member.get().filter(|&member| member < all.len());
            member.unwrap_or_else(|| largest_vote(&votes))
        })
    });
    let option = move |(n, component): (usize, ListedComponent)| {
        let text = format!("{}: {}", component.name, number::signed(component.vote));
        let is_chosen = move || chosen.get() == n;
        // The attribute stands in the page as it is sent, the property follows a click on a bar.
        view! { <option value=n.to_string() selected=is_chosen prop:selected=is_chosen>{text}</option> }
    };
    let options = move || {
        let all = components.get().unwrap_or_default().into_iter().enumerate();
        all.map(option).collect_view()
    };
    let link = move || {
        let chosen = components.with(|all| all.as_ref()?.get(chosen.get()).cloned())?;
        let href = move || address.member(&chosen.member);
        Some(view! { <a id="open-component" href=href>"Open " {chosen.name}</a> })
    };
    let change = move |event| studio.member.set(event_target_value(&event).parse().ok());
    view! {
        <p class="component">
            <label>
                "Click a bar, or choose a component: "
                <select id="component" on:change=change>{options}</select>
            </label>
            {link}
        </p>
    }
}
