//! The words of lessons: fetched once, and told while anything else runs, such as a model's download: they are
//! no model's.

use std::rc::Rc;

use super::{Desk, Stop, failed, fetch, told};
use crate::app::protocol::{Ask, Tell};
use crate::study::LoadedModel;
use crate::study::lessons::{LESSONS, Lesson, LessonTaker};

/// Is it asked for words alone?
pub fn is_asked(ask: &Ask) -> bool {
    matches!(ask, Ask::Lessons)
}

/// Answers a request for words, beside the one whose turn it is.
pub async fn answer(desk: &Desk, id: u32) {
    desk.tell(id, told(written(desk, id).await));
    desk.over(id);
}

/// Lists all lessons, as the models take them that their steps are written for; one that none can take stays as its
/// file has it, and a run of its steps says why.
async fn written(desk: &Desk, id: u32) -> Result<Tell, Stop> {
    let lessons = lessons(desk, id).await?;
    let written = |lesson: &Lesson| lesson.as_written().unwrap_or_else(|_| lesson.clone());
    Ok(Tell::Lessons { lessons: lessons.iter().map(written).collect() })
}

/// Counts the steps of each lesson that the model can be asked.
pub async fn fits(model: &LoadedModel, desk: &Desk, id: u32) -> Result<Tell, Stop> {
    let lessons = lessons(desk, id).await?;
    let by = LessonTaker::new(model);
    let fits = lessons.iter().map(|lesson| lesson.fit(&by));
    Ok(Tell::Fits { model: model.name.clone(), lessons: fits.collect() })
}

/// All lessons, in order.
pub async fn lessons(desk: &Desk, id: u32) -> Result<Rc<[Lesson]>, Stop> {
    desk.listen(id).await?;
    let known = desk.lessons.borrow().clone();
    if let Some(lessons) = known {
        return Ok(lessons);
    }
    let mut lessons = Vec::with_capacity(LESSONS.len());
    for name in LESSONS {
        let path = format!("lessons/{name}.toml");
        let text = String::from_utf8_lossy(&fetch::bytes(desk, id, &path).await?).into_owned();
        lessons.push(Lesson::read(&path, &text).map_err(failed)?);
    }
    let lessons: Rc<[Lesson]> = lessons.into();
    desk.lessons.replace(Some(Rc::clone(&lessons)));
    Ok(lessons)
}

/// The lesson of this id.
pub fn called<'a>(lessons: &'a [Lesson], id: &str) -> Result<&'a Lesson, Stop> {
    let found = lessons.iter().find(|of| of.id == id);
    found.ok_or_else(|| {
        let names: Vec<&str> = lessons.iter().map(|of| of.id.as_str()).collect();
        Stop::Failed(format!("there is no lesson {id:?}: choose one of {}", names.join(", ")))
    })
}
