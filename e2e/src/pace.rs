//! `cargo e2e pace --dist DIR [--corpus DIR]`: how long from a delivered tarball to the first `check`, and how long for a
//! `check` of many files? Prints rows for docs/design/measurements.md, and asserts nothing: a shared machine drifts.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::Report;

/// How often each is done; the least and the most of it are printed.
const ROUNDS: usize = 5;

/// A settings file as people have it.
const SETTINGS: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}"#;

pub(crate) fn run(args: &[&str]) -> Report {
    let (mut dist, mut corpus) = (None, None);
    for pair in args.chunks(2) {
        match *pair {
            ["--dist", folder] => dist = Some(folder),
            ["--corpus", folder] => corpus = Some(folder),
            _ => return Err("usage: cargo e2e pace --dist DIR [--corpus DIR]".to_owned()),
        }
    }
    let dist = absolute(dist.ok_or("`--dist DIR` says where `cargo xtask dist` wrote to")?)?;
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let home = scratch.path();
    let settings = home.join(".claude");
    std::fs::create_dir_all(&settings)
        .and_then(|()| std::fs::write(settings.join("settings.json"), SETTINGS))
        .map_err(|error| error.to_string())?;
    let script = format!(
        "sh '{}/install.sh' && cd project && ../.local/bin/tenterhook check",
        dist.display()
    );
    std::fs::create_dir_all(home.join("project/.git")).map_err(|error| error.to_string())?;
    let mut said = format!("| what | took, of {ROUNDS} runs |\n|---|--:|\n");
    let mut row = |what: &str, took: (Duration, Duration)| {
        let (least, most) = (took.0.as_secs_f64(), took.1.as_secs_f64());
        let _ = writeln!(said, "| {what} | {least:.2}-{most:.2} s |");
    };
    row("from the tarball to the first `check` of one's own settings", timed(home, &script)?);
    if let Some(corpus) = corpus {
        let corpus = absolute(corpus)?;
        let files = files(&corpus)?;
        let list: String = files.iter().flat_map(|file| [file.as_str(), "\n"]).collect();
        std::fs::write(home.join("files"), list).map_err(|error| error.to_string())?;
        let program = home.join(".local/bin/tenterhook");
        let (program, corpus) = (program.display(), corpus.display());
        let each = format!(
            "cd '{corpus}' && while read -r f; do '{program}' check \"$f\"; done < ~/files; true"
        );
        row(
            &format!("`check` of {} real files, a program for each", files.len()),
            timed(home, &each)?,
        );
        let all =
            format!("cd '{corpus}' && tr '\\n' '\\0' < ~/files | xargs -0 '{program}' check; true");
        row("the same, one program for all", timed(home, &all)?);
    }
    Ok((said, true))
}

/// The least and the most that a script takes, from its start to its end.
fn timed(home: &Path, script: &str) -> Result<(Duration, Duration), String> {
    let mut took = Vec::new();
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let output = Command::new("sh")
            .args(["-c", script])
            .current_dir(home)
            .env_clear()
            .env("HOME", home)
            .env("PATH", "/usr/bin:/bin")
            .output()
            .map_err(|error| format!("sh cannot be run: {error}"))?;
        took.push(began.elapsed());
        if !output.status.success() {
            return Err(format!("`{script}` failed: {}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    Ok((
        took.iter().min().copied().unwrap_or_default(),
        took.iter().max().copied().unwrap_or_default(),
    ))
}

/// The files that the index of a collection names.
fn files(corpus: &Path) -> Result<Vec<String>, String> {
    let index = std::fs::read_to_string(corpus.join("INDEX.tsv"));
    let index = index.map_err(|error| format!("the collection has no INDEX.tsv: {error}"))?;
    let names = index.lines().skip(1).filter_map(|line| line.split('\t').next());
    Ok(names.filter(|name| corpus.join(name).is_file()).map(str::to_owned).collect())
}

fn absolute(folder: &str) -> Result<PathBuf, String> {
    std::fs::canonicalize(folder).map_err(|error| format!("{folder}: {error}"))
}
