//! Models on a hub, from the command line: against a hub of our own, which is held to Python's client.

#[allow(dead_code)]
#[path = "../common/hub/mod.rs"]
mod test_hub;

mod asking;
#[cfg(unix)]
mod cache;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use test_hub::{Fault, Origin, Place, TOKEN, TestHub};

use crate::cli::support::words;
use crate::common::{in_project, pytorch, skipped, succeeded};

const REPO: &str = "makers/tiny";

fn model_file(model: &str, file: &str) -> Vec<u8> {
    let path = in_project("tests/models").join(model).join(file);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn tiny() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("README.md", b"# A card".to_vec()),
        ("config.json", model_file("random-llama2", "config.json")),
        ("model.safetensors", model_file("random-llama2", "model.safetensors")),
    ]
}

/// A hub with one model, and an empty cache.
struct Scene {
    hub: TestHub,
    home: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let hub = TestHub::start();
        hub.put(REPO, Place::open(&tiny()));
        let home = tempfile::tempdir().expect("a folder");
        Self { hub, home }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
        command.args(args);
        for name in [
            "HF_TOKEN",
            "HF_TOKEN_PATH",
            "HF_HUB_CACHE",
            "HF_HUB_DISABLE_IMPLICIT_TOKEN",
            "HF_HUB_OFFLINE",
            "XDG_CACHE_HOME",
        ] {
            command.env_remove(name);
        }
        command
            .env("ATELIER_MODELS", self.home.path().join("models"))
            .env("HF_ENDPOINT", self.hub.url())
            .env("NO_PROXY", "127.0.0.1")
            .env("no_proxy", "127.0.0.1")
            .env("HF_HOME", self.home.path());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("atelier starts")
    }

    /// Runs a command that has to end by itself in less than half a minute.
    fn run_briefly(&self, command: &mut Command) -> Output {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("atelier starts");
        let since = Instant::now();
        while child.try_wait().expect("a child").is_none() {
            if since.elapsed() > Duration::from_secs(30) {
                child.kill().expect("it runs");
                let output = child.wait_with_output().expect("an end");
                panic!("it hangs: {}", String::from_utf8_lossy(&output.stderr));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        child.wait_with_output().expect("an end")
    }

    fn pull(&self, name: &str) -> PathBuf {
        let output = self.run(&["pull", name]);
        succeeded(&output);
        let printed = String::from_utf8(output.stdout).expect("UTF-8");
        let path = printed.trim().strip_prefix(&format!("{name}: ")).expect("name and path");
        path.into()
    }

    fn refused(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(1), "{errors}");
        println!("{errors}");
        errors.lines().last().unwrap_or_default().to_owned()
    }

    /// A command that must be refused in a sentence with these words.
    #[track_caller]
    fn refuses(&self, args: &[&str], says: &str) {
        let sentence = self.refused(args);
        assert!(sentence.contains(says), "`{says}` is not in: {sentence}");
    }

    /// Asks a model that has no tokenizer, which must answer.
    fn ask(&self, model: &str) {
        let asked = ["--ids", "1,5", "--rows", "2,3", "--answer", "0"];
        let lens = self.run(&[&["lens", "--model", model], &asked[..]].concat());
        succeeded(&lens);
    }

    fn folder(&self) -> PathBuf {
        self.home.path().join("hub").join("models--makers--tiny")
    }

    /// The weights' place on their way, or whole.
    fn blob(&self, ending: &str) -> PathBuf {
        let hash = test_hub::sha256(&model_file("random-llama2", "model.safetensors"));
        self.folder().join("blobs").join(format!("{hash}{ending}"))
    }
}

fn right(path: &Path) {
    for file in ["config.json", "model.safetensors"] {
        let found = std::fs::read(path.join(file)).expect(file);
        assert!(found == model_file("random-llama2", file), "{file}");
    }
}

