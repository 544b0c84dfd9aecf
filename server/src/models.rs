//! The models folder: where it lies, which models lie in it, and how the page hears of them.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::files::{Files, Found};
use crate::served::{ServedFiles, quoted};
use crate::smollm2;

/// The ending of a list of weights.
const INDEX: &str = ".index.json";

/// The list of the models, which the page asks for first.
const LISTING: &str = "models.json";

/// The models folder of this user; `None` without a home folder.
pub fn models_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    folder_on(std::env::consts::OS, |name| variable(name).map(PathBuf::from))
}

/// Finds the models folder on a system by the variables of an environment.
fn folder_on(system: &str, variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if let Some(folder) = variable("ATELIER_MODELS") {
        return Some(folder);
    }
    let home = || variable("HOME");
    let data = match system {
        "windows" => variable("LOCALAPPDATA"),
        "macos" => home().map(|home| home.join("Library").join("Application Support")),
        // A relative path in this variable is to be ignored, says its specification.
        _ => variable("XDG_DATA_HOME")
            .filter(|data| data.is_absolute())
            .or_else(|| home().map(|home| home.join(".local").join("share"))),
    };
    data.map(|data| data.join("atelier").join("models"))
}

/// A folder of models. Symbolic links that lead out of it are not followed.
pub struct ModelsFolder {
    path: PathBuf,
    /// A name that another model has already.
    taken: Option<String>,
}

impl ModelsFolder {
    /// Opens the models folder of this user; `None` where there is none.
    ///
    /// # Errors
    /// It is there and is no folder, or cannot be read.
    pub fn of_user() -> io::Result<Option<Self>> {
        let Some(path) = models_folder() else { return Ok(None) };
        match Self::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// Opens a folder.
    ///
    /// # Errors
    /// It is not there, is no folder, or cannot be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        if !path.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        path.read_dir()?;
        Ok(Self { path, taken: None })
    }

    /// Leaves a name to another model.
    pub fn leave(&mut self, name: Option<String>) {
        self.taken = name;
    }

    /// Says where in this folder a model lies.
    pub fn place(&self, model: &ServedFiles) -> String {
        let file = model.first().filter(|file| is_gguf(file));
        let below = file.and_then(|file| file.strip_prefix(&self.path).ok());
        below.map_or_else(|| model.from().to_owned(), |below| below.display().to_string())
    }

    /// Lists the models by name: every `.gguf` file here or one folder below, and every folder with `config.json` and
    /// weights.
    pub fn models(&self) -> Vec<ServedFiles> {
        let mut models = BTreeMap::new();
        let mut add = |name: String, from: &str, files| {
            let mut free = name.clone();
            for number in 2.. {
                if !models.contains_key(&free) && self.taken.as_ref() != Some(&free) {
                    break;
                }
                free = format!("{name} ({number})");
            }
            models.insert(free.clone(), ServedFiles::new(free, from.to_owned(), files));
        };

        // The files of this folder come first: they keep their names.
        let entries = self.entries(&self.path);
        for (name, files) in ggufs(&entries) {
            add(name, &files[0].0.clone(), files);
        }
        for (folder, path) in entries.iter().filter(|(_, path)| path.is_dir()) {
            let entries = self.entries(path);
            if is_model_folder(&entries) {
                let is_weights = weights_of(&entries);
                let files = entries.into_iter().filter(|(name, path)| {
                    (is_weights(name) || is_beside_weights(name)) && path.is_file()
                });
                add(folder.clone(), folder, files.collect());
                continue;
            }
            for (name, files) in ggufs(&entries) {
                add(name, &files[0].0.clone(), files);
            }
        }
        models.into_values().collect()
    }

    /// Names and places of what lies in a folder and is not hidden, in order, where a request can name it.
    fn entries(&self, folder: &Path) -> Vec<(String, PathBuf)> {
        let Ok(entries) = folder.read_dir() else {
            return Vec::new();
        };
        let found = entries.filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let is_plain = !name.starts_with('.')
                && !name.chars().any(|c| c.is_control() || ":\\".contains(c));
            let path = entry.path().canonicalize().ok()?;
            (is_plain && path.starts_with(&self.path)).then_some((name, path))
        });
        let mut found: Vec<_> = found.collect();
        found.sort();
        found
    }

    /// The list of the models, as JSON.
    fn listing(&self) -> String {
        let line = |model: &ServedFiles| {
            let bytes = model.bytes().ok()?;
            let about = if smollm2::is_it(model) { smollm2::ABOUT } else { "" };
            let (name, about) = (quoted(model.name()), quoted(about));
            Some(format!("{{\"name\":{name},\"bytes\":{bytes},\"about\":{about}}}"))
        };
        let lines: Vec<String> = self.models().iter().filter_map(line).collect();
        format!("{{\"models\":[{}]}}", lines.join(","))
    }
}

