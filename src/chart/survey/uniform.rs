//! How far the paper's MSE is from the uniform constant: the more members divide the logits, the
//! nearer.

use super::TableCell::{Count, Number};
use super::{FigureDraft, KnownCell, Panel, Plot, Point, Table, Theme};
use super::{extent, heights, mean, model_marks, model_pens, task_names};
use crate::chart::Named;
use crate::chart::number::{counted, short};
use crate::chart::plot::Axis;
use crate::study::survey::Survey;

/// A model's distance from the uniform constant, mean over its tasks.
struct UniformDistance<'a> {
    model: &'a str,
    members: usize,
    distance: f64,
}

pub(super) fn figure(survey: &Survey, all: &[KnownCell<'_>], theme: &Theme) -> FigureDraft {
    let paper =
        |cell: &KnownCell<'_>| 100.0 * (cell.found.averages.paper.mse - cell.found.uniform).abs();
    let own = |cell: &KnownCell<'_>| {
        100.0 * (cell.found.averages.probability.total.mse - cell.found.uniform).abs()
    };
    let forms: Named<fn(&KnownCell<'_>) -> f64, 2> = [
        ("|MSE − uniform| × 100, as the paper prints MSE", paper),
        ("the same of shares among the options", own),
    ];
    let panels = forms.iter().map(|(name, of)| {
        let series = model_marks(survey, all, theme, |cell| {
            let (y, uniform) = (of(cell), 100.0 * cell.found.uniform);
            let from = format!("{} from {}", short(y), short(uniform));
            Some(Point::new(cell.task as f64, y, format!("{}\n{from}", cell.place())))
        });
        let (x, y) = (Axis::category("", task_names(survey)), Axis::log("", heights(&series)));
        Panel::new(*name, x, y, series)
    });
    let distances = (0..survey.models.len()).filter_map(|model| {
        let of = all.iter().filter(|cell| cell.model == model);
        Some(UniformDistance {
            model: &survey.models[model].name,
            members: survey.models[model].members.len(),
            distance: mean(of.map(&paper))?,
        })
    });
    let title = title(&distances.collect::<Vec<_>>());
    FigureDraft {
        key: "uniform",
        title,
        words: [
            "Eq. 14 divides the logits by the number of components, which pulls its MSE to (K − 1)/K² whatever the model knows.".to_owned(),
            format!("{}; × 100 on a logarithmic scale.", extent(survey)),
        ],
        table: Table::of(
            all,
            &[
                ("task", &|cell| cell.task()),
                ("model", &|cell| cell.model()),
                ("components", &|cell| Count(survey.models[cell.model].members.len())),
                ("uniform x100", &|cell| Number(100.0 * cell.found.uniform)),
                ("paper mse x100", &|cell| Number(100.0 * cell.found.averages.paper.mse)),
                ("paper distance x100", &|cell| Number(paper(cell))),
                ("probability distance x100", &|cell| Number(own(cell))),
            ],
        ),
        plot: Plot::new(panels.collect(), model_pens(survey, theme), 2),
    }
}

/// Says how far the models with the fewest members and those with the most lie from the constant.
fn title(distances: &[UniformDistance<'_>]) -> String {
    let members = distances.iter().map(|one| one.members);
    let (Some(fewest), Some(most)) = (members.clone().min(), members.max()) else {
        return "No model of this survey has an MSE to hold against the uniform constant"
            .to_owned();
    };
    let start = "The paper's MSE × 100 differs from the uniform constant on average by";
    if fewest == most {
        return format!("{start} {}", at_members(distances, fewest, ""));
    }
    format!(
        "{start} {} and {}",
        at_members(distances, fewest, " with the fewest components"),
        at_members(distances, most, " with the most")
    )
}

/// `10.9 with the fewest members (scholar-2, 5)`: the mean distance of the models with so many members.
fn at_members(distances: &[UniformDistance<'_>], members: usize, why: &str) -> String {
    let same: Vec<&UniformDistance<'_>> =
        distances.iter().filter(|one| one.members == members).collect();
    let distance = mean(same.iter().map(|one| one.distance)).unwrap_or(0.0);
    let models = match same[..] {
        [only] => only.model.to_owned(),
        _ => counted(same.len(), "model"),
    };
    // Without a group to tell it from, the number needs its noun.
    let number = match why {
        "" => counted(members, "component"),
        _ => members.to_string(),
    };
    format!("{}{why} ({models}, {number})", short(distance))
}

#[cfg(test)]
mod tests {
    use super::{UniformDistance, title};

    /// Returns the heading of models with so many members and such distances.
    fn heading(models: &[(&str, usize, f64)]) -> String {
        let distances = models.iter().map(|&(model, members, distance)| UniformDistance {
            model,
            members,
            distance,
        });
        title(&distances.collect::<Vec<_>>())
    }

    #[test]
    fn the_heading_says_why_two_of_several_models_stand_in_it() {
        let start = "The paper's MSE × 100 differs from the uniform constant on average by";
        let all = [("a", 9, 9.0), ("b", 17, 7.77), ("c", 5, 10.9)];
        assert_eq!(
            heading(&all),
            format!(
                "{start} 10.9 with the fewest components (c, 5) and 7.77 with the most (b, 17)"
            )
        );
        assert_eq!(
            heading(&[("a", 5, 10.0), ("b", 5, 11.0), ("c", 9, 3.0)]),
            format!(
                "{start} 10.5 with the fewest components (2 models, 5) and 3.00 with the most (c, 9)"
            )
        );
        assert_eq!(
            heading(&[("a", 5, 10.0), ("b", 5, 11.0)]),
            format!("{start} 10.5 (2 models, 5 components)")
        );
        assert_eq!(heading(&all[..1]), format!("{start} 9.00 (a, 9 components)"));
        assert_eq!(
            heading(&[]),
            "No model of this survey has an MSE to hold against the uniform constant"
        );
    }
}
