//! Headless Chromium, its driver, Firefox, and a software Vulkan, for tests.

use std::path::{Path, PathBuf};

use crate::apt::Need;
use crate::command::{Stop, on_path, ready};

const CHROME: &[&str] =
    &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const CHROME_ELSEWHERE: &[&str] = &[
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const FIREFOX: &[&str] = &["firefox-esr", "firefox"];
const FIREFOX_ELSEWHERE: &[&str] = &["/Applications/Firefox.app/Contents/MacOS/firefox"];
const DRIVER_ELSEWHERE: &[&str] =
    &["/usr/lib/chromium/chromedriver", "/usr/lib/chromium-browser/chromedriver"];

/// The programs that browser tests start.
pub struct Browser {
    pub chrome: PathBuf,
    pub driver: PathBuf,
    pub firefox: PathBuf,
    /// Cargo builds it: see [`crate::tools`].
    pub geckodriver: PathBuf,
}

fn chrome() -> Option<PathBuf> {
    find("ATELIER_CHROME", CHROME, CHROME_ELSEWHERE)
}

fn firefox() -> Option<PathBuf> {
    find("ATELIER_FIREFOX", FIREFOX, FIREFOX_ELSEWHERE)
}

fn driver() -> Option<PathBuf> {
    find("ATELIER_CHROMEDRIVER", &["chromedriver"], DRIVER_ELSEWHERE)
}

/// The program that a variable names, or else the first of its usual names on `PATH`, or else one
/// of its usual places.
fn find(variable: &str, names: &[&str], elsewhere: &[&str]) -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(variable) {
        return Some(PathBuf::from(named));
    }
    let usual = || elsewhere.iter().map(PathBuf::from).find(|program| program.is_file());
    on_path(names).or_else(usual)
}

pub fn needs() -> Vec<Need> {
    let mut needs = Vec::new();
    if chrome().is_none() {
        needs.push(Need {
            what: "Chromium",
            // Its text needs a font to be drawn with, which a server does not have.
            packages: &["chromium", "fonts-liberation"],
            elsewhere: "install Chrome or Chromium, or name it in ATELIER_CHROME",
        });
    }
    if driver().is_none() {
        needs.push(Need {
            what: "Chromium's driver",
            packages: &["chromium-driver"],
            elsewhere: "install the chromedriver of your Chrome's version, or name it in \
                        ATELIER_CHROMEDRIVER",
        });
    }
    if firefox().is_none() {
        needs.push(Need {
            what: "Firefox",
            packages: &["firefox-esr", "fonts-liberation"],
            elsewhere: "install Firefox, or name it in ATELIER_FIREFOX",
        });
    }
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
    let (Some(chrome), Some(driver), Some(firefox)) = (chrome(), driver(), firefox()) else {
        return Err(Stop::new(
            "Chromium, its driver and Firefox were installed, but they are not on the PATH.",
        ));
    };
    for (program, variable) in [
        (&chrome, "ATELIER_CHROME"),
        (&driver, "ATELIER_CHROMEDRIVER"),
        (&firefox, "ATELIER_FIREFOX"),
    ] {
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
