//! Two tabs of the page, which share what this browser keeps.

use super::{REPO, Scene, newer};
use crate::test_hub::{Place, sha256};

/// The list of models of a second page, which has a download worker of its own, in a frame of the first.
const OTHER: &str = "document.querySelector('#other')?.contentDocument?.querySelector('#chooser')";

const IS_FETCHING: &str = "Another tab of this page is fetching hub:makers/tiny";

impl Scene {
    /// Opens another page, fetches the model slowly in this one, and shows the other page's list meanwhile.
    fn begin_beside_another(&self) {
        self.page.browser.run(
            "const other = document.createElement('iframe');
             other.id = 'other';
             other.src = './?other#model=scholar-2';
             document.body.append(other);",
        );
        // It takes a busy machine longer to open a page than to fetch the model.
        self.page.browser.within("#other", || self.page.until_says(".provenance", "Computed here"));

        self.show();
        self.slow(16);
        self.fetch();
        self.until_some_came();
        self.page.browser.within("#other", || {
            self.page.browser.run("document.querySelector('#model').click()");
        });
        self.until_other("it lists what has come", "other.querySelector('.kept-model .delete')");
    }

    fn until_other(&self, what: &str, expression: &str) {
        let there = expression.replace("other.", &format!("{OTHER}?."));
        self.page.browser.until(what, &there);
    }

    fn press_in_other(&self, css: &str) {
        self.until_other(css, &format!("other.querySelector('{css}')?.disabled === false"));
        self.page.browser.run(&format!("{OTHER}.querySelector('{css}').click()"));
    }

    fn other_says(&self, css: &str, words: &str) {
        let text = format!("other.querySelector('{css}')?.textContent.includes('{words}')");
        self.until_other(&format!("the other page says {words}"), &text);
    }

    fn look_up_in_other(&self) {
        self.page.browser.run(&format!(
            "const i = {OTHER}.querySelector('#hub-name');
             i.value = '{REPO}'; i.dispatchEvent(new Event('input', {{ bubbles: true }}));"
        ));
        self.press_in_other("#look-up");
    }
}

/// It was said to be deleted, came to its end, and was gone then.
#[test]
fn what_another_tab_fetches_is_not_deleted() {
    let scene = Scene::new();
    scene.begin_beside_another();
    scene.press_in_other(".kept-model .delete");
    scene.press_in_other(".kept-model .sure");
    scene.other_says(".problem", IS_FETCHING);
    scene.until_fetched();
    scene.assert_whole();
    // Once it is here, any tab may.
    scene.press_in_other(".kept-model .delete");
    scene.press_in_other(".kept-model .sure");
    scene.other_says(".status-line", "is deleted");
    assert!(scene.kept().is_empty(), "{:?}", scene.kept());
}

/// Whichever ended second removed the other's record, and then the files of both.
#[test]
fn two_commits_of_one_model_do_not_end_each_other() {
    let scene = Scene::new();
    scene.begin_beside_another();
    scene.hub.put(REPO, Place::open(&newer()));
    scene.look_up_in_other();
    scene.press_in_other("#download");
    scene.other_says(".problem", IS_FETCHING);
    scene.until_fetched();
    scene.assert_whole();
    scene.hub.mend();
    scene.look_up_in_other();
    scene.press_in_other("#download");
    scene.other_says(".status-line", "is here, whole and checked");
    let has_newer =
        |(_, bytes): &(&str, Vec<u8>)| scene.kept().iter().any(|(_, hash)| *hash == sha256(bytes));
    assert!(newer().iter().all(has_newer), "{:?}", scene.kept());
}

/// One tab's own download keeps nobody from deleting the commit that it replaces.
#[test]
fn the_older_commit_is_deleted_while_the_newer_one_comes() {
    let scene = Scene::shown();
    scene.fetch_whole();
    scene.hub.put(REPO, Place::open(&newer()));
    scene.slow(8);
    scene.show();
    scene.fetch();
    scene.until_some_came();
    scene.delete(".kept-model:has(.open)");
    scene.says(".status-line", "is deleted");
    scene.hub.mend();
    scene.says(".status-line", "is here, whole and checked");
}
