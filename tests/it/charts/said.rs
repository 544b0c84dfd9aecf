//! Sentences of figures of known runs.

use atelier::chart::plot::{MarkShape, Series};
use atelier::chart::{
    AttentionShown, Column, CouplingShown, DepthColour, Figure, LIGHT, MEMBER_PICK, Quantity,
    TableCell, attention_figures, coupling_figures, depth_figures, figures, lab_figures,
    member_figures, models_coupling_figure, need_figure, prompt_figures, relation_figure,
    states_figure, stroke_name, stroke_votes, survey_figures, sweep_figures, task_coupling_figures,
    tiles,
};
use atelier::engine::member_names;
use atelier::measure::coupling::chance;
use atelier::study::coupling::{CouplingMetric, TaskCoupling};
use atelier::study::member::MemberAccount;
use atelier::study::orders::{Orders, Sweep};
use atelier::study::report::{Lens, Report};
use atelier::study::survey::SurveyedOutcome;

use super::reports::{self, lab, lens, prompts, survey, sweep};
use super::words::words;
use crate::common::in_project;
use crate::snapshot::check;

fn all<'a>(figures: impl IntoIterator<Item = &'a Figure>, rows: usize) -> String {
    figures.into_iter().map(|figure| words(figure, rows)).collect()
}

#[test]
fn one_prompt_in_three_columns() {
    let lens = lens("tinystories-656k-lily", None);
    let text = Column::ALL.map(|column| all(&figures(&lens, column, &LIGHT), 20));
    check("charts/lens.txt", &text.concat());
}

#[test]
fn a_wrong_answer_without_text_and_blocks_that_run_twice() {
    let wrong = lens("random-llama3", Some(0));
    assert!(!wrong.correct, "the first option is not this model's answer");
    let twice = lens("random-mobilellm-layer-share", None);
    let mut text = all(&figures(&wrong, Column::Probability, &LIGHT), 3);
    text += &all(&figures(&twice, Column::Logit, &LIGHT)[..1], 99);
    check("charts/lens-others.txt", &text);
    let names: Vec<String> =
        (0..twice.members.len()).map(|i| atelier::chart::stroke_name(&twice, i)).collect();
    let mut unique = names.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), names.len(), "{names:?}");
    for tile in atelier::chart::tiles(&twice).iter().skip(1) {
        assert_eq!(tile.strokes.len(), 2, "{tile:?}");
    }
}

#[test]
fn many_prompts() {
    let prompts = prompts();
    let of = |column| all(&prompt_figures(&prompts, column, &LIGHT), 4);
    check("charts/prompts.txt", &(of(Column::Probability) + &of(Column::Paper)));
}

#[test]
fn the_lab_before_and_after() {
    check("charts/lab.txt", &all(&lab_figures(&lab(), Column::Probability, &LIGHT), 4));
}

#[test]
fn a_sweep_in_two_quantities() {
    let orders = sweep(6);
    let of = |quantity| all(&sweep_figures(&orders, quantity, Column::Probability, &LIGHT), 8);
    check("charts/sweep.txt", &(of(Quantity::Accuracy) + &of(Quantity::Diversity)));
}

#[test]
fn a_survey() {
    check("charts/survey.txt", &all(&survey_figures(&survey(), &LIGHT), 6));
}

fn titled<'a>(figures: &'a [Figure], key: &str) -> &'a Figure {
    figures.iter().find(|figure| figure.key == key).unwrap_or_else(|| panic!("no figure {key}"))
}

/// A heat map has no bars.
#[test]
fn only_figures_with_bars_speak_of_bars() {
    for figure in sweep_figures(&sweep(6), Quantity::Accuracy, Column::Probability, &LIGHT) {
        let points = figure.plot.panels.iter().flat_map(|panel| &panel.series);
        let has_bars =
            points.flat_map(|series| &series.points).any(|point| point.interval.is_some());
        let says_bars = figure.words.iter().any(|words| words.contains("Bars are"));
        assert_eq!(says_bars, has_bars, "{}", figure.key);
    }
}

#[test]
fn a_single_order_is_not_ranked() {
    let mut orders = sweep(6);
    orders.points.retain(|point| point.sweep == Sweep::Skip);
    let figures = sweep_figures(&orders, Quantity::Accuracy, Column::Probability, &LIGHT);
    assert_eq!(
        titled(&figures, "family").title,
        "Under skip, accuracy goes from 0.820 (1 block in the middle) to 0.500 (5)"
    );
}

