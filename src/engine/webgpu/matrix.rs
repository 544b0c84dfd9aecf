//! Weights on the GPU: `[rows, columns]` in f32, or in bf16 or f16 packed two in a u32, cut by rows
//! into as many buffers as the device's bindings need.

use half::{bf16, f16};

use super::device::{Device, STORAGE};
use super::error::GpuError;
use crate::model::Stored;

/// How weights are stored on the GPU; they are multiplied and summed in f32 whatever it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    #[default]
    F32,
    Bf16,
    F16,
}

impl Format {
    pub const ALL: [Self; 3] = [Self::F32, Self::Bf16, Self::F16];

    /// What loses nothing of a checkpoint's numbers.
    pub fn of(stored: Option<Stored>) -> Self {
        match stored {
            None | Some(Stored::F32) => Self::F32,
            Some(Stored::F16) => Self::F16,
            Some(Stored::Bf16) => Self::Bf16,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::F16 => "f16",
        }
    }

    pub fn bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::Bf16 | Self::F16 => 2,
        }
    }

    /// `source` with `//weights N` replaced by the declaration of binding N and of `load(i)`, which
    /// gives four weights as f32. No feature is needed: bf16 is the upper half of an f32.
    pub fn specialise(self, source: &str) -> String {
        let marker = "//weights ";
        let line = source.lines().find(|line| line.starts_with(marker));
        let line = line.unwrap_or(marker);
        let (ty, body) = match self {
            Self::F32 => ("vec4<f32>", "return weights[i];"),
            Self::Bf16 => (
                "vec2<u32>",
                "let v = weights[i];
                return bitcast<vec4<f32>>(vec4<u32>(
                    v.x << 16u, v.x & 0xffff0000u, v.y << 16u, v.y & 0xffff0000u));",
            ),
            Self::F16 => (
                "vec2<u32>",
                "let v = weights[i];
                return vec4<f32>(unpack2x16float(v.x), unpack2x16float(v.y));",
            ),
        };
        let binding = line.trim_start_matches(marker);
        let text = format!(
            "@group(0) @binding({binding}) var<storage, read> weights: array<{ty}>;
            fn load(i: u32) -> vec4<f32> {{ {body} }}"
        );
        source.replacen(line, &text, 1)
    }

    fn pack(self, numbers: &[f32]) -> Vec<u8> {
        let halves = |half: fn(f32) -> u16| {
            numbers
                .iter()
                .flat_map(|&x| half(x).to_le_bytes())
                .collect()
        };
        match self {
            Self::F32 => bytemuck::cast_slice(numbers).to_vec(),
            Self::Bf16 => halves(|x| bf16::from_f32(x).to_bits()),
            Self::F16 => halves(|x| f16::from_f32(x).to_bits()),
        }
    }
}

/// Some of a matrix's rows.
pub struct Piece {
    pub first: usize,
    pub rows: usize,
    pub buffer: wgpu::Buffer,
}

pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub format: Format,
    pub pieces: Vec<Piece>,
}

impl Matrix {
    /// Room for `[rows, columns]`; `columns` must be a multiple of 4.
    ///
    /// # Errors
    /// A row is larger than a binding of this device.
    pub fn reserve(
        device: &Device,
        label: &str,
        rows: usize,
        columns: usize,
        format: Format,
    ) -> Result<Self, GpuError> {
        let a_row = columns as u64 * format.bytes();
        let most = (device.largest_buffer() / a_row) as usize;
        if most == 0 {
            return Err(GpuError::Limit {
                adapter: device.name.clone(),
                limit: "bytes a binding",
                found: device.largest_buffer(),
                needed: a_row,
            });
        }
        // Equal pieces: a last one of a few rows would cost as many dispatches and idle.
        let piece = rows.div_ceil(rows.div_ceil(most).max(1)).max(1);
        let pieces = (0..rows).step_by(piece).map(|first| {
            let rows = piece.min(rows - first);
            let buffer = device.buffer(label, rows as u64 * a_row, STORAGE);
            Piece {
                first,
                rows,
                buffer,
            }
        });
        Ok(Self {
            rows,
            columns,
            format,
            pieces: pieces.collect(),
        })
    }

    /// Uploads `numbers` to rows `first..`.
    pub fn fill(&self, device: &Device, first: usize, numbers: &[f32]) {
        let end = first + numbers.len() / self.columns;
        let a_row = self.columns as u64 * self.format.bytes();
        for piece in &self.pieces {
            let rows = piece.first.max(first)..(piece.first + piece.rows).min(end);
            if rows.is_empty() {
                continue;
            }
            let part = &numbers[(rows.start - first) * self.columns..][..rows.len() * self.columns];
            let offset = (rows.start - piece.first) as u64 * a_row;
            let packed = self.format.pack(part);
            device.queue.write_buffer(&piece.buffer, offset, &packed);
        }
    }

    /// Room for `numbers`, filled.
    pub fn upload(
        device: &Device,
        label: &str,
        numbers: &[f32],
        columns: usize,
        format: Format,
    ) -> Result<Self, GpuError> {
        let matrix = Self::reserve(device, label, numbers.len() / columns, columns, format)?;
        matrix.fill(device, 0, numbers);
        device.check()?;
        Ok(matrix)
    }

    pub fn bytes(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.buffer.size()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::device::AdapterChoice;
    use super::super::probe::{Probe, noise};
    use super::*;

    /// At WebGPU's default limits a binding has 128 MiB: a larger matrix lies in several buffers,
    /// however the rows arrive.
    #[test]
    fn a_matrix_past_a_binding_is_cut_and_filled_in_any_steps() {
        let choice = AdapterChoice {
            strict: true,
            default_limits: true,
            ..AdapterChoice::default()
        };
        let device = pollster::block_on(Device::open(&choice)).expect("an adapter");
        let columns = 1 << 10;
        let rows = (device.largest_buffer() / (columns as u64 * 4)) as usize + 3;
        let matrix =
            Matrix::reserve(&device, "w", rows, columns, Format::F32).expect("two buffers");
        assert_eq!(matrix.pieces.len(), 2);
        let second = &matrix.pieces[1];
        let across = noise(6 * columns, 1);
        matrix.fill(&device, second.first - 2, &across);
        let mut probe = Probe::new(&device, true);
        let expected = &across[2 * columns..];
        probe
            .expect("fill", &second.buffer, expected, 0.0, |_| Ok(()))
            .expect("a read");
        pollster::block_on(probe.settle()).expect("the rows across the cut");
    }
}
