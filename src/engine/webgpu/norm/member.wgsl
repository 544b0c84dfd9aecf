fn source_row(row: u32) -> u32 {
    return row;
}

fn store(row: u32, d: u32, y: vec4<f32>) {
    let at = place(row);
    for (var i = 0u; i < 4u; i += 1u) {
        join(at, d * 4u + i, y[i]);
    }
}
