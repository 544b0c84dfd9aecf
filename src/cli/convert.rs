//! `atelier convert`: a model's weights written anew as safetensors.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::known;
use super::out_file::write_whole;
use super::output::{self, Progress};
use crate::model::weights::Weights;
use crate::model::{Conversion, ModelFiles, TokenizerFiles};
use crate::unfinished::Unfinished;

/// The file that is written, beside the model's own small ones.
const WEIGHTS: &str = "model.safetensors";

/// Write a PyTorch checkpoint's weights as safetensors, in their stored types
#[derive(clap::Args)]
#[command(after_help = "Examples:
  atelier convert ../MobileLLM-125M --out ../MobileLLM-125M-safetensors
  atelier convert hub:owner/name --out model")]
pub struct ConvertArgs {
    /// A folder with config.json and pytorch_model.bin, or hub:owner/name
    #[arg(value_name = "MODEL")]
    model: String,
    /// The folder to write into, without a model's files
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub fn run(args: &ConvertArgs) -> anyhow::Result<()> {
    let (files, _) = known::found(&args.model)?;
    ensure!(
        !files.is_gguf(),
        "{} is a GGUF file, whose blocks safetensors does not have: take the model's own checkpoint",
        args.model
    );
    ensure!(files.is_pytorch(), "{} is safetensors already: it needs no conversion", args.model);
    // Only a model's files are written anew.
    Weights::open(&files)?;
    let conversion = Conversion::new(&files)?;

    // A file of another model beside these would be read as theirs.
    let failed = || format!("{} could not be written", args.out.display());
    std::fs::create_dir_all(&args.out).with_context(failed)?;
    for entry in args.out.read_dir().with_context(failed)? {
        let entry = entry.with_context(failed)?;
        ensure!(
            !entry.file_name().to_str().is_some_and(ModelFiles::wants),
            "{} is there already: give another folder in --out",
            entry.path().display()
        );
    }

    // The weights first: where they fail nothing is left, and the same command can be given again.
    write_weights(&conversion, &args.out.join(WEIGHTS))?;
    for (name, bytes) in small_files(&files) {
        write_whole(&args.out.join(name), bytes)?;
    }
    output::print(&format!("{}\n", args.out.join(WEIGHTS).display()))
}

/// The files beside the weights, with their names.
fn small_files(files: &ModelFiles) -> Vec<(&'static str, &[u8])> {
    let config = files.config.iter().map(|bytes| ("config.json", bytes));
    let words = files.tokenizer.iter().flat_map(TokenizerFiles::named);
    config.chain(words).map(|(name, bytes)| (name, &bytes[..])).collect()
}

fn write_weights(conversion: &Conversion, path: &Path) -> anyhow::Result<()> {
    let failed = || format!("{} could not be written", path.display());
    let bar = Progress::new("writing", "MiB");
    let all = (conversion.bytes() >> 20).max(1) as usize;
    let mut file = Unfinished::begin(path).with_context(failed)?;
    let written = conversion.write(&mut file, &mut |done| bar.at((done >> 20) as usize, all));
    written.with_context(failed)?;
    file.finish().with_context(failed)?;
    Ok(())
}
