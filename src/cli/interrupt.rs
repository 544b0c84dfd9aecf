//! Ctrl-C, and what a system or a cluster sends to end a program: the batch at hand is given up, what is
//! done is kept.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use crate::study::Running;

/// Whether the reader asked to stop.
static STOP: AtomicBool = AtomicBool::new(false);

/// The signal that asked; 0 before one did.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Said at the first Ctrl-C, behind a progress bar's line that may be open. What was kept, a command says when it has
/// stopped.
const STOPPING: &str =
    "\natelier: stopping at the end of the work at hand; Ctrl-C again ends at once\n";

/// The exit code that a shell expects of a program that a signal stopped: 130 after Ctrl-C, 143 after SIGTERM.
pub fn code() -> i32 {
    128 + SIGNAL.load(Ordering::Relaxed)
}

/// Becomes true when the reader asks to stop; who asks twice does not want to wait for the batch to
/// end. What was to be ignored when the program started stays so: `nohup` asks for that, and a shell of
/// what it starts in the background.
#[cfg(unix)]
pub fn listen() -> anyhow::Result<&'static AtomicBool> {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: zeros are a valid `sigaction`; the handler touches atomics and calls nothing but `write` and
        // `_exit`, which may be called in one.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &raw mut action);
            if action.sa_sigaction == libc::SIG_IGN {
                continue;
            }
            action.sa_sigaction = heard as *const () as libc::sighandler_t;
            // What is being read or written goes on.
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
    Ok(&STOP)
}

#[cfg(unix)]
extern "C" fn heard(signal: libc::c_int) {
    if SIGNAL.swap(signal, Ordering::Relaxed) != 0 {
        // SAFETY: it ends the program, and may be called in a handler.
        unsafe { libc::_exit(128 + signal) };
    }
    STOP.store(true, Ordering::Relaxed);
    if signal == libc::SIGINT {
        // SAFETY: the sentence's bytes are there for ever; `write` may be called in a handler.
        unsafe { libc::write(libc::STDERR_FILENO, STOPPING.as_ptr().cast(), STOPPING.len()) };
    }
}

/// Becomes true when the reader asks to stop; who asks twice does not want to wait for the batch to end.
#[cfg(not(unix))]
pub fn listen() -> anyhow::Result<&'static AtomicBool> {
    use anyhow::Context;

    /// As other systems number Ctrl-C.
    const SIGINT: i32 = 2;
    ctrlc::set_handler(|| {
        if SIGNAL.swap(SIGINT, Ordering::Relaxed) != 0 {
            std::process::exit(code());
        }
        STOP.store(true, Ordering::Relaxed);
        super::output::say(STOPPING.trim());
    })
    .context("Ctrl-C cannot be listened for")?;
    Ok(&STOP)
}

/// Advances a study until it is done or the reader asks to stop; `step` hears how far it is. Returns whether it is
/// done.
///
/// # Errors
/// When the study or a step fails.
pub fn advance_until<S: Running>(
    stop: &AtomicBool,
    study: &mut S,
    step: &mut dyn FnMut(&S, usize, usize) -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    while !stop.load(Ordering::Relaxed) {
        let Some((done, total)) = study.advance()? else {
            return Ok(true);
        };
        step(study, done, total)?;
    }
    Ok(false)
}
