//! Weights on the GPU: `[rows, columns]` in f32, in bf16 or f16 packed two in a u32, or in blocks, cut
//! by rows into as many buffers as the device's bindings and the rows' types need.

use std::borrow::Cow;

use half::{bf16, f16};

use super::blocks;
use super::device::{Device, STORAGE};
use super::error::GpuError;
use crate::model::weights::TypedRows;
use crate::model::{DType, Tensor};

/// Bytes of a buffer at most, where a binding could have more: one huge allocation fails sooner than
/// several, and every device's queue takes this much at once.
const PART_BYTES: u64 = 120 << 20;

/// `source` with `//weights N` replaced by the declaration of binding N and of `load(i)`, which
/// gives four weights as f32. No feature is needed: bf16 is the upper half of an f32.
pub fn specialise(dtype: DType, source: &str) -> String {
    let marker = "//weights ";
    let line = source.lines().find(|line| line.starts_with(marker));
    let line = line.unwrap_or(marker);
    let (ty, body) = match dtype {
        blocked if blocked.is_block() => {
            let binding = line.trim_start_matches(marker);
            let text = format!(
                "@group(0) @binding({binding}) var<storage, read> weights: array<u32>;\n{}",
                blocks::source(blocked)
            );
            return source.replacen(line, &text, 1);
        }
        DType::F32 => ("vec4<f32>", "return weights[i];"),
        DType::Bf16 => (
            "vec2<u32>",
            "let v = weights[i];
            return bitcast<vec4<f32>>(vec4<u32>(
                v.x << 16u, v.x & 0xffff0000u, v.y << 16u, v.y & 0xffff0000u));",
        ),
        DType::F16 => (
            "vec2<u32>",
            "let v = weights[i];
            return vec4<f32>(unpack2x16float(v.x), unpack2x16float(v.y));",
        ),
        other => unreachable!("{} has blocks", other.name()),
    };
    let binding = line.trim_start_matches(marker);
    let text = format!(
        "@group(0) @binding({binding}) var<storage, read> weights: array<{ty}>;
        fn load(i: u32) -> vec4<f32> {{ {body} }}"
    );
    source.replacen(line, &text, 1)
}

/// Bytes that `numbers` neighbours of a row take on the GPU.
fn bytes_of(dtype: DType, numbers: u64) -> u64 {
    if dtype.is_block() { blocks::bytes_of(dtype, numbers) } else { dtype.bytes_of(numbers) }
}

/// The bytes of `tensor` in `dtype`: its own where that is its type.
///
/// # Errors
/// The first number that `dtype` cannot hold.
fn convert<'a>(tensor: &'a Tensor, dtype: DType) -> Result<Cow<'a, [u8]>, f32> {
    if tensor.dtype == dtype && dtype.is_block() {
        return Ok(Cow::Owned(blocks::in_words(dtype, &tensor.bytes)));
    }
    if tensor.dtype == dtype {
        return Ok(Cow::Borrowed(&tensor.bytes));
    }
    let numbers = tensor.to_f32();
    let halves = |half: &dyn Fn(f32) -> Result<u16, f32>| -> Result<Vec<u8>, f32> {
        let mut bytes = Vec::with_capacity(2 * numbers.len());
        for &x in &numbers {
            bytes.extend(half(x)?.to_le_bytes());
        }
        Ok(bytes)
    };
    let bytes = match dtype {
        DType::F32 => bytemuck::cast_slice(&numbers).to_vec(),
        DType::Bf16 => {
            let halved = |x| Some(bf16::from_f32(x)).filter(|half| half.is_finite());
            halves(&|x| halved(x).map(bf16::to_bits).ok_or(x))?
        }
        DType::F16 => {
            let halved = |x| Some(f16::from_f32(x)).filter(|half| half.is_finite());
            halves(&|x| halved(x).map(f16::to_bits).ok_or(x))?
        }
        blocks => unreachable!("nothing is made {} here", blocks.name()),
    };
    Ok(Cow::Owned(bytes))
}

/// Some of a matrix's rows.
pub struct MatrixPart {
    pub first: usize,
    pub rows: usize,
    pub dtype: DType,
    pub buffer: wgpu::Buffer,
}

pub struct GpuMatrix {
    pub rows: usize,
    pub columns: usize,
    pub parts: Vec<MatrixPart>,
}

impl GpuMatrix {
    /// Room for rows of these types, `columns` wide, which must be a multiple of 4.
    ///
    /// # Errors
    /// A row is larger than a binding of this device.
    pub fn reserve(
        device: &Device,
        label: &str,
        typed: &[TypedRows],
        columns: usize,
    ) -> Result<Self, GpuError> {
        let (mut parts, mut end) = (Vec::new(), 0);
        for &TypedRows { rows, dtype } in typed {
            let a_row = bytes_of(dtype, columns as u64);
            let most = (device.largest_buffer().min(PART_BYTES) / a_row.max(1)) as usize;
            if most == 0 {
                return Err(GpuError::Limit {
                    adapter: device.name.clone(),
                    limit: "bytes a binding",
                    found: device.largest_buffer(),
                    needed: a_row,
                });
            }
            // Equal parts: a last one of a few rows would cost as many dispatches and idle.
            let each = rows.div_ceil(rows.div_ceil(most).max(1)).max(1);
            parts.extend((0..rows).step_by(each).map(|first| {
                let rows = each.min(rows - first);
                MatrixPart {
                    first: end + first,
                    rows,
                    dtype,
                    buffer: device.buffer(label, rows as u64 * a_row, STORAGE),
                }
            }));
            end += rows;
        }
        Ok(Self { rows: end, columns, parts })
    }

