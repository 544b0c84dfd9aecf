//! A cache that others write too: links and pipes in it, several pulls at once, a removal beside a pull.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::test_hub::{Fault, Origin, Place};
use super::{REPO, Scene, model_file, right};
use crate::common::succeeded;

const NAME: &str = "hub:makers/tiny";

/// Options of `lens` that ask the model of [`Scene`] without a tokenizer.
const LENS: [&str; 9] = ["lens", "--model", NAME, "--ids", "1,5", "--rows", "2,3", "--answer", "0"];

fn make_pipe(path: &Path) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo");
    assert!(made.success());
}

fn make_link(to: &Path, path: &Path) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    symlink(to, path).expect("a link");
}

/// Where the lock on the weights lies.
fn lock_of(scene: &Scene) -> PathBuf {
    let blob = scene.blob(".lock");
    let name = blob.file_name().expect("a name");
    scene.home.path().join("hub/.locks/models--makers--tiny").join(name)
}

#[test]
fn nothing_is_written_through_a_link() {
    let victims = tempfile::tempdir().expect("a folder");
    let victim = victims.path().join("victim");
    for what in ["part", "ref", "lock"] {
        let scene = Scene::new();
        let link = match what {
            "part" => scene.blob(".part"),
            "ref" => scene.folder().join("refs/main"),
            _ => lock_of(&scene),
        };
        fs::write(&victim, "precious").expect("written");
        make_link(&victim, &link);
        scene.run(&["pull", NAME]);
        let found = fs::read(&victim).expect("the victim");
        assert!(found == b"precious", "{what}: the victim has {} other bytes", found.len());
        right(&scene.pull(NAME));
        let reference = fs::read_to_string(scene.folder().join("refs/main")).expect("a ref");
        assert_eq!(reference.len(), 40, "{what}");
    }
}

#[test]
fn pipes_and_devices_are_not_waited_for() {
    let zero = Path::new("/dev/zero");
    for what in
        ["blob is a pipe", "blob is endless", "part is a pipe", "ref is a pipe", "lock is a pipe"]
    {
        let scene = Scene::new();
        match what {
            "blob is a pipe" => make_pipe(&scene.blob("")),
            "blob is endless" => make_link(zero, &scene.blob("")),
            "part is a pipe" => make_pipe(&scene.blob(".part")),
            "ref is a pipe" => make_pipe(&scene.folder().join("refs/main")),
            _ => make_pipe(&lock_of(&scene)),
        }
        let output = scene.run_briefly(&mut scene.command(&LENS));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{what}: {errors}");
        right(&scene.pull(NAME));
    }
    // A token that cannot be read is not left out in silence.
    for is_pipe in [true, false] {
        let scene = Scene::new();
        let token = scene.home.path().join("token");
        if is_pipe {
            make_pipe(&token)
        } else {
            make_link(zero, &token)
        }
        let output = scene.run_briefly(&mut scene.command(&["pull", NAME]));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("it is a pipe or a device"), "{errors}");
    }
}

/// Several pulls of one model make the same links; meanwhile its readers find each file.
#[test]
fn pulls_at_once_do_not_disturb_each_other_or_a_reader() {
    let scene = Scene::new();
    let snapshot = scene.pull(NAME);
    let is_over = AtomicBool::new(false);
    let missed = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut missed = 0;
            while !is_over.load(Ordering::Relaxed) {
                missed += usize::from(File::open(snapshot.join("model.safetensors")).is_err());
            }
            missed
        });
        let mut failures = Vec::new();
        for _ in 0..8 {
            let begin = |_| {
                let mut command = scene.command(&["pull", NAME]);
                command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts")
            };
            for child in (0..4).map(begin).collect::<Vec<_>>() {
                let output = child.wait_with_output().expect("an end");
                if !output.status.success() {
                    failures.push(String::from_utf8_lossy(&output.stderr).into_owned());
                }
            }
        }
        is_over.store(true, Ordering::Relaxed);
        assert!(failures.is_empty(), "{} of 32: {}", failures.len(), failures[0]);
        reader.join().expect("a reader")
    });
    assert_eq!(missed, 0, "times the weights were not there");
}

/// Nothing was removed, without a word, while a branch led to the commit.
#[test]
fn a_commit_is_removed_with_the_branch_that_leads_to_it() {
    let scene = Scene::new();
    scene.hub.put(REPO, Place::open(&super::tiny()).with("other", &super::tiny()));
    let [main, other] = ["hub:makers/tiny", "hub:makers/tiny@other"].map(|name| scene.pull(name));
    let commit = main.file_name().and_then(|name| name.to_str()).expect("a commit");
    let removed = scene.run(&["models", "remove", &format!("{NAME}@{commit}")]);
    assert!(removed.status.success());
    assert!(!main.exists() && !scene.folder().join("refs/main").exists());
    right(&other);
}

