//! Reports to draw: of golden runs, and with numbers from formulas.

use std::path::{Path, PathBuf};

use atelier::engine::{DepthReading, FollowedToken, Member, MemberKind};
use atelier::measure::decomposition::{argmax, decompose, softmax};
use atelier::measure::interval::Mean;
use atelier::plan::Strategy;
use atelier::study::geometry::{Geometry, Trajectories};
use atelier::study::lens::RunningAverages;
use atelier::study::need::{Need, NeedPart};
use atelier::study::orders::{
    Extent, Measures, OrderRows, Orders, Sweep, SweepPoint, Variant, VoteMeans,
};
use atelier::study::report::{
    DepthGrid, HeadLooks, Lab, Lens, ModelFacts, Opened, Prompts, Report,
};
use atelier::study::survey::{Survey, correlations};
use atelier::task::score::Score;

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

#[derive(serde::Deserialize)]
struct Golden {
    prompt: Option<String>,
    options: Option<Vec<String>>,
    answer: usize,
    token_ids: Vec<u32>,
    option_token_ids: Vec<u32>,
    baseline: Baseline,
}

#[derive(serde::Deserialize)]
struct Baseline {
    members: Vec<Member>,
    member_logits: Vec<Vec<f32>>,
    logits: Vec<f32>,
}

pub fn lens(name: &str, answer: Option<usize>) -> Lens {
    let path = root().join("tests/golden").join(format!("{name}.json"));
    let golden: Golden = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let answer = answer.unwrap_or(golden.answer);
    let Baseline {
        members,
        member_logits,
        logits,
    } = golden.baseline;
    let wide: Vec<f64> = logits.iter().map(|&x| f64::from(x)).collect();
    Lens {
        logit_lens: None,
        logit_lens_members: None,
        logit_lens_norm: None,
        logit_lens_grid: None,
        logit_lens_words: None,
        attention_query: None,
        attention_pattern: None,
        attention_carried: None,
        attention_head: None,
        before: None,
        prompt: golden.prompt,
        options: golden.options,
        answer,
        plan: "all".to_owned(),
        token_ids: golden.token_ids,
        tokens: None,
        option_token_ids: golden.option_token_ids,
        decomposition: decompose(&members, &member_logits, &logits, answer),
        members,
        member_logits,
        probabilities: softmax(&wide),
        correct: argmax(&wide) == answer,
        logits,
    }
}

/// A sweep with numbers from a formula, so that the pictures can be checked without a model: harm
/// grows with the middle, and each sweep has its own share of it.
pub fn sweep(runs: usize) -> Orders {
    let mean = |x: f64, width: f64| Mean {
        mean: x,
        low: x - width,
        high: x + width,
    };
    let measures = |harm: f64| {
        let votes = |scale: f64| VoteMeans {
            mse: mean(scale * (0.1 + 0.2 * harm), 0.01),
            bias: mean(scale * (0.2 + 0.2 * harm), 0.01),
            diversity: mean(scale * 0.1, 0.005),
        };
        Measures {
            accuracy: mean(0.9 - 0.6 * harm, 0.05),
            normalised: Some(mean(1.0 - harm, 0.08)),
            change: mean(-0.6 * harm, 0.05),
            margin: mean(2.0 - harm, 0.1),
            kl: mean(2.0 * harm, 0.02),
            probability: votes(1.0),
            logit: votes(10.0),
            paper: votes(1.0),
            log_likelihood: None,
            accuracy_per_byte: None,
            perplexity: None,
        }
    };
    let variant = |name: String, plan: String, harm: f64| Variant {
        name,
        plan,
        measures: measures(harm),
        rows: OrderRows {
            correct: vec![true; 32],
            margin: vec![0.1; 32],
            kl: vec![0.0; 32],
            probability: vec![[0.1, 0.2, 0.1]; 32],
            logit: vec![[0.1, 0.2, 0.1]; 32],
            paper: vec![[0.1, 0.2, 0.1]; 32],
            ..OrderRows::default()
        },
    };
    let order: Vec<usize> = (0..runs).collect();
    let extent = Extent {
        seeds: 2,
        rounds: 4,
        heads: 4,
    };
    let mut variants = Vec::new();
    let mut points: Vec<SweepPoint> = Vec::new();
    for sweep in Sweep::ALL.into_iter().chain([Sweep::Heads]) {
        for strategy in sweep.strategies(runs, extent).unwrap() {
            let (_, at) = Sweep::of(&strategy);
            let rounds = match strategy {
                Strategy::Loop { rounds, .. } => Some(rounds),
                _ => None,
            };
            let head = match strategy {
                Strategy::Head { head, .. } => Some(head),
                _ => None,
            };
            let middle = !matches!(sweep, Sweep::Drop | Sweep::Swap | Sweep::Heads);
            let middle = middle.then(|| runs - 2 * at - 1);
            let size = middle.unwrap_or(1) as f64 / runs as f64;
            let harm = match sweep {
                Sweep::Drop => 1.0 / (1.0 + at as f64),
                Sweep::Heads => 0.4 / (1.0 + (at * at) as f64 + head.unwrap() as f64),
                Sweep::Swap => 0.3 / (1.0 + at as f64),
                Sweep::Skip => 0.8 * size,
                Sweep::Repeat => size,
                Sweep::Reverse => 0.6 * size,
                Sweep::Shuffle => 0.4 * size,
                Sweep::Parallel => 0.5 * size,
                // Best where the rounds are half the size of the middle.
                Sweep::Loop => {
                    let best = middle.unwrap() as f64 / 2.0;
                    0.1 * (rounds.unwrap() as f64 - best).abs()
                }
            };
            let plan = strategy.plan(&order).unwrap().to_string();
            variants.push(variant(strategy.to_string(), plan, harm));
            let same = |point: &&mut SweepPoint| {
                (point.sweep, point.at, point.head, point.rounds) == (sweep, at, head, rounds)
            };
            match points.iter_mut().find(same) {
                Some(point) => point.variants.push(variants.len() - 1),
                None => points.push(SweepPoint {
                    sweep,
                    at,
                    head,
                    rounds,
                    middle,
                    variants: vec![variants.len() - 1],
                    measures: measures(harm),
                }),
            }
        }
    }
    Orders {
        task: "sum".into(),
        score: Score::Option,
        rows: 32,
        rows_asked: 48,
        chance: 0.1,
        majority: 0.2,
        resamples: 1000,
        seed: 0,
        fingerprint: None,
        block_runs: 100,
        block_runs_alone: 200,
        original: variant("original".into(), format!("0-{}", runs - 1), 0.0),
        variants,
        points,
        geometry: Vec::new(),
    }
}

