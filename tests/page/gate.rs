//! A port that leads to a host, and can be closed: the network that goes away.

use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

pub struct Gate {
    pub port: u16,
    ways: Arc<Mutex<Ways>>,
}

/// Connections that came through, and whether more may.
#[derive(Default)]
struct Ways {
    is_closed: bool,
    open: Vec<TcpStream>,
}

impl Ways {
    /// The way in, and the way on to the port `behind`; `None` where nobody is let through.
    fn let_through(&mut self, outside: &TcpStream, behind: u16) -> Option<TcpStream> {
        if self.is_closed {
            return None;
        }
        let inside = TcpStream::connect(("127.0.0.1", behind)).ok()?;
        self.open.push(outside.try_clone().ok()?);
        self.open.push(inside.try_clone().ok()?);
        Some(inside)
    }
}

impl Gate {
    /// An open one before a port of this machine.
    pub fn before(behind: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("its number").port();
        let ways: Arc<Mutex<Ways>> = Arc::default();
        let taken = Arc::clone(&ways);
        std::thread::spawn(move || {
            for outside in listener.incoming().flatten() {
                let inside = taken.lock().expect("the ways").let_through(&outside, behind);
                if let Some(inside) = inside {
                    pass(&outside, &inside);
                    pass(&inside, &outside);
                }
            }
        });
        Self { port, ways }
    }

    /// Nobody is let through any more, and who is on the way is cut off: browsers ask again over connections
    /// that they keep.
    pub fn close(&self) {
        let mut ways = self.ways.lock().expect("the ways");
        ways.is_closed = true;
        for way in ways.open.drain(..) {
            // One that has ended is no matter.
            let _ = way.shutdown(Shutdown::Both);
        }
    }

    pub fn open(&self) {
        self.ways.lock().expect("the ways").is_closed = false;
    }
}

/// Passes on what one says to the other, until it has said all.
fn pass(from: &TcpStream, to: &TcpStream) {
    let (Ok(mut from), Ok(mut to)) = (from.try_clone(), to.try_clone()) else { return };
    std::thread::spawn(move || {
        // A browser that goes away in the middle is no matter.
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
}
