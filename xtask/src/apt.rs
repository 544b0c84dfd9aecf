//! Debian packages, where there is apt.

use std::process::Command;

use crate::command::{self, Stop, run, step};

/// Something that is missing and that Debian packages bring.
pub struct Need {
    /// As the subject of a sentence: "npm", "the wasm32 target".
    pub what: &'static str,
    pub packages: &'static [&'static str],
    /// Advice for a system without apt.
    pub elsewhere: &'static str,
}

/// Installs what is needed, or stops with the command that does.
pub fn install(needs: &[Need]) -> Result<(), Stop> {
    let Some(first) = needs.first() else {
        return Ok(());
    };
    if command::on_path(&["apt-get"]).is_none() {
        return Err(Stop::new(format!(
            "{} is missing, and there is no apt-get here to install it with: {}.",
            capitalised(first.what),
            first.elsewhere
        )));
    }
    let packages: Vec<&str> = needs.iter().flat_map(|need| need.packages).copied().collect();
    let what: Vec<&str> = needs.iter().map(|need| need.what).collect();
    let by_hand =
        format!("sudo apt-get install --yes --no-install-recommends {}", packages.join(" "));
    if command::output(Command::new("id").arg("-u")).as_deref() != Some("0") {
        return Err(Stop::new(format!(
            "Missing here: {}; only root can install it.",
            what.join(", ")
        ))
        .try_running(by_hand));
    }
    println!(
        "Missing here: {}. As you are root, Debian's packages are installed for that now; `--no-install` would only list them.",
        what.join(", ")
    );
    step(&format!("apt-get install {}", packages.join(" ")), || {
        let apt_get = |words: &[&str]| {
            let mut command = Command::new("apt-get");
            command.env("DEBIAN_FRONTEND", "noninteractive").arg("-qq").args(words);
            command
        };
        let mut words = vec!["install", "--yes", "--no-install-recommends"];
        words.extend(&packages);
        // A fresh machine has no package lists, and old lists name files that are gone.
        if command::output(&mut apt_get(&words)).is_some() {
            return Ok(());
        }
        run(
            &mut apt_get(&["update"]),
            "apt-get could not fetch its package lists: is there a network?",
        )?;
        run(&mut apt_get(&words), "apt-get could not install what is missing.")
    })
}

fn capitalised(words: &str) -> String {
    let mut characters = words.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
