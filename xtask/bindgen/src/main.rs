//! Writes the JavaScript of a wasm file: `wasm-bindgen --target web --out-dir DIR --out-name NAME FILE`.
//!
//! It is wasm-bindgen's own library under the name and the options of its command line, as far as `cargo xtask` and
//! Trunk use them. That command line brings a web server and a test runner along, and takes three times as long
//! to build.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wasm-bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    if arguments == ["--version"] {
        println!("wasm-bindgen {}", wasm_bindgen_shared::version());
        return Ok(());
    }
    let options = Options::parse(arguments)?;
    let mut bindgen = Bindgen::new();
    bindgen.input_path(options.input).web(true)?.typescript(false).debug(options.debug);
    bindgen.keep_debug(options.keep_debug).demangle(options.demangle);
    if let Some(name) = &options.out_name {
        bindgen.out_name(name);
    }
    bindgen.generate(options.out_dir)
}

struct Options {
    input: PathBuf,
    out_dir: PathBuf,
    out_name: Option<String>,
    debug: bool,
    keep_debug: bool,
    demangle: bool,
}

impl Options {
    /// Reads `--name value`, `--name=value` and one file.
    fn parse(arguments: &[String]) -> Result<Self> {
        let (mut input, mut out_dir, mut out_name) = (None, None, None);
        let (mut debug, mut keep_debug, mut demangle) = (false, false, true);
        let mut words = arguments.iter().flat_map(|word| match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => vec![name, value],
            _ => vec![word.as_str()],
        });
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} wants a value"));
            match word {
                "--target" => match value()? {
                    "web" => {}
                    other => bail!("the target {other} is not made here, only web"),
                },
                "--out-dir" => out_dir = Some(PathBuf::from(value()?)),
                "--out-name" => out_name = Some(value()?.to_owned()),
                "--no-typescript" => {}
                "--debug" => debug = true,
                "--keep-debug" => keep_debug = true,
                "--no-demangle" => demangle = false,
                word if word.starts_with('-') => bail!("there is no option {word}"),
                file => input = Some(PathBuf::from(file)),
            }
        }
        Ok(Self {
            input: input.context("name the wasm file")?,
            out_dir: out_dir.context("name the folder: --out-dir DIR")?,
            out_name,
            debug,
            keep_debug,
            demangle,
        })
    }
}
