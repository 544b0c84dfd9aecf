//! The page under test: actions on it, and checks that many tests make.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

pub use crate::common::{copy_model, root};
use crate::driver::{Browser, Lent};
use crate::server::Server;
use crate::turn::Turn;

/// The dialog with the list of models.
pub const MODELS: &str = "document.querySelector('#chooser')";

/// Names the model that comes with the page, and nothing else.
pub const TEACHING: &str = "#model=scholar-12";

/// Axe's rule of colours.
const CONTRAST: &str = "color-contrast";

/// Windows, and the schemes in which a view is looked at there: dark differs from light in its colours alone, and
/// no window changes these.
pub const LOOKS: [(u32, u32, &[&str]); 2] =
    [(1440, 1000, &["light", "dark"]), (390, 844, &["light"])];

/// The page's own texts in which a plain space stands between a number and its per cent sign. Prompts are the reader's.
const PARTED: &str = "
    const found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      if (/[0-9)] %/.test(data) && parentElement.closest('#app') && !parentElement.closest('.tokens, textarea, .sample-prompt, .written')) found.push(data);
    }
    return found;";

/// The page in a tab, from a host of its own.
pub struct Page {
    pub browser: Lent,
    pub server: Server,
    _turn: Turn,
}

impl Page {
    /// A fresh tab and host; nothing opened yet.
    pub fn new(width: u32, height: u32) -> Self {
        Self::unkept(Turn::shared(), || tab(width, height))
    }

    /// A fresh tab and host while no other test's page is open: all cores are this one's, and its times are its own.
    pub fn alone(width: u32, height: u32) -> Self {
        Self::unkept(Turn::alone(), || tab(width, height))
    }

    /// A fresh tab and host where the browser keeps the page for visits without a network.
    pub fn kept(width: u32, height: u32) -> Self {
        Self::kept_from(width, height, dist())
    }

    pub fn kept_from(width: u32, height: u32, folder: PathBuf) -> Self {
        Self::opened(Turn::shared(), folder, || tab(width, height))
    }

    /// A page in a browser of its own, which is in the network of this test's thread.
    pub fn apart(width: u32, height: u32) -> Self {
        Self::opened(Turn::shared(), dist(), || chromium(width, height, false, &[]))
    }

    /// A page where WebGPU has Chromium's software adapter.
    pub fn with_gpu() -> Self {
        Self::unkept(Turn::shared(), || chromium(1440, 1000, true, &[]))
    }

    /// A page in Firefox, which shows no console and has no DevTools of Chromium's.
    pub fn in_firefox() -> Self {
        Self::opened(Turn::shared(), dist(), || {
            Lent::own(Browser::firefox(&set("ATELIER_FIREFOX"), &set("ATELIER_GECKODRIVER")))
        })
    }

    /// A page kept for visits without a network, whose browser logs its requests to the network; the log is whole
    /// when the browser has ended.
    pub fn logged(width: u32, height: u32, log: &Path) -> Self {
        let dist = dist();
        let more = [format!("--log-net-log={}", log.display())];
        Self::opened(Turn::shared(), dist, || chromium(width, height, false, &more))
    }

    fn unkept(turn: Turn, browser: impl FnOnce() -> Lent) -> Self {
        let page = Self::opened(turn, dist(), browser);
        // What is kept would answer in the server's place, which tests make answer as they want.
        page.browser.before_every_document("delete Navigator.prototype.serviceWorker;");
        page
    }

    fn opened(turn: Turn, folder: PathBuf, browser: impl FnOnce() -> Lent) -> Self {
        let server = Server::start(folder);
        Self { browser: browser(), server, _turn: turn }
    }

    /// Opened, with the live model's first picture.
    pub fn live() -> Self {
        let page = Self::new(1440, 1000);
        page.open_live();
        page
    }

    /// Without a fragment, the address of the small teaching model: it runs at once, as most tests want it.
    pub fn open(&self, fragment: &str) {
        if fragment.is_empty() {
            // Where only the fragment changes, a browser stays in its document.
            self.browser.go("about:blank");
        }
        let fragment = if fragment.is_empty() { TEACHING } else { fragment };
        self.browser.go(&format!("{}{fragment}", self.server.url()));
    }

    /// Opens the address of the small teaching model, and waits for its picture.
    pub fn open_live(&self) {
        self.open("");
        self.until_live();
    }

