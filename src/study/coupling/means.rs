//! Means of rows on which a number may be undefined.

use super::{CouplingRow, MeanLinearised, MeanMap, RowMap};
use crate::measure::coupling::{BothMetrics, ILL_POSED, PairMap, chance, coupling};
use crate::measure::interval::{Mean, Resamples};

/// Mean and interval of the values that are there; `None` where no row has one.
pub fn resampled(resamples: &Resamples, values: impl Iterator<Item = Option<f64>>) -> Option<Mean> {
    resamples.mean_of_some(&values.collect::<Vec<Option<f64>>>())
}

/// One K's map over the rows.
pub fn map(rows: &[CouplingRow], steps: usize, k: usize, resamples: &Resamples) -> MeanMap {
    let maps: Vec<&RowMap> = rows.iter().filter_map(|row| row.depth_wise.get(&k)).collect();
    let of = |metric: fn(&RowMap) -> &[Option<f32>]| -> Vec<Vec<Option<Mean>>> {
        let pair = |at: usize| {
            let values = maps.iter().map(|map| metric(map)[at].map(f64::from));
            resampled(resamples, values)
        };
        let row = |i: usize| (0..steps).map(|j| pair(i * steps + j)).collect();
        (0..steps).map(row).collect()
    };
    let mean = |metric: fn(&RowMap) -> &[Option<f32>]| {
        let each = maps.iter().map(|map| {
            let wide = metric(map).iter().map(|x| x.map(f64::from));
            let wide: Vec<Option<f64>> = wide.collect();
            let square: PairMap = wide.chunks(steps.max(1)).map(<[_]>::to_vec).collect();
            coupling(&square)
        });
        resampled(resamples, each)
    };
    let is_ill = |map: &RowMap, step: usize| {
        let gap = map.gap.get(step).copied().flatten();
        gap.is_some_and(|gap| f64::from(gap) < ILL_POSED)
    };
    MeanMap {
        off_diagonal: of(|map| &map.off_diagonal),
        singular: of(|map| &map.singular),
        coupling: BothMetrics {
            off_diagonal: mean(|map| &map.off_diagonal),
            singular: mean(|map| &map.singular),
        },
        chance: chance(k),
        ill_posed: (0..steps)
            .map(|step| maps.iter().filter(|map| is_ill(map, step)).count())
            .collect(),
    }
}

pub fn linearised(rows: &[CouplingRow], steps: usize, resamples: &Resamples) -> MeanLinearised {
    let of = |list: fn(&CouplingRow) -> &[Option<f64>]| {
        let step = |step: usize| resampled(resamples, rows.iter().map(|row| list(row)[step]));
        (0..steps).map(step).collect()
    };
    MeanLinearised { cosine: of(|row| &row.cosine), relative_error: of(|row| &row.relative_error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_over_the_rows_that_have_one() {
        let resamples = Resamples::new(4, 200, 1);
        let of = |values: [Option<f64>; 4]| resampled(&resamples, values.into_iter());
        let all = of([Some(1.0), Some(2.0), Some(3.0), Some(6.0)]).expect("a mean");
        assert_eq!(all.mean, 3.0);
        let some = of([Some(1.0), None, Some(3.0), None]).expect("a mean");
        assert_eq!(some.mean, 2.0);
        assert!(some.low < 1.0 && 3.0 < some.high);
        assert_eq!(of([None; 4]), None);
    }

    #[test]
    fn a_map_by_hand() {
        let row = |a: Option<f32>, b: f32, gap: f32| CouplingRow {
            depth_wise: [(
                2,
                RowMap {
                    off_diagonal: vec![Some(0.0), a, Some(b), Some(0.0)],
                    singular: vec![Some(0.0), Some(1.0), Some(1.0), Some(0.0)],
                    gap: vec![Some(gap), None],
                },
            )]
            .into(),
            cosine: vec![Some(0.5), None],
            relative_error: vec![Some(1.0), Some(2.0)],
            line_shape_score: None,
            expodistance: None,
        };
        let rows = [row(Some(0.5), 0.75, 1e-4), row(None, 0.25, 0.1)];
        let resamples = Resamples::new(2, 100, 0);
        let found = map(&rows, 2, 2, &resamples);
        let mean = |of: Option<Mean>| of.expect("a mean").mean;
        assert_eq!(mean(found.off_diagonal[0][1]), 0.5);
        assert_eq!(mean(found.off_diagonal[1][0]), 0.5);
        // 1 - (0.5 + 0.75) / 2, and 1 - 0.25.
        assert_eq!(mean(found.coupling.off_diagonal), (0.375 + 0.75) / 2.0);
        assert_eq!(mean(found.coupling.singular), 0.0);
        assert_eq!(found.ill_posed, [1, 0]);
        let path = linearised(&rows, 2, &resamples);
        assert_eq!((mean(path.cosine[0]), path.cosine[1]), (0.5, None));
        assert_eq!(mean(path.relative_error[1]), 2.0);
    }
}
