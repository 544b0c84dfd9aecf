//! Every task that has a name: nine in plain English, the eight of *Diversity of Transformer Layers* (Table 3), the
//! five of *Transformer Layers as Painters*, and the scholars' ten; and any other that a file defines.

use std::path::{Path, PathBuf};

use super::built_in::BuiltInTask;
use super::definition::{Definition, Form};
use super::error::TaskError;
use super::file;
use super::item::TaskRow;
use super::plain::PlainTask;
use super::primer::{self, GeneratedTask};
use super::questions::{self, Notes};
use super::score::Score;
use super::table;

/// The Diversity paper's tasks, as they are written.
const DIVERSITY: [(&str, &str); 8] = [
    ("ag_news", include_str!("ag_news.toml")),
    ("arc_easy", include_str!("arc_easy.toml")),
    ("boolq", include_str!("boolq.toml")),
    ("mnli", include_str!("mnli.toml")),
    ("qqp", include_str!("qqp.toml")),
    ("rte", include_str!("rte.toml")),
    ("sst2", include_str!("sst2.toml")),
    ("wic", include_str!("wic.toml")),
];

/// The painters' tasks, as they are written.
const PAINTERS: [(&str, &str); 5] = [
    ("lambada", include_str!("lambada.toml")),
    ("hellaswag", include_str!("hellaswag.toml")),
    ("winogrande", include_str!("winogrande.toml")),
    ("arc", include_str!("arc.toml")),
    ("gsm8k", include_str!("gsm8k.toml")),
];

/// The first bytes of the small file that a clone without Git LFS holds in place of a large file.
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// A task that can be asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// In plain English, or drawn from the primer: no file.
    BuiltIn(BuiltInTask),
    /// Read from a published file.
    Published(Box<Definition>),
}

/// A task's rows.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRows {
    pub rows: Vec<TaskRow>,
    pub notes: Notes,
    /// The file they come from.
    pub file: Option<PathBuf>,
}

impl Task {
    /// Returns every task that has a name, group by group. A group's name stands for its tasks on the command line.
    pub fn groups() -> [(&'static str, Vec<Task>); 4] {
        let published = |files: &[(&str, &str)]| {
            let found = files.iter().filter_map(|(name, _)| Task::known(name));
            found.collect()
        };
        [
            ("plain", PlainTask::ALL.map(BuiltInTask::Plain).map(Task::BuiltIn).to_vec()),
            ("diversity", published(&DIVERSITY)),
            ("painters", published(&PAINTERS)),
            (
                "scholars",
                GeneratedTask::ALL.map(BuiltInTask::Generated).map(Task::BuiltIn).to_vec(),
            ),
        ]
    }

    /// Every task that has a name.
    pub fn all() -> Vec<Task> {
        Task::groups().into_iter().flat_map(|(_, tasks)| tasks).collect()
    }

    /// Finds tasks by their names, their groups' names or their TOML files.
    ///
    /// # Errors
    /// As [`Task::find`].
    pub fn find_all(names_or_files: &[String]) -> Result<Vec<Task>, TaskError> {
        let mut found = Vec::new();
        for name in names_or_files {
            match Task::groups().into_iter().find(|(group, _)| group == name) {
                Some((_, tasks)) => found.extend(tasks),
                None => found.push(Task::find(name)?),
            }
        }
        Ok(found)
    }

    /// By its name, or from a TOML file.
    ///
    /// # Errors
    /// Neither a name nor a file, or a file that defines no task.
    pub fn find(name_or_file: &str) -> Result<Task, TaskError> {
        if let Some(task) = Task::known(name_or_file) {
            return Ok(task);
        }
        let path = Path::new(name_or_file);
        let is_toml = path.extension().is_some_and(|end| end == "toml");
        if !is_toml {
            let names: Vec<String> = Task::all().iter().map(|t| t.name().to_string()).collect();
            return Err(TaskError::Unknown {
                name: name_or_file.to_string(),
                known: names.join(", "),
            });
        }
        let text = file::text(path, file::DEFINITION).map_err(|error| read_error(path, &error))?;
        let definition = Definition::parse(&text, name_or_file)?;
        Ok(Task::Published(Box::new(definition)))
    }

    fn known(name: &str) -> Option<Task> {
        if let Some(task) = BuiltInTask::from_name(name) {
            return Some(Task::BuiltIn(task));
        }
        let (name, text) = DIVERSITY.iter().chain(&PAINTERS).find(|(known, _)| *known == name)?;
        // A test reads them all.
        let definition = Definition::parse(text, name).ok()?;
        Some(Task::Published(Box::new(definition)))
    }

    /// As the command line and files spell it.
    pub fn name(&self) -> &str {
        match self {
            Task::BuiltIn(task) => task.name(),
            Task::Published(definition) => &definition.name,
        }
    }

    /// Describes the task's question in a few words.
    pub fn about(&self) -> &str {
        match self {
            Task::BuiltIn(task) => task.about(),
            Task::Published(definition) => &definition.about,
        }
    }

    /// Where the task comes from.
    pub fn source(&self) -> &str {
        match self {
            Task::BuiltIn(BuiltInTask::Plain(_)) => "rows written for atelier",
            Task::BuiltIn(BuiltInTask::Generated(_)) => "the scholars' primer, held-out rows",
            Task::Published(definition) => &definition.source,
        }
    }

    /// Returns the unit of the task's levels, such as "digits"; `None` where it has no levels.
    pub fn levels(&self) -> Option<&'static str> {
        match self {
            Task::BuiltIn(BuiltInTask::Generated(task)) => Some(primer::level_noun(*task)),
            _ => None,
        }
    }

