//! Checks of couplings that every engine must pass.

use atelier::engine::EngineError;
use atelier::plan::Plan;
use atelier::study::coupling::{
    Coupling, CouplingMethod, CouplingWish, Linearising, MisCoupling, StepPair, TokenWish,
};
use atelier::study::{LoadedModel, Running, StudyError};
use serde_json::{Value, json};

use super::parity::Load;
use super::{assert_close_to, goldens_in, model_of, u32s};

/// To the end.
pub fn run(model: &LoadedModel, ids: &[u32], wish: CouplingWish) -> Result<Coupling, StudyError> {
    let mut run = Linearising::start(model, ids, wish)?;
    let mut before = 0;
    while let Some((done, of)) = run.advance()? {
        assert!(before <= done && done < of, "{before}, then {done} of {of}");
        before = done;
    }
    run.coupling(None)
}

pub fn wish(model: &LoadedModel, top: &[usize], method: CouplingMethod) -> CouplingWish {
    CouplingWish {
        method: Some(method),
        ..CouplingWish::of(model.plan(None).expect("its own order"), top.to_vec())
    }
}

fn usizes(value: &Value) -> Vec<usize> {
    serde_json::from_value(value.clone()).expect("a list of positions")
}

fn position(value: &Value) -> usize {
    value.as_u64().expect("a position") as usize
}

/// Returns the request for the golden's maps between tokens.
fn tokens(golden: &Value) -> TokenWish {
    let of = &golden["token_wise"];
    let (input, output) = (&of["fixed_input"], &of["fixed_output"]);
    let pairs = of["self"]["pairs"].as_array().expect("pairs of steps");
    let steps = pairs.iter().map(|pair| {
        let steps = usizes(&pair["steps"]);
        [steps[0], steps[1]]
    });
    TokenWish {
        steps: steps.collect(),
        same: usizes(&of["self"]["t"]),
        input: Some((position(&input["t_in"]), usizes(&input["t_out"]))),
        output: Some((position(&output["t_out"]), usizes(&output["t_in"]))),
    }
}

/// Both metrics of a map, to an absolute tolerance; undefined pairs are undefined.
fn map_holds(found: &MisCoupling, expected: &Value, at: &str, tolerance: f64) -> usize {
    let mut checked = 0;
    for (map, field) in [(&found.off_diagonal, "off_diagonal"), (&found.singular, "singular")] {
        let expected = expected[field].as_array().expect("a map");
        assert_eq!(map.len(), expected.len(), "{at} {field}");
        for (i, (row, expected)) in map.iter().zip(expected).enumerate() {
            let expected = expected.as_array().expect("a row");
            assert_eq!(row.len(), expected.len(), "{at} {field}");
            for (j, (found, expected)) in row.iter().zip(expected).enumerate() {
                match (found, expected.as_f64()) {
                    (Some(found), Some(expected)) => assert!(
                        (found - expected).abs() <= tolerance,
                        "{at} {field}[{i}][{j}]: {found}, expected {expected}"
                    ),
                    (found, expected) => assert_eq!(*found, expected, "{at} {field}[{i}][{j}]"),
                }
                checked += 1;
            }
        }
    }
    checked
}

fn pairs_hold(found: &[StepPair], expected: &Value, at: &str, tolerance: f64) -> usize {
    let expected = expected["pairs"].as_array().expect("pairs of steps");
    assert_eq!(found.len(), expected.len(), "{at}");
    let pairs = found.iter().zip(expected).map(|(found, expected)| {
        assert_eq!(json!(found.steps), expected["steps"], "{at}");
        map_holds(&found.map, expected, at, tolerance)
    });
    pairs.sum()
}

/// The goldens' spectra, maps along depth and between tokens, linearised paths and trajectories.
pub fn goldens_hold(load: &Load, method: CouplingMethod, tolerance: f64, of_paths: f64) {
    let mut checked = 0;
    for (name, golden) in goldens_in("tests/golden/coupling") {
        let Some(folder) = model_of(&golden) else { continue };
        let model = load(&folder);
        let wish = CouplingWish { tokens: tokens(&golden), ..wish(&model, &[4, 8, 16], method) };
        let ids = u32s(&golden["token_ids"]);
        let found = run(&model, &ids, wish).expect("a coupling");
        assert_eq!(found.method, method, "{name}");
        for (k, one) in &found.depth_wise {
            let expected = &golden["depth_wise"][k.to_string()];
            let at = format!("{name} K {k}");
            checked += map_holds(&one.map, expected, &at, tolerance);
            for (found, field) in
                [(one.coupling.off_diagonal, "off_diagonal"), (one.coupling.singular, "singular")]
            {
                let expected = expected["coupling"][field].as_f64().expect("a coupling");
                let found = found.expect("a coupling");
                assert!(
                    (found - expected).abs() <= tolerance,
                    "{at} {field}: {found}, expected {expected}"
                );
            }
        }
        let tokens = found.token_wise.as_ref().expect("maps between tokens");
        let expected = &golden["token_wise"];
        assert_eq!(json!(tokens.k), expected["k"]);
        let same = tokens.same.as_ref().expect("a map");
        checked += pairs_hold(&same.pairs, &expected["self"], &name, tolerance);
        let input = tokens.fixed_input.as_ref().expect("a map");
        checked += pairs_hold(&input.pairs, &expected["fixed_input"], &name, tolerance);
        let output = tokens.fixed_output.as_ref().expect("a map");
        checked += pairs_hold(&output.pairs, &expected["fixed_output"], &name, tolerance);
        spectra_hold(&found, &golden, &name, tolerance);
        let expected = &golden["linearised"];
        assert_close_to(&json!(found.linearised), expected, &name, tolerance);
        paths_hold(&found, &golden["trajectories"], &name, of_paths);
    }
    println!("{checked} golden pairs equal");
    assert!(checked >= 2000, "{checked}");
}

