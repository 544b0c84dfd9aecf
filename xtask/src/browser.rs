//! Headless Chromium, its driver, Firefox, and a software Vulkan, for tests.

use std::path::{Path, PathBuf};

use crate::apt::Need;
use crate::command::{Stop, on_path, ready};

/// A program that browser tests start.
struct Program {
    /// Names it, before everything else.
    variable: &'static str,
    /// Its usual names on `PATH`.
    names: &'static [&'static str],
    /// Its usual places elsewhere.
    elsewhere: &'static [&'static str],
    need: Need,
}

const CHROME: Program = Program {
    variable: "ATELIER_CHROME",
    names: &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"],
    elsewhere: &[
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ],
    need: Need {
        what: "Chromium",
        // Its text needs a font to be drawn with, which a server does not have.
        packages: &["chromium", "fonts-liberation"],
        elsewhere: "install Chrome or Chromium, or name it in ATELIER_CHROME",
    },
};

const DRIVER: Program = Program {
    variable: "ATELIER_CHROMEDRIVER",
    names: &["chromedriver"],
    elsewhere: &["/usr/lib/chromium/chromedriver", "/usr/lib/chromium-browser/chromedriver"],
    need: Need {
        what: "Chromium's driver",
        packages: &["chromium-driver"],
        elsewhere: "install the chromedriver of your Chrome's version, or name it in ATELIER_CHROMEDRIVER",
    },
};

const FIREFOX: Program = Program {
    variable: "ATELIER_FIREFOX",
    names: &["firefox-esr", "firefox"],
    elsewhere: &["/Applications/Firefox.app/Contents/MacOS/firefox"],
    need: Need {
        what: "Firefox",
        packages: &["firefox-esr", "fonts-liberation"],
        elsewhere: "install Firefox, or name it in ATELIER_FIREFOX",
    },
};

/// The programs that browser tests start.
pub struct Browser {
    pub chrome: PathBuf,
    pub driver: PathBuf,
    pub firefox: PathBuf,
    /// Cargo builds it: see [`crate::tools`].
    pub geckodriver: PathBuf,
}

impl Program {
    /// The program that the variable names, or else the first of its usual names on `PATH`, or else one of its usual
    /// places.
    fn find(&self) -> Option<PathBuf> {
        if let Some(named) = std::env::var_os(self.variable) {
            return Some(PathBuf::from(named));
        }
        let mut elsewhere = self.elsewhere.iter().map(PathBuf::from);
        on_path(self.names).or_else(|| elsewhere.find(|program| program.is_file()))
    }
}

pub fn needs() -> Vec<Need> {
    let missing = [CHROME, DRIVER, FIREFOX].into_iter().filter(|program| program.find().is_none());
    let mut needs: Vec<Need> = missing.map(|program| program.need).collect();
    // Only Debian's packages tell whether a software Vulkan is there; elsewhere, drivers are the
    // reader's own affair.
    let lavapipe = [
        "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
        "/usr/share/vulkan/icd.d/lvp_icd.aarch64.json",
        "/usr/share/vulkan/icd.d/lvp_icd.json",
    ];
    if on_path(&["apt-get"]).is_some() && !lavapipe.iter().any(|file| Path::new(file).is_file()) {
        needs.push(Need {
            what: "Mesa's software Vulkan",
            packages: &["mesa-vulkan-drivers"],
            elsewhere: "install a Vulkan driver",
        });
    }
    needs
}

pub fn prepare() -> Result<Browser, Stop> {
    let programs = [CHROME, DRIVER, FIREFOX];
    let [Some(chrome), Some(driver), Some(firefox)] = programs.each_ref().map(Program::find) else {
        return Err(Stop::new(
            "Chromium, its driver and Firefox were installed, but they are not on the PATH.",
        ));
    };
    for (program, Program { variable, .. }) in [&chrome, &driver, &firefox].iter().zip(&programs) {
        if !program.is_file() {
            return Err(Stop::new(format!(
                "{variable} names {}, which is not a file.",
                program.display()
            )));
        }
    }
    ready(&format!(
        "browsers: {} with {}, {}",
        chrome.display(),
        driver.display(),
        firefox.display()
    ));
    Ok(Browser { chrome, driver, firefox, geckodriver: PathBuf::new() })
}
