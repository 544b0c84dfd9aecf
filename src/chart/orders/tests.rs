use super::{Quantity, sweep_figures};
use crate::chart::plot::Axis;
use crate::chart::{Column, Figure, LIGHT};
use crate::measure::interval::{self, Mean};
use crate::study::orders::{Measures, OrderRows, Orders, Sweep, SweepPoint, Variant};
use crate::task::score::Score;

/// A mean with its interval's half-width.
type Around = (f64, f64);

/// Returns the measures of an order with this accuracy, beside the original order's.
fn measures((mean, half): Around, own: f64) -> Measures {
    let around = |mean: f64| Mean { mean, low: mean - half, high: mean + half };
    Measures {
        accuracy: around(mean),
        change: around(mean - own),
        kl: Some(Mean::without_interval(mean)),
        ..Measures::default()
    }
}

/// Returns a sweep without rows, whose blocks or heads of block 0 leave these accuracies.
fn orders(sweep: Sweep, own: Around, values: &[Around]) -> Orders {
    let original = Variant {
        name: "own".into(),
        plan: "0-1".into(),
        measures: measures(own, own.0),
        rows: OrderRows::default(),
    };
    let points = values.iter().enumerate().map(|(n, value)| SweepPoint {
        sweep,
        at: if sweep == Sweep::Heads { 0 } else { n },
        head: (sweep == Sweep::Heads).then_some(n),
        rounds: None,
        middle: None,
        variants: Vec::new(),
        measures: measures(*value, own.0),
    });
    Orders {
        task: "sum".into(),
        score: Score::Option,
        rows: 100,
        rows_asked: 100,
        chance: 0.1,
        majority: 0.1,
        answer_tokens: Vec::new(),
        resamples: 0,
        seed: 0,
        fingerprint: None,
        block_runs: 0,
        block_runs_alone: 0,
        original,
        variants: Vec::new(),
        points: points.collect(),
        geometry: Vec::new(),
    }
}

fn figure(orders: &Orders, quantity: Quantity) -> Figure {
    let mut figures = sweep_figures(orders, quantity, Column::Probability, &LIGHT);
    figures.swap_remove(0)
}

/// Returns the heading of blocks left out, where the original order's accuracy is 0.5.
fn heading(values: &[Around]) -> String {
    figure(&orders(Sweep::Drop, (0.5, 0.02), values), Quantity::Accuracy).title
}

#[test]
fn a_block_on_the_other_side_of_the_own_order_moves_it_less_only_where_its_distance_is_less() {
    let start = "With block 0 left out, accuracy is 0.200 instead of 0.500";
    let lead = format!("{start}: no other block moves it more");
    // The values differ surely, the distances 0.3 and 0.28 do not.
    assert_eq!(heading(&[(0.2, 0.05), (0.78, 0.05)]), start);
    assert_eq!(heading(&[(0.2, 0.05), (0.6, 0.05)]), lead);
    assert_eq!(heading(&[(0.2, 0.05), (0.6, 0.05), (0.22, 0.05)]), start);
    assert_eq!(heading(&[(0.2, 0.05), (0.6, 0.05), (0.4, 0.05)]), lead);
}

#[test]
fn an_accuracy_among_options_has_the_whole_vocabulary_beside() {
    let mut drops = orders(Sweep::Drop, (0.5, 0.02), &[(0.2, 0.05)]);
    drops.original.measures.first_word = Some(Mean::without_interval(0.25));
    drops.original.measures.log_likelihood = Some(Mean::without_interval(-1.5));
    let drops = figure(&drops, Quantity::Accuracy);
    let said = "The original order says the right answer first on 25\u{a0}% of rows; its mean surprise is 2.16 bits.";
    assert!(drops.words[1].contains(said), "{}", drops.words[1]);
    let beside = [
        "right as the model's first word (share of rows)",
        "surprise of the right answer (bits per row)",
    ];
    assert_eq!(drops.table.headers[4..6], beside);
}

#[test]
fn a_heading_of_centred_logits_names_them() {
    let bias = |column| {
        let drops = orders(Sweep::Drop, (0.5, 0.02), &[(0.2, 0.05)]);
        sweep_figures(&drops, Quantity::Bias, column, &LIGHT).swap_remove(0).title
    };
    assert_eq!(bias(Column::Logit), "No single block left out surely moves centred bias");
    assert_eq!(bias(Column::Probability), "No single block left out surely moves bias");
}

