//! Drawings of figures: SVG text that any reader of XML takes, and words where it is pointed at.

use atelier::chart::plot::{Axis, Mark, MarkShape, Room, Series};
use atelier::chart::{
    Column, DARK, Figure, LIGHT, Quantity, TableCell, Theme, all_figures, figures, lab_figures,
    survey_figures, sweep_figures,
};
use atelier::engine::MemberKind;
use atelier::measure::decomposition::Share;
use atelier::measure::interval::Mean;
use atelier::study::coupling::ModelsCouplingReport;
use atelier::study::report::Opened;
use atelier::study::survey::{Survey, SurveyedOutcome};

use super::reports::{self, lab, lens, survey, sweep};
use crate::snapshot::check;

fn opened() -> Vec<Opened> {
    let reports = reports::all().into_iter().map(|report| {
        let text = serde_json::to_vec(&report).expect("JSON");
        Opened::read(&text).expect("a report")
    });
    let mut all: Vec<Opened> = reports.collect();
    all.push(Opened::Survey(Box::new(survey())));
    let models = ModelsCouplingReport::new(reports::coupled_models());
    let text = serde_json::to_vec(&models).expect("JSON");
    all.push(Opened::read(&text).expect("a comparison of models"));
    all
}

/// Checks that hold for every figure and its drawings.
pub fn sound(figure: &Figure) {
    let name = &figure.name;
    assert!(!figure.title.is_empty(), "{name}");
    for row in &figure.table.rows {
        assert_eq!(row.len(), figure.table.headers.len(), "{name}");
    }
    for svg in [figure.svg(960, "a source"), figure.svg(390, ""), figure.drawing(358)] {
        let document = roxmltree::Document::parse(&svg).unwrap_or_else(|error| {
            panic!("{name}: {error}");
        });
        assert_eq!(document.root_element().tag_name().name(), "svg");
        for element in document.descendants() {
            let text = element.text().unwrap_or_default();
            assert!(!parts_per_cent(text), "{name}: a line may end within {text:?}");
            for attribute in element.attributes().filter(|one| one.name() != "aria-label") {
                let value = attribute.value();
                let drawn = !value.contains("NaN") && !value.contains("inf");
                assert!(drawn, "{name}: {}=\"{value}\"", attribute.name());
            }
        }
    }
    for width in [288, 358] {
        assert_within(name, &figure.drawing(width), f64::from(width));
    }
    // Whatever is edited, pointing answers something or nothing.
    let [x, y] = [figure.room.width, figure.height()].map(f64::from);
    let _ = figure.pointed([0.3 * x, 0.5 * y]);
}

/// Points at a figure's whole drawing, step by step: marks answer, and what answers lies there.
fn assert_answers(figure: &Figure) {
    let name = &figure.name;
    let columns = figure.plot.hover.as_ref().map_or(0, Vec::len);
    let has_marks = |panel: &atelier::chart::plot::Panel| {
        let mut series = panel.series.iter().filter(|series| !series.points.is_empty());
        !panel.patches.is_empty() || series.any(|series| series.pen.mark != Mark::None)
    };
    for room in [Room::NARROW, Room::wide(1), Room::of(1300)] {
        let figure = figure.clone().laid_out(room);
        let mut said = std::collections::BTreeSet::new();
        for y in (0..figure.height()).step_by(13) {
            for x in (0..room.width).step_by(9) {
                let pixel = [f64::from(x), f64::from(y)];
                let Some(pointed) = figure.pointed(pixel) else { continue };
                let is_near = |&[left, top, width, height]: &[f64; 4]| {
                    (left - 20.0..=left + width + 20.0).contains(&pixel[0])
                        && (top - 20.0..=top + height + 20.0).contains(&pixel[1])
                };
                assert!(pointed.boxes.iter().any(is_near), "{name} at {pixel:?}: {pointed:?}");
                if let Some(column) = pointed.column {
                    assert!(column < columns, "{name}: column {column} of {columns}");
                    assert_eq!(figure.pointed_column(column), Some(pointed.clone()), "{name}");
                }
                said.insert(pointed.words);
            }
        }
        let wanted = match columns {
            0 => usize::from(figure.plot.panels.iter().any(has_marks)),
            columns => columns.min(2),
        };
        assert!(said.len() >= wanted, "{name}, {room:?}: {said:?}");
    }
}

