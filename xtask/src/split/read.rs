//! What the cut has to know of a module.

use std::collections::{BTreeMap, BTreeSet};

use wasm_encoder::GlobalType;
use wasm_encoder::reencode::{self, Reencode};
use wasmparser::{
    ElementItems, FunctionBody, KnownCustom, Name, Operator, OperatorsReader, Parser, Payload,
    TypeRef,
};

use super::{FETCH, SplitError};
use crate::hash::Hash;

/// What the cut has to know of a module.
#[derive(Default)]
pub(super) struct Read<'a> {
    /// Of the module, so that halves of two modules do not fit.
    pub(super) id: String,
    /// The type section as it stands.
    pub(super) types: &'a [u8],
    /// How many parameters each type has.
    pub(super) parameters: Vec<u32>,
    /// Each function's type, imported ones first.
    pub(super) functions: Vec<u32>,
    pub(super) imported: u32,
    pub(super) fetch: Option<u32>,
    pub(super) tables: Vec<wasm_encoder::TableType>,
    pub(super) memories: Vec<wasm_encoder::MemoryType>,
    pub(super) globals: Vec<GlobalType>,
    /// Those that the world calls by number or name, or that run first.
    pub(super) kept: BTreeSet<u32>,
    /// Those that a table or a global holds: who calls them cannot be told.
    pub(super) held: BTreeSet<u32>,
    pub(super) names: BTreeMap<u32, &'a str>,
    /// The bodies, in the order of the functions that are not imported.
    pub(super) bodies: Vec<FunctionBody<'a>>,
}

impl<'a> Read<'a> {
    pub(super) fn new(wasm: &'a [u8]) -> Result<Self, SplitError> {
        let mut hash = Hash::new();
        hash.add(wasm);
        let mut read = Self { id: hash.finish(), ..Self::default() };
        let mut as_it_is = reencode::RoundtripReencoder;
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::TypeSection(section) => {
                    let range = section.range();
                    read.types = &wasm[place(range.start)..place(range.end)];
                    for group in section.into_iter_err_on_gc_types() {
                        let count = u32::try_from(group?.params().len()).unwrap_or(u32::MAX);
                        read.parameters.push(count);
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import?;
                        match import.ty {
                            TypeRef::Func(kind) => {
                                if import.name.contains(FETCH) {
                                    read.fetch = Some(read.imported);
                                }
                                read.functions.push(kind);
                                read.imported += 1;
                            }
                            TypeRef::Table(table) => {
                                read.tables.push(as_it_is.table_type(table)?);
                            }
                            TypeRef::Memory(memory) => {
                                read.memories.push(as_it_is.memory_type(memory)?);
                            }
                            TypeRef::Global(global) => {
                                read.globals.push(as_it_is.global_type(global)?);
                            }
                            TypeRef::Tag(_) | TypeRef::FuncExact(_) => {
                                return Err(SplitError::Wasm(format!(
                                    "the import {} is of a kind that cannot be cut",
                                    import.name
                                )));
                            }
                        }
                    }
                }
                Payload::FunctionSection(section) => {
                    for kind in section {
                        read.functions.push(kind?);
                    }
                }
                Payload::TableSection(section) => {
                    for table in section {
                        read.tables.push(as_it_is.table_type(table?.ty)?);
                    }
                }
                Payload::MemorySection(section) => {
                    for memory in section {
                        read.memories.push(as_it_is.memory_type(memory?)?);
                    }
                }
                Payload::GlobalSection(section) => {
                    for global in section {
                        let global = global?;
                        read.globals.push(as_it_is.global_type(global.ty)?);
                        read.held.extend(named(global.init_expr.get_operators_reader())?);
                    }
                }
                Payload::ExportSection(section) => {
                    for export in section {
                        let export = export?;
                        if export.kind == wasmparser::ExternalKind::Func {
                            read.kept.insert(export.index);
                        }
                    }
                }
                Payload::StartSection { func, .. } => {
                    read.kept.insert(func);
                }
                Payload::ElementSection(section) => {
                    for element in section {
                        match element?.items {
                            ElementItems::Functions(functions) => {
                                for function in functions {
                                    read.held.insert(function?);
                                }
                            }
                            ElementItems::Expressions(_, expressions) => {
                                for expression in expressions {
                                    read.held.extend(named(expression?.get_operators_reader())?);
                                }
                            }
                        }
                    }
                }
                Payload::CodeSectionEntry(body) => read.bodies.push(body),
                Payload::CustomSection(section) => {
                    let KnownCustom::Name(names) = section.as_known() else {
                        continue;
                    };
                    for part in names {
                        let Name::Function(functions) = part? else {
                            continue;
                        };
                        for naming in functions {
                            let naming = naming?;
                            read.names.insert(naming.index, naming.name);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(read)
    }

    pub(super) fn body(&self, function: u32) -> &FunctionBody<'a> {
        &self.bodies[(function - self.imported) as usize]
    }
}

/// The functions that some code names.
pub(super) fn named(operators: OperatorsReader<'_>) -> Result<Vec<u32>, SplitError> {
    let mut functions = Vec::new();
    for operator in operators {
        if let Operator::Call { function_index }
        | Operator::ReturnCall { function_index }
        | Operator::RefFunc { function_index } = operator?
        {
            functions.push(function_index);
        }
    }
    Ok(functions)
}

/// Can a body live in another module? Data and elements have numbers of their own in every one.
pub(super) fn can_go(body: &FunctionBody) -> Result<bool, SplitError> {
    for operator in body.get_operators_reader()? {
        if matches!(
            operator?,
            Operator::MemoryInit { .. }
                | Operator::DataDrop { .. }
                | Operator::TableInit { .. }
                | Operator::ElemDrop { .. }
                | Operator::Throw { .. }
                | Operator::TryTable { .. }
        ) {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(super) fn place(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}
