//! `cargo e2e bench`: how long until a person sees what they type, while a hook sleeps and the model streams? Types into a
//! pseudoterminal and waits for each character to come back. In the debug build, which is slower than the released one.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::terminal::fixture::Fixture;
use crate::{Report, tree};

/// How many keys.
const KEYS: u32 = 500;
/// The reach: a delay that people do not notice.
const REACH: Duration = Duration::from_millis(50);
/// How long one key may take before something is broken.
const BROKEN: Duration = Duration::from_secs(20);
/// The typed characters, each of them once, so that none is taken for another.
const FIRST: u32 = 0xac00;
/// How many fit into the composer before it is emptied.
const LINE: u32 = 25;

const HOOKS: &str = "[hook.sleeps]\non = \"UserPromptSubmit\"\ntimeout = \"20m\"\n\
    shell = \"if grep -q hold; then touch held; sleep 1000; fi\"\n";

pub(crate) fn run() -> Report {
    tree::build("tenterhook-agent")?;
    let program = tree::root().join("target/debug/tenterhook-agent");
    let words = "word ".repeat(50_000);
    let script = format!("[[reply]]\ntext = \"streaming {words}\"\nword_ms = 5\n");
    let fixture = Fixture::new(&program, HOOKS, &script)?;
    let mut line = Line::open(&fixture)?;
    line.await_text("Type a prompt")?;
    line.write("talk\r")?;
    // One word: the terminal is sent what changes, and a gap between two words does not.
    line.await_text("streaming")?;
    line.write("hold\r")?;
    crate::terminal::fixture::awaited(|| Ok(fixture.project().join("held").exists()))
        .map_err(|why| format!("the hook did not begin{why}"))?;
    let mut took = Vec::new();
    for at in 0..KEYS {
        let typed = char::from_u32(FIRST + at).ok_or("not a character")?.to_string();
        let began = Instant::now();
        line.write(&typed)?;
        line.await_text(&typed)?;
        took.push(began.elapsed());
        if at % LINE == LINE - 1 {
            line.write("\u{15}")?;
        }
    }
    took.sort_unstable();
    let at = |part: usize| took.get(took.len() * part / 100).copied().unwrap_or_default();
    let (half, most, last) = (at(50), at(99), took.last().copied().unwrap_or_default());
    let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
    let text = format!(
        "echo of {KEYS} keys while a hook sleeps and the model streams: p50 {:.1} ms, p99 {:.1} ms, most {:.1} ms (reach {} ms)\n",
        ms(half),
        ms(most),
        ms(last),
        REACH.as_millis()
    );
    Ok((text, most <= REACH))
}

/// The agent at the other end of a pseudoterminal.
struct Line {
    child: Child,
    keys: std::fs::File,
    output: Receiver<String>,
    /// Received output that was not searched yet.
    rest: String,
}

impl Line {
    fn open(fixture: &Fixture) -> Result<Self, String> {
        let (near, far) = pair().map_err(|error| format!("no pseudoterminal: {error}"))?;
        let end = |fd: &OwnedFd| fd.try_clone().map(Stdio::from).map_err(|error| error.to_string());
        let mut command = fixture.command(&[]);
        command.stdin(end(&far)?).stdout(end(&far)?).stderr(end(&far)?);
        #[expect(
            clippy::disallowed_methods,
            reason = "the program under test, on a separate terminal"
        )]
        let child = command.spawn().map_err(|error| format!("the agent cannot be run: {error}"))?;
        drop((command, far));
        let mut screen = std::fs::File::from(near.try_clone().map_err(|error| error.to_string())?);
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let (mut buffer, mut open) = (vec![0; 64 * 1024], Vec::new());
            while let Ok(read @ 1..) = screen.read(&mut buffer) {
                open.extend(buffer.iter().take(read));
                // A character that is cut in two is whole with the next piece.
                let whole = match std::str::from_utf8(&open) {
                    Ok(_) => open.len(),
                    Err(error) if error.error_len().is_none() => error.valid_up_to(),
                    Err(_) => open.len(),
                };
                let text =
                    String::from_utf8_lossy(&open.drain(..whole).collect::<Vec<_>>()).into_owned();
                if sender.send(text).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, keys: near.into(), output, rest: String::new() })
    }

    fn write(&mut self, keys: &str) -> Result<(), String> {
        self.keys.write_all(keys.as_bytes()).map_err(|error| error.to_string())
    }

    /// Waits until this is written to the terminal.
    fn await_text(&mut self, text: &str) -> Result<(), String> {
        let until = Instant::now() + BROKEN;
        loop {
            if let Some((_, after)) = self.rest.split_once(text) {
                self.rest = after.to_owned();
                return Ok(());
            }
            let wait = until.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(wait) {
                Ok(more) => self.rest.push_str(&more),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("`{text}` did not come back"));
                }
                Err(RecvTimeoutError::Disconnected) => return Err("the agent left".to_owned()),
            }
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        // It ends with its terminal in any case.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Both ends of a pseudoterminal of eighty columns.
fn pair() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    let near = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&near)?;
    unlockpt(&near)?;
    let name = ptsname(&near, Vec::new())?;
    let far =
        rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
    tcsetwinsize(&far, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 })?;
    Ok((near, far))
}
