use super::*;
use crate::rope::Angles;
use crate::testing::{close, random};

#[test]
fn forward_equals_the_twin_and_backward_is_its_slope() {
    for (width, kv_heads) in [(8, 2), (16, 1), (32, 4)] {
        let heads = Heads { heads: 4, kv_heads, width, window: usize::MAX, rope_half: 0 };
        let starts = [0, 3, 4, 23];
        let (row, n) = (heads.qkv_width(), 23);
        let (qkv, dout) = (random(n * row, 1.0, 1), random(n * 4 * width, 1.0, 2));
        let twin = |qkv: &[f32]| -> Vec<f64> {
            let spans = starts.windows(2).map(|span| &qkv[span[0] * row..span[1] * row]);
            spans
                .flat_map(|qkv| crate::attention::tests::plain(qkv, heads, &Angles::default()))
                .collect()
        };
        let mut probabilities = vec![f32::NAN; probabilities_len(&starts, 4)];
        let mut out = vec![f32::NAN; n * 4 * width];
        forward(&mut out, &mut probabilities, &qkv, &starts, heads);
        close(&out, &twin(&qkv), 3e-6);

        let mut dqkv = vec![f32::NAN; n * row];
        gradient(&mut dqkv, &dout, &probabilities, &qkv, &starts, heads);
        let loss = |qkv: &[f32]| -> f64 {
            let out = twin(qkv);
            out.iter().zip(&dout).map(|(y, &dy)| y * f64::from(dy)).sum()
        };
        for i in (0..n * row).step_by(37) {
            let at = |by: f32| {
                let mut qkv = qkv.clone();
                qkv[i] += by;
                (loss(&qkv), f64::from(qkv[i]))
            };
            let (above, below) = (at(1e-3), at(-1e-3));
            let slope = (above.0 - below.0) / (above.1 - below.1);
            close(&dqkv[i..=i], &[slope], 1e-4);
        }
    }
}
