//! Serves atelier's page on loopback, to the machine it runs on and to nobody else: for `atelier open`,
//! `cargo xtask serve` and the tests of the page.
//!
//! HTTP is hyper's. What this crate adds is what a page that holds prompts and models wants of its host:
//! other sites' names are refused (`request`), every answer says what page and worker may do
//! ([`POLICY`]), nothing outside what is served is found ([`Folder`]), and nobody who asks slowly, or
//! never ends asking, keeps others out (`crowd`).
//!
//! # Layout
//!
//! - `files`: what is served: a folder, bytes in memory, or whatever implements [`Files`].
//! - `passing`: nothing of it that browsers keep.
//! - `models`: the models folder, where it lies and what lies in it; [`smollm2`], the model that a package ships.
//! - `served`: a model's files and their list; `opened`: what is opened with the page, below a path that nobody guesses.
//! - `request`: what of a request is heard, and which are refused.
//! - `answer`: an answer's headers, and what of a file is sent: whole, compressed or a range.
//! - `body`: an answer's body, sent as fast as it is taken.
//! - `policy`: what a document may do, and who may frame it.
//! - `crowd`: how many are connected, and who gives way.
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

/// What pages and workers may do: load and ask nothing but what is served here. A page's own meta tag
/// says the same, and a worker that begins from a file does not hear it.
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

/// What is served, and under which policy.
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
        // Whoever is connected is asking or being answered: nobody keeps a place for later.
        .keep_alive(false)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    // Why a request broke off, its answer has said.
    let _ = poll_fn(|context| connection.poll_without_shutdown(context)).await;
    let mut stream = connection.into_parts().io.into_inner();
    // What was sent and not read would make the system take the answer back.
    if stream.shutdown().await.is_ok() {
        let (rest, nowhere) = (&mut stream.take(LINGER_LIMIT), &mut tokio::io::sink());
        let gone = tokio::io::copy(rest, nowhere);
        let _ = tokio::time::timeout(LINGER_TIME, gone).await;
    }
}