#[test]
fn a_model_is_pulled_used_listed_and_removed() {
    let scene = Scene::new();
    let name = format!("hub:{REPO}");
    let path = scene.pull(&name);
    right(&path);
    let commit = Place::open(&tiny()).commit("main");
    assert!(path.ends_with(Path::new("models--makers--tiny/snapshots").join(&commit)));
    let reference = std::fs::read_to_string(scene.folder().join("refs/main")).expect("a ref");
    assert_eq!(reference, commit);
    let seen = scene.hub.seen();
    // The commit is pinned, the card stays where it is, the CDN learns no secret.
    assert!(
        seen.iter()
            .any(|seen| { seen.path.contains(&format!("resolve/{commit}/model.safetensors")) })
    );
    assert!(seen.iter().all(|seen| !seen.path.contains("README")));
    assert!(seen.iter().filter(|seen| seen.path.contains("/tree/")).count() == 2, "two pages");

    // From the cache, without asking anybody.
    let ids = ["--ids", "1,5,9", "--rows", "17,230", "--answer", "0", "--json"];
    let lens = scene.run(&[&["lens", "--model", &name], &ids[..]].concat());
    succeeded(&lens);
    assert!(String::from_utf8_lossy(&lens.stdout).contains("\"name\":\"tiny\""));
    assert!(scene.hub.seen().is_empty());

    let listed = String::from_utf8(scene.run(&["models"]).stdout).expect("UTF-8");
    let facts = listed.lines().skip_while(|line| !line.starts_with("hub:makers/tiny")).nth(1);
    assert!(facts.is_some_and(|facts| facts.contains("main") && facts.contains("kB")), "{listed}");
    assert!(listed.contains("hub:HuggingFaceTB/SmolLM2-135M") && listed.contains("scholar-12"));

    let removed = scene.run(&["models", "remove", &name]);
    assert!(removed.status.success() && !scene.folder().exists());
    scene.refuses(&["models", "remove", &name], "is not in the cache");
}

#[test]
fn every_command_takes_a_hubs_model() {
    let scene = Scene::new();
    let shipped = |file: &str| {
        let folder = in_project("public/models/scholar-2");
        std::fs::read(folder.join(file)).expect(file)
    };
    let files = ["config.json", "tokenizer.json", "model.safetensors"];
    let files = files.map(|file| (file, shipped(file)));
    scene.hub.put(REPO, Place::open(&files));
    let name = format!("hub:{REPO}");
    let folder = scene.home.path().join("survey");
    let out = folder.display().to_string();
    for line in [
        "lens --prompt 'The sum 3 + 5 ends in' --option ' 7' --option ' 8' --answer 1 --model",
        "next --prompt 'The sum 3 + 5 ends in' --model",
        "orders --task sum --rows 2 --plan 1,0 --model",
        &format!("survey --tasks sum --rows 2 --out '{out}' --models"),
    ] {
        let args = words(&format!("{line} {name}"));
        let output = scene.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {errors}");
    }
    // One file, once.
    let asked = scene.hub.seen();
    let weights = test_hub::sha256(&files[2].1);
    let weights = asked.iter().filter(|seen| seen.path.contains(&weights));
    assert_eq!(weights.count(), 1);
}

#[test]
fn a_gguf_file_is_named_where_there_are_several() {
    let scene = Scene::new();
    let gguf = model_file("gguf", "random-llama3-wide-q4_k.gguf");
    let files = [("a-Q4_K.gguf", gguf.clone()), ("deep/b.gguf", gguf)];
    scene.hub.put("makers/packed", Place::open(&files));
    scene.refuses(&["pull", "hub:makers/packed"], "hub:makers/packed:a-Q4_K.gguf");
    let path = scene.pull("hub:makers/packed:deep/b.gguf");
    assert!(path.ends_with("deep/b.gguf"));
    scene.ask("hub:makers/packed:deep/b.gguf");
    // The link of a file two folders down leads to the blob.
    assert!(std::fs::metadata(&path).is_ok_and(|about| about.len() > 1000));
    let freed = scene.run(&["models", "remove", "hub:makers/packed:deep/b.gguf"]);
    assert!(freed.status.success() && !path.exists());
}

