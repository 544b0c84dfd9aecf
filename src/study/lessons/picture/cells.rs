//! Pictures of rows of tasks, run or read from the survey.

use super::{DepthAccuracy, PictureCell, PictureMean, StepPicture};
use crate::study::lessons::ask::{RowsAsk, StepAsk};
use crate::study::lessons::found::{FoundCell, SurveyedModel};

/// A model's name, and a cell of it.
pub(super) type ModelCell<'a> = (&'a str, &'a FoundCell);

/// Pictures of the surveys' cells.
pub(super) fn surveyed(models: &[SurveyedModel], ask: &StepAsk) -> Vec<StepPicture> {
    let StepAsk::Survey(wanted) = ask else {
        return Vec::new();
    };
    if !wanted.depths {
        let cells =
            models.iter().flat_map(|of| of.cells.iter().map(move |cell| (of.model.as_str(), cell)));
        return rows(&cells.collect::<Vec<ModelCell<'_>>>(), &shown_means(ask));
    }
    let depths = models.iter().map(|of| {
        let tasks = of.cells.iter().map(|cell| DepthAccuracy {
            task: cell.task.clone(),
            rows: cell.rows,
            accuracy: cell.depths.clone(),
            reached: cell.reached.as_ref().map(|(count, _)| count - 1),
        });
        StepPicture::Depths {
            model: of.model.clone(),
            members: of.members.clone(),
            tasks: tasks.collect(),
        }
    });
    depths.collect()
}

/// Returns the picture of the models' answers by number of negations; `None` where no rows ran.
pub(super) fn said(cells: &[ModelCell<'_>], ask: &RowsAsk) -> Option<StepPicture> {
    let own = cells.iter().filter(|(_, cell)| cell.plan.is_none());
    let cells = own.filter_map(|(model, cell)| PictureCell::of(model, cell, PictureMean::Accuracy));
    let cells: Vec<PictureCell> = cells.collect();
    (!cells.is_empty()).then(|| StepPicture::Said { cells, turned: ask.turned.clone() })
}

/// Which means of rows are drawn.
pub(super) fn shown_means(ask: &StepAsk) -> Vec<PictureMean> {
    match ask {
        StepAsk::Survey(ask) => vec![PictureMean::of(ask.show, ask.column)],
        StepAsk::Rows(ask) if !ask.show.is_empty() => {
            let all = ask.show.iter();
            all.map(|&show| PictureMean::of(show, ask.column)).collect()
        }
        _ => vec![PictureMean::Accuracy],
    }
}

/// A picture a mean, of all models.
pub(super) fn rows(cells: &[ModelCell<'_>], means: &[PictureMean]) -> Vec<StepPicture> {
    let drawn = means.iter().filter_map(|&of| {
        let cells = cells.iter().filter_map(|(model, cell)| PictureCell::of(model, cell, of));
        let cells: Vec<PictureCell> = cells.collect();
        (!cells.is_empty()).then_some(StepPicture::Rows { of, cells })
    });
    drawn.collect()
}
