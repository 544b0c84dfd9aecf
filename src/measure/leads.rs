//! Which option leads the running sum of members, as a list of changes (docs/definitions.md, section 3).

use serde::{Deserialize, Serialize};

use super::decomposition::argmax;

/// An option that takes the lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lead {
    /// Index of the member after which it leads.
    pub from: usize,
    pub option: usize,
}

/// Lists the options that lead the running sum of `member_logits` `[M][K]`, each where it takes the lead. Of equal
/// sums the first option leads.
pub fn leads(member_logits: &[Vec<f32>]) -> Vec<Lead> {
    let mut sum = vec![0.0; member_logits.first().map_or(0, Vec::len)];
    let leaders = member_logits.iter().map(|row| {
        sum.iter_mut().zip(row).for_each(|(sum, &x)| *sum += f64::from(x));
        argmax(&sum)
    });
    changes(leaders).into_iter().map(|(from, option)| Lead { from, option }).collect()
}

/// Lists where a sequence takes another value, and which; its first value stands at 0.
pub fn changes<T: Copy + PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<(usize, T)> {
    let mut found: Vec<(usize, T)> = Vec::new();
    for (at, value) in values.into_iter().enumerate() {
        if found.last().is_none_or(|&(_, last)| last != value) {
            found.push((at, value));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(member_logits: &[[f32; 3]]) -> Vec<(usize, usize)> {
        let rows: Vec<Vec<f32>> = member_logits.iter().map(|row| row.to_vec()).collect();
        leads(&rows).into_iter().map(|lead| (lead.from, lead.option)).collect()
    }

    #[test]
    fn who_leads_all_the_way_is_listed_once() {
        assert_eq!(listed(&[[0.0, 1.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.5]]), [(0, 1)]);
        assert_eq!(listed(&[]), []);
    }

    #[test]
    fn the_sum_leads_and_not_the_members_own_choice() {
        // The second member alone would choose option 0, the sum does so only after the third.
        let members = [[0.0, 1.0, 0.0], [0.75, 0.0, 0.0], [0.75, 0.0, 0.0], [0.0, 0.0, 4.0]];
        assert_eq!(listed(&members), [(0, 1), (2, 0), (3, 2)]);
    }

    #[test]
    fn of_equal_sums_the_first_option_leads() {
        assert_eq!(listed(&[[0.0; 3], [0.0, 1.0, 1.0], [1.0, 0.0, 0.0]]), [(0, 0), (1, 1), (2, 0)]);
    }

    #[test]
    fn every_plan_of_a_golden_has_its_leads() {
        #[derive(Deserialize)]
        struct GoldenLeads {
            plans: Vec<GoldenPlan>,
        }
        #[derive(Deserialize)]
        struct GoldenPlan {
            member_logits: Vec<Vec<f32>>,
            leads: Vec<Lead>,
        }
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/golden/vocabulary/random-llama3.json");
        let text = std::fs::read_to_string(path).expect("the golden file");
        let golden: GoldenLeads = serde_json::from_str(&text).expect("a golden");
        assert_eq!(golden.plans.len(), 3);
        for plan in &golden.plans {
            assert_eq!(leads(&plan.member_logits), plan.leads);
        }
    }
}
