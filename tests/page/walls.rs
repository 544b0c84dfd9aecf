//! The page's workers hold a reader's prompts, and send them nowhere; that of downloads asks the hub alone.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::page::Page;

/// Another origin, which would take what it is sent from anywhere.
pub struct Elsewhere {
    pub port: u16,
    heard: Arc<AtomicUsize>,
}

impl Elsewhere {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("its number").port();
        let heard: Arc<AtomicUsize> = Arc::default();
        let count = Arc::clone(&heard);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut request = [0; 4096];
                if stream.read(&mut request).is_ok_and(|n| n > 0) {
                    count.fetch_add(1, Ordering::SeqCst);
                    let _ = stream.write_all(
                        b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                    );
                }
            }
        });
        Self { port, heard }
    }

    pub fn heard(&self) -> usize {
        self.heard.load(Ordering::SeqCst)
    }
}

#[test]
fn the_worker_sends_nothing_to_another_origin() {
    let elsewhere = Elsewhere::start();
    let page = Page::new(1440, 1000);
    page.with_worker_script(&format!(
        "await fetch('http://127.0.0.1:{}/', {{ method: 'POST', body: 'a prompt' }}).catch(() => {{}});",
        elsewhere.port
    ));
    page.open_live();
    assert_eq!(elsewhere.heard(), 0);

    // The same script as a worker without the page's policy: what is counted above can be counted.
    page.browser.run_async(
        "const done = arguments[0];
         const worker = new Worker('worker_loader.js', { type: 'module' });
         worker.onmessage = () => done(null);",
    );
    assert_eq!(elsewhere.heard(), 1);
}

#[test]
fn the_workers_that_help_it_send_nothing_either() {
    let elsewhere = Elsewhere::start();
    let page = Page::on_cores(
        2,
        &format!(
            "if (name === 'crew') await fetch('http://127.0.0.1:{}/', {{ method: 'POST', body: 'a row' }}).catch(() => {{}});",
            elsewhere.port
        ),
    );
    page.start_sweep(&["drop", "swap", "skip", "repeat", "loop"], 400);
    // One was there, and tried.
    page.until_says("#engine-line", "2 workers");
    assert_eq!(elsewhere.heard(), 0);
}
