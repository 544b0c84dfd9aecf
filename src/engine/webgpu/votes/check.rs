//! Compares this kernel with the CPU's: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, noise};
use super::*;
use crate::engine::backend::OptionRows;
use crate::engine::cpu::votes::votes;

pub fn every_row_is_read_by_its_own_prompts_options(probe: &mut Probe) -> Result<(), GpuError> {
    for (i, (rows, prompts, k, d)) in
        [(6, 3, 2, 48), (2, 1, 5, 172), (4, 2, 0, 8)].into_iter().enumerate()
    {
        let is_centred = i == 1;
        let shift = if is_centred { 2.0 } else { 0.0 };
        let kept: Vec<f32> = noise(rows * d, 1).iter().map(|z| z + shift).collect();
        let numbers = noise(prompts * k * d, 2);
        let options = OptionRows { numbers, prompts, count: k, is_centred };
        let expected = [vec![0.0; i], votes(&kept, d, &options)].concat();
        let ballot = Ballot {
            kept: &probe.storage("kept", &kept),
            rows,
            width: d,
            options: &probe.storage("options", &options.numbers),
            prompts,
            count: k,
            is_centred,
        };
        let out = probe.zeros(expected.len());
        probe.expect("votes", &out, &expected, 1e-4, |recorder| run(recorder, &ballot, &out, i))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::device::tests::device;
    use super::super::super::recorder::{Bindings, Tally};
    use super::*;

    #[test]
    fn votes_in_several_dispatches_are_the_same() {
        let device = device();
        for most in [1, 1000, 10_000] {
            let mut probe = Probe::new(&device, true);
            probe.bindings.most_work = most;
            every_row_is_read_by_its_own_prompts_options(&mut probe).expect("votes");
            pollster::block_on(probe.settle()).expect("the same votes");
        }
    }

    /// Many options of many members are more than a watchdog allows at once.
    #[test]
    fn votes_are_counted_and_cut() {
        let device = device();
        let mut bindings = Bindings::new(&device);
        bindings.most_work = 3 * 2 * 9 * 8;
        let mut recorder = Recorder::new(&device, &bindings);
        let ballot = Ballot {
            kept: &device.storage("kept", &noise(7 * 8, 1)),
            rows: 7,
            width: 8,
            options: &device.storage("options", &noise(8 * 8, 2)),
            prompts: 1,
            count: 8,
            is_centred: false,
        };
        let out = device.storage("out", &[0f32; 7 * 9]);
        run(&mut recorder, &ballot, &out, 0).expect("votes");
        recorder.submit().expect("a submission");
        let Tally { dispatches, submissions, .. } = recorder.tally;
        assert_eq!((dispatches, submissions), (3, 3));
    }
}
