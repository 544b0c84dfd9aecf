//! Products with a block's Jacobian on any device: what is kept of the forward pass, then rows of probes
//! through the slopes of both branches, either way.

use super::{AskedProducts, TokenPair};
use crate::engine::branch::{Branch, Branches, LinearRole, NormRole};
use crate::model::weights::MatrixRole;

/// Neighbouring rows of probes that go through a block together, in one direction.
#[derive(Clone, Copy, Debug)]
pub struct ProbeRange {
    pub first: usize,
    /// N
    pub rows: usize,
    /// The first rows, whose pair is one token.
    pub own: usize,
    /// Whether rows w at `t_out` become J^T w at `t_in`. Else rows dx at `t_in` become J dx at `t_out`.
    pub transposed: bool,
}

/// The output positions of a point's pairs, in the order in which they were first asked for.
#[derive(Clone, Debug, Default)]
pub struct Places(pub Vec<usize>);

/// A pair of positions, and the place of its `t_out`.
#[derive(Clone, Copy, Debug)]
pub struct PlacedPair {
    pub pair: TokenPair,
    pub place: usize,
}

/// Computations on rows that a device does for derivatives, P places or N probes at once.
pub trait TangentDevice {
    type Rows;
    /// Attention weights and mixtures at the places.
    type Looks;
    type Error;

    /// Copies the stream at the places, `[P, D]`, and adds `added` to it.
    fn inputs(&mut self, added: Option<&Self::Rows>) -> RowsOf<Self>;

    /// Computes attention at the places: what its slopes need, and its mixtures `[P, H W]`.
    fn look(&mut self) -> Result<(Self::Looks, Self::Rows), Self::Error>;

    /// `[P, D]` to `[P, D]`.
    fn norm(&mut self, norm: NormRole, x: &Self::Rows) -> RowsOf<Self>;

    /// `[P, in]` to `[P, out]`, with the bias.
    fn linear(&mut self, role: LinearRole, x: &Self::Rows) -> RowsOf<Self>;

    /// `[P, 2 F]` or `[P, F]` to `[P, F]`.
    fn activate(&mut self, wide: &Self::Rows) -> RowsOf<Self>;

    /// The activation's slopes at `wide`, of its shape.
    fn slopes(&mut self, wide: Self::Rows) -> RowsOf<Self>;

    /// Copies probes, `[N, D]`: the first `count` rows of the range, else zeros; and adds `added` to them.
    fn probes(
        &mut self,
        range: ProbeRange,
        count: usize,
        added: Option<&Self::Rows>,
    ) -> RowsOf<Self>;

    /// Takes probes `[N, D]` through a norm's slope at the rows `x`, `[P, D]` by place; `None`: at the stream,
    /// by `t_in`.
    fn norm_slope(
        &mut self,
        norm: NormRole,
        x: Option<&Self::Rows>,
        range: ProbeRange,
        z: Self::Rows,
    ) -> RowsOf<Self>;

    /// Multiplies probes with a matrix or the transposed one, without its bias.
    fn times(&mut self, matrix: MatrixRole, range: ProbeRange, z: &Self::Rows) -> RowsOf<Self>;

    /// `[N, (H + 2 KV) W]` of queries, keys and values to `[N, H W]` of mixtures, or transposed.
    fn attention_slope(
        &mut self,
        range: ProbeRange,
        looks: &Self::Looks,
        z: Self::Rows,
    ) -> RowsOf<Self>;

    /// `[N, 2 F]` or `[N, F]` to `[N, F]`, or transposed.
    fn activation_slope(
        &mut self,
        range: ProbeRange,
        slopes: &Self::Rows,
        z: Self::Rows,
    ) -> RowsOf<Self>;

    /// Writes the products of a range: the sum of both parts' first rows, of so many each.
    fn answer(
        &mut self,
        range: ProbeRange,
        parts: [(Option<&Self::Rows>, usize); 2],
    ) -> Result<(), Self::Error>;
}

type RowsOf<D> = Result<<D as TangentDevice>::Rows, <D as TangentDevice>::Error>;

