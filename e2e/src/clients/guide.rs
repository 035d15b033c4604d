//! Do the programs that stand in the guide's pages judge as their pages say? Each is taken out of its page and run.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tenterhook_testkit::Sandbox;

use super::workers::{self, Judged};

/// How long a server may take until it can be reached.
const PATIENCE: Duration = Duration::from_secs(20);

/// The port that the page of `http` hooks names; a test takes one that is free.
const PORT: &str = "8000";

pub(super) fn judge_all(root: &Path, binary: &Path) -> Result<Vec<Judged>, String> {
    let sandbox = Sandbox::new().map_err(|error| error.to_string())?;
    let place = sandbox.project();
    let write = |name: &str, text: &str| {
        sandbox
            .write(name, text)
            .map(|path| path.display().to_string())
            .map_err(|error| error.to_string())
    };
    let worker = write("worker.py", &program(root, "worker.md")?)?;
    let words = serde_json::json!(["python3", worker]);
    let worker = workers::judge(&format!("worker = {words}"), workers::ASKED, binary, &place);
    let port = free_port().map_err(|error| error.to_string())?;
    let server = write("policy.py", &program(root, "http.md")?.replace(PORT, &port))?;
    let http = with_server(&server, &port, || {
        workers::judge(
            &format!("http = \"http://localhost:{port}/\""),
            workers::ASKED,
            binary,
            &place,
        )
    });
    let said = |judged: Result<(), String>| judged.map(|()| "judges every command");
    Ok(vec![
        ("the worker of worker.md".to_owned(), said(worker)),
        ("the server of http.md".to_owned(), said(http)),
    ])
}

/// The first Python program of a page about executors.
fn program(root: &Path, page: &str) -> Result<String, String> {
    let path = root.join("docs/guide/executors").join(page);
    let text = std::fs::read_to_string(path).map_err(|error| format!("{page}: {error}"))?;
    let block = text.split_once("```python\n").and_then(|(_, rest)| rest.split_once("```"));
    block.map(|(program, _)| program.to_owned()).ok_or(format!("{page} has no program"))
}

fn free_port() -> std::io::Result<String> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port().to_string())
}

/// Does `work` while a server runs.
fn with_server(
    file: &str,
    port: &str,
    work: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let mut command = Command::new("python3");
    command.arg(file).stdin(Stdio::null()).stderr(Stdio::null());
    #[expect(
        clippy::disallowed_methods,
        reason = "the program under test is started as its readers start it"
    )]
    let mut server = command.spawn().map_err(|error| format!("python3 cannot be run: {error}"))?;
    let done = reached(&mut server, port).and_then(|()| work());
    // A process that has ended need not be killed.
    let _ = server.kill();
    let _ = server.wait();
    done
}

fn reached(server: &mut Child, port: &str) -> Result<(), String> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if TcpStream::connect(format!("127.0.0.1:{port}")).is_ok() {
            return Ok(());
        }
        if let Ok(Some(status)) = server.try_wait() {
            return Err(format!("it ended before it could be reached: {status}"));
        }
        thread::sleep(Duration::from_millis(20));
    }
    Err("it cannot be reached".to_owned())
}
