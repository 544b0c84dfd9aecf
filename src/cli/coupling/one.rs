//! One prompt.

use std::sync::atomic::AtomicBool;

use super::{CouplingArgs, Input};
use crate::cli::interrupt;
use crate::cli::output::{self, Progress};
use crate::study::LoadedModel;
use crate::study::coupling::{CouplingPrompt, Linearising};
use crate::study::report::Report;

/// `None` where the reader asked to stop.
pub fn report(
    model: &LoadedModel,
    args: &CouplingArgs,
    input: &Input,
    stop: &AtomicBool,
) -> anyhow::Result<Option<Report>> {
    let prompt = match input {
        Input::Prompt(text) => CouplingPrompt::of_text(model, text)?,
        Input::Ids(ids) => CouplingPrompt::of_ids(model, ids.clone())?,
        Input::Rows(_) => return Ok(None),
    };
    if let (Some(unknown), Some((_, tokens))) = (&model.unknown, &prompt.text) {
        let words = prompt.token_ids.iter().zip(tokens);
        let words = words.filter(|(id, word)| **id == unknown.id && **word != unknown.name);
        let words: Vec<String> = words.map(|(_, word)| format!("{word:?}")).collect();
        if !words.is_empty() {
            output::say(&format!(
                "atelier: the model does not know {} and reads {}: the answer is to another prompt",
                words.join(", "),
                unknown.name
            ));
        }
    }
    let wish = args.wish(model)?;
    let mut run = Linearising::start(model, &prompt.token_ids, wish)?;
    let bar = Progress::new("multiplying", "products");
    if !interrupt::advance_until(stop, &mut run, &mut bar.step())? {
        return Ok(None);
    }
    drop(bar);
    Ok(Some(Report { coupling: Some(Box::new(run.coupling(prompt.text)?)), ..Report::of(model) }))
}