impl Files for ModelsFolder {
    fn find(&self, path: &str) -> Option<Found> {
        if path == LISTING {
            return Some(Found::bytes(path, self.listing()));
        }
        self.models().iter().find_map(|model| model.find(path))
    }
}

/// Models of one `.gguf` file, or of several parts: each with its name and its files.
fn ggufs(entries: &[(String, PathBuf)]) -> Vec<(String, Vec<(String, PathBuf)>)> {
    let mut models = BTreeMap::<String, Vec<(String, PathBuf)>>::new();
    for (file, path) in entries.iter().filter(|(_, path)| path.is_file()) {
        let Some(stem) = file.strip_suffix(".gguf") else { continue };
        let name = whole_of(stem).unwrap_or(stem);
        models.entry(name.to_owned()).or_default().push((file.clone(), path.clone()));
    }
    models.into_iter().collect()
}

/// Checks by its name whether a file holds a model.
fn is_gguf(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "gguf")
}

/// Returns the model's name by the name of one part: `name` for `name-00001-of-00003`.
fn whole_of(stem: &str) -> Option<&str> {
    let is_number = |text: &str| text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    let (rest, count) = stem.rsplit_once("-of-")?;
    let (name, number) = rest.rsplit_once('-')?;
    (is_number(number) && is_number(count)).then_some(name)
}

/// Checks whether a folder holds a model's settings and its weights.
fn is_model_folder(entries: &[(String, PathBuf)]) -> bool {
    let has = |wanted: &dyn Fn(&str) -> bool| {
        entries.iter().any(|(name, path)| wanted(name) && path.is_file())
    };
    // Beside GGUF files, what ends so seldom holds a model.
    let has_gguf = entries.iter().any(|(_, path)| is_gguf(path));
    let is_weights = |name: &str| is_safetensors(name) || !has_gguf && is_pytorch(name);
    has(&|name| name == "config.json") && has(&is_weights)
}

