//! All changes of the middle, from the one that harms least to the one that harms most.

use super::{LOOP, not_swept};
use crate::measure::interval::Mean;
use crate::study::lessons::LessonError;
use crate::study::lessons::middle::MiddleRuns;
use crate::study::lessons::pool::{PickedOrder, Pool};
use crate::study::orders::Sweep;

/// Rounds of the loop that is compared.
const ROUNDS: usize = 3;

/// At least three changes, the one that keeps most first.
pub struct Harm(Vec<(String, PickedOrder, Mean)>);

impl Harm {
    /// # Errors
    /// A model with fewer than three changes to compare.
    pub fn of(pool: &Pool<'_>, middle: &MiddleRuns) -> Result<Self, LessonError> {
        let kinds = Sweep::FAMILY.iter().map(|kind| match kind {
            Sweep::Loop => format!("{LOOP}{ROUNDS}"),
            kind => kind.name().to_owned(),
        });
        let mut all = Vec::new();
        for name in kinds {
            let picked = middle.picked(&name)?;
            if let Some(kept) = pool.kept(&picked) {
                all.push((name, picked, kept));
            }
        }
        let too_small = "its middle is too small for three changes";
        refuse_if!(all.len() < 3, LessonError::lacking(too_small));
        all.sort_by(|a, b| b.2.mean.total_cmp(&a.2.mean));
        Ok(Self(all))
    }

    fn name(&self, at: usize) -> String {
        self.0.get(at).map(|one| one.0.clone()).unwrap_or_default()
    }

    pub fn best(&self) -> String {
        self.name(0)
    }

    pub fn worst(&self) -> String {
        self.name(self.0.len() - 1)
    }

    /// How much more the best keeps than the one that rows tell least from it, row by row.
    pub fn best_by(&self, pool: &Pool<'_>) -> Result<Mean, LessonError> {
        self.least_lead(pool, 0, |at| at > 0)
    }

    /// How much less the worst keeps than the one that rows tell least from it.
    pub fn worst_by(&self, pool: &Pool<'_>) -> Result<Mean, LessonError> {
        let worst = self.0.len() - 1;
        self.least_lead(pool, worst, |at| at < worst)
    }

    /// How much more the best keeps than any that is neither shuffled nor looped.
    pub fn best_by_rest(&self, pool: &Pool<'_>) -> Result<Mean, LessonError> {
        let rest = |at: usize| {
            let name = self.name(at);
            name != Sweep::Shuffle.name() && !name.starts_with(LOOP)
        };
        self.least_lead(pool, 0, |at| at > 0 && rest(at))
    }

    /// Between one change and each of some others the distance that is least sure.
    fn least_lead(
        &self,
        pool: &Pool<'_>,
        at: usize,
        is_compared: impl Fn(usize) -> bool,
    ) -> Result<Mean, LessonError> {
        let mut least: Option<Mean> = None;
        for other in (0..self.0.len()).filter(|&other| is_compared(other)) {
            let [better, worse] = if at < other { [at, other] } else { [other, at] };
            let lead = pool.more(&self.0[better].1, &self.0[worse].1);
            let lead = lead.ok_or_else(|| not_swept(&self.name(other)))?;
            if least.is_none_or(|least| lead.low < least.low) {
                least = Some(lead);
            }
        }
        least.ok_or_else(|| not_swept("two changes"))
    }

    /// `shuffle 62, loop-3 60, …`, in per cent.
    pub fn listed(&self) -> String {
        let one = |(name, _, kept): &(String, PickedOrder, Mean)| {
            let kept = format!("{:.0}", 100.0 * kept.mean);
            let kept = match kept.strip_prefix('-') {
                Some("0") => "0".to_owned(),
                Some(rest) => format!("−{rest}"),
                None => kept,
            };
            format!("{name} {kept}")
        };
        self.0.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}
