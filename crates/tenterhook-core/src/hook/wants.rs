//! What of the machine does a line of shell name that a sandbox keeps from it, as far as its text shows? Reads the text alone, and looks
//! at no file.
//!
//! For advice before it runs: it names what runs in any case or in a list, and nothing of which it is not sure. A line can want more.

use std::path::{Path, PathBuf};

use tenterhook_shell::{self as shell, Context, Redirect, SimpleCommand, Target, Word, WordKind};

use super::script::expand_known_variables;
use super::{Command, Hook, Invocation, Run, Shell, Worker};

/// One thing that a line wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Want {
    /// What it is.
    pub what: Wanted,
    /// The program or the path that shows it, as it is written.
    pub by: String,
    /// The file that makes the want idle where it is there: a program of npm that is installed is not fetched.
    pub unless: Option<PathBuf>,
}

/// What a line wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// To read this file, or what lies below it.
    Read(PathBuf),
    /// To change or to make this file.
    Write(PathBuf),
    /// To reach this port of this machine or of an address; `None` where a name is to be looked up, or a socket of the machine is meant.
    Reach(Option<u16>),
    /// To change what a file is.
    Attributes,
}

/// When a program reaches somebody.
enum Reaches {
    /// Always.
    Always,
    /// The host of its address, which may be this machine.
    Address,
    /// With these first words.
    With(&'static [&'static str]),
    /// Unless what it runs is installed in the project.
    Unless,
}

use Reaches::{Address, Always, Unless, With};

const REACHING: &[(&str, Reaches)] = &[
    ("curl", Address),
    ("wget", Address),
    ("xh", Address),
    ("ssh", Always),
    ("scp", Always),
    ("sftp", Always),
    ("nc", Always),
    ("ncat", Always),
    ("telnet", Always),
    ("gh", Always),
    ("glab", Always),
    // Through sockets of this machine.
    ("docker", Always),
    ("docker-compose", Always),
    ("podman", Always),
    ("notify-send", Always),
    ("dbus-send", Always),
    ("gdbus", Always),
    ("paplay", Always),
    ("npx", Unless),
    ("npm", With(&["install", "i", "ci", "add", "view", "publish", "audit", "outdated", "update"])),
    ("pnpm", With(&["install", "i", "add", "dlx", "audit", "outdated", "update"])),
    ("yarn", With(&["install", "add", "dlx", "audit", "outdated", "upgrade"])),
    ("pip", With(&["install", "download"])),
    ("pip3", With(&["install", "download"])),
    ("git", With(&["push", "fetch", "pull", "clone", "ls-remote"])),
    ("cargo", With(&["install", "fetch", "update", "publish"])),
];

/// Programs that change what files are.
const CHANGING_MODES: &[&str] = &["chmod", "chown", "chgrp", "setfacl", "setfattr"];

/// Programs whose operands are files that they make or change.
const WRITING: &[&str] = &["tee", "mkdir", "touch"];

/// Programs whose words are no files.
const SAYING: &[&str] =
    &["echo", "printf", "test", "[", "[[", "cd", "export", "alias", "which", "command", "type"];

/// Names that are no files, or that every program shares.
const NO_FILES: &[&str] =
    &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/full", "/dev/zero", "/dev/fd"];

/// Where a line runs.
#[derive(Clone, Copy, Debug)]
struct Whence<'p> {
    /// The directory in which it starts.
    base: &'p Path,
    project: &'p Path,
    home: &'p Path,
}

impl Hook {
    /// Returns the access that the command line needs: files, ports and file attributes.
    #[must_use]
    pub fn required_access(&self, project: &Path, home: &Path) -> Vec<Want> {
        let (Run::Command(command) | Run::Worker(Worker { command })) = &self.run else {
            return Vec::new();
        };
        let text = match &command.invocation {
            Invocation::Shell { shell: Shell::PowerShell, .. } => return Vec::new(),
            Invocation::Shell { text, .. } => text.clone(),
            Invocation::Argv { program, args } => {
                let words = std::iter::once(program).chain(args);
                words.map(|word| shell::quote_word(word)).collect::<Vec<_>>().join(" ")
            }
        };
        let base = command.cwd.as_deref().unwrap_or(project);
        access_of_command_line(&text, command, Whence { base, project, home })
    }

    /// Returns the access that a shell script needs which the hook starts; `text` is the script's
    /// text.
    #[must_use]
    pub fn script_access(&self, text: &str, project: &Path, home: &Path) -> Vec<Want> {
        let (Run::Command(command) | Run::Worker(Worker { command })) = &self.run else {
            return Vec::new();
        };
        let base = command.cwd.as_deref().unwrap_or(project);
        access_of_command_line(text, command, Whence { base, project, home })
    }
}

