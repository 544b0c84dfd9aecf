//! A hub that errs or means harm, signals while it is waited for, and the environment's variables about it.

use std::time::{Duration, Instant};

use super::test_hub::{Fault, Origin, Place, TOKEN};
use super::{REPO, Scene, model_file, right, tiny};
use crate::common::succeeded;

const NAME: &str = "hub:makers/tiny";

/// A mirror passes another hub's `Link` header on: what the next page names was left out of the model.
#[test]
fn a_list_that_goes_on_elsewhere_is_not_taken_for_whole() {
    for next in
        ["https://hub.test/api/models/makers/tiny/tree?cursor=2", "//hub.test/x", "no address"]
    {
        let scene = Scene::new();
        scene.hub.fail(Origin::Hub, "/tree/", 1, Fault::NextAt(next.to_owned()));
        scene.refuses(&["pull", NAME], "its list of files goes on at another address");
        assert!(!scene.folder().exists(), "{next}");
    }
}

#[test]
fn a_list_without_bounds_is_given_up() {
    let scene = Scene::new();
    scene.hub.fail(Origin::Hub, "/tree/", 9, Fault::Longer(40 << 20));
    scene.refuses(&["pull", NAME], "it answers with over 64 MB");
    // Once a page: it would be as long the next time.
    let seen = scene.hub.seen();
    assert_eq!(seen.iter().filter(|seen| seen.path.contains("/tree/")).count(), 2);
}

/// A part whose answer does not state the whole's size was thrown away with all that was there.
#[test]
fn a_part_that_states_no_size_is_taken_or_asked_for_again() {
    let scene = Scene::new();
    scene.hub.fail(Origin::Cdn, "", 1, Fault::Cut(50_000));
    scene.hub.fail(Origin::Cdn, "", 1, Fault::Total("*"));
    right(&scene.pull(NAME));

    let scene = Scene::new();
    scene.hub.fail(Origin::Cdn, "", 1, Fault::Cut(50_000));
    scene.hub.fail(Origin::Cdn, "", 99, Fault::Total(""));
    scene.refuses(&["pull", NAME], "it sent another part than was asked for");
    let part = std::fs::metadata(scene.blob(".part")).expect("what came");
    assert_eq!(part.len(), 50_000);
}

/// A network that wants a login first answers with a page of its own: it threw away what had come.
#[test]
fn an_answer_of_another_length_throws_nothing_away() {
    let scene = Scene::new();
    scene.hub.fail(Origin::Cdn, "", 1, Fault::Cut(50_000));
    scene.hub.fail(Origin::Cdn, "", 1, Fault::status(200));
    scene.hub.fail(Origin::Cdn, "", 1, Fault::Total("70000"));
    right(&scene.pull(NAME));
    assert_eq!(asked_of_cdn(&scene), ["", "bytes=50000-", "bytes=50000-", "bytes=50000-"]);
}

