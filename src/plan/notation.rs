//! Reads the one-line notation of a plan: short, and safe in a URL.
//!
//! ```text
//! plan   = item *( "," item )
//! item   = range | ( block | group ) [ "x" count ]
//! group  = "(" ( range | block ) *( "," ( range | block ) ) ")"
//! range  = index "-" index                 ascending or descending, both ends included
//! block  = index [ "a" | "m" ] [ off ]     only the attention or the MLP
//! off    = "~h" head *( "." head )         heads that are switched off, not where only the MLP runs
//! ```
//!
//! White space may stand between any two of these. A range takes no `x`: `0-3x2` could mean
//! `0,1,2,3,0,1,2,3` or `0,0,1,1,2,2,3,3`.

use super::{BlockRun, Half, HeadsOff, MAX_REPEAT, MAX_RUNS, Plan, PlanError, Step};

/// Reads the notation against a model of `blocks` stored blocks.
pub(super) fn parse(line: &str, blocks: usize) -> Result<Plan, PlanError> {
    let mut reader = NotationReader { chars: line.chars().collect(), next: 0, blocks };
    reader.skip_space();
    refuse_if!(reader.peek().is_none(), PlanError::Empty { blocks });
    let mut steps = Vec::new();
    let mut runs = 0;
    loop {
        let item = reader.item()?;
        runs += item.iter().map(|step| step.block_runs().len()).sum::<usize>();
        // Checked as the line is read: a short line can ask for a great many runs.
        refuse_if!(runs > MAX_RUNS, PlanError::TooLong { runs });
        steps.extend(item);
        if reader.peek().is_none() {
            return Plan::new(steps, blocks);
        }
        refuse_if!(!reader.take(','), reader.unexpected("`,` or the end"));
    }
}

/// The two forms that begin with an index: a block run or a range.
enum PlanEntry {
    Block(BlockRun),
    /// The range's indices, its text, and the character at which it begins.
    Range(Vec<usize>, String, usize),
}

struct NotationReader {
    chars: Vec<char>,
    /// Index of the next character; never on white space.
    next: usize,
    blocks: usize,
}

impl NotationReader {
    fn item(&mut self) -> Result<Vec<Step>, PlanError> {
        let step = if self.peek() == Some('(') {
            Step::Parallel(self.group()?)
        } else {
            match self.entry("a block's number or `(`")? {
                PlanEntry::Block(run) => Step::Block(run),
                PlanEntry::Range(indices, range, at) => {
                    if self.take('x') {
                        return Err(PlanError::RepeatedRange { range, count: self.piece(), at });
                    }
                    return Ok(indices.into_iter().map(Step::block).collect());
                }
            }
        };
        let count = if self.take('x') { self.count()? } else { 1 };
        Ok(vec![step; count])
    }

    fn group(&mut self) -> Result<Vec<BlockRun>, PlanError> {
        let opened = self.place();
        self.take('(');
        refuse_if!(self.peek() == Some(')'), PlanError::EmptyGroup { at: Some(opened) });
        let mut runs = Vec::new();
        loop {
            refuse_if!(self.peek().is_none(), PlanError::OpenGroup { at: opened });
            match self.entry("a block's number")? {
                PlanEntry::Block(run) => runs.push(run),
                PlanEntry::Range(indices, ..) => {
                    runs.extend(indices.into_iter().map(BlockRun::whole))
                }
            }
            refuse_if!(runs.len() > MAX_RUNS, PlanError::TooLong { runs: runs.len() });
            if self.take(')') {
                return Ok(runs);
            }
            refuse_if!(self.peek().is_some() && !self.take(','), self.unexpected("`,` or `)`"));
        }
    }

    /// A block, half a block or a range.
    fn entry(&mut self, expected: &'static str) -> Result<PlanEntry, PlanError> {
        let at = self.place();
        let index = self.index(expected)?;
        let half = if self.take('a') {
            Half::Attention
        } else if self.take('m') {
            Half::Mlp
        } else {
            Half::Both
        };
        if half != Half::Both || !self.take('-') {
            return Ok(PlanEntry::Block(BlockRun {
                index,
                half,
                heads_off: self.heads_off(index, half)?,
            }));
        }
        let last = self.index("the range's last block")?;
        let indices =
            if index <= last { (index..=last).collect() } else { (last..=index).rev().collect() };
        let range = format!("{index}-{last}");
        refuse_if!(self.peek() == Some('~'), PlanError::HeadsOfRange { range, at });
        Ok(PlanEntry::Range(indices, range, at))
    }

    /// Reads the heads that are switched off after a block (`~h1.2`); none where no `~` follows.
    fn heads_off(&mut self, block: usize, half: Half) -> Result<HeadsOff, PlanError> {
        let at = self.place();
        let mut off = HeadsOff::NONE;
        if !self.take('~') {
            return Ok(off);
        }
        refuse_if!(half == Half::Mlp, PlanError::HeadsOfMlp { block, at });
        refuse_if!(!self.take('h'), self.unexpected("`h` and a head's number"));
        loop {
            let digits = self.digits("a head's number")?;
            off = digits
                .parse()
                .ok()
                .and_then(|head| off.and(head))
                .ok_or_else(|| PlanError::HeadPastAll { head: shortened(&digits), block })?;
            if !self.take('.') {
                return Ok(off);
            }
        }
    }

    fn index(&mut self, expected: &'static str) -> Result<usize, PlanError> {
        let at = self.place();
        let digits = self.digits(expected)?;
        // A number past usize is past every model's last block too.
        match digits.parse::<usize>() {
            Ok(index) if index < self.blocks => Ok(index),
            _ => Err(PlanError::NoSuchBlock {
                block: shortened(&digits),
                at: Some(at),
                blocks: self.blocks,
            }),
        }
    }

    fn count(&mut self) -> Result<usize, PlanError> {
        let at = self.place();
        let digits = self.digits("the number of repeats")?;
        match digits.parse::<usize>() {
            Ok(count) if (1..=MAX_REPEAT).contains(&count) => Ok(count),
            _ => Err(PlanError::RepeatCount { count: shortened(&digits), at }),
        }
    }

    fn digits(&mut self, expected: &'static str) -> Result<String, PlanError> {
        let digits: String =
            self.chars[self.next..].iter().take_while(|c| c.is_ascii_digit()).collect();
        self.next += digits.len();
        self.skip_space();
        refuse_if!(digits.is_empty(), self.unexpected(expected));
        Ok(digits)
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.next).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.next += 1;
            self.skip_space();
        }
        found
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.next += 1;
        }
    }

    /// The next character's place, counted from 1.
    fn place(&self) -> usize {
        self.next + 1
    }

    /// The next run of letters and digits, or the next character alone.
    fn piece(&self) -> String {
        let rest = &self.chars[self.next..];
        let word = rest.iter().take_while(|c| c.is_alphanumeric()).count();
        shortened(&rest.iter().take(word.max(1)).collect::<String>())
    }

    fn unexpected(&self, expected: &'static str) -> PlanError {
        match self.peek() {
            Some(_) => PlanError::Unexpected {
                found: self.piece(),
                at: self.place(),
                expected,
                blocks: self.blocks,
            },
            None => PlanError::Ended { expected, blocks: self.blocks },
        }
    }
}

/// A piece of a line as an error quotes it: control characters escaped, no longer than a word.
pub(super) fn shortened(piece: &str) -> String {
    const LONGEST: usize = 24;
    let cut: String = piece.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if piece.chars().count() > LONGEST { cut + "…" } else { cut }
}
