//! Live couplings: in time, and the command line's.

use serde_json::Value;

use crate::page::Page;
use crate::program;

/// Returns the command line's report on the page's own prompt, vectors, steps and tokens.
fn cli(report: &Value) -> Value {
    let coupling = &report["coupling"];
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let listed = |value: &Value| {
        let all = value.as_array().expect("a list").iter();
        all.map(Value::to_string).collect::<Vec<_>>().join(",")
    };
    let tokens = &coupling["token_wise"];
    let mut words: Vec<String> =
        ["coupling", "--json", "--engine", "cpu"].map(str::to_owned).to_vec();
    words.extend(["--model".into(), text(&report["model"]["name"])]);
    words.extend(["--prompt".into(), text(&coupling["prompt"])]);
    words.extend(["--plan".into(), text(&coupling["plan"])]);
    words.extend(["--top".into(), listed(&coupling["top"])]);
    for pair in tokens["self"]["pairs"].as_array().expect("pairs") {
        words.extend(["--steps".into(), listed(&pair["steps"])]);
    }
    words.extend(["--self".into(), listed(&tokens["self"]["t"])]);
    let (input, output) = (&tokens["fixed_input"], &tokens["fixed_output"]);
    words.extend([
        "--input".into(),
        format!("{}:{}", input["t_in"], listed(&input["t_out"])),
        "--output".into(),
        format!("{}:{}", output["t_out"], listed(&output["t_in"])),
    ]);
    program::report(&words)
}

#[test]
fn the_couplings_are_the_command_lines() {
    let page = Page::live();
    page.browser.run("window.begun = performance.now()");
    page.browser.run(
        "[...document.querySelectorAll('[aria-label=Views] a')].find(a => a.getAttribute('href').includes('view=coupling')).click()",
    );
    page.until_coupled();
    let took = page.browser.number("Math.round(performance.now() - window.begun)");
    let said = page.text(".bar .provenance");
    say!(
        "coupling: drawn live {took} ms after the click, maps between tokens with it; the page says: {said}"
    );
    page.until_pointable();
    let report = page.report();
    let expected = cli(&report);
    let (found, expected) = (&report["coupling"], &expected["coupling"]);
    assert_eq!(found["depth_wise"]["8"]["off_diagonal"].as_array().map(Vec::len), Some(12));
    for field in [
        "token_ids",
        "tokens",
        "steps",
        "plan",
        "spectrum",
        "depth_wise",
        "token_wise",
        "linearised",
        "trajectories",
        "line_shape_score",
        "expodistance",
    ] {
        // Each way: neither has a field that the other lacks.
        for (one, other) in [(found, expected), (expected, found)] {
            program::assert_near(&one[field], &other[field], field, 3e-5);
        }
    }
    // The picture's numbers are the report's, in its table and in its files.
    let table = page.table_of("coupling-map");
    assert_eq!(table.len(), 144);
    let mis = found["depth_wise"]["8"]["off_diagonal"][3][4].as_f64().expect("a number");
    let shown: f64 = table[3 * 12 + 4][2].replace('−', "-").parse().expect("a number");
    assert!((1.0 - mis - shown).abs() < 1e-3, "{mis} {shown}");
    let csv = page.saved_figure("coupling-map", "CSV");
    let line = csv.lines().nth(1 + 3 * 12 + 4).expect("a line");
    let written: f64 = line.split(',').nth(3).expect("a number").parse().expect("a number");
    assert_eq!(written, mis, "{line}");
    // What is printed of the paper and is not what it says stands where its picture is.
    for (key, slip) in [
        ("coupling-map", "different metrics"),
        ("coupling-map", "names no K"),
        ("coupling-pair", "signs of their vectors"),
        ("coupling-output", "subtracts the identity"),
        ("coupling-linearised", "final norm"),
        ("coupling-linearised", "does not test coupling"),
    ] {
        page.until_says(&format!("#figure-{key} figcaption"), slip);
    }
    page.assert_quiet();
    page.assert_accessible("couplings");
    page.screenshot("coupling-1440");
    page.browser.prefer("dark");
    page.until_theme("dark");
    page.screenshot("coupling-1440-dark");
}