    /// Opens the plain address: the first picture is there, and its model is not.
    pub fn open_plain(&self) {
        self.browser.go("about:blank");
        self.browser.go(&self.server.url());
    }

    /// Waits until the page's program has taken the place of the picture that came with the page.
    pub fn until_drawn(&self) {
        self.browser.until(
            "the program has drawn",
            "document.querySelector('#main') && !document.querySelector('.drawn')",
        );
        self.until_picture();
    }

    pub fn until_picture(&self) {
        self.browser.until_count(".chart svg", 3);
    }

    /// Waits until the program has drawn every picture, so that all of them answer pointing.
    pub fn until_pointable(&self) {
        self.browser.until(
            "drawings answer pointing",
            "[...document.querySelectorAll('.chart')].every(c => c.querySelector('.canvas svg'))",
        );
    }

    /// Scrolls to a figure, and finds a column of its first panel in the window, above the axis. Columns are counted
    /// from 0.
    pub fn column_of(&self, key: &str, column: usize) -> (f64, f64) {
        let place = self.browser.run(&format!(
            "const chart = document.querySelector('#figure-{key} .chart');
             chart.scrollIntoView({{ block: 'center' }});
             const axis = [...chart.querySelectorAll('path')].find(path => path.getAttribute('d').endsWith('v4'));
             const columns = axis.getAttribute('d').split('v4').length - 1;
             const {{ left, top, width }} = axis.getBoundingClientRect();
             return [left + width * ({column} + 0.5) / columns, top - 100];"
        ));
        serde_json::from_value(place).expect("a place")
    }

    /// Scrolls to a figure, and finds an element of its drawing in the window; `element` is an expression of JavaScript
    /// about the figure's `chart`.
    pub fn mark_of(&self, key: &str, element: &str) -> (f64, f64) {
        let place = self.browser.run(&format!(
            "const chart = document.querySelector('#figure-{key} .chart');
             chart.scrollIntoView({{ block: 'center' }});
             const {{ left, top, width, height }} = ({element}).getBoundingClientRect();
             return [left + width / 2, top + height / 2];"
        ));
        serde_json::from_value(place).expect("a place")
    }

    pub fn until_live(&self) {
        self.until_picture();
        self.until_says(".provenance", "Computed here");
    }

    pub fn until_says(&self, css: &str, words: &str) {
        let (selector, quoted) = (Value::from(css), Value::from(words));
        self.browser.until(
            &format!("{css} says {words:?}"),
            &format!("[...document.querySelectorAll({selector})].some(e => e.textContent.includes({quoted}))"),
        );
    }

    /// Waits until nothing is under way and the picture is that of the draft.
    pub fn until_settled(&self) {
        self.browser.until(
            "the run is over",
            "!document.querySelector('.late') && !document.querySelector('.status.visible')",
        );
    }

    /// Waits until a figure is drawn.
    pub fn until_figure(&self, key: &str) {
        self.browser.until_there(&format!("#figure-{key} .chart svg"));
    }

    /// Waits until the page is in these colours.
    pub fn until_theme(&self, scheme: &str) {
        let theme = format!("document.documentElement.dataset.theme === '{scheme}'");
        self.browser.until(&format!("the colours are {scheme}"), &theme);
    }

    /// Waits until the address has these words.
    pub fn until_hash(&self, has: &str) {
        let quoted = Value::from(has);
        self.browser
            .until(&format!("the address has {has}"), &format!("location.hash.includes({quoted})"));
    }

    /// The address behind its #.
    pub fn hash(&self) -> String {
        self.browser.text("location.hash")
    }

    pub fn back(&self) {
        self.browser.run("history.back()");
    }

    pub fn prompt(&self) -> String {
        self.browser.value("#prompt")
    }

    /// Sets the prompt as typing does.
    pub fn set_prompt(&self, text: &str) {
        self.browser.run(&format!(
            "const t = document.querySelector('#prompt'); t.value = {}; t.dispatchEvent(new Event('input', {{ bubbles: true }}))",
            Value::from(text)
        ));
    }

    /// Presses, by a script, the first of these elements that says just this.
    pub fn press_text(&self, css: &str, words: &str) {
        let (all, words) = (Value::from(css), Value::from(words));
        self.browser.run(&format!(
            "[...document.querySelectorAll({all})].find(e => e.textContent.trim() === {words}).click()"
        ));
    }

