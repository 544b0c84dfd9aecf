//! The content of the buffers that derivatives use, and the rows on which a kernel is called.

/// The content of a buffer of derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TangentUse {
    /// `[T, D]` what attention reads
    Read,
    /// `[T, (H + 2 KV) W]` queries and keys before their norm
    Raw,
    /// `[T, (H + 2 KV) W]` queries and keys turned
    Qkv,
    /// (t_in, place of t_out, t_out, is one token) of all probes
    Pairs,
    /// (angle row of t_in, nothing) of all probes
    Turns,
    /// `[all probes, D]`
    Probes,
    /// `[all probes, D]` what is given back
    Out,
    /// Rows of the forward pass or of probes, of one width: the first, the second and so on, as they are computed.
    Rows { width: usize, number: usize },
}

/// Neighbouring rows of a table of pairs.
pub struct GpuPairs {
    /// `[.., 4]` (t_in, place of t_out, t_out, is one token)
    pub table: wgpu::Buffer,
    pub first: usize,
    pub rows: usize,
}

/// Where the rows lie that a norm's derivative is taken at.
#[derive(Clone, Copy)]
pub enum KeptRows<'a> {
    /// A row a token, by a pair's `t_in`.
    Inputs(&'a wgpu::Buffer),
    /// A row a place, by the place of its `t_out`.
    Places(&'a wgpu::Buffer),
}
