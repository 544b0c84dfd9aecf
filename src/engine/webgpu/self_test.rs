//! Every kernel against the CPU's own, or a plain twin there: at start-up, because there are drivers and
//! browsers that compute wrong numbers without a word, and as tests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::device::Device;
use super::error::GpuError;
use super::probe::Probe;
use super::{
    activation, add, append, attention, attention_slope, gather, gemm, gemm_transposed, looks,
    mlp_slope, norm, norm_slope, qk_norm, rope, vocabulary, votes,
};
use crate::engine::trial::KernelTrial;
use crate::model::DType;

/// Runs a kernel on shapes that it could go wrong at.
type Check = fn(&mut Probe) -> Result<(), GpuError>;

/// Every kernel's checks, in the order of a block's work.
const CHECKS: [(&str, Check); 24] = [
    ("gather", gather::check::rows_come_by_their_ids),
    ("norm", norm::check::rows_and_streams_are_normed_as_on_the_cpu),
    ("norm to members", norm::check::a_normed_branch_is_a_member),
    ("gemm", gemm::check::every_route_equals_the_plain_sum_in_every_type),
    ("gemm in parts", gemm::check::a_matrix_in_parts_is_one_product),
    ("gemm to members", gemm::check::a_member_joins_its_stream_and_is_kept),
    ("q/k norm", qk_norm::check::heads_and_full_rows_are_normed_and_values_stay),
    ("rope", rope::check::pairs_turn_and_the_rest_stays),
    ("append", append::check::keys_and_values_go_to_their_rows),
    ("attention", attention::check::tiles_are_summed_as_on_the_cpu),
    ("attention over a cache", attention::check::what_goes_on_equals_the_whole),
    ("heads off", attention::check::heads_that_are_off_are_zero_and_others_stay),
    ("activation", activation::check::every_activation_is_the_cpus),
    ("votes", votes::check::every_row_is_read_by_its_own_prompts_options),
    ("stream sums", vocabulary::check::sums_of_kept_rows_are_normed),
    ("vocabulary", vocabulary::check::a_row_is_read_as_on_the_cpu),
    ("looks", looks::check::weights_and_lengths_are_as_on_the_cpu),
    ("transposed gemm", gemm_transposed::check::every_route_equals_the_plain_sum_in_every_type),
    ("transposed gemm in parts", gemm_transposed::check::a_matrix_in_parts_is_one_product),
    ("norm slope", norm_slope::check::rows_and_heads_are_the_cpus_slopes),
    ("attention slope", attention_slope::check::looks_and_slopes_are_the_cpus),
    ("activation slopes", mlp_slope::check::every_slope_is_the_cpus),
    ("times slopes", mlp_slope::check::rows_meet_the_slopes_of_their_places),
    ("add", add::check::the_first_rows_of_each_are_added),
];

/// Adapters, by [`key`], that computed right in this program's life, and the types of blocks that they took
/// apart.
static RIGHT: Mutex<BTreeMap<String, BTreeSet<DType>>> = Mutex::new(BTreeMap::new());

fn right() -> MutexGuard<'static, BTreeMap<String, BTreeSet<DType>>> {
    RIGHT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One GPU has a driver for each backend.
fn key(device: &Device) -> String {
    format!("{} through {:?}", device.name, device.backend)
}

/// Every kernel, and those of blocks for a model's weights of `dtypes`, but for what this adapter did right
/// before: it takes seconds, and a driver's arithmetic does not change between two models.
///
/// # Errors
/// A kernel is wrong (the error names the first one), or the device failed. The next call tries again.
pub async fn once(device: &Device, dtypes: &[DType]) -> Result<(), GpuError> {
    let known = right().get(&key(device)).cloned();
    let checks: &[(&str, Check)] = if known.is_none() { &CHECKS } else { &[] };
    let known = known.unwrap_or_default();
    let blocks = dtypes.iter().copied().filter(|dtype| dtype.is_block());
    let blocks: Vec<DType> = blocks.filter(|dtype| !known.contains(dtype)).collect();
    if !(checks.is_empty() && blocks.is_empty()) {
        run(Probe::new(device, false), checks, &blocks).await?;
        right().entry(key(device)).or_default().extend(blocks);
    }
    Ok(())
}

/// A device was lost, and its driver may have begun anew: nothing is taken for right any more.
pub fn forget() {
    right().clear();
}

async fn run<'a>(
    mut probe: Probe<'a>,
    checks: &[(&str, Check)],
    blocks: &'a [DType],
) -> Result<(), GpuError> {
    probe.dtypes = blocks;
    for (_, check) in checks {
        check(&mut probe)?;
    }
    gemm::check::blocks_are_the_numbers_that_the_cpu_reads(&mut probe)?;
    gemm_transposed::check::blocks_are_the_numbers_that_the_cpu_reads(&mut probe)?;
    probe.settle().await
}

/// How often [`each`] asks whether to continue.
pub const ROUNDS: usize = CHECKS.len() + DType::BLOCKS.len();

