// What becomes of a member z: it joins its stream, is the MLP's input where that comes next, and is
// kept where a sequence is read. The kernel that includes this has pack_rows, first_step, width and
// flags among its numbers.

const NONE: u32 = 0xffffffffu;
const IS_MLP: u32 = 1u;
const JOINS_LATER: u32 = 2u;   // this block's attention has joined slot_out already
const FEEDS_MLP: u32 = 4u;     // the MLP reads the stream with this member added

@group(0) @binding(4) var<storage, read_write> streams: array<f32>; // [slots, N, D]
@group(0) @binding(5) var<storage, read_write> middle: array<f32>;  // [steps N, D]
@group(0) @binding(6) var<storage, read_write> kept: array<f32>;    // [kept rows, D]
@group(0) @binding(7) var<storage, read> steps: array<Step>;
@group(0) @binding(8) var<storage, read> tokens: array<vec2<u32>>;  // [N] (angle row, sequence that ends here)

struct Place {
    source: u32,  // first number of the row read
    base: u32,    // of the row that z is added to
    to: u32,      // of the row written
    middle: u32,
    kept: u32,    // or NONE
    share: f32,
}

fn place(row: u32) -> Place {
    let step = steps[p.first_step + row / p.pack_rows];
    let token = row % p.pack_rows;
    let source = (step.slot_in * p.pack_rows + token) * p.width;
    let to = (step.slot_out * p.pack_rows + token) * p.width;
    let begins = step.is_first == 1u && (p.flags & JOINS_LATER) == 0u;
    let first_kept = select(step.kept_attention, step.kept_mlp, (p.flags & IS_MLP) != 0u);
    let sequence = tokens[token].y;
    let is_kept = first_kept != NONE && sequence != NONE;
    let kept_row = select(NONE, (first_kept + sequence) * p.width, is_kept);
    return Place(source, select(to, source, begins), to, row * p.width, kept_row, step.share);
}

fn join(at: Place, d: u32, z: f32) {
    if (p.flags & FEEDS_MLP) != 0u {
        middle[at.middle + d] = streams[at.source + d] + z;
    }
    streams[at.to + d] = streams[at.base + d] + at.share * z;
    if at.kept != NONE {
        kept[at.kept + d] = at.share * z;
    }
}