#[test]
fn heading_and_words_agree_on_whether_a_block_surely_moves_it() {
    let unsure = (0.2, 0.4);
    let drops = orders(Sweep::Drop, (0.5, 0.02), &[unsure, (0.35, 0.02)]);
    let drops = figure(&drops, Quantity::Accuracy);
    // Block 0 may move it more, so no lead is claimed.
    assert_eq!(drops.title, "With block 1 left out, accuracy is 0.350 instead of 0.500");
    assert_eq!(
        drops.words,
        [
            "1 of 2 drops surely differ from the original order's 0.500 (0.480 to 0.520), row by row.",
            "Accuracy is the share of rows that are right among the options. Bars are 95\u{a0}% intervals over 100 rows of “sum”."
        ]
    );
    let heads = orders(Sweep::Heads, (0.5, 0.02), &[unsure, (0.35, 0.02)]);
    let heads = figure(&heads, Quantity::Accuracy);
    assert_eq!(heads.title, "Without head 1 of block 0, accuracy is 0.350 instead of 0.500");
    assert_eq!(
        heading(&[unsure]),
        "No single block left out surely moves accuracy; block 0 moves it most"
    );
}

#[test]
fn of_many_parts_the_words_say_how_many_differ_by_chance() {
    let words = |sweep, parts, quantity| {
        let mut values = vec![(0.5, 0.02); parts];
        values[0] = (0.2, 0.05);
        figure(&orders(sweep, (0.5, 0.02), &values), quantity).words[0].clone()
    };
    let own = "the original order's 0.500 (0.480 to 0.520), row by row";
    assert_eq!(
        words(Sweep::Heads, 192, Quantity::Accuracy),
        format!(
            "1 of 192 heads, framed, surely differ from {own}; about 10 of 192 would by chance."
        )
    );
    assert_eq!(
        words(Sweep::Drop, 11, Quantity::Accuracy),
        format!("1 of 11 drops surely differ from {own}; about 1 of 11 would by chance.")
    );
    assert_eq!(
        words(Sweep::Drop, 10, Quantity::Accuracy),
        format!("1 of 10 drops surely differ from {own}.")
    );
    let kl = words(Sweep::Drop, 11, Quantity::Kl);
    assert!(!kl.contains("by chance"), "{kl}");
}

#[test]
fn one_row_without_intervals_is_not_said_to_have_bars() {
    let mut one = orders(Sweep::Drop, (0.5, 0.02), &[(0.2, 0.05)]);
    (one.rows, one.rows_asked) = (1, 1);
    assert_eq!(figure(&one, Quantity::Kl).words[1], "Over 1 row of “sum”, without intervals.");
    // A share of one row has Wilson's interval.
    assert_eq!(
        figure(&one, Quantity::Accuracy).words[1],
        "Accuracy is the share of rows that are right among the options. Bars are 95\u{a0}% intervals over 1 row of “sum”."
    );
}

/// A sweep of one block left out, on rows that the own order has `own` right and the other `left_out`.
fn paired(own: &[bool], left_out: &[bool]) -> Orders {
    let share = |right: &[bool]| interval::share(right);
    let around = |mean: Mean| (mean.mean, mean.mean - mean.low);
    let mut orders = orders(Sweep::Drop, around(share(own)), &[around(share(left_out))]);
    let variant = |right: &[bool]| Variant {
        rows: OrderRows { correct: right.to_vec(), ..OrderRows::default() },
        ..orders.original.clone()
    };
    let (original, other) = (variant(own), variant(left_out));
    orders.rows = own.len();
    orders.points[0].variants = vec![0];
    orders.variants = vec![other];
    orders.original = original;
    orders
}

#[test]
fn headings_count_the_rows_that_are_lost_and_won() {
    let right = |count: usize| (0..20).map(|row| row < count).collect::<Vec<bool>>();
    let heading =
        |own, left_out| figure(&paired(&right(own), &right(left_out)), Quantity::Accuracy).title;
    assert_eq!(
        heading(6, 0),
        "With block 0 left out, accuracy is 0 instead of 0.300 (6 rows lost, 0 won): no other block moves it more"
    );
    assert_eq!(
        heading(6, 3),
        "No single block left out surely moves accuracy; block 0 moves it most (3 rows lost, 0 won)"
    );
    assert_eq!(heading(6, 6), "No single block left out surely moves accuracy");
}

#[test]
fn a_perplexity_stands_on_a_log_axis_and_is_compared_in_its_logarithm() {
    let right = [true; 20];
    let mut orders = paired(&right, &right);
    let surprise =
        |nats: f64| (0..20).map(|row| -nats - 0.1 * f64::from(row)).collect::<Vec<f64>>();
    for (variant, nats) in [(0, 9.0), (1, 1.0)] {
        let logs = surprise(nats);
        let around = |mean: f64| Some(Mean { mean, low: 0.9 * mean, high: 1.1 * mean });
        let mean = around((nats + 0.95).exp());
        match variant {
            0 => {
                orders.variants[0].rows.log_likelihood = logs;
                orders.points[0].measures.perplexity = mean;
            }
            _ => {
                orders.original.rows.log_likelihood = logs;
                orders.original.measures.perplexity = mean;
            }
        }
    }
    let drawn = figure(&orders, Quantity::Perplexity);
    assert!(matches!(drawn.plot.panels[0].y, Axis::Log { .. }));
    assert_eq!(
        drawn.title,
        "With block 0 left out, perplexity is 20952 instead of 7.03: no other block moves it more"
    );
}
