//! The whole module, with a note of which functions ran.

use std::collections::BTreeMap;
use std::convert::Infallible;

use wasm_encoder::reencode::{self, Reencode, utils};
use wasm_encoder::{CodeSection, ConstExpr, ExportKind, ExportSection, GlobalSection};
use wasmparser::FunctionBody;

use super::plan::Plan;
use super::read::Read;
use super::{FLAG, PREFIX};

/// Writes it.
pub(super) struct Watched {
    /// By function, the global that says that it ran.
    globals: BTreeMap<u32, u32>,
    function: u32,
}

impl Watched {
    pub(super) fn new(read: &Read, plan: &Plan) -> Self {
        let first = u32::try_from(read.globals.len()).unwrap_or(u32::MAX);
        Self { globals: plan.moved.iter().copied().zip(first..).collect(), function: read.imported }
    }
}

impl Reencode for Watched {
    type Error = Infallible;

    fn parse_global_section(
        &mut self,
        globals: &mut GlobalSection,
        section: wasmparser::GlobalSectionReader<'_>,
    ) -> Result<(), reencode::Error<Infallible>> {
        utils::parse_global_section(self, globals, section)?;
        for _ in &self.globals {
            globals.global(FLAG, &ConstExpr::i32_const(0));
        }
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Result<(), reencode::Error<Infallible>> {
        utils::parse_export_section(self, exports, section)?;
        for (function, global) in &self.globals {
            exports.export(&format!("{PREFIX}{function}"), ExportKind::Global, *global);
        }
        Ok(())
    }

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> Result<(), reencode::Error<Infallible>> {
        let function = self.function;
        self.function += 1;
        let Some(&global) = self.globals.get(&function) else {
            code.raw(body.as_bytes());
            return Ok(());
        };
        let mut noted = self.new_function_with_parsed_locals(&body)?;
        noted.instructions().i32_const(1).global_set(global);
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            noted.instruction(&self.parse_instruction(&mut reader)?);
        }
        code.function(&noted);
        Ok(())
    }
}