/// A block at a point and its places: the numbers of the forward pass that its slopes need, as rows `R` and
/// looks `L` of a device.
pub struct Linearised<R, L> {
    attention: Option<KeptBranch<R, L>>,
    mlp: Option<KeptBranch<R, L>>,
}

struct KeptBranch<R, L> {
    branch: Branch,
    /// `[P, D]` the input before its norm; `None` for attention, whose input is the whole stream.
    read: Option<R>,
    inside: KeptInside<R, L>,
    /// `[P, D]` the output before the norm that stands after it.
    written: Option<R>,
}

enum KeptInside<R, L> {
    Attention(L),
    /// `[P, 2 F]` or `[P, F]` slopes of the activation.
    Activation(R),
}

type LinearisedOn<D> = Linearised<<D as TangentDevice>::Rows, <D as TangentDevice>::Looks>;
type KeptOn<D> = KeptBranch<<D as TangentDevice>::Rows, <D as TangentDevice>::Looks>;

/// A point without places.
impl<R, L> Default for Linearised<R, L> {
    fn default() -> Self {
        Self { attention: None, mlp: None }
    }
}

/// Computes what the slopes of these branches need at the device's places.
pub fn linearise<D: TangentDevice>(
    device: &mut D,
    branches: Branches,
) -> Result<LinearisedOn<D>, D::Error> {
    let mut kept = Linearised::default();
    // Attention, and its member at the places.
    let mut member = None;
    if let Some(branch) = branches.attention {
        let (looks, mixed) = device.look()?;
        let out = device.linear(branch.narrow, &mixed)?; // [P, D]
        let written = match branch.norm_after {
            Some(norm) => {
                member = Some(device.norm(norm, &out)?);
                Some(out)
            }
            None => {
                member = Some(out);
                None
            }
        };
        let inside = KeptInside::Attention(looks);
        kept.attention = Some(KeptBranch { branch, read: None, inside, written });
    }

    // The MLP's input may have it added.
    if let Some(branch) = branches.mlp {
        let added = member.as_ref().filter(|_| branch.reads_attention);
        kept.mlp = Some(linearise_mlp(device, branch, added)?);
    }
    Ok(kept)
}

/// Keeps the MLP, which reads the stream and what is `added` to it.
fn linearise_mlp<D: TangentDevice>(
    device: &mut D,
    branch: Branch,
    added: Option<&D::Rows>,
) -> Result<KeptOn<D>, D::Error> {
    let read = device.inputs(added)?; // [P, D]
    let wide = match branch.norm_before {
        Some(norm) => {
            let normed = device.norm(norm, &read)?; // [P, D]
            device.linear(branch.widen, &normed)?
        }
        None => device.linear(branch.widen, &read)?,
    }; // [P, 2 F] or [P, F]
    let written = match branch.norm_after {
        Some(_) => {
            let activated = device.activate(&wide)?; // [P, F]
            Some(device.linear(branch.narrow, &activated)?)
        }
        None => None,
    };
    let inside = KeptInside::Activation(device.slopes(wide)?);
    Ok(KeptBranch { branch, read: Some(read), inside, written })
}

/// Computes all products that were asked for, `most` rows of probes at once.
pub fn multiply<D: TangentDevice>(
    device: &mut D,
    kept: &LinearisedOn<D>,
    asked: &AskedProducts,
    most: usize,
) -> Result<(), D::Error> {
    let mut first = 0;
    for (rows, transposed) in [(&asked.forward, false), (&asked.transposed, true)] {
        for part in rows.pairs.chunks(most) {
            let own = part.iter().take_while(|pair| pair.is_own()).count();
            let range = ProbeRange { first, rows: part.len(), own, transposed };
            match transposed {
                false => push(device, kept, range)?,
                true => pull(device, kept, range)?,
            }
            first += part.len();
        }
    }
    Ok(())
}

