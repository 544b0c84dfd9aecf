//! The open connections. When no place is left, the connection that has waited longest for its request
//! is closed, so that requests that are begun and never ended keep no client out.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;

use crate::CONNECTIONS;

/// How long an aborted connection may take to free its place.
const LEAVE_TIME: Duration = Duration::from_secs(2);

pub struct Crowd {
    places: Arc<Semaphore>,
    asking: Arc<Asking>,
    next: AtomicU64,
}

/// Connections whose request is not read yet, the oldest first.
type Asking = Mutex<VecDeque<(u64, AbortHandle)>>;

/// One connection's place; free again when it is dropped.
pub struct Guest {
    asking: Arc<Asking>,
    number: u64,
    _place: OwnedSemaphorePermit,
}

impl Default for Crowd {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(CONNECTIONS)),
            asking: Arc::default(),
            next: AtomicU64::new(0),
        }
    }
}

impl Crowd {
    /// Starts `talk` for one more connection, unless all places are taken by connections being answered.
    pub async fn enter<T>(&self, talk: impl FnOnce(Arc<Guest>) -> T)
    where
        T: Future<Output = ()> + Send + 'static,
    {
        let Some(place) = self.place().await else {
            return;
        };
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let guest = Arc::new(Guest { asking: Arc::clone(&self.asking), number, _place: place });
        // The lock keeps the talk from being over before it is known to have begun.
        let Ok(mut asking) = self.asking.lock() else {
            return;
        };
        let talk = tokio::spawn(talk(guest));
        asking.push_back((number, talk.abort_handle()));
    }

    async fn place(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            return Some(place);
        }
        let (_, longest) = self.asking.lock().ok()?.pop_front()?;
        longest.abort();
        let place = Arc::clone(&self.places).acquire_owned();
        tokio::time::timeout(LEAVE_TIME, place).await.ok()?.ok()
    }
}

impl Guest {
    /// Notes that the request is read: from now on the connection is not aborted.
    pub fn has_asked(&self) {
        if let Ok(mut asking) = self.asking.lock() {
            asking.retain(|(number, _)| *number != self.number);
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.has_asked();
    }
}