/// Checks that hold for every figure of a report that nobody edited: it has marks, words and finite numbers, too.
pub fn whole(figure: &Figure) {
    sound(figure);
    let name = &figure.name;
    assert!(figure.words.iter().all(|words| !words.is_empty()), "{name}");
    assert!(figure.plot.panels.iter().map(marks).sum::<usize>() > 0, "{name}");
    let is_finite = |cell: &TableCell| !matches!(cell, TableCell::Number(x) if !x.is_finite());
    assert!(figure.table.rows.iter().flatten().all(is_finite), "{name}");
    assert_answers(figure);
}

/// Holds the names of x-axes to the drawing, by an estimate of their width as the layout makes it.
fn assert_within(name: &str, svg: &str, width: f64) {
    let document = roxmltree::Document::parse(svg).expect("XML");
    let middle = |element: &roxmltree::Node<'_, '_>| {
        element.attribute("text-anchor") == Some("middle")
            && element.attribute("font-size") == Some("11")
    };
    for element in document.descendants().filter(middle) {
        let number = |name: &str| -> f64 {
            element.attribute(name).and_then(|text| text.parse().ok()).expect("a number")
        };
        let text = element.text().unwrap_or_default();
        let half = 0.28 * number("font-size") * text.chars().count() as f64;
        let (left, right) = (number("x") - half, number("x") + half);
        assert!(left >= -1.0 && right <= width + 1.0, "{name}, {width} px: {text:?} is cut");
    }
}

/// Whether a plain space stands between a number and its per cent sign.
fn parts_per_cent(text: &str) -> bool {
    text.rsplit(" %").skip(1).any(|before| before.ends_with(|c: char| c.is_ascii_digit()))
}

fn marks(panel: &atelier::chart::plot::Panel) -> usize {
    let points = panel.series.iter().map(|series| series.points.len());
    points.sum::<usize>() + panel.patches.len() + panel.voids.len()
}

#[test]
fn every_figure_of_every_report_is_sound() {
    let mut count = 0;
    for report in opened() {
        let figures = all_figures(&report, &LIGHT);
        assert!(!figures.is_empty(), "{}", report.what());
        let mut names: Vec<&str> = figures.iter().map(|figure| figure.name.as_str()).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all, "a file each");
        figures.iter().for_each(whole);
        count += all;
    }
    assert!(count > 70, "{count} figures");
}

#[test]
fn a_few_drawings_as_they_are() {
    let lens = lens("tinystories-656k-lily", None);
    let [votes, spread, running] = figures(&lens, Column::Probability, &LIGHT);
    check("charts/votes.svg", &votes.drawing(358));
    check("charts/spread.svg", &spread.drawing(358));
    check("charts/running.svg", &running.drawing(900));
    let sweep = sweep_figures(&sweep(6), Quantity::Accuracy, Column::Probability, &DARK);
    let names = ["charts/heads-off.svg", "charts/family.svg", "charts/loops.svg"];
    assert_eq!(sweep.len(), 1 + names.len());
    for (figure, name) in sweep[1..].iter().zip(names) {
        check(name, &figure.svg(640, "a sweep"));
    }
}

#[test]
fn every_member_has_a_tick_at_every_width() {
    let lens = lens("random-llama3", None);
    let members = lens.members.len();
    for figure in figures(&lens, Column::Paper, &LIGHT) {
        for width in [358, 900] {
            let svg = figure.drawing(width);
            let axis = svg.lines().find(|line| line.matches("v4").count() > 1);
            let ticks = axis.map_or(0, |axis| axis.matches("v4").count());
            assert_eq!(ticks, members, "{} at {width}", figure.key);
        }
    }
}

#[test]
fn dark_differs_in_colours_only() {
    let lens = lens("tinystories-656k-lily", None);
    let colours = |theme: &Theme| {
        [
            theme.paper,
            theme.ink,
            theme.quiet,
            theme.hairline,
            theme.embedding,
            theme.attention,
            theme.mlp,
            theme.bias,
            theme.diversity,
            theme.mse,
        ]
    };
    let light = figures(&lens, Column::Probability, &LIGHT);
    for (light, dark) in light.iter().zip(figures(&lens, Column::Probability, &DARK)) {
        let mut text = light.svg(960, "");
        for (from, to) in colours(&LIGHT).into_iter().zip(colours(&DARK)) {
            text = text.replace(from, to);
        }
        assert_eq!(text, dark.svg(960, ""));
    }
}

