//! Wrong answers of a hub, and their effects.

use super::{REPO, Scene, tiny, weights};
use crate::test_hub::{Fault, Origin, Place, sha256};

#[test]
fn faults_that_pass_are_waited_for() {
    let scene = Scene::shown();
    for (origin, path, times, fault) in [
        (Origin::Hub, "/revision/", 1, Fault::status(503)),
        (Origin::Cdn, weights().as_str(), 2, Fault::Cut(60_000)),
        (Origin::Cdn, weights().as_str(), 1, Fault::status(408)),
        (
            Origin::Hub,
            "/resolve/",
            1,
            Fault::Status { status: 429, headers: vec![("Retry-After", "1".into())], cors: true },
        ),
    ] {
        scene.hub.fail(origin, path, times, fault.clone());
        scene.fetch_whole();
        scene.assert_whole();
        scene.hub.mend();
        scene.begin_anew();
    }
}

#[test]
fn a_hub_that_sends_only_whole_files_is_begun_anew_and_said() {
    let scene = Scene::shown();
    scene.hub.fail(Origin::Cdn, weights().as_str(), 1, Fault::Cut(50_000));
    scene.hub.fail(Origin::Cdn, weights().as_str(), 1, Fault::WholeAlways);
    scene.fetch_whole();
    scene.assert_whole();
    assert!(!scene.ranges().is_empty());
    scene.page.browser.click("#model");
}

/// A network that wants a login first answers with a page of its own: it threw away what had come.
#[test]
fn an_answer_of_another_length_throws_nothing_away() {
    let scene = Scene::shown();
    scene.hub.fail(Origin::Cdn, weights().as_str(), 1, Fault::Cut(50_000));
    scene.hub.fail(Origin::Cdn, weights().as_str(), 1, Fault::status(200));
    scene.hub.fail(Origin::Cdn, weights().as_str(), 1, Fault::Total("70000"));
    scene.fetch_whole();
    scene.assert_whole();
    let seen = scene.hub.seen();
    let of_cdn = seen.iter().filter(|seen| seen.origin == Origin::Cdn);
    let ranges: Vec<&String> = of_cdn.filter_map(|seen| seen.headers.get("range")).collect();
    assert_eq!(ranges, ["bytes=50000-"; 3]);
}

/// The count of what had been there stood beside an empty file.
#[test]
fn what_is_thrown_away_counts_no_more() {
    let scene = Scene::shown();
    scene.hub.fail(Origin::Cdn, weights().as_str(), 1, Fault::Longer(7));
    scene.fetch();
    scene.says(".problem", "bytes where the hub promised");
    let kept = scene.kept();
    let state = kept.iter().find(|(name, _)| *name == format!("{}.state", weights()));
    assert_eq!(state.map(|(_, hash)| hash), Some(&sha256(&[0; 8])), "{kept:?}");
}

/// A second is a minute here.
#[test]
fn a_connection_that_stands_still_is_asked_again() {
    let scene = Scene::shown();
    scene.in_the_worker(
        "const later = self.setTimeout;
         self.setTimeout = (act, wait, ...more) => later(act, wait === 60000 ? 1000 : wait, ...more);",
    );
    scene.hub.fail(Origin::Hub, "/revision/", 1, Fault::Silent);
    scene.hub.fail(Origin::Hub, "/tree/", 1, Fault::Still(0));
    scene.hub.fail(Origin::Cdn, weights().as_str(), 1, Fault::Still(50_000));
    scene.fetch_whole();
    scene.assert_whole();
    assert!(scene.ranges().contains(&"bytes=50000-".to_owned()));
}

#[test]
fn a_look_up_that_is_not_answered_can_be_cancelled() {
    let scene = Scene::shown();
    scene.hub.fail(Origin::Hub, "/revision/", 99, Fault::Silent);
    scene.look_up(REPO);
    scene.press("#give-up");
    scene.says(".problem", "The look-up was stopped");
    scene.hub.mend();
    scene.look_up(REPO);
    scene.says("#found", "hub:makers/tiny: ");
}

/// Daylight saving, or a clock that is set right after a sleep.
#[test]
fn a_clock_that_is_set_back_lengthens_no_wait() {
    let scene = Scene::shown();
    scene.in_the_worker(
        "let hours = 0; const now = Date.now; Date.now = () => now() - 3600000 * hours++;",
    );
    scene.hub.fail(Origin::Hub, "/revision/", 1, Fault::status(503));
    scene.look_up(REPO);
    scene.says("#found", "hub:makers/tiny: ");
}

/// A mirror may have one revision alone.
#[test]
fn a_step_that_the_hub_lacks_ends_no_look_up_of_another() {
    let scene = Scene::new();
    let repo = "EleutherAI/pythia-70m";
    scene.hub.put(repo, Place::open(&tiny()).with("step1000", &tiny()));
    scene.show();
    scene.look_up("EleutherAI/pythia-70m@step1000");
    scene.says("#found", "The hub serves these very weights as main too");
    scene.hub.fail(Origin::Hub, "/revision/step512", 1, Fault::status(410));
    scene.look_up("EleutherAI/pythia-70m@step1000");
    scene.says("#notice", "has the weights of another step is not known");
    scene.until("it can be had", "document.querySelector('#download')?.disabled === false");
}

#[test]
fn faults_that_last_are_one_sentence() {
    let scene = Scene::shown();
    for (origin, path, fault, expected) in [
        (Origin::Cdn, weights().as_str(), Fault::WrongByte(5000), "came damaged"),
        (Origin::Cdn, "", Fault::Longer(7), "bytes where the hub promised"),
        (Origin::Cdn, weights().as_str(), Fault::status(404), "has no file"),
        (
            Origin::Hub,
            "/resolve/",
            Fault::Elsewhere("http://127.0.0.1:9/x".into()),
            "its files' host does not",
        ),
    ] {
        scene.hub.fail(origin, path, 99, fault.clone());
        scene.fetch();
        scene.says(".problem", expected);
        scene.hub.mend();
        // Nothing wrong stays: the same again is right.
        scene.fetch_whole();
        scene.assert_whole();
        scene.begin_anew();
    }
    scene.look_up("makers/none");
    scene.says(".problem", "has no model makers/none");
    scene.look_up("../x");
    scene.says(".problem", "is no model on a hub");
}

#[test]
fn a_browser_that_keeps_no_files_has_it_in_memory_and_says_so() {
    let scene = Scene::shown();
    scene.in_the_worker("StorageManager.prototype.getDirectory = undefined;");
    scene.fetch();
    scene.says("#notice", "This browser keeps no files for pages");
    scene.until_fetched();
    assert!(scene.kept().is_empty(), "{:?}", scene.kept());
}
