//! The command's arguments, and what of them is checked before a model is loaded.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};

use super::Input;
use crate::cli::rows_source::RowsArgs;
use crate::study::coupling::{CouplingMethod, CouplingWish, TokenWish};
use crate::study::{LoadedModel, SEED};

/// Measure how far different blocks act alike, by their Jacobians
///
/// A block's Jacobian says how its output moves with its input. Coupling says how far two blocks share
/// their leading directions: 1 means the same directions. Beside it stand the chance level, how straight
/// the stream's path is, and how far the linear approximation holds. With --task it compares coupling with
/// what removing a block, or swapping it with its neighbour, costs. With --models it compares models.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("asked").required(true).args(["model", "models"]))]
#[command(group = clap::ArgGroup::new("question").required(true).args(["prompt", "ids", "task", "prompts"]))]
pub struct CouplingArgs {
    /// The model: a name from `atelier models`, or a folder with config.json and *.safetensors
    #[arg(long, short, value_name = "NAME|FOLDER")]
    model: Option<String>,

    /// Several models, or checkpoints of one training, to compare
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub models: Vec<String>,

    /// The prompt. Its last position is measured
    #[arg(long, short, value_name = "TEXT")]
    prompt: Option<String>,

    /// The prompt as token ids, for a model without a tokenizer
    #[arg(long, value_name = "ID,…", value_delimiter = ',', allow_negative_numbers = true)]
    ids: Vec<u32>,

    #[command(flatten)]
    source: RowsArgs,

    /// Most rows per task
    #[arg(long, default_value_t = 20, conflicts_with_all = ["prompt", "ids"])]
    pub rows: usize,

    /// The plan, written as for `atelier lens --plan`. A step's Jacobian is that of what the step adds
    #[arg(long, value_name = "LINE")]
    pub plan: Option<String>,

    /// Numbers of leading singular vectors [default: 4,8,16, as far as the width allows]
    #[arg(long, value_name = "K,…", value_delimiter = ',', allow_negative_numbers = true)]
    pub top: Vec<usize>,

    /// Two steps that --self, --input and --output compare, from 0. May be repeated [default: the middle step
    /// with itself, and with the next]
    #[arg(long, value_name = "STEP,STEP", value_parser = two, allow_hyphen_values = true, conflicts_with_all = ["task", "prompts"])]
    steps: Vec<[usize; 2]>,

    /// Also between tokens: at (t, t) for each of these positions, from 0
    #[arg(
        long = "self",
        value_name = "T,…",
        value_delimiter = ',',
        allow_hyphen_values = true,
        conflicts_with_all = ["task", "prompts"]
    )]
    same: Vec<usize>,

    /// Also from one token to several: t_in, then each t_out
    #[arg(long, value_name = "T:T,…", value_parser = places, allow_hyphen_values = true, conflicts_with_all = ["task", "prompts"])]
    input: Option<(usize, Vec<usize>)>,

    /// Also from several tokens to one: t_out, then each t_in
    #[arg(long, value_name = "T:T,…", value_parser = places, allow_hyphen_values = true, conflicts_with_all = ["task", "prompts"])]
    output: Option<(usize, Vec<usize>)>,

    /// How to find singular vectors: from whole Jacobians, or by Lanczos. `auto` takes the cheaper one that
    /// fits into memory
    #[arg(long, value_enum, default_value_t = Method::Auto)]
    method: Method,

    /// Random seed of the bootstrap intervals and of a search
    #[arg(long, default_value_t = SEED, value_parser = clap::value_parser!(u64).range(..=u64::from(u32::MAX)))]
    pub seed: u64,

    /// Leave out rows that are longer than the model's context, and report how many
    #[arg(long, conflicts_with_all = ["prompt", "ids"])]
    pub skip_long: bool,

    #[command(flatten)]
    pub engine: crate::cli::engine::EngineArgs,

    /// Print the report as JSON
    #[arg(long, conflicts_with = "csv", help_heading = "Output")]
    pub json: bool,

    /// Print one line per pair as CSV
    #[arg(long, help_heading = "Output")]
    pub csv: bool,

    /// Also write the report to a file, which the page can open and --resume continues
    #[arg(long, value_name = "FILE.atelier.json", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Continue the run stored in --out
    #[arg(long, requires = "out", conflicts_with_all = ["prompt", "ids"], help_heading = "Output")]
    pub resume: bool,

    /// Replace the file that --out names
    #[arg(long, requires = "out", conflicts_with = "resume", help_heading = "Output")]
    pub force: bool,
}

