//! `atelier train rows`: held-out rows of the primer.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, ensure};

use super::out_file::{OutFile, There};
use super::output;
use crate::task::primer::{self, GeneratedTask};
use crate::train::family;

/// Write held-out rows as JSON lines, for `atelier lens --prompts`
#[derive(clap::Args)]
#[command(after_help = "Examples:
  atelier train rows --task sum --rows 20 --out rows.jsonl
  atelier train rows --task sum --level 9")]
pub struct RowsArgs {
    /// The task: topic, quiz, fact, often, same, follows, mood, sense, sum or last
    #[arg(long)]
    task: String,
    /// Most rows. Easy levels have fewer, as no row is written twice
    #[arg(long, default_value_t = 500)]
    rows: usize,
    /// Rows of one level only, in the task's own unit: digits, hops or negations [default: all levels]
    #[arg(long, value_name = "COUNT")]
    level: Option<usize>,
    /// Random seed for drawing rows
    #[arg(long, default_value_t = family::SEED)]
    seed: u64,
    /// The file to write [default: standard output]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Replace the file that --out names
    #[arg(long, requires = "out")]
    force: bool,
}

impl RowsArgs {
    pub fn write(&self) -> anyhow::Result<()> {
        let names = || GeneratedTask::ALL.map(GeneratedTask::name).join(", ");
        let task = GeneratedTask::from_name(&self.task).with_context(|| {
            format!("no task is called '{}': choose one of {}", self.task, names())
        })?;
        ensure!(self.rows > 0, "--rows 0 writes nothing: ask for at least 1");
        ensure!(
            self.rows <= primer::MOST_ROWS,
            "--rows {} are more than are drawn at once: ask for at most {}",
            self.rows,
            primer::MOST_ROWS
        );
        let level_of = |count| {
            primer::level_of_count(task, count).with_context(|| {
                format!(
                    "--level {count} is out of range: {} has {}",
                    task.name(),
                    primer::level_range(task)
                )
            })
        };
        let level = self.level.map(level_of).transpose()?;
        let there = There::of(self.force, false);
        let mut out = OutFile::new(self.out.as_deref(), there, &[])?;
        // Row by row: as many as are asked for, and none of them is kept.
        let mut written = 0;
        let write = |to: &mut dyn Write| -> anyhow::Result<()> {
            for row in primer::drawn(task, level, self.rows, self.seed) {
                serde_json::to_writer(&mut *to, &row).map_err(std::io::Error::from)?;
                to.write_all(b"\n")?;
                written += 1;
            }
            Ok(())
        };
        if out.is_named() {
            out.write_with(write)?;
        } else {
            output::print_with(write)?;
        }
        if written < self.rows {
            let of = level
                .map_or(String::new(), |level| format!(" of {}", primer::level_name(task, level)));
            let name = task.name();
            output::say(&format!("after {written} held-out rows{of} no other of {name} was found"));
        }
        Ok(())
    }
}
