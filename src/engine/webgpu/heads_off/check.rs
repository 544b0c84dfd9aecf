//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, noise};
use super::*;

pub fn the_heads_that_are_off_are_zero_and_others_stay(probe: &mut Probe) -> Result<(), GpuError> {
    let kernel = &probe.kernels.heads_off;
    let rows = 5;
    for (heads, width, switched) in
        [(6, 8, &[2][..]), (6, 12, &[0, 1, 5]), (71, 4, &[0, 31, 32, 63, 64, 70]), (128, 4, &[127])]
    {
        let off =
            switched.iter().fold(HeadsOff::NONE, |off, &head| off.and(head).unwrap_or_default());
        let attended = noise(rows * heads * width, 1);
        let mut expected = attended.clone();
        for row in expected.chunks_mut(heads * width) {
            for (head, numbers) in row.chunks_mut(width).enumerate() {
                if switched.contains(&head) {
                    numbers.fill(0.0);
                }
            }
        }
        let out = probe.storage("attended", &attended);
        probe.expect("heads off", &out, &expected, 0.0, |recorder| {
            kernel.run(recorder, &out, rows, [heads * width, width], off)
        })?;
    }
    Ok(())
}
