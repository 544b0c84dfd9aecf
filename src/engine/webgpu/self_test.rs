//! Every kernel against its plain twin on the CPU: at start-up, because there are drivers and
//! browsers that compute wrong numbers without a word, and as tests.

use super::device::Device;
use super::error::GpuError;
use super::probe::Probe;
use super::{
    activation, attention, depths, fate, gather, gemm, heads_off, looks, norm, qk_norm, rope, votes,
};
use crate::model::DType;

/// Of blocks, those that a model's weights of `dtypes` have.
///
/// # Errors
/// The first kernel that is wrong, by its name, or what the device says.
pub async fn run(device: &Device, is_thorough: bool, dtypes: &[DType]) -> Result<(), GpuError> {
    let mut probe = Probe::new(device, is_thorough);
    gather::check::rows_come_by_ids_and_by_steps(&mut probe)?;
    norm::check::rows_and_streams_are_normed_as_on_the_cpu(&mut probe)?;
    norm::check::a_normed_branch_is_a_member(&mut probe)?;
    gemm::check::every_route_equals_the_plain_sum_in_every_type(&mut probe)?;
    gemm::check::blocks_are_the_numbers_that_the_cpu_reads(&mut probe, dtypes)?;
    gemm::check::a_matrix_in_parts_is_one_product(&mut probe)?;
    gemm::check::a_member_joins_its_stream_and_is_kept(&mut probe)?;
    qk_norm::check::heads_and_full_rows_are_normed_and_values_stay(&mut probe)?;
    rope::check::pairs_turn_and_the_rest_stays(&mut probe)?;
    attention::check::tiles_equal_the_plain_sum(&mut probe)?;
    heads_off::check::the_heads_that_are_off_are_zero_and_others_stay(&mut probe)?;
    activation::check::every_activation_is_the_cpus(&mut probe)?;
    votes::check::every_row_is_read_by_its_own_prompts_options(&mut probe)?;
    fate::check::the_likeliest_is_the_first_of_the_largest(&mut probe)?;
    depths::check::sums_of_kept_rows_are_normed(&mut probe)?;
    depths::check::a_row_is_read_as_the_plain_sums_say(&mut probe)?;
    looks::check::weights_and_lengths_equal_the_plain_ones(&mut probe)?;
    probe.settle().await
}

#[cfg(test)]
mod tests {
    use super::super::device::tests::device;
    use super::*;

    #[test]
    fn every_kernel_equals_its_plain_twin() {
        let device = device();
        pollster::block_on(run(&device, true, &DType::BLOCKS)).expect("kernels that are right");
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