pub fn lab() -> Lab {
    let geometry = |plan: &str, states: usize, bend: f64| Geometry {
        plan: plan.into(),
        prompts: 1,
        cosine_map: (0..states)
            .map(|a| {
                let apart = |b: usize| (a as f64 - b as f64).abs();
                (0..states).map(|b| 1.0 - bend * apart(b)).collect()
            })
            .collect(),
        line_shape_score: Some(1.0 + bend),
        expodistance: (bend < 0.2).then_some(bend),
        trajectories: Trajectories {
            explained: [0.6, 0.25],
            tokens: (0..3)
                .map(|t| {
                    let place = |i: usize| [i as f64 * bend, (t * i) as f64 * 0.5];
                    (0..states).map(place).collect()
                })
                .collect(),
        },
    };
    let original = lens("tinystories-656k-lily", None);
    let arranged = Lens {
        plan: "0,(1-2)".into(),
        ..lens("tinystories-656k-lily", Some(1))
    };
    Lab {
        original,
        arranged,
        kl: 0.25,
        geometry: [geometry("0-2", 4, 0.04), geometry("0,(1-2)", 3, 0.3)],
    }
}

/// A run with a logit lens and its attention, in numbers from formulas: two blocks of two heads, of which
/// one is off.
pub fn inside() -> Lens {
    let own = lens("tinystories-656k-lily", None);
    let (tokens, end) = (own.token_ids.len(), own.option_token_ids[0]);
    let reading = |depth: usize, t: usize| {
        let sure = 1.0 / (1.5 + (2 - depth.min(2)) as f64 + (t % 2) as f64);
        let followed = own
            .option_token_ids
            .iter()
            .enumerate()
            .map(|(k, &id)| FollowedToken {
                id,
                rank: 1 + (k + 2 - depth.min(2)) as u32,
                log_probability: (sure / (1 + k) as f64).ln(),
            });
        DepthReading {
            top_ids: vec![if depth < 2 { own.token_ids[t] } else { end }, 7],
            top_log_probabilities: vec![sure.ln(), (sure / 2.0).ln()],
            kl: 0.7 * (2 - depth.min(2)) as f64,
            entropy: 3.0 - sure,
            followed: followed.collect(),
        }
    };
    let depths = |t: usize| (0..3).map(|depth| reading(depth, t)).collect::<Vec<_>>();
    let row = |query: usize, head: usize| -> Vec<f32> {
        let sum = (0..=query).map(|t| 1 + (t + head) % 3).sum::<usize>() as f32;
        let weight = |t: usize| {
            if t > query {
                0.0
            } else {
                (1 + (t + head) % 3) as f32 / sum
            }
        };
        (0..tokens).map(weight).collect()
    };
    let all = |off: Option<(usize, usize)>| {
        let run = |run: usize| {
            let head = |head: usize| match off == Some((run, head)) {
                true => vec![0.0; tokens],
                false => row(tokens - 1, head + run),
            };
            (0..2).map(head).collect()
        };
        (0..2).map(run).collect::<Vec<Vec<Vec<f32>>>>()
    };
    let window: Vec<usize> = (tokens.saturating_sub(4)..tokens).collect();
    let words = [(7, " once".to_owned()), (end, " Lily".to_owned())];
    Lens {
        plan: "0~h1,1".into(),
        tokens: Some((0..tokens).map(|t| format!("token{t}")).collect()),
        logit_lens: Some(depths(tokens - 1)),
        logit_lens_members: Some(
            (0..own.members.len())
                .map(|m| reading(m / 2, tokens - 1))
                .collect(),
        ),
        logit_lens_grid: Some(DepthGrid {
            positions: window.clone(),
            depths: window.iter().map(|&t| depths(t)).collect(),
        }),
        logit_lens_words: Some(words.into()),
        attention_query: Some(tokens - 1),
        attention_pattern: Some(all(None)),
        attention_carried: Some(all(Some((0, 1)))),
        attention_head: Some(vec![HeadLooks {
            run: 1,
            head: 0,
            weights: window.iter().map(|&t| row(t, 1)).collect(),
            carried: window.iter().map(|&t| row(t, 0)).collect(),
            queries: window,
        }]),
        ..own
    }
}

