//! Colours of a chart, read from `style/tokens.css` while the program is compiled: each means one thing
//! everywhere (tile, curve, word).

use super::plot::{LINES, Line, MARKS, Mark, Pen};
use crate::engine::MemberKind;
use crate::study::orders::Sweep;

/// Every colour a chart may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    pub name: &'static str,
    pub paper: &'static str,
    pub ink: &'static str,
    /// Axis labels and notes.
    pub quiet: &'static str,
    pub hairline: &'static str,
    pub embedding: &'static str,
    pub attention: &'static str,
    pub mlp: &'static str,
    pub bias: &'static str,
    pub diversity: &'static str,
    pub mse: &'static str,
    /// Colours of what has no role: models, tasks, words, tokens, and named orders in the order of
    /// [`Sweep::FAMILY`].
    pub pens: [&'static str; 6],
}

/// Dark on light.
pub const LIGHT: Theme = theme("light");

/// Light on dark.
pub const DARK: Theme = theme("dark");

const fn theme(name: &'static str) -> Theme {
    Theme {
        name,
        paper: token("paper", name),
        ink: token("ink", name),
        quiet: token("quiet", name),
        hairline: token("hairline", name),
        embedding: token("embedding", name),
        attention: token("attention", name),
        mlp: token("mlp", name),
        bias: token("bias", name),
        diversity: token("diversity", name),
        mse: token("mse", name),
        pens: [
            token("pen-1", name),
            token("pen-2", name),
            token("pen-3", name),
            token("pen-4", name),
            token("pen-5", name),
            token("pen-6", name),
        ],
    }
}

/// Where colours are said.
const TOKENS: &str = include_str!("../../style/tokens.css");

/// The value of `--role-theme: #rrggbb;`. A colour that the file lacks ends the compilation.
const fn token(role: &str, theme: &str) -> &'static str {
    let mut rest = TOKENS;
    while !rest.is_empty() {
        if let Some(value) = value(rest, role, theme) {
            return value;
        }

        // Characters of several bytes are stepped over whole.
        let mut step = 1;
        while !rest.is_char_boundary(step) {
            step += 1;
        }
        rest = rest.split_at(step).1;
    }
    panic!("style/tokens.css lacks a colour, or does not write it as `--role-theme: #rrggbb;`")
}

/// The value of a token whose line begins here.
const fn value(line: &'static str, role: &str, theme: &str) -> Option<&'static str> {
    let mut rest = line;
    let mut part = 0;
    while part < 5 {
        let begins_with = ["--", role, "-", theme, ": "][part];
        match after(rest, begins_with) {
            Some(after) => rest = after,
            None => return None,
        }
        part += 1;
    }
    let (value, end) = rest.split_at("#rrggbb".len());
    match (after(value, "#"), after(end, ";")) {
        (Some(_), Some(_)) => Some(value),
        _ => None,
    }
}

/// Returns the rest of a text behind a beginning; `None` where it begins otherwise.
const fn after(text: &'static str, beginning: &str) -> Option<&'static str> {
    let (whole, part) = (text.as_bytes(), beginning.as_bytes());
    if whole.len() < part.len() {
        return None;
    }
    let mut i = 0;
    while i < part.len() {
        if whole[i] != part[i] {
            return None;
        }
        i += 1;
    }
    Some(text.split_at(part.len()).1)
}

impl Theme {
    /// The colour of a kind of member.
    pub fn of(&self, kind: MemberKind) -> &'static str {
        match kind {
            MemberKind::Embedding => self.embedding,
            MemberKind::Attention => self.attention,
            MemberKind::Mlp => self.mlp,
            MemberKind::Bias => self.bias,
        }
    }

    /// MSE, bias and diversity, as curves of them are drawn everywhere.
    pub(super) fn roles(&self) -> [Pen; 3] {
        [
            Pen::new("MSE", self.mse, Line::Thick, Mark::None),
            Pen::new("bias", self.bias, Line::Solid, Mark::None),
            Pen::new("diversity", self.diversity, Line::Dashed, Mark::None),
        ]
    }

    /// A named order's; dropped and swapped blocks are in ink.
    pub fn strategy(&self, sweep: Sweep) -> &'static str {
        let place = Sweep::FAMILY.iter().position(|&other| other == sweep);
        place.map_or(self.ink, |i| self.pens[i])
    }

    /// How the n-th of several things without a role is drawn: each of the first thirty has a colour and line of its
    /// own, and a colour and mark of its own.
    pub fn pen(&self, n: usize, name: impl Into<String>) -> Pen {
        let colour = self.pens[n % self.pens.len()];
        Pen::new(name, colour, LINES[n % LINES.len()], MARKS[n % MARKS.len()])
    }
}

/// The mark that tells a kind apart where colour cannot.
pub(super) fn mark(kind: MemberKind) -> Mark {
    match kind {
        MemberKind::Embedding => Mark::Diamond,
        MemberKind::Attention => Mark::Circle,
        MemberKind::Mlp => Mark::Square,
        MemberKind::Bias => Mark::Triangle,
    }
}
