use super::*;
use crate::app::protocol::TokenAsk;
use crate::chart::Quantity;
use crate::study::coupling::CouplingMetric;
use crate::study::orders::{Extent, Sweep};
use crate::task::built_in::BuiltInTask;

fn draft() -> Draft {
    Draft {
        model: Choice::Known("scholar-12".into()),
        prompt: "1 + 1 = 100 % & #?\nné“".into(),
        options: vec![" 2".into(), " a&b=c".into()],
        answer: Some(1),
        plan: "0-3,(4-7)x3,9".into(),
    }
}

fn again(link: &Link) -> Option<Link> {
    Link::parse(&format!("#{}", link.fragment()))
}

/// Everything that a view of a run's inside is set to.
#[test]
fn the_inside_of_a_run_is_linked_to() {
    let inside = InsideSettings {
        from: Some(4),
        query: Some(7),
        run: 3,
        head: 2,
        is_carried: true,
        skips_first: true,
        ..InsideSettings::default()
    };
    let link = Link { inside, ..Link::to(View::Attention) };
    assert_eq!(again(&link), Some(link.clone()));
    assert!(
        link.fragment()
            .ends_with("view=attention&from=4&query=7&run=3&head=2&show=carried&first=out"),
        "{}",
        link.fragment()
    );
    use crate::chart::DepthColour::{Followed, Rank};
    for colour in [Followed(1), Rank(0), Rank(7)] {
        let inside = InsideSettings {
            colour,
            is_held: true,
            follow: vec![" yes".into(), " no".into()],
            ..InsideSettings::default()
        };
        let link = Link { inside, ..Link::to(View::LogitLens) };
        assert_eq!(again(&link), Some(link.clone()));
    }
    for name in ["rank0", "rank9", "rank", "word9", "wordy"] {
        assert_eq!(colour_of(name), crate::chart::DepthColour::Probability);
    }
    // What nobody can read is at its default.
    let read = Link::parse("#view=attention&query=x&head=-1").expect("a link");
    assert_eq!(read.inside, InsideSettings::default());
}

#[test]
fn every_setting_of_a_coupling_is_in_the_link() {
    let coupling = CouplingSettings {
        metric: CouplingMetric::Singular,
        k: 16,
        pair: Some([3, 5]),
        frame: Some(0),
        tokens: TokenAsk { is_wanted: true, step: Some(4), t_in: Some(1), t_out: Some(7) },
        against: AGAINST[3].0,
        task: BuiltInTask::from_name("mood"),
        rows: 12,
        out: ["0-1".to_owned(), "a,b".to_owned()].into(),
    };
    let link = Link { coupling, ..Link::to(View::Coupling) };
    assert_eq!(again(&link), Some(link.clone()));
    assert!(
        link.fragment().ends_with(
            "view=coupling&metric=singular&k=16&pair=3,5&tokens=yes&step=4&t-in=1&t-out=7&frame=0&against=drop-accuracy&of=mood&of-rows=12&without=0-1&without=a,b"
        ),
        "{}",
        link.fragment()
    );
    // What nobody can read is at its default, and what is another view's is that view's.
    let read = Link::parse("#view=coupling&metric=x&k=x&pair=3&frame=-1&of-rows=0&of=x&against=x");
    let expected = CouplingSettings { rows: 1, ..CouplingSettings::default() };
    assert_eq!(read.expect("a link").coupling, expected);
    let other = Link::parse("#view=orders&metric=singular").expect("a link");
    assert_eq!(other.coupling, CouplingSettings::default());
}

#[test]
fn a_link_names_the_figures_that_are_unfolded() {
    let unfolded = vec!["coupling-pair".to_owned(), "rows-map".to_owned()];
    let figure = Some("rows-shape".to_owned());
    let link = Link { figure, unfolded, ..Link::to(View::Coupling) };
    assert_eq!(again(&link), Some(link.clone()));
    let end = "view=coupling&unfolded=coupling-pair&unfolded=rows-map&figure=rows-shape";
    assert!(link.fragment().ends_with(end), "{}", link.fragment());
    // A key stands once, and is a word.
    let read = Link::parse("#view=survey&unfolded=levels&unfolded=levels&unfolded=&unfolded=a b");
    assert_eq!(read.expect("a link").unfolded, ["levels"]);
    assert_eq!(Link::parse("#view=survey&figure=a b").expect("a link").figure, None);
    // A figure says nothing of model and prompt.
    assert_eq!(Link::parse("#view=survey&figure=levels").expect("a link").draft, None);
}

