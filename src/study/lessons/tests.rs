use super::*;

/// A lesson of one step.
pub(super) fn lesson(step: &str) -> String {
    let head = r#"
id = "a"
title = "A"
minutes = 1
belief = "b"
takeaway = "c"
model = "scholar-12"

[teacher]
heard = []
ask_back = []

[[step]]
id = "one"
"#;
    format!("{head}{step}\n")
}

const OPTIONS: &str = r#"
[[step.option]]
id = "yes"
text = "Yes"
holds = { above = ["accuracy.sum", 50] }
why = "It has {accuracy.sum:0} %."

[[step.option]]
id = "no"
text = "No"
holds = "otherwise"
why = "It has not."

[step.do.rows]
rows = [{ task = "sum", count = 4 }]
"#;

fn words(say: &str, reveal: &str) -> String {
    format!("say = {say:?}\nask = \"Is it?\"\nreveal = {reveal:?}\ncaveat = \"One model.\"\n")
}

#[test]
fn a_lesson_is_read_and_listed() {
    let text = lesson(&(words("It adds.", "{accuracy.sum:1}") + OPTIONS));
    let read = Lesson::read("a.toml", &text).expect("a lesson");
    assert_eq!(read.steps[0].id, "one");
    assert_eq!(read.model_of(&read.steps[0]), "scholar-12");
    let again: Lesson =
        serde_json::from_str(&serde_json::to_string(&read).expect("JSON")).expect("again");
    assert_eq!(again, read);
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_step() {
    let long = "word ".repeat(61);
    let of = |step: String| {
        let error = Lesson::read("a.toml", &lesson(&step)).expect_err("a fault");
        error.to_string()
    };
    let ok = || words("It adds.", "It does.");
    for (step, says) in [
        (
            words(&long, "It does.") + OPTIONS,
            "a.toml, step one: 63 words stand before the answer: say it in 60",
        ),
        (
            ok() + "marks = { tokens = [\"is\"] }\n" + OPTIONS,
            "a.toml, step one: it points at the word \"is\", which is in no prompt of its question: name another",
        ),
        (
            words("{accuracy.sum}", "It does.") + OPTIONS,
            "a.toml, step one: accuracy.sum is not known before the question is answered: name a field of before, or ask without it",
        ),
        (
            words("It adds.", "{before.accuracy.sum}") + OPTIONS,
            "a.toml, step one: before.accuracy.sum is a field of a run before the question, and there is none: write [step.before]",
        ),
        (
            words("It adds.", "{accuracy.sum") + OPTIONS,
            "a.toml, step one: \"{accuracy.sum\" has a brace without its other half: write fields as {lead:2}",
        ),
        (
            ok() + &OPTIONS.replace("\"sum\", count = 4", "\"sums\", count = 4"),
            "a.toml, step one: no task is called \"sums\": take one of topic, quiz, fact, often, same, follows, mood, sense, sum, last",
        ),
        (
            ok() + &OPTIONS.replace("count = 4", "count = 0"),
            "a.toml, step one: it asks for no rows of sum: ask for one at least",
        ),
        (
            ok() + &OPTIONS.replace("id = \"no\"", "id = \"yes\""),
            "a.toml, step one: two options have one id: give every option its own",
        ),
    ] {
        assert_eq!(of(step), says);
    }
    let unknown = of(ok() + &OPTIONS.replace("[\"accuracy.sum\", 50]", "[\"lead\", 50]"));
    assert!(unknown.contains("no such run has a field lead"), "{unknown}");
    let key = of(ok() + "colour = \"red\"\n" + OPTIONS);
    assert!(key.contains("a.toml is no lesson") && key.contains("colour"), "{key}");
    let kind = of(ok() + &OPTIONS.replace("above", "over"));
    assert!(kind.contains("over"), "{kind}");
}

#[test]
fn marks_point_at_the_last_of_a_word_and_at_the_blocks_of_members() {
    let marks = LessonMarks {
        members: vec!["embedding".into(), "1m".into()],
        blocks: vec![7],
        tokens: vec!["is".into(), "no".into()],
        ..LessonMarks::default()
    };
    let marked: Vec<(&str, bool)> = marks.in_prompt("it is bad . it is");
    let places: Vec<usize> = (0..6).filter(|i| marked[*i].1).collect();
    assert_eq!(places, [5]);
    assert_eq!(marks.all_blocks().into_iter().collect::<Vec<_>>(), [1, 7]);
}

fn value(value: f64, half: f64) -> FieldValue {
    FieldValue::Number { value, low: value - half, high: value + half }
}

#[test]
fn an_interval_does_not_round_its_side_away() {
    for (low, high, written) in [
        (-0.352, 31.9, "15.8 (−0.4 to 31.9)"),
        (-31.9, -0.352, "15.8 (−31.9 to −0.4)"),
        (0.04, 31.9, "15.80 (0.04 to 31.90)"),
        (0.0, 31.9, "16 (0 to 32)"),
        (-4.2, 31.9, "16 (−4 to 32)"),
    ] {
        let value = FieldValue::Number { value: 15.8, low, high };
        assert_eq!(value.formatted(FieldFormat::Interval), written);
    }
}

#[test]
fn an_interval_has_digits_for_its_width() {
    for (value, low, high, written) in [
        (0.262, 0.248, 0.276, "0.26 (0.25 to 0.28)"),
        (0.0099, 0.0092, 0.0107, "0.010 (0.009 to 0.011)"),
        (99.62, 99.41, 99.76, "99.6 (99.4 to 99.8)"),
        (92.0, 91.2, 92.7, "92 (91 to 93)"),
        (100.0, 100.0, 100.0, "100 (100 to 100)"),
    ] {
        let value = FieldValue::Number { value, low, high };
        assert_eq!(value.formatted(FieldFormat::Interval), written);
    }
}

fn one_of(word: &str, beside: &[&str]) -> FieldValue {
    let beside = beside.iter().map(|word| (*word).to_owned()).collect();
    FieldValue::Largest { word: word.to_owned(), beside }
}

/// Judges a predicate on a, which has an interval, and on b.
fn judged(predicate: &str, a: FieldValue, b: FieldValue) -> Holding {
    #[derive(serde::Deserialize)]
    struct HoldsLine {
        holds: Predicate,
    }
    let file: HoldsLine = toml::from_str(&format!("holds = {predicate}")).expect(predicate);
    let field = |name: &FieldName| -> Result<FieldValue, LessonError> {
        Ok(if name.parts[0] == "a" { a.clone() } else { b.clone() })
    };
    let found = Predicate::judge_all(&[&file.holds], &field).expect("two fields");
    found[0]
}

#[test]
fn predicates_agree_disagree_or_leave_open() {
    use Holding::{Agrees, Disagrees, Open};
    let exact = FieldValue::exact;
    for (predicate, a, b, expected) in [
        ("{ above = [\"a\", 1] }", exact(2.0), exact(0.0), Agrees),
        ("{ above = [\"a\", 1] }", exact(1.0), exact(0.0), Disagrees),
        ("{ above = [\"a\", 1] }", value(1.5, 1.0), exact(0.0), Open),
        ("{ below = [\"a\", 1] }", exact(0.5), exact(0.0), Agrees),
        ("{ below = [\"a\", 1] }", exact(1.5), exact(0.0), Disagrees),
        ("{ between = [\"a\", 1, 2] }", exact(1.0), exact(0.0), Agrees),
        ("{ between = [\"a\", 1, 2] }", value(2.0, 0.5), exact(0.0), Open),
        ("{ between = [\"a\", 1, 2] }", exact(2.5), exact(0.0), Disagrees),
        ("{ more = [\"a\", \"b\", 1] }", exact(3.0), exact(1.0), Agrees),
        ("{ more = [\"a\", \"b\", 1] }", value(3.0, 3.0), value(1.0, 4.0), Open),
        ("{ more = [\"a\", \"b\", 1] }", exact(1.0), exact(3.0), Disagrees),
        ("{ near = [\"a\", \"b\", 1] }", exact(3.0), exact(3.5), Agrees),
        ("{ near = [\"a\", \"b\", 1] }", exact(3.0), exact(5.0), Disagrees),
        ("{ near = [\"a\", \"b\", 1] }", value(3.0, 1.0), exact(3.5), Open),
        ("{ largest = [\"a\", [\"b\"]] }", exact(3.0), exact(1.0), Agrees),
        ("{ says = [\"a\", \"is\"] }", FieldValue::Word("is".into()), exact(0.0), Agrees),
        ("{ same_word = [\"a\", \"b\"] }", exact(1.0), FieldValue::Word("is".into()), Disagrees),
        // What the rows cannot tell apart may be the same or not.
        ("{ same_word = [\"a\", \"b\"] }", one_of("x", &["y"]), one_of("y", &[]), Open),
        ("{ same_word = [\"a\", \"b\"] }", one_of("x", &[]), one_of("x", &[]), Agrees),
        ("{ same_word = [\"a\", \"b\"] }", one_of("x", &["z"]), one_of("y", &[]), Disagrees),
        ("{ says = [\"a\", \"x\"] }", one_of("x", &["y"]), exact(0.0), Open),
        ("{ not = { above = [\"a\", 1] } }", value(1.5, 1.0), exact(0.0), Open),
        (
            "{ all = [{ above = [\"a\", 1] }, { above = [\"b\", 1] }] }",
            value(1.5, 1.0),
            exact(0.0),
            Disagrees,
        ),
        (
            "{ any = [{ above = [\"a\", 1] }, { above = [\"b\", 1] }] }",
            value(1.5, 1.0),
            exact(2.0),
            Agrees,
        ),
        // Of a word no number holds.
        ("{ above = [\"a\", 1] }", FieldValue::Word("is".into()), exact(0.0), Open),
    ] {
        assert_eq!(judged(predicate, a, b), expected, "{predicate}");
    }
}

#[test]
fn otherwise_is_what_no_other_option_is() {
    let field = |name: &FieldName| -> Result<FieldValue, LessonError> {
        Ok(if name.parts[0] == "a" { value(1.0, 0.5) } else { FieldValue::exact(1.0) })
    };
    let above = |name: &str, line: f64| Predicate::Above(name.parse().expect(name), line);
    let of = |first: &Predicate| {
        let all = Predicate::judge_all(&[first, &Predicate::Otherwise], &field);
        all.expect("fields")[1]
    };
    assert_eq!(of(&above("b", 0.0)), Holding::Disagrees);
    assert_eq!(of(&above("b", 2.0)), Holding::Agrees);
    assert_eq!(of(&above("a", 1.0)), Holding::Open);
}

#[test]
fn fields_are_named_and_written() {
    for name in ["lead", "before.vote.1m", "accuracy.sum.off@scholar-2", "lost.sum.drop:6"] {
        assert_eq!(name.parse::<FieldName>().expect(name).to_string(), name);
    }
    for name in ["", "a..b", "a b", "before."] {
        assert!(name.parse::<FieldName>().is_err(), "{name:?}");
    }
    let text = |value: f64, format| FieldValue::exact(value).formatted(format);
    assert_eq!(text(-0.004, FieldFormat::Decimals(2)), "0.00");
    assert_eq!(text(-1.5, FieldFormat::Decimals(1)), "−1.5");
    assert_eq!(text(4.2e-6, FieldFormat::Scientific), "4e-6");
    assert_eq!(text(0.0, FieldFormat::Scientific), "0");
}

#[test]
fn moments_are_those_of_the_model_that_is_taught_with() {
    let ask = StepAsk::Rows(RowsAsk {
        rows: Vec::new(),
        plans: Default::default(),
        drops: false,
        models: vec!["moments".to_owned()],
        show: Vec::new(),
        column: ReadColumn::default(),
        turned: Vec::new(),
    });
    let names = ask.models("scholar-4").expect("moments");
    assert_eq!(names.len(), 8);
    assert_eq!(names.last().map(String::as_str), Some("scholar-4"));
    let error = ask.models("stories260k").expect_err("none").to_string();
    assert_eq!(error, "no moments of the training of stories260k were kept");
}
