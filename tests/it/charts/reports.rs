//! Reports to draw: of golden runs, and with numbers from formulas.

use crate::common::root;
use atelier::engine::{FollowedToken, Member, MemberKind, VocabularyReading, member_names};
use atelier::measure::coupling::{BothMetrics, Spectrum, Undefined, chance};
use atelier::measure::decomposition::{argmax, decompose, softmax};
use atelier::measure::interval::Mean;
use atelier::measure::leads::leads;
use atelier::measure::scatter::Together;
use atelier::plan::Strategy;
use atelier::study::coupling::{
    Aligned, Coupling, CouplingMethod, CouplingMetric, CouplingRow, DepthWise, FixedInput,
    FixedOutput, Linearised, MeanLinearised, MeanMap, MethodReason, MisCoupling, ModelCoupling,
    ModelsCoupling, ProductCount, Relation, RelationTo, RowMap, ScatterPoint, SelfTokens, StepPair,
    TaskCoupling, TokenPaths, TokenWise,
};
use atelier::study::geometry::{Geometry, Trajectories};
use atelier::study::lens::RunningAverages;
use atelier::study::member::{HeadReading, MemberAccount, MemberWithout, TokenVote};
use atelier::study::need::{ComparedParts, LargestLoss, Need, NeedPart};
use atelier::study::orders::{
    Extent, Measures, OrderRows, Orders, Sweep, SweepPoint, Variant, VoteMeans,
};
use atelier::study::report::{
    DepthGrid, HeadLooks, Lab, Lens, ModelFacts, Opened, Prompts, Report,
};
use atelier::study::survey::{LevelAccuracy, Survey, SurveyedOutcome, correlations};
use atelier::task::score::Score;

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
    let Baseline { members, member_logits, logits } = golden.baseline;
    let wide: Vec<f64> = logits.iter().map(|&x| f64::from(x)).collect();
    Lens {
        prompt: golden.prompt,
        options: golden.options,
        answer,
        plan: "all".to_owned(),
        token_ids: golden.token_ids,
        option_token_ids: golden.option_token_ids,
        decomposition: decompose(&members, &member_logits, &logits, answer),
        members,
        leads: leads(&member_logits),
        member_logits,
        probabilities: softmax(&wide),
        correct: argmax(&wide) == answer,
        logits,
        ..Lens::default()
    }
}

/// A sweep with numbers from a formula, so that the pictures can be checked without a model: harm
/// grows with the middle, and each sweep has its own share of it.
pub fn sweep(runs: usize) -> Orders {
    let mean = |x: f64, width: f64| Mean { mean: x, low: x - width, high: x + width };
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
            kl: Some(mean(2.0 * harm, 0.02)),
            first_word: Some(mean(0.8 - 0.7 * harm, 0.06)),
            probability: votes(1.0),
            logit: votes(10.0),
            centred: votes(1.0),
            offset: votes(9.0),
            paper: votes(1.0),
            log_likelihood: Some(mean(-1.0 - 9.0 * harm, 0.4)),
            accuracy_per_byte: None,
            perplexity: Some(mean(1.0 + 9.0 * harm, 0.4).map(f64::exp)),
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
            centred: vec![[0.1, 0.1, 0.0]; 32],
            offset: vec![[0.0, 0.1, 0.1]; 32],
            paper: vec![[0.1, 0.2, 0.1]; 32],
            ..OrderRows::default()
        },
    };
    let order: Vec<usize> = (0..runs).collect();
    let extent = Extent { seeds: 2, rounds: 4, heads: 4 };
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
        answer_tokens: Vec::new(),
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
    let arranged = Lens { plan: "0,(1-2)".into(), ..lens("tinystories-656k-lily", Some(1)) };
    Lab { original, arranged, geometry: [geometry("0-2", 4, 0.04), geometry("0,(1-2)", 3, 0.3)] }
}