    /// Whether its rows are read from a file.
    pub fn needs_data(&self) -> bool {
        matches!(self, Task::Published(_))
    }

    /// Returns the rule for what counts as right.
    pub fn score(&self) -> Score {
        match self {
            Task::BuiltIn(_) => Score::Option,
            Task::Published(definition) => definition.score,
        }
    }

    /// Rows asked, unless the reader says otherwise.
    pub fn first(&self) -> usize {
        match self {
            Task::BuiltIn(task) => task.row_count(500),
            Task::Published(definition) => definition.first,
        }
    }

    /// The file to read, below a folder of data sets; a file given as `data` is that file. `None`
    /// for tasks that need none.
    ///
    /// # Errors
    /// No such folder, or none of the task's files in it.
    pub fn locate(&self, data: &Path) -> Result<Option<PathBuf>, TaskError> {
        let Task::Published(definition) = self else {
            return Ok(None);
        };
        // A path that is neither a file nor a folder is refused when it is read.
        if data.exists() && !data.is_dir() {
            return Ok(Some(data.to_path_buf()));
        }
        refuse_if!(!data.is_dir(), TaskError::NoFolder { folder: data.to_path_buf() });
        let mut places = definition.files.iter().map(|file| data.join(file));
        let found = places.find(|path| path.is_file());
        found.map(Some).ok_or_else(|| TaskError::NoFile {
            task: definition.name.clone(),
            files: definition.files.join(", "),
            folder: data.to_path_buf(),
        })
    }

    /// Every row of a published task's file, or at most `count` rows of one that needs no file.
    ///
    /// # Errors
    /// A file that cannot be read or is not this task's.
    pub fn rows(&self, data: Option<&Path>, count: usize) -> Result<TaskRows, TaskError> {
        match self {
            Task::BuiltIn(task) => {
                let is_too_many = task.row_count(count) > primer::MOST_ROWS;
                refuse_if!(is_too_many, TaskError::TooMany { task: task.name().into(), count });
                Ok(noticed(task.rows(count), None))
            }
            Task::Published(definition) => {
                let data = data.unwrap_or(Path::new("."));
                let path = self.locate(data)?.ok_or(TaskError::NoRows)?;
                let file =
                    file::read(&path, file::DATA).map_err(|error| read_error(&path, &error))?;
                let read = match file.starts_with(POINTER) {
                    true => Err(TaskError::Pointer),
                    false => read(definition, &path, &file),
                };
                read.map_err(|error| TaskError::In { path, error: Box::new(error) })
            }
        }
    }
}

fn read(definition: &Definition, path: &Path, file: &[u8]) -> Result<TaskRows, TaskError> {
    match &definition.form {
        Form::Painters(set) => {
            let items = set.read(file)?;
            let rows = items.into_iter().enumerate();
            let rows = rows.map(|(index, item)| TaskRow::new(index + 1, item));
            Ok(noticed(rows.collect(), Some(path)))
        }
        Form::Columns(columns) => {
            let table = table::read(path, file)?;
            let (rows, notes) = questions::questions(table, columns, definition.score)?;
            Ok(TaskRows { rows, notes, file: Some(path.to_path_buf()) })
        }
    }
}

/// Rows none of which can be left out.
fn noticed(rows: Vec<TaskRow>, file: Option<&Path>) -> TaskRows {
    TaskRows { notes: Notes::of(&rows), rows, file: file.map(Path::to_path_buf) }
}

fn read_error(path: &Path, error: &std::io::Error) -> TaskError {
    TaskError::Read { path: path.to_path_buf(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_can_be_found_by_its_name() {
        for (name, text) in DIVERSITY.into_iter().chain(PAINTERS) {
            let definition = Definition::parse(text, name).expect(name);
            assert_eq!(definition.name, name);
            assert!(!definition.files.is_empty() && !definition.about.is_empty(), "{name}");
        }
        let all = Task::all();
        assert_eq!(all.len(), 32);
        for task in all {
            assert_eq!(Task::find(task.name()).expect("known"), task);
        }
        let refusal = Task::find("mmlu").expect_err("no such task").to_string();
        assert!(refusal.starts_with("no task is called 'mmlu': choose from capitals, opposites, "));
    }

    #[test]
    fn a_groups_name_stands_for_its_tasks() {
        let names = |asked: &[&str]| {
            let asked: Vec<String> = asked.iter().map(ToString::to_string).collect();
            Task::find_all(&asked).map(|all| all.iter().map(|t| t.name().to_owned()).collect())
        };
        let found: Vec<String> = names(&["painters", "sum"]).expect("tasks");
        assert_eq!(found, ["lambada", "hellaswag", "winogrande", "arc", "gsm8k", "sum"]);
        let sizes = Task::groups().map(|(group, tasks)| (group, tasks.len()));
        assert_eq!(sizes, [("plain", 9), ("diversity", 8), ("painters", 5), ("scholars", 10)]);
        // No task is called as a group is.
        assert!(Task::groups().iter().all(|(group, _)| Task::known(group).is_none()));
        assert!(names(&["plain", "mmlu"]).is_err());
    }
}
