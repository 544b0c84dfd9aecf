struct Params {
    m: u32,          // rows of a, to where this dispatch goes
    n: u32,          // rows of w, to where it goes
    k4: u32,         // k / 4
    row: u32,        // where it begins in a
    column: u32,     // and in w
    first: u32,      // where the rows of w bound here begin among the columns of out
    stride: u32,     // numbers a row of out
    base: u32,       // the first number of out
    pack_rows: u32,  // members: N
    first_step: u32, // members: of this call, among all steps
    width: u32,      // members: D
    flags: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
//weights 2
@group(0) @binding(3) var<storage, read> bias: array<f32>;  // [columns of out]
//epilogue
