//! Who goes where.

use std::collections::BTreeSet;

use super::SplitError;
use super::read::{Read, calls, place};

/// A function smaller than this, in bytes, is not worth what it would leave behind.
const SMALLEST: usize = 64;

/// And this, where a name says that a function was made from another's pattern.
const MERGED: usize = 200;

/// Who goes where, by numbers of the whole module.
pub(super) struct Plan {
    /// Functions of the second module, in its order.
    pub(super) moved: Vec<u32>,
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
        let mut moved = Vec::new();
        let mut named = BTreeSet::new();
        for (&function, &name) in &read.names {
            let stays = function < read.imported || read.kept.contains(&function);
            if stays || !is_later(function, name) {
                continue;
            }
            let body = read.body(function);
            let size = place(body.range().end - body.range().start);
            // binaryen makes one function of several alike, and keeps one's name: those are short.
            let least = if name.starts_with('<') || name.contains("::<") {
                MERGED
            } else {
                SMALLEST
            };
            if size < least {
                continue;
            }
            // Data and elements have numbers of their own in every module.
            if let Some(calls) = calls(body)? {
                moved.push(function);
                named.extend(calls);
            }
        }
        if moved.is_empty() {
            return Err(SplitError::Nothing);
        }
        let apart: BTreeSet<u32> = moved.iter().copied().collect();
        Ok(Self {
            called: named.difference(&apart).copied().collect(),
            moved,
            fetch,
            table: u32::try_from(table).map_err(|_| SplitError::Table)?,
            slots,
        })
    }

    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.moved.len()).unwrap_or(u32::MAX)
    }
}
