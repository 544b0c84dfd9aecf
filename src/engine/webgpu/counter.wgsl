// (nonce, submissions)
@group(0) @binding(0) var<storage, read_write> count: array<u32, 2>;

@compute @workgroup_size(1)
fn main() {
    count[1] += 1u;
}
