//! The view of couplings.

mod numbers;
mod pictures;
mod rows;
#[cfg(unix)]
mod served;

use serde_json::Value;

use crate::page::Page;

impl Page {
    /// The view with the live model's pictures.
    pub fn coupling(width: u32, height: u32, more: &str) -> Self {
        let page = Self::new(width, height);
        page.open(&format!("#view=coupling{more}"));
        page.until_coupled();
        page
    }

    pub fn until_mapped(&self) {
        self.browser
            .until("the map is drawn", "document.querySelector('#figure-coupling-map .chart svg')");
    }

    pub fn until_coupled(&self) {
        self.until_mapped();
        self.until_says(".bar .provenance", "Computed here");
        self.until_settled();
    }

    pub fn said_of(&self, key: &str) -> String {
        self.text(&format!("#figure-{key} h3"))
    }

    /// The number of decimals that a sentence holds, in order.
    pub fn numbers_of(&self, key: &str) -> Vec<f64> {
        let text = self.said_of(key).replace('−', "-");
        let words = text.split(|c: char| !(c.is_ascii_digit() || ".-".contains(c)));
        words.filter_map(|word| word.trim_end_matches('.').parse().ok()).collect()
    }

    pub fn until_hash(&self, has: &str) {
        let quoted = Value::from(has);
        self.browser
            .until(&format!("the address has {has}"), &format!("location.hash.includes({quoted})"));
    }

    pub fn choose_by(&self, css: &str, value: &str) {
        self.browser.run(&format!(
            "const s = document.querySelector('{css}'); s.value = '{value}'; s.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ));
    }

    pub fn table_of(&self, key: &str) -> Vec<Vec<String>> {
        self.browser.run(&format!("document.querySelector('#figure-{key} .numbers').open = true"));
        self.browser.until(
            "the table is there",
            &format!("document.querySelector('#figure-{key} tbody tr')"),
        );
        let rows = self.browser.run(&format!(
            "return [...document.querySelectorAll('#figure-{key} tbody tr')].map(r => [...r.children].map(c => c.textContent))"
        ));
        self.browser.run(&format!("document.querySelector('#figure-{key} .numbers').open = false"));
        serde_json::from_value(rows).expect("a table")
    }
}

impl Page {
    /// A live page, once this one is closed: browsers take turns.
    pub fn live_after(page: Self) -> Self {
        drop(page);
        Self::live()
    }
}
