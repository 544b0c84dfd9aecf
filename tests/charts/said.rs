//! What figures of known runs say.

use atelier::chart::{
    AttentionShown, Column, DepthColour, Figure, LIGHT, Quantity, attention_figures, depth_figures,
    figures, lab_figures, need_figure, prompt_figures, survey_figures, sweep_figures,
};
use atelier::study::orders::{Orders, Sweep};
use atelier::study::report::Lens;

use super::reports::{self, lab, lens, prompts, survey, sweep};
use super::snapshot::{check, words};

fn all<'a>(figures: impl IntoIterator<Item = &'a Figure>, rows: usize) -> String {
    figures
        .into_iter()
        .map(|figure| words(figure, rows))
        .collect()
}

#[test]
fn one_prompt_in_three_columns() {
    let lens = lens("tinystories-656k-lily", None);
    let text = Column::ALL.map(|column| all(&figures(&lens, column, &LIGHT), 20));
    check("lens.txt", &text.concat());
}

#[test]
fn a_wrong_answer_without_text_and_blocks_that_run_twice() {
    let wrong = lens("random-llama3", Some(0));
    assert!(
        !wrong.correct,
        "the first option is not this model's answer"
    );
    let twice = lens("random-mobilellm-layer-share", None);
    let mut text = all(&figures(&wrong, Column::Probability, &LIGHT), 3);
    text += &all(&figures(&twice, Column::Logit, &LIGHT)[..1], 99);
    check("lens-others.txt", &text);
    let names: Vec<String> = (0..twice.members.len())
        .map(|i| atelier::chart::stroke_name(&twice, i))
        .collect();
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
    check(
        "prompts.txt",
        &(of(Column::Probability) + &of(Column::Paper)),
    );
}

#[test]
fn the_lab_before_and_after() {
    check(
        "lab.txt",
        &all(&lab_figures(&lab(), Column::Probability, &LIGHT), 4),
    );
}

#[test]
fn a_sweep_in_two_quantities() {
    let orders = sweep(6);
    let of = |quantity| {
        all(
            &sweep_figures(&orders, quantity, Column::Probability, &LIGHT),
            8,
        )
    };
    check(
        "sweep.txt",
        &(of(Quantity::Accuracy) + &of(Quantity::Diversity)),
    );
}

#[test]
fn a_survey() {
    check("survey.txt", &all(&survey_figures(&survey(), &LIGHT), 6));
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
    assert_eq!(
        keys(&orders, Quantity::Kl),
        ["neighbours", "heads-off", "family", "loops"]
    );
    orders.points.retain(|point| point.sweep == Sweep::Swap);
    assert_eq!(keys(&orders, Quantity::Kl), ["neighbours"]);
    // A model at chance has no normalised score, and so no picture of it.
    orders.original.measures.normalised = None;
    assert!(keys(&orders, Quantity::Normalised).is_empty());
}

/// ECharts counts its ticks from the axis' end, which is half a block before the first.
#[test]
fn blocks_have_their_ticks_in_both_drawings() {
    let figures = sweep_figures(&sweep(6), Quantity::Kl, Column::Logit, &LIGHT);
    let option = figures[0].option();
    let axis = &option["xAxis"][0];
    for part in ["axisLabel", "axisTick"] {
        let ticks = axis[part]["customValues"].as_array().expect("ticks");
        let ticks: Vec<f64> = ticks
            .iter()
            .map(|x| x.as_f64().expect("a number"))
            .collect();
        assert_eq!(ticks, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    }
}

#[test]
fn axes_say_what_is_drawn() {
    let mut two = lens("tinystories-656k-lily", None);
    let name = |lens: &Lens, column| figures(lens, column, &LIGHT)[0].plot.panels[0].name.clone();
    let options = two.logits.len();
    assert!(options > 2);
    assert_eq!(
        name(&two, Column::Probability),
        "p(right) − mean p(others), each stroke alone"
    );
    assert_eq!(
        name(&two, Column::Logit),
        "logit(right) − mean logit(others), each stroke alone"
    );
    two.logits.truncate(2);
    assert_eq!(
        name(&two, Column::Probability),
        "p(right) − p(other), each stroke alone"
    );
}

#[test]
fn the_inside_of_a_run_and_a_need() {
    let lens = reports::inside();
    let shown = AttentionShown {
        run: 1,
        head: 0,
        is_carried: false,
        sharing: 2,
    };
    let mut figures = depth_figures(&lens, DepthColour::Entropy, &LIGHT);
    figures.extend(attention_figures(&lens, shown, &LIGHT));
    figures.extend(need_figure(&reports::need(), &LIGHT));
    check("inside.txt", &all(&figures, 6));
    // A cell leads to the plan that ends there, a head to the plan without it, or with it again.
    let plans = |figure: &Figure| -> Vec<String> {
        let patches = figure.plot.panels[0].patches.iter();
        patches.filter_map(|patch| patch.plan.clone()).collect()
    };
    assert_eq!(plans(&figures[0])[..2], ["0~h1", "0~h1,1"]);
    assert_eq!(
        plans(&figures[3]),
        ["0~h0.1,1", "0-1", "0~h1,1~h0", "0~h1,1~h1"]
    );
    // The colour of a followed word's rank: 0 where it is the likeliest.
    let ranked = &depth_figures(&lens, DepthColour::Rank(0), &LIGHT)[0]
        .plot
        .panels[0];
    let grid = lens.logit_lens_grid.as_ref().expect("a grid");
    let ranks = grid.depths.iter().flatten();
    let ranks: Vec<f64> = ranks
        .map(|depth| f64::from(depth.followed[0].rank))
        .collect();
    assert!(ranks.iter().any(|rank| *rank > 1.0), "{ranks:?}");
    for (patch, rank) in ranked.patches.iter().zip(&ranks) {
        assert_eq!(patch.value, rank.log10());
        assert!(
            patch.name.ends_with(&format!("rank {rank}")),
            "{}",
            patch.name
        );
    }
    // One that is not followed has no rank.
    let plain = &depth_figures(&lens, DepthColour::Probability, &LIGHT)[0];
    for colour in [DepthColour::Rank(7), DepthColour::Followed(7)] {
        let figure = &depth_figures(&lens, colour, &LIGHT)[0];
        assert_eq!(
            figure.plot.panels[0].patches[0].value,
            plain.plot.panels[0].patches[0].value
        );
        assert_eq!(figure.plot.ramp, plain.plot.ramp);
    }
    // Nothing is asked of a report that has none of it.
    let none = reports::lens("tinystories-656k-lily", None);
    assert!(depth_figures(&none, DepthColour::Kl, &LIGHT).is_empty());
    assert!(attention_figures(&none, shown, &LIGHT).is_empty());
}
