//! Who goes where.

use std::collections::BTreeSet;

use super::read::{Read, calls, place};
use super::{SMALLEST, SplitError};

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
    pub(super) fn new(read: &Read, is_later: impl Fn(&str) -> bool) -> Result<Self, SplitError> {
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
            if stays || !is_later(name) {
                continue;
            }
            let body = read.body(function);
            if place(body.range().end - body.range().start) < SMALLEST {
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
