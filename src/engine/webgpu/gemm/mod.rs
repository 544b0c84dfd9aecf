//! `out[m, n] = sum_k a[m, k] w[n, k]`: see the README beside this file.

use super::device::Device;
use super::error::GpuError;
use super::kernel::Access::{Read, Write};
use super::kernel::Kernel;
use super::matrix::{Format, Matrix};
use super::recorder::Recorder;
use super::template::unroll;

/// Rows and columns of the product that one workgroup makes.
const TILE: usize = 32;

pub struct Gemm {
    plain: Kernel,
    member: Kernel,
}

/// Where a member goes: into which streams, and what is kept of it.
pub struct MemberTo<'a> {
    pub streams: &'a wgpu::Buffer,
    pub middle: &'a wgpu::Buffer,
    pub kept: &'a wgpu::Buffer,
    pub copies: &'a wgpu::Buffer,
    pub tokens: &'a wgpu::Buffer,
    /// N
    pub rows_a_copy: usize,
    pub first_copy: usize,
    pub is_mlp: bool,
    /// The attention of the same block has begun the stream already.
    pub after_attention: bool,
    pub keep: bool,
}

impl Gemm {
    pub fn new(device: &Device, format: Format) -> Self {
        let source = |epilogue: &str| {
            let source = include_str!("gemm.wgsl").replacen("//epilogue", epilogue, 1);
            unroll(&format.specialise(&source))
        };
        let plain = source(include_str!("plain.wgsl"));
        let member = source(include_str!("member.wgsl"));
        Self {
            plain: Kernel::new(device, "gemm", &plain, &[Read, Read, Write]),
            member: Kernel::new(
                device,
                "gemm to member",
                &member,
                &[Read, Read, Write, Write, Write, Read, Read],
            ),
        }
    }

    /// `a` [m, k] times `w` [n, k] transposed, to the first n columns of `out` [m, n].
    pub fn run(
        &self,
        recorder: &mut Recorder,
        a: &wgpu::Buffer,
        m: usize,
        w: &Matrix,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        for piece in &w.pieces {
            let params = params(m, piece.rows, w, piece.first);
            let (size, work) = (size(m, piece.rows), work(m, piece.rows, w));
            recorder.call(&self.plain, &[a, &piece.buffer, out], &params, size, work)?;
        }
        Ok(())
    }

    /// `a` [copies N, k] times `w` [D, k] transposed: members [copies N, D].
    pub fn run_member(
        &self,
        recorder: &mut Recorder,
        a: &wgpu::Buffer,
        m: usize,
        w: &Matrix,
        to: &MemberTo,
    ) -> Result<(), GpuError> {
        let flags =
            u32::from(to.is_mlp) | u32::from(to.after_attention) << 1 | u32::from(to.keep) << 2;
        for piece in &w.pieces {
            let mut params = params(m, piece.rows, w, piece.first).to_vec();
            params.extend([
                to.rows_a_copy as u32,
                to.first_copy as u32,
                w.rows as u32,
                flags,
            ]);
            let (size, work) = (size(m, piece.rows), work(m, piece.rows, w));
            let buffers = [
                a,
                &piece.buffer,
                to.streams,
                to.middle,
                to.kept,
                to.copies,
                to.tokens,
            ];
            recorder.call(&self.member, &buffers, &params, size, work)?;
        }
        Ok(())
    }
}

fn params(m: usize, n: usize, w: &Matrix, column: usize) -> [u32; 5] {
    [m, n, w.columns / 4, w.rows, column].map(|x| x as u32)
}

fn size(m: usize, n: usize) -> [u32; 3] {
    [n.div_ceil(TILE) as u32, m.div_ceil(TILE) as u32, 1]
}

fn work(m: usize, n: usize, w: &Matrix) -> u64 {
    2 * (m * n * w.columns) as u64
}

/// The product with a thread an output: what tests and the bench compare with.
pub struct Naive(Kernel);

impl Naive {
    pub fn new(device: &Device) -> Self {
        let source = include_str!("naive.wgsl");
        Self(Kernel::new(
            device,
            "naive gemm",
            source,
            &[Read, Read, Write],
        ))
    }

    /// As [`Gemm::run`], for f32 weights in one piece.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        a: &wgpu::Buffer,
        m: usize,
        w: &Matrix,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        for piece in &w.pieces {
            let params = [m, piece.rows, w.columns, w.rows].map(|x| x as u32);
            let size = [piece.rows.div_ceil(8) as u32, m.div_ceil(8) as u32, 1];
            let work = work(m, piece.rows, w);
            recorder.call(&self.0, &[a, &piece.buffer, out], &params, size, work)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Gpu, noise, worst};
    use super::*;

    /// The CPU's own product, in f64.
    pub fn product(a: &[f32], w: &[f32], k: usize) -> Vec<f32> {
        let dot = |a: &[f32], w: &[f32]| {
            let terms = a.iter().zip(w).map(|(a, w)| f64::from(*a) * f64::from(*w));
            terms.sum::<f64>() as f32
        };
        a.chunks(k)
            .flat_map(|a| w.chunks(k).map(move |w| dot(a, w)))
            .collect()
    }