/// Three parts of a task.
pub fn need() -> Need {
    let mean = |mean: f64| Mean {
        mean,
        low: mean - 0.1,
        high: mean + 0.1,
    };
    let part = |kind, head: Option<usize>, vote: f64, loss: f64| NeedPart {
        kind,
        run: 1,
        block: 1,
        head,
        plan: "0,1m".into(),
        vote: mean(vote),
        loss: mean(loss),
        accuracy: mean(0.5),
    };
    Need {
        task: "sum".into(),
        rows: 12,
        resamples: 1000,
        seed: 0,
        accuracy: mean(0.9),
        lead: mean(3.0),
        rank_correlation: Some(0.25),
        parts: vec![
            part(MemberKind::Attention, None, 0.4, 2.5),
            part(MemberKind::Mlp, None, 1.5, -0.2),
            part(MemberKind::Attention, Some(3), 0.3, 0.1),
        ],
    }
}

/// Four rows of one plan, with different right answers.
pub fn prompts() -> Prompts {
    let rows: Vec<Lens> = (0..4)
        .map(|answer| lens("tinystories-656k-lily", Some(answer % 2)))
        .collect();
    let mut averages = RunningAverages::new(rows.len());
    rows.iter().for_each(|row| averages.add(row));
    Prompts {
        averages: averages.finish().expect("four rows"),
        rows,
    }
}

/// The baked survey's first and last model on two of its tasks.
pub fn survey() -> Survey {
    let text = include_bytes!("../../public/examples/survey.atelier.json");
    let mut survey = Opened::read(text)
        .and_then(Opened::survey)
        .expect("the baked survey");
    let (models, tasks) = ([0, 4], [3, 6]);
    survey
        .cells
        .retain(|cell| models.contains(&cell.model) && tasks.contains(&cell.task));
    for cell in &mut survey.cells {
        cell.model = usize::from(cell.model == models[1]);
        cell.task = usize::from(cell.task == tasks[1]);
    }
    survey.models = models.map(|model| survey.models[model].clone()).to_vec();
    survey.tasks = tasks.map(|task| survey.tasks[task].clone()).to_vec();
    survey.correlations = correlations(&survey.cells, 2);
    survey
}

pub fn empty() -> Report {
    Report {
        atelier: 1,
        model: ModelFacts {
            name: "a model".into(),
            architecture: "Llama".into(),
            blocks: 5,
            order: (0..5).collect(),
            width: 8,
            heads: 2,
            kv_heads: 2,
            vocabulary: 32,
            context: 64,
            parameters: 1000,
        },
        engine: "CPU (f32)".into(),
        lens: None,
        prompts: None,
        lab: None,
        orders: Vec::new(),
        medians: Vec::new(),
        need: Vec::new(),
    }
}

/// One of each kind.
pub fn all() -> [Report; 6] {
    [
        Report {
            lens: Some(lens("tinystories-656k-lily", None)),
            ..empty()
        },
        Report {
            prompts: Some(prompts()),
            ..empty()
        },
        Report {
            lab: Some(Box::new(lab())),
            ..empty()
        },
        Report {
            orders: vec![sweep(6)],
            ..empty()
        },
        Report {
            lens: Some(inside()),
            ..empty()
        },
        Report {
            need: vec![need()],
            ..empty()
        },
    ]
}
