//! A real Chromium without a window, controlled through two pipes: no port, no driver, no other program. Knows no page.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The names under which it is installed.
const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

/// Where it is; `None` where it is not.
#[expect(clippy::disallowed_methods, reason = "what is installed is the machine's word")]
pub(super) fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let of = |path: PathBuf| NAMES.iter().map(move |name| path.join(name));
    std::env::split_paths(&path).flat_map(of).find(|path| path.is_file())
}

/// One browser with one page.
pub(super) struct Browser {
    child: Child,
    to: File,
    from: BufReader<File>,
    session: String,
    next: u64,
    /// What went wrong in the page, and each address that it asked for.
    pub(super) complaints: Vec<String>,
    pub(super) asked: Vec<String>,
    /// Profile and pipes.
    _place: TempDir,
}

impl Browser {
    #[expect(
        clippy::disallowed_methods,
        reason = "a browser is no hook: nothing supervises it but this"
    )]
    pub(super) fn start(program: &Path) -> Result<Self, String> {
        let place = TempDir::new().map_err(|error| error.to_string())?;
        let pipe = |name: &str| {
            let path = place.path().join(name);
            let made = mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0);
            made.map(|()| path).map_err(|error| format!("no pipe can be made: {error}"))
        };
        let (inward, outward) = (pipe("in")?, pipe("out")?);
        // The browser reads commands at descriptor 3 and answers at 4; a shell sets these up.
        let line = "exec \"$0\" \"$@\" 3<\"$INWARD\" 4>\"$OUTWARD\"";
        let flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
        let quiet = ["--no-first-run", "--disable-extensions", "--disable-background-networking"];
        let child = Command::new("/bin/sh")
            .args(["-c", line])
            .arg(program)
            .args(flags)
            .args(quiet)
            .arg("--remote-debugging-pipe")
            .arg(format!("--user-data-dir={}", place.path().join("profile").display()))
            .env("INWARD", &inward)
            .env("OUTWARD", &outward)
            .env("HOME", place.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("the browser cannot be started: {error}"))?;
        let opened = |error: std::io::Error| format!("a pipe cannot be opened: {error}");
        let to = OpenOptions::new().write(true).open(&inward).map_err(opened)?;
        let from = BufReader::new(File::open(&outward).map_err(opened)?);
        let (complaints, asked) = (Vec::new(), Vec::new());
        let session = String::new();
        let mut browser =
            Self { child, to, from, session, next: 0, complaints, asked, _place: place };
        let target = browser.send("Target.createTarget", json!({"url": "about:blank"}))?;
        let id = target.get("targetId").cloned().unwrap_or_default();
        let attached =
            browser.send("Target.attachToTarget", json!({"targetId": id, "flatten": true}))?;
        browser.session = text(&attached, "sessionId");
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.send(&format!("{domain}.enable"), json!({}))?;
        }
        Ok(browser)
    }

    /// Has it do one thing, and hears of what happened meanwhile.
    pub(super) fn send(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.next += 1;
        let id = self.next;
        let mut order = json!({"id": id, "method": method, "params": params});
        if let (false, Some(order)) = (self.session.is_empty(), order.as_object_mut()) {
            order.insert("sessionId".to_owned(), self.session.as_str().into());
        }
        let mut bytes = order.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).map_err(|error| format!("the browser is gone: {error}"))?;
        loop {
            let json = self.receive()?;
            if json.get("id").and_then(Value::as_u64) != Some(id) {
                continue;
            }
            return match json.get("error") {
                Some(error) => Err(format!("{method}: {error}")),
                None => Ok(json.get("result").cloned().unwrap_or_default()),
            };
        }
    }

    fn receive(&mut self) -> Result<Value, String> {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes).map_err(|error| error.to_string())?;
        if bytes.pop().is_none() {
            return Err("the browser ended".to_owned());
        }
        let message: Value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
        let about = |path: &str| message.pointer(path).map(ToString::to_string).unwrap_or_default();
        match message.get("method").and_then(Value::as_str) {
            Some("Runtime.exceptionThrown") => {
                self.complaints.push(about("/params/exceptionDetails"));
            }
            Some("Log.entryAdded") => self.complaints.push(about("/params/entry/text")),
            Some("Runtime.consoleAPICalled") => self.complaints.push(about("/params/args")),
            Some("Network.requestWillBeSent") => self.asked.push(about("/params/request/url")),
            _ => {}
        }
        Ok(message)
    }

    /// Shows a file on a screen of this size, and returns when it is drawn.
    pub(super) fn show(&mut self, file: &Path, width: u32, height: u32) -> Result<(), String> {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.send("Emulation.setDeviceMetricsOverride", size)?;
        self.send("Page.navigate", json!({"url": format!("file://{}", file.display())}))?;
        let drawn = "new Promise(done => { const drawn = () => requestAnimationFrame(() => \
             requestAnimationFrame(() => done(true))); document.readyState === 'complete' ? drawn() : \
             addEventListener('load', drawn); })";
        self.value(drawn).map(drop)
    }

    /// What an expression comes to in the page.
    pub(super) fn value(&mut self, expression: &str) -> Result<Value, String> {
        let asked = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let came = self.send("Runtime.evaluate", asked)?;
        if let Some(wrong) = came.get("exceptionDetails") {
            return Err(format!("`{expression}`: {wrong}"));
        }
        Ok(came.pointer("/result/value").cloned().unwrap_or_default())
    }

    /// Presses a key as a person does.
    pub(super) fn press(&mut self, key: &str) -> Result<(), String> {
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "End" => 35,
            "Home" => 36,
            "ArrowDown" => 40,
            _ => 0,
        };
        for kind in ["rawKeyDown", "keyUp"] {
            let event =
                json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
            self.send("Input.dispatchKeyEvent", event)?;
        }
        Ok(())
    }

    /// A screenshot, as a PNG.
    pub(super) fn picture(&mut self) -> Result<Vec<u8>, String> {
        let came = self.send("Page.captureScreenshot", json!({"format": "png"}))?;
        decoded(&text(&came, "data")).ok_or_else(|| "the picture cannot be read".to_owned())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends by itself after the command; errors do not matter then.
        self.session.clear();
        let _ = self.send("Browser.close", json!({}));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Base64, as the browser writes pictures.
fn decoded(text: &str) -> Option<Vec<u8>> {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut held, mut bits) = (0_u32, 0);
    for sign in text.bytes().filter(|byte| *byte != b'=') {
        let value = SIGNS.iter().position(|byte| *byte == sign)?;
        held = held << 6 | u32::try_from(value).ok()?;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).ok()?);
        }
    }
    Some(bytes)
}