#[test]
fn a_model_that_was_pulled_by_its_commit_is_listed_with_it() {
    let scene = Scene::new();
    scene.hub.put(REPO, Place::open(&super::tiny()));
    let commit = Place::open(&super::tiny()).commit("main");
    scene.pull(&format!("{NAME}@{commit}"));
    let models = scene.run(&["models"]);
    let listed = String::from_utf8_lossy(&models.stdout).into_owned();
    assert!(listed.contains(&format!("revisions {commit}")), "{listed}");
}

/// Links that another writer of the cache, or an archive, put in folders' places.
#[test]
fn nothing_is_written_or_removed_behind_a_folder_that_is_a_link() {
    let commit = Place::open(&super::tiny()).commit("main");
    let snapshot = format!("snapshots/{commit}");
    for inner in ["blobs", "snapshots", &snapshot, "refs", "locks"] {
        let scene = Scene::new();
        let elsewhere = tempfile::tempdir().expect("a folder");
        let hash = "a".repeat(64);
        let names = ["Makefile", "deep/id_rsa", "main", "config.json", hash.as_str()];
        let precious = names.map(|name| elsewhere.path().join(name));
        fs::create_dir(elsewhere.path().join("deep")).expect("a folder");
        for path in &precious {
            fs::write(path, "precious").expect("written");
        }
        let link = match inner {
            "locks" => lock_of(&scene).parent().expect("a folder").to_path_buf(),
            inner => scene.folder().join(inner),
        };
        // A model that is there, then one that is not.
        for is_there in [true, false] {
            if is_there {
                scene.pull(NAME);
                fs::remove_dir_all(&link).expect("a folder");
            } else {
                fs::remove_dir_all(scene.folder()).expect("a folder");
                let _ = fs::remove_file(&link);
            }
            make_link(elsewhere.path(), &link);
            let names = [NAME.to_owned(), format!("{NAME}@main"), format!("{NAME}:config.json")];
            for name in &names[usize::from(inner != "locks")..] {
                scene.run(&["models", "remove", name]);
            }
            let sentence = scene.refused(&["pull", NAME]);
            assert!(sentence.contains("it is a link to another folder"), "{inner}: {sentence}");
            for path in &precious {
                let found = fs::read(path).unwrap_or_default();
                assert!(found == b"precious", "{inner}: {} is lost", path.display());
            }
            let count = fs::read_dir(elsewhere.path()).expect("a folder").count();
            assert_eq!(count, precious.len(), "{inner}: something is written there");
        }
    }
}

/// All came, and then the branch could not be written, each time again.
#[test]
fn a_branch_takes_the_place_of_one_that_is_gone() {
    let scene = Scene::new();
    let place = Place::open(&super::tiny());
    scene.hub.put(REPO, place.with("a", &super::tiny()).with("a/b", &super::tiny()));
    for name in ["hub:makers/tiny@a", "hub:makers/tiny@a/b", "hub:makers/tiny@a"] {
        right(&scene.pull(name));
    }
}

/// As on some clusters' disks: every lock was a failure of pull and removal alike.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_without_locks_is_said_and_written_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let [code, library] = ["nolock.c", "nolock.so"].map(|name| folder.path().join(name));
    let refuses = format!(
        "#include <errno.h>\nint flock(int f, int o) {{ errno = {}; return -1; }}",
        libc::ENOLCK
    );
    fs::write(&code, refuses).expect("written");
    let mut compiler = Command::new("cc");
    let compiled = compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&code).status();
    assert!(compiled.expect("the compiler that Rust links with").success());

    let scene = Scene::new();
    for args in [&["pull", NAME][..], &LENS, &["models", "remove", NAME]] {
        let output = scene.command(args).env("LD_PRELOAD", &library).output();
        let output = output.expect("atelier starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {errors}", args[0]);
        let said = errors.matches("its disk has no locks").count();
        assert_eq!(said, usize::from(args[0] != "lens"), "{}: {errors}", args[0]);
    }
    assert!(!scene.folder().exists());
}

/// The weights come slowly, and are whole a moment before they are linked.
#[test]
fn what_is_being_fetched_is_not_removed() {
    let scene = Scene::new();
    let size = model_file("random-llama2", "model.safetensors").len();
    scene.hub.put(REPO, Place::open(&super::tiny()).with("other", &super::tiny()));
    right(&scene.pull("hub:makers/tiny@other"));
    fs::remove_file(scene.blob("")).expect("the weights");
    scene.hub.fail(Origin::Cdn, "", 1, Fault::Slow(size / 3));
    let mut pull = scene.command(&["pull", NAME]);
    let pull = pull.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("atelier starts");
    while !scene.blob(".part").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    for model in [NAME, "hub:makers/tiny@other"] {
        scene.refuses(&["models", "remove", model], "is being fetched");
    }
    let output = pull.wait_with_output().expect("an end");
    succeeded(&output);
    assert!(scene.run(&["models", "remove", NAME]).status.success());
    assert!(!scene.folder().exists());
}
