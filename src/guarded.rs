//! Other people's code on other people's files: where it panics at what a file says, that is an error
//! about the file, in one sentence like any other, and not the end of the program.

#[cfg(not(target_arch = "wasm32"))]
use std::panic::{AssertUnwindSafe, catch_unwind};

#[cfg(not(target_arch = "wasm32"))]
thread_local! {
    static IS_GUARDED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Runs what reads a file's content. In a browser a panic ends the worker all the same.
///
/// # Errors
/// It panicked.
#[cfg(not(target_arch = "wasm32"))]
pub fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !IS_GUARDED.get() {
                before(info);
            }
        }));
    });
    let outer = IS_GUARDED.replace(true);
    // Nothing that it may have left half done is used after a panic.
    let done = catch_unwind(AssertUnwindSafe(run));
    IS_GUARDED.set(outer);
    done.map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        text.unwrap_or_else(|| "it makes no sense to its reader".to_string())
    })
}

/// Runs `run`. A browser cannot catch a panic, so a panic ends the worker.
///
/// # Errors
/// None.
#[cfg(target_arch = "wasm32")]
pub fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    Ok(run())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_what_it_says() {
        assert_eq!(guarded(|| 7), Ok(7));
        let none: [u8; 0] = [];
        let at = std::hint::black_box(3);
        let why = guarded(|| none[at]).expect_err("out of bounds");
        assert!(why.contains("out of bounds"), "{why}");
        assert_eq!(guarded(|| panic!("said")).map(|(): ()| ()), Err("said".to_string()));
    }
}