    #[test]
    fn the_tiles_equal_the_plain_sum_in_every_format() {
        let mut gpu = Gpu::new();
        for (m, n, k) in [
            (1, 1, 4),
            (31, 33, 32),
            (32, 64, 64),
            (67, 130, 172),
            (5, 512, 48),
        ] {
            for format in Format::ALL {
                // Numbers that every format holds exactly.
                let a = noise(m * k, 1);
                let w: Vec<f32> = noise(n * k, 2)
                    .iter()
                    .map(|x| (x * 64.0).round() / 64.0)
                    .collect();
                let matrix = Matrix::upload(&gpu.device, "w", &w, k, format).expect("a matrix");
                let gemm = Gemm::new(&gpu.device, format);
                let from = gpu.device.storage("a", &a);
                let out = gpu.zeros(m * n);
                let found = gpu.run(&out, m * n, |recorder| {
                    gemm.run(recorder, &from, m, &matrix, &out)
                });
                let off = worst(&found, &product(&a, &w, k));
                assert!(off < 1e-5, "{m} x {n} x {k} {}: {off}", format.name());
            }
        }
    }

    #[test]
    fn the_naive_kernel_says_the_same() {
        let mut gpu = Gpu::new();
        let (m, n, k) = (13, 21, 40);
        let (a, w) = (noise(m * k, 3), noise(n * k, 4));
        let matrix = Matrix::upload(&gpu.device, "w", &w, k, Format::F32).expect("a matrix");
        let naive = Naive::new(&gpu.device);
        let (from, out) = (gpu.device.storage("a", &a), gpu.zeros(m * n));
        let found = gpu.run(&out, m * n, |recorder| {
            naive.run(recorder, &from, m, &matrix, &out)
        });
        assert!(worst(&found, &product(&a, &w, k)) < 1e-5);
    }

    /// Which of the tables is which: 3 copies of 2 tokens, a parallel step's share, a kept row.
    #[test]
    fn a_member_joins_its_stream_and_is_kept() {
        let mut gpu = Gpu::new();
        let (tokens, d, k) = (2, 4, 4);
        let m = 3 * tokens;
        let (a, w) = (noise(m * k, 5), noise(d * k, 6));
        let z = product(&a, &w, k);
        let before = noise(5 * tokens * d, 7);
        let table: [[u32; 8]; 3] = [
            [0, 3, 1, 1f32.to_bits(), 0, 1, 0, 0],
            [1, 4, 1, 0.5f32.to_bits(), 2, 3, 0, 0],
            [2, 1, 0, 0.5f32.to_bits(), 4, 5, 0, 0],
        ];
        let none = u32::MAX;
        let matrix = Matrix::upload(&gpu.device, "w", &w, k, Format::F32).expect("a matrix");
        let gemm = Gemm::new(&gpu.device, Format::F32);
        for is_mlp in [false, true] {
            let from = gpu.device.storage("a", &a);
            let to = MemberTo {
                streams: &gpu.device.storage("streams", &before),
                middle: &gpu.zeros(m * d),
                kept: &gpu.zeros(6 * d),
                copies: &gpu.device.storage("copies", table.as_flattened()),
                tokens: &gpu.device.storage("tokens", &[0, none, 1, 0]),
                rows_a_copy: tokens,
                first_copy: 0,
                is_mlp,
                after_attention: false,
                keep: true,
            };
            let mut streams = before.clone();
            let mut middle = vec![0.0; m * d];
            let mut kept = vec![0.0; 6 * d];
            for row in 0..m {
                let [
                    slot_in,
                    slot_out,
                    first,
                    scale,
                    kept_attention,
                    kept_mlp,
                    ..,
                ] = table[row / tokens];
                let (token, scale) = (row % tokens, f32::from_bits(scale));
                for i in 0..d {
                    let z = z[row * d + i];
                    let at = |slot: u32| (slot as usize * tokens + token) * d + i;
                    let base = if first == 1 {
                        at(slot_in)
                    } else {
                        at(slot_out)
                    };
                    if !is_mlp {
                        middle[row * d + i] = before[at(slot_in)] + z;
                    }
                    streams[at(slot_out)] = before[base] + scale * z;
                    if token == 1 {
                        let slot = if is_mlp { kept_mlp } else { kept_attention };
                        kept[slot as usize * d + i] = scale * z;
                    }
                }
            }
            let run = |recorder: &mut Recorder| gemm.run_member(recorder, &from, m, &matrix, &to);
            assert!(worst(&gpu.run(to.kept, 6 * d, run), &kept) < 1e-6);
            assert!(worst(&gpu.read(to.streams, streams.len()), &streams) < 1e-6);
            assert!(worst(&gpu.read(to.middle, m * d), &middle) < 1e-6);
        }
    }

    /// `cargo test --features webgpu -- --ignored --nocapture tiled_against_naive`
    #[test]
    #[ignore = "times, not truths"]
    fn tiled_against_naive() {
        let mut gpu = Gpu::new();
        let (m, n, k) = (128, 2048, 2048);
        let (a, w) = (noise(m * k, 8), noise(n * k, 9));
        let (from, out) = (gpu.device.storage("a", &a), gpu.zeros(m * n));
        let matrix = Matrix::upload(&gpu.device, "w", &w, k, Format::F32).expect("a matrix");
        let (gemm, naive) = (Gemm::new(&gpu.device, Format::F32), Naive::new(&gpu.device));
        for _ in 0..3 {
            let start = std::time::Instant::now();
            gpu.run(&out, 1, |recorder| {
                gemm.run(recorder, &from, m, &matrix, &out)
            });
            let tiled = start.elapsed();
            let start = std::time::Instant::now();
            gpu.run(&out, 1, |recorder| {
                naive.run(recorder, &from, m, &matrix, &out)
            });
            println!("tiled {tiled:.2?}, naive {:.2?}", start.elapsed());
        }
    }
}
