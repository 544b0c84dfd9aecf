// A step of a call, as `tables.rs` writes it.
struct Step {
    slot_in: u32,        // the stream read
    slot_out: u32,       // the stream written
    is_first: u32,       // 1: nothing was added to slot_out yet
    share: f32,          // 1, or 1 / blocks of a parallel step
    kept_attention: u32, // where this step's members are kept, or NONE
    kept_mlp: u32,
    pad0: u32,
    pad1: u32,
}

