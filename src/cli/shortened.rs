//! A mapped file that is made shorter while its bytes are used: Linux raises SIGBUS, which would end the
//! program without a word. Before each read the file is looked at, which gives a sentence with its name;
//! this is for the moments between that look and the last use of the bytes.

use std::sync::atomic::{AtomicBool, Ordering};

/// The message. It names no file, as none is known there. A progress bar's line may be open before it.
const SENTENCE: &str = "\natelier: a model file became shorter after this run opened it, or its disk failed; put the whole file back, leave it alone until a run ends, and start the run again\n";

/// The exit code of every failure.
const CODE: libc::c_int = super::FAILED as libc::c_int;

/// Whether a thread says the sentence: every thread that reads the missing bytes gets a signal.
static SAID: AtomicBool = AtomicBool::new(false);

/// From now on such a signal ends the program with a sentence.
pub fn listen() {
    // SAFETY: zeros are a valid `sigaction`; the handler calls nothing but `signal`, `pause`, `write` and
    // `_exit`, which may be called in one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = end as *const () as libc::sighandler_t;
        // Without `SA_RESETHAND`: a second thread's signal would end the program before the sentence is out.
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut());
    }
}

extern "C" fn end(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system gives a valid `siginfo_t`, and the sentence's bytes are there for ever.
    unsafe {
        if (*info).si_code != libc::BUS_ADRERR {
            // Whatever raised it does so again, and by then no handler is there.
            libc::signal(libc::SIGBUS, libc::SIG_DFL);
            return;
        }

        // The first thread says it; the others wait until that one has ended the program.
        if SAID.swap(true, Ordering::Relaxed) {
            loop {
                libc::pause();
            }
        }
        libc::write(libc::STDERR_FILENO, SENTENCE.as_ptr().cast(), SENTENCE.len());
        libc::_exit(CODE);
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Output};
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    /// Set in a test that is started again, to be the victim.
    const VICTIM: &str = "ATELIER_TEST_READS_PAST_A_NEW_END";

    #[test]
    fn reading_past_a_new_end_ends_the_program_with_a_sentence() {
        if std::env::var_os(VICTIM).is_some() {
            read_past_a_new_end(1);
        }
        let victim = start_again("reading_past_a_new_end_ends_the_program_with_a_sentence");
        assert_eq!(victim.status.code(), Some(CODE), "{victim:?}");
        assert!(String::from_utf8_lossy(&victim.stderr).ends_with(SENTENCE), "{victim:?}");
    }

    #[test]
    fn several_threads_past_a_new_end_say_one_sentence() {
        if std::env::var_os(VICTIM).is_some() {
            read_past_a_new_end(8);
        }
        for _ in 0..20 {
            let victim = start_again("several_threads_past_a_new_end_say_one_sentence");
            assert_eq!(victim.status.code(), Some(CODE), "{victim:?}");
            let stderr = String::from_utf8_lossy(&victim.stderr);
            assert_eq!(stderr.matches(SENTENCE).count(), 1, "{victim:?}");
        }
    }

    /// Runs a test of this module as a victim, in a process of its own.
    fn start_again(test: &str) -> Output {
        let program = std::env::current_exe().expect("the tests' program");
        let (_, module) = module_path!().split_once("::").expect("a module of the crate");
        let name = format!("{module}::{test}");
        let mut victim = Command::new(program);
        victim.args(["--exact", &name, "--nocapture"]).env(VICTIM, "");
        victim.output().expect("it starts")
    }

    /// Reads past the end of a mapped file, in several threads at once.
    fn read_past_a_new_end(threads: usize) {
        listen();
        let file = tempfile::tempfile().expect("a file");
        file.set_len(1 << 16).expect("a hole");
        // SAFETY: nothing else has this file.
        let map = unsafe { memmap2::Mmap::map(&file) }.expect("a map");
        file.set_len(0).expect("shorter");

        let barrier = Barrier::new(threads);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    barrier.wait();
                    std::hint::black_box(map[1 << 15]);
                });
            }
        });
    }
}
