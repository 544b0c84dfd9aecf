use super::*;
use crate::study::lessons::{LESSONS, Predicate};

fn text(number: usize) -> String {
    let file = format!("public/lessons/{}.toml", LESSONS[number - 1]);
    std::fs::read_to_string(file).expect("a lesson of ours")
}

fn lesson(number: usize) -> Lesson {
    Lesson::read("a.toml", &text(number)).expect("a lesson")
}

fn taken(number: usize, id: &str, by: StepTaker<'_>) -> LessonStep {
    let lesson = lesson(number);
    lesson.taken(lesson.step(id).expect("a step"), by).expect("a step that it takes")
}

fn plans(step: &LessonStep) -> Vec<String> {
    step.action.plans().into_iter().cloned().collect()
}

#[test]
fn the_model_that_a_step_is_written_for_takes_it_as_it_stands_there() {
    let step = taken(7, "together", StepTaker::Written);
    assert_eq!(plans(&step), ["0-6,10-11"]);
    assert!(step.say.starts_with("Leaving out block 7 costs quiz {before.lost.quiz.first-out:0}"));
    assert_eq!(step.marks.blocks, [7, 8, 9]);
    assert_eq!(taken(4, "late", StepTaker::Written).options[1].text, "Quiz");
    // Whoever takes what is taken changes nothing.
    let lesson = lesson(7);
    assert_eq!(lesson.written(&step), Ok(step.clone()));
    // Its prompt is the lesson's.
    let StepAsk::Lens(ask) = taken(1, "alone", StepTaker::Written).action else { panic!("a lens") };
    assert_eq!(ask.prompt, None);
}

#[test]
fn a_deeper_model_that_reads_english_has_its_own_places_tasks_and_words() {
    let by = StepTaker::Plain { blocks: 30 };
    let step = taken(7, "together", by);
    assert_eq!(plans(&step), ["0-17,21-29"]);
    assert_eq!(step.marks.blocks, [18, 19, 20]);
    let start =
        "Leaving out block 18 costs “kinds” {before.lost.kinds.first-out:0} percentage points";
    assert!(step.say.starts_with(start), "{}", step.say);
    let premise = step.when.as_ref().expect("a premise");
    assert!(matches!(&premise.holds, Predicate::All(all) if all.len() == 3));
    assert!(premise.holds.fields().iter().all(|field| field.parts[1] == "kinds"));
    let rows = step.action.groups();
    assert_eq!((rows[0].task.as_str(), rows[0].name(), rows[0].count), ("kinds", "kinds", 78));

    // Another place.
    assert_eq!(plans(&taken(7, "swap", StepTaker::Written)), ["swap:4", "drop:4"]);
    assert_eq!(plans(&taken(7, "swap", by)), ["swap:0", "drop:0"]);

    // Words of its own, an option's too; the rest stays.
    let step = taken(7, "reverse", by);
    assert_eq!(plans(&step), ["reverse:8"]);
    assert!(step.caveat.starts_with("That “who” puts pieces together"), "{}", step.caveat);
    assert_eq!(step.options[0].text, "“Kinds”");
    assert_eq!(
        step.options[1].belief.as_deref(),
        Some("A word must be read before its opposite can be found.")
    );

    // Groups of rows that are read by themselves, and heads, which take most of the runs.
    let StepAsk::Sweeps(ask) = taken(11, "tasks", by).action else { panic!("sweeps") };
    assert_eq!(ask.groups["steps"], ["past", "who", "agreement", "plurals"]);
    let StepAsk::Sweeps(ask) = taken(11, "second-look", by).action else { panic!("sweeps") };
    assert!(!ask.every_size);
    let heads = |id| match taken(4, id, by).action {
        StepAsk::Heads(ask) => ask.parts,
        other => panic!("{other:?}"),
    };
    let parts = [HeadParts::Components, HeadParts::Attending];
    assert_eq!([heads("vote-and-need"), heads("looking")], parts);

    let StepAsk::Lens(ask) = taken(1, "alone", by).action else { panic!("a lens") };
    assert_eq!(ask.prompt.expect("its own").text, "The capital of France is");
}

#[test]
fn what_a_step_does_not_name_is_a_fault_of_its_file() {
    let lesson = lesson(7);
    let with = |change: &dyn Fn(&mut LessonStep)| {
        let mut step = lesson.step("together").expect("a step").clone();
        change(&mut step);
        lesson.written(&step).expect_err("a fault").to_string()
    };
    let place = with(&|step| step.say = "Block {place.two} is out.".to_owned());
    assert!(place.contains("\"two\" names no place"), "{place}");
    let task = with(&|step| step.say = "On {task.sum}.".to_owned());
    assert!(task.contains("name a group of the step's rows"), "{task}");
    let odd = text(7).replace("task = \"kinds\"", "task = \"sorts\"");
    let error = Lesson::read("07.toml", &odd).expect_err("no such task").to_string();
    assert!(error.contains("rows of \"sorts\" are none in plain English"), "{error}");
}
