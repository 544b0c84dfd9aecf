//! What a reader does with the page, in a real browser: Chromium through its driver, the built page
//! from a compressed static host under a sub-path, nothing else on the network.
//!
//! `cargo xtask test` builds the page, finds the browser and switches these tests on. They run one
//! after the other: browsers that share two cores starve each other.

mod copying;
mod driver;
mod dropping;
mod firefox;
#[cfg(unix)]
mod opening;
mod page;
mod restarting;
mod server;
#[path = "../common/hub/mod.rs"]
#[allow(dead_code)]
mod test_hub;

/// Says past the test harness, which swallows what a passing test prints.
macro_rules! say {
    ($($words:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($words)*);
    }};
}

// After the macro that they print with.
mod coupling;
mod crew;
mod doctor;
mod first_picture;
mod gpu;
mod hosts;
mod hub;
mod inside;
mod large;
mod lens;
mod loading;
mod offline;
mod orders;
mod shell;
mod survey;
mod walls;