fn access_of_command_line(text: &str, command: &Command, whence: Whence<'_>) -> Vec<Want> {
    let Some(text) = expand_known_variables(text, command, whence.project, whence.home) else {
        return Vec::new();
    };
    let line = shell::parse_line(&text);
    let moves =
        line.commands.iter().any(|command| matches!(command.program_name(), Some("cd" | "pushd")));
    let runs = line.commands.iter().filter(|command| certainly_runs(command.context));
    let mut all: Vec<Want> =
        runs.flat_map(|run| access_of_simple_command(run, whence, moves)).collect();
    all.extend(
        line.redirects.iter().filter_map(|redirect| access_of_redirect(redirect, whence, moves)),
    );
    let mut kept: Vec<Want> = Vec::new();
    for want in all {
        if !kept.iter().any(|w| want_includes(w, &want)) {
            kept.push(want);
        }
    }
    kept
}

/// Returns true if a command in this construct certainly runs; one in a test, a body or a function
/// may not.
const fn certainly_runs(context: Context) -> bool {
    !matches!(context, Context::Body | Context::Function | Context::Test)
}

fn want_includes(one: &Want, other: &Want) -> bool {
    match (&one.what, &other.what) {
        (Wanted::Write(one), Wanted::Write(other) | Wanted::Read(other))
        | (Wanted::Read(one), Wanted::Read(other)) => other.starts_with(one),
        (one, other) => one == other,
    }
}

fn access_of_simple_command(command: &SimpleCommand, whence: Whence<'_>, moves: bool) -> Vec<Want> {
    let mut all: Vec<Want> = command
        .redirects
        .iter()
        .filter_map(|redirect| access_of_redirect(redirect, whence, moves))
        .collect();
    let Some(program) = command.words.first().filter(|word| word.kind != WordKind::Expansion)
    else {
        return all;
    };
    let args = command.words.get(1..).unwrap_or_default();
    let name = program.text.rsplit('/').next().unwrap_or_default();
    let want = |what| Want { what, by: name.to_owned(), unless: None };
    if CHANGING_MODES.contains(&name) {
        all.push(want(Wanted::Attributes));
    }
    let reaching = REACHING.iter().find(|(known, _)| *known == name);
    all.extend(reaching.and_then(|(_, when)| network_access_of_program(name, when, args, whence)));
    if SAYING.contains(&name) {
        return all;
    }
    let operands = args.iter().filter(|arg| !arg.text.starts_with('-'));
    if WRITING.contains(&name) {
        let files = operands.filter_map(|operand| resolve_file_word(operand, whence, moves));
        all.extend(files.map(|(path, by)| Want { what: Wanted::Write(path), by, unless: None }));
        return all;
    }
    // A file with a whole path is read; one with another path lies in the project or at an unknown path.
    let named = std::iter::once(program)
        .chain(operands)
        .filter_map(|program| resolve_file_word(program, whence, true));
    all.extend(named.map(|(path, by)| Want { what: Wanted::Read(path), by, unless: None }));
    if args.iter().any(|arg| arg.text.ends_with(".sock")) {
        all.push(want(Wanted::Reach(None)));
    }
    all
}

fn network_access_of_program(
    name: &str,
    when: &Reaches,
    args: &[Word],
    whence: Whence<'_>,
) -> Option<Want> {
    let first = args.iter().find(|arg| !arg.text.starts_with('-'));
    let want = |port, unless| Some(Want { what: Wanted::Reach(port), by: name.to_owned(), unless });
    match when {
        // A program that only prints its version reaches no service.
        Address | Always if args.is_empty() || args.iter().all(|arg| arg.text == "--version") => {
            None
        }
        Always => want(None, None),
        Address if args.iter().any(|arg| arg.text == "--unix-socket") => want(None, None),
        Address => want(args.iter().find_map(port_of_numeric_address), None),
        With(words) => {
            let word = first?;
            words.contains(&&*word.text).then(|| want(None, None)).flatten()
        }
        Unless => {
            let program = first.filter(|word| word.kind == WordKind::Literal)?;
            if args.iter().any(|arg| arg.text == "--no-install" || arg.text == "--no") {
                return None;
            }
            // A version that is asked for stands behind the name: `prettier@3`.
            let text = program
                .text
                .get(1..)
                .and_then(|text| text.find('@'))
                .map_or(&*program.text, |at| program.text.get(..=at).unwrap_or_default());
            let text = text.rsplit('/').next().unwrap_or_default();
            want(None, Some(whence.project.join("node_modules/.bin").join(text)))
        }
    }
}

/// Returns the port of an address whose host needs no name lookup.
fn port_of_numeric_address(word: &Word) -> Option<u16> {
    let text = word.text.trim_matches(['"', '\'']);
    let (rest, usual) = match text.split_once("://") {
        Some(("https", rest)) => (rest, 443),
        Some((_, rest)) => (rest, 80),
        None => (text, 80),
    };
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (authority, usual),
    };
    let is_number = host.contains('.') && host.chars().all(|c| c.is_ascii_digit() || c == '.');
    (is_number || host == "localhost").then_some(port)
}

