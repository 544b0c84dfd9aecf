//! `atelier generate`: a model goes on with a text by itself.

use std::io::{ErrorKind, Write};
use std::sync::atomic::Ordering;

use anyhow::Context;
use serde_json::json;

use super::{interrupt, output};
use crate::study::{Generation, LoadedModel, TextEnd, Wrote};

/// Continue a text with the model's likeliest tokens, under any plan
///
/// Writes one token after another. It stops after --tokens, when the model ends its text, or when the context
/// is full.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  atelier generate --model scholar-12 --prompt \"Ann is in the\" --tokens 20
  atelier generate --model path/to/model --prompt \"Once upon a time\" --plan drop:3 --json
  atelier generate --model path/to/model --ids 1,5,9 --tokens 50")]
#[command(group = clap::ArgGroup::new("input").required(true).args(["prompt", "ids"]))]
pub struct GenerateArgs {
    /// A known model's name, a folder, a .gguf file, or hub:owner/name
    #[arg(long, short, value_name = "MODEL")]
    model: String,

    /// The text to continue
    #[arg(long, short, value_name = "TEXT")]
    prompt: Option<String>,

    /// The text as token ids, for a model without a tokenizer. Ids are written too
    #[arg(long, value_name = "ID,…", value_delimiter = ',', allow_negative_numbers = true)]
    ids: Option<Vec<u32>>,

    /// Most tokens to write
    #[arg(long, short, value_name = "N", default_value_t = 100, allow_negative_numbers = true)]
    tokens: usize,

    /// The plan, written as for `atelier lens --plan`
    #[arg(long, value_name = "LINE")]
    plan: Option<String>,

    #[command(flatten)]
    engine: super::engine::EngineArgs,

    /// Print JSON at the end
    #[arg(long, help_heading = "Output")]
    json: bool,
}

pub fn run(args: &GenerateArgs) -> anyhow::Result<()> {
    let files = super::known::files(&args.model)?;
    let model = super::known::load(&files, &args.engine.choice()?)?;
    let plan = model.plan(args.plan.as_deref())?;
    let ids = match (&args.prompt, &args.ids) {
        (Some(prompt), _) => model.tokenizer()?.encode(prompt)?,
        (None, ids) => ids.clone().unwrap_or_default(),
    };
    let mut generation = Generation::new(&model, ids.clone(), &plan, args.tokens)?;
    if !generation.is_cached() {
        output::say(&format!(
            "atelier: {} keeps no keys and values, and computes every token from the first",
            model.engine.describe()
        ));
    }
    let stop = interrupt::listen()?;
    let reads = args.ids.is_none();
    let mut out = Page::new(args.json);
    if reads {
        out.write(args.prompt.as_deref().unwrap_or_default())?;
    }
    let ended = loop {
        if stop.load(Ordering::Relaxed) || out.is_closed {
            break None;
        }
        match generation.advance()? {
            Wrote::Nothing => {}
            Wrote::Token { text, .. } if reads => out.write(&text)?,
            Wrote::Token { id, .. } if generation.written().len() == 1 => {
                out.write(&id.to_string())?
            }
            Wrote::Token { id, .. } => out.write(&format!(",{id}"))?,
            Wrote::End(end) => break Some(end),
        }
    };
    out.write("\n")?;
    if args.json {
        let line = json!({
            "model": model.name,
            "engine": model.engine.describe(),
            "plan": plan.to_string(),
            "prompt": args.prompt,
            "token_ids": ids,
            "written_ids": generation.written(),
            "written": generation.text()?,
            "ended": ended.map_or(json!("interrupted"), |end| json!(end)),
        });
        output::print(&format!("{line}\n"))?;
    }
    args.engine.say_cost(&model);
    match ended {
        None if stop.load(Ordering::Relaxed) => {
            output::say(&format!("atelier: stopped after {} tokens", generation.written().len()));
            std::process::exit(interrupt::code());
        }
        Some(TextEnd::Context) => {
            output::say(&context(&model, &generation));
            Ok(())
        }
        _ => Ok(()),
    }
}

fn context(model: &LoadedModel, generation: &Generation) -> String {
    format!(
        "atelier: the model's context of {} tokens is full after {} written ones",
        model.shape().context,
        generation.written().len()
    )
}

/// Standard output, word by word.
struct Page {
    is_silent: bool,
    is_closed: bool,
}

impl Page {
    fn new(is_silent: bool) -> Self {
        Self { is_silent, is_closed: false }
    }

    /// Writes a piece of text. Control characters reach no terminal; a reader that has seen enough is no error.
    fn write(&mut self, text: &str) -> anyhow::Result<()> {
        if self.is_silent || self.is_closed {
            return Ok(());
        }
        let text = output::plain(text, true);
        let mut out = std::io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => self.is_closed = true,
            written => written.context("the text could not be printed")?,
        }
        Ok(())
    }
}