/// A run with a logit lens and its attention, in numbers from formulas: two blocks of two heads, of which
/// one is off.
pub fn inside() -> Lens {
    let own = lens("tinystories-656k-lily", None);
    let (tokens, end) = (own.token_ids.len(), own.option_token_ids[0]);
    let reading = |depth: usize, t: usize| {
        let sure = 1.0 / (1.5 + (2 - depth.min(2)) as f64 + (t % 2) as f64);
        let followed = own.option_token_ids.iter().enumerate().map(|(k, &id)| FollowedToken {
            id,
            rank: 1 + (k + 2 - depth.min(2)) as u32,
            log_probability: (sure / (1 + k) as f64).ln(),
        });
        VocabularyReading {
            log_partition: 9.0,
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
            if t > query { 0.0 } else { (1 + (t + head) % 3) as f32 / sum }
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
            (0..own.members.len()).map(|m| reading(m / 2, tokens - 1)).collect(),
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

/// The last block's attention in that run, in numbers from formulas; its second head is off.
pub fn account() -> MemberAccount {
    let lens = inside();
    let (tokens, k) = (lens.token_ids.len(), lens.logits.len());
    let index = 3;
    let reading = |head: usize| HeadReading {
        head,
        is_off: head == 1,
        weights: vec![1.0 / tokens as f32; tokens],
        carried: (0..tokens).map(|t| if head == 1 { 0.0 } else { 0.1 * t as f32 }).collect(),
    };
    let vote = |n: usize, sign: f32| TokenVote {
        id: n as u32,
        text: (!n.is_multiple_of(3)).then(|| format!(" word{n}")),
        vote: sign * (2.0 - 0.25 * n as f32),
    };
    MemberAccount {
        name: member_names(&lens.members)[index].clone(),
        index,
        reads: (0..2).map(reading).collect(),
        raises: (0..4).map(|n| vote(n, 1.0)).collect(),
        lowers: (0..4).map(|n| vote(n, -1.0)).collect(),
        mean_vote: 0.03,
        vocabulary: 256,
        lead: 0.8,
        without: Some(MemberWithout {
            plan: "0~h1,1m".into(),
            logits: vec![0.5; k],
            probabilities: vec![1.0 / k as f64; k],
            vocabulary: None,
            lead: 0.0,
            correct: false,
        }),
    }
}

/// Three parts of a task.
pub fn need() -> Need {
    let mean = |mean: f64| Mean { mean, low: mean - 0.1, high: mean + 0.1 };
    let part = |kind, head: Option<usize>, vote: f64, loss: f64| NeedPart {
        kind,
        run: 1,
        block: 1,
        head,
        plan: "0,1m".into(),
        vote: mean(vote),
        loss: mean(loss),
        lost: Some(mean(0.5 * loss)),
        accuracy: mean(0.5),
        first_word: Some(mean(0.3)),
    };
    let compared = |largest: LargestLoss| ComparedParts {
        rank_correlation: Some(0.25),
        largest_loss: Some(largest.clone()),
        largest_lost: Some(largest),
    };
    Need {
        task: "sum".into(),
        rows: 12,
        resamples: 1000,
        seed: 0,
        accuracy: mean(0.9),
        lead: mean(3.0),
        log_probability: Some(mean(-0.7)),
        first_word: Some(mean(0.6)),
        parts: vec![
            part(MemberKind::Attention, None, 0.4, 2.5),
            part(MemberKind::Mlp, None, 1.5, 2.4),
            part(MemberKind::Attention, Some(3), 0.3, 0.6),
            part(MemberKind::Attention, Some(4), 0.2, 0.1),
        ],
        components: compared(LargestLoss { part: 0, beside: vec![1] }),
        heads: compared(LargestLoss { part: 2, beside: Vec::new() }),
    }
}

/// Four rows of one plan, with different right answers.
pub fn prompts() -> Prompts {
    let rows: Vec<Lens> =
        (0..4).map(|answer| lens("tinystories-656k-lily", Some(answer % 2))).collect();
    let mut averages = RunningAverages::default();
    rows.iter().for_each(|row| averages.add(row));
    Prompts { averages: averages.finish().expect("four rows"), rows }
}

/// The baked survey's first and last model on two of its tasks.
pub fn part() -> Survey {
    let text = include_bytes!("../../../public/examples/survey.atelier.json");
    let mut survey = Opened::read(text).and_then(Opened::survey).expect("the baked survey");
    let (models, tasks) = ([0, 4], [3, 6]);
    survey.cells.retain(|cell| models.contains(&cell.model) && tasks.contains(&cell.task));
    for cell in &mut survey.cells {
        cell.model = usize::from(cell.model == models[1]);
        cell.task = usize::from(cell.task == tasks[1]);
    }
    survey.models = models.map(|model| survey.models[model].clone()).to_vec();
    survey.tasks = tasks.map(|task| survey.tasks[task].clone()).to_vec();
    survey.correlations = correlations(&survey.cells, 2);
    survey
}

/// [`part`] with made-up levels of the first task alone: the deeper model forgets more slowly.
pub fn survey() -> Survey {
    let mut survey = part();
    survey.tasks[0].levels = Some("days".into());
    survey.tasks[1].levels = None;
    for cell in &mut survey.cells {
        let (slope, is_first) = ([3, 1][cell.model], cell.task == 0);
        let level =
            |n: usize| LevelAccuracy { level: 2 + n, rows: 25, correct: 25 - slope * 3 * n };
        if let SurveyedOutcome::Found(found) = &mut cell.outcome {
            found.levels = if is_first { (0..3).map(level).collect() } else { Vec::new() };
        }
    }
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
        ..Report::default()
    }
}

/// Mis-coupling of four steps: neighbours less than others, the last step without a Jacobian, the second
/// without a basis.
fn mis_coupling(steps: usize, from: f64) -> MisCoupling {
    let off_diagonal = |i: usize, j: usize| match i.abs_diff(j) {
        _ if i == steps - 1 || j == 1 => None,
        0 => Some(0.0),
        apart => Some(from + 0.01 * apart as f64),
    };
    let map = |scale: f64| -> Vec<Vec<Option<f64>>> {
        let row = |i: usize| (0..steps).map(|j| off_diagonal(i, j).map(|x| scale * x)).collect();
        (0..steps).map(row).collect()
    };
    let mut why_row = vec![None; steps];
    let mut why_column = vec![None; steps];
    why_row[steps - 1] = Some(Undefined::Zero);
    why_column[1] = Some(Undefined::Rank);
    MisCoupling { off_diagonal: map(1.0), singular: map(1.05), why_row, why_column }
}

/// A coupling in numbers from formulas: four steps, of which one comes twice, and three tokens.
pub fn coupling() -> Coupling {
    let steps = 4;
    let pair = |own: [usize; 2], fixed: bool| StepPair {
        steps: own,
        map: MisCoupling {
            why_row: vec![None, None, Some(Undefined::Unseen)],
            why_column: Vec::new(),
            ..mis_coupling(3, if fixed { 0.8 } else { 0.85 })
        },
        gap: vec![Some(0.1), Some(2e-4), None],
    };
    let pairs = |fixed: bool| vec![pair([1, 1], fixed), pair([1, 2], fixed)];
    let depth_wise = [2, 4].map(|k| {
        let found = DepthWise {
            map: mis_coupling(steps, 0.7),
            coupling: BothMetrics { off_diagonal: Some(0.28), singular: Some(0.24) },
            chance: chance(k),
        };
        (k, found)
    });
    let spectrum = |step: usize| Spectrum {
        singular_values: (0..6).map(|n| 3.0 / (1.0 + (n + step) as f64)).collect(),
        entropy: (step < 3).then_some(1.5),
        effective_rank: (step < 3).then_some(1.5_f64.exp()),
        stable_rank: (step < 3).then_some(1.7),
        frobenius: Some(3.5),
        gap: [(2, Some(0.2)), (4, (step == 2).then_some(5e-4))].into(),
    };
    let a = |i: usize, j: usize| {
        let entry = |r: usize, c: usize| match (r == c, i == j) {
            (true, _) => 3.0 / (1 + r) as f32,
            (_, true) => 0.0,
            _ => 0.5 - 0.25 * (r + c + i) as f32,
        };
        (i != 3 && j != 1).then(|| (0..4).map(|r| (0..4).map(|c| entry(r, c)).collect()).collect())
    };
    Coupling {
        prompt: Some("one two three".into()),
        token_ids: vec![1, 2, 3],
        tokens: Some(["one", " two", " "].map(str::to_owned).to_vec()),
        plan: "0,1,1,2m".into(),
        steps: ["0", "1", "1", "2m"].map(str::to_owned).to_vec(),
        top: vec![2, 4],
        method: CouplingMethod::Whole,
        reason: MethodReason::FewerProducts,
        seed: None,
        products: ProductCount { jvp: 32, vjp: 0 },
        spectrum: (0..steps).map(spectrum).collect(),
        depth_wise: depth_wise.into(),
        aligned: Some(Aligned {
            k: 4,
            pairs: (0..steps).map(|i| (0..steps).map(|j| a(i, j)).collect()).collect(),
        }),
        token_wise: Some(TokenWise {
            k: 4,
            same: Some(SelfTokens { t: vec![0, 1, 2], pairs: pairs(false) }),
            fixed_input: Some(FixedInput { t_in: 0, t_out: vec![0, 1, 2], pairs: pairs(true) }),
            fixed_output: Some(FixedOutput { t_out: 2, t_in: vec![0, 1, 2], pairs: pairs(true) }),
        }),
        linearised: Linearised {
            cosine: vec![Some(0.9), Some(0.5), Some(-0.1), None],
            relative_error: vec![Some(0.2), Some(0.7), Some(1.3), None],
        },
        trajectories: TokenPaths {
            explained_variance_ratio: [0.6, 0.3],
            states: (0..=steps)
                .map(|depth| {
                    (0..3).map(|t| [(depth * t) as f64, depth as f64 - t as f64]).collect()
                })
                .collect(),
        },
        line_shape_score: Some(1.6),
        expodistance: Some(0.43),
    }
}

/// A coupling over rows: eleven pairs, of which one makes the correlation.
pub fn task_coupling() -> TaskCoupling {
    let one = coupling();
    let mean = |x: &Option<f64>| x.map(|mean| Mean { mean, low: mean - 0.05, high: mean + 0.05 });
    let all = |map: &Vec<Vec<Option<f64>>>| {
        map.iter().map(|row| row.iter().map(mean).collect()).collect()
    };
    let depth_wise = one.depth_wise.iter().map(|(&k, found)| {
        let means = MeanMap {
            off_diagonal: all(&found.map.off_diagonal),
            singular: all(&found.map.singular),
            coupling: BothMetrics {
                off_diagonal: mean(&found.coupling.off_diagonal),
                singular: mean(&found.coupling.singular),
            },
            chance: found.chance,
            ill_posed: vec![0, 1, 0, 0],
        };
        (k, means)
    });
    let point = |n: usize| ScatterPoint {
        name: format!("{n}-{}", n + 1),
        x: if n == 0 { 0.02 } else { 0.15 + 0.01 * (n % 3) as f64 },
        y: if n == 0 { 8.0 } else { 1.0 + 0.2 * (n % 2) as f64 },
    };
    let points: Vec<ScatterPoint> = (0..11).map(point).collect();
    let x: Vec<f64> = points.iter().map(|point| point.x).collect();
    let y: Vec<f64> = points.iter().map(|point| point.y).collect();
    let relation = |to: RelationTo, metric: CouplingMetric| Relation {
        to,
        task: None,
        k: 4,
        metric,
        in_order: true,
        all: Together::in_order(&x, &y),
        left_out: Together::each_left_out(&x, &y, Together::in_order),
        points: points.clone(),
    };
    let row =
        |map: &Vec<Vec<Option<f64>>>| map.iter().flatten().map(|x| x.map(|x| x as f32)).collect();
    let each = CouplingRow {
        depth_wise: one
            .depth_wise
            .iter()
            .map(|(&k, found)| {
                let map = RowMap {
                    off_diagonal: row(&found.map.off_diagonal),
                    singular: row(&found.map.singular),
                    gap: vec![None; 4],
                };
                (k, map)
            })
            .collect(),
        cosine: one.linearised.cosine.clone(),
        relative_error: one.linearised.relative_error.clone(),
        line_shape_score: one.line_shape_score,
        expodistance: one.expodistance,
    };
    TaskCoupling {
        task: "sum".into(),
        rows: 2,
        rows_asked: 3,
        resamples: 1000,
        seed: 0,
        fingerprint: None,
        plan: one.plan.clone(),
        steps: one.steps.clone(),
        top: one.top.clone(),
        method: one.method,
        products: one.products,
        depth_wise: depth_wise.collect(),
        linearised: MeanLinearised {
            cosine: one.linearised.cosine.iter().map(mean).collect(),
            relative_error: one.linearised.relative_error.iter().map(mean).collect(),
        },
        line_shape_score: mean(&one.line_shape_score),
        expodistance: mean(&one.expodistance),
        accuracy: mean(&Some(0.9)),
        costs: Vec::new(),
        relations: vec![
            relation(RelationTo::SwapMargin, CouplingMetric::OffDiagonal),
            relation(RelationTo::SwapMargin, CouplingMetric::Singular),
        ],
        each: vec![each.clone(), each],
    }
}

/// Two models, each with its own.
pub fn coupled_models() -> ModelsCoupling {
    let model = |name: &str, line: f64| {
        let coupling = Coupling { line_shape_score: Some(line), ..coupling() };
        let mut report = Report { coupling: Some(Box::new(coupling)), ..empty() };
        report.model.name = name.into();
        ModelCoupling { training_step: None, report }
    };
    let relation =
        Relation { to: RelationTo::Depth, in_order: false, ..task_coupling().relations[0].clone() };
    ModelsCoupling {
        models: vec![model("small", 1.3), model("large", 2.6)],
        relations: vec![relation],
    }
}

/// One of each kind.
pub fn all() -> [Report; 7] {
    [
        Report { lens: Some(lens("tinystories-656k-lily", None)), ..empty() },
        Report { prompts: Some(prompts()), ..empty() },
        Report { lab: Some(Box::new(lab())), ..empty() },
        Report { orders: vec![sweep(6)], ..empty() },
        Report { lens: Some(inside()), member: Some(Box::new(account())), ..empty() },
        Report { need: vec![need()], ..empty() },
        Report {
            coupling: Some(Box::new(coupling())),
            task_coupling: vec![task_coupling()],
            ..empty()
        },
    ]
}