#[test]
fn a_link_restores_what_it_was_made_of() {
    for model in [Choice::Known("scholar-12".into()), Choice::Folder("my model".into())] {
        for column in Column::ALL {
            let link = Link {
                draft: Some(Draft { model: model.clone(), answer: None, ..draft() }),
                column,
                ..Link::to(View::Lens)
            };
            assert_eq!(again(&link), Some(link));
        }
    }
}

fn task(name: &str) -> BuiltInTask {
    BuiltInTask::from_name(name).expect("a task")
}

#[test]
fn every_setting_of_a_sweep_is_in_the_link() {
    let link = Link {
        draft: Some(draft()),
        sweeping: SweepSettings {
            tasks: Some(["who", "topic", "sum"].map(task).to_vec()),
            rows: 200,
            kinds: vec![Sweep::Skip, Sweep::Loop],
            extent: Extent { seeds: 3, rounds: 5, heads: 0 },
            quantity: Quantity::Kl,
            shown: Some("topic".into()),
        },
        ..Link::to(View::Orders)
    };
    assert_eq!(again(&link), Some(link.clone()));
    assert!(link.fragment().ends_with(
        "view=orders&plot=kl&tasks=who,topic,sum&sweeps=skip,loop&sweep-rows=200&shuffles=3&rounds=5&swept=topic"
    ));
}

/// The page's own survey is in the links of both views that read it.
#[test]
fn the_shipped_survey_is_in_the_link() {
    for view in [View::Survey, View::Theory] {
        let looking = Looking { shipped: ShippedSurvey::SmolLm2, ..Looking::default() };
        let link = Link { looking, ..Link::to(view) };
        assert!(link.fragment().ends_with(&format!("view={}&shipped=smollm2", view.name())));
        assert_eq!(again(&link), Some(link));
        let plain = Link::to(view);
        assert!(!plain.fragment().contains("shipped"), "{}", plain.fragment());
    }
    let read = Link::parse("#view=survey&shipped=x").expect("a link");
    assert_eq!(read.looking.shipped, ShippedSurvey::Scholars);
    // Names of one survey's models mean nothing in the other.
    let looking = Looking {
        task: "mood".into(),
        rows: true,
        mean: MeanOf::Mass,
        hidden_tasks: ["sum".to_owned()].into(),
        ..Looking::default()
    };
    let other = looking.with_shipped(ShippedSurvey::SmolLm2);
    let shipped = ShippedSurvey::SmolLm2;
    assert_eq!(other, Looking { shipped, mean: MeanOf::Mass, ..Looking::default() });
}

#[test]
fn every_setting_of_a_survey_and_of_a_theorem_is_in_the_link() {
    let mut looking = Looking {
        shipped: ShippedSurvey::SmolLm2,
        model: "scholar-4 (a.json)".into(),
        task: "mood".into(),
        rows: true,
        mean: MeanOf::Bias,
        hidden_models: ["scholar-2".to_owned(), "a,b".to_owned()].into(),
        hidden_tasks: ["sum".to_owned()].into(),
        ..Looking::default()
    };
    let survey = Link { looking: looking.clone(), ..Link::to(View::Survey) };
    assert_eq!(again(&survey), Some(survey.clone()));
    // The draft goes with it where it is not the one the page opens with.
    let with = Link { draft: Some(draft()), ..survey };
    assert_eq!(again(&with), Some(with));
    looking.knobs[2] = Some(0.35);
    let theory = Link { looking, ..Link::to(View::Theory) };
    assert!(theory.fragment().ends_with("task=mood&knob3=0.35"));
    let read = again(&theory).expect("a link");
    // The other view's settings are not Theory's to say.
    let kept = read.looking.keeping(View::Theory, &theory.looking);
    assert_eq!(kept, theory.looking);
}