#[test]
fn shards_come_with_their_index() {
    let scene = Scene::new();
    let whole = model_file("random-llama2", "model.safetensors");
    let tensors = safetensors::SafeTensors::deserialize(&whole).expect("safetensors");
    let mut map = serde_json::Map::new();
    let mut halves = [Vec::new(), Vec::new()];
    for (at, (name, view)) in tensors.tensors().into_iter().enumerate() {
        map.insert(name.clone(), format!("model-0000{}-of-00002.safetensors", at % 2 + 1).into());
        halves[at % 2].push((name, view));
    }
    let [one, two] = halves.map(|half| safetensors::serialize(half, None).expect("safetensors"));
    let index = serde_json::json!({ "metadata": {}, "weight_map": map }).to_string().into_bytes();
    let files = [
        ("config.json", model_file("random-llama2", "config.json")),
        ("model.safetensors.index.json", index),
        ("model-00001-of-00002.safetensors", one),
        ("model-00002-of-00002.safetensors", two),
    ];
    scene.hub.put("makers/split", Place::open(&files));
    let path = scene.pull("hub:makers/split");
    scene.ask("hub:makers/split");
    // A part of it alone is not the model: it is asked for again.
    scene.hub.seen();
    std::fs::remove_file(path.join(files[3].0)).expect("it was there");
    scene.ask("hub:makers/split");
    assert!(!scene.hub.seen().is_empty());
}

#[test]
fn passing_faults_pass() {
    for (origin, path, times, fault) in [
        (Origin::Hub, "/revision/", 2, Fault::status(503)),
        (Origin::Hub, "/tree/", 1, Fault::status(500)),
        (Origin::Hub, "/resolve/", 1, Fault::status(408)),
        (Origin::Cdn, "", 2, Fault::Cut(100_000)),
        (Origin::Cdn, "", 1, Fault::Cut(0)),
        (Origin::Cdn, "", 1, Fault::status(500)),
    ] {
        let scene = Scene::new();
        scene.hub.fail(origin, path, times, fault.clone());
        right(&scene.pull(&format!("hub:{REPO}")));
        let seen = scene.hub.seen();
        if matches!(fault, Fault::Cut(100_000)) {
            let ranges: Vec<_> = seen
                .iter()
                .filter(|seen| seen.origin == Origin::Cdn)
                .map(|seen| seen.headers.get("range").cloned().unwrap_or_default())
                .collect();
            assert_eq!(ranges, ["", "bytes=100000-", "bytes=200000-"]);
        }
    }
}

#[test]
fn a_busy_hub_is_waited_for_as_long_as_it_asks() {
    let scene = Scene::new();
    let fault =
        Fault::Status { status: 429, headers: vec![("Retry-After", "2".into())], cors: true };
    scene.hub.fail(Origin::Hub, "/resolve/", 1, fault);
    let since = Instant::now();
    right(&scene.pull(&format!("hub:{REPO}")));
    assert!(since.elapsed() >= Duration::from_secs(2));
}

#[test]
fn lasting_faults_are_one_sentence_and_leave_nothing_wrong() {
    let host = |scene: &Scene| scene.hub.url().replace("http://", "");
    for (origin, path, fault, expected) in [
        (Origin::Cdn, "", Fault::WrongByte(5000), "came damaged"),
        (Origin::Cdn, "", Fault::Longer(7), "bytes where the hub promised"),
        (Origin::Cdn, "", Fault::status(404), "has no file \"model.safetensors\""),
        (Origin::Cdn, "", Fault::status(403), "refuses makers/tiny (403)"),
        (
            Origin::Hub,
            "/resolve/",
            Fault::Elsewhere("ftp://nowhere.test/x".into()),
            "it leads to no address",
        ),
        (Origin::Hub, "/revision/", Fault::status(404), "has no model makers/tiny"),
    ] {
        let scene = Scene::new();
        scene.hub.fail(origin, path, 99, fault.clone());
        let sentence = scene.refused(&["pull", &format!("hub:{REPO}")]);
        assert!(sentence.contains(expected), "{fault:?}: {sentence}");
        assert!(!scene.blob("").exists(), "{fault:?}");
        assert!(!scene.folder().join("snapshots").exists(), "{fault:?}");
        // Mended, the same command has it.
        scene.hub.mend();
        right(&scene.pull(&format!("hub:{REPO}")));
        assert!(!host(&scene).is_empty());
    }
}