#[test]
fn a_survey_counts_what_its_intervals_carry() {
    let mut survey = survey();
    for cell in &mut survey.cells {
        if let SurveyedOutcome::Found(found) = &mut cell.outcome {
            let averages = &mut found.averages;
            averages.rows = 500;
            averages.majority = 0.5;
            // Half a point above and surely above; half a point below and surely below.
            averages.accuracy = match (cell.model, cell.task) {
                (0, 0) => 0.505,
                (0, _) => 0.6,
                (_, 0) => 0.495,
                _ => 0.4,
            };
        }
    }
    let figures = survey_figures(&survey, &LIGHT);
    assert_eq!(
        titled(&figures, "table-1").title,
        "Accuracy is above that of always giving the most frequent answer, beyond its interval, in 1 of 4 cells, below it in 1"
    );
    let levels = titled(&figures, "levels");
    assert!(!levels.title.contains("harder"), "{}", levels.title);
    assert!(levels.title.contains("falls beyond the intervals in"), "{}", levels.title);
    for figure in &figures {
        assert!(!figure.title.contains("best") || figure.key == "fig-6-depth", "{}", figure.title);
    }
}

/// Options, followed words and the whole vocabulary have leaders of their own.
#[test]
fn who_leads_is_said_with_of_what() {
    let lens = reports::inside();
    let depths = depth_figures(&lens, DepthColour::default(), &LIGHT);
    assert!(titled(&depths, "depths").title.starts_with("In the whole vocabulary "));
    assert!(titled(&depths, "followed").title.starts_with("Among the followed words "));
    let [votes, _, running] = figures(&lens, Column::Probability, &LIGHT);
    assert!(running.title.starts_with("Among the options "), "{}", running.title);
    assert!(
        votes.words[0].contains("minus its mean vote for the other options"),
        "{}",
        votes.words[0]
    );
}

#[test]
fn small_models_and_half_sweeps_are_drawn_as_far_as_they_go() {
    let mut orders = sweep(6);
    let keys = |orders: &Orders, quantity| -> Vec<&str> {
        sweep_figures(orders, quantity, Column::Logit, &LIGHT)
            .iter()
            .map(|figure| figure.key)
            .collect()
    };
    assert_eq!(keys(&orders, Quantity::Kl), ["neighbours", "heads-off", "family", "loops"]);
    orders.points.retain(|point| point.sweep == Sweep::Swap);
    assert_eq!(keys(&orders, Quantity::Kl), ["neighbours"]);
    // A model at chance has no normalised score, and so no picture of it.
    orders.original.measures.normalised = None;
    assert!(keys(&orders, Quantity::Normalised).is_empty());
}

/// The states over a task's rows are those of the original order; a sweep without a map has no such picture.
#[test]
fn states_over_rows_are_those_of_the_original_order() {
    assert!(states_figure(&sweep(6), &LIGHT).is_none());
    let path = in_project("public/examples/smollm2-orders.atelier.json");
    let report = Report::read(&std::fs::read_to_string(path).expect("a file")).expect("a report");
    let figures = report.orders.iter().filter_map(|orders| states_figure(orders, &LIGHT));
    check("charts/states.txt", &all(&figures.collect::<Vec<_>>(), 6));
}

#[test]
fn axes_say_what_is_drawn() {
    let mut two = lens("tinystories-656k-lily", None);
    let name =
        |lens: &Lens| figures(lens, Column::default(), &LIGHT)[0].plot.panels[0].name.clone();
    let options = two.logits.len();
    assert!(options > 2);
    assert_eq!(name(&two), "logit(right) − mean logit(others)");
    two.logits.truncate(2);
    assert_eq!(name(&two), "logit(right) − logit(other)");
}

#[test]
fn a_member_by_itself() {
    let (lens, account) = (reports::inside(), reports::account());
    let figures = member_figures(&lens, &account, true, &LIGHT);
    check("charts/member.txt", &all(&figures, 6));
    // What looks nowhere has no picture of it.
    let without = MemberAccount { reads: Vec::new(), ..account };
    let keys = member_figures(&lens, &without, false, &LIGHT);
    assert_eq!(keys.iter().map(|one| one.key).collect::<Vec<_>>(), ["member-writes"]);
}

