//! Compares this kernel with the CPU's: natively a test, in a browser part of the self-test.

use atelier_kernels::attention::Heads;
use atelier_kernels::attention::tangent::TurnedRows;

use super::super::attention::check::{SHAPES, SPANS, STEPS, TOKENS, qkv};
use super::super::gemm::check::{product, sixty_fourths};
use super::super::matrix::GpuMatrix;
use super::super::probe::{Probe, heads};
use super::*;
use crate::model::DType;

/// Computes weights and lengths from one sequence's rows [T, (heads + 2 kv) W] and W [D, heads W].
fn on_cpu(
    qkv: &[f32],
    shape: &AttentionShape,
    out: &[f32],
    [heads, queries]: [&[usize]; 2],
    off: HeadsOff,
) -> Vec<f32> {
    let (h, kv, w) = (shape.heads, shape.kv_heads, shape.head_width);
    let tokens = qkv.len() / shape.qkv_width();
    let turned = TurnedRows { heads: Heads::from(shape), qkv };
    let (mut all, mut carried) = (Vec::new(), Vec::new());
    for &head in heads {
        let value = h + kv + head / (h / kv);
        let length = |row: &[f32]| {
            let mut alone = vec![0.0; h * w];
            alone[head * w..][..w].copy_from_slice(&row[value * w..][..w]);
            let through = product(&alone, out, &vec![0.0; out.len() / (h * w)], h * w);
            through.iter().map(|x| x * x).sum::<f32>().sqrt()
        };
        let lengths: Vec<f32> = qkv.chunks(shape.qkv_width()).map(length).collect();
        let factor = f32::from(u8::from(!off.contains(head)));
        for &query in queries {
            let weights = &turned.look(query).weights(tokens)[head * tokens..][..tokens];
            all.extend_from_slice(weights);
            carried.extend(weights.iter().zip(&lengths).map(|(weight, x)| weight * x * factor));
        }
    }
    [all, carried].concat()
}

pub fn weights_and_lengths_are_as_on_the_cpu(probe: &mut Probe) -> Result<(), GpuError> {
    let width = 20;
    for &(h, kv_heads, head_width, window) in probe.some(&SHAPES, 1) {
        let shape = heads(h, kv_heads, head_width, window);
        let (qkv, wide) = (qkv(&shape), h * head_width);
        let w = sixty_fourths(width * wide, 2);
        let matrix = GpuMatrix::of_numbers(probe.device, &w, wide, DType::F32)?;
        let (start, tokens) = SPANS[1];
        let first_row = TOKENS * (STEPS - 1) + start;
        let (queries, chosen) = ([0, tokens - 1, 5], [h - 1, 0]);
        let off = HeadsOff::NONE.and(0).unwrap_or_default();
        let row = shape.qkv_width();
        let own = &qkv[first_row * row..][..tokens * row];
        let mut expected = vec![0.0; 3]; // another output's
        expected.extend(on_cpu(own, &shape, &w, [&chosen, &queries], off));
        let mut words = vec![9u32; 3]; // another list's
        let list = list(&chosen, off, &queries);
        words.extend(&list);
        let list = RowIds { buffer: probe.storage("lists", &words), first: 3, count: list.len() };
        let looks = Looks {
            shape: &shape,
            qkv: &probe.storage("qkv", &qkv),
            span: (first_row, tokens),
            list: &list,
            heads: chosen.len(),
            out: Linear { matrix: &matrix, bias: &probe.zeros(width) },
        };
        for at_once in [1, 2] {
            let room = LooksRoom {
                values: &probe.zeros(at_once * tokens * wide),
                through: &probe.zeros(at_once * tokens * width),
            };
            let out = probe.zeros(expected.len());
            probe.expect("looks", &out, &expected, 1e-4, |recorder| {
                run(recorder, &looks, &room, at_once, (&out, 3))
            })?;
        }
    }
    Ok(())
}
