//! The host at the other end of `fire --stream`: its lines, its disappearance, and the lines sent to it. Does not interpret
//! lines.
//!
//! Reading, writing and watching have a thread each: a host that does not read must not keep hooks from being ended when it
//! goes, and a blocked read must not hold up an outcome.

use std::io::{BufRead, Read};

use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use super::super::input::MAX_BYTES;
use crate::problem::Problem;
use crate::term::{Reader, Term};
use crate::wait::Starved;

/// How many lines are read ahead.
const AHEAD: usize = 16;

/// What of the host is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gone {
    /// It asks nothing more.
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Unix sees it before the input is read"))]
    Asking,
    /// It stopped reading: answers cannot reach it.
    Reading,
}

/// A line for the host, with the permit that it holds until it is written.
pub(super) type OutgoingLine = (String, Option<OwnedSemaphorePermit>);

/// The host.
pub(super) struct Host {
    /// What it asks.
    pub(super) lines: mpsc::Receiver<Vec<u8>>,
    /// That it goes.
    pub(super) gone: mpsc::UnboundedReceiver<Gone>,
    /// Lines to send to the host.
    pub(super) outgoing: mpsc::UnboundedSender<OutgoingLine>,
    /// That all of it is written.
    pub(super) written: oneshot::Receiver<Result<(), Problem>>,
    /// Whether the input is a file, which cannot go away: then all of its lines are answered.
    pub(super) is_file: bool,
}

impl Host {
    /// # Errors
    ///
    /// That no thread can be made.
    pub(super) fn new(term: Term) -> Result<Self, Starved> {
        let (asks, lines) = mpsc::channel(AHEAD);
        let (outgoing, unsent) = mpsc::unbounded_channel();
        let (goes, gone) = mpsc::unbounded_channel();
        let (wrote, written) = oneshot::channel();
        spawn_thread(move || send_stdin_lines(&asks))?;
        spawn_thread(move || {
            // The receiver may have gone, if the program ends first.
            let _ = wrote.send(write_lines_to_stdout(unsent, term));
        })?;
        spawn_thread(move || watch_pipes(&goes))?;
        Ok(Self { lines, gone, outgoing, written, is_file: is_stdin_file() })
    }
}

fn spawn_thread(work: impl FnOnce() + Send + 'static) -> Result<(), Starved> {
    std::thread::Builder::new().spawn(work).map(drop).map_err(Starved::new)
}

fn send_stdin_lines(lines: &mpsc::Sender<Vec<u8>>) {
    let mut input = std::io::stdin().lock();
    loop {
        let mut line = Vec::new();
        // A line that is too long arrives cut, fails to parse and is denied, once: its rest is no line.
        match (&mut input).take(MAX_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) if !line.ends_with(b"\n") && input.skip_until(b'\n').is_err() => break,
            Ok(_) if line.iter().all(u8::is_ascii_whitespace) => {}
            Ok(_) => {
                if lines.blocking_send(line).is_err() {
                    break;
                }
            }
        }
    }
}

fn write_lines_to_stdout(
    mut texts: mpsc::UnboundedReceiver<OutgoingLine>,
    term: Term,
) -> Result<(), Problem> {
    while let Some((text, _room)) = texts.blocking_recv() {
        if term.print_data_if_read(&text)? == Reader::Gone {
            break;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_stdin_file() -> bool {
    use std::os::fd::AsFd;
    let input = std::io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from);
    input.and_then(|input| input.metadata()).is_ok_and(|metadata| metadata.is_file())
}

#[cfg(not(unix))]
fn is_stdin_file() -> bool {
    false
}

/// Watches both ends. The end of input is noticed even if earlier lines have not been read. If the
/// input is a file, only the output is watched.
#[cfg(unix)]
fn watch_pipes(goes: &mpsc::UnboundedSender<Gone>) {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    const ENDED: PollFlags =
        PollFlags::HUP.union(PollFlags::ERR).union(PollFlags::NVAL).union(HALF_CLOSED);
    let (input, output) = (std::io::stdin(), std::io::stdout());
    let mut asks = true;
    loop {
        let mut ends = [PollFd::new(&output, PollFlags::empty()), PollFd::new(&input, HALF_CLOSED)];
        let watched = if asks { &mut ends } else { ends.split_at_mut(1).0 };
        match poll(watched, None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return,
        }
        let [reading, asking] = ends.each_ref().map(|poll_fd| poll_fd.revents().intersects(ENDED));
        if reading {
            // The receiver may have ended meanwhile.
            let _ = goes.send(Gone::Reading);
            return;
        }
        if asking && asks {
            asks = false;
            if goes.send(Gone::Asking).is_err() {
                return;
            }
        }
    }
}

/// A socket whose other end writes no more.
#[cfg(all(unix, target_os = "linux"))]
const HALF_CLOSED: rustix::event::PollFlags = rustix::event::PollFlags::RDHUP;
#[cfg(all(unix, not(target_os = "linux")))]
const HALF_CLOSED: rustix::event::PollFlags = rustix::event::PollFlags::empty();

/// Does nothing: on this system the end of input is noticed by reading, and a missing reader by
/// writing.
#[cfg(not(unix))]
fn watch_pipes(_: &mpsc::UnboundedSender<Gone>) {}
