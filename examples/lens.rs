//! The lens on a model's folder: who voted for what, and `mse = bias - diversity`.
//!
//! ```sh
//! cargo run --release --example lens -- public/models/scholar-4 "Ann says that the film is not bad. So it is" " good" " bad"
//! ```
//!
//! The last option is taken for the right one.

use std::error::Error;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;

use atelier::model::ModelFiles;
use atelier::study::{LoadedModel, lens};

#[allow(dead_code)] // Its test calls `run`.
fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, prompt, options @ ..] = &words[..] else {
        return Err("give a model's folder, a prompt and two or more options".into());
    };
    print!("{}", run(Path::new(folder), prompt, options)?);
    Ok(())
}

/// Splits the answer to a prompt into votes, and returns the text to print.
pub fn run(folder: &Path, prompt: &str, options: &[String]) -> Result<String, Box<dyn Error>> {
    // A folder as Hugging Face lays it out, or a `.gguf` file. Every tensor is checked; weights are read once.
    let files = ModelFiles::open(folder)?;
    let model = LoadedModel::from_files(&files, &mut |_, _| ())?;
    let question = model.question(prompt, options, options.len().saturating_sub(1))?;
    let plan = model.plan(None)?;

    // Plans x prompts: one of each here, and a trace of it.
    let mut traces = model.engine.run(
        std::slice::from_ref(&question.prompt),
        std::slice::from_ref(&plan),
        &mut |_, _| ControlFlow::Continue(()),
    )?;
    let trace = traces.pop().and_then(|mut of_plan| of_plan.pop()).ok_or("nothing ran")?;
    let lens = lens::lens(&model, &question, &plan, trace);

    let mut text = String::new();
    for (member, logits) in lens.members.iter().zip(&lens.member_logits) {
        let block = member.block.map_or(String::new(), |block| format!(" {block}"));
        writeln!(text, "{:?}{block}: {logits:.3?}", member.kind)?;
    }
    let total = &lens.decomposition.probability.total;
    writeln!(text, "the model's answer: {:.3?}", lens.probabilities)?;
    writeln!(
        text,
        "mse {:.4} = bias {:.4} - diversity {:.4}",
        total.mse, total.bias, total.diversity
    )?;
    writeln!(
        text,
        "the votes miss the model's own logits by {:.1e}",
        lens.decomposition.sum_error
    )?;
    Ok(text)
}
