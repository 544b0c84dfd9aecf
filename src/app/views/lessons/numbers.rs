//! The run's own numbers; what there are several of one kind of, such as the lead before and after, as bars on one
//! scale.

use leptos::prelude::*;

use crate::chart::number;
use crate::study::lessons::{FieldValue, LessonStep, StepNumber};

/// Nothing, where there is nothing to compare.
#[component]
pub fn Numbers(numbers: Vec<StepNumber>, step: LessonStep) -> impl IntoView {
    let rows = numbers.iter().filter_map(|one| NumberRow::of(one, &step));
    let rows: Vec<NumberRow> = rows.collect();
    if rows.len() < 2 {
        return ().into_any();
    }
    let drawn = rows.iter().map(|row| {
        let own = rows.iter().filter(|other| other.kind == row.kind);
        let several = own.clone().count() > 1;
        let (low, high) = own.fold((0.0_f64, 0.0_f64), |(low, high), other| {
            (low.min(other.value), high.max(other.value))
        });
        view! { <Row row=row.clone() scale=several.then_some([low, high]) /> }
    });
    let drawn = drawn.collect_view();
    view! {
        <table class="values">
            <caption class="unseen">"The run's numbers"</caption>
            <tbody>{drawn}</tbody>
        </table>
    }
    .into_any()
}

#[derive(Clone)]
struct NumberRow {
    /// What is of one unit, or of one kind where there is none, has one scale.
    kind: String,
    name: String,
    value: f64,
    /// Where the run leaves the number open.
    interval: Option<[f64; 2]>,
}

impl NumberRow {
    /// Nothing of a word, and of a field that an earlier edition of the lesson named.
    fn of(one: &StepNumber, step: &LessonStep) -> Option<Self> {
        let FieldValue::Number { value, low, high } = one.value else {
            return None;
        };
        let name = step.words_of(&one.name)?;
        let kind = unit(&name).unwrap_or(one.name.parts.first()?).to_owned();
        value.is_finite().then_some(Self {
            kind,
            name,
            value,
            interval: (low < high && low.is_finite() && high.is_finite()).then_some([low, high]),
        })
    }
}

/// The unit behind a number's name: `%`, `points`, `logits`.
fn unit(name: &str) -> Option<&str> {
    let (_, unit) = name.rsplit_once(" (")?;
    unit.split_once(')').map(|(unit, _)| unit)
}

#[component]
fn Row(row: NumberRow, scale: Option<[f64; 2]>) -> impl IntoView {
    let bar = scale.map(|[low, high]| {
        let span = (high - low).max(f64::MIN_POSITIVE);
        let share = |x: f64| 100.0 * (x - low) / span;
        let (zero, end) = (share(0.0), share(row.value));
        let left = format!("{:.2}%", zero.min(end));
        let width = format!("{:.2}%", (zero - end).abs());
        view! {
            <span class="line-of" aria-hidden="true">
                <span class="fill" style:left=left style:width=width></span>
                <span class="zero" style:left=format!("{zero:.2}%")></span>
            </span>
        }
    });
    let interval = row.interval.map(|[low, high]| format!(" ({} to {})", said(low), said(high)));
    view! {
        <tr>
            <th scope="row">{row.name}</th>
            <td>{said(row.value)}{interval}</td>
            <td class="bars">{bar}</td>
        </tr>
    }
}

/// What is counted has no decimals.
fn said(value: f64) -> String {
    let is_count = value.fract() == 0.0 && value.abs() < 1e4;
    if is_count { number::fixed(value, 0) } else { number::short(value) }
}
