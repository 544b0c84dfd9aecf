//! Tasks as a reader meets them: the published files, a file of their own, and files that are wrong.

use std::path::PathBuf;
use std::sync::Arc;

use crate::common::{self, in_project};
use crate::snapshot::check_answers;
use atelier::task::catalogue::{Task, TaskRows};
use atelier::task::item::{Candidate, Item, TaskRow};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

/// The thirteen published tasks with the rows that were counted in each file, those asked, and those
/// that repeat an earlier one.
const PUBLISHED: [(&str, usize, usize, usize); 13] = [
    ("ag_news", 7600, 7600, 0),
    ("arc_easy", 2376, 2376, 0),
    ("boolq", 3270, 3270, 0),
    ("mnli", 9815, 9815, 0),
    ("qqp", 100, 100, 0),
    ("rte", 277, 277, 0),
    ("sst2", 872, 872, 0),
    ("wic", 638, 638, 0),
    ("lambada", 5153, 5153, 2),
    ("hellaswag", 1000, 1000, 0),
    ("winogrande", 1267, 1267, 0),
    ("arc", 1172, 1172, 0),
    ("gsm8k", 1319, 1319, 0),
];

fn published(name: &str) -> Option<TaskRows> {
    let folder = in_project("../shared/data");
    let task = Task::find(name).expect(name);
    if !folder.is_dir() {
        return common::data(name).map(|_| unreachable!("a file without its folder"));
    }
    Some(task.rows(Some(&folder), task.first()).expect(name))
}

#[test]
fn the_published_files_are_read_whole() {
    for (name, read, asked, repeated) in PUBLISHED {
        let Some(found) = published(name) else { continue };
        println!("{name}: {} {:?}", found.rows.len(), found.notes.phrases());
        assert_eq!(found.notes.read, read, "{name}");
        assert_eq!(found.rows.len(), asked, "{name}");
        assert_eq!(found.notes.usable, asked, "{name}");
        assert_eq!(found.notes.repeated.count, repeated, "{name}");
        assert_eq!(found.notes.choices.count, read - asked, "{name}");
        for TaskRow { item, .. } in &found.rows {
            match item {
                Item::Option { options, answer, .. } => assert!(*answer < options.len(), "{name}"),
                Item::Continuation { candidates, answer } => {
                    assert!(*answer < candidates.len(), "{name}");
                    assert!((2..=5).contains(&candidates.len()), "{name}");
                }
                Item::LastWord { word, .. } => assert!(word.starts_with(' '), "{name}"),
                Item::Generate { answer, .. } => {
                    assert!(answer.parse::<f64>().is_ok(), "{name}: {answer}");
                }
                Item::Ids { .. } => panic!("{name}: {item:?}"),
            }
        }
    }
}

#[test]
fn questions_are_those_of_the_papers_table() {
    let first = |name: &str| match published(name)?.rows.swap_remove(0).item {
        Item::Option { prompt, options, answer } => Some((prompt, options, answer)),
        other => panic!("{other:?}"),
    };
    let Some((prompt, options, answer)) = first("ag_news") else { return };
    assert_eq!(
        prompt,
        "What label best describes this news article?\nFears for T N pension after talks Unions \
         representing workers at Turner   Newall say they are 'disappointed' after talks with \
         stricken parent firm Federal Mogul."
    );
    assert_eq!(options, [" World", " Sports", " Business", " Science"]);
    assert_eq!(answer, 2);
    let (prompt, options, answer) = first("arc_easy").expect("beside the others");
    assert_eq!(
        prompt,
        "Pick the most correct option to answer the following question.\n\nWhich statement best \
         explains why photosynthesis is the foundation of most food webs?\n\nA: Sunlight is the \
         source of energy for nearly all ecosystems.\nB: Most ecosystems are found on land instead \
         of in water.\nC: Carbon dioxide is more available than other gases.\nD: The producers in \
         all ecosystems are plants."
    );
    assert_eq!((options.join(""), answer), (" A B C D".to_string(), 0));
    let (prompt, options, answer) = first("mnli").expect("beside the others");
    assert_eq!(
        prompt,
        "Suppose it's true that The new rights are nice enough Then, is \"Everyone really likes the \
         newest benefits\" Always, Sometimes, Never"
    );
    assert_eq!((options[answer].as_str(), options.len()), (" Sometimes", 3));
    let (prompt, options, answer) = first("wic").expect("beside the others");
    assert_eq!(
        prompt,
        "Does the word \"class\" have the same meaning in these two sentences? Yes, No?\nAn emerging \
         professional class.\nApologizing for losing your temper, even though you were badly \
         provoked, showed real class."
    );
    assert_eq!((options, answer), (vec![" No".into(), " Yes".into()], 0));
    let (prompt, options, answer) = first("sst2").expect("beside the others");
    assert_eq!(
        prompt,
        "one long string of cliches\nQuestion: Was that sentence positive or negative? Answer:"
    );
    assert_eq!(options[answer], " negative");
    let (_, options, answer) = first("rte").expect("beside the others");
    assert_eq!((options.as_slice(), answer), ([" Yes".to_string(), " No".into()].as_slice(), 1));
}

