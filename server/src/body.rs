//! An answer's body: bytes, or a file that is read while it is sent.

use std::fs::File;
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::task::{JoinHandle, spawn_blocking};

/// Bytes of a file that are read at a time.
const PIECE: u64 = 256 << 10;

/// An answer's body.
pub enum Answer {
    Bytes(Bytes),
    /// The next `left` bytes of a file.
    File {
        left: u64,
        reading: Reading,
    },
}

/// A file between two pieces, or while one is read, in a thread that may wait for the disk.
pub enum Reading {
    Idle(Option<File>),
    Busy(JoinHandle<io::Result<(File, Bytes)>>),
}

impl Body for Answer {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let (left, reading) = match self.get_mut() {
            Self::Bytes(bytes) if bytes.is_empty() => return Poll::Ready(None),
            Self::Bytes(bytes) => {
                return Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes)))));
            }
            Self::File { left, reading } => (left, reading),
        };
        if let Reading::Idle(file) = reading {
            let Some(file) = file.take().filter(|_| *left > 0) else {
                return Poll::Ready(None);
            };
            let length = PIECE.min(*left);
            *reading = Reading::Busy(spawn_blocking(move || read(file, length)));
        }
        let Reading::Busy(busy) = reading else {
            return Poll::Ready(None);
        };
        let read = ready!(Pin::new(busy).poll(context)).map_err(io::Error::other);
        Poll::Ready(Some(read.flatten().map(|(file, piece)| {
            *left -= piece.len() as u64;
            *reading = Reading::Idle(Some(file));
            Frame::data(piece)
        })))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::File { left, .. } => *left == 0,
        }
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::File { left, .. } => *left,
        })
    }
}

/// # Errors
/// Among others, the file became shorter: the reader sees that the answer broke off.
fn read(mut file: File, length: u64) -> io::Result<(File, Bytes)> {
    let mut piece = vec![0; length as usize];
    file.read_exact(&mut piece)?;
    Ok((file, piece.into()))
}