/// Which files of a folder are its weights, by their names, as the page chooses them: of the first kind that has
/// the name of a model or of its index, else of the first that is there; alone, where it has that name.
fn weights_of(entries: &[(String, PathBuf)]) -> impl Fn(&str) -> bool + use<> {
    type Kind = (fn(&str) -> bool, &'static str);
    const KINDS: [Kind; 2] =
        [(is_safetensors, "model.safetensors"), (is_pytorch, "pytorch_model.bin")];
    let has = |wanted: &dyn Fn(&str) -> bool| {
        entries.iter().any(|(name, path)| wanted(name) && path.is_file())
    };
    let is_named = |(is_weights, model): &Kind| {
        has(is_weights)
            && has(&|name| name == *model || name.strip_suffix(INDEX).is_some_and(is_weights))
    };
    let kind = KINDS.into_iter().find(is_named);
    let (is_weights, model) =
        kind.unwrap_or(if has(&is_safetensors) { KINDS[0] } else { KINDS[1] });
    let is_alone = has(&|name| name == model);
    move |name| if is_alone { name == model } else { is_weights(name) }
}

fn is_safetensors(name: &str) -> bool {
    name.ends_with(".safetensors")
}

/// Checks by its name whether a file holds weights as PyTorch saves them, and not the state of a training run.
fn is_pytorch(name: &str) -> bool {
    const STATE: [&str; 5] = ["optimizer", "scheduler", "scaler", "rng_state", "training_args"];
    [".bin", ".pt", ".pth"].iter().any(|ending| name.ends_with(ending))
        && !STATE.iter().any(|start| name.starts_with(start))
}

/// Checks by its name whether a file describes weights, or lists the files that hold them.
fn is_beside_weights(name: &str) -> bool {
    matches!(name, "config.json" | "tokenizer.json" | "tokenizer.model" | "tokenizer_config.json")
        || name
            .strip_suffix(INDEX)
            .is_some_and(|weights| is_safetensors(weights) || is_pytorch(weights))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_where_the_user_says_or_the_system_keeps_data() {
        let folder = |system: &str, pairs: &[(&str, &str)]| {
            let found = folder_on(system, |name| {
                let pair = pairs.iter().find(|(key, _)| *key == name);
                pair.map(|(_, value)| PathBuf::from(value))
            });
            found.map(|path| path.display().to_string().replace('\\', "/"))
        };
        let all = [("ATELIER_MODELS", "m"), ("XDG_DATA_HOME", "/x"), ("HOME", "/h")];
        for system in ["linux", "macos", "windows"] {
            assert_eq!(folder(system, &all).as_deref(), Some("m"));
        }
        let rest = &all[1..];
        assert_eq!(folder("linux", rest).as_deref(), Some("/x/atelier/models"));
        assert_eq!(folder("linux", &all[2..]).as_deref(), Some("/h/.local/share/atelier/models"));
        let relative = [("XDG_DATA_HOME", "x"), ("HOME", "/h")];
        assert_eq!(folder("linux", &relative).as_deref(), Some("/h/.local/share/atelier/models"));
        assert_eq!(
            folder("macos", rest).as_deref(),
            Some("/h/Library/Application Support/atelier/models")
        );
        let local = [("LOCALAPPDATA", "C:/l"), ("HOME", "/h")];
        assert_eq!(folder("windows", &local).as_deref(), Some("C:/l/atelier/models"));
        assert_eq!(folder("windows", rest), None);
        assert_eq!(folder("linux", &[]), None);
    }

    #[test]
    fn models_are_files_and_folders_each_under_a_name_of_its_own() {
        let home = tempfile::tempdir().expect("a folder");
        let put = |path: &str| {
            let path = home.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, "weights").expect("a file");
        };
        for path in [
            "b.gguf",
            ".hidden.gguf",
            ".cache/c.gguf",
            "split-00001-of-00002.gguf",
            "split-00002-of-00002.gguf",
            "notes.txt",
            "package/b.gguf",
            "package/__init__.py",
            "llama/config.json",
            "llama/tokenizer.json",
            "llama/model.safetensors",
            "llama/pytorch_model.bin",
            "run/config.json",
            "run/training_args.bin",
            "llama/secret.txt",
            "older/config.json",
            "older/pytorch_model.bin",
            "older/tokenizer.model",
            "no-weights/config.json",
            "deep/er/c.gguf",
        ] {
            put(path);
        }
        let folder = ModelsFolder::open(home.path()).expect("the folder");
        let places: Vec<String> = folder.models().iter().map(|model| folder.place(model)).collect();
        let inner = Path::new("package").join("b.gguf").display().to_string();
        assert_eq!(places, ["b.gguf", &*inner, "llama", "older", "split-00001-of-00002.gguf"]);
        let models = folder.models().into_iter().map(|model| {
            let name = model.name().to_owned();
            let files: Vec<String> = model.into_files().into_iter().map(|(file, _)| file).collect();
            format!("{name}: {}", files.join(" "))
        });
        assert_eq!(
            models.collect::<Vec<_>>(),
            [
                "b: b.gguf",
                "b (2): b.gguf",
                "llama: config.json model.safetensors tokenizer.json",
                "older: config.json pytorch_model.bin tokenizer.model",
                "split: split-00001-of-00002.gguf split-00002-of-00002.gguf",
            ]
        );
        assert_eq!(
            folder.listing(),
            "{\"models\":[{\"name\":\"b\",\"bytes\":7,\"about\":\"\"},{\"name\":\"b (2)\",\"bytes\":7,\"about\":\"\"},\
             {\"name\":\"llama\",\"bytes\":21,\"about\":\"\"},{\"name\":\"older\",\"bytes\":21,\"about\":\"\"},{\"name\":\"split\",\"bytes\":14,\"about\":\"\"}]}"
        );
        for (path, is_there) in [
            ("models.json", true),
            ("b/files.json", true),
            ("b/b.gguf", true),
            ("b (2)/b.gguf", true),
            ("llama/config.json", true),
            ("llama/secret.txt", false),
            ("package/__init__.py", false),
            ("b.gguf", false),
            ("notes.txt", false),
            ("b/", false),
            ("", false),
        ] {
            assert_eq!(folder.find(path).is_some(), is_there, "{path}");
        }
    }
}