/// A folder with a task and its data.
struct Place {
    folder: tempfile::TempDir,
}

const TASK: &str = r#"
name = "tone"
score = "option"
files = ["tone.csv", "tone.tsv", "tone.jsonl", "tone.parquet"]
template = "{text} It was {answer}"
options = ["bad", "good"]

[[layout]]
label = "{label}"
labels = { 0 = "bad", 1 = "good" }
unlabelled = ["-1"]

[[layout]]
columns = ["label", "text"]
label = "{label}"
labels = { 0 = "bad", 1 = "good" }
"#;

impl Place {
    fn new(file: &str, bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("tone.toml"), TASK).expect("the task");
        std::fs::write(folder.path().join(file), bytes).expect("its data");
        Self { folder }
    }

    fn with_task(self, task: &str) -> Self {
        std::fs::write(self.folder.path().join("tone.toml"), task).expect("the task");
        self
    }

    fn read(&self) -> Result<TaskRows, String> {
        let file: PathBuf = self.folder.path().join("tone.toml");
        let task = Task::find(&file.display().to_string()).map_err(|error| error.to_string())?;
        let read = task.rows(Some(self.folder.path()), 10);
        read.map_err(|error| error.to_string())
    }

    fn refused(&self) -> String {
        let folder = self.folder.path().display().to_string();
        let refusal = self.read().expect_err("a refusal");
        assert!(!refusal.contains('\n'), "{refusal}");
        refusal.replace(&folder, "DIR")
    }
}

fn expected() -> Vec<Item> {
    let row = |text: &str, answer: usize| Item::Option {
        prompt: format!("{text} It was"),
        options: vec![" bad".into(), " good".into()],
        answer,
    };
    vec![row("A treat, truly.", 1), row("Dull.", 0)]
}

fn parquet_file() -> Vec<u8> {
    let schema = "message rows { required binary text (STRING); required int64 label; }";
    let schema = Arc::new(parse_message_type(schema).expect("a schema"));
    let mut bytes = Vec::new();
    let properties = Arc::new(WriterProperties::new());
    let mut file = SerializedFileWriter::new(&mut bytes, schema, properties).expect("a file");
    let mut rows = file.next_row_group().expect("rows");
    let texts = ["A treat, truly.", "Dull."].map(ByteArray::from);
    let mut column = rows.next_column().expect("a column").expect("text");
    let written = column.typed::<ByteArrayType>().write_batch(&texts, None, None);
    assert_eq!(written.expect("texts"), 2);
    column.close().expect("closed");
    let mut column = rows.next_column().expect("a column").expect("label");
    let written = column.typed::<Int64Type>().write_batch(&[1, 0], None, None);
    assert_eq!(written.expect("labels"), 2);
    column.close().expect("closed");
    rows.close().expect("closed");
    file.close().expect("closed");
    bytes
}

#[test]
fn one_task_reads_every_format() {
    let files: [(&str, Vec<u8>); 5] = [
        ("tone.csv", b"text,label\n\"A treat, truly.\",1\nDull.,0\n".to_vec()),
        // Without its header line.
        ("tone.csv", b"1,\"A treat, truly.\"\r\n0,Dull.\r\n".to_vec()),
        ("tone.tsv", b"id\ttext\tlabel\n7\tA treat, truly.\t1\n8\tDull.\t0".to_vec()),
        (
            "tone.jsonl",
            b"{\"text\": \"A treat, truly.\", \"label\": 1}\n\n{\"text\": \"Dull.\", \"label\": \"0\"}\n"
                .to_vec(),
        ),
        ("tone.parquet", parquet_file()),
    ];
    for (file, bytes) in files {
        let read = Place::new(file, &bytes).read().expect(file);
        let items: Vec<Item> = read.rows.into_iter().map(|row| row.item).collect();
        assert_eq!(items, expected(), "{file}");
        assert!(read.notes.phrases().is_empty(), "{file}");
    }
}

