//! Rotary positions by halves: dimension i turns with i + r/2, where r is the rope's width; the rest
//! of a head stays.

use candle_core::{D, Device, Result, Tensor};

use crate::engine::rope::Angles;
use crate::engine::schedule::pack::Pack;

/// cos and sin of the angles of a pack's positions.
pub struct RopeTables {
    /// Angles of the sequences that are not long (see `Rope::is_long`), and of those that are.
    short: CosSin,
    long: CosSin,
    is_long: Vec<bool>,
}

/// `[T, r/2]` each, T that of the longest sequence; `None`: nothing turns.
type CosSin = Option<(Tensor, Tensor)>;

impl RopeTables {
    pub fn new(pack: &Pack, device: &Device) -> Result<Self> {
        let longest = |is_long: bool| {
            let spans = pack.spans.iter().zip(&pack.is_long);
            let of_kind = spans.filter(|(_, long)| **long == is_long);
            of_kind.map(|((_, length), _)| *length).max().unwrap_or(0)
        };
        let table = |angles: &Angles, length: usize| -> Result<CosSin> {
            if angles.cos.is_empty() || length == 0 {
                return Ok(None);
            }
            let shape = (length, angles.cos.len() / length); // [T, r/2]
            let cos = Tensor::from_slice(&angles.cos, shape, device)?;
            let sin = Tensor::from_slice(&angles.sin, shape, device)?;
            Ok(Some((cos, sin)))
        };
        Ok(Self {
            short: table(&pack.short, longest(false))?,
            long: table(&pack.long, longest(true))?,
            is_long: pack.is_long.clone(),
        })
    }

    /// Turns the heads of one sequence: `[C, H, T, W]`.
    pub fn turn(&self, sequence: usize, heads: &Tensor) -> Result<Tensor> {
        let table = if self.is_long[sequence] { &self.long } else { &self.short };
        let Some((cos, sin)) = table else {
            return Ok(heads.clone());
        };
        let (_, _, length, width) = heads.dims4()?;
        let cos = cos.narrow(0, 0, length)?; // [T, r/2]
        let sin = sin.narrow(0, 0, length)?; // [T, r/2]
        let half = cos.dim(1)?;
        let x = heads.narrow(D::Minus1, 0, half)?; // [C, H, T, r/2]
        let y = heads.narrow(D::Minus1, half, half)?; // [C, H, T, r/2]
        let turned_x = (x.broadcast_mul(&cos)? - y.broadcast_mul(&sin)?)?; // [C, H, T, r/2]
        let turned_y = (y.broadcast_mul(&cos)? + x.broadcast_mul(&sin)?)?; // [C, H, T, r/2]
        let mut parts = vec![turned_x, turned_y];
        if width > 2 * half {
            parts.push(heads.narrow(D::Minus1, 2 * half, width - 2 * half)?); // [C, H, T, W - r]
        }
        Tensor::cat(&parts, D::Minus1) // [C, H, T, W]
    }
}
