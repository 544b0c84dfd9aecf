//! A real model by its name: how long it takes from there to the picture, who is asked, and the picture
//! that the README shows.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::Scene;
use crate::common::model_folder;
use crate::page::Page;
use crate::test_hub::{Place, Seen};
use crate::{pickled, program};

const STORIES: &str = "karpathy/stories260k";
const PROMPT: &str = "Lily found a big, red ball. She was very";
const OPTIONS: [&str; 3] = [" happy", " big", " little"];

/// The story model's files, where it is on this machine.
fn stories() -> Option<Vec<(&'static str, Vec<u8>)>> {
    let folder = model_folder("stories260k")?;
    let files = ["config.json", "model.safetensors", "tokenizer.json"];
    let read = |file| (file, std::fs::read(folder.join(file)).expect("a file of it"));
    Some(files.map(read).to_vec())
}

/// The address that asks the story model the question.
fn question() -> String {
    let encode = |text: &str| text.replace(' ', "+").replace(',', "%2C");
    let options = OPTIONS.map(|option| format!("&option={}", encode(option)));
    let options = options.concat();
    let prompt = encode(PROMPT);
    format!("#folder=hub:{STORIES}&prompt={prompt}{options}&answer=0")
}

impl Scene {
    /// A link to a model that is not here says where it can be had.
    fn follow_question(&self) {
        let browser = &self.page.browser;
        browser.run(&format!("location.hash = {}", Value::from(question())));
        let sentence = format!("hub:{STORIES} is not on this machine: press “Model” to fetch it.");
        self.page.until_says(".of-model", &sentence);
    }
}

fn say_asked(how: &str, seconds: f64, seen: &[Seen]) {
    let bytes: usize = seen.iter().map(|seen| seen.bytes).sum();
    say!(
        "{how}: {seconds:.1} s from the name to the picture, {} requests to the hub, {bytes} bytes",
        seen.len()
    );
}

/// MobileLLM as it is published: fetched, opened, asked.
#[test]
fn a_pytorch_checkpoint_of_the_hub_answers_as_its_golden() {
    const REPO: &str = "makers/mobile";
    let Some((folder, golden)) = pickled::published() else { return };
    let read = |file| (file, std::fs::read(folder.join(file)).expect("a file of it"));
    let scene = Scene::new();
    scene.hub.put(REPO, Place::open(&pickled::FILES.map(read)));
    scene.show();
    scene.look_up(REPO);
    scene.press("#download");
    scene.page.until_says("#model", &format!("hub:{REPO} (from a hub)"));
    scene.page.assert_answers_as_golden(&format!("hub:{REPO}"), &folder, &golden);
}

#[test]
fn from_a_name_to_a_picture() {
    let Some(files) = stories() else { return };
    let whole: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("net.json");
    let scene = Scene::on(Page::logged(1440, 1000, &log));
    scene.hub.put(STORIES, Place::open(&files));
    scene.page.until_kept();

    // From nothing: a link, and then the name, looked up, fetched, opened, asked.
    scene.follow_question();
    scene.show();
    let began = Instant::now();
    scene.look_up(STORIES);
    scene.press("#download");
    scene.until_answers(STORIES);
    scene.page.until_settled();
    let seen = scene.hub.seen();
    say_asked("from nothing", began.elapsed().as_secs_f64(), &seen);
    assert!(seen.iter().map(|seen| seen.bytes).sum::<usize>() >= whole);

    // From what this browser keeps, without any network.
    scene.hub.gone(true);
    scene.page.server.go_away();
    let sent = scene.page.server.sent().len();
    scene.page.open("?again#view=theory");
    let began = Instant::now();
    scene.page.open(&question());
    scene.until_answers(STORIES);
    scene.page.until_says(".tokens", "Lily");
    scene.page.until_settled();
    let seen = scene.hub.seen();
    let seconds = began.elapsed().as_secs_f64();
    say_asked("kept, without a network", seconds, &seen);
    assert!(seen.is_empty(), "{seen:?}");
    let since = &scene.page.server.sent()[sent..];
    assert!(since.is_empty(), "not from what is kept: {since:?}");
    scene.page.server.come_back();

    // Whatever the page, its frames and its workers asked for, they asked of these three.
    let urls = [scene.page.server.url(), scene.hub.url(), scene.hub.cdn()];
    let hosts = urls.map(|url| origin(&url));
    drop(scene);
    let asked = asked(&log, &hosts[0]);
    assert!(asked.len() > 20, "{asked:?}");
    for url in &asked {
        assert!(hosts.contains(&origin(url)), "{url} is none of {hosts:?}");
    }
    for host in &hosts {
        let is_asked = asked.iter().any(|url| origin(url) == *host);
        assert!(is_asked, "the log knows nothing of {host}");
    }
    say!("{} requests in all, to the page's host, the hub and its CDN alone", asked.len());
}

/// `scheme://host:port`
fn origin(url: &str) -> String {
    url.split('/').take(3).collect::<Vec<_>>().join("/")
}

/// Every address that a document or worker of the page at `own` asked for, redirects included, as
/// Chromium's own log has them.
fn asked(log: &Path, own: &str) -> Vec<String> {
    let text = std::fs::read_to_string(log).expect("the browser's log");
    let (mut urls, mut sources) = (Vec::new(), Vec::new());
    // An event a line.
    for line in text.lines() {
        let Ok(event) = serde_json::from_str::<Value>(line.trim_end_matches(',')) else { continue };
        let (params, source) = (&event["params"], &event["source"]["id"]);
        let text = |name: &str| params[name].as_str().map(str::to_owned);
        if text("initiator").as_deref() == Some(own) {
            sources.push(source.clone());
            urls.extend(text("url"));
        } else if sources.contains(source) {
            urls.extend(text("location"));
        }
    }
    urls.retain(|url| url.starts_with("http"));
    urls
}

#[test]
fn a_story_model_answers_an_english_question() {
    let Some(files) = stories() else { return };
    // What the README shows: the picture, down to the votes.
    let page = Page::new(1440, 1560);
    page.browser.prefer("light");
    let scene = Scene::on(page);
    scene.hub.put(STORIES, Place::open(&files));
    scene.follow_question();
    scene.show();
    scene.look_up(STORIES);
    scene.press("#download");
    scene.until_answers(STORIES);
    let page = &scene.page;
    page.until_says(".tokens", "Lily");
    page.until_says(".identity", "MSE");
    page.until_settled();
    page.until_pointable();
    let report = page.report();
    assert_eq!(report["model"]["name"], format!("hub:{STORIES}"));
    assert_eq!(report["lens"]["options"], json!(OPTIONS));
    assert_eq!(report["lens"]["correct"], true);
    // What the command line says of the folder.
    let folder = model_folder("stories260k").expect("it was read").display().to_string();
    let question = json!({ "prompt": PROMPT, "options": OPTIONS, "answer": 0 });
    let native = program::lens(&folder, &question, &[]);
    let (own, native) = (&report["lens"]["logits"], &native["lens"]["logits"]);
    crate::lens::compare(own, native, "logits");
    page.browser.run("scrollTo(0, 0); document.activeElement.blur()");
    page.screenshot_of_window("story");
}
