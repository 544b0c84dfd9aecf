//! `cargo xtask serve`: its options, and `dist/` on the server of `atelier open`.

use std::path::Path;
use std::sync::Arc;

use atelier_server::{
    Folder, ModelsFolder, OpenedSite, POLICY, Passing, Server, models_folder, open_browser,
};

use crate::command::Stop;
use crate::options::Options;

const PORT: u16 = 8080;

#[derive(Debug, PartialEq, Eq)]
pub struct Wishes {
    pub port: u16,
    /// Whether to open a browser.
    pub open: bool,
}

impl Wishes {
    pub fn take(options: &mut Options) -> Result<Self, Stop> {
        let open = !options.has("--no-open");
        let port =
            options.value("--port", "needs a number after it")?.map_or(Ok(PORT), |number| {
                let odd = format!("`{number}` is no port: give a number up to 65535.");
                number.parse().map_err(|_| Stop::usage(odd))
            })?;
        Ok(Self { port, open })
    }
}

/// Takes the port; 0 takes any that is free.
pub fn listen(port: u16) -> Result<Server, Stop> {
    Server::bind(port).map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            Stop::new(format!("Port {port} is in use by another program."))
                .try_running("cargo xtask serve --port 0")
        }
        _ => Stop::new(format!("Port {port} cannot be used: {error}."))
            .try_running("cargo xtask serve --port 0"),
    })
}

/// Serves a folder until the program is ended, and beside it the models of this user's models folder.
pub fn serve(server: Server, folder: &Path, open: bool) -> Result<(), Stop> {
    let address = server
        .address()
        .map_err(|error| Stop::new(format!("The server has no address: {error}.")))?;
    let unserved = |error| Stop::new(format!("{} cannot be served: {error}.", folder.display()));
    let files = Folder::new(folder).map_err(unserved)?;
    let mut site = OpenedSite::new(files).map_err(unserved)?;
    match ModelsFolder::of_user() {
        Ok(Some(models)) => site.offer(models),
        Ok(None) => {}
        Err(error) => {
            let folder = models_folder().unwrap_or_default();
            println!("✗ The models folder {} cannot be read: {error}.", folder.display());
        }
    }
    let url = format!("http://{address}/{}", site.query());
    println!("atelier is at {url} (Ctrl-C ends it)");
    if open && !open_browser(&url) {
        println!("There is no desktop here to open a browser on: open that address by hand.");
    }
    server.serve(Arc::new(Passing(site)), Some(POLICY)).map_err(unserved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::taken;

    fn options(words: &[&str]) -> Result<Wishes, String> {
        taken("serve", words, Wishes::take)
    }

    #[test]
    fn options_are_read_in_any_order() {
        assert_eq!(options(&[]), Ok(Wishes { port: PORT, open: true }));
        let want = Ok(Wishes { port: 9000, open: false });
        assert_eq!(options(&["--port", "9000", "--no-open"]), want);
        assert_eq!(options(&["--no-open", "--port=9000"]), want);
        assert!(options(&["--port"]).is_err_and(|why| why.contains("needs a number")));
        assert!(options(&["--port", "70000"]).is_err_and(|why| why.contains("`70000` is no port")));
        assert!(options(&["--fast"]).is_err_and(|why| why.contains("takes no `--fast`")));
    }

    #[test]
    fn a_taken_port_is_one_sentence() {
        let first = listen(0).unwrap();
        let port = first.address().unwrap().port();
        let why = listen(port).err().unwrap().to_string();
        assert!(why.starts_with(&format!("Port {port} is in use by another program.")), "{why}");
    }
}
