//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

use super::super::attention::check::{SHAPES, SPANS, STEPS, TOKENS, qkv};
use super::super::gemm::check::{product, sixty_fourths};
use super::super::matrix::GpuMatrix;
use super::super::probe::{Probe, heads};
use super::*;
use crate::model::DType;

/// Weights and lengths in f64, from one sequence's rows [T, (heads + 2 kv) W] and W [D, heads W].
fn plain(
    qkv: &[f32],
    shape: &AttentionShape,
    out: &[f32],
    of: [&[usize]; 2],
    off: HeadsOff,
) -> Vec<f32> {
    let [heads, queries] = of;
    let (h, kv, w) = (shape.heads, shape.kv_heads, shape.head_width);
    let row = (h + 2 * kv) * w;
    let tokens = qkv.len() / row;
    let at = |t: usize, head: usize| &qkv[t * row + head * w..][..w];
    let (mut weights, mut carried) = (Vec::new(), Vec::new());
    for &head in heads {
        let shared = h + head / (h / kv);
        let lengths: Vec<f64> = (0..tokens)
            .map(|t| {
                let mut alone = vec![0.0; h * w];
                alone[head * w..][..w].copy_from_slice(at(t, shared + kv));
                let through = product(&alone, out, &vec![0.0; out.len() / (h * w)], h * w);
                let squares = through.iter().map(|&x| f64::from(x).powi(2));
                squares.sum::<f64>().sqrt()
            })
            .collect();
        for &query in queries {
            let scores: Vec<f64> = (0..tokens)
                .map(|key| {
                    if key > query || query - key >= window(shape) as usize {
                        return 0.0;
                    }
                    let pairs = at(query, head).iter().zip(at(key, shared));
                    let dot: f64 = pairs.map(|(q, k)| f64::from(*q) * f64::from(*k)).sum();
                    (dot / (w as f64).sqrt()).exp()
                })
                .collect();
            let sum: f64 = scores.iter().sum();
            for (score, length) in scores.iter().zip(&lengths) {
                let is_on = f64::from(u8::from(!off.contains(head)));
                weights.push((score / sum) as f32);
                carried.push((score / sum * length * is_on) as f32);
            }
        }
    }
    [weights, carried].concat()
}

pub fn weights_and_lengths_equal_the_plain_ones(probe: &mut Probe) -> Result<(), GpuError> {
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
        expected.extend(plain(own, &shape, &w, [&chosen, &queries], off));
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