#[test]
fn a_served_model_is_linked_to_by_name_and_hash() {
    let sha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53".to_owned();
    let folder = Choice::Folder("my model".into());
    let draft = Draft { model: folder, ..draft() };
    let link = Link { draft: Some(draft), sha256: Some(sha256.clone()), ..Link::start() };
    assert_eq!(link.hash(), Some(("my model".to_owned(), sha256.clone())));
    assert!(link.fragment().starts_with("folder=my+model&"), "{}", link.fragment());
    assert!(link.fragment().ends_with(&format!("&sha256={sha256}")), "{}", link.fragment());
    assert_eq!(again(&link), Some(link.clone()));
    // What is no hash is none; and a model that comes with the page has no need of one.
    let broken = Link::parse("#folder=my+model&sha256=b179").expect("a link");
    assert_eq!(broken.hash(), None);
    let known = Link::parse(&format!("#model=scholar-4&sha256={sha256}")).expect("a link");
    assert_eq!(known.hash(), None);
    assert!(!known.fragment().contains("sha256"), "{}", known.fragment());
}

#[test]
fn broken_links_do_what_they_can() {
    // The way to the picture for those who walk by keyboard is no view.
    for text in ["#main", "#figures", "#figure-votes"] {
        assert_eq!(Link::parse(text), None, "{text}");
    }
    assert_eq!(Link::parse(""), Some(Link::start()));
    let link = Link::parse("#answer=9&column=nonsense&prompt=%zz%E9").unwrap();
    let draft = link.draft.expect("a draft");
    assert_eq!((draft.answer, link.column), (Some(3), Column::Probability));
    assert_eq!(draft.prompt, "%zz\u{fffd}");
    let link = Link::parse("#view=orders&sweep-rows=999999&rounds=0&knob3=abc").unwrap();
    assert_eq!(link.sweeping.rows, MOST_ROWS);
    assert_eq!(link.sweeping.extent.rounds, 1);
    assert_eq!(link.looking.knobs, [None; 8]);
}

#[test]
fn a_lesson_is_linked_to_with_its_step_and_its_look_and_only_the_readers_model() {
    let lessons = LessonSettings { lesson: Some(3), step: 1, is_projected: true, is_held: true };
    let mut link = Link { lessons, ..Link::to(View::Lessons) };
    let fragment = "view=lessons&lesson=3&step=2&projector=yes&hold=yes";
    assert_eq!(link.fragment(), fragment);
    assert_eq!(again(&link), Some(link.clone()));
    // As a teacher types it.
    let typed = Link::parse("#view=lessons&lesson=3&step=2&projector&hold");
    assert_eq!(typed, Some(link.clone()));
    // A prompt of the reader's is none of a lesson's.
    link.draft = Some(Draft { model: Choice::Known("scholar-2".into()), ..draft() });
    assert_eq!(link.fragment(), format!("model=scholar-2&{fragment}"));
    // A model that is named is asked; else what is there answers.
    let named = Link::parse("#view=lessons&model=scholar-2").expect("a link");
    let model = named.draft.map(|draft| draft.model);
    assert_eq!(model, Some(Choice::Known("scholar-2".into())));
    // What nobody can read is at its default, and what is another view's is that view's.
    for odd in ["lesson=0", "lesson=x", "lesson=100", "step=0", "step=-1", "hold=no", "projector=0"]
    {
        let read = Link::parse(&format!("#view=lessons&{odd}")).expect("a link");
        assert_eq!(read, Link::to(View::Lessons), "{odd}");
    }
    let other = Link::parse("#view=theory&lesson=1&projector=yes").expect("a link");
    assert_eq!(other.lessons, LessonSettings::default());
}

#[test]
fn the_lens_and_orders_are_linked_to_as_a_wall_shows_them() {
    for (view, typed) in [(View::Lens, "#projector"), (View::Orders, "#view=orders&projector")] {
        let read = Link::parse(typed).expect("a link");
        assert!(read.lessons.is_projected, "{typed}");
        assert_eq!(read.view, view);
        assert!(read.fragment().ends_with("projector=yes"), "{}", read.fragment());
        assert_eq!(again(&read), Some(read));
    }
    // Views without such a look take it along nowhere.
    let lessons = LessonSettings { is_projected: true, ..LessonSettings::default() };
    let survey = Link { lessons, ..Link::to(View::Survey) };
    assert!(!survey.fragment().contains("projector"), "{}", survey.fragment());
}
