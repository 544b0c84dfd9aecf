//! Tests of the page as a reader uses it, in a real browser: Chromium through its driver, the built page from a
//! compressed static host under a sub-path, nothing else on the network.
//!
//! `cargo xtask test` builds the page, finds the browser and switches these tests on. As many run at once as
//! there are cores, and those that look at time or at all cores run alone.

/// Says past the test harness, which swallows what a passing test prints.
macro_rules! say {
    ($($words:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($words)*);
    }};
}

#[path = "../common/mod.rs"]
mod common;
mod copying;
mod driver;
mod dropping;
mod firefox;
mod forgetting;
mod gate;
#[cfg(unix)]
mod opening;
mod page;
mod program;
mod restarting;
mod server;
#[path = "../common/hub/mod.rs"]
#[allow(dead_code)]
mod test_hub;
mod turn;

#[cfg(unix)]
mod at_hand;
mod coupling;
mod crew;
mod doctor;
mod embed;
mod figures;
mod first_picture;
mod gpu;
mod hosts;
mod hub;
mod inside;
mod large;
mod lens;
mod lessons;
mod loading;
mod member;
mod offline;
mod orders;
mod pack;
mod pickled;
mod projector;
mod question;
mod shell;
mod start;
mod survey;
mod walls;
mod words;