fn access_of_redirect(redirect: &Redirect, whence: Whence<'_>, moves: bool) -> Option<Want> {
    let Target::Word(word) = &redirect.target else { return None };
    let reads = redirect.operator == "<";
    if (!reads && !redirect.operator.contains('>')) || redirect.operator.ends_with('&') {
        return None;
    }
    if let Some(rest) = word.text.strip_prefix("/dev/tcp/") {
        let (host, port_of) = rest.split_once('/')?;
        let what =
            Wanted::Reach(port_of_numeric_address(&Word::literal(format!("{host}:{port_of}"))));
        return Some(Want { what, by: word.text.clone(), unless: None });
    }
    let (path, by) = resolve_file_word(word, whence, moves || reads)?;
    let what = if reads { Wanted::Read(path) } else { Wanted::Write(path) };
    Some(Want { what, by, unless: None })
}

/// Returns the path of the file that a word names, and the word as written. With `only_whole`,
/// relative paths are ignored.
fn resolve_file_word(
    word: &Word,
    whence: Whence<'_>,
    only_whole: bool,
) -> Option<(PathBuf, String)> {
    let text = &word.text;
    let path = match text.strip_prefix("~/") {
        Some(rest) if !rest.contains(['*', '?', '[', '{', '$']) => whence.home.join(rest),
        _ if word.kind != WordKind::Literal => return None,
        _ if text.starts_with('/') => PathBuf::from(text),
        _ if only_whole => return None,
        _ => whence.base.join(text),
    };
    let is_file = !NO_FILES.iter().any(|file| path.starts_with(file));
    is_file.then(|| (path, text.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DialectId;
    use crate::hook::HookId;

    fn hook(text: &str) -> Hook {
        let invocation = Invocation::Shell { text: text.to_owned(), shell: Shell::Sh };
        let run = Run::Command(Command::new(invocation, super::super::Inherit::All));
        Hook::new(HookId::new("h"), DialectId::CLAUDE, "Stop".into(), run)
    }

    fn wants(text: &str) -> Vec<Wanted> {
        let all = hook(text).required_access(Path::new("/p"), Path::new("/h"));
        all.into_iter().map(|want| want.what).collect()
    }

    ///
    #[test]
    fn what_a_line_wants_is_read_from_its_text() {
        let write = |path: &str| vec![Wanted::Write(path.into())];
        let read = |path: &str| vec![Wanted::Read(path.into())];
        for (text, expected) in [
            ("jq -r .x >> ~/.claude/log", write("/h/.claude/log")),
            ("echo x >> \"$HOME/log\"", write("/h/log")),
            ("date | tee -a /tmp/x.log", write("/tmp/x.log")),
            ("mkdir -p logs && cat >> logs/a", write("/p/logs")),
            ("cd src && echo x > a", vec![]),
            ("cat ~/.config/x", read("/h/.config/x")),
            ("bash $HOME/hooks/a.sh", read("/h/hooks/a.sh")),
            ("echo ~/.config/x", vec![]),
            ("[ -f ~/.x ] && echo x", vec![]),
            ("if true; then curl x.example; fi", vec![]),
            ("curl -s https://example.com/x", vec![Wanted::Reach(None)]),
            ("curl -d @- http://localhost:8080/x", vec![Wanted::Reach(Some(8080))]),
            ("curl --version", vec![]),
            ("sudo wget 10.0.0.1", vec![Wanted::Reach(Some(80))]),
            ("git diff --cached", vec![]),
            ("git push origin", vec![Wanted::Reach(None)]),
            ("npm test", vec![]),
            ("npm ci", vec![Wanted::Reach(None)]),
            ("docker ps", vec![Wanted::Reach(None)]),
            ("chmod +x a", vec![Wanted::Attributes]),
            ("echo x > /dev/null 2>&1", vec![]),
            ("echo x > /dev/tty", write("/dev/tty")),
            ("echo \"$X\" >> \"$LOG\"", vec![]),
            (
                "/usr/bin/curl http://127.0.0.1:9",
                vec![Wanted::Read("/usr/bin/curl".into()), Wanted::Reach(Some(9))],
            ),
        ] {
            let mut found = wants(text);
            found.sort_by_key(|wanted| !matches!(wanted, Wanted::Read(_)));
            assert_eq!(found, expected, "{text}");
        }
    }

    ///
    #[test]
    fn what_npm_installed_is_not_fetched() {
        let all =
            hook("npx prettier@3 --write a.js").required_access(Path::new("/p"), Path::new("/h"));
        let unless = all.first().and_then(|want| want.unless.clone());
        assert_eq!(unless, Some(PathBuf::from("/p/node_modules/.bin/prettier")));
    }
}