#[test]
fn every_stroke_leads_to_its_own_row() {
    let lens = reports::inside();
    let names = member_names(&lens.members);
    let mut all = figures(&lens, Column::Logit, &LIGHT).to_vec();
    all.extend(depth_figures(&lens, DepthColour::Followed(0), &LIGHT).into_iter().skip(1));
    for figure in &all {
        let cells = figure.table.rows.iter().flatten();
        let members = cells.filter_map(|cell| match cell {
            TableCell::Member { member, .. } => Some(member),
            _ => None,
        });
        assert!(members.eq(&names), "{}", figure.key);
        // A place leads there where places speak, and a mark where marks do.
        let picks: Vec<String> = names.iter().map(|name| format!("{MEMBER_PICK}{name}")).collect();
        if figure.plot.hover.is_some() {
            assert_eq!(figure.plot.picks, picks, "{}", figure.key);
            continue;
        }
        let points = figure.plot.panels.iter().flat_map(|panel| &panel.series);
        for point in points.flat_map(|series| &series.points) {
            assert_eq!(point.pick.as_ref(), picks.get(point.x as usize), "{}", figure.key);
        }
    }
}

#[test]
fn the_inside_of_a_run_and_a_need() {
    let lens = reports::inside();
    let shown =
        AttentionShown { run: 1, head: 0, is_carried: false, skips_first: false, sharing: 2 };
    let mut figures = depth_figures(&lens, DepthColour::Entropy, &LIGHT);
    figures.extend(attention_figures(&lens, shown, &LIGHT));
    figures.extend(need_figure(&reports::need(), &LIGHT));
    check("charts/inside.txt", &all(&figures, 6));
    // A cell leads to the plan that ends there, a head to the plan without it, or with it again.
    let plans = |figure: &Figure| -> Vec<String> {
        let patches = figure.plot.panels[0].patches.iter();
        patches.filter_map(|patch| patch.plan.clone()).collect()
    };
    assert_eq!(plans(&figures[0])[..2], ["0~h1", "0~h1,1"]);
    assert_eq!(plans(&figures[3]), ["0~h0.1,1", "0-1", "0~h1,1~h0", "0~h1,1~h1"]);
    // The colour of a followed word's rank: 0 where it is the likeliest.
    let ranked = &depth_figures(&lens, DepthColour::Rank(0), &LIGHT)[0].plot.panels[0];
    let grid = lens.logit_lens_grid.as_ref().expect("a grid");
    let ranks = grid.depths.iter().flatten();
    let ranks: Vec<f64> = ranks.map(|depth| f64::from(depth.followed[0].rank)).collect();
    assert!(ranks.iter().any(|rank| *rank > 1.0), "{ranks:?}");
    for (patch, rank) in ranked.patches.iter().zip(&ranks) {
        assert_eq!(patch.value, rank.log10());
        assert!(patch.name.ends_with(&format!("rank {rank}")), "{}", patch.name);
    }
    // One that is not followed has no rank.
    let plain = &depth_figures(&lens, DepthColour::Probability, &LIGHT)[0];
    for colour in [DepthColour::Rank(7), DepthColour::Followed(7)] {
        let figure = &depth_figures(&lens, colour, &LIGHT)[0];
        assert_eq!(figure.plot.panels[0].patches[0].value, plain.plot.panels[0].patches[0].value);
        assert_eq!(figure.plot.ramp, plain.plot.ramp);
    }
    // Nothing is asked of a report that has none of it.
    let none = reports::lens("tinystories-656k-lily", None);
    assert!(depth_figures(&none, DepthColour::Kl, &LIGHT).is_empty());
    assert!(attention_figures(&none, shown, &LIGHT).is_empty());
}