#[test]
fn a_hub_that_sends_only_whole_files_is_begun_anew() {
    let scene = Scene::new();
    scene.hub.fail(Origin::Cdn, "", 1, Fault::Cut(50_000));
    scene.hub.fail(Origin::Cdn, "", 1, Fault::WholeAlways);
    right(&scene.pull(&format!("hub:{REPO}")));
    let seen = scene.hub.seen();
    let last = seen.iter().rfind(|seen| seen.origin == Origin::Cdn).expect("asked");
    assert_eq!(last.headers.get("range").map(String::as_str), Some("bytes=50000-"));
}

#[test]
fn nobody_there_is_said() {
    let scene = Scene::new();
    let mut command = scene.command(&["pull", "hub:a/b"]);
    // A port that nobody listens on, and nobody is given.
    command.env("HF_ENDPOINT", "http://127.0.0.1:1");
    let output = command.output().expect("atelier starts");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && errors.contains("did not answer"), "{errors}");
    for (name, expected) in [
        ("hub:makers/none", "has no model makers/none"),
        ("hub:makers/tiny@none", "has no revision \"none\""),
        ("hub:../x", "is no model on a hub"),
    ] {
        scene.refuses(&["pull", name], expected);
    }
}

#[test]
fn gated_models_say_how_and_come_with_a_token() {
    let scene = Scene::new();
    let place = Place { is_gated: true, ..Place::open(&tiny()) };
    scene.hub.put(REPO, place);
    let name = format!("hub:{REPO}");
    let sentence =
        scene.refused(&["lens", "--model", &name, "--ids", "1", "--rows", "2,3", "--answer", "0"]);
    let page = format!("{}/{REPO}", scene.hub.url());
    assert!(
        sentence.contains("is gated") && sentence.contains(&page) && sentence.contains("HF_TOKEN"),
        "{sentence}"
    );
    scene.hub.seen();
    let output = scene.command(&["pull", &name]).env("HF_TOKEN", TOKEN).output();
    assert!(output.expect("atelier starts").status.success());
    let seen = scene.hub.seen();
    let told = |origin| {
        let of = seen.iter().filter(move |seen| seen.origin == origin);
        of.filter(|seen| seen.headers.contains_key("authorization")).count()
    };
    assert!(told(Origin::Hub) > 0);
    assert_eq!(told(Origin::Cdn), 0, "the token is the hub's alone");
}

/// The ways that the sentence for a gated model names: with a token, or from a folder of its files.
#[test]
fn a_gated_pytorch_checkpoint_answers_with_a_token_and_from_a_folder() {
    let scene = Scene::new();
    let folder = tempfile::tempdir().expect("a folder");
    let model = in_project("tests/models/random-llama2");
    pytorch::write(&model, folder.path());
    let read = |file| (file, std::fs::read(folder.path().join(file)).expect("a file"));
    let place = Place::open(&["config.json", "pytorch_model.bin"].map(read));
    scene.hub.put("makers/pickled", Place { is_gated: true, ..place });

    let lens = |model: &str, token: &str| {
        let asked = ["--ids", "1,5,9", "--rows", "17,230", "--answer", "0", "--json"];
        let mut command = scene.command(&[&["lens", "--model", model][..], &asked].concat());
        let output = command.env("HF_TOKEN", token).output().expect("atelier starts");
        let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
        let report = serde_json::from_slice::<serde_json::Value>(&output.stdout);
        report.map(|report| report["lens"].clone()).map_err(|_| sentence)
    };
    let refused = lens("hub:makers/pickled", "").expect_err("no token");
    assert!(
        refused.contains("download its files there into one folder and open that"),
        "{refused}"
    );
    let expected = lens(&model.display().to_string(), "");
    assert!(expected.is_ok(), "{expected:?}");
    assert_eq!(lens(&folder.path().display().to_string(), ""), expected);
    assert_eq!(lens("hub:makers/pickled", TOKEN), expected);
}

