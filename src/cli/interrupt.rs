//! Ctrl-C: the batch at hand is given up, what is done is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

/// What a shell expects of a program that was interrupted.
pub const CODE: i32 = 130;

/// Becomes true when the reader asks to stop; who asks twice does not want to wait for the batch to
/// end.
pub fn listen() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let heard = stop.clone();
    ctrlc::set_handler(move || {
        if heard.swap(true, Ordering::Relaxed) {
            std::process::exit(CODE);
        }
    })
    .context("Ctrl-C cannot be listened for")?;
    Ok(stop)
}
