//! Text that `atelier lens` prints for people: the votes, bias and diversity of every member and of each kind,
//! and the identity in numbers.

use super::lens_prompts::PromptSummary;
use super::members::MemberTable;
use super::table::{bar, thousands};
use super::totals::{kinds, totals};
use super::view::{ShownColumn, drawn};
use crate::chart::number::{counted, percent_tenths, short};
use crate::chart::{
    AnswerErrors, option_beyond, prompts_beyond, says_first, small_mass, unlike_spaces,
};
use crate::measure::bits::bits;
use crate::measure::decomposition::uniform_mse;
use crate::plan::Plan;
use crate::study::report::{Averages, Lens, ModelFacts};

/// One prompt.
pub fn lens(
    lens: &Lens,
    plan: &Plan,
    model: &ModelFacts,
    engine: &str,
    view: ShownColumn,
) -> String {
    let labels = option_labels(lens);
    let d = &lens.decomposition;
    let depths = d.by_depth.iter();
    let correct = |correct: bool| if correct { "✓" } else { "" }.to_string();
    let members = MemberTable {
        members: &lens.members,
        plan,
        view,
        columns: d.columns(),
        mse: depths.clone().map(|depth| drawn(view, &depth.triples).mse).collect(),
        right: depths.map(|depth| correct(depth.correct)).collect(),
    };
    let uniform = uniform_mse(lens.option_token_ids.len());
    let parts = [
        heading(model, engine, plan) + &asked(lens),
        answers(lens, &labels),
        members.text(Some((lens, &labels))),
        totals(&d.triples(), uniform) + &own_errors(lens),
        kinds(view, &d.columns()),
        format!(
            "The components' votes add to the model's own logits within {:.1e}.\n",
            d.sum_error
        ),
    ];
    parts.join("\n")
}

/// Many prompts, averaged.
pub fn prompts(
    summary: &PromptSummary,
    plan: &Plan,
    model: &ModelFacts,
    engine: &str,
    view: ShownColumn,
) -> String {
    let averages: &Averages = &summary.averages;
    let asked = format!(
        "prompts   {}, right among the options {} (always the most frequent answer: {})\n          {}\n",
        thousands(averages.rows),
        percent_tenths(averages.accuracy),
        percent_tenths(averages.majority),
        prompts_beyond(summary.beyond)
    );
    let depths = averages.by_depth.iter();
    let members = MemberTable {
        members: &summary.first.members,
        plan,
        view,
        columns: averages.columns(),
        mse: depths.clone().map(|depth| drawn(view, &depth.triples).mse).collect(),
        right: depths.map(|depth| percent_tenths(depth.accuracy)).collect(),
    };
    let parts = [
        heading(model, engine, plan) + &asked,
        members.text(None),
        totals(&averages.triples(), summary.uniform),
        kinds(view, &averages.columns()),
        format!(
            "Means over {} prompts; the components' votes add to the model's own logits within {:.1e} on each.\n",
            thousands(averages.rows),
            averages.sum_error
        ),
    ];
    parts.join("\n")
}

fn heading(model: &ModelFacts, engine: &str, plan: &Plan) -> String {
    format!(
        "model     {}: {}, {} of width {}, {} parameters, {engine}\nplan      {plan}\n",
        model.name,
        model.architecture,
        counted(model.blocks, "block"),
        model.width,
        thousands(model.parameters),
    )
}

/// The prompt's end: the words that the options go on from.
fn asked(lens: &Lens) -> String {
    const WIDTH: usize = 68;
    let tokens = counted(lens.token_ids.len(), "token");
    let shown = match &lens.prompt {
        Some(prompt) => {
            let escaped: Vec<char> = prompt.chars().flat_map(char::escape_debug).collect();
            let cut = escaped.len().saturating_sub(WIDTH);
            // Not in the middle of a word, where there is a blank nearby.
            let blank = escaped[cut..]
                .iter()
                .take(if cut > 0 { WIDTH / 4 } else { 0 })
                .position(|&c| c == ' ');
            let end: String = escaped[cut + blank.unwrap_or(0)..].iter().collect();
            format!("\"{}{end}\"", if cut > 0 { "…" } else { "" })
        }
        None => {
            let cut = lens.token_ids.len().saturating_sub(12);
            let end: Vec<String> = lens.token_ids[cut..].iter().map(u32::to_string).collect();
            format!("{}{}", if cut > 0 { "…," } else { "" }, end.join(","))
        }
    };
    format!("prompt    {shown} ({tokens})\n")
}

fn option_labels(lens: &Lens) -> Vec<String> {
    const WIDTH: usize = 10;
    let label = |option: &String| {
        let escaped: Vec<char> = option.chars().flat_map(char::escape_debug).collect();
        let start: String = escaped.iter().take(WIDTH).collect();
        format!("\"{start}{}\"", if escaped.len() > WIDTH { "…" } else { "" })
    };
    match &lens.options {
        Some(options) => options.iter().map(label).collect(),
        None => lens.option_token_ids.iter().map(|id| format!("row {id}")).collect(),
    }
}

/// Errors of the model's own answer, beside that of its members' mean; the one that says more first.
fn own_errors(lens: &Lens) -> String {
    let AnswerErrors { shares, surprise, surprise_leads, .. } = AnswerErrors::of(lens);
    let shares = format!("error of its shares {shares}");
    let surprise = surprise.map(|surprise| format!("surprise {surprise} bits"));
    let mut errors = vec![Some(shares), surprise];
    if surprise_leads {
        errors.reverse();
    }
    let errors: Vec<String> = errors.into_iter().flatten().collect();
    format!("the model's own answer: {}\n", errors.join(", "))
}

/// Prints the model's answer among the options and in its whole vocabulary.
fn answers(lens: &Lens, labels: &[String]) -> String {
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (index, label) in labels.iter().enumerate() {
        let mark = if index == lens.answer { "✓" } else { " " };
        let fill = " ".repeat(width - label.chars().count());
        let share = lens.probabilities[index];
        let beyond = lens.vocabulary.as_ref().map_or_else(String::new, |vocabulary| {
            format!("  of all tokens {}", option_beyond(vocabulary, index))
        });
        let (share, bar) = (percent_tenths(share), bar(share, 20));
        text += format!("        {mark} {label}{fill} {share:>7}  {bar:<20}{beyond}").trim_end();
        text.push('\n');
    }

    text += &format!("\n{}\n", says_first(lens, true));
    let warnings = [small_mass(lens), unlike_spaces(lens).map(str::to_owned)];
    for warning in warnings.into_iter().flatten() {
        text += &format!("{}\n", warning.replace(". ", ".\n"));
    }
    if let Some(vocabulary) = &lens.vocabulary {
        let kl = vocabulary.kl.map_or_else(String::new, |kl| {
            format!("; KL from the original order {} bits", short(bits(kl)))
        });
        text += &format!("surprise {} bits{kl}\n", short(bits(vocabulary.surprise)));
    }
    text
}
