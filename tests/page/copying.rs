//! The button that puts the page's address on the clipboard.

use serde_json::{Value, json};

use crate::page::Page;

const BUTTON: &str = "[...document.querySelectorAll('.keep > button')].find(b => /link|address/i.test(b.textContent))";

impl Page {
    /// Lets the page write to the clipboard and the test read it, or neither.
    pub fn clipboard(&self, setting: &str) {
        for name in ["clipboard-read", "clipboard-write"] {
            self.browser.devtools(
                "Browser.setPermission",
                &json!({
                    "permission": { "name": name, "allowWithoutSanitization": true },
                    "setting": setting,
                }),
            );
        }
    }

    /// Clicks the button and waits until it says what came of it.
    fn copy_link(&self, outcome: &str) {
        // What it said of the last click is gone after a while.
        self.browser
            .until("the button offers the link", &format!("{BUTTON}.textContent === 'Copy link'"));
        // Said to screen readers as well, perhaps just before something else is.
        self.browser.run(&format!(
            "const said = document.querySelector('[role=status]');
             window.said = said.textContent;
             const hear = () => window.said += said.textContent + '\\n';
             new MutationObserver(hear).observe(said, {{ childList: true, characterData: true, subtree: true }});
             {BUTTON}.click()"
        ));
        let outcome = Value::from(outcome);
        self.browser.until(
            &format!("the button says {outcome}"),
            &format!("{BUTTON}.textContent === {outcome}"),
        );
        self.browser
            .until(&format!("{outcome} is said"), &format!("window.said.includes({outcome})"));
    }

    /// The text on the clipboard.
    pub fn copied(&self) -> String {
        let text = self.browser.run_async(
            "const done = arguments[0]; navigator.clipboard.readText().then(done, e => done('unreadable: ' + e))",
        );
        text.as_str().expect("a text").to_owned()
    }
}

#[test]
fn the_copied_link_is_the_address_and_holds_the_picture() {
    let page = Page::live();
    page.clipboard("granted");
    // Before anything was changed the address is bare, but the link already says all.
    page.copy_link("Link copied");
    let first = page.copied();
    assert!(
        first.starts_with(&format!("{}#", page.server.url())) && first.contains("prompt="),
        "{first}"
    );

    // With everything that a link has to spell: a plan, a column, odd letters.
    page.browser.type_into("#plan", "0-1,(0,1)x2");
    page.browser.until(
        "the plan ran",
        "location.hash.includes('plan=') && document.querySelectorAll('#component option').length > 7",
    );
    page.browser.click("input[name=column][value=logit]");
    page.browser.click("#prompt");
    page.browser.keys("\u{E010} & 100% “ü”");
    page.browser
        .until("the address has the new prompt", "decodeURIComponent(location.hash).includes('ü')");
    page.judge(1);
    page.until_hash("answer=1");
    page.browser.run("document.activeElement.blur()");
    page.copy_link("Link copied");
    let link = page.copied();
    assert_eq!(link, page.browser.text("location.href"));
    assert_ne!(link, first);

    // Opened elsewhere, it is the same picture.
    page.browser.run(
        "const s = document.querySelector('#prompt'); s.value = s.value.replace(/ & 100.*/, ''); s.dispatchEvent(new Event('input', { bubbles: true }));",
    );
    page.judge(1);
    page.until_settled();
    page.until_picture();
    page.copy_link("Link copied");
    let link = page.copied();
    let picture = page.picture();
    page.browser.go("about:blank");
    page.browser.go(&link);
    page.until_live();
    page.until_settled();
    assert_eq!(page.browser.text("location.href"), link);
    assert_eq!(page.picture(), picture);
    page.assert_quiet();
}

#[test]
fn without_leave_to_copy_the_button_points_to_the_address() {
    let page = Page::live();
    page.clipboard("denied");
    page.copy_link("Copy it from the address bar");
    page.browser
        .until("the button is itself again", &format!("{BUTTON}.textContent === 'Copy link'"));
}

#[test]
fn a_picture_is_copied_with_what_it_is_of() {
    let page = Page::live();
    page.clipboard("granted");
    // What the picture says is looked at on its way to the canvas.
    page.browser.run(
        "const src = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, 'src');
         Object.defineProperty(HTMLImageElement.prototype, 'src', { set(v) { window.painted = decodeURIComponent(v); src.set.call(this, v); }, get: src.get });",
    );
    page.press_in_menu("spread", "Copy picture");
    page.until_says("[role=status]", "Picture copied");
    page.until_says("#figure-spread .outcome", "Picture copied");
    let size = page.browser.run_async(
        "const done = arguments[0];
         navigator.clipboard.read()
           .then(items => items[0].getType('image/png'))
           .then(blob => createImageBitmap(blob))
           .then(image => done([image.width, image.height]), e => done(String(e)))",
    );
    assert_eq!(size[0], json!(1920), "{size}");
    assert!(size[1].as_u64() > Some(400), "{size}");
    let painted = page.browser.text("window.painted.replace(/<[^>]*>/g, ' ').replace(/\\s+/g, '')");
    let title = page.text("#figure-spread h3").replace(' ', "");
    let link = page.server.url();
    for said in [title.as_str(), "scholar-12·plan0-11·", &link] {
        assert!(painted.contains(said), "{said} is not in {painted}");
    }

    // Where a hand has clicked, browsers ask nobody; elsewhere a script's click needs the permission.
    page.clipboard("denied");
    page.browser.reload();
    page.until_live();
    page.press_text("#menu-spread button", "Copy picture");
    page.until_says("#figure-spread .problem", "save it as PNG");
    // There is no way to share here, and so no entry.
    assert!(!page.text("#menu-spread").contains("Share"));
}

#[test]
fn a_picture_is_shared_where_the_system_has_a_way() {
    let page = Page::new(1440, 1000);
    page.browser.before_every_document(
        "navigator.canShare = data => data.files.length === 1;
             navigator.share = async data => { window.shared = data; };",
    );
    page.open_live();
    page.press_in_menu("spread", "Share");
    page.browser.until("it is shared", "window.shared");
    let shared = page.browser.run(
        "return [shared.files[0].name, shared.files[0].type, shared.files[0].size > 10000, shared.title, shared.url]",
    );
    assert_eq!(shared[0], json!("atelier-spread.png"));
    assert_eq!((&shared[1], &shared[2]), (&json!("image/png"), &json!(true)));
    assert_eq!(shared[3], json!(page.text("#figure-spread h3")));
    assert!(
        shared[4].as_str().is_some_and(|url| url.contains("#prompt=") || url.contains("prompt="))
    );
    page.assert_quiet();
}
