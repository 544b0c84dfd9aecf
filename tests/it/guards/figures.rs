//! Every file that `atelier figures` writes of the reports that ship and of four small ones.
//!
//! The files together are megabytes: a snapshot has a line per file, its hash and what it consists of, and the
//! sentence that the figure says. To see a difference, draw the report with the program of both commits.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::cli::support::{in_project, printed};
use crate::snapshot::check;

#[test]
fn one_prompt_and_many() {
    hold("figures/lens", "tests/golden/reports/lens.atelier.json");
    hold("figures/prompts", "tests/golden/reports/prompts.atelier.json");
    hold("figures/first", "public/examples/first.atelier.json");
}

#[test]
fn sweeps_and_couplings() {
    hold("figures/sweep", "tests/golden/reports/sweep.atelier.json");
    hold("figures/coupling", "public/examples/coupling.atelier.json");
}

#[test]
fn surveys() {
    hold("figures/survey-small", "tests/golden/reports/survey.atelier.json");
    hold("figures/survey", "public/examples/survey.atelier.json");
    hold("figures/survey-smollm2", "public/examples/smollm2-survey.atelier.json");
}

fn hold(name: &str, report: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let report = in_project(report).display().to_string();
    let mut said = String::new();
    for line in printed(&["figures", &report, "--out", &out]).lines() {
        let (figure, _) = line.split_once("  ").expect("a name and a sentence");
        said += &format!("{line}\n");
        // One that is not drawn is named with the reason.
        let drawn = !line.contains(" is not drawn: ");
        for form in ["svg", "csv"].into_iter().filter(|_| drawn) {
            said += &format!("  {}\n", described(&folder.path().join(format!("{figure}.{form}"))));
        }
    }
    check(&format!("{name}.txt"), &said);
}

/// The text with the numbers of a table in nine digits: `exp` and `ln` of different systems differ in the last bits.
fn settled(text: &str) -> String {
    let number = |cell: &str| match cell.parse::<f64>() {
        Ok(x) if cell.contains('.') => format!("{x:.8e}"),
        _ => cell.to_owned(),
    };
    let line = |line: &str| line.split(',').map(number).collect::<Vec<_>>().join(",");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A file's form, the beginning of its hash, and how many of each element or cells it has.
fn described(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a file that the command names");
    let hash: String =
        Sha256::digest(settled(&text))[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = match roxmltree::Document::parse(&text) {
        Ok(svg) => {
            let mut counts = BTreeMap::<&str, usize>::new();
            for node in svg.descendants().filter(roxmltree::Node::is_element) {
                *counts.entry(node.tag_name().name()).or_default() += 1;
            }
            let counts = counts.iter().map(|(name, count)| format!("{name} {count}"));
            counts.collect::<Vec<_>>().join(", ")
        }
        Err(_) => {
            let header = text.lines().next().unwrap_or_default();
            format!("{} rows of {header}", text.lines().count().saturating_sub(1))
        }
    };
    let form = path.extension().expect("a form").display();
    format!("{form} {hash} {parts}")
}
