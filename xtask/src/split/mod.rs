//! Cuts a module in two: what runs before the page can be used, and what a view needs that is opened later.
//!
//! Functions named by `is_later` go to the second module. In the first, each leaves behind a few bytes under its
//! old number: they fetch the second module if it has not come, and call the function through a place in the
//! table that it has filled. So the program computes the same whichever functions are cut out, whenever the
//! second module comes: the names decide about bytes alone. What only such functions call goes along, and leaves
//! nothing to call.
//!
//! What runs when the page opens is to stay in the first: [`watched()`] tells which functions did, of those that
//! are named to go.
//!
//! The first module has to import a function without parameters or results whose name contains
//! [`FETCH`], which instantiates the second module before it returns. The second one's imports are the first
//! one's exports; halves that were not cut from one module do not link.

mod first;
mod plan;
mod read;
mod watched;

use std::collections::BTreeMap;
use std::convert::Infallible;

use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, Elements, EntityType, ExportKind, Function,
    FunctionSection, GlobalType, ImportSection, Module, RawSection, SectionId, StartSection,
    ValType,
};
use wasmparser::{BinaryReaderError, Parser};

use first::First;
use plan::Plan;
use read::Read;
use watched::Watched;

/// What the import is called that fetches the second module.
pub const FETCH: &str = "loadLater";

/// Goes before the names of what the second module imports; no export of wasm-bindgen's begins so.
const PREFIX: char = '~';

/// A global that says whether something has happened.
const FLAG: GlobalType = GlobalType { val_type: ValType::I32, mutable: true, shared: false };

#[derive(Debug)]
pub enum SplitError {
    Wasm(String),
    NoFetch,
    Nothing,
    Table,
}

impl std::fmt::Display for SplitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Wasm(error) => write!(f, "The page's wasm cannot be read: {error}."),
            Self::NoFetch => write!(f, "The page's wasm imports no function named {FETCH}."),
            Self::Nothing => write!(
                f,
                "No function of the page's wasm belongs to a later view: does it still hold its names?"
            ),
            Self::Table => write!(f, "The page's wasm has no table of functions, or a full one."),
        }
    }
}

impl From<BinaryReaderError> for SplitError {
    fn from(error: BinaryReaderError) -> Self {
        Self::Wasm(error.to_string())
    }
}

impl From<reencode::Error<Infallible>> for SplitError {
    fn from(error: reencode::Error<Infallible>) -> Self {
        Self::Wasm(error.to_string())
    }
}

pub struct Halves {
    pub first: Vec<u8>,
    pub later: Vec<u8>,
    /// How many functions went to the second module.
    pub moved: usize,
}

/// `wasm` whole; of every function that [`split`] would move, an exported global says, once it has run, that it
/// did: `~` and the function's number.
pub fn watched(wasm: &[u8], is_later: impl Fn(u32, &str) -> bool) -> Result<Vec<u8>, SplitError> {
    let read = Read::new(wasm)?;
    let plan = Plan::new(&read, is_later)?;
    let mut module = Module::new();
    Watched::new(&read, &plan).parse_core_module(&mut module, Parser::new(0), wasm)?;
    Ok(module.finish())
}

/// Cuts `wasm`, which must hold its names, by `is_later`, which is told functions' numbers and names.
pub fn split(wasm: &[u8], is_later: impl Fn(u32, &str) -> bool) -> Result<Halves, SplitError> {
    let read = Read::new(wasm)?;
    let plan = Plan::new(&read, is_later)?;
    let mut first = Module::new();
    First::new(&read, &plan).parse_core_module(&mut first, Parser::new(0), wasm)?;
    Ok(Halves { first: first.finish(), later: later(&read, &plan)?, moved: plan.moved.len() })
}

/// The number of the global that says whether the second module is there.
fn ready(read: &Read) -> u32 {
    u32::try_from(read.globals.len()).unwrap_or(u32::MAX)
}

/// What the first module exports for the second one, in the order in which that imports it.
fn shared(read: &Read, plan: &Plan) -> Vec<(String, ExportKind, u32)> {
    let all = |count: usize| 0..u32::try_from(count).unwrap_or(u32::MAX);
    let functions = plan.called.iter().map(|&call| (ExportKind::Func, call));
    let tables = all(read.tables.len()).map(|table| (ExportKind::Table, table));
    let memories = all(read.memories.len()).map(|memory| (ExportKind::Memory, memory));
    let globals = all(read.globals.len() + 1).map(|global| (ExportKind::Global, global));
    (functions.chain(tables).chain(memories).chain(globals))
        .enumerate()
        .map(|(nth, (kind, index))| {
            let name = match kind {
                ExportKind::Global if index == ready(read) => format!("{PREFIX}{}", read.id),
                _ => format!("{PREFIX}{nth:x}"),
            };
            (name, kind, index)
        })
        .collect()
}

/// Gives functions their numbers in the second module.
struct Later<'b> {
    numbers: &'b BTreeMap<u32, u32>,
}

impl Reencode for Later<'_> {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, reencode::Error<Infallible>> {
        // Every function that a moved body names was listed before.
        Ok(self.numbers[&function])
    }
}

/// The second module.
fn later(read: &Read, plan: &Plan) -> Result<Vec<u8>, SplitError> {
    let mut imports = ImportSection::new();
    for (name, kind, index) in shared(read, plan) {
        let nth = index as usize;
        let kind = match kind {
            ExportKind::Func => EntityType::Function(read.functions[nth]),
            ExportKind::Table => {
                let mut table = read.tables[nth];
                if index == plan.table {
                    table.minimum += u64::from(plan.count());
                    table.maximum = table.maximum.map(|most| most + u64::from(plan.count()));
                }
                EntityType::Table(table)
            }
            ExportKind::Memory => EntityType::Memory(read.memories[nth]),
            _ => EntityType::Global(read.globals.get(nth).copied().unwrap_or(FLAG)),
        };
        imports.import("first", &name, kind);
    }
    let numbers: BTreeMap<u32, u32> =
        (plan.called.iter().chain(&plan.moved).copied()).zip(0..).collect();
    let mut functions = FunctionSection::new();
    let mut code = CodeSection::new();
    let mut renumbered = Later { numbers: &numbers };
    for &function in &plan.moved {
        functions.function(read.functions[function as usize]);
        renumbered.parse_function_body(&mut code, read.body(function).clone())?;
    }
    // The last function says that all is there, once the table is filled.
    let start = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    let mut arrived = Function::new([]);
    let nothing = nothing(read)?;
    functions.function(nothing);
    arrived.instructions().i32_const(1).global_set(ready(read)).end();
    code.function(&arrived);
    let places: Vec<u32> = plan.moved.iter().map(|moved| numbers[moved]).collect();
    let mut elements = ElementSection::new();
    elements.active(
        (plan.table != 0).then_some(plan.table),
        &ConstExpr::i32_const(plan.slots.cast_signed()),
        Elements::Functions(places.into()),
    );
    let mut module = Module::new();
    module
        .section(&RawSection { id: SectionId::Type.into(), data: read.types })
        .section(&imports)
        .section(&functions)
        .section(&StartSection { function_index: start })
        .section(&elements)
        .section(&code);
    Ok(module.finish())
}

/// The type of what takes and gives nothing: that of the import that fetches.
fn nothing(read: &Read) -> Result<u32, SplitError> {
    let fetch = read.fetch.ok_or(SplitError::NoFetch)?;
    Ok(read.functions[fetch as usize])
}

#[cfg(test)]
mod tests;
