//! The first module: whole but for what went, and with what the second one needs.

use std::collections::BTreeMap;
use std::convert::Infallible;

use wasm_encoder::reencode::{self, Reencode, utils};
use wasm_encoder::{
    CodeSection, ConstExpr, ExportSection, Function, GlobalSection, Module, TableSection,
};
use wasmparser::FunctionBody;

use super::plan::Plan;
use super::read::Read;
use super::{FLAG, ready, shared};

/// Writes the first module.
pub(super) struct First<'a, 'b> {
    read: &'b Read<'a>,
    plan: &'b Plan,
    moved: BTreeMap<u32, u32>,
    table: u32,
    function: u32,
}

impl<'a, 'b> First<'a, 'b> {
    pub(super) fn new(read: &'b Read<'a>, plan: &'b Plan) -> Self {
        Self {
            moved: plan.moved.iter().copied().zip(0..).collect(),
            table: 0,
            function: read.imported,
            read,
            plan,
        }
    }

    /// What stays of a function that went.
    fn stub(&self, function: u32, nth: u32) -> Function {
        let kind = self.read.functions[function as usize];
        let mut stub = Function::new([]);
        let mut body = stub.instructions();
        if self.plan.apart.contains(&function) {
            body.unreachable().end();
            return stub;
        }
        body.global_get(ready(self.read))
            .i32_eqz()
            .if_(wasm_encoder::BlockType::Empty)
            .call(self.plan.fetch)
            .end();
        for parameter in 0..self.read.parameters[kind as usize] {
            body.local_get(parameter);
        }
        body.i32_const((self.plan.slots + nth).cast_signed())
            .call_indirect(self.plan.table, kind)
            .end();
        stub
    }
}

impl Reencode for First<'_, '_> {
    type Error = Infallible;

    fn parse_table(
        &mut self,
        tables: &mut TableSection,
        table: wasmparser::Table<'_>,
    ) -> Result<(), reencode::Error<Infallible>> {
        let mut kind = self.table_type(table.ty)?;
        if self.table == self.plan.table {
            let more = u64::from(self.plan.count());
            kind.minimum += more;
            kind.maximum = kind.maximum.map(|most| most + more);
        }
        self.table += 1;
        tables.table(kind);
        Ok(())
    }

    fn parse_global_section(
        &mut self,
        globals: &mut GlobalSection,
        section: wasmparser::GlobalSectionReader<'_>,
    ) -> Result<(), reencode::Error<Infallible>> {
        utils::parse_global_section(self, globals, section)?;
        globals.global(FLAG, &ConstExpr::i32_const(0));
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Result<(), reencode::Error<Infallible>> {
        utils::parse_export_section(self, exports, section)?;
        for (name, kind, index) in shared(self.read, self.plan) {
            exports.export(&name, kind, index);
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
        match self.moved.get(&function) {
            Some(&nth) => code.function(&self.stub(function, nth)),
            None => code.raw(body.as_bytes()),
        };
        Ok(())
    }

    /// The names were needed here alone.
    fn parse_custom_section(
        &mut self,
        _: &mut Module,
        _: wasmparser::CustomSectionReader<'_>,
    ) -> Result<(), reencode::Error<Infallible>> {
        Ok(())
    }
}
