//! Compares this kernel with its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, heads, noise};
use super::*;

pub fn keys_and_values_go_to_their_rows(probe: &mut Probe) -> Result<(), GpuError> {
    let shape = heads(6, 2, 12, None);
    let places = [4u32, 0, 7, 5];
    let qkv = noise(places.len() * shape.qkv_width(), 1);
    let width = cache_width(&shape);
    let before = noise(9 * width, 2);
    let mut expected = before.clone();
    for (&place, row) in places.iter().zip(qkv.chunks(shape.qkv_width())) {
        let kept = &row[shape.heads * shape.head_width..];
        expected[place as usize * width..][..width].copy_from_slice(kept);
    }
    let (from, at) = (probe.storage("qkv", &qkv), probe.storage("places", &places));
    let cache = probe.storage("cache", &before);
    probe.expect("append", &cache, &expected, 0.0, |recorder| {
        run(recorder, &from, places.len(), &shape, &at, &cache)
    })
}
