//! Compares these kernels with the CPU's: natively a test, in a browser part of the self-test.

use atelier_kernels::norm::Norm;

use super::super::norm::check::vectors;
use super::super::probe::{Probe, noise};
use super::*;
use crate::engine::backend::{ReadStreams, VocabularyPart, VocabularyRows};
use crate::engine::cpu::vocabulary::{StreamRows, normed, readings};
use crate::model::shape::NormShape;

pub fn sums_of_kept_rows_are_normed(probe: &mut Probe) -> Result<(), GpuError> {
    let width = 12;
    let kept = noise(5 * width, 1);
    let sums = vec![vec![4], vec![0, 2], vec![0, 1, 2, 3]];
    let kinds = [NormKind::Rms, NormKind::Layer];
    for (kind, is_held) in kinds.into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
        let shape = NormShape { kind, eps: 1e-4 };
        let [gain, bias] = vectors(kind, width);
        let rows = VocabularyRows {
            streams: ReadStreams::Sums { sums: sums.clone(), is_held },
            references: vec![2; 3],
            top: 0,
            followed: Vec::new(),
            is_reproducible: true,
        };
        let [g, b] = [&gain, &bias].map(|vector| probe.storage("vector", vector));
        let from = StreamRows { kept: &kept, stream: &[] };
        let expected = normed(&Norm::new(shape, gain, bias), &from, &rows);

        let listed = sums.iter().enumerate().map(|(row, kept_rows)| SummedStream {
            kept_rows,
            scale_of: if is_held { 2 } else { row },
        });
        let mut words = vec![9u32; 3]; // another list's
        words.extend(list(&listed.collect::<Vec<_>>()));
        let lists =
            RowIds { buffer: probe.storage("lists", &words), first: 3, count: words.len() - 3 };
        let (from, out) = (probe.storage("kept", &kept), probe.zeros(3 * width));
        let vectors = NormVectors { shape, width, gain: &g, bias: &b };
        probe.expect("stream sums", &out, &expected, 1e-4, |recorder| {
            norm(recorder, &from, (&lists, 3), vectors, &out)
        })?;
    }
    Ok(())
}

pub fn a_row_is_read_as_on_the_cpu(probe: &mut Probe) -> Result<(), GpuError> {
    let (rows, v, top) = (3, 333, 4);
    let mut logits: Vec<f32> = noise((rows + 1) * v, 1).iter().map(|x| 8.0 * x).collect();
    // Equal ones: the first is the likelier.
    (logits[v + 7], logits[v + 71], logits[v + 300]) = (9.0, 9.0, 9.0);
    // Row 2 is its own reference.
    let lists: [[u32; 4]; 3] = [[3, 71, 0, 332], [0, 300, 7, 5], [2, 1, 2, 3]];
    let part = VocabularyPart {
        streams: 0..rows,
        read: (0..rows + 1).collect(),
        references: lists.iter().map(|list| list[0] as usize).collect(),
    };
    let read = VocabularyRows {
        streams: ReadStreams::Rows { slot: 0, rows: Vec::new() },
        references: part.references.clone(),
        top,
        followed: lists.iter().flat_map(|list| list[1..].to_vec()).collect(),
        is_reproducible: true,
    };
    let columns = VocabularyRows::numbers(top, 3);
    let another = vec![0.0; columns]; // another output's
    let expected = [another, readings(&logits, &part, &read)].concat();

    let from = probe.storage("logits", &logits);
    let words: Vec<u32> = std::iter::once(9).chain(lists.into_iter().flatten()).collect();
    let lists = RowIds { buffer: probe.storage("lists", &words), first: 1, count: words.len() - 1 };
    let out = probe.zeros(expected.len());
    let logits =
        VocabularyLogits { logits: &from, vocabulary: v, rows, top, followed: 3, lists: &lists };
    probe.expect_columns("vocabulary", &out, (&expected, columns), 1e-4, |recorder| {
        run(recorder, &logits, &out, columns)
    })
}
