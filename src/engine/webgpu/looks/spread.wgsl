// Values of some heads, each in rows that are zero in the other heads' columns: a thread a vec4.
// {…} are numbers of the model that the host writes in.

const W4: u32 = {W4}u; // vec4s a head
const HEADS: u32 = {HEADS}u;
const KV_HEADS: u32 = {KV_HEADS}u;
const WIDE: u32 = HEADS * W4;
const ROW: u32 = (HEADS + 2u * KV_HEADS) * W4;

struct Params {
    first_row: u32, // of the sequence, in qkv
    length: u32,    // T
    heads: u32,     // H'
    first_head: u32, // word of lists
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> qkv: array<vec4<f32>>; // [steps N, (heads + 2 kv_heads) W]
@group(0) @binding(2) var<storage, read> lists: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>; // [H', T, heads W]

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = (group.y * groups.x + group.x) * 64u + local;
    let row = i / WIDE;
    if row >= p.heads * p.length {
        return;
    }
    let column = i % WIDE;
    let head = lists[p.first_head + row / p.length] & 0x7fffffffu;
    var value = vec4<f32>();
    if column / W4 == head {
        let value_head = HEADS + KV_HEADS + head / (HEADS / KV_HEADS);
        value = qkv[(p.first_row + row % p.length) * ROW + value_head * W4 + column % W4];
    }
    out[i] = value;
}
