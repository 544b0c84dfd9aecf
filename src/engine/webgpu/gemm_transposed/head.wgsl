struct Params {
    m: u32,       // rows of a, to where this dispatch goes
    k4: u32,      // fours of columns of w, to where it goes
    n: u32,       // rows of w
    row: u32,     // where it begins in a
    column: u32,  // and in the fours of w's columns
    first: u32,   // where the rows of w bound here begin among the columns of a
    stride: u32,  // numbers a row of a
    w4: u32,      // fours a row of w, and of out
    adds: u32,    // 1: to what is there
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;               // [m, stride]
//weights 2
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>; // [m, w4]

fn store(row: u32, column: u32, sum: vec4<f32>) {
    if row >= p.m || column >= p.k4 {
        return;
    }
    let to = row * p.w4 + column;
    if p.adds == 1u {
        out[to] += sum;
    } else {
        out[to] = sum;
    }
}