const EXAMPLES: &str = r#"Examples:
  atelier coupling --model scholar-12 --prompt "Ann says that the soup is not awful. So it is"
  atelier coupling --model scholar-12 --prompt "Ann says that the soup is not awful. So it is" --top 8 --self 0,2,4 --input 1:1,2,4
  atelier coupling --model scholar-12 --task sum --rows 20 --out coupling.atelier.json
  atelier coupling --models scholar-2,scholar-4,scholar-8,scholar-12 --task sum --rows 20
  atelier coupling --models out/step-000784,out/step-004863,out --task sum --rows 20"#;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Method {
    Auto,
    Whole,
    Lanczos,
}

impl CouplingArgs {
    /// # Errors
    /// When the options are wrong for every model.
    pub fn check(&self) -> anyhow::Result<()> {
        ensure!(self.rows > 0, "--rows 0 leaves nothing to run: give at least 1");
        ensure!(!self.top.contains(&0), "--top 0 leaves nothing to compare: give at least 1");
        if !self.steps.is_empty() && self.tokens().is_empty() {
            bail!(
                "--steps says which steps --self, --input and --output compare: give one of those too"
            );
        }
        Ok(())
    }

    /// The models asked for: one, or several.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        let all = self.model.iter().chain(&self.models);
        all.map(String::as_str)
    }

    /// Files and folders that are read.
    pub fn inputs(&self) -> Vec<&Path> {
        self.models().map(Path::new).chain(self.source.inputs()).collect()
    }

    /// # Errors
    /// A name that is no task, a data set without its file, or a file that is no table of rows.
    pub fn input(&self) -> anyhow::Result<Input> {
        if let Some(prompt) = &self.prompt {
            return Ok(Input::Prompt(prompt.clone()));
        }
        if !self.ids.is_empty() {
            return Ok(Input::Ids(self.ids.clone()));
        }
        // Once for all models: standard input cannot be read again.
        Ok(Input::Rows(self.source.read(self.rows)?))
    }

    /// Makes the request to a model.
    ///
    /// # Errors
    /// A plan that is none of this model's, or more vectors than its blocks have.
    pub fn wish(&self, model: &LoadedModel) -> anyhow::Result<CouplingWish> {
        Ok(CouplingWish {
            plan: model.plan(self.plan.as_deref())?,
            top: CouplingWish::tops(&self.top, model.shape().width)?,
            tokens: self.tokens(),
            method: match self.method {
                Method::Auto => None,
                Method::Whole => Some(CouplingMethod::Whole),
                Method::Lanczos => Some(CouplingMethod::Lanczos),
            },
            seed: self.seed as u32,
        })
    }

    fn tokens(&self) -> TokenWish {
        TokenWish {
            steps: self.steps.clone(),
            same: self.same.clone(),
            input: self.input.clone(),
            output: self.output.clone(),
        }
    }
}

fn two(text: &str) -> Result<[usize; 2], String> {
    let numbers = list(text)?;
    let two: Result<[usize; 2], _> = numbers.try_into();
    two.map_err(|_| "give two steps, such as 5,6".to_owned())
}

fn places(text: &str) -> Result<(usize, Vec<usize>), String> {
    let Some((one, several)) = text.split_once(':') else {
        return Err("give one position, a colon and the others, such as 8:8,10,13".to_owned());
    };
    Ok((number(one)?, list(several)?))
}

fn list(text: &str) -> Result<Vec<usize>, String> {
    text.split(',').map(number).collect()
}

fn number(text: &str) -> Result<usize, String> {
    let text = text.trim();
    text.parse().map_err(|_| format!("'{text}' is not a whole number from 0 on"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_positions() {
        assert_eq!(two("5,6"), Ok([5, 6]));
        assert!(two("5").is_err() && two("5,6,7").is_err() && two("a,b").is_err());
        assert_eq!(places("8:8, 10,13"), Ok((8, vec![8, 10, 13])));
        assert!(places("8").is_err() && places("8:").is_err() && places(":1").is_err());
        assert_eq!(places("8:-1"), Err("'-1' is not a whole number from 0 on".to_owned()));
    }
}