/// Checks every kernel, also after one is wrong: how far each is from its reference implementation, or the
/// device's error. Before each check `goes_on` gets the results so far and the check's name, and decides
/// whether to continue.
pub async fn each(
    device: &Device,
    is_thorough: bool,
    mut goes_on: impl AsyncFnMut(&[KernelTrial], &str) -> bool,
) -> Vec<KernelTrial> {
    let mut found = Vec::new();
    for (name, check) in CHECKS {
        if !goes_on(&found, name).await {
            return found;
        }
        let probe = Probe::new(device, is_thorough);
        one(name, probe, check, &mut found).await;
    }
    for dtype in &DType::BLOCKS {
        let name = format!("gemm of {}", dtype.name());
        if !goes_on(&found, &name).await {
            return found;
        }
        let checks: [(&str, Check); 2] = [
            ("gemm", gemm::check::blocks_are_the_numbers_that_the_cpu_reads),
            ("transposed gemm", gemm_transposed::check::blocks_are_the_numbers_that_the_cpu_reads),
        ];
        for (kernel, check) in checks {
            let mut probe = Probe::new(device, is_thorough);
            probe.dtypes = std::slice::from_ref(dtype);
            let mut of_type = Vec::new();
            one(kernel, probe, check, &mut of_type).await;
            found.extend(of_type.into_iter().map(|trial| KernelTrial {
                kernel: format!("{kernel} of {}", dtype.name()),
                ..trial
            }));
        }
    }
    found
}

async fn one(name: &str, mut probe: Probe<'_>, check: Check, found: &mut Vec<KernelTrial>) {
    // Errors of the kernel before were reported with that kernel.
    probe.device.forgive();
    match check(&mut probe) {
        Ok(()) => probe.compare(found).await,
        Err(error) => {
            let mut trial = KernelTrial::new(name);
            trial.fail(error.to_string());
            found.push(trial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::device::tests::device;
    use super::*;

    #[test]
    fn every_kernel_computes_as_on_the_cpu() {
        let device = device();
        let tried = run(Probe::new(&device, true), &CHECKS, &DType::BLOCKS);
        pollster::block_on(tried).expect("kernels that are right");
    }

    #[test]
    fn each_kernel_says_how_far_it_is_off() {
        let mut asked = 0;
        let all = async |_: &[KernelTrial], _: &str| {
            asked += 1;
            true
        };
        let found = pollster::block_on(each(&device(), false, all));
        assert_eq!(asked, ROUNDS);
        let wrong: Vec<_> = found.iter().filter(|trial| !trial.is_right).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        for kernel in ["gather", "rope", "gemm", "gemm of q4_K"] {
            let trial = found.iter().find(|trial| trial.kernel == kernel);
            assert!(trial.is_some_and(|trial| trial.trials > 0), "{kernel}");
        }
    }

    #[test]
    fn who_wants_no_more_kernels_keeps_those_that_were_tried() {
        let first = async |found: &[KernelTrial], next: &str| {
            assert_eq!(found.is_empty(), next == "gather");
            next == "gather"
        };
        let found = pollster::block_on(each(&device(), false, first));
        assert!(found.iter().all(|trial| trial.kernel.starts_with("gather")));
        assert!(!found.is_empty());
    }

    #[test]
    fn a_kernel_that_is_wrong_is_told_and_those_of_a_lost_device_too() {
        let device = device();
        let mut probe = Probe::new(&device, false);
        let out = probe.zeros(4);
        let expected = [0.0, 0.0, 0.5, 0.0];
        let tried = probe.expect("rope", &out, &expected, 1e-5, |_| Ok(()));
        tried.expect("a read");
        let mut found = Vec::new();
        pollster::block_on(probe.compare(&mut found));
        assert_eq!((found[0].off, found[0].is_right), (Some(1.0), false));

        device.report(GpuError::Lost("unplugged".into()));
        let all = async |_: &[KernelTrial], _: &str| true;
        let found = pollster::block_on(each(&device, false, all));
        assert!(found.iter().all(|trial| !trial.is_right && trial.said.is_some()));
    }

    #[test]
    fn an_adapter_is_tried_once_with_each_type_of_blocks_and_again_after_a_loss() {
        let mut device = device();
        device.name = "the adapter of this test".to_owned();
        let tried = |dtypes: &[DType], device: &Device| pollster::block_on(once(device, dtypes));
        tried(&[DType::F32], &device).expect("kernels that are right");
        tried(&[DType::Q8_0], &device).expect("blocks that are right");
        // From here on whatever asks the device hears this.
        device.report(GpuError::Lost("unplugged".into()));
        let before = [DType::Q8_0, DType::F16];
        tried(&before, &device).expect("what was found before");
        tried(&[DType::Q4_0], &device).expect_err("blocks that were not tried");
        tried(&before, &device).expect("what was found before");
        device.backend = wgpu::Backend::Dx12;
        tried(&before, &device).expect_err("another driver of the adapter");
        device.backend = wgpu::Backend::Vulkan;
        forget();
        tried(&[DType::F32], &device).expect_err("a device that is gone");
        tried(&[DType::F32], &device).expect_err("what went wrong is not found right");
    }

    #[test]
    fn a_wrong_number_is_named_by_its_kernel() {
        let error = super::super::probe::agree("rope", &[1.0, 2.0], &[1.0, 2.1], 1e-5);
        let sentence = error.expect_err("they differ").to_string();
        assert!(sentence.contains("rope"), "{sentence}");
        for (found, expected) in [([f32::NAN, 2.0], [1.0, 2.0]), ([1.0, 2.0], [f32::NAN, 2.0])] {
            super::super::probe::agree("rope", &found, &expected, 1e-5).expect_err("no number");
        }
    }
}
