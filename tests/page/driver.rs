//! A real browser, driven over W3C WebDriver: the dozen commands these tests need, on `std` alone.
//! (A client library would bring an async runtime for two HTTP verbs.)

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Deref;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Mutex;
#[cfg(unix)]
use std::sync::Once;
use std::thread::panicking;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything on the page may take; generous, because test machines are slow.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// How long the page looks for something before the driver is asked again, well within its own limit.
const SLICE: Duration = Duration::from_secs(60);

const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// How often a driver or a browser may fail to start, for reasons that are not the page's.
const TRIES: usize = 3;

/// Keys as WebDriver spells them.
pub const TAB: &str = "\u{E004}";
pub const ENTER: &str = "\u{E007}";
pub const ESCAPE: &str = "\u{E00C}";
pub const RIGHT: &str = "\u{E014}";
pub const DOWN: &str = "\u{E015}";

/// A browser window; closed when dropped.
pub struct Browser {
    port: u16,
    session: String,
    driver: Child,
    profile: tempfile::TempDir,
}

/// File in the browser's profile with the output of a driver and its browser.
const SAID: &str = "said.txt";

impl Browser {
    /// Opens a headless window of this size in CSS pixels; `gpu` lets it have Chromium's own
    /// software adapter for WebGPU, and else none; `more` are further switches of Chromium's.
    pub fn open(
        chrome: &str,
        driver: &str,
        width: u32,
        height: u32,
        gpu: bool,
        more: &[String],
    ) -> Self {
        let mut browser = Self::start(driver);
        let args = [
            "--headless=new".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--force-device-scale-factor=1".to_owned(),
            "--hide-scrollbars".to_owned(),
            format!("--window-size={width},{height}"),
            format!("--user-data-dir={}", browser.profile.path().display()),
        ];
        let gpu: &[&str] = if gpu {
            &["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]
        } else {
            &["--disable-gpu"]
        };
        let args: Vec<&str> = args
            .iter()
            .map(String::as_str)
            .chain(gpu.iter().copied())
            .chain(more.iter().map(String::as_str))
            .collect();
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "binary": chrome, "args": args },
            "goog:loggingPrefs": { "browser": "ALL" },
        } } });
        browser.begin(&wanted);
        browser.show(width, height).expect("a tab of this size");
        browser
    }

    /// Gives the tab this inner size, also below the least width of a window.
    fn show(&self, width: u32, height: u32) -> Result<(), String> {
        let devtools = |command: &str, params: Value| {
            let body = json!({ "cmd": command, "params": params });
            self.try_call("POST", &format!("{}/goog/cdp/execute", self.session), Some(&body))
        };
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        devtools("Emulation.setDeviceMetricsOverride", metrics)?;
        // A browser without a screen has no window in front, which focus and the clipboard ask for.
        devtools("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }))?;
        Ok(())
    }

    /// Leaves nothing of what was open: another tab takes the place of this one, and every site that this one went
    /// to is forgotten, with its permissions and what the console said.
    pub fn forget(&self) -> Result<(), String> {
        let ask = |path: &str, body: &Value| {
            self.try_call("POST", &format!("{}{path}", self.session), Some(body))
        };
        let devtools = |command: &str, params: Value| {
            ask("/goog/cdp/execute", &json!({ "cmd": command, "params": params }))
        };
        let history = devtools("Page.getNavigationHistory", json!({}))?;
        let visited = history["entries"].as_array().into_iter().flatten();
        let visited = visited.filter_map(|entry| entry["url"].as_str());
        let origins: BTreeSet<String> = visited
            .filter(|url| url.starts_with("http"))
            .map(|url| url.split('/').take(3).collect::<Vec<_>>().join("/"))
            .collect();

        let next = ask("/window/new", &json!({ "type": "tab" }))?["handle"].take();
        let left = self.try_call("DELETE", &format!("{}/window", self.session), None)?;
        if left != json!([next]) {
            return Err(format!("more tabs than one are open: {left}"));
        }
        ask("/window", &json!({ "handle": next }))?;
        for origin in origins {
            let all = json!({ "origin": origin, "storageTypes": "all" });
            devtools("Storage.clearDataForOrigin", all)?;
        }
        devtools("Network.clearBrowserCache", json!({}))?;
        devtools("Browser.resetPermissions", json!({}))?;
        ask("/se/log", &json!({ "type": "browser" })).map(drop)
    }

    /// Opens a headless Firefox, which says on its output what its console hears.
    pub fn firefox(firefox: &str, driver: &str) -> Self {
        let mut browser = Self::start(driver);
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "moz:firefoxOptions": {
                "binary": firefox,
                "args": ["-headless", "--width=1440", "--height=1000"],
                "prefs": {
                    "devtools.console.stdout.content": true,
                    "browser.dom.window.dump.enabled": true,
                },
            },
        } } });
        browser.begin(&wanted);
        browser
    }

    /// Starts a driver, and waits until it answers; again where somebody else took its port meanwhile.
    fn start(driver: &str) -> Self {
        let mut tries = (0..TRIES).filter_map(|_| Self::start_once(driver));
        tries.next().unwrap_or_else(|| panic!("{driver} ends as soon as it is started"))
    }

    fn start_once(driver: &str) -> Option<Self> {
        let port = free_port();
        let profile = tempfile::tempdir().expect("a folder for the browser's profile");
        let out = std::fs::File::create(profile.path().join(SAID)).expect("a file");
        let child = Command::new(driver)
            .arg(format!("--port={port}"))
            .stderr(out.try_clone().expect("the same file"))
            .stdout(out)
            .spawn()
            .unwrap_or_else(|error| {
                panic!(
                    "{driver} does not start ({error}): run `cargo xtask test`, which sets it up"
                )
            });
        let mut browser = Self { port, session: String::new(), driver: child, profile };
        let started = Instant::now();
        while browser.try_call("GET", "/status", None).is_err() {
            assert!(started.elapsed() < PATIENCE, "{driver} does not answer");
            if browser.driver.try_wait().expect("its state").is_some() {
                return None;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Some(browser)
    }

    /// Opens the browser.
    fn begin(&mut self, wanted: &Value) {
        let start = || self.try_call("POST", "/session", Some(wanted));
        let mut session = start();
        for _ in 1..TRIES {
            session = session.or_else(|_| start());
        }
        let session = session.unwrap_or_else(|error| {
            panic!("the browser does not start: {error}");
        });
        self.session =
            format!("/session/{}", session["sessionId"].as_str().expect("a session's id"));
        let patience = PATIENCE.as_millis() as u64;
        // What is to be clicked may come a turn of the page later than what was waited for.
        let limits = json!({ "script": patience, "pageLoad": patience, "implicit": 10_000 });
        self.call("POST", "/timeouts", &limits);
    }

    /// Errors of the page that Firefox told its output: what nobody caught, and panics. (Its own parts
    /// say what they miss of the network there, too; what breaks the page's policy is not said.)
    pub fn errors_said(&self) -> Vec<String> {
        let said = std::fs::read(self.profile.path().join(SAID)).expect("what it said");
        String::from_utf8_lossy(&said)
            .lines()
            .filter(|line| {
                line.starts_with("JavaScript error: http://127.0.0.1")
                    || line.contains("panicked at")
            })
            .map(str::to_owned)
            .collect()
    }

    pub fn go(&self, url: &str) {
        self.call("POST", "/url", &json!({ "url": url }));
    }

    pub fn reload(&self) {
        self.call("POST", "/refresh", &json!({}));
    }

    /// The value of a script's `return`.
    pub fn run(&self, script: &str) -> Value {
        self.call("POST", "/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// A script that calls `arguments[0]` when it is done.
    pub fn run_async(&self, script: &str) -> Value {
        self.call("POST", "/execute/async", &json!({ "script": script, "args": [] }))
    }

    /// Waits until a script's expression is true.
    pub fn until(&self, what: &str, expression: &str) {
        self.until_within(PATIENCE, what, expression);
    }

    /// Waits as [`Self::until`] does, for as long as `patience`. The page itself looks, so that nothing is lost
    /// between two questions of the driver.
    pub fn until_within(&self, patience: Duration, what: &str, expression: &str) {
        let script = format!(
            "const [limit, done] = arguments, end = performance.now() + limit;
             const look = () => {{
               try {{
                 if ({expression}) done(true);
                 else if (performance.now() > end) done(false);
                 else setTimeout(look, 20);
               }} catch (error) {{ done(String(error)); }}
             }};
             look();"
        );
        let path = format!("{}/execute/async", self.session);
        let started = Instant::now();
        loop {
            let left = patience.saturating_sub(started.elapsed()).min(SLICE);
            let asked = json!({ "script": script, "args": [left.as_millis() as u64] });
            match self.try_call("POST", &path, Some(&asked)) {
                Ok(Value::Bool(true)) => return,
                Ok(Value::Bool(false)) => {}
                // The document went meanwhile: the next one is asked.
                Err(error) if is_left(&error) => std::thread::sleep(Duration::from_millis(10)),
                other => panic!("waiting until {what}: {other:?}"),
            }
            if started.elapsed() > patience {
                let page = self.run("return document.body.innerText.slice(0, 3000)");
                panic!(
                    "waited in vain until {what}; the page says:\n{}\nconsole: {:?}",
                    text_of(&page),
                    self.heard()
                );
            }
        }
    }

    /// Waits until an element is there.
    pub fn until_there(&self, css: &str) {
        let there = format!("document.querySelector({})", Value::from(css));
        self.until(&format!("{css} is there"), &there);
    }

    /// Waits until no element is there.
    pub fn until_gone(&self, css: &str) {
        let gone = format!("!document.querySelector({})", Value::from(css));
        self.until(&format!("{css} is gone"), &gone);
    }

    /// Waits until there are so many such elements.
    pub fn until_count(&self, css: &str, count: usize) {
        let all = format!("document.querySelectorAll({}).length", Value::from(css));
        self.until(&format!("{count} of {css} are there"), &format!("{all} === {count}"));
    }

    /// The number of elements.
    pub fn count(&self, css: &str) -> usize {
        let all = format!("return document.querySelectorAll({}).length", Value::from(css));
        usize::try_from(self.run(&all).as_u64().expect("a count")).expect("few")
    }

    /// The text of every element.
    pub fn texts(&self, css: &str) -> Vec<String> {
        let all = format!("[...document.querySelectorAll({})]", Value::from(css));
        let texts = self.run(&format!("return {all}.map(e => e.textContent)"));
        serde_json::from_value(texts).expect("texts")
    }

    /// The text in a field.
    pub fn value(&self, css: &str) -> String {
        self.text(&format!("document.querySelector({}).value", Value::from(css)))
    }

    pub fn focus(&self, css: &str) {
        self.run(&format!("document.querySelector({}).focus()", Value::from(css)));
    }

    /// Runs a script before those of every document that is opened from now on.
    pub fn before_every_document(&self, script: &str) {
        let script = json!({ "source": script });
        self.devtools("Page.addScriptToEvaluateOnNewDocument", &script);
    }

    /// The text of an expression.
    pub fn text(&self, expression: &str) -> String {
        text_of(&self.run(&format!("return String({expression})")))
    }

    /// Returns the number of an expression; NaN where it has none.
    pub fn number(&self, expression: &str) -> f64 {
        self.run(&format!("return {expression}")).as_f64().unwrap_or(f64::NAN)
    }

    /// Clicks an element; once more where it was drawn anew between being found and being clicked. As a reader does, it
    /// first scrolls the element out from under what stays at the window's edge.
    pub fn click(&self, css: &str) {
        let click = || {
            let element = Value::from(css);
            self.run(&format!(
                "document.querySelector({element})?.scrollIntoView({{ block: 'nearest' }})"
            ));
            let path = format!("{}/element/{}/click", self.session, self.find(css));
            self.try_call("POST", &path, Some(&json!({})))
        };
        let clicked = click().or_else(|error| match error.contains("stale element") {
            true => click(),
            false => Err(error),
        });
        clicked.unwrap_or_else(|error| panic!("clicking {css}: {error}"));
    }

    /// Types into an element, or chooses files by their paths.
    pub fn type_into(&self, css: &str, keys: &str) {
        let element = self.find(css);
        self.call("POST", &format!("/element/{element}/value"), &json!({ "text": keys }));
    }

    /// Does something in a frame's document.
    pub fn within<T>(&self, frame: &str, then: impl FnOnce() -> T) -> T {
        let element = self.find(frame);
        self.call("POST", "/frame", &json!({ "id": { ELEMENT: element } }));
        let done = then();
        self.call("POST", "/frame", &json!({ "id": null }));
        done
    }

    pub fn clear(&self, css: &str) {
        let element = self.find(css);
        self.call("POST", &format!("/element/{element}/clear"), &json!({}));
    }

    /// Types to whatever has the focus.
    pub fn keys(&self, keys: &str) {
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|key| {
                ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key.to_string() }))
            })
            .collect();
        self.call(
            "POST",
            "/actions",
            &json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] }),
        );
    }

    /// Puts the mouse down at the first of these places in the window, moves it along and lets go at
    /// the last.
    pub fn drag(&self, places: &[(f64, f64)]) {
        let mut actions: Vec<Value> = places.iter().map(pointer_move).collect();
        actions.insert(1.min(actions.len()), json!({ "type": "pointerDown", "button": 0 }));
        actions.push(json!({ "type": "pointerUp", "button": 0 }));
        self.move_mouse(&actions);
    }

    /// Moves the mouse to these places in the window, with no button pressed.
    pub fn hover(&self, places: &[(f64, f64)]) {
        self.move_mouse(&places.iter().map(pointer_move).collect::<Vec<_>>());
    }

    fn move_mouse(&self, actions: &[Value]) {
        self.call(
            "POST",
            "/actions",
            &json!({ "actions": [{
                "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions,
            }] }),
        );
    }

    /// Returns the console's lines since the last call.
    pub fn console(&self) -> Vec<String> {
        let entries = self.call("POST", "/se/log", &json!({ "type": "browser" }));
        let line =
            |entry: &Value| format!("{}: {}", text_of(&entry["level"]), text_of(&entry["message"]));
        entries.as_array().into_iter().flatten().map(line).collect()
    }

    /// Returns the console's entries, for a failure's report; Firefox writes them to its output.
    fn heard(&self) -> Vec<String> {
        let path = format!("{}/se/log", self.session);
        match self.try_call("POST", &path, Some(&json!({ "type": "browser" }))) {
            Ok(entries) => vec![entries.to_string()],
            Err(_) => self.errors_said(),
        }
    }

    /// Light or dark, as the system would say.
    pub fn prefer(&self, scheme: &str) {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.devtools("Emulation.setEmulatedMedia", &features);
    }

    /// A picture of the whole page as PNG.
    pub fn screenshot(&self, path: &Path) {
        self.capture(path, &json!({ "format": "png", "captureBeyondViewport": true }));
    }

    /// A picture of what the window shows.
    pub fn screenshot_of_window(&self, path: &Path) {
        self.capture(path, &json!({ "format": "png" }));
    }

    /// Takes a picture of the window for a test that has failed already: whether there is one.
    pub fn try_screenshot(&self, path: &Path) -> bool {
        let path_of = format!("{}/screenshot", self.session);
        let taken = self.try_call("GET", &path_of, None);
        let picture = taken.ok().and_then(|picture| picture.as_str().map(base64));
        picture.is_some_and(|bytes| std::fs::write(path, bytes).is_ok())
    }

    fn capture(&self, path: &Path, how: &Value) {
        let taken = self.devtools("Page.captureScreenshot", how);
        let bytes = base64(taken["data"].as_str().expect("a picture"));
        std::fs::write(path, bytes).expect("a screenshot written");
    }

    /// A command of the browser's DevTools protocol.
    pub fn devtools(&self, command: &str, params: &Value) -> Value {
        self.call("POST", "/goog/cdp/execute", &json!({ "cmd": command, "params": params }))
    }

    fn find(&self, css: &str) -> String {
        let found =
            self.call("POST", "/element", &json!({ "using": "css selector", "value": css }));
        found[ELEMENT].as_str().unwrap_or_else(|| panic!("no element {css}")).to_owned()
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let path = format!("{}{path}", self.session);
        self.try_call(method, &path, Some(body))
            .unwrap_or_else(|error| panic!("{path} {body}: {error}"))
    }

    fn try_call(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut stream =
            TcpStream::connect(("127.0.0.1", self.port)).map_err(|error| error.to_string())?;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        );
        stream.write_all(request.as_bytes()).map_err(|error| error.to_string())?;
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            if stream.read(&mut byte).map_err(|error| error.to_string())? == 0 {
                return Err("the driver hung up".to_owned());
            }
            head.push(byte[0]);
        }
        // The driver always states the length, and keeps the connection open whatever we ask.
        let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length = length
            .and_then(|text| text.trim().parse().ok())
            .ok_or("an answer without its length")?;
        let mut answer = vec![0; length];
        stream.read_exact(&mut answer).map_err(|error| error.to_string())?;
        let mut answer: Value =
            serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
        let value = answer["value"].take();
        match value["error"].as_str() {
            Some(error) => Err(format!("{error}: {}", text_of(&value["message"]))),
            None => Ok(value),
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.try_call("DELETE", &self.session, None);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// A browser for one page, that other pages had before and will have after it: a tab is opened in a fraction of the
/// time of a browser.
pub struct Lent {
    browser: Option<Browser>,
    goes_back: bool,
}

/// Browsers that wait for their next page.
static IDLE: Mutex<Vec<Browser>> = Mutex::new(Vec::new());

impl Lent {
    /// One of those that wait; or else another one, without a GPU.
    pub fn any(chrome: &str, driver: &str, width: u32, height: u32) -> Self {
        let idle = || IDLE.lock().expect("browsers").pop();
        // One may have died while it waited.
        let alive = std::iter::from_fn(idle).find(|browser| browser.show(width, height).is_ok());
        let browser =
            alive.unwrap_or_else(|| Browser::open(chrome, driver, width, height, false, &[]));
        Self { browser: Some(browser), goes_back: cfg!(unix) }
    }

    /// This one, which nobody has after it.
    pub fn own(browser: Browser) -> Self {
        Self { browser: Some(browser), goes_back: false }
    }
}

impl Deref for Lent {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        self.browser.as_ref().expect("lent until it is dropped")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(browser) = self.browser.take().filter(|_| self.goes_back && !panicking()) else {
            return;
        };
        match browser.forget() {
            Ok(()) => {
                // They end with the tests.
                #[cfg(unix)]
                {
                    static AT_THE_END: Once = Once::new();
                    // SAFETY: it is a function without arguments, as C calls it.
                    AT_THE_END.call_once(|| unsafe {
                        libc::atexit(end_idle);
                    });
                }
                IDLE.lock().expect("browsers").push(browser);
            }
            Err(why) => {
                // Past the harness, which swallows what a passing test prints.
                let _ = writeln!(
                    std::io::stderr(),
                    "a browser that could not be cleared is closed: {why}"
                );
            }
        }
    }
}

#[cfg(unix)]
extern "C" fn end_idle() {
    if let Ok(mut idle) = IDLE.lock() {
        idle.clear();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its number").port()
}

/// Whether a script ended with its document: Chromium's driver calls that a timeout, Firefox's says so.
fn pointer_move(&(x, y): &(f64, f64)) -> Value {
    json!({ "type": "pointerMove", "duration": 40, "x": x.round() as i64, "y": y.round() as i64 })
}

fn is_left(error: &str) -> bool {
    error.starts_with("script timeout") || error.contains("unload")
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub fn base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u32> = text.bytes().filter_map(digit).map(u32::from).collect();
    digits
        .chunks(4)
        .flat_map(|four| {
            let bits = four.iter().enumerate().fold(0, |bits, (i, d)| bits | d << (18 - 6 * i));
            let bytes = [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8];
            bytes.into_iter().take(four.len() * 6 / 8)
        })
        .collect()
}
