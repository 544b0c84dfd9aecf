//! The requests that wait in the worker. Pure, so that who passes whom is tested natively.

use std::collections::{HashSet, VecDeque};

use super::protocol::{Ask, Request};

/// Requests in the order they came, each with the files it speaks of.
#[derive(Debug)]
pub struct Queue<F> {
    waiting: VecDeque<(Request, Vec<F>)>,
    cancelled: HashSet<u32>,
}

impl<F> Default for Queue<F> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), cancelled: HashSet::new() }
    }
}

impl<F> Queue<F> {
    /// Takes a request in. A `Cancel` of one that still waits takes that one out, and its id comes
    /// back: nobody will ever run it, so it is over now and the page is to be told.
    pub fn receive(&mut self, request: Request, files: Vec<F>) -> Option<u32> {
        let Ask::Cancel { id } = request.ask else {
            self.waiting.push_back((request, files));
            return None;
        };
        let before = self.waiting.len();
        self.waiting.retain(|(waiting, _)| waiting.id != id);
        if self.waiting.len() < before {
            return Some(id);
        }
        self.cancelled.insert(id);
        None
    }

    /// The request whose turn it is.
    pub fn take(&mut self) -> Option<(Request, Vec<F>)> {
        self.waiting.pop_front()
    }

    /// Is a look at the machine the next?
    pub fn is_look_next(&self) -> bool {
        let next = self.waiting.front();
        next.is_some_and(|(request, _)| matches!(request.ask, Ask::Doctor { .. }))
    }

    /// The first request that a sweep may answer in between, so that the lens stays live. It passes
    /// what has to wait for the sweep, but never a load: behind that, the model is another.
    pub fn take_quick(&mut self) -> Option<Request> {
        let is_quick = |ask: &Ask| {
            matches!(
                ask,
                Ask::Lens { .. }
                    | Ask::Lab(_)
                    | Ask::Coupling { .. }
                    | Ask::Says { .. }
                    | Ask::GoOn { .. }
            )
        };
        let passable = self.waiting.iter().take_while(|(request, _)| !request.ask.is_load());
        let at = passable.enumerate().find(|(_, (request, _))| is_quick(&request.ask))?.0;
        self.waiting.remove(at).map(|(request, _)| request)
    }

    /// A request that could not be answered yet: it is the next one.
    pub fn put_back(&mut self, request: Request) {
        self.waiting.push_front((request, Vec::new()));
    }

    /// Was the request that runs now cancelled?
    pub fn is_cancelled(&self, id: u32) -> bool {
        self.cancelled.contains(&id)
    }

    /// A request has ended; a `Cancel` that came too late for it is forgotten.
    pub fn over(&mut self, id: u32) {
        self.cancelled.remove(&id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::protocol::{Asked, EngineWish};

    fn ask(id: u32, ask: Ask) -> Request {
        Request { id, ask }
    }

    fn lens() -> Ask {
        Ask::Lens { asked: Asked::default(), inside: None }
    }

    fn compare() -> Ask {
        Ask::Compare(Asked::default())
    }

    fn load() -> Ask {
        Ask::LoadKnown { name: "a".into(), engine: EngineWish::Cpu }
    }

    #[test]
    fn a_check_that_waits_for_a_sweep_does_not_block_the_lens() {
        let mut queue = Queue::<()>::default();
        queue.receive(ask(2, compare()), Vec::new());
        queue.receive(ask(3, lens()), Vec::new());
        assert_eq!(queue.take_quick().map(|request| request.id), Some(3));
        assert_eq!(queue.take_quick().map(|request| request.id), None);
        assert_eq!(queue.take().map(|(request, _)| request.id), Some(2));
    }

    #[test]
    fn what_a_model_says_and_writes_by_itself_does_not_wait_for_a_sweep() {
        let mut queue = Queue::<()>::default();
        let says = Ask::Says { prompt: "a".into(), plan: None };
        let writes = Ask::GoOn { text: "a".into(), plan: None, tokens: 12 };
        queue.receive(ask(2, says), Vec::new());
        queue.receive(ask(3, writes), Vec::new());
        assert_eq!(queue.take_quick().map(|request| request.id), Some(2));
        assert_eq!(queue.take_quick().map(|request| request.id), Some(3));
    }

    #[test]
    fn no_prompt_passes_a_load() {
        let mut queue = Queue::<()>::default();
        queue.receive(ask(2, load()), Vec::new());
        queue.receive(ask(3, lens()), Vec::new());
        assert!(queue.take_quick().is_none());
    }

    #[test]
    fn what_is_cancelled_while_it_waits_is_over_at_once_and_alone() {
        let mut queue = Queue::<()>::default();
        queue.receive(ask(2, compare()), Vec::new());
        queue.receive(ask(3, lens()), Vec::new());
        let cancel = |id| ask(9, Ask::Cancel { id });
        assert_eq!(queue.receive(cancel(2), Vec::new()), Some(2));
        assert!(!queue.is_cancelled(2));
        assert_eq!(queue.take().map(|(request, _)| request.id), Some(3));
        // One that runs is asked to stop, and tells so itself.
        assert_eq!(queue.receive(cancel(1), Vec::new()), None);
        assert!(queue.is_cancelled(1));
        queue.over(1);
        assert!(!queue.is_cancelled(1));
    }
}
