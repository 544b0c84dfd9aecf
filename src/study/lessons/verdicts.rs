//! Words on an option that holds, on one that does not, and where none does: on made-up voters, which need no model.

use super::*;

/// A step that asks where the error of the mean of all-alike voters lies: it is 1.
fn lesson(options: &str, when: &str) -> Lesson {
    let step = format!(
        r#"say = "Voters."
ask = "Where?"
reveal = "At {{error.100:0}}."
caveat = "Made up."

{options}

{when}

[step.before.theory.voters]
members = 5

[step.do.theory.voters]
members = 5"#
    );
    let text = super::tests::lesson(&step);
    Lesson::read("a.toml", &text).unwrap_or_else(|error| panic!("{error}"))
}

fn option(id: &str, holds: &str) -> String {
    format!(
        r#"
[[step.option]]
id = "{id}"
text = "{id}"
holds = {holds}
why = "It is so."
but = "It is {{error.100:1}}."
"#
    )
}

fn outcome(lesson: &Lesson) -> StepOutcome {
    let ask = StepAsk::Theory(TheoryAsk::Voters { members: 5 });
    let found = StepFound { ask, models: Vec::new() };
    lesson.outcome(&lesson.steps[0], "stories260k", Some(&found), Some(&found))
}

#[test]
fn an_option_hears_of_itself_what_is_so() {
    let options = option("low", r#"{ below = ["error.100", 0.5] }"#)
        + &option("high", r#"{ above = ["error.100", 0.5] }"#);
    let told = outcome(&lesson(&options, ""));
    assert_eq!(told.showing, StepShowing::Answered);
    let whys: Vec<&str> = told.options.iter().map(|of| of.why.as_str()).collect();
    assert_eq!(whys, ["It is 1.0.", "It is so."]);
}

#[test]
fn where_no_option_holds_it_is_not_called_open() {
    let options = option("low", r#"{ below = ["error.100", 0.5] }"#)
        + &option("high", r#"{ above = ["error.100", 2] }"#);
    let told = outcome(&lesson(&options, ""));
    assert_eq!((told.showing, told.right), (StepShowing::NoneHolds, None));
    let both = option("low", r#"{ below = ["error.100", 2] }"#)
        + &option("high", r#"{ above = ["error.100", 0.5] }"#);
    assert_eq!(outcome(&lesson(&both, "")).showing, StepShowing::Open);
}

#[test]
fn a_set_up_that_is_not_so_is_not_asked() {
    let options = option("low", r#"{ below = ["error.100", 0.5] }"#)
        + &option("high", r#"{ above = ["error.100", 0.5] }"#);
    let when = |line: &str| {
        format!(
            "[step.when]\nholds = {{ above = [\"before.error.100\", {line}] }}\nlacking = \"its voters err by {{before.error.100:0}}\""
        )
    };
    assert_eq!(outcome(&lesson(&options, &when("0.5"))).showing, StepShowing::Answered);
    let told = outcome(&lesson(&options, &when("2")));
    assert_eq!(
        told.showing,
        StepShowing::CannotShow(
            "stories260k cannot show this step (its voters err by 1): take scholar-12, for which it is written."
                .to_owned()
        )
    );
    assert!(told.options.iter().all(|option| option.holding.is_none()));
}

#[test]
fn numbers_are_credited_to_who_gave_them() {
    let ran = |names: &[&str]| {
        let models = names
            .iter()
            .map(|name| RanModel { model: (*name).to_owned(), engine: "CPU".to_owned() });
        RunSource::Models(models.collect()).to_string()
    };
    assert_eq!(ran(&["a"]), "Computed here by a, CPU.");
    assert_eq!(ran(&["a", "b", "c"]), "Computed here by a, b and c, CPU.");
    assert_eq!(
        ran(&["a-step-000000", "a-step-000125", "a"]),
        "Computed here by a and 2 moments of its training, CPU."
    );
    let told = outcome(&lesson(
        &(option("low", r#"{ below = ["error.100", 0.5] }"#) + &option("high", "\"otherwise\"")),
        "",
    ));
    assert_eq!(told.source, Some(RunSource::MadeUp));
    assert!(!RunSource::MadeUp.to_string().contains("stories260k"));
}
