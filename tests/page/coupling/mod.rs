//! The view of couplings.

mod numbers;
mod pictures;
mod rows;
#[cfg(unix)]
mod served;

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
        self.until_figure("coupling-map");
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

    /// The rows of a figure's table, which is folded again.
    pub fn table_of(&self, key: &str) -> Vec<Vec<String>> {
        let rows = self.table(key);
        self.browser.run(&format!("document.querySelector('#figure-{key} .numbers').open = false"));
        rows
    }

    /// A live page, once this one is closed: browsers take turns.
    pub fn live_after(page: Self) -> Self {
        drop(page);
        Self::live()
    }
}
