//! Checks the readers of PowerShell and of cmd on the labelled lines of `windows.toml`.
#![cfg(test)]

use serde::Deserialize;
use tenterhook_shell::{Language, Line, Parsed, SimpleCommand, Via, parse_line_in_language};

#[derive(Deserialize)]
struct Lines {
    line: Vec<Labelled>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Labelled {
    shell: String,
    text: String,
    runs: Vec<Vec<String>>,
    #[serde(default)]
    dangerous: bool,
    doubt: Option<String>,
}

/// Lines that are read otherwise than their labels say, and why. Each of them lists more, or is in doubt.
const OTHERWISE: &[(&str, &str)] = &[
    ("wsl -e bash -lc 'rm -rf ~'", "`bash -lc` is listed, too"),
    ("if (1) { git push -f", "the commands before the missing end are listed"),
    ("(git push -f", "the commands before the missing end are listed"),
];

fn labelled() -> Vec<Labelled> {
    let lines: Lines = toml::from_str(include_str!("windows.toml")).expect("the labels are TOML");
    lines.line
}

fn read(labelled: &Labelled) -> Line {
    let language = match labelled.shell.as_str() {
        "powershell" => Language::PowerShell,
        "cmd" => Language::Cmd,
        other => panic!("`{other}` is no shell of the labels"),
    };
    parse_line_in_language(language, &labelled.text, &|_| true).expect("nothing is counted")
}

/// Whether a command is one of the line, not another name of one.
fn is_listed(command: &&SimpleCommand) -> bool {
    let is_second = matches!(command.via.last(), Some(Via::Path(_) | Via::Equivalent(_)));
    !command.words.is_empty() && !is_second
}

fn runs(line: &Line) -> Vec<Vec<String>> {
    let words =
        |command: &SimpleCommand| command.words.iter().map(|word| word.text.clone()).collect();
    let mut runs: Vec<Vec<String>> = line.commands.iter().filter(is_listed).map(words).collect();
    runs.sort();
    runs
}

/// Whether the reader says that it knows all that the line runs, and every word of it.
fn is_sure(line: &Line) -> bool {
    let is_known = |command: &SimpleCommand| command.words.iter().all(|word| !word.is_dynamic());
    line.parsed == Parsed::Full && line.commands.iter().filter(is_listed).all(is_known)
}

/// How a line is read otherwise than its label says.
fn difference(labelled: &Labelled) -> Option<String> {
    let line = read(labelled);
    let mut wanted = labelled.runs.clone();
    wanted.sort();
    let found = runs(&line);
    if found != wanted {
        return Some(format!("runs {found:?}, not {wanted:?}"));
    }
    match &labelled.doubt {
        Some(doubt) if is_sure(&line) => Some(format!("is sure, although {doubt}")),
        None if line.parsed != Parsed::Full => Some(format!("is in doubt: {:?}", line.parsed)),
        _ => None,
    }
}

/// S-80, S-82, S-83, S-84.
#[test]
fn labelled_lines_are_read_as_their_labels_say() {
    let lines = labelled();
    let is_otherwise =
        |labelled: &&Labelled| OTHERWISE.iter().any(|(text, _)| *text == labelled.text);
    let wrong: Vec<String> = lines
        .iter()
        .filter(|labelled| !is_otherwise(labelled))
        .filter_map(|labelled| Some(format!("{}: {}", labelled.text, difference(labelled)?)))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), lines.len(), wrong.join("\n"));
}

/// S-83.
#[test]
fn dangerous_line_is_listed_or_in_doubt() {
    for labelled in labelled().iter().filter(|labelled| labelled.dangerous) {
        let line = read(labelled);
        let found = runs(&line);
        let is_listed = labelled.runs.iter().all(|wanted| found.contains(wanted));
        assert!(is_listed || !is_sure(&line), "{}: {found:?}", labelled.text);
    }
}