#[test]
fn names_are_escaped_once_and_control_characters_stay_out() {
    let mut lens = lens("tinystories-656k-lily", None);
    let options = lens.options.as_mut().expect("text");
    options[lens.answer] = " R&D's <b>\u{0}\u{1b}[1m \u{ffff}".into();
    for figure in figures(&lens, Column::Logit, &LIGHT) {
        sound(&figure);
        let svg = figure.svg(960, "from R&D's\u{7} file");
        assert!(svg.contains("from R&amp;D's\u{fffd} file"));
        assert!(!svg.contains("&amp;amp;") && !svg.contains("&#39;"));
        let forbidden = |c: char| c.is_control() && !"\n\t\r".contains(c) || c == '\u{ffff}';
        assert!(!svg.contains(forbidden));
    }
    let [votes, ..] = figures(&lens, Column::Logit, &LIGHT);
    let said = votes.plot.hover.expect("what columns say");
    assert!(said[1].starts_with("block 0's attention\nlogit(right)"), "{}", said[1]);
}

#[test]
fn numbers_that_no_axis_can_hold_are_left_out() {
    let mut orders = sweep(6);
    let most = Some(Mean { mean: f64::MAX, low: 0.0, high: f64::MAX });
    orders.points[1].measures.kl = most;
    orders.points[1].measures.perplexity = most;
    for quantity in [Quantity::Kl, Quantity::Perplexity] {
        for figure in sweep_figures(&orders, quantity, Column::Probability, &LIGHT) {
            sound(&figure);
        }
    }
    let mut lab = lab();
    lab.geometry[0].trajectories.tokens[0][0] = [1e300, -1e300];
    lab.original.decomposition.by_depth[0].triples.probability.mse = -0.0;
    for figure in lab_figures(&lab, Column::Probability, &LIGHT) {
        sound(&figure);
    }
}

#[test]
fn a_read_outs_bias_has_its_own_mark_and_name() {
    let lens = lens("families/random-gpt2", None);
    let last = lens.members.len() - 1;
    assert_eq!(lens.members[last].kind, MemberKind::Bias);
    let tiles = atelier::chart::tiles(&lens);
    let tile = tiles.last().expect("tiles");
    assert_eq!((tile.block, &tile.strokes, tile.run), (None, &vec![last], 1));
    for figure in figures(&lens, Column::Logit, &LIGHT) {
        sound(&figure);
        let Axis::Category { names, .. } = &figure.plot.panels[0].x else {
            panic!("no strokes: {}", figure.key)
        };
        assert_eq!(names.last().map(String::as_str), Some("bias"));
        if figure.key == "running" {
            continue;
        }
        let named = figure.table.rows[last][0].clone();
        assert_eq!(named.shown(), "the read-out's bias", "{}", figure.key);
        let svg = figure.drawing(960);
        assert!(svg.contains(">the read-out&#39;s bias<") || svg.contains(">the read-out's bias<"));
        let drawn = figure.plot.panels.iter().all(|panel| {
            let own = |series: &Series| {
                series.pen.mark == Mark::Triangle && series.shape == MarkShape::Curve
            };
            let points = panel.series.iter().filter(|s| own(s)).flat_map(|s| &s.points);
            points.map(|point| point.x).collect::<Vec<_>>() == [last as f64]
        });
        assert!(drawn, "{}", figure.key);
    }
}

#[test]
fn a_survey_of_a_model_with_a_read_outs_bias_shows_its_share() {
    let mut survey = survey();
    let shares = |survey: &Survey| {
        let all = survey_figures(survey, &LIGHT);
        let own = all.into_iter().find(|figure| figure.key == "fig-4-shares");
        own.expect("shares of the kinds")
    };
    let without = shares(&survey);
    assert!(without.plot.panels.iter().all(|panel| panel.series.len() == 3));
    survey.models[1].members.last_mut().expect("members").kind = MemberKind::Bias;
    let own = survey.cells.iter_mut().filter(|cell| cell.model == 1);
    for cell in own {
        if let SurveyedOutcome::Found(found) = &mut cell.outcome {
            for column in [&mut found.averages.probability, &mut found.averages.centred] {
                let (bias, diversity) = (0.1 * column.total.bias, 0.2 * column.total.diversity);
                column.by_kind.bias = Share { count: 1, bias, diversity };
            }
        }
    }
    let with = shares(&survey);
    sound(&with);
    for (panel, share) in with.plot.panels.iter().zip([0.1, 0.2, 0.1, 0.2]) {
        let bias = &panel.series[3];
        assert_eq!(bias.pen.name, "bias");
        // The other model has none.
        assert_eq!(bias.points.len(), 1);
        assert!((bias.points[0].y - share).abs() < 1e-9, "{:?}", bias.points);
    }
}