fn spectra_hold(found: &Coupling, golden: &Value, name: &str, tolerance: f64) {
    let expected = golden["spectrum"].as_array().expect("spectra");
    assert_eq!(found.spectrum.len(), expected.len(), "{name}");
    for (step, (found, expected)) in found.spectrum.iter().zip(expected).enumerate() {
        let at = format!("{name} spectrum {step}");
        assert_close_to(
            &json!(found.singular_values),
            &expected["singular_values"],
            &at,
            tolerance,
        );
        if found.entropy.is_some() {
            for field in ["entropy", "effective_rank", "stable_rank", "frobenius"] {
                let found = &json!(found)[field];
                assert_close_to(found, &expected[field], &format!("{at} {field}"), tolerance);
            }
        }
        for (k, gap) in &found.gap {
            let expected = expected["gap"][k.to_string()].as_f64().expect("a gap");
            let gap = gap.expect("a gap");
            assert!((gap - expected).abs() <= 10.0 * tolerance, "{at} gap {k}: {gap}");
        }
    }
}

/// To a part of the largest coordinate.
fn paths_hold(found: &Coupling, expected: &Value, name: &str, tolerance: f64) {
    let states: Vec<Vec<[f64; 2]>> =
        serde_json::from_value(expected["states"].clone()).expect("states");
    let all = || states.iter().flatten().flatten();
    let largest = all().fold(0.0_f64, |max, x| max.max(x.abs()));
    let found_all = found.trajectories.states.iter().flatten().flatten();
    assert_eq!(found.trajectories.states.len(), states.len(), "{name}");
    assert_eq!(found_all.clone().count(), all().count(), "{name}");
    for (found, expected) in found_all.zip(all()) {
        assert!(
            (found - expected).abs() <= tolerance * largest,
            "{name} trajectories: {found}, expected {expected} of {largest}"
        );
    }
    assert_close_to(
        &json!(found.trajectories.explained_variance_ratio),
        &expected["explained_variance_ratio"],
        name,
        10.0 * tolerance,
    );
}

/// `coupling_k8`, `jacobian_singular_values`, `coupling_context` of the other goldens, and the path's shape.
pub fn families_hold(load: &Load, tolerance: f64) {
    let mut checked = 0;
    let goldens = goldens_in("tests/golden").into_iter();
    for (name, golden) in goldens.chain(goldens_in("tests/golden/families")) {
        let expected = &golden["coupling_k8"];
        if expected.is_null() {
            continue;
        }
        let Some(folder) = model_of(&golden) else { continue };
        let model = load(&folder);
        let ids = u32s(&golden["token_ids"]);
        let context = &golden["coupling_context"];
        let blocks = usizes(&context["blocks"]);
        let asked = CouplingWish {
            tokens: TokenWish {
                steps: vec![[blocks[0], blocks[1]]],
                output: Some((ids.len() - 1, vec![position(&context["token_in"])])),
                ..TokenWish::default()
            },
            ..wish(&model, &[8], CouplingMethod::Whole)
        };
        let found = run(&model, &ids, asked).expect("a coupling");
        map_holds(&found.depth_wise[&8].map, expected, &name, tolerance);
        let values: Vec<&Vec<f64>> = found.spectrum.iter().map(|s| &s.singular_values).collect();
        let expected = &golden["jacobian_singular_values"];
        assert_close_to(&json!(values), expected, &name, tolerance);
        let tokens = found.token_wise.as_ref().expect("a map");
        let output = tokens.fixed_output.as_ref().expect("a map");
        let found_there = output.pairs[0].map.off_diagonal[0][0].expect("a pair");
        let expected = context["off_diagonal_k8"].as_f64().expect("a pair");
        assert!(
            (found_there - expected).abs() <= tolerance,
            "{name}: {found_there}, expected {expected}"
        );
        for (found, field) in
            [(found.line_shape_score, "line_shape_score"), (found.expodistance, "expodistance")]
        {
            assert_close_to(&json!(found), &golden[field], &name, tolerance.max(1e-3));
        }
        checked += 1;
    }
    assert!(checked >= 4, "{checked}");
}

/// Returns the sentence with which a request is refused.
pub fn refusal(model: &LoadedModel, ids: &[u32], wish: CouplingWish) -> String {
    match Linearising::start(model, ids, wish) {
        Ok(_) => panic!("it is refused"),
        Err(error) => error.to_string(),
    }
}

/// Reads a plan's line.
pub fn of_plan(model: &LoadedModel, line: &str) -> Plan {
    model.plan(Some(line)).expect(line)
}

/// A run that is not done gives nothing.
pub fn too_early(model: &LoadedModel, ids: &[u32], wish: CouplingWish) {
    let run = Linearising::start(model, ids, wish).expect("a run");
    assert!(matches!(run.coupling(None), Err(StudyError::Engine(EngineError::Cancelled))));
}
