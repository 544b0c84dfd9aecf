//! Links that were made before open what they opened.

use super::*;

#[test]
fn links_of_the_surveys_own_page_open_the_same() {
    let parse = |text: &str| Link::parse(text).expect("a link");
    let rows = parse("#survey&model=apprentice-4&task=mood&rows");
    assert_eq!(rows.view, View::Survey);
    assert_eq!(rows.looking.model, "apprentice-4");
    assert_eq!((rows.looking.task.as_str(), rows.looking.rows), ("mood", true));
    assert_eq!(rows.draft, None);
    let theory = parse("#theory&model=apprentice-2");
    assert_eq!((theory.view, theory.looking.model.as_str()), (View::Theory, "apprentice-2"));
    assert_eq!(parse("#theory").view, View::Theory);
}

#[test]
fn links_made_before_open_the_same() {
    let old = "#folder=tinystories-656k&prompt=Once+upon+a+time&option=.&option=%21&answer=0&plan=0-1,1&column=logit&view=orders&plot=kl";
    let link = Link::parse(old).expect("a link");
    let draft = link.draft.as_ref().expect("a draft");
    assert_eq!(draft.model, Choice::Folder("tinystories-656k".into()));
    assert_eq!(draft.options, [".", "!"]);
    assert_eq!((draft.answer, draft.plan.as_str()), (Some(0), "0-1,1"));
    assert_eq!((link.view, link.column), (View::Orders, Column::Logit));
    assert_eq!(link.sweeping.quantity, Quantity::Kl);
    assert_eq!(format!("#{}", link.fragment()), old);
}

#[test]
fn links_to_the_papers_questions_lead_to_the_steps_of_their_lesson() {
    for (question, step) in [(1, 0), (3, 2), (8, 7)] {
        let old = format!("#view=orders&question={question}");
        let link = Link::parse(&old).expect("a link");
        let lessons = LessonSettings { lesson: Some(11), step, ..LessonSettings::default() };
        assert_eq!((link.view, &link.lessons), (View::Lessons, &lessons));
        // The lesson's own model answers.
        assert_eq!(link.draft, None);
    }
    let own = "#model=apprentice-4&prompt=a&option=b&option=c&answer=0&view=orders&question=2";
    let draft = Link::parse(own).expect("a link").draft.expect("a draft");
    assert_eq!(draft.model, Choice::Known("apprentice-4".into()));
}

/// A link to a model that came with an older page keeps its name: who asks it is told what took its place.
#[test]
fn links_to_models_of_an_older_page_say_so() {
    for name in ["apprentice-4", "apprentice-4-step-000250"] {
        let old = format!("#model={name}&prompt=a&option=b&option=c&answer=0");
        let draft = Link::parse(&old).expect("a link").draft.expect("a draft");
        assert_eq!(draft.model, Choice::Known(name.into()));
        let former = crate::model::catalogue::former(draft.model.name()).expect("a former model");
        let sentence = former.to_string();
        let begins = format!("{name} is a model of an older page: its place is taken by scholar-4");
        assert!(sentence.starts_with(&begins), "{sentence}");
    }
}