#[test]
fn killed_at_any_moment_it_goes_on() {
    let scene = Scene::new();
    let size = model_file("random-llama2", "model.safetensors").len();
    let name = format!("hub:{REPO}");
    for round in 0..20_u64 {
        scene.hub.mend();
        scene.hub.fail(Origin::Cdn, "", 1, Fault::Slow(size));
        let mut child = scene
            .command(&["pull", &name])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("atelier starts");
        std::thread::sleep(Duration::from_millis(20 + round * 37 % 180));
        let _ = child.kill();
        let _ = child.wait();
        let part = std::fs::metadata(scene.blob(".part")).map_or(0, |about| about.len());
        assert!(part <= size as u64);
        assert!(!scene.blob("").exists() || part == 0);
    }
    scene.hub.mend();
    right(&scene.pull(&name));
}

#[test]
fn damage_in_the_cache_is_mended_by_a_pull() {
    let scene = Scene::new();
    let name = format!("hub:{REPO}");
    scene.pull(&name);
    let blob = scene.blob("");
    let mut bytes = std::fs::read(&blob).expect("a blob");
    bytes[4000] ^= 1;
    std::fs::write(&blob, bytes).expect("written");
    right(&scene.pull(&name));
    // What came in part and is damaged is found out, and does not stay.
    std::fs::remove_dir_all(scene.folder()).expect("removed");
    std::fs::create_dir_all(scene.folder().join("blobs")).expect("a folder");
    std::fs::write(scene.blob(".part"), vec![7; 5000]).expect("written");
    scene.refuses(&["pull", &name], "came damaged");
    right(&scene.pull(&name));
}

#[test]
fn steps_of_training_with_one_file_are_said() {
    let scene = Scene::new();
    let place = Place::open(&tiny()).with("step512", &tiny());
    let place = place.with("step1000", &tiny()).with(
        "step2000",
        &[
            ("config.json", model_file("random-llama2", "config.json")),
            ("model.safetensors", model_file("random-mistral", "model.safetensors")),
        ],
    );
    scene.hub.put("EleutherAI/pythia-70m", place);
    let output = scene.run(&["pull", "hub:EleutherAI/pythia-70m@step1000"]);
    let errors = succeeded(&output);
    assert!(errors.contains("has the very weights of step512 and main"), "{errors}");
}

/// Python's own client downloads from this hub, goes on, and is refused by it alike; and what it leaves
/// in the cache is found there.
#[test]
fn pythons_client_takes_it_for_a_hub() {
    let Some(python) = std::env::var_os("ATELIER_HUB_PYTHON") else {
        skipped(
            "no ATELIER_HUB_PYTHON with huggingface_hub (cargo xtask test prepares one); the test hub was not held to it",
        );
        return;
    };
    let scene = Scene::new();
    let gated = Place { is_gated: true, ..Place::open(&tiny()) };
    scene.hub.put("makers/gated", gated);
    scene.hub.fail(Origin::Cdn, "", 1, Fault::Cut(120_000));
    let script = in_project("tests/common/hub/client.py");
    let output = Command::new(python)
        .arg(script)
        .env("HF_ENDPOINT", scene.hub.url())
        .env("NO_PROXY", "127.0.0.1")
        .env("no_proxy", "127.0.0.1")
        .env("HF_HOME", scene.home.path())
        .env("HF_HUB_DISABLE_XET", "1")
        .env("HF_HUB_DISABLE_TELEMETRY", "1")
        .env_remove("HF_TOKEN")
        .output()
        .expect("Python starts");
    succeeded(&output);
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let commit = Place::open(&tiny()).commit("main");
    assert_eq!(said["commit"], *commit);
    let weights = model_file("random-llama2", "model.safetensors");
    assert_eq!(said["sha256"], *test_hub::sha256(&weights));
    assert_eq!(said["tree"]["model.safetensors"], *test_hub::sha256(&weights));
    assert_eq!(said["gated"], "GatedRepoError");
    // It says RepositoryNotFoundError of an https address alone.
    assert_eq!(said["none"], "HfHubHTTPError 401");
    assert_eq!(said["revision"], "RevisionNotFoundError");
    assert_eq!(said["entry"], "RemoteEntryNotFoundError");
    // The one cache: what Python fetched is a model here, without asking the hub.
    scene.hub.seen();
    let name = format!("hub:{REPO}");
    scene.ask(&name);
    assert!(scene.hub.seen().is_empty());
}