/// It was given up after 60 s and a second more for every 20 kB of the file.
#[test]
fn a_connection_that_stands_still_is_asked_again() {
    for (what, fault, ranges) in [
        ("in the middle", Fault::Still(50_000), ["", "bytes=50000-"]),
        ("from the first byte", Fault::Still(0), ["", ""]),
        ("before its answer", Fault::Silent, ["", ""]),
    ] {
        let scene = Scene::new();
        scene.hub.fail(Origin::Cdn, "", 1, fault);
        let mut command = scene.command(&["pull", NAME]);
        let output = scene.run_briefly(command.env("HF_HUB_DOWNLOAD_TIMEOUT", "1"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{what}: {errors}");
        assert_eq!(asked_of_cdn(&scene), ranges, "{what}");
    }
    let scene = Scene::new();
    for value in ["soon", "0", "-1"] {
        let mut command = scene.command(&["pull", NAME]);
        let output = scene.run_briefly(command.env("HF_HUB_DOWNLOAD_TIMEOUT", value));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("which is no time"), "{errors}");
    }
}

/// The ranges of what the CDN was asked for.
fn asked_of_cdn(scene: &Scene) -> Vec<String> {
    let seen = scene.hub.seen();
    let of_cdn = seen.iter().filter(|seen| seen.origin == Origin::Cdn);
    of_cdn.map(|seen| seen.headers.get("range").cloned().unwrap_or_default()).collect()
}

/// A mirror may have one revision alone.
#[test]
fn a_step_that_the_hub_lacks_ends_no_pull_of_another() {
    let name = "hub:EleutherAI/pythia-70m@step1000";
    let scene = Scene::new();
    scene.hub.put("EleutherAI/pythia-70m", Place::open(&tiny()).with("step1000", &tiny()));
    let output = scene.run(&["pull", name]);
    let errors = succeeded(&output);
    assert!(errors.contains("has the very weights of main"), "{errors}");

    scene.hub.fail(Origin::Hub, "/revision/step512", 1, Fault::status(410));
    let output = scene.run(&["pull", name]);
    let errors = succeeded(&output);
    assert!(errors.contains("has the weights of another step is not known"), "{errors}");
}

#[cfg(unix)]
#[test]
fn one_signal_ends_a_pull_wherever_it_waits() {
    use std::net::TcpListener;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Stdio;

    let busy = |scene: &Scene| {
        let headers = vec![("Retry-After", "60".to_owned())];
        scene.hub.fail(Origin::Hub, "", 9, Fault::Status { status: 429, headers, cors: true });
    };
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let silent_url = format!("http://{}", silent.local_addr().expect("an address"));
    let pull = ["pull", NAME].as_slice();
    let coupling = ["coupling", "--models", NAME, "--prompt", "a"].as_slice();
    for (what, args, signal) in [
        ("busy", pull, libc::SIGINT),
        ("silent", pull, libc::SIGTERM),
        ("silent", coupling, libc::SIGTERM),
        ("locked", pull, libc::SIGHUP),
    ] {
        let scene = Scene::new();
        let mut command = scene.command(args);
        let locks = scene.home.path().join("hub/.locks/models--makers--tiny");
        std::fs::create_dir_all(&locks).expect("a folder");
        let blob = scene.blob(".lock");
        let lock = std::fs::File::create(locks.join(blob.file_name().expect("a name")));
        let lock = lock.expect("a lock");
        match what {
            "busy" => busy(&scene),
            "silent" => {
                command.env("HF_ENDPOINT", &silent_url);
            }
            _ => lock.lock().expect("locked"),
        }
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        std::thread::sleep(Duration::from_secs(3));
        assert!(child.try_wait().expect("a child").is_none(), "{what}: it waits");
        let since = Instant::now();
        // SAFETY: the child is this test's own, and was not waited for.
        unsafe { libc::kill(child.id().cast_signed(), signal) };
        while child.try_wait().expect("a child").is_none() {
            if since.elapsed() > Duration::from_secs(5) {
                child.kill().expect("it runs");
                panic!("{} {what}: signal {signal} is not heard", args[0]);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let output = child.wait_with_output().expect("an end");
        assert_eq!(output.status.signal(), Some(signal), "{what}");
        let errors = String::from_utf8_lossy(&output.stderr);
        let says = errors.contains("waits until another program has fetched model.safetensors");
        assert_eq!(says, what == "locked", "{errors}");
    }
}

#[test]
fn a_token_that_no_header_takes_is_named() {
    let scene = Scene::new();
    let since = Instant::now();
    let output = scene.command(&["pull", NAME]).env("HF_TOKEN", "a\nb").output();
    let output = output.expect("atelier starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("the token in HF_TOKEN"), "{errors}");
    assert!(since.elapsed() < Duration::from_secs(5) && scene.hub.seen().is_empty());
}

#[test]
fn a_host_that_is_led_to_is_named_when_it_does_not_answer() {
    let scene = Scene::new();
    let to = |address: &str| Fault::Elsewhere(address.to_owned());
    scene.hub.fail(Origin::Hub, "/resolve/", 99, to("http://127.0.0.1:1/x"));
    scene.refuses(&["pull", NAME], "127.0.0.1:1 did not answer");
    scene.hub.mend();
    scene.hub.fail(Origin::Hub, "/resolve/", 99, to("http://a b/"));
    let since = Instant::now();
    scene.refuses(&["pull", NAME], "it leads to no address");
    assert!(since.elapsed() < Duration::from_secs(5));
}

#[test]
fn an_endpoint_that_is_none_is_refused_and_asked_by_nobody_else() {
    let scene = Scene::new();
    let bad = ["http://127.0.0.1:99999", "ftp://127.0.0.1", "http://me:hidden@127.0.0.1"];
    for endpoint in bad {
        let with = |args: &[&str]| {
            let output = scene.command(args).env("HF_ENDPOINT", endpoint).output();
            output.expect("atelier starts")
        };
        let pull = with(&["pull", NAME]);
        let errors = String::from_utf8_lossy(&pull.stderr);
        assert_eq!(pull.status.code(), Some(1), "{errors}");
        assert!(errors.contains("is no hub's address"), "{errors}");
        assert!(errors.contains("HF_ENDPOINT") && !errors.contains("hidden"), "{errors}");
        // What asks nobody needs no address.
        assert!(with(&["models"]).status.success(), "{endpoint}");
    }
}

/// As Python's programs, which share the cache, read them.
#[test]
fn the_environment_switches_the_network_and_the_token_off() {
    let scene = Scene::new();
    let home = scene.home.path();
    std::fs::write(home.join("token"), TOKEN).expect("written");
    std::fs::write(home.join("other"), "hf_other").expect("written");
    let with = |name: &str, value: &std::ffi::OsStr| {
        let output = scene.command(&["pull", NAME]).env(name, value).output();
        output.expect("atelier starts")
    };
    let tokens = || {
        let seen = scene.hub.seen();
        let mut sent: Vec<_> =
            seen.iter().filter_map(|seen| seen.headers.get("authorization").cloned()).collect();
        sent.dedup();
        sent
    };

    let offline = with("HF_HUB_OFFLINE", "1".as_ref());
    let errors = String::from_utf8_lossy(&offline.stderr);
    assert_eq!(offline.status.code(), Some(1), "{errors}");
    assert!(errors.contains("HF_HUB_OFFLINE"), "{errors}");
    assert!(scene.hub.seen().is_empty(), "nobody is asked");

    assert!(with("HF_HUB_OFFLINE", "0".as_ref()).status.success());
    assert_eq!(tokens(), [format!("Bearer {TOKEN}")]);
    assert!(with("HF_HUB_DISABLE_IMPLICIT_TOKEN", "yes".as_ref()).status.success());
    assert!(tokens().is_empty());
    assert!(with("HF_TOKEN_PATH", home.join("other").as_os_str()).status.success());
    assert_eq!(tokens(), ["Bearer hf_other"]);

    // What is in the cache needs no network.
    let args = ["lens", "--model", NAME, "--ids", "1,5", "--rows", "2,3", "--answer", "0"];
    let lens = scene.command(&args).env("HF_HUB_OFFLINE", "1").output().expect("atelier starts");
    succeeded(&lens);
}

#[test]
fn a_model_in_a_folder_of_its_place_opens_from_the_cache() {
    let scene = Scene::new();
    let gguf = model_file("gguf", "random-llama3-wide-q4_k.gguf");
    scene
        .hub
        .put("makers/deep", Place::open(&[("README.md", b"#".to_vec()), ("deep/a.gguf", gguf)]));
    let path = scene.pull("hub:makers/deep");
    assert!(path.ends_with("deep/a.gguf"), "{}", path.display());
    scene.hub.seen();
    scene.ask("hub:makers/deep");
    assert!(scene.hub.seen().is_empty(), "it was asked for again");
}

/// Python's programs fetch files one by one.
#[test]
fn a_tokenizer_that_the_cache_lacks_is_fetched_by_a_pull() {
    let scene = Scene::new();
    scene.hub.put(REPO, Place::open(&tiny()));
    scene.pull(NAME);
    let args = [
        "lens", "--model", NAME, "--prompt", "a", "--option", "b", "--option", "c", "--answer", "0",
    ];
    let errors = String::from_utf8(scene.run(&args).stderr).expect("UTF-8");
    assert!(errors.contains(&format!("`atelier pull {NAME}` fetches it")), "{errors}");
}
