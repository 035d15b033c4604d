//! Finds the files that are hooks of Cline, and the program that runs each (CL-1 to CL-6). The name
//! is the event; the first line or the extension selects the program. Nothing else can be
//! configured.

use std::borrow::Cow;
use std::path::Path;

use super::vocabulary::ROWS;
use crate::diagnostic::{Code, Diagnostic, Severity, Span};
pub(crate) use crate::dialect::findings::{Findings, finding_without_location};
use crate::dialect::kit::entry::{hook_origin, next_hook_id};
use crate::dialect::{Candidate, DialectId, EventRow, Fit, Roots};
use crate::event::EventName;
use crate::hook::{Command, Hook, Inherit, Invocation, Layer, Run, Shell};
use crate::source::{ReadConfig, Source};
use crate::syntax::Node;

/// The folders of the user and of the project.
const OF_USER: &[&str] = &[".cline/hooks", "Documents/Cline/Hooks"];
const OF_PROJECT: &[&str] = &[".clinerules/hooks", ".cline/hooks"];

/// Extensions, and the program that runs such a file if it has no `#!` line.
const ENDINGS: &[(&str, &str)] = &[
    ("", "bash"),
    ("sh", "bash"),
    ("bash", "bash"),
    ("zsh", "zsh"),
    ("js", "node"),
    ("mjs", "node"),
    ("cjs", "node"),
    ("ts", "node"),
    ("mts", "node"),
    ("cts", "node"),
    ("py", "python3"),
    ("ps1", "pwsh"),
];

/// Extensions of programs that Cline does not start.
const NEVER_STARTED: &[&str] = &["cmd", "bat", "exe", "com", "rb", "pl", "php", "lua", "fish"];

/// A line in each script that `tenterhook install cline` wrote.
const OURS: &str = "# Written by `tenterhook install";

/// Returns a candidate file for each event in each folder (CL-1).
pub(super) fn hook_file_candidates(roots: &Roots) -> Vec<Candidate> {
    let folders = |root: &Path, all: &[&str], layer| {
        all.iter().map(|text| (root.join(text), layer)).collect::<Vec<_>>()
    };
    let user = folders(&roots.home, OF_USER, Layer::User);
    let all = user.into_iter().chain(folders(&roots.cwd, OF_PROJECT, Layer::Project));
    all.flat_map(|(folder, layer)| {
        ROWS.iter().map(move |row| Candidate { path: folder.join(format!("{}*", row.name)), layer })
    })
    .collect()
}

/// How certainly a file is a hook of this agent, by its folder and its name.
pub(super) fn recognize_hook_file(path: &Path, _: Option<&Node>) -> Fit {
    let mut folders = OF_USER.iter().chain(OF_PROJECT);
    let folder = path.parent().is_some_and(|parent| folders.any(|own| parent.ends_with(own)));
    if folder && event_and_program(path).is_some() { Fit::Certain } else { Fit::No }
}

/// Returns the event that a file's name stands for, and the program that runs it without a `#!`
/// line. The name is case-insensitive.
fn event_and_program(path: &Path) -> Option<(&'static EventRow, &'static str)> {
    let stem = path.file_stem()?.to_str()?;
    let ending = path.extension().map_or(Some(""), |extension| extension.to_str())?;
    let row = ROWS.iter().find(|row| row.name.eq_ignore_ascii_case(stem))?;
    let (_, program) = ENDINGS.iter().find(|(name, _)| name.eq_ignore_ascii_case(ending))?;
    Some((row, program))
}

/// Reads the hook of a file.
pub(super) fn read_hook_file(source: &Source) -> ReadConfig {
    let mut findings = Findings::new(source);
    let Some((row, program)) = event_and_program(Path::new(&*source.name)) else {
        if let Some(found) = find_never_started_program(Path::new(&*source.name)) {
            findings.report(Span::default(), found);
        }
        return ReadConfig { diagnostics: findings.into_list(), ..ReadConfig::default() };
    };
    let run = Run::Command(Command::new(build_invocation(source, program), Inherit::All));
    let id = next_hook_id(&mut findings, &hook_origin(source), &row.name, "");
    let mut hook = Hook::new(id, DialectId::CLINE, EventName::new(&*row.event), run);
    // `TaskStart` and `TaskResume` are one event.
    hook.own_event = match &row.name {
        Cow::Borrowed(name) => Some(*name),
        Cow::Owned(_) => None,
    };
    hook.place = Some(findings.location(Span::default()));
    hook.layer = source.layer;
    hook.compat = source.compat;
    let mentions = vec![hook.event.clone()];
    ReadConfig { hooks: vec![hook], mentions, ..ReadConfig::default() }
}

/// Reports a file that is named like a hook and that Cline does not start (CL-2).
fn find_never_started_program(path: &Path) -> Option<Diagnostic> {
    let (stem, ending) = (path.file_stem()?.to_str()?, path.extension()?.to_str()?);
    let row = ROWS.iter().find(|row| row.name.eq_ignore_ascii_case(stem))?;
    NEVER_STARTED.iter().find(|name| name.eq_ignore_ascii_case(ending))?;
    let name = &row.name;
    let message = format!("Cline starts no `.{ending}` file, so `{stem}.{ending}` never runs");
    let found = finding_without_location(Code::HandlerTypeNotAccepted, message)
        .with_severity(Severity::Error);
    Some(found.help(format!("call it `{name}`, with a `#!` line, or `{name}.ps1` on Windows")))
}

/// Returns how to run a hook file: by the program of its `#!` line, else of its extension. A script
/// of Tenterhook is run as its text, by which it is recognized (BR-31).
fn build_invocation(source: &Source, program: &str) -> Invocation {
    if source.text.contains(OURS) {
        return Invocation::Shell { text: source.text.to_string(), shell: Shell::Sh };
    }
    let first =
        source.text.lines().next().and_then(|line| line.strip_prefix("#!")).unwrap_or_default();
    let mut words = first.split_whitespace().map(str::to_owned);
    let program = words.next().unwrap_or_else(|| program.to_owned());
    let file = Path::new(&*source.name).file_name().unwrap_or_default();
    let file = source.directory.join(file).to_string_lossy().into_owned();
    Invocation::Argv { program, args: words.chain([file]).collect() }
}