#[test]
fn a_coupling_in_both_metrics() {
    let coupling = reports::coupling();
    let of = |metric, k, pair, frame| {
        let shown = CouplingShown { metric, k, pair, frame };
        coupling_figures(&coupling, &shown, &LIGHT)
    };
    let own = of(CouplingMetric::OffDiagonal, 4, None, None);
    let other = of(CouplingMetric::Singular, 2, Some([2, 0]), Some(1));
    check("charts/coupling.txt", &(all(&own, 8) + &all(&other, 4)));
    // The map's frame stands where the pair is looked at: the row from above.
    let framed = |figures: &[Figure]| {
        let panel = &figures[0].plot.panels[0];
        let cell = panel.patches.iter().find(|patch| patch.framed);
        cell.map(|cell| (cell.x, cell.y))
    };
    assert_eq!(framed(&other), Some((0, 1)));
    // Every cell is there, with a colour or crossed out, and says why.
    for figures in [&own, &other] {
        let panel = &figures[0].plot.panels[0];
        assert_eq!(panel.patches.len() + panel.voids.len(), 16);
        assert_eq!(panel.voids.len(), 7);
        let whys = panel.voids.iter().map(|cell| cell.name.as_str());
        assert!(whys.clone().any(|why| why.contains("all of the Jacobian is zero")));
        assert!(whys.clone().any(|why| why.contains("is next to nothing")));
        // Colours begin at chance.
        let ramp = figures[0].plot.ramp.as_ref().expect("a ramp");
        assert_eq!((ramp.low, ramp.high), (0.0, 1.0));
    }
    let from = |figures: &[Figure]| figures[0].plot.ramp.as_ref().expect("a ramp").from;
    assert!((from(&own) - 0.134).abs() < 1e-3 && from(&other) == 0.0);
    // The table has the whole ways in every frame, as they are drawn, and says which are marked.
    let ways = |frame: Option<usize>| {
        let figures = of(CouplingMetric::OffDiagonal, 4, None, frame);
        let paths = figures.into_iter().find(|one| one.key == "coupling-paths");
        let rows = paths.expect("ways").table.rows;
        let marked = rows.iter().filter(|row| row.last() == Some(&TableCell::Check(true)));
        (rows.len(), marked.count())
    };
    assert_eq!((ways(None), ways(Some(1))), ((15, 3), (15, 3)));
    // One frame after the other, the axes stay.
    let paths = |frame: Option<usize>| {
        let figures = of(CouplingMetric::OffDiagonal, 4, None, frame);
        let paths = figures.into_iter().find(|one| one.key == "coupling-paths");
        paths.expect("ways").plot.panels[0].clone()
    };
    let (whole, first, last) = (paths(None), paths(Some(0)), paths(Some(99)));
    assert!(whole.x == first.x && whole.y == first.y);
    let marked = |panel: &atelier::chart::plot::Panel| {
        let points = panel.series.iter().flat_map(|series| &series.points);
        points.filter(|point| point.label.is_some()).count()
    };
    assert_eq!((marked(&whole), marked(&first)), (3, 3));
    assert_eq!(first.series[3].points[0].y, 0.0);
    assert_eq!(last.series[3].points[0].y, 4.0);
}

#[test]
fn couplings_over_rows_and_models_and_what_is_left_without_a_point() {
    let task = reports::task_coupling();
    let relation = &task.relations[0];
    let none = std::collections::BTreeSet::new();
    let whole = relation_figure(relation, &none, &LIGHT);
    let without = relation_figure(relation, &["0-1".to_owned()].into(), &LIGHT);
    let mut text = all(&task_coupling_figures(&task, &CouplingShown::default(), &LIGHT), 4);
    text += &all([&whole, &without], 12);
    let models = reports::coupled_models();
    let relations = models.relations.iter();
    let over = models_coupling_figure(&models, &LIGHT)
        .into_iter()
        .chain(relations.map(|relation| relation_figure(relation, &none, &LIGHT)));
    text += &all(&over.collect::<Vec<_>>(), 4);
    check("charts/coupling-rows.txt", &text);
    // One point made it, and is still there as a ring when it is taken away.
    assert!(whole.title.ends_with("one point made it"), "{}", whole.title);
    assert!(!without.title.contains("made it"), "{}", without.title);
    let counts = without.plot.panels[0].series.iter().map(|series| series.points.len());
    assert_eq!(counts.collect::<Vec<_>>(), [10, 1]);
    // With all taken away nothing is said to go together.
    let names = relation.points.iter().map(|point| point.name.clone()).collect();
    let empty = relation_figure(relation, &names, &LIGHT);
    assert_eq!(empty.title, "Too few points, or all alike, for a correlation");
    // A task whose relations are few has its maps all the same.
    let bare = TaskCoupling { relations: Vec::new(), ..task };
    assert!(!task_coupling_figures(&bare, &CouplingShown::default(), &LIGHT).is_empty());
}

/// With one vector nothing lies off the diagonal: what unrelated steps share as well is no finding.
#[test]
fn one_vector_alone_is_no_finding() {
    let mut coupling = reports::coupling();
    let mut one = coupling.depth_wise.values().next().expect("a map").clone();
    for x in one.map.off_diagonal.iter_mut().flatten().flatten() {
        *x = 0.0;
    }
    one.chance = chance(1);
    coupling.top = vec![1];
    coupling.depth_wise = [(1, one)].into();
    let shown = CouplingShown { k: 1, ..CouplingShown::default() };
    let title = coupling_figures(&coupling, &shown, &LIGHT)[0].title.clone();
    assert!(
        title.starts_with("Neighbouring steps couple at 1.00") && title.ends_with("chance is 1.00"),
        "{title}"
    );
}

