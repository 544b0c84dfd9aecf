// The product is a member z: it joins the stream, and is kept where a prompt is read.

struct Copy {
    slot_in: u32,    // the stream read
    slot_out: u32,   // the stream written
    first: u32,      // 1: nothing was added to slot_out yet
    scale: f32,      // 1, or 1 / blocks of a parallel step
    kept_attention: u32, // where this copy's members are kept
    kept_mlp: u32,
    pad0: u32,
    pad1: u32,
}

const NONE: u32 = 0xffffffffu;
const IS_MLP: u32 = 1u;
const AFTER_ATTENTION: u32 = 2u;
const KEEP: u32 = 4u;

@group(0) @binding(3) var<storage, read_write> streams: array<f32>; // [slots, N, D]
@group(0) @binding(4) var<storage, read_write> middle: array<f32>;  // [copies N, D]
@group(0) @binding(5) var<storage, read_write> kept: array<f32>;    // [members, D]
@group(0) @binding(6) var<storage, read> copies: array<Copy>;
@group(0) @binding(7) var<storage, read> tokens: array<vec2<u32>>;  // [N] (angle row, prompt read here)

fn store(row: u32, column: u32, sum: vec4<f32>) {
    if row >= p.m {
        return;
    }
    let c = copies[p.copy + row / p.tokens];
    let token = row % p.tokens;
    let is_mlp = (p.flags & IS_MLP) != 0u;
    let after_attention = (p.flags & AFTER_ATTENTION) != 0u;
    let source = (c.slot_in * p.tokens + token) * p.width;
    let to = (c.slot_out * p.tokens + token) * p.width;
    let base = select(to, source, c.first == 1u && !after_attention);
    var keep = NONE;
    if (p.flags & KEEP) != 0u {
        keep = tokens[token].y;
    }
    let slot = select(c.kept_attention, c.kept_mlp, is_mlp) + keep;
    for (var i = 0u; i < 4u; i += 1u) {
        let d = p.column + column + i;
        if column + i < p.n {
            let z = sum[i];
            if !is_mlp {
                middle[row * p.width + d] = streams[source + d] + z;
            }
            streams[to + d] = streams[base + d] + c.scale * z;
            if keep != NONE {
                kept[slot * p.width + d] = c.scale * z;
            }
        }
    }
}
