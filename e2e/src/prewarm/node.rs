//! Does a Node script behave with the preload of `prewarm = "node"` as it does started plainly, and is its exit announced
//! where it may be? Each runs by `tenterhook-process`, as the engine runs it: cold with all its input, then waiting for it.

mod tests;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tenterhook_process::{
    Announce, Command, Report, start_with_setup, start_with_whole_input, wait_for_all_runs,
};
use tests::{Exit, SCRIPTS, Script};

use super::{Behaviour, Fixture, INPUT, read};
use crate::tree;

const PRELOAD: &str = "crates/tenterhook/src/executor/command/shim.cjs";

/// How long a script is given to come to its input. One that does not wait for it is over by then.
const READY: Duration = Duration::from_millis(250);

/// No script takes longer, on whatever machine.
const LONGEST: Duration = Duration::from_secs(20);

/// How often a script is run whose exit is not announced although it should be.
const TRIES: u32 = 4;

/// Runs all scripts with one `node`. Gives what is to be said, and how many behave differently.
pub(super) fn run(node: &str) -> Result<(String, usize), String> {
    let preload = tree::root().join(PRELOAD).canonicalize().map_err(|error| error.to_string())?;
    let mut said = String::new();
    let mut differing = 0;
    let mut announced = 0;
    for script in SCRIPTS {
        let fixture = Fixture::new(script.file, script.text, script.beside)?;
        let (plain, _) = behaviour(node, script, None, &fixture)?;
        fixture.clean();
        let mut tries = 1;
        let (warm, early) = loop {
            let came = behaviour(node, script, Some(&preload), &fixture)?;
            // On a busy machine a process can be gone before anybody has read what it announced.
            if came.1 || script.exit != Exit::Announced || tries == TRIES {
                break came;
            }
            tries += 1;
            fixture.clean();
        };
        announced += usize::from(early);
        if plain != warm {
            differing += 1;
            let name = script.name;
            let _ = writeln!(said, "{node}: {name}\n  plain {plain:#?}\n  prewarmed {warm:#?}");
        }
        if script.exit != Exit::Either && early != (script.exit == Exit::Announced) {
            differing += 1;
            let _ = writeln!(said, "{node}: {}: announced: {early}", script.name);
        }
    }
    let (all, same) = (SCRIPTS.len(), SCRIPTS.len().saturating_sub(differing));
    let _ = writeln!(
        said,
        "{node}: {same} of {all} scripts behave the same, {announced} announce their exit"
    );
    Ok((said, differing))
}

/// What a script did, and whether its exit was announced.
fn behaviour(
    node: &str,
    script: &Script,
    preload: Option<&Path>,
    fixture: &Fixture,
) -> Result<(Behaviour, bool), String> {
    let work = fixture.0.join("work");
    let mut words: Vec<String> = script.options.iter().map(|&text| text.to_owned()).collect();
    if let Some(preload) = preload {
        words.extend(["--require".to_owned(), preload.display().to_string()]);
    }
    words.push(fixture.0.join("tools").join(script.file).display().to_string());
    words.extend(script.args.iter().map(|&arg| arg.to_owned()));
    let mut command = Command::new(node, words, &work);
    #[expect(clippy::disallowed_methods, reason = "where `node` and its libraries are found")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env = vec![("PATH".into(), path), ("HOME".into(), fixture.0.clone().into_os_string())];
    command.env.extend(script.env.iter().map(|(name, value)| (name.into(), value.into())));
    command.timeout = Some(LONGEST);
    let (done, finished) = mpsc::channel();
    let report_to = |child: &tenterhook_process::Child| {
        child.on_finish(move |report| drop(done.send(report)));
    };
    let child = match preload {
        None => {
            command.stdin = INPUT.into();
            start_with_whole_input(command, report_to)
        }
        Some(_) => {
            command.announce = Announce::OnDescriptor3;
            start_with_setup(command, report_to)
        }
    };
    // Over before it was handed anything, or it waits by now.
    let early = finished.recv_timeout(if preload.is_some() { READY } else { LONGEST });
    let report: Report = match early {
        Ok(report) => report,
        Err(_) => {
            child.write_all_input_with_deadline(INPUT, Some(Instant::now() + LONGEST));
            finished.recv().map_err(|error| error.to_string())?
        }
    };
    // Read before the process is gone: what it wrote is there when its exit is announced.
    let written = read(&work.join("out.txt"));
    drop(child);
    if !wait_for_all_runs(LONGEST) {
        return Err(format!("{node}: {}: it does not end", script.name));
    }
    let text = |bytes: &[u8]| without_places(&String::from_utf8_lossy(bytes));
    let (stdout, stderr) = (text(&report.stdout.bytes), text(&report.stderr.bytes));
    let ended = format!("{:?}, {:?} and {:?}", report.end, report.stdout.closed, report.survivors);
    Ok((Behaviour { stdout, stderr, ended, written }, report.announced))
}

/// Without what differs from run to run: the number of the process, addresses, and the lines of Node's own files, of which
/// one listener more takes others.
fn without_places(text: &str) -> String {
    let patterns = [
        (r"\(node:\d+\)", "(node)"),
        (r"\((node:[\w/]+):\d+:\d+\)", "($1)"),
        ("0x[0-9a-f]+", "0x"),
    ];
    patterns.iter().fold(text.to_owned(), |text, (pattern, stands_for)| {
        match regex::Regex::new(pattern) {
            Ok(regex) => regex.replace_all(&text, *stands_for).into_owned(),
            Err(_) => text,
        }
    })
}
