//! Models and reports that are opened with the page: below a random path, each in a folder of its own. A command line
//! shows that path while it opens a browser (SECURITY.md).

use std::io;

use hyper::body::Bytes;

use crate::files::{Files, Found, Sent};
use crate::models::ModelsFolder;
use crate::served::ServedFiles;
use crate::smollm2;

/// A page, and beside it what was opened with it.
pub struct OpenedSite<F> {
    page: F,
    path: String,
    opened: Vec<Box<dyn Files>>,
    /// Name of the model opened: no other one has it.
    taken: Option<String>,
    /// `key=value` pairs of the address that names what was opened.
    query: Vec<String>,
}

impl<F: Files> OpenedSite<F> {
    /// A page with nothing opened yet.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new(page: F) -> io::Result<Self> {
        let unguessable = getrandom::u64().map_err(io::Error::other)?;
        let path = format!("opened/{unguessable:016x}/");
        Ok(Self { page, path, opened: Vec::new(), taken: None, query: Vec::new() })
    }

    /// Opens a report, of a name that has no slash.
    pub fn open_report(&mut self, name: String, bytes: Vec<u8>) {
        self.name_in_query("report", &encoded(&name));
        self.opened.push(Box::new(ServedReport { name, bytes: bytes.into() }));
    }

    /// Opens a model: the page begins with it.
    pub fn open_model(&mut self, model: ServedFiles) {
        self.begin_with(model.name());
        model.begin_hashing();
        self.taken = Some(model.name().to_owned());
        self.opened.push(Box::new(model));
    }

    /// Offers the models of a folder, if there are any. Where nothing else was opened and SmolLM2 is among them, the
    /// page begins with it.
    pub fn offer(&mut self, mut folder: ModelsFolder) {
        folder.leave(self.taken.clone());
        let models = folder.models();
        if models.is_empty() {
            return;
        }
        let first = models.iter().find(|model| smollm2::is_it(model));
        if let Some(first) = first.filter(|_| self.opened.is_empty()) {
            self.begin_with(first.name());
            first.begin_hashing();
        }
        self.name_in_query("models", "");
        self.opened.push(Box::new(folder));
    }

    fn begin_with(&mut self, model: &str) {
        self.name_in_query("model", &format!("{}/", encoded(model)));
    }

    /// Names what is opened next by its path, spelled as in a URL: as a value of the query that spelling is encoded
    /// again.
    fn name_in_query(&mut self, key: &str, inner: &str) {
        let path = format!("{}{}/{inner}", self.path, self.opened.len());
        self.query.push(format!("{key}={}", encoded(&path)));
    }

    /// The part of the page's address that names what was opened: empty, or `?…`.
    pub fn query(&self) -> String {
        if self.query.is_empty() { String::new() } else { format!("?{}", self.query.join("&")) }
    }
}

impl<F: Files> Files for OpenedSite<F> {
    fn find(&self, path: &str) -> Option<Found> {
        match path.strip_prefix(&self.path) {
            Some(opened) => {
                let (index, inner) = opened.split_once('/')?;
                self.opened.get(index.parse::<usize>().ok()?)?.find(inner)
            }
            None => self.page.find(path),
        }
    }

    fn compresses(&self) -> bool {
        self.page.compresses()
    }

    fn sent(&self, answer: &Sent) {
        self.page.sent(answer);
    }
}

struct ServedReport {
    name: String,
    bytes: Bytes,
}

impl Files for ServedReport {
    fn find(&self, path: &str) -> Option<Found> {
        (path == self.name).then(|| Found::bytes(path, self.bytes.clone()))
    }
}

/// Percent-encoded: as a part of a path, or as a value in a query.
pub fn encoded(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(byte);
    text.bytes()
        .map(|byte| match byte {
            byte if plain(&byte) => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoPage;

    impl Files for NoPage {
        fn find(&self, _path: &str) -> Option<Found> {
            None
        }
    }

    #[test]
    fn only_what_was_opened_is_below_opened() {
        let mut site = OpenedSite::new(NoPage).expect("random numbers");
        assert_eq!(site.query(), "");
        site.open_report("a b.json".into(), b"{}".to_vec());
        let path = site.path.clone();
        assert_eq!(site.query(), format!("?report={path}0/a%2520b.json"));
        assert!(site.find(&format!("{path}0/a b.json")).is_some());
        for other in
            ["", "a b.json", "0/b.json", "0/a b.json/", "1/a b.json", "0/models.json", "x/y"]
        {
            assert!(site.find(&format!("{path}{other}")).is_none(), "{other}");
            assert!(site.find(&format!("opened/{other}")).is_none(), "{other}");
        }
        // A client that does not know the path does not find it, and each run has another path.
        assert!(site.find("opened/a b.json").is_none());
        let digits = path.strip_prefix("opened/").and_then(|rest| rest.strip_suffix('/'));
        assert_eq!(digits.map(str::len), Some(16));
        assert_ne!(OpenedSite::new(NoPage).expect("random numbers").path, path);
        assert_eq!(encoded("a b&#é.json"), "a%20b%26%23%C3%A9.json");
    }

    #[test]
    fn the_address_names_the_models_and_the_one_to_begin_with() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = || ModelsFolder::open(home.path()).expect("the folder");
        let offered = |report: bool| {
            let mut site = OpenedSite::new(NoPage).expect("random numbers");
            if report {
                site.open_report("r".into(), Vec::new());
            }
            site.offer(folder());
            site.query().replace(&site.path, "PATH/")
        };
        assert_eq!(offered(false), "", "an empty folder offers nothing");
        std::fs::write(home.path().join("a b.gguf"), "").expect("a file");
        assert_eq!(offered(false), "?models=PATH/0/");
        let file = std::fs::File::create(home.path().join(smollm2::FILE)).expect("a file");
        file.set_len(smollm2::BYTES).expect("a sparse file");
        let first = "?model=PATH/0/SmolLM2-135M-Instruct.Q4_1/&models=PATH/0/";
        assert_eq!(offered(false), first);
        assert_eq!(offered(true), "?report=PATH/0/r&models=PATH/1/");
    }

    fn text(found: Option<Found>) -> String {
        match found {
            Some(Found::Bytes { bytes, .. }) => String::from_utf8_lossy(&bytes).into_owned(),
            _ => panic!("not there"),
        }
    }

    /// Two of one name were one, and a report called `models.json` hid the list.
    #[test]
    fn what_is_opened_hides_nothing_of_the_models_folder() {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::write(home.path().join("b.gguf"), "of the folder").expect("a file");
        let folder = || ModelsFolder::open(home.path()).expect("the folder");
        let mut site = OpenedSite::new(NoPage).expect("random numbers");
        let elsewhere = home.path().join("elsewhere.gguf");
        let opened =
            ServedFiles::new("b".into(), "b.gguf".into(), vec![("b.gguf".into(), elsewhere)]);
        site.open_model(opened);
        site.offer(folder());
        let path = site.path.clone();
        assert_eq!(site.query(), format!("?model={path}0/b/&models={path}1/"));
        let list = text(site.find(&format!("{path}1/models.json")));
        assert!(list.contains("\"b (2)\"") && !list.contains("\"b\""), "{list}");
        assert!(site.find(&format!("{path}1/b (2)/b.gguf")).is_some());

        let mut site = OpenedSite::new(NoPage).expect("random numbers");
        site.open_report("models.json".into(), b"a report".to_vec());
        site.offer(folder());
        assert_eq!(text(site.find(&format!("{}0/models.json", site.path))), "a report");
        assert!(text(site.find(&format!("{}1/models.json", site.path))).contains("\"b\""));
    }
}
