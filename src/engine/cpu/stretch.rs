//! Rows of streams on their way through a block: cut into the pieces that threads take, and added to
//! the streams after it.

use atelier_kernels::norm::Norm;

use super::scratch::take;

/// Rows of a piece at most: as many as one way of the weights from memory should serve.
const MOST_ROWS: usize = 256;

/// With fewer rows a thread, each would wait for weights from memory that another has too: the
/// threads then share each product.
const LEAST_ROWS: usize = 64;

/// Neighbouring rows of one step's streams: `out = base + scale (a + m)`.
pub struct Stretch<'a> {
    /// The stream that the block reads. [R, D]
    pub h: &'a [f32],
    /// The stream after the step; holds the base where `h` is not it. [R, D]
    pub out: &'a mut [f32],
    /// The base is `h`.
    pub is_first: bool,
    pub scale: f32,
}

/// R rows on their way to the stream after the block; what is not asked for is empty.
pub struct Piece<'a> {
    pub stretches: Vec<Stretch<'a>>,
    pub rows: usize,
    pub attended: &'a [f32], // [R, H W]
    /// Rows that are a sequence's last token.
    pub last: Vec<usize>,
    pub last_attention: &'a mut [f32], // [last, D]
    pub last_mlp: &'a mut [f32],       // [last, D]
}

impl Stretch<'_> {
    pub fn add(&mut self, added: &[f32]) {
        let scale = self.scale;
        if self.is_first {
            for ((out, h), added) in self.out.iter_mut().zip(self.h).zip(added) {
                *out = h + scale * added;
            }
        } else {
            for (out, added) in self.out.iter_mut().zip(added) {
                *out += scale * added;
            }
        }
    }
}

/// The stretches in pieces of `each` rows.
pub fn cut(stretches: Vec<Stretch>, each: usize, d: usize) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for stretch in stretches {
        let Stretch { mut h, mut out, is_first, scale } = stretch;
        while !h.is_empty() {
            if pieces.last().is_none_or(|piece| piece.rows == each) {
                pieces.push(Piece {
                    stretches: Vec::new(),
                    rows: 0,
                    attended: &[],
                    last: Vec::new(),
                    last_attention: &mut [],
                    last_mlp: &mut [],
                });
            }
            let Some(piece) = pieces.last_mut() else {
                return pieces;
            };
            let rows = (each - piece.rows).min(h.len() / d);
            let now;
            (now, h) = h.split_at(rows * d);
            piece.rows += rows;
            piece.stretches.push(Stretch {
                h: now,
                out: take(&mut out, rows * d),
                is_first,
                scale,
            });
        }
    }
    pieces
}

/// Rows of a piece, and whether the threads share each product instead of the pieces.
pub fn pieces(rows: usize) -> (usize, bool) {
    let threads = rayon::current_num_threads();
    if rows < threads * LEAST_ROWS {
        return (rows.max(1), threads > 1);
    }
    let count = threads * rows.div_ceil(threads * MOST_ROWS);
    (rows.div_ceil(count), false)
}

/// The streams that the block reads, one after the other, through a norm or as they are.
pub fn read(stretches: &[Stretch], norm: Option<&Norm>, mut to: &mut [f32]) {
    for stretch in stretches {
        let to = take(&mut to, stretch.h.len());
        match norm {
            Some(norm) => norm.run(stretch.h, to),
            None => to.copy_from_slice(stretch.h),
        }
    }
}