/// Rows dx at `t_in` to J dx at `t_out`.
fn push<D: TangentDevice>(
    device: &mut D,
    kept: &LinearisedOn<D>,
    range: ProbeRange,
) -> Result<(), D::Error> {
    let (mut attention, mut mlp) = (None, None);
    if let Some(kept) = &kept.attention {
        let dx = device.probes(range, range.rows, None)?; // [N, D]
        attention = Some(through(device, kept, range, dx)?);
    }
    let (part, joins) = kept.mlp_rows(range);
    if let Some(kept) = kept.mlp.as_ref().filter(|_| part.rows > 0) {
        let added = attention.as_ref().filter(|_| joins);
        let dx = device.probes(part, part.own, added)?; // [M, D]
        mlp = Some(through(device, kept, part, dx)?);
    }
    device.answer(range, [(attention.as_ref(), range.rows), (mlp.as_ref(), part.rows)])
}

/// Rows w at `t_out` to J^T w at `t_in`.
fn pull<D: TangentDevice>(
    device: &mut D,
    kept: &LinearisedOn<D>,
    range: ProbeRange,
) -> Result<(), D::Error> {
    let (mut attention, mut mlp) = (None, None);
    let (part, joins) = kept.mlp_rows(range);
    if let Some(kept) = kept.mlp.as_ref().filter(|_| part.rows > 0) {
        let w = device.probes(part, part.rows, None)?; // [M, D]
        mlp = Some(through(device, kept, part, w)?);
    }
    // The gradient at attention's member is w, and w pulled back through the MLP.
    if let Some(kept) = &kept.attention {
        let added = mlp.as_ref().filter(|_| joins);
        let w = device.probes(range, range.rows, added)?; // [N, D]
        attention = Some(through(device, kept, range, w)?);
    }
    device.answer(range, [(attention.as_ref(), range.rows), (mlp.as_ref(), part.own)])
}

/// Rows `z` `[N, D]` through the slopes of a branch: from its input to its output, or transposed, from its
/// output to its input.
fn through<D: TangentDevice>(
    device: &mut D,
    kept: &KeptOn<D>,
    range: ProbeRange,
    mut z: D::Rows,
) -> RowsOf<D> {
    // A product of slopes is transposed by taking the transposed slopes in the other order.
    let KeptBranch { branch, read, inside, written } = kept;
    let mut ends =
        [(branch.norm_before, read, branch.widen), (branch.norm_after, written, branch.narrow)];
    if range.transposed {
        ends.reverse();
    }
    let [(first_norm, first_x, first), (last_norm, last_x, last)] = ends;

    // Norm, matrix, attention or activation, matrix, norm.
    if let Some(norm) = first_norm {
        z = device.norm_slope(norm, first_x.as_ref(), range, z)?;
    }
    z = device.times(first.matrix, range, &z)?;
    z = match inside {
        KeptInside::Attention(looks) => device.attention_slope(range, looks, z)?,
        KeptInside::Activation(slopes) => device.activation_slope(range, slopes, z)?,
    };
    z = device.times(last.matrix, range, &z)?;
    if let Some(norm) = last_norm {
        z = device.norm_slope(norm, last_x.as_ref(), range, z)?;
    }
    Ok(z)
}

impl<R, L> Linearised<R, L> {
    /// The rows in which the MLP has a part, and whether it reads what attention added. Else it has none in
    /// pairs of two tokens.
    fn mlp_rows(&self, range: ProbeRange) -> (ProbeRange, bool) {
        let joins = self.mlp.as_ref().is_some_and(|kept| kept.branch.reads_attention);
        (ProbeRange { rows: if joins { range.rows } else { range.own }, ..range }, joins)
    }
}

impl Places {
    /// Gives every output position a place, and returns whether any had none.
    pub fn add(&mut self, asked: &AskedProducts) -> bool {
        let before = self.0.len();
        for pair in asked.pairs() {
            if !self.0.contains(&pair.t_out) {
                self.0.push(pair.t_out);
            }
        }
        self.0.len() > before
    }

    /// The pairs of all probes: those of forward products first.
    pub fn pairs(&self, asked: &AskedProducts) -> Vec<PlacedPair> {
        let place = |pair: TokenPair| self.0.iter().position(|&t| t == pair.t_out);
        let pairs = asked.pairs();
        pairs.map(|pair| PlacedPair { pair, place: place(pair).unwrap_or_default() }).collect()
    }
}
