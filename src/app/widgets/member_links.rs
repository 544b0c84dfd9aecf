//! The ways from a picture to the own rows of the members in it.

use leptos::prelude::*;

use crate::app::link::{Draft, Link};
use crate::app::state::Address;

/// Where a picture's members lead.
#[derive(Clone, Copy)]
pub(super) struct MemberWays {
    pub address: Address,
    /// The run that the picture is of, where that is not the reader's own.
    pub draft: Option<Signal<Option<Draft>>>,
}

impl MemberWays {
    /// To the own row of the member of this name.
    pub fn to(self, name: &str) -> String {
        match self.draft.and_then(|draft| draft.get()) {
            Some(draft) => format!("#{}", Link::to_member(draft, Some(name)).fragment()),
            None => self.address.member(name),
        }
    }
}

/// Says that marks and tables lead there.
#[component]
pub fn MemberHint() -> impl IntoView {
    view! { <p class="look">"Every component has a page of its own: click its mark, or its name in the table."</p> }
}

/// Links to members by their names, where marks do something else when they are clicked.
#[component]
pub fn MemberLinks(#[prop(into)] names: Signal<Vec<String>>) -> impl IntoView {
    let address = expect_context::<Address>();
    let link = move |name: String| {
        let (to, label) = (name.clone(), format!("{name}: its own row"));
        view! { <a href=move || address.member(&to) aria-label=label>{name}</a> " " }
    };
    view! {
        <p class="look" class:empty=move || names.with(Vec::is_empty)>
            "Their own rows: " {move || names.get().into_iter().map(link).collect_view()}
        </p>
    }
}
