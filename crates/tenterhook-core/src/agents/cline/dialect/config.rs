//! Which files are hooks of Cline, and what starts one (CL-1 to CL-6)? The name says the event, the first line or the ending what runs it;
//! there is nothing else to configure.

use std::borrow::Cow;
use std::path::Path;

use super::words::ROWS;
use crate::diagnostic::Span;
pub(crate) use crate::dialect::findings::Findings;
use crate::dialect::kit::entry::{id, source_word};
use crate::dialect::{Candidate, DialectId, EventRow, Fit, Roots};
use crate::event::EventName;
use crate::hook::{Command, Hook, Inherit, Invocation, Layer, Run, Shell};
use crate::source::{ReadConfig, Source};
use crate::syntax::Node;

/// The folders of the user and those of the project.
const OF_USER: &[&str] = &[".cline/hooks", "Documents/Cline/Hooks"];
const OF_PROJECT: &[&str] = &[".clinerules/hooks", ".cline/hooks"];

/// Endings, and what runs such a file where no first line says it.
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

/// What stands in a script that `tenterhook install cline` wrote.
const OURS: &str = "# Written by `tenterhook install";

/// A file for each event in each folder (CL-1).
pub(super) fn places(roots: &Roots) -> Vec<Candidate> {
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

/// A file is known by its folder and its name.
pub(super) fn recognizes(path: &Path, _: Option<&Node>) -> Fit {
    let mut folders = OF_USER.iter().chain(OF_PROJECT);
    let folder = path.parent().is_some_and(|parent| folders.any(|own| parent.ends_with(own)));
    if folder && named(path).is_some() { Fit::Certain } else { Fit::No }
}

/// The event of a file, and what runs it where it does not say so itself; the case of its name does not count.
fn named(path: &Path) -> Option<(&'static EventRow, &'static str)> {
    let stem = path.file_stem()?.to_str()?;
    let ending = path.extension().map_or(Some(""), |extension| extension.to_str())?;
    let row = ROWS.iter().find(|row| row.name.eq_ignore_ascii_case(stem))?;
    let (_, program) = ENDINGS.iter().find(|(name, _)| name.eq_ignore_ascii_case(ending))?;
    Some((row, program))
}

/// The one hook that a file is.
pub(super) fn read(source: &Source) -> ReadConfig {
    let Some((row, program)) = named(Path::new(&*source.name)) else {
        return ReadConfig::default();
    };
    let mut findings = Findings::new(source);
    let run = Run::Command(Command::new(invocation(source, program), Inherit::All));
    let id = id(&mut findings, &source_word(source), &row.name, "");
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

/// The program of the first line, else that of the ending, with the file. A script of ours is the line that it runs, by which
/// it is known for ours (BR-31).
fn invocation(source: &Source, program: &str) -> Invocation {
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
