//! Studies that go on in small steps.

use super::StudyError;
use super::report::Report;
use crate::engine::Run;

/// A study on its way. Between two steps whoever runs it shows how far it is, and hears that it is to stop.
pub trait Running {
    /// Goes on a little: `Some((done, of))`, `None` once all is done.
    ///
    /// # Errors
    /// When the engine fails, or what it gives cannot be read.
    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError>;

    /// Is the device to answer first? See [`Run::is_waiting`].
    fn is_waiting(&self) -> bool;

    /// Whether only others are at work on it: the next step is not to come at once. A study that
    /// rests never waits for the device.
    fn is_resting(&self) -> bool {
        false
    }

    /// Returns how many rows are done: 0 where the study has no rows.
    fn rows_done(&self) -> usize {
        0
    }

    /// Returns what is known so far, of a study that tells more and more.
    fn interim(&mut self) -> Option<Report> {
        None
    }
}

impl<T> Running for Box<dyn Run<T> + '_> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        Ok((**self).advance()?)
    }

    fn is_waiting(&self) -> bool {
        (**self).is_waiting()
    }
}
