//! A survey's figures, from the baked one: every figure of the whole for what no figure may do. What
//! those of a part of it say is in `charts`.

use crate::charts::drawn::whole;
use crate::charts::reports::part;
use crate::common::root;
use atelier::chart::{DARK, Figure, LIGHT, all_figures, survey_figures};
use atelier::study::report::Opened;
use atelier::study::survey::{Survey, SurveyReport, SurveyedOutcome, correlations};

fn baked() -> Survey {
    let text = std::fs::read_to_string(root().join("public/examples/survey.atelier.json"));
    SurveyReport::read(&text.expect("the baked survey")).expect("a survey").survey
}

fn find<'a>(figures: &'a [Figure], name: &str) -> &'a Figure {
    let found = figures.iter().find(|figure| figure.name == name);
    found.unwrap_or_else(|| panic!("a figure {name}"))
}

#[test]
fn every_figure_of_the_whole_is_sound() {
    let survey = baked();
    let figures = survey_figures(&survey, &LIGHT);
    let names: Vec<&str> = figures.iter().map(|figure| figure.name.as_str()).collect();
    for name in [
        "table-1",
        "fig-3-correlation",
        "fig-4-shares",
        "fig-5-stream-scholar-12-shared",
        "fig-6-depth",
        "identity",
        "information-copula-scholar-8",
        "information-votes-scholar-8",
        "tradeoff",
        "uniform",
    ] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
    // A drawn formula is no figure of a survey, nor are members made up on the spot.
    let survey = Opened::Survey(Box::new(survey));
    let all = all_figures(&survey, &LIGHT);
    for made_up in ["fig-2-shapes", "theorem-7", "theorem-8"] {
        assert!(all.iter().all(|figure| figure.key != made_up), "{made_up}");
    }
    assert!(all.iter().any(|figure| figure.key == "theorem-6"));
    figures.iter().for_each(whole);
    let dark = survey_figures(&part(), &DARK);
    for one in dark {
        assert!(one.drawing(900).contains(DARK.ink));
    }
}

#[test]
fn what_has_no_numbers_has_no_figure() {
    let mut survey = part();
    for cell in &mut survey.cells {
        if cell.model == 1 {
            cell.outcome = SurveyedOutcome::Failed("it was not run".into());
        }
    }
    survey.correlations = correlations(&survey.cells, 2);
    let figures = survey_figures(&survey, &LIGHT);
    assert!(figures.iter().all(|figure| !figure.name.contains("shared")));
    let table = &find(&figures, "table-1").table;
    assert_eq!(table.rows.len(), 2);
    // One model with information, another without: a reason stands in its place.
    for cell in &mut survey.cells {
        if let SurveyedOutcome::Found(found) = &mut cell.outcome {
            found.information = Err("too few".into());
        }
    }
    let figures = survey_figures(&survey, &LIGHT);
    assert!(figures.iter().all(|figure| !figure.name.starts_with("information")));
}
