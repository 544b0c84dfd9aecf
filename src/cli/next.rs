//! `atelier next`: what a model says by itself.

use super::output;
use super::table::columns;
use crate::chart::number::percent_tenths;

/// Show the five likeliest next tokens of a prompt, to choose options from
#[derive(clap::Args)]
#[command(after_help = "Examples:
  atelier next --model hub:HuggingFaceTB/SmolLM2-135M --prompt \"The capital of France is\"
  atelier next --model path/to/model --english")]
pub struct NextArgs {
    /// A known model's name, a folder, a .gguf file, or hub:owner/name
    #[arg(long, short, value_name = "MODEL")]
    model: String,

    /// The prompt
    #[arg(long, short, value_name = "TEXT", required_unless_present = "english")]
    prompt: Option<String>,

    /// The plan, written as for `atelier lens --plan`
    #[arg(long, value_name = "LINE")]
    plan: Option<String>,

    /// Run all English examples instead of a prompt
    #[arg(long, conflicts_with = "prompt")]
    english: bool,

    #[command(flatten)]
    engine: super::engine::EngineArgs,

    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

pub fn run(args: &NextArgs) -> anyhow::Result<()> {
    let files = super::known::files(&args.model)?;
    let model = super::known::load(&files, &args.engine.choice()?)?;
    let plan = model.plan(args.plan.as_deref())?;
    let prompts: Vec<String> = match &args.prompt {
        Some(prompt) => vec![prompt.clone()],
        None => {
            crate::task::english::english().iter().map(|example| example.prompt.clone()).collect()
        }
    };
    let mut page = String::new();
    for prompt in prompts {
        let said = model.says(&prompt, &plan)?;
        if args.json {
            let line = serde_json::json!({ "prompt": prompt, "next": said });
            page += &format!("{line}\n");
            continue;
        }
        if args.english {
            page += &format!("\n{prompt}\n");
        }
        let table = columns(&said)
            .words("option", |saying| format!("{:?}", saying.option))
            .numbers("probability", |saying| percent_tenths(saying.probability));
        page += &table.text();
    }
    args.engine.say_cost(&model);
    if args.json { output::print(&page) } else { output::show(&page) }
}
