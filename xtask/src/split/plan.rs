//! Who goes where.

use std::collections::BTreeSet;

use super::SplitError;
use super::read::{Read, can_go, named, place};

/// A function smaller than this, in bytes, is not worth what it would leave behind.
const SMALLEST: usize = 64;

/// And this, where a name says that a function was made from another's pattern.
const MERGED: usize = 200;

/// Who goes where, by numbers of the whole module.
pub(super) struct Plan {
    /// Functions of the second module, in its order.
    pub(super) moved: Vec<u32>,
    /// Those of them that nothing calls which stays.
    pub(super) apart: BTreeSet<u32>,
    /// The first module's functions that those call, in the order of the second module's imports.
    pub(super) called: Vec<u32>,
    pub(super) fetch: u32,
    pub(super) table: u32,
    /// The table's first place for what was moved.
    pub(super) slots: u32,
}

impl Plan {
    pub(super) fn new(
        read: &Read,
        is_later: impl Fn(u32, &str) -> bool,
    ) -> Result<Self, SplitError> {
        let fetch = read.fetch.ok_or(SplitError::NoFetch)?;
        let table = read
            .tables
            .iter()
            .position(|table| table.element_type == wasm_encoder::RefType::FUNCREF)
            .ok_or(SplitError::Table)?;
        let slots = u32::try_from(read.tables[table].minimum).map_err(|_| SplitError::Table)?;
        let mut moved = BTreeSet::new();
        for (&function, &name) in &read.names {
            let stays = function < read.imported || read.kept.contains(&function);
            if stays || !is_later(function, name) {
                continue;
            }
            let body = read.body(function);
            let size = place(body.range().end - body.range().start);
            // binaryen makes one function of several alike, and keeps one's name: those are short.
            let least =
                if name.starts_with('<') || name.contains("::<") { MERGED } else { SMALLEST };
            if size >= least && can_go(body)? {
                moved.insert(function);
            }
        }
        if moved.is_empty() {
            return Err(SplitError::Nothing);
        }
        let calls = Calls::of(read)?;
        let mut apart = BTreeSet::new();
        // What only they call goes along, whatever its name, and what only that calls.
        let mut more = moved.clone();
        while !more.is_empty() {
            let named = more.iter().flat_map(|&function| calls.of_function(function));
            let named: BTreeSet<u32> = named.copied().collect();
            more.clear();
            for function in named {
                let is_known = moved.contains(&function);
                if is_known
                    || function < read.imported
                    || calls.is_called_by_others(function, &moved)
                {
                    continue;
                }
                if can_go(read.body(function))? {
                    more.insert(function);
                }
            }
            moved.extend(&more);
        }
        apart
            .extend(moved.iter().filter(|&&function| !calls.is_called_by_others(function, &moved)));
        let called = moved.iter().flat_map(|&function| calls.of_function(function));
        let called: BTreeSet<u32> = called.copied().collect();
        Ok(Self {
            called: called.difference(&moved).copied().collect(),
            apart,
            moved: moved.into_iter().collect(),
            fetch,
            table: u32::try_from(table).map_err(|_| SplitError::Table)?,
            slots,
        })
    }

    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.moved.len()).unwrap_or(u32::MAX)
    }
}

/// Who calls whom.
struct Calls<'a, 'b> {
    read: &'b Read<'a>,
    /// Of each function, imported ones too.
    called: Vec<Vec<u32>>,
    callers: Vec<Vec<u32>>,
}

impl<'a, 'b> Calls<'a, 'b> {
    fn of(read: &'b Read<'a>) -> Result<Self, SplitError> {
        let count = read.functions.len();
        let (mut called, mut callers) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (caller, body) in (read.imported..).zip(&read.bodies) {
            let named = named(body.get_operators_reader()?)?;
            for &function in &named {
                callers[function as usize].push(caller);
            }
            called[caller as usize] = named;
        }
        Ok(Self { read, called, callers })
    }

    fn of_function(&self, function: u32) -> &[u32] {
        &self.called[function as usize]
    }

    /// Is a function called by one that is none of `these`, or held where anybody finds it?
    fn is_called_by_others(&self, function: u32, these: &BTreeSet<u32>) -> bool {
        self.read.kept.contains(&function)
            || self.read.held.contains(&function)
            || self.callers[function as usize].iter().any(|caller| !these.contains(caller))
    }
}
