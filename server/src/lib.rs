//! Serves atelier's page on loopback, only to the machine on which it runs: for `atelier open`,
//! `cargo xtask serve` and the tests of the page.
//!
//! hyper speaks HTTP. This crate adds the protection of a page that holds prompts and models: it refuses
//! other sites' names (`request`), sends a content policy with every answer ([`POLICY`]), finds nothing
//! outside the served files ([`Folder`]), and lets no slow or endless request keep other clients out
//! (`crowd`).
//!
//! # Layout
//!
//! - `files`: the served files: a folder, bytes in memory, or another implementation of [`Files`].
//! - `passing`: a site that is served for a while, and leaves nothing in browsers.
//! - `models`: the models folder: its path and its models; [`smollm2`], the model that a package ships.
//! - `served`: a model's files and their list.
//! - `opened`: models and reports that are opened with the page, below a random path.
//! - `request`: the parts of a request that are read, and the requests that are refused.
//! - `answer`: an answer's headers, and its file, which is sent whole, compressed or as a range.
//! - `body`: an answer's body, sent as fast as the client takes it.
//! - `policy`: the content policy of a document, and the pages that may frame it.
//! - `crowd`: the open connections, and which of them is closed when there are too many.
//! - `browser`: opens a browser.

mod answer;
mod body;
mod browser;
mod crowd;
mod files;
mod models;
mod opened;
mod passing;
mod policy;
mod request;
mod served;
pub mod smollm2;

pub use browser::open_browser;
pub use files::{Files, Folder, Found, Sent, mime};
pub use models::{ModelsFolder, models_folder};
pub use opened::{OpenedSite, encoded};
pub use passing::Passing;
pub use policy::policy_in;
pub use served::ServedFiles;

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_io_timeout::TimeoutStream;

use crowd::{Crowd, Guest};

/// The content policy of pages and workers: they may load and ask for nothing except files that are served
/// here. A page's own meta tag says the same, but does not reach a worker that begins from a file.
pub const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; \
                          style-src 'self'; connect-src 'self'; frame-src 'self'; img-src 'self' data: blob:; \
                          font-src 'self' data:; base-uri 'self'; manifest-src 'self'; form-action 'none'";

/// Connections at a time: a browser opens six.
pub const CONNECTIONS: usize = 64;

/// Longest request head that is read, in bytes: more is no browser.
pub const HEAD_LIMIT: usize = 16 * 1024;

/// How long a whole head may take.
pub const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long a reader may stop reading.
const BODY_TIME: Duration = Duration::from_secs(30);

/// How long what was sent and not asked for is read, and how many bytes of it.
const LINGER_TIME: Duration = Duration::from_millis(200);
const LINGER_LIMIT: u64 = 1 << 20;

/// A port of this machine that is taken, but not served yet: a port in use should not be found out
/// after minutes of other work.
pub struct Server {
    listener: TcpListener,
}

impl Server {
    /// Takes a port of the loopback address; 0 takes any that is free.
    ///
    /// # Errors
    /// The port is another program's, or this user may not take it.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        Ok(Self { listener })
    }

    /// # Errors
    /// The system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the program is ended. `policy` is what pages and workers may do, for
    /// [`POLICY`]; with none, no answer has any of the headers that forbid something, as on most static
    /// hosts.
    ///
    /// # Errors
    /// The system gives no threads or timers.
    pub fn serve(self, files: Arc<dyn Files>, policy: Option<&'static str>) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(CONNECTIONS)
            .build()?;
        let site = Arc::new(Site { files, policy });
        self.listener.set_nonblocking(true)?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let crowd = Crowd::default();
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    // No more files can be opened, or one who came went again: neither is for good.
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    continue;
                };
                let site = Arc::clone(&site);
                // Where all are being answered, who asks now may ask again.
                crowd.enter(move |guest| talk(stream, site, guest)).await;
            }
        })
    }
}

/// The served files and their policy.
pub(crate) struct Site {
    files: Arc<dyn Files>,
    policy: Option<&'static str>,
}

/// One question and its answer. A browser that goes away in the middle is no matter.
async fn talk(stream: TcpStream, site: Arc<Site>, guest: Arc<Guest>) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(BODY_TIME));
    let service = service_fn(move |request| {
        guest.has_asked();
        let site = Arc::clone(&site);
        Box::pin(async move { Ok::<_, Infallible>(answer::answer(site, request).await) })
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_LIMIT)
        // Every connection is asking or being answered: none keeps a place for later.
        .keep_alive(false)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    // Why a request broke off, its answer has said.
    let _ = poll_fn(|context| connection.poll_without_shutdown(context)).await;
    let mut stream = connection.into_parts().io.into_inner();
    // If bytes that were sent are not read, the system takes the answer back.
    if stream.shutdown().await.is_ok() {
        let (rest, nowhere) = (&mut stream.take(LINGER_LIMIT), &mut tokio::io::sink());
        let gone = tokio::io::copy(rest, nowhere);
        let _ = tokio::time::timeout(LINGER_TIME, gone).await;
    }
}