#[test]
fn what_is_left_out_is_counted_and_named() {
    let file = b"text,label\nDull.,0\n ,1\nDull.,0\nFine.,-1\n,0\nFine.,1\n";
    let read = Place::new("tone.csv", file).read().expect("rows");
    assert_eq!(read.rows.len(), 3);
    assert_eq!(
        read.notes.phrases(),
        [
            "2 blank, left out (line 3, 6)",
            "1 without an answer, left out (line 5)",
            "1 the same as an earlier one, kept (line 4)"
        ]
    );
}

/// The task's file, with another text in the place of one.
#[test]
fn wrong_tasks_are_refused_in_one_sentence() {
    check_answers("refusals/tasks.txt", |line| {
        let (from, to) = line.split_once(" =>").expect("a text and another");
        assert!(TASK.contains(from), "{from}");
        let task = TASK.replacen(from, &to.trim_start().replace("\\n", "\n"), 1);
        Some(Place::new("tone.csv", b"").with_task(&task).refused())
    });
}

/// Files that the task reads: a name, and what the file holds.
#[test]
fn wrong_files_are_refused_in_one_sentence() {
    check_answers("refusals/rows.txt", |line| {
        let (file, text) = line.split_once(' ').unwrap_or((line, ""));
        Some(Place::new(file, text.replace("\\n", "\n").replace("\\t", "\t").as_bytes()).refused())
    });
    let bytes = Place::new("tone.jsonl", b"\xff\xfe").refused();
    assert_eq!(bytes, "DIR/tone.jsonl: line 1 is not UTF-8 text: save the file as UTF-8");
}

/// Options that are numbers: a label is one of them, or the index of another.
#[test]
fn a_label_that_is_a_text_and_another_options_index_is_refused_until_the_layout_says_which() {
    let stars = |label_is: &str| {
        format!(
            r#"
name = "stars"
score = "option"
files = ["tone.csv"]
template = "{{text}} Stars: {{answer}}"
options = ["1", "2", "3", "4", "5"]

[[layout]]
label = "{{label}}"
{label_is}
"#
        )
    };
    let read = |label_is: &str, file: &str| {
        Place::new("tone.csv", file.as_bytes()).with_task(&stars(label_is)).read()
    };
    let right = |label_is: &str, file: &str| -> Vec<Option<usize>> {
        let read = read(label_is, file).expect("rows");
        read.rows.iter().map(|row| row.item.answer()).collect()
    };
    let file = "text,label\nBad.,1\nGood.,4\n";
    let refusal = read("", file).expect_err("1 is both");
    assert!(
        refusal.ends_with(
            "tone.csv: line 2 has the label \"1\", which is the text of one option and the index of \
             another, \"2\". Write label_is = \"text\" or label_is = \"index\" in the task's [[layout]]"
        ),
        "{refusal}"
    );
    assert_eq!(right("label_is = \"text\"", file), [Some(0), Some(3)]);
    assert_eq!(right("label_is = \"index\"", file), [Some(1), Some(4)]);
    // A text that is no index, and an index that is no text.
    assert_eq!(right("", "text,label\nBest.,5\nWorst.,0\n"), [Some(4), Some(0)]);
}

