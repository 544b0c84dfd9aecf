//! Where results go: standard output for the reader, standard error for progress and for what is said
//! beside the results.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use super::table::WIDTH;

/// Characters that move a terminal's cursor, change its colours, its title or the order of its letters: names
/// and texts come out of files, and none of them is to speak to the terminal. Each becomes a blank, and so does
/// a line break where `lines` is false. So does a no-break space: a reader searches for the space that is on the
/// keyboard.
pub fn plain(text: &str, lines: bool) -> String {
    let is_kept =
        |c: char| !(c.is_control() || turns_letters(c) || c == '\u{a0}') || lines && c == '\n';
    let shown = text.chars().map(|c| if is_kept(c) { c } else { ' ' });
    shown.collect()
}

/// Marks of the direction of writing: what follows them is shown in another order than it is written.
fn turns_letters(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Prints what people read. On a terminal, lines that are longer than a table may be are broken between words.
pub fn show(text: &str) -> anyhow::Result<()> {
    let text = plain(text, true);
    print(&if io::stdout().is_terminal() { folded(&text, WIDTH) } else { text })
}

/// The text with no line longer than `width` where it has a blank to be broken at. What goes on stands as far in as
/// its line began.
fn folded(text: &str, width: usize) -> String {
    let mut folded = String::new();
    for line in text.split_inclusive('\n') {
        let mut rest = line.to_owned();
        while let Some((end, begins)) = fold(&rest, width) {
            folded += rest[..end].trim_end();
            folded.push('\n');
            let indent = rest.chars().take_while(|c| *c == ' ').count();
            rest = " ".repeat(indent) + &rest[begins..];
        }
        folded += &rest;
    }
    folded
}

/// Where a line that is too long is broken: bytes before the blank, and bytes with it.
fn fold(line: &str, width: usize) -> Option<(usize, usize)> {
    let indent = line.len() - line.trim_start().len();
    let (beyond, _) = line.trim_end().char_indices().nth(width)?;
    let end = indent + line[indent..=beyond].rfind(' ').filter(|blank| *blank > 0)?;
    Some((end, end + 1))
}

/// Prints to standard output what programs read, as it is. A reader that has seen enough (`atelier … | head`) is no error.
pub fn print(text: &str) -> anyhow::Result<()> {
    print_with(|out| Ok(out.write_all(text.as_bytes())?))
}

/// Prints to standard output as [`print()`] does, piece by piece.
pub fn print_with(write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = write(&mut out).and_then(|()| Ok(out.flush()?));
    // What is left would be written again when it is dropped, to a reader that is gone.
    let _ = out.into_parts();
    match written {
        Err(error) => match error.downcast_ref::<io::Error>() {
            Some(pipe) if pipe.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Some(_) => Err(error).context("the result could not be printed"),
            None => Err(error),
        },
        Ok(()) => Ok(()),
    }
}

/// The exit code that a shell sees when `SIGPIPE` ends a program.
const PIPE_CODE: i32 = 128 + 13;

/// Characters of a line on standard error: a sentence may quote a file.
const LONGEST: usize = 4000;

/// Cuts a line that is too long to be read.
fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// A line on standard error. When its reader is gone nobody hears what goes wrong: the program ends, as
/// one that `SIGPIPE` reaches does.
pub fn say(line: &str) {
    let written =
        io::stderr().lock().write_all(format!("{}\n", cut(&plain(line, false))).as_bytes());
    if written.is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        std::process::exit(PIPE_CODE);
    }
}

/// A report as one line of JSON.
pub fn json(report: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string(report).context("the report could not be written as JSON")? + "\n")
}

/// How far work is, on standard error: a bar where that is a terminal, and elsewhere a line a minute; only of
/// work that takes long enough to wonder about.
pub struct Progress {
    bar: ProgressBar,
    unit: String,
    started: Instant,
    /// When the last line was written where there is no terminal.
    said: Cell<Instant>,
}

const SHOWN_AFTER: Duration = Duration::from_millis(300);

/// Between two lines about one piece of work, where no bar is drawn.
const LINE_EVERY: Duration = Duration::from_secs(60);

impl Progress {
    pub fn new(doing: &'static str, unit: &str) -> Self {
        Self::with(doing, unit, &format!("{{msg}} {{bar:40}} {{pos}}/{{len}} {unit}, {{eta}} left"))
    }

    /// With how many a second, too.
    pub fn with_rate(doing: &'static str, unit: &str) -> Self {
        let rate = "{per_sec}, {eta} left";
        Self::with(doing, unit, &format!("{{msg}} {{bar:40}} {{pos}}/{{len}} {unit}, {rate}"))
    }

    /// Counts bytes, and shows their rate.
    pub fn bytes(doing: &'static str) -> Self {
        let counts = "{bytes}/{total_bytes}, {bytes_per_sec}, {eta} left";
        Self::with(doing, "bytes", &format!("{{msg}} {{bar:40}} {counts}"))
    }

    fn with(doing: &'static str, unit: &str, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let bar = match ProgressStyle::with_template(template) {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        };
        let now = Instant::now();
        Progress {
            bar: bar.with_message(doing),
            unit: unit.to_owned(),
            started: now,
            said: Cell::new(now),
        }
    }

    /// Says what is done now.
    pub fn doing(&self, what: String) {
        self.bar.set_message(plain(&what, false));
    }

    pub fn at(&self, done: usize, total: usize) {
        if self.bar.is_hidden() && self.started.elapsed() > SHOWN_AFTER {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        if !is_terminal() && self.said.get().elapsed() >= LINE_EVERY {
            self.said.set(Instant::now());
            say(&format!("atelier: {}: {done} of {total} {}", self.bar.message(), self.unit));
        }
    }

    /// Hears how far a study is.
    pub fn step<S>(&self) -> impl FnMut(&S, usize, usize) -> anyhow::Result<()> {
        |_, done, total| {
            self.at(done, total);
            Ok(())
        }
    }

    /// Says that a part of the work is done, where no bar shows it.
    pub fn part_is_done(&self, line: &str) {
        if !is_terminal() {
            self.said.set(Instant::now());
            say(line);
        }
    }
}

fn is_terminal() -> bool {
    io::stderr().is_terminal()
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words() {
        assert_eq!(folded("one two three\nfour\n", 7), "one two\nthree\nfour\n");
        assert_eq!(folded("  one two three", 9), "  one two\n  three");
        assert_eq!(folded("a/path/without/a/blank and more", 9), "a/path/without/a/blank and more");
        assert_eq!(folded("é é é é\n", 3), "é é\né é\n");
    }

    #[test]
    fn nothing_that_is_shown_speaks_to_the_terminal() {
        let text = "a\u{1b}[31m\u{9b}2J\u{7}\r\t\nb é";
        assert_eq!(plain(text, true), "a [31m 2J   \nb é");
        assert_eq!(plain(text, false), "a [31m 2J    b é");
        assert_eq!(plain("10\u{a0}%", true), "10 %");
        // A name that would be read backwards.
        assert_eq!(plain("\u{202e}gnp\u{2066}.exe\u{200f}\u{61c}", false), " gnp .exe  ");
    }

    #[test]
    fn a_line_on_standard_error_has_an_end() {
        let longest = "é".repeat(LONGEST);
        assert_eq!(cut(&longest), longest);
        assert_eq!(cut(&format!("{longest}e")), format!("{longest}…"));
    }
}
