//! A mapped file that is made shorter while its bytes are used: Linux raises SIGBUS, which would end the
//! program without a word. Before each read the file is looked at, which gives a sentence with its name;
//! this is for the moments between that look and the last use of the bytes.

/// What is said: which file it was is not known there.
const SENTENCE: &str = "atelier: a file of the model became shorter while it was read, or its disk failed; put the whole file back, leave it alone until a run ends, and start the run again\n";

/// The exit code of every refusal.
const CODE: libc::c_int = 2;

/// From now on such a signal ends the program with a sentence.
pub fn listen() {
    // SAFETY: zeros are a valid `sigaction`; the handler calls nothing but `write` and `_exit`, which may be
    // called in one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = end as *const () as libc::sighandler_t;
        // At any other SIGBUS the handler returns, and what raised it does so again, by then unhandled.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESETHAND;
        libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut());
    }
}

extern "C" fn end(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system gives a valid `siginfo_t`, and the sentence's bytes are there for ever.
    unsafe {
        if (*info).si_code == libc::BUS_ADRERR {
            libc::write(libc::STDERR_FILENO, SENTENCE.as_ptr().cast(), SENTENCE.len());
            libc::_exit(CODE);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// The test is its own victim: started again, it reads past the end of a mapped file.
    #[test]
    fn reading_past_a_new_end_ends_the_program_with_a_sentence() {
        const VICTIM: &str = "ATELIER_TEST_READS_PAST_A_NEW_END";
        if std::env::var_os(VICTIM).is_some() {
            listen();
            read_past_a_new_end();
        }
        let this = std::env::current_exe().expect("the tests' program");
        let (_, module) = module_path!().split_once("::").expect("a module of the crate");
        let name = format!("{module}::reading_past_a_new_end_ends_the_program_with_a_sentence");
        let victim =
            Command::new(this).args(["--exact", &name, "--nocapture"]).env(VICTIM, "").output();
        let victim = victim.expect("it starts");
        assert_eq!(victim.status.code(), Some(CODE), "{victim:?}");
        assert!(String::from_utf8_lossy(&victim.stderr).ends_with(SENTENCE), "{victim:?}");
    }

    fn read_past_a_new_end() {
        let file = tempfile::tempfile().expect("a file");
        file.set_len(1 << 16).expect("a hole");
        // SAFETY: nothing else has this file.
        let map = unsafe { memmap2::Mmap::map(&file) }.expect("a map");
        file.set_len(0).expect("shorter");
        std::hint::black_box(map[1 << 15]);
    }
}
