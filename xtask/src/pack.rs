//! The page for places without a network: `cargo xtask build --pack`. One folder and the same as a zip, with the
//! page, the models that come with it and all that they are looked at with: any static server serves it.

use std::path::{Path, PathBuf};

use crate::command::{Stop, step};
use crate::disk::{self, make_folder, named_under, remove};
use crate::place::Place;
use crate::{host, release, zip};

/// Text of the file that a reader of the folder finds first.
const GUIDE: &str = include_str!("../assets/pack.txt");
const GUIDE_NAME: &str = "READ-ME-FIRST.txt";

/// Packs `dist/`, says how large it is, and gives back the zip.
pub fn pack(place: &Place) -> Result<PathBuf, Stop> {
    let name = format!("atelier-page-{}", release::version(place)?);
    let all = place.target().join("pack");
    let folder = all.join(&name);
    remove(&folder)?;
    make_folder(&folder)?;
    let (files, bytes) = step("copying the page", || copy(&place.dist(), &folder))?;
    let archive = all.join(format!("{name}.zip"));
    let packed = step("packing", || zip::write(&folder, &name, &archive))?;
    println!(
        "{}\n{}: {files} files, {}; the zip {}",
        folder.display(),
        archive.display(),
        spelled(bytes),
        spelled(packed)
    );
    Ok(archive)
}

/// All but what is a host's alone, and a guide; gives back how many files and bytes.
fn copy(dist: &Path, folder: &Path) -> Result<(usize, u64), Stop> {
    disk::write(&folder.join(GUIDE_NAME), GUIDE)?;
    let (mut files, mut bytes) = (1, GUIDE.len() as u64);
    for (name, file) in named_under(dist)? {
        if host::FILES.contains(&name.as_str()) {
            continue;
        }
        let to = folder.join(name);
        if let Some(parent) = to.parent() {
            make_folder(parent)?;
        }
        bytes += disk::copy(&file, &to)?;
        files += 1;
    }
    Ok((files, bytes))
}

fn spelled(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_hosts_stays_behind() {
        let home = std::env::temp_dir().join(format!("atelier-pack-{}", std::process::id()));
        let [dist, folder] = ["dist", "pack"].map(|name| home.join(name));
        for name in ["index.html", "models/a/config.json", "_headers", "404.html"] {
            let path = dist.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, "12345").expect("a file");
        }
        std::fs::create_dir_all(&folder).expect("a folder");
        let (files, bytes) = copy(&dist, &folder).expect("copied");
        assert_eq!((files, bytes), (3, 10 + GUIDE.len() as u64));
        assert!(folder.join("models/a/config.json").is_file());
        assert!(folder.join(GUIDE_NAME).is_file() && !folder.join("_headers").exists());
        std::fs::remove_dir_all(&home).expect("removed");
    }
}
