//! `cargo xtask conformance`: fires every neutral case through the library and through the command line.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tenterhook_testkit::case::{self, Case, Only, Staged};
use tenterhook_testkit::{Sandbox, at_once, expect};

use crate::error::Error;
use crate::{Report, tree};

pub(crate) fn run() -> Report {
    let root = tree::root();
    if !tree::is_built() {
        let library = ["--package", "tenterhook", "--all-features", "--test", "conformance"];
        tree::cargo(&[["test", "--quiet"].as_slice(), &library].concat())?;
    }
    tree::build("tenterhook-cli")?;
    let binary = root.join("target/debug/tenterhook");
    let mut cases = Vec::new();
    for folder in case::folders(&root.join("conformance")).map_err(Error::other)? {
        let folder = Case::all(&folder).map_err(Error::other)?;
        cases.extend(folder.into_iter().collect::<Result<Vec<Case>, _>>().map_err(Error::other)?);
    }
    let all = cases.len();
    cases.retain(|case| case.only != Only::Library);
    let (fired, left) = (cases.len(), all - cases.len());
    let (mut report, mut holds) = (String::new(), true);
    let differences = at_once::each(&cases, 4, |_, case| fire(case, &binary));
    for (case, differences) in cases.iter().zip(differences) {
        for difference in differences? {
            holds = false;
            let _ = writeln!(report, "{}: {difference}", case.file.display());
        }
    }
    let _ = writeln!(
        report,
        "library: every case holds; command line: {fired} fired, {left} for the library alone"
    );
    Ok((report, holds))
}

fn fire(case: &Case, binary: &Path) -> Result<Vec<String>, Error> {
    let sandbox = Sandbox::new().map_err(Error::other)?;
    let staged = case.stage(&sandbox).map_err(Error::other)?;
    let mut command = Command::new(binary);
    command.args(["fire", "--format", "json", "--dialect", &case.dialect]);
    if staged.sources.iter().any(|source| source.source.compat.is_some()) {
        command.args(["--compat", "exact"]);
    }
    for source in &staged.sources {
        command.arg("--config");
        command.arg(format!("{}={}", source.source.dialect, source.path.display()));
    }
    command.env_clear().envs(sandbox.env()).envs(&staged.env);
    command.current_dir(sandbox.project()).stderr(Stdio::null());
    let report = if staged.shots.len() == 1 {
        once(case, &mut command, &staged, &sandbox)
    } else {
        stream(case, &mut command, &staged, &sandbox)
    };
    report.map_err(Error::about(case.file.display().to_string()))
}

type Differences = Result<Vec<String>, Box<dyn std::error::Error + Send + Sync>>;

/// The command line has no other place for what is wrong with a configuration than the faults of each outcome.
fn without_errors(mut outcome: Value, case: &Case) -> Value {
    let known = |fault: &Value| {
        let code = fault.get("code").and_then(Value::as_str).unwrap_or_default();
        fault.get("hook").is_some_and(Value::is_null)
            && case.errors.iter().any(|error| error == code)
    };
    if let Some(faults) = outcome.get_mut("faults").and_then(Value::as_array_mut) {
        faults.retain(|fault| !known(fault));
    }
    outcome
}

fn once(case: &Case, command: &mut Command, staged: &Staged, sandbox: &Sandbox) -> Differences {
    let Some(shot) = staged.shots.first() else { return Ok(Vec::new()) };
    let input = sandbox.write("event.json", &serde_json::to_string(&shot.event)?)?;
    let output = command.arg("-").stdin(File::open(input)?).output()?;
    let outcome = without_errors(serde_json::from_slice(&output.stdout)?, case);
    let mut found = expect::differences(&shot.expect, &outcome, &sandbox.scripts());
    let wanted = exit_code(&outcome);
    if output.status.code() != Some(wanted) {
        found.push(format!("exit code: expected {wanted}, got {}", output.status));
    }
    Ok(found)
}

/// The exit code that the manual promises for an outcome.
fn exit_code(outcome: &Value) -> i32 {
    let decision = outcome.get("decision").and_then(Value::as_str);
    let stops = outcome.get("stop").is_some_and(|stop| !stop.is_null());
    match decision {
        Some("deny") => 2,
        _ if stops => 2,
        Some("ask" | "defer") => 3,
        _ => 0,
    }
}

fn stream(case: &Case, command: &mut Command, staged: &Staged, sandbox: &Sandbox) -> Differences {
    command.arg("--stream").stdin(Stdio::piped()).stdout(Stdio::piped());
    #[expect(
        clippy::disallowed_methods,
        reason = "the program under test is started as its users start it"
    )]
    let mut child = command.spawn()?;
    let found = talk(case, &mut child, staged, sandbox);
    drop(child.stdin.take());
    child.wait()?;
    found
}

fn talk(case: &Case, child: &mut Child, staged: &Staged, sandbox: &Sandbox) -> Differences {
    let (Some(input), Some(output)) = (child.stdin.as_mut(), child.stdout.take()) else {
        return Err("the program has no streams".into());
    };
    let mut lines = BufReader::new(output).lines();
    let mut found = Vec::new();
    for (at, shot) in staged.shots.iter().enumerate() {
        expect::forget(&sandbox.scripts())?;
        writeln!(input, "{}", serde_json::to_string(&shot.event)?)?;
        let line = lines.next().ok_or("the program ended early")??;
        let outcome = without_errors(serde_json::from_str(&line)?, case);
        let differences = expect::differences(&shot.expect, &outcome, &sandbox.scripts());
        found.extend(
            differences.into_iter().map(|difference| format!("event {}: {difference}", at + 1)),
        );
    }
    Ok(found)
}
