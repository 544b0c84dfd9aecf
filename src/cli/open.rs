//! `atelier open`: the page in this machine's browser, with a report or a model in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use atelier_server::{OpenedSite, POLICY, Passing, ServedFiles, Server, encoded, open_browser};

use super::out_file::is_model;
use super::page_files::{self, PageFiles};
use super::rows_source::bytes;
use super::served_model::served_files;
use super::{known, output};
use crate::model::catalogue;
use crate::study::report::Opened;

/// Open the page in a browser, with a report or a model
///
/// Serves the page to this machine alone, until Ctrl-C. A report opens in its view. A model's folder is only
/// read. The page offers the models of the models folder (see `atelier models`), and begins with SmolLM2 if it
/// is there.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct OpenArgs {
    /// A report (*.atelier.json), a survey's folder, `-` for standard input, or a page's folder made by `cargo
    /// xtask build`
    #[arg(value_name = "FILE|DIR", conflicts_with = "model")]
    report: Option<PathBuf>,

    /// A shipped model's name, smollm2, a model's folder, a .gguf file, or hub:owner/name
    #[arg(long, value_name = "NAME|DIR|FILE")]
    model: Option<String>,

    /// The port; 0 takes any free one [default: 8180, or any free one]
    #[arg(long, value_name = "N")]
    port: Option<u16>,

    /// Print the address without opening a browser
    #[arg(long)]
    no_open: bool,
}

const EXAMPLES: &str = r#"Examples:
  atelier open
  atelier open rows.atelier.json
  atelier open survey-folder
  atelier open atelier-page-0.1.0
  atelier open --model ../Llama-3.2-1B
  atelier open --model model-q8_0.gguf --no-open"#;

/// Browsers keep what a reader chose by the port, so it is the same one every time.
const PORT: u16 = 8180;

pub fn run(args: &OpenArgs) -> anyhow::Result<()> {
    // What is to be shown first: whatever is wrong with it is said before anything is served.
    let other = args.report.as_deref().map(page_files::in_folder);
    let other = other.transpose()?.flatten();
    let wanted = match (&other, &args.report, &args.model) {
        (None, Some(path), _) => {
            let (name, bytes) = report(path)?;
            WantedFirst::Report(name, bytes)
        }
        (None, None, Some(name)) if catalogue::find(name).is_some() => WantedFirst::Known(name),
        (None, None, Some(name)) => {
            let (files, path) = known::found(name)?;
            WantedFirst::Model(served_files(&files, &path)?)
        }
        _ => WantedFirst::Nothing,
    };

    // The page, and beside it that and the models folder.
    let page = match other {
        Some(page) => page,
        None => PageFiles::find()?,
    };
    if let Some(folder) = page.folder() {
        output::say(&format!("atelier: the page is that of {}", folder.display()));
    }
    let mut site = OpenedSite::new(page).context("the system gives no random numbers")?;
    let mut fragment = String::new();
    match wanted {
        WantedFirst::Nothing => {}
        WantedFirst::Report(name, bytes) => site.open_report(name, bytes),
        WantedFirst::Known(name) => fragment = format!("#model={}", encoded(name)),
        WantedFirst::Model(files) => site.open_model(files),
    }
    match known::models_here() {
        Ok(Some(models)) => site.offer(models),
        Ok(None) => {}
        // The page works without them.
        Err(error) => output::say(&format!("atelier: {error:#}; its models are not offered")),
    }

    let server = bind(args.port)?;
    let address = server.address().context("the server has no address")?;
    let url = format!("http://{address}/{}{fragment}", site.query());
    output::print(&format!("atelier is at {url} (Ctrl-C ends it)\n"))?;
    if !args.no_open && !open_browser(&url) {
        output::say(
            "atelier: there is no desktop here to open a browser on: open that address by hand",
        );
    }
    server.serve(Arc::new(Passing(site)), Some(POLICY)).context("the page cannot be served")
}

/// The page's first content.
enum WantedFirst<'a> {
    Nothing,
    /// A name and its bytes.
    Report(String, Vec<u8>),
    /// The name of a model that comes with the page.
    Known(&'a str),
    Model(ServedFiles),
}

/// A report's name and its bytes, which the one reader of reports has read.
fn report(path: &Path) -> anyhow::Result<(String, Vec<u8>)> {
    let survey = path.join("survey.atelier.json");
    if path.is_dir() && !survey.exists() {
        let shown = path.display();
        ensure!(!is_model(path), "{shown} is a model's folder: give it with --model");
        bail!("{shown} holds no survey and no page");
    }
    let path: &Path = if path.is_dir() { &survey } else { path };
    let bytes = bytes(path)?;
    Opened::read(&bytes).with_context(|| format!("{} cannot be opened", path.display()))?;
    let name = path.file_name().map(|name| name.to_string_lossy());
    let name = name.filter(|_| path != Path::new("-"));
    let name = name.as_deref().unwrap_or("report.atelier.json");
    Ok((plain(name), bytes))
}

/// A name without what would start a path of its own.
pub fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_control() || ":/\\".contains(c) { '_' } else { c }).collect()
}

fn bind(port: Option<u16>) -> anyhow::Result<Server> {
    match (Server::bind(port.unwrap_or(PORT)), port) {
        (Ok(server), _) => Ok(server),
        (Err(_), None) => Server::bind(0).context("no port of this machine can be served at"),
        (Err(error), Some(port)) if error.kind() == std::io::ErrorKind::AddrInUse => {
            bail!("port {port} is in use by another program: give another, or leave out --port")
        }
        (Err(error), Some(port)) => Err(error).with_context(|| {
            format!("port {port} cannot be used: give another, or leave out --port")
        }),
    }
}
