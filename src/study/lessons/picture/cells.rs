//! Pictures of rows of tasks, run or read from the survey.

use super::{DepthAccuracy, PictureCell, PictureMean, StepPicture};
use crate::study::lessons::ask::{ReadColumn, RowsAsk, StepAsk, SurveyShow};
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
        return rows(&cells.collect::<Vec<ModelCell<'_>>>(), ask);
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
    let cells = own.map(|(model, cell)| {
        PictureCell::of(model, cell, SurveyShow::Accuracy, ReadColumn::default())
    });
    let cells: Vec<PictureCell> = cells.collect();
    (!cells.is_empty()).then(|| StepPicture::Said { cells, turned: ask.turned.clone() })
}

/// A picture a mean that `ask` wants drawn, of all models.
pub(super) fn rows(cells: &[ModelCell<'_>], ask: &StepAsk) -> Vec<StepPicture> {
    if cells.is_empty() {
        return Vec::new();
    }
    let (shown, column) = match ask {
        StepAsk::Survey(ask) => (vec![ask.show], ask.column),
        StepAsk::Rows(ask) if !ask.show.is_empty() => (ask.show.clone(), ask.column),
        _ => (vec![SurveyShow::Accuracy], ReadColumn::default()),
    };
    let pictures = shown.into_iter().map(|show| {
        let cells =
            cells.iter().map(|(model, cell)| PictureCell::of(model, cell, show, column)).collect();
        StepPicture::Rows { of: PictureMean::Rows(show, column), cells }
    });
    pictures.collect()
}
