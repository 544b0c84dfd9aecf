//! Ctrl-C: the batch at hand is given up, what is done is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

/// What a shell expects of a program that was interrupted.
pub const CODE: i32 = 130;

/// Becomes true when the reader asks to stop; who asks twice does not want to wait for the batch to
/// end. What was to be ignored when the program started stays so: `nohup` asks for that, and a shell of
/// what it starts in the background.
pub fn listen() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let heard = stop.clone();
    #[cfg(unix)]
    let ignored = ignored::signals();
    ctrlc::set_handler(move || {
        if heard.swap(true, Ordering::Relaxed) {
            std::process::exit(CODE);
        }
    })
    .context("Ctrl-C cannot be listened for")?;
    #[cfg(unix)]
    ignored::again(&ignored);
    Ok(stop)
}

#[cfg(unix)]
mod ignored {
    /// Those that are listened for.
    const SIGNALS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

    /// Which of them are ignored.
    pub fn signals() -> Vec<libc::c_int> {
        let is_ignored = |signal: &libc::c_int| {
            let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
            // SAFETY: nothing is set, and what is read is written to the place given, of its type.
            let asked = unsafe { libc::sigaction(*signal, std::ptr::null(), action.as_mut_ptr()) };
            // SAFETY: all of its bytes are set, and zeros are a valid value.
            asked == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
        };
        SIGNALS.into_iter().filter(is_ignored).collect()
    }

    /// Ignores them again.
    pub fn again(signals: &[libc::c_int]) {
        for signal in signals {
            // SAFETY: to ignore a signal runs no code of this program.
            unsafe { libc::signal(*signal, libc::SIG_IGN) };
        }
    }
}
