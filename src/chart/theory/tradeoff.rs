//! Theorem 3: bias and diversity from their terms, as printed and corrected, beside what they are.

use super::{FigureDraft, Scene, missing, plot};
use crate::chart::Table;
use crate::chart::TableCell::{Number, Text};
use crate::chart::number::{percent, short};
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Point, Series};
use crate::measure::tradeoff::Tradeoff;
use crate::study::survey::Found;

type TermsValue = fn(&TradeOffTerms) -> f64;

/// The rounding of sums of numbers with a file's seven digits, as a share of them.
pub(super) const ROUNDING: f64 = 1e-6;

/// A task's terms, and what they are to add up to.
struct TradeOffTerms {
    terms: Tradeoff,
    /// From the rows' own decomposition, in logits.
    bias: f64,
    diversity: f64,
}

/// The most that the printed bias, diversity and MSE are off by in any task.
struct PrintedResidues {
    bias: f64,
    diversity: f64,
    mse: f64,
    /// Whether the printed MSE is right in every task but for rounding.
    is_mse_right: bool,
}

impl TradeOffTerms {
    fn of(found: &Found, share: f64) -> Self {
        let (full, terms) = (&found.tradeoff, found.tradeoff.towards_constant(share));
        let total = found.averages.logit.total;
        Self {
            // (t - u)² with t moved: only what hangs on the target's own spread changes.
            bias: total.bias + (terms.target_variance - full.target_variance)
                - 2.0 * (terms.target_covariance - full.target_covariance),
            diversity: total.diversity,
            terms,
        }
    }

    fn bias_residue(&self) -> f64 {
        self.bias - self.terms.paper_bias()
    }

    fn diversity_residue(&self) -> f64 {
        self.diversity - self.terms.paper_diversity
    }

    fn mse_residue(&self) -> f64 {
        self.bias_residue() - self.diversity_residue()
    }

    /// Ω as a share of the bias; 0 where there is no bias.
    fn shared(&self) -> f64 {
        if self.bias > 0.0 { self.terms.omega / self.bias } else { 0.0 }
    }

    /// The offset's part of Ω; 0 where there is no Ω.
    fn offset_in_omega(&self) -> f64 {
        if self.terms.omega > 0.0 { self.terms.offset_diversity() / self.terms.omega } else { 0.0 }
    }

    /// Whether the difference of the printed terms is the MSE, but for rounding.
    fn is_mse_right(&self) -> bool {
        let sizes =
            self.bias + self.terms.paper_bias() + self.diversity + self.terms.paper_diversity;
        self.mse_residue().abs() <= ROUNDING * sizes
    }
}

impl PrintedResidues {
    fn of(found: &[(&str, TradeOffTerms)]) -> Self {
        let worst = |residue: TermsValue| {
            found.iter().map(|(_, terms)| residue(terms).abs()).fold(0.0, f64::max)
        };
        Self {
            bias: worst(TradeOffTerms::bias_residue),
            diversity: worst(TradeOffTerms::diversity_residue),
            mse: worst(TradeOffTerms::mse_residue),
            is_mse_right: found.iter().all(|(_, terms)| terms.is_mse_right()),
        }
    }

    /// `is_constant`: the target is the same for every option.
    fn title(&self, is_constant: bool) -> String {
        let [bias, diversity, mse] = [self.bias, self.diversity, self.mse].map(short);
        if is_constant && self.is_mse_right {
            return format!(
                "If the target is the same for all options, both printed terms are too large by up to {diversity}. Their \
                 difference, the MSE, is right"
            );
        }
        format!(
            "The printed terms miss the bias by up to {bias}, the diversity by up to {diversity}, and their difference, the MSE, by up to {mse}"
        )
    }
}

pub(super) fn sketch(scene: &Scene<'_>) -> Result<FigureDraft, String> {
    let theme = scene.theme;
    let pens = [
        Pen::new("as the rows are", theme.quiet, Line::None, Mark::Level),
        Pen::new("corrected terms", theme.diversity, Line::None, Mark::Circle),
        Pen::new("terms as printed", theme.mlp, Line::None, Mark::Square),
    ];
    let share = scene.setting.clamp(0.0, 1.0);
    let found = scene.cells();
    let found = found.map(|cell| (cell.task_name, TradeOffTerms::of(cell.found, share)));
    let found: Vec<(&str, TradeOffTerms)> = found.collect();
    refuse_if!(found.is_empty(), missing(scene, "numbers in this report"));
    let quantities: [(&str, [TermsValue; 3]); 2] = [
        ("bias, squared logits", [|t| t.bias, |t| t.terms.bias, |t| t.terms.paper_bias()]),
        (
            "diversity, squared logits",
            [|t| t.diversity, |t| t.terms.diversity, |t| t.terms.paper_diversity],
        ),
    ];
    let names: Vec<String> = found.iter().map(|(name, _)| (*name).to_owned()).collect();
    let panels = quantities.iter().map(|(name, values)| {
        let series = pens.iter().zip(values).map(|(pen, value)| {
            let points = found.iter().enumerate().map(|(x, (task, t))| {
                let text = format!("{task}, {}\n{}", pen.name, short(value(t)));
                Point::new(x as f64, value(t), text)
            });
            Series::new(pen.clone(), points)
        });
        Panel::from_zero(*name, Axis::category("", names.clone()), series.collect())
    });
    let shared = found.iter().map(|(_, t)| t.shared()).sum::<f64>() / found.len() as f64;
    let offset = found.iter().map(|(_, t)| t.offset_in_omega()).sum::<f64>() / found.len() as f64;
    Ok(FigureDraft {
        key: "theorem-3",
        title: PrintedResidues::of(&found).title(share == 0.0),
        words: [
            format!("{}, means over all rows of each task.", scene.model_name()),
            format!(
                "Ω, the shared term, is {} of the bias on average. {} of Ω is the members' offset, Ω − v̄, which moves no probability.",
                percent(shared),
                percent(offset)
            ),
        ],
        table: Table::of(
            &found,
            &[
                ("task", &|(task, _)| Text((*task).to_owned())),
                ("bias", &|(_, t)| Number(t.bias)),
                ("corrected bias", &|(_, t)| Number(t.terms.bias)),
                ("printed bias", &|(_, t)| Number(t.terms.paper_bias())),
                ("bias residue", &|(_, t)| Number(t.bias_residue())),
                ("diversity", &|(_, t)| Number(t.diversity)),
                ("corrected diversity", &|(_, t)| Number(t.terms.diversity)),
                ("printed diversity", &|(_, t)| Number(t.terms.paper_diversity)),
                ("diversity residue", &|(_, t)| Number(t.diversity_residue())),
                ("mse residue", &|(_, t)| Number(t.mse_residue())),
                ("omega", &|(_, t)| Number(t.terms.omega)),
                ("mean variance", &|(_, t)| Number(t.terms.var_bar)),
                ("offset diversity", &|(_, t)| Number(t.terms.offset_diversity())),
            ],
        ),
        plot: plot(panels.collect(), pens.to_vec()),
    })
}
