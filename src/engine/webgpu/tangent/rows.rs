//! The content of the buffers that derivatives use, and the rows on which a kernel is called.

/// The content of a buffer of derivatives. N is the number of probes that go through together, P that of
/// the output positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TangentUse {
    /// `[T, D]` or `[P, D]` what a branch reads
    Read,
    /// `[T, (H + 2 KV) W]` queries and keys before their norm
    Raw,
    /// `[T, (H + 2 KV) W]` queries and keys turned
    Qkv,
    /// `[P, H, T]`
    Weights,
    /// `[P, H W]`
    Mixed,
    /// `[P, H W]` but for the heads that are off
    MixedOn,
    /// `[P, D]` attention before the norm that stands after it
    Attention,
    /// `[P, D]` attention's member
    Added,
    /// `[P, D]` the stream at the places
    Stream,
    /// `[P, D]` what the MLP reads, before the norm that stands before it
    Middle,
    /// `[P, 2 F]` or `[P, F]`
    Slopes,
    /// `[P, F]`
    Activated,
    /// `[P, D]` the MLP before the norm that stands after it
    Mlp,
    /// (t_in, place of t_out, t_out, is one token) of all probes
    Pairs,
    /// (angle row of t_in, nothing) of all probes
    Turns,
    /// `[all probes, D]`
    Probes,
    /// `[all probes, D]` what is given back
    Out,
    /// `[N, D]`
    First,
    /// `[N, D]`
    Second,
    /// `[N, D]`
    Third,
    /// `[N, (H + 2 KV) W]`
    Moved,
    /// `[N, H W]`
    Heads,
    /// `[N, 2 F]` or `[N, F]`
    Wide,
    /// `[N, F]`
    Narrow,
}

/// Neighbouring rows of a table of pairs.
pub struct GpuPairs {
    /// `[.., 4]` (t_in, place of t_out, t_out, is one token)
    pub table: wgpu::Buffer,
    pub first: usize,
    pub rows: usize,
    /// The first rows, whose pair is one token.
    pub own: usize,
}

impl GpuPairs {
    /// The first `rows` of them.
    pub(super) fn first_rows(&self, rows: usize) -> Self {
        Self { table: self.table.clone(), first: self.first, rows, own: self.own.min(rows) }
    }
}

/// Where the rows lie that a norm's derivative is taken at.
#[derive(Clone, Copy)]
pub enum KeptRows<'a> {
    /// A row a token, by a pair's `t_in`.
    Inputs(&'a wgpu::Buffer),
    /// A row a place, by the place of its `t_out`.
    Places(&'a wgpu::Buffer),
}
