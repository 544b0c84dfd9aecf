//! Reports to draw: of golden runs, from files, and a sweep with numbers from a formula.

use atelier::engine::Member;
use atelier::measure::decomposition::{argmax, decompose, softmax};
use atelier::measure::interval::Mean;
use atelier::measure::leads::leads;
use atelier::plan::Strategy;
use atelier::study::coupling::{Coupling, ModelsCoupling, ModelsCouplingReport, TaskCoupling};
use atelier::study::lens::RunningAverages;
use atelier::study::member::MemberAccount;
use atelier::study::need::Need;
use atelier::study::orders::{
    Extent, Measures, OrderRows, Orders, Sweep, SweepPoint, Variant, VoteMeans,
};
use atelier::study::report::{Lab, Lens, Opened, Prompts, Report};
use atelier::study::survey::{LevelAccuracy, Survey, SurveyedOutcome, correlations};
use atelier::task::score::Score;

use crate::common::in_project;

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
    let path = in_project("tests/golden").join(format!("{name}.json"));
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

/// A report of `tests/golden/reports/drawn`, whose numbers are made up: formulas gave them once (this file at commit
/// e8b57942), and the files are edited since.
fn drawn(name: &str) -> String {
    let path = in_project("tests/golden/reports/drawn").join(format!("{name}.atelier.json"));
    std::fs::read_to_string(path).expect(name)
}

fn report(name: &str) -> Report {
    Report::read(&drawn(name)).expect(name)
}

pub fn lab() -> Lab {
    *report("lab").lab.expect("a lab")
}

/// A run with a logit lens and its attention: two blocks of two heads, of which one is off.
pub fn inside() -> Lens {
    report("member").lens.expect("a lens")
}

/// The last block's attention in that run; its second head is off.
pub fn account() -> MemberAccount {
    *report("member").member.expect("a member")
}

/// Three parts of a task.
pub fn need() -> Need {
    report("need").need.remove(0)
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

/// A model of five blocks, and nothing found about it.
pub fn empty() -> Report {
    Report { need: Vec::new(), ..report("need") }
}

/// Four steps, of which one comes twice, and three tokens; the last step has no Jacobian, the second no basis.
pub fn coupling() -> Coupling {
    *report("coupling").coupling.expect("a coupling")
}

/// A coupling over rows: eleven pairs, of which one makes the correlation.
pub fn task_coupling() -> TaskCoupling {
    report("coupling").task_coupling.remove(0)
}

/// Two models, each with its own.
pub fn coupled_models() -> ModelsCoupling {
    ModelsCouplingReport::read(&drawn("models")).expect("models").coupling_models
}

/// One of each kind.
pub fn all() -> [Report; 7] {
    [
        Report { lens: Some(lens("tinystories-656k-lily", None)), ..empty() },
        Report { prompts: Some(prompts()), ..empty() },
        report("lab"),
        Report { orders: vec![sweep(6)], ..empty() },
        report("member"),
        report("need"),
        report("coupling"),
    ]
}
