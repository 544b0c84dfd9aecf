//! The run's own numbers; several of one unit, such as the lead before and after, have bars on one scale.

use leptos::prelude::*;

use crate::app::bars::{BarNumber, scales, written};
use crate::study::lessons::{FieldValue, LessonStep, StepNumber};

#[component]
pub fn Numbers(rows: Vec<NumberRow>) -> impl IntoView {
    let numbers: Vec<BarNumber> = rows.iter().map(|row| row.number.clone()).collect();
    let drawn = rows.into_iter().zip(scales(&numbers));
    let drawn = drawn.map(|(row, scale)| view! { <Row row scale /> }).collect_view();
    view! {
        <table class="values">
            <caption class="unseen">"The run's numbers"</caption>
            <tbody>{drawn}</tbody>
        </table>
    }
}

/// A number of the run, in words.
pub struct NumberRow {
    number: BarNumber,
    /// Where the run leaves the number open.
    interval: Option<[f64; 2]>,
}

impl NumberRow {
    pub fn all(numbers: &[StepNumber], step: &LessonStep) -> Vec<Self> {
        let rows = numbers.iter().filter_map(|one| Self::of(one, step));
        rows.collect()
    }

    /// Nothing of a word, and of a field that an earlier edition of the lesson named.
    fn of(one: &StepNumber, step: &LessonStep) -> Option<Self> {
        let FieldValue::Number { value, low, high } = one.value else {
            return None;
        };
        let kind = one.name.parts.first()?.clone();
        let words = step.words_of(&one.name)?;
        value.is_finite().then_some(Self {
            number: BarNumber { kind, words, value },
            interval: (low < high && low.is_finite() && high.is_finite()).then_some([low, high]),
        })
    }
}

#[component]
fn Row(row: NumberRow, scale: Option<[f64; 2]>) -> impl IntoView {
    let bar = scale.map(|[low, high]| {
        let span = (high - low).max(f64::MIN_POSITIVE);
        let share = |x: f64| 100.0 * (x - low) / span;
        let (zero, end) = (share(0.0), share(row.number.value));
        let left = format!("{:.2}%", zero.min(end));
        let width = format!("{:.2}%", (zero - end).abs());
        view! {
            <span class="line-of" aria-hidden="true">
                <span class="fill" style:left=left style:width=width></span>
                <span class="zero" style:left=format!("{zero:.2}%")></span>
            </span>
        }
    });
    let interval =
        row.interval.map(|[low, high]| format!(" ({} to {})", written(low), written(high)));
    view! {
        <tr>
            <th scope="row">{row.number.words}</th>
            <td>{written(row.number.value)}{interval}</td>
            <td class="bars">{bar}</td>
        </tr>
    }
}
