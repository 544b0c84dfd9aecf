//! Opens a browser, where there is a desktop.

use std::process::{Command, Stdio};

/// Opens this machine's browser at an address; elsewhere than on a desktop the printed one has to do.
/// Whether it was tried.
pub fn open_browser(url: &str) -> bool {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else if ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some()) {
        "xdg-open"
    } else {
        return false;
    };
    Command::new(opener).arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn().is_ok()
}