    /// Uploads `rows` to rows `first..`, in this matrix' own types.
    ///
    /// # Errors
    /// The first number that its type cannot hold, in the matrix that `name` gives.
    pub fn fill(
        &self,
        device: &Device,
        first: usize,
        rows: &Tensor,
        name: impl Fn() -> String,
    ) -> Result<(), GpuError> {
        let end = first + rows.rows;
        let mut held: Option<(DType, Cow<[u8]>)> = None;
        for part in &self.parts {
            let own = part.first.max(first)..(part.first + part.rows).min(end);
            if own.is_empty() {
                continue;
            }
            let bytes = match &held {
                Some((dtype, bytes)) if *dtype == part.dtype => bytes,
                _ => {
                    let past = |value| GpuError::PastType {
                        matrix: name(),
                        value,
                        dtype: part.dtype.name(),
                    };
                    let bytes = convert(rows, part.dtype).map_err(past)?;
                    &held.insert((part.dtype, bytes)).1
                }
            };
            let rows = own;
            let a_row = bytes_of(part.dtype, self.columns as u64);
            let from = (rows.start - first) * a_row as usize;
            let bytes = &bytes[from..][..rows.len() * a_row as usize];
            let offset = (rows.start - part.first) as u64 * a_row;
            device.queue.write_buffer(&part.buffer, offset, bytes);
        }
        Ok(())
    }

    /// A matrix `[.., columns]` of `numbers`: for checks.
    pub fn of_numbers(
        device: &Device,
        numbers: &[f32],
        columns: usize,
        dtype: DType,
    ) -> Result<Self, GpuError> {
        let rows = numbers.len() / columns;
        let tensor = Tensor {
            dtype: DType::F32,
            rows,
            columns,
            bytes: Cow::Borrowed(bytemuck::cast_slice(numbers)),
        };
        Self::of_rows(device, &tensor, dtype)
    }

    /// A matrix of `rows`, held in `dtype`: for checks.
    pub fn of_rows(device: &Device, tensor: &Tensor, dtype: DType) -> Result<Self, GpuError> {
        let rows = tensor.rows;
        let typed = [TypedRows { rows, dtype }];
        let matrix = Self::reserve(device, "check", &typed, tensor.columns)?;
        matrix.fill(device, 0, tensor, || "a check".into())?;
        device.check()?;
        Ok(matrix)
    }

    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.buffer.size()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::device::AdapterChoice;
    use super::super::probe::{Probe, noise};
    use super::*;

    fn tensor(numbers: &[f32], columns: usize) -> Tensor<'_> {
        Tensor {
            dtype: DType::F32,
            rows: numbers.len() / columns,
            columns,
            bytes: Cow::Borrowed(bytemuck::cast_slice(numbers)),
        }
    }

    /// At WebGPU's default limits a binding has 128 MiB: a larger matrix lies in several buffers,
    /// however the rows arrive.
    #[test]
    fn a_matrix_past_a_binding_is_cut_and_filled_in_any_steps() {
        let choice =
            AdapterChoice { strict: true, default_limits: true, ..AdapterChoice::default() };
        let device = pollster::block_on(Device::open(&choice)).expect("an adapter");
        let columns = 1 << 10;
        let rows = (PART_BYTES / (columns as u64 * 4)) as usize + 3;
        let matrix =
            GpuMatrix::reserve(&device, "w", &[TypedRows { rows, dtype: DType::F32 }], columns)
                .expect("two buffers");
        assert_eq!(matrix.parts.len(), 2);
        let second = &matrix.parts[1];
        let across = noise(6 * columns, 1);
        let filled = matrix.fill(&device, second.first - 2, &tensor(&across, columns), String::new);
        filled.expect("f32 holds every number");
        let mut probe = Probe::new(&device, true);
        let expected = &across[2 * columns..];
        probe.expect("fill", &second.buffer, expected, 0.0, |_| Ok(())).expect("a read");
        pollster::block_on(probe.settle()).expect("the rows across the cut");
    }

    #[test]
    fn numbers_past_f16_are_refused_and_others_keep_their_bits() {
        let numbers = [1.0, -0.5, 65504.0, -65519.0];
        let wide_tensor = tensor(&numbers, 4);
        let halves = convert(&wide_tensor, DType::F16).expect("numbers that f16 holds");
        let mut wide = Vec::new();
        DType::F16.widen(&halves, &mut wide);
        assert_eq!(wide, [1.0, -0.5, 65504.0, -65504.0]);
        let large = [0.0, 1.0, -70000.0, 2.0];
        assert_eq!(convert(&tensor(&large, 4), DType::F16).err(), Some(-70000.0));
        let stored = Tensor { dtype: DType::F16, bytes: halves, ..tensor(&numbers, 4) };
        let same = convert(&stored, DType::F16).expect("nothing to convert");
        assert!(matches!(same, Cow::Borrowed(_)));
    }
}
