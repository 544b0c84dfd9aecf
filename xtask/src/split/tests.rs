use std::process::Command;

use wasm_encoder::{
    ExportSection, GlobalSection, MemorySection, MemoryType, NameMap, NameSection, TableSection,
    TableType, TypeSection,
};

use super::*;

/// Functions: 0 `loadLater`, imported; 1 `soon`, n + 1, which 2 calls and, if it `is_shared`, 3; 2 `module::late`, which adds `soon(n)`
/// to what it gives for n - 1; 3 `run`, exported, `late` directly and through the table, and what a global counts.
fn module(is_shared: bool) -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([], []);
    types.ty().function([ValType::I64], [ValType::I64]);
    let mut imports = ImportSection::new();
    imports.import("js", "__wbg_loadLater_1f", EntityType::Function(0));
    let mut functions = FunctionSection::new();
    for _ in 0..3 {
        functions.function(1);
    }
    let mut tables = TableSection::new();
    tables.table(TableType {
        element_type: wasm_encoder::RefType::FUNCREF,
        table64: false,
        minimum: 2,
        maximum: Some(2),
        shared: false,
    });
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: 1,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut globals = GlobalSection::new();
    let counter = GlobalType { val_type: ValType::I64, mutable: true, shared: false };
    globals.global(counter, &ConstExpr::i64_const(0));
    let mut exports = ExportSection::new();
    exports.export("run", ExportKind::Func, 3);
    let mut elements = ElementSection::new();
    elements.active(None, &ConstExpr::i32_const(1), Elements::Functions([2].as_slice().into()));
    let mut code = CodeSection::new();
    let mut soon = Function::new([]);
    soon.instructions().local_get(0).i64_const(1).i64_add().end();
    code.function(&soon);
    let mut late = Function::new([]);
    let mut body = late.instructions();
    body.global_get(0).i64_const(1).i64_add().global_set(0);
    // Longer than what it leaves behind.
    for _ in 0..40 {
        body.nop();
    }
    body.local_get(0).i64_eqz().if_(wasm_encoder::BlockType::Result(ValType::I64));
    body.i64_const(0).else_();
    body.local_get(0).call(1).local_get(0).i64_const(1).i64_sub().call(2).i64_add();
    body.end().end();
    code.function(&late);
    let mut run = Function::new([]);
    let mut body = run.instructions();
    body.local_get(0);
    if is_shared {
        body.call(1);
    }
    body.call(2)
        .local_get(0)
        .i32_const(1)
        .call_indirect(0, 1)
        .i64_add()
        .global_get(0)
        .i64_add()
        .end();
    code.function(&run);
    let mut named = NameMap::new();
    named.append(1, "soon");
    named.append(2, "module::late");
    let mut names = NameSection::new();
    names.functions(&named);
    let mut module = Module::new();
    module.section(&types).section(&imports).section(&functions).section(&tables);
    module.section(&memories).section(&globals).section(&exports).section(&elements);
    module.section(&code).section(&names);
    module.finish()
}

const RUN: &str = r#"
    const [whole, first, later] = process.argv.slice(1).map((file) => require("fs").readFileSync(file));
    const start = (bytes, loadLater) =>
      new WebAssembly.Instance(new WebAssembly.Module(bytes), { js: { __wbg_loadLater_1f: loadLater } }).exports;
    let fetched = 0;
    const cut = start(first, () => {
      fetched += 1;
      new WebAssembly.Instance(new WebAssembly.Module(later), { first: cut });
    });
    const say = (run) => [5n, 0n, 7n].map((n) => run(n)).join(" ");
    console.log(`${say(start(whole, () => { throw 1; }).run)} | ${say(cut.run)} | ${fetched}`);
"#;

#[test]
fn a_module_in_two_computes_the_same_and_fetches_the_second_once() {
    // 2 (6 + 5 + 4 + 3 + 2) and 12 calls; then 14; then 2 (8 + ... + 2) and 30.
    assert_eq!(said_by_both(false, 2), "52 14 100");
    // What others call, too, stays where it is.
    assert_eq!(said_by_both(true, 1), "60 18 112");
}

/// What a module says, whole and cut into two of which the second has so many functions.
fn said_by_both(is_shared: bool, moved: usize) -> String {
    let whole = module(is_shared);
    let halves = split(&whole, |_, name| name.contains("module::")).unwrap();
    assert_eq!(halves.moved, moved);
    let folder = std::env::temp_dir().join(format!("atelier-split-{}-{moved}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut node = Command::new("node");
    node.args(["-e", RUN]);
    for (name, bytes) in [("whole", &whole), ("first", &halves.first), ("later", &halves.later)] {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        node.arg(path);
    }
    let output = node.output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said: Vec<&str> = said.trim().split(" | ").collect();
    assert_eq!(said[0], said[1]);
    assert_eq!(said[2], "1", "fetched once");
    said[0].to_owned()
}

#[test]
fn what_ran_is_noted() {
    let watched = watched(&module(false), |_, name| name.contains("module::")).unwrap();
    let file = std::env::temp_dir().join(format!("atelier-watched-{}", std::process::id()));
    std::fs::write(&file, watched).unwrap();
    let script = r#"
        const bytes = require("fs").readFileSync(process.argv[1]);
        const js = { __wbg_loadLater_1f() {} };
        const { run, "~2": noted } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { js }).exports;
        console.log(noted.value, run(5n), noted.value);
    "#;
    let output = Command::new("node").args(["-e", script]).arg(&file).output().unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "0 52n 1");
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let whole = module(false);
    assert!(matches!(split(&whole, |_, _| false), Err(SplitError::Nothing)));
    assert!(matches!(split(&whole[..40], |_, _| true), Err(SplitError::Wasm(_))));
    let mut renamed = whole;
    let at = renamed.windows(9).position(|part| part == b"loadLater").unwrap();
    renamed[at] = b'L';
    assert!(matches!(split(&renamed, |_, _| true), Err(SplitError::NoFetch)));
}
