use super::*;
use crate::task::primer::GeneratedTask;

/// Name, rows and options of every task.
const COUNTS: [(&str, usize, usize); 9] = [
    ("capitals", 67, 4),
    ("opposites", 91, 4),
    ("plurals", 70, 4),
    ("past", 64, 4),
    ("counting", 84, 4),
    ("kinds", 78, 4),
    ("colours", 66, 4),
    ("agreement", 58, 2),
    ("who", 60, 2),
];

#[test]
fn rows_are_counted_and_the_files_are_small() {
    let counts = PlainTask::ALL.map(|task| {
        let rows = task.rows(usize::MAX);
        assert_eq!(rows.len(), task.row_count());
        (task.name(), rows.len(), rows[0].item.options())
    });
    assert_eq!(counts, COUNTS);

    let bytes: usize = PlainTask::ALL.iter().map(|task| task.file().1.len()).sum();
    assert!(bytes <= 60_000, "{bytes} bytes");
}

#[test]
fn names_are_of_one_task_each() {
    for task in PlainTask::ALL {
        assert_eq!(PlainTask::from_name(task.name()), Some(task));
        assert_eq!(GeneratedTask::from_name(task.name()), None);
        assert!(task.about().ends_with('?'), "{}", task.about());
    }
}

#[test]
fn every_row_has_distinct_options_and_one_is_right() {
    for task in PlainTask::ALL {
        let facts = task.facts();
        for row in task.rows(usize::MAX) {
            let Item::Option { prompt, options, answer } = &row.item else {
                panic!("{}: {:?}", task.name(), row.item);
            };
            let fact = &facts.rows[row.line - 1];
            let right = |option: &&String| option[1..] == fact.right;
            assert_eq!(options.iter().filter(right).count(), 1, "{row:?}");
            assert_eq!(options[*answer], format!(" {}", fact.right), "{row:?}");

            // No two alike, none that is right as well.
            let distinct: std::collections::HashSet<&String> = options.iter().collect();
            assert_eq!(distinct.len(), options.len(), "{row:?}");
            assert!(!options.iter().any(|option| fact.also.contains(&option[1..].into())));

            // The frame is filled and ends in a word or comma.
            assert!(!prompt.contains(['{', '}', '|']) && !prompt.ends_with(' '), "{prompt:?}");
            assert!(fact.given.iter().all(|word| prompt.contains(word.as_str())), "{prompt:?}");
        }
    }
}

#[test]
fn no_question_is_asked_twice_or_solved_in_an_example_or_tried() {
    for task in PlainTask::ALL {
        let (facts, tried) = (task.facts(), task.facts().tried());
        assert!(facts.examples.len() <= 2, "{}", task.name());
        assert_eq!(tried.len(), 10, "{}", task.name());
        let mut seen = std::collections::HashSet::new();
        for fact in facts.examples.iter().chain(&tried).chain(&facts.rows) {
            assert!(
                seen.insert(asked(task, &fact.given, &fact.right)),
                "{}: {fact:?}",
                task.name()
            );
        }
    }
}

/// Words that make two rows the same question; of two people both, since names return.
fn asked(task: PlainTask, given: &[String], right: &str) -> Vec<String> {
    let mut words = given.to_vec();
    if task == PlainTask::Who {
        words.push(right.to_owned());
    }
    words
}

#[test]
fn rows_and_options_are_drawn_alike_every_time() {
    let text = PlainTask::Opposites.rows(2).into_iter().map(|row| match row.item {
        Item::Option { prompt, options, answer } => format!("{prompt} {options:?} {answer}"),
        other => panic!("{other:?}"),
    });
    let examples = "The opposite of hot is cold. The opposite of open is closed. The opposite of";
    let expected = [
        format!(r#"{examples} bottom is [" export", " after", " old", " top"] 3"#),
        format!(r#"{examples} night is [" start", " day", " out", " summer"] 1"#),
    ];
    assert_eq!(text.collect::<Vec<_>>(), expected);
}

#[test]
fn a_probe_has_every_option_once() {
    for task in PlainTask::ALL {
        let Item::Option { options: all, .. } = task.probe() else {
            panic!("{}", task.name());
        };
        for row in task.rows(usize::MAX) {
            let Item::Option { options, .. } = row.item else { continue };
            assert!(options.iter().all(|option| all.contains(option)), "{options:?}");
        }
        let distinct: std::collections::HashSet<&String> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
    }
}

#[test]
fn a_file_that_is_no_task_is_refused() {
    let refused = |text: &str| WordFacts::parse(text).err().expect("a refusal");
    assert!(refused("about = 1").contains("about"));
    let no_answer =
        "about = \"\"\nframes = []\nend = \"\"\nexamples = \"\"\ntried = \"\"\nrows = \"hot\"";
    assert_eq!(refused(no_answer), "\"hot\" has no answer");
    let seen = no_answer
        .replace("tried = \"\"", "tried = \"hot,cold\"")
        .replace("\"hot\"", "\"hot,cold\"");
    assert_eq!(refused(&seen), "the row of \"cold\" was tried or solved before it is asked");
}
