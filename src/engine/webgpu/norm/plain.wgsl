@group(0) @binding(4) var<storage, read> steps: array<Step>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4<f32>>;

fn source_row(row: u32) -> u32 {
    if p.from_streams == 0u {
        return row;
    }
    return steps[p.first_step + row / p.pack_rows].slot_in * p.pack_rows + row % p.pack_rows;
}

fn store(row: u32, d: u32, y: vec4<f32>) {
    out[row * p.width4 + d] = y;
}