#[test]
fn a_model_of_one_step_and_one_token() {
    let mut coupling = reports::coupling();
    coupling.steps.truncate(1);
    coupling.spectrum.truncate(1);
    coupling.token_wise = None;
    coupling.aligned = None;
    for one in coupling.depth_wise.values_mut() {
        one.map.off_diagonal = vec![vec![Some(0.0)]];
        one.map.singular = vec![vec![Some(0.0)]];
        one.map.why_row.clear();
        one.map.why_column.clear();
        one.coupling = atelier::measure::coupling::BothMetrics::default();
    }
    coupling.linearised.cosine = vec![None];
    coupling.linearised.relative_error = vec![None];
    coupling.trajectories.states = vec![vec![[0.0, 0.0]]; 2];
    (coupling.line_shape_score, coupling.expodistance) = (None, None);
    let figures = coupling_figures(&coupling, &CouplingShown::default(), &LIGHT);
    check("charts/coupling-one.txt", &all(&figures, 2));
}

#[test]
fn blocks_that_ran_side_by_side_are_told_by_their_tiles() {
    let mut lens = lens("stories260k-lily", None);
    let beside = |lens: &Lens| tiles(lens).iter().map(|tile| tile.beside).collect::<Vec<_>>();
    assert!(beside(&lens).iter().all(Option::is_none));
    lens.plan = "0,(1-2),3-4".to_owned();
    assert_eq!(beside(&lens), [None, None, Some(1), Some(1), None, None]);
}

#[test]
fn every_component_has_one_bar_and_the_largest_is_named_at_it() {
    for name in ["tinystories-656k-lily", "random-mobilellm-layer-share", "families/random-gpt2"] {
        let lens = lens(name, None);
        let [votes, ..] = figures(&lens, Column::default(), &LIGHT);
        let panel = &votes.plot.panels[0];
        let is_bar = |series: &&Series| series.shape != MarkShape::Curve;
        let bars = panel.series.iter().filter(is_bar).flat_map(|series| &series.points);
        let mut values: Vec<[f64; 2]> = bars.map(|point| [point.x, point.y]).collect();
        values.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let expected = stroke_votes(&lens).into_iter().enumerate();
        assert_eq!(
            values,
            expected.map(|(i, vote)| [i as f64, vote]).collect::<Vec<_>>(),
            "{name}"
        );

        // The names stand at the largest bar and at the end of the sum.
        let largest = values.iter().max_by(|a, b| a[1].abs().total_cmp(&b[1].abs())).expect("bars");
        let [component, all, ..] = &panel.labels[..] else { panic!("two labels") };
        assert_eq!([component.x, component.y], *largest);
        assert!(component.text.starts_with(&stroke_name(&lens, largest[0] as usize)), "{name}");
        let sum: f64 = values.iter().map(|[_, vote]| vote).sum();
        assert!((all.y - sum).abs() < 1e-9, "{name}");
        assert_eq!(all.x as usize + 1, lens.members.len());
        let running = panel.series.iter().find(|series| series.pen.name == "running sum");
        assert_eq!(running.map(|series| series.points.len()), Some(lens.members.len()));
    }
}

#[test]
fn blocks_that_ran_side_by_side_stand_under_one_line() {
    let mut lens = lens("stories260k-lily", None);
    let lines = |lens: &Lens| -> Vec<Vec<f64>> {
        let [votes, ..] = figures(lens, Column::default(), &LIGHT);
        let named = |name: &str| name == "ran in parallel";
        let is_said = votes.plot.legend.iter().any(|pen| named(&pen.name));
        let series = votes.plot.panels[0].series.iter().filter(|series| named(&series.pen.name));
        let lines: Vec<Vec<f64>> =
            series.map(|series| series.points.iter().map(|point| point.x).collect()).collect();
        assert_eq!(is_said, !lines.is_empty());
        lines
    };
    assert!(lines(&lens).is_empty());
    lens.plan = "(0-1),(2-3),4".to_owned();
    assert_eq!(lines(&lens), [[1.0, 4.0], [5.0, 8.0]]);
}