    /// Chooses what a field offers, by its value.
    pub fn choose_by(&self, css: &str, value: &str) {
        self.browser.run(&format!(
            "const s = document.querySelector('{css}'); s.value = '{value}'; s.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ));
    }

    /// The rows of a figure's table, which stays open.
    pub fn table(&self, key: &str) -> Vec<Vec<String>> {
        self.browser.run(&format!("document.querySelector('#figure-{key} .numbers').open = true"));
        self.browser.until_there(&format!("#figure-{key} tbody tr"));
        let rows = self.browser.run(&format!(
            "return [...document.querySelectorAll('#figure-{key} tbody tr')].map(r => [...r.children].map(c => c.textContent))"
        ));
        serde_json::from_value(rows).expect("a table")
    }

    /// Opens the list of models, by its button.
    pub fn show_models(&self) {
        self.browser.click("#model");
        self.browser
            .until("the list of models is there", &format!("{MODELS}.querySelector('#folder')"));
    }

    /// Closes the list of models, by its own button.
    pub fn close_models(&self) {
        self.browser.run(&format!("{MODELS}.querySelector('.close').click()"));
        self.browser.until("the list is closed", &format!("!{MODELS}.open"));
    }

    /// Presses the list's button of a model that comes with the page.
    pub fn press_model(&self, known: &str) {
        // By a script: a list that grows moves under a pointer.
        self.browser.run(&format!(
            "[...{MODELS}.querySelectorAll('.shipped button')].find(b => b.textContent === {}).click()",
            Value::from(known)
        ));
    }

    /// Waits until the focus is on what `css` selects: it may go there a frame after that was drawn, and would
    /// take what is typed meanwhile along.
    pub fn until_focused(&self, css: &str) {
        self.browser.until(
            &format!("{css} has the focus"),
            &format!("document.activeElement.matches({})", Value::from(css)),
        );
    }

    /// Chooses a scholar, by its name, and waits for its picture.
    pub fn choose(&self, known: &str) {
        self.show_models();
        self.press_model(known);
        self.until_says(".provenance", &format!("Computed here by {known} "));
        self.until_settled();
    }

    /// Goes to a view by its name in the head.
    pub fn go_to_view(&self, name: &str) {
        self.browser.run(&format!(
            "[...document.querySelectorAll('[aria-label=Views] a')].find(a => a.textContent === {}).setAttribute('data-there', '')",
            Value::from(name)
        ));
        self.browser.click("[data-there]");
        self.browser.run("document.querySelector('[data-there]')?.removeAttribute('data-there')");
    }

    /// Opens a model's folder from disk.
    pub fn open_folder(&self, folder: &Path) {
        self.open_from_disk("#folder", folder);
    }

    /// Opens a file from disk.
    pub fn open_file(&self, file: &Path) {
        self.open_from_disk("#files", file);
    }

    fn open_from_disk(&self, input: &str, path: &Path) {
        self.show_models();
        self.browser.type_into(input, &path.display().to_string());
        self.browser.until("the list is closed", &format!("!{MODELS}.open"));
    }

    /// Says which option is right, counted from 0.
    pub fn judge(&self, option: usize) {
        self.browser.run(&format!(
            "document.querySelectorAll('.option-field input[type=radio]')[{option}].click()"
        ));
    }

    /// Takes up again what was stopped or failed.
    pub fn again(&self) {
        self.browser.until_there(".again");
        self.browser.click(".again");
    }

    /// Opens what the bar has to say, where it is not open.
    pub fn open_bar(&self) {
        self.browser.run(
            "if (!document.querySelector('.bar.open')) document.querySelector('.bar-more').click()",
        );
    }

    pub fn text(&self, css: &str) -> String {
        self.browser.text(&format!("document.querySelector({})?.textContent", Value::from(css)))
    }

    /// Everything of the picture that is made of words and numbers.
    pub fn picture(&self) -> String {
        self.browser.text(
            "[...document.querySelectorAll('.tokens, .options, #component option, .identity, .figure h3, .figure td')].map(e => e.textContent).join('|')",
        )
    }

    /// Opens a figure by its sentence, where it is folded, and waits until it is drawn.
    pub fn unfold(&self, key: &str) {
        let fold = format!("#figure-{key} .fold");
        let is_folded = format!("return Boolean(document.querySelector('{fold}:not([open])'))");
        if self.browser.run(&is_folded) == true {
            self.browser.click(&format!("{fold} > summary"));
        }
        self.until_figure(key);
    }

    /// Opens a figure's menu by its button, and presses an entry.
    pub fn press_in_menu(&self, key: &str, entry: &str) {
        self.browser.click(&format!("#figure-{key} .opens-menu"));
        let menu = format!("document.querySelector('#menu-{key}:popover-open')");
        self.browser.until(&format!("the menu of {key} is open"), &menu);
        self.browser.run(&format!(
            "[...{menu}.querySelectorAll('button')].find(b => b.textContent === {}).setAttribute('data-entry', '')",
            Value::from(entry)
        ));
        self.browser.click("[data-entry]");
        self.browser.run("document.querySelector('[data-entry]')?.removeAttribute('data-entry')");
    }

    /// The report as the page saves it.
    pub fn report(&self) -> Value {
        self.catch_files();
        self.browser.run("[...document.querySelectorAll('button')].find(b => b.textContent.includes('Save the report')).click()");
        serde_json::from_str(&self.caught()).expect("the report is JSON")
    }

    /// Keeps the content of every file the page hands out in `window.caught`.
    pub fn catch_files(&self) {
        self.browser.run(
            "if (!window.caught) {
               window.caught = [];
               const make = URL.createObjectURL;
               URL.createObjectURL = blob => { blob.text().then(text => window.caught.push(text)); return make.call(URL, blob); };
               HTMLAnchorElement.prototype.click = function () { if (this.href.startsWith('data:')) window.caught.push(this.href); };
             }",
        );
    }

    /// The file that the page hands out next.
    pub fn caught(&self) -> String {
        self.browser.until("a file is handed out", "window.caught.length > 0");
        self.browser.text("window.caught.pop()")
    }

    /// The file that an entry of a figure's menu hands out.
    pub fn saved_figure(&self, key: &str, form: &str) -> String {
        self.catch_files();
        self.browser.run("window.caught.length = 0");
        self.press_in_menu(key, form);
        self.caught()
    }

    /// No error on the console, no request to anywhere else.
    pub fn assert_quiet(&self) {
        let errors: Vec<String> = self
            .browser
            .console()
            .into_iter()
            .filter(|line| line.starts_with("SEVERE") || line.contains("Security"))
            .collect();
        assert!(errors.is_empty(), "the console holds errors: {errors:#?}");
        let foreign = self.browser.text(
            "performance.getEntriesByType('resource').map(e => e.name).filter(n => !n.startsWith(location.origin) && !n.startsWith('data:') && !n.startsWith('blob:')).join()",
        );
        assert_eq!(foreign, "", "requests to another origin");
        let missing: Vec<_> =
            self.server.sent().into_iter().filter(|sent| sent.status != 200).collect();
        assert!(missing.is_empty(), "asked for what is not there: {missing:?}");
    }

    /// Checks a view in one of [`LOOKS`] by axe and the window: its structure and its width in each window, its
    /// colours in the first.
    pub fn assert_look(&self, at: &str, width: u32, scheme: &str) {
        let at = format!("{at}, {width} wide, {scheme}");
        match (width == LOOKS[0].0, scheme) {
            (true, "light") => self.assert_accessible(&at),
            (true, _) => self.assert_contrast(&at),
            _ => self.assert_rules(&at, &json!({ "rules": { CONTRAST: { "enabled": false } } })),
        }
    }

    /// Checks what is open in each of these schemes, and takes a picture of it.
    pub fn assert_looks(&self, at: &str, shot: &str, width: u32, schemes: &[&str]) {
        for scheme in schemes {
            self.browser.prefer(scheme);
            self.assert_look(at, width, scheme);
            self.screenshot(&format!("{shot}-{width}-{scheme}"));
        }
    }

    /// Axe can read every word in the colours that the view has now.
    pub fn assert_contrast(&self, at: &str) {
        self.assert_rules(at, &json!({ "runOnly": [CONTRAST] }));
    }

    /// Axe finds nothing, and the page is no wider than its window, with every fold open. Of the figures' tables,
    /// which one component draws, the first is open.
    pub fn assert_accessible(&self, at: &str) {
        self.assert_rules(at, &json!({}));
    }

    /// Checks by some of axe's rules alone, as its `run` takes them, with every fold open.
    fn assert_rules(&self, at: &str, rules: &Value) {
        self.fold(true);
        self.audit(at, rules);
        self.fold(false);
    }

    /// Asks axe, by all its rules, about what the window shows now, such as an open menu.
    pub fn assert_accessible_as_it_is(&self, at: &str) {
        self.audit(at, &json!({}));
    }

    fn audit(&self, at: &str, rules: &Value) {
        if self.browser.run("return Boolean(window.axe)") == false {
            let axe = std::fs::read_to_string(root().join("node_modules/axe-core/axe.min.js"))
                .expect("axe-core is not installed: run `cargo xtask test`, which installs it");
            self.browser.run(&format!("{axe}; window.axe = axe;"));
        }
        let found = self.browser.run_async(&format!(
            "const done = arguments[0]; axe.run(document, {{ resultTypes: ['violations'], ...{rules} }}).then(r => done(r.violations.map(v => v.id + ': ' + v.help + ' at ' + v.nodes.map(n => n.target + ' ' + (n.any[0]?.message ?? '')).join('; '))), e => done(String(e)))",
        ));
        assert_eq!(found, Value::Array(Vec::new()), "axe at {at}: {found:#}");
        let parted = self.browser.run(PARTED);
        assert_eq!(
            parted,
            Value::Array(Vec::new()),
            "a line may end before a per cent sign at {at}"
        );
        let over = self.over_width();
        let widest = "return [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + '.' + e.className).slice(0, 6).join(' ')";
        assert!(over <= 0, "the page is {over} px too wide at {at}: {}", self.browser.run(widest));
    }

    /// Pixels by which the page is wider than its window.
    pub fn over_width(&self) -> i64 {
        let over = "return document.documentElement.scrollWidth - innerWidth";
        self.browser.run(over).as_i64().unwrap_or(i64::MAX)
    }

    /// Opens what is folded, or folds it again, and waits until that is drawn.
    fn fold(&self, open: bool) {
        let closed = !open;
        self.browser.run_async(&format!(
            "const done = arguments[0];
             let tables = 0;
             document.querySelector('.question-more[aria-expanded={closed}]')?.click();
             for (const d of document.querySelectorAll('details'))
               d.open = {open} && !(d.matches('.numbers') && tables++);
             requestAnimationFrame(() => requestAnimationFrame(done));"
        ));
    }

    pub fn sent_bytes(&self) -> usize {
        self.server.sent().iter().map(|sent| sent.bytes).sum()
    }

    /// Takes a picture of the window, such as of a dialog, where pictures are asked for.
    pub fn screenshot_of_window(&self, name: &str) {
        if let Some(path) = picture_file(&format!("{name}.png")) {
            self.browser.screenshot_of_window(&path);
        }
    }

    /// Takes a picture of the whole page, where pictures are asked for.
    pub fn screenshot(&self, name: &str) {
        if let Some(path) = picture_file(&format!("{name}.png")) {
            self.browser.screenshot(&path);
        }
    }
}

impl Drop for Page {
    /// A test that fails leaves a picture of what the window showed.
    fn drop(&mut self) {
        if std::thread::panicking() {
            let test = std::thread::current().name().unwrap_or("test").replace("::", "-");
            let folder = root().join("target/screenshots");
            let path = folder.join(format!("failed-{test}.png"));
            match std::fs::create_dir_all(&folder).is_ok() && self.browser.try_screenshot(&path) {
                true => say!("what the window showed is in {}", path.display()),
                false => say!("there is no picture of what the window showed"),
            }
        }
    }
}

/// Where a picture or another file that tests make for people goes: into the folder that `ATELIER_SHOTS` names;
/// nowhere, where it names none.
pub fn picture_file(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("ATELIER_SHOTS")?);
    std::fs::create_dir_all(&folder).expect("a folder for screenshots");
    Some(folder.join(name))
}

/// A tab of a browser that other pages had before.
pub fn tab(width: u32, height: u32) -> Lent {
    Lent::any(&set("ATELIER_CHROME"), &set("ATELIER_CHROMEDRIVER"), width, height)
}

/// A browser of its own.
fn chromium(width: u32, height: u32, gpu: bool, more: &[String]) -> Lent {
    let (chrome, driver) = (set("ATELIER_CHROME"), set("ATELIER_CHROMEDRIVER"));
    Lent::own(Browser::open(&chrome, &driver, width, height, gpu, more))
}

/// The built page.
pub fn dist() -> PathBuf {
    PathBuf::from(set("ATELIER_DIST"))
}

pub fn set(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| {
        panic!(
            "{name} is not set: run `cargo xtask test`, which builds the page and finds a browser"
        )
    })
}