#[test]
fn a_rows_own_choices_that_are_numbers_are_read_by_their_text() {
    let task = r#"
name = "sums"
score = "continuation"
files = ["tone.jsonl"]
template = "{q} {answer}"

[[layout]]
choices = "list"
label = "{key}"
"#;
    let read = |list: &str, key: &str| {
        let file = format!("{{\"q\": \"3 - 3 =\", \"list\": {list}, \"key\": \"{key}\"}}");
        let read = Place::new("tone.jsonl", file.as_bytes()).with_task(task).read();
        read.map(|read| read.rows[0].item.answer())
    };
    let refusal = read(r#"["3", "5", "0"]"#, "0").expect_err("0 is both");
    assert!(refusal.contains("of another, \"3\""), "{refusal}");
    assert_eq!(read(r#"["3", "5", "0"]"#, "5"), Ok(Some(1)));
    assert_eq!(read(r#"["0", "1", "2"]"#, "1"), Ok(Some(1)));
}

#[test]
fn rows_with_another_number_of_choices_are_counted() {
    let task = r#"
name = "pick"
score = "option"
files = ["tone.jsonl"]
template = "{q}\n{options} {answer}"
options = ["A", "B"]

[[layout]]
choices = "list.text"
label = "{key}"
"#;
    let file = br#"{"q": "One?", "list": {"text": ["x", "y"]}, "key": "B"}
{"q": "Two?", "list": {"text": ["x", "y", "z"]}, "key": "C"}"#;
    let read = Place::new("tone.jsonl", file).with_task(task).read().expect("a row");
    assert_eq!(
        read.rows[0].item,
        Item::Option {
            prompt: "One?\nA: x\nB: y".into(),
            options: vec![" A".into(), " B".into()],
            answer: 1
        }
    );
    assert_eq!(read.notes.phrases(), ["1 with another number of choices, left out (line 2)"]);
}

/// The rows of a shipped task that read `text` from its file.
fn shipped(name: &str, file: &str, text: &str) -> Result<TaskRows, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(file);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(&path, text).expect("its data");
    let task = Task::find(name).expect(name);
    let rows = task.rows(Some(folder.path()), 10);
    rows.map_err(|error| error.to_string().replace(&path.display().to_string(), file))
}

fn items(name: &str, file: &str, text: &str) -> Vec<Item> {
    let rows = shipped(name, file, text).expect(name).rows;
    rows.into_iter().map(|row| row.item).collect()
}

#[test]
fn lambadas_last_word_is_asked_for() {
    let text = "{\"text\": \"Ann fed the dog.\\n\\nThen she walked the dog\"}\n\n\
                {\"text\": \"He whispered, \\u201cLook\\u201d to\\nSam\"}\r\n";
    let word =
        |context: &str, word: &str| Item::LastWord { context: context.into(), word: word.into() };
    assert_eq!(
        items("lambada", "lambada/test.jsonl", text),
        [
            word("Ann fed the dog.\n\nThen she walked the", " dog"),
            // lm-eval splits at spaces alone.
            word("He whispered, “Look”", " to\nSam"),
        ]
    );
    let text = r#"{"text": "a b"}
{"text": "one"}
{"text": "ends in a space "}
{"text": " alone"}"#;
    let read = shipped("lambada", "lambada/test.jsonl", text).expect("one row");
    assert_eq!(read.notes.phrases(), ["3 blank, left out (line 2, 3, 4)"]);
}

#[test]
fn gsm8ks_answer_is_the_number_behind_the_mark() {
    let text = r#####"{"question": "Ann has 3 hens. Each lays 700 eggs. How many eggs?", "answer": "3 x 700 = <<3*700=2100>>2100\n#### 2,100"}
{"question": "What is 4 less than 1?", "answer": "#### -3"}"#####;
    let generate = |prompt: &str, answer: &str| Item::Generate {
        prompt: prompt.into(),
        answer: answer.into(),
    };
    assert_eq!(
        items("gsm8k", "gsm8k/test.jsonl", text),
        [
            generate(
                "Question: Ann has 3 hens. Each lays 700 eggs. How many eggs?\nAnswer:",
                "2100"
            ),
            generate("Question: What is 4 less than 1?\nAnswer:", "-3"),
        ]
    );
    let refusal = shipped("gsm8k", "gsm8k/test.jsonl", r#"{"question": "q", "answer": "three"}"#);
    let refusal = refusal.expect_err("no number");
    assert!(refusal.contains("label that is no option (first \"three\" in line 1)"), "{refusal}");
}

#[test]
fn both_rewritings_of_arc_give_one_item() {
    let candidate = |choice: &str| Candidate {
        context: "Question: Which is a metal?\nAnswer:".into(),
        continuation: choice.into(),
    };
    let item = Item::Continuation {
        candidates: vec![candidate(" wood"), candidate(" iron"), candidate(" wool")],
        answer: 1,
    };
    for text in [
        r#"{"query": "Question: Which is a metal?", "choices": ["wood", "iron", "wool"], "gold": 1}"#,
        r#"{"task": "t", "input": "Which is a metal?", "options": ["wood", "iron", "wool"], "output": "iron"}"#,
    ] {
        assert_eq!(items("arc", "arc/arc_challenge.jsonl", text), std::slice::from_ref(&item));
    }
    let text = r#"{"query": "Question: q", "choices": ["a", "b"], "gold": 0}
{"query": "Question: ", "choices": ["a", "b"], "gold": 0}
{"query": "Question: q", "choices": ["a", ""], "gold": 0}
{"query": "Question: q", "choices": ["a"], "gold": 0}"#;
    let read = shipped("arc", "arc/arc_challenge.jsonl", text).expect("one row");
    assert_eq!(
        read.notes.phrases(),
        ["2 blank, left out (line 2, 3)", "1 with another number of choices, left out (line 4)"]
    );
    let text = r#"{"query": "Question: q", "choices": ["a", "b"], "gold": 2}"#;
    let refusal = shipped("arc", "arc/arc_challenge.jsonl", text).expect_err("no such choice");
    assert!(refusal.contains("label that is no option (first \"2\" in line 1)"), "{refusal}");
}
