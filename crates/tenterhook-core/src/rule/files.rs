//! Which files would a tool call read and write, for a host that judges them one by one? Reads no file itself: it asks where
//! links lead.

use tenterhook_shell::{self as shell, Context, Line, Parsed};

use super::Files;
use crate::call::path::{Moves, Paths, normalize_path};
use crate::call::{self, CallFootprint};
pub use crate::call::{Skips, Tree};
use crate::event::Event;
use crate::event::meter::Meter;
use crate::event::tool::command::Command;

/// Variables that change where a relative path or `~` leads.
const MOVING: &[&str] = &["CDPATH", "HOME", "OLDPWD", "PWD"];
/// Most changes of the directory that are followed.
const MOST_GOING: usize = 3;
/// Programs that go to a directory which the line does not say.
const RETURNING: &[&str] = &["popd", "dirs"];
/// Programs that give a file another name, and those that do so with an option.
const LINKING: &[&str] = &["ln", "link", "gln"];
const COPYING: &[&str] = &["cp", "gcp"];
/// Programs that change no file by themselves.
const IDLE: &[&str] =
    &[":", "cd", "echo", "false", "ls", "mkdir", "printf", "pushd", "pwd", "test", "true", "["];
/// Programs that change the directory of a line.
const GOING: &[&str] = &["cd", "pushd"];

/// What a tool call reads and writes, as far as its input tells. Paths are written as in the footprint of a call: from the
/// project, from the home with `~/`, or absolute; `..` stands for a directory above the project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilesTouched {
    /// Files whose content it shows, copies or sends. Also directories that a program is handed.
    pub reads: Vec<String>,
    /// Files that it creates, changes, moves or removes.
    pub writes: Vec<String>,
    /// Those of them that it removes or moves with everything in them.
    pub deletes: Vec<String>,
    /// Directories that it reads with everything in them.
    pub trees: Vec<Tree>,
    /// Why it may touch more than is listed; `None` where the call was read in full.
    pub doubt: Option<String>,
}

/// Returns the files that the tool call of `event` would touch; `None` if finding them costs too
/// much. `files` resolves links, and `is_directory` tests whether a directory exists.
#[must_use]
pub fn files_touched(
    event: &Event,
    files: &dyn Files,
    is_directory: &dyn Fn(&str) -> bool,
) -> Option<FilesTouched> {
    let Some(call) = event.tool() else { return Some(FilesTouched::default()) };
    let text = match Command::from_call(call) {
        Command::Line(text) => text.into_owned(),
        Command::Missing => String::new(),
        Command::Unclear(why) => {
            return Some(FilesTouched { doubt: Some(why.to_owned()), ..Default::default() });
        }
    };
    let line = (!text.is_empty()).then(|| shell::parse_line(&text));
    let look = |moves| {
        let meter = Meter::new(&|| true);
        let paths = Paths::from_surroundings(&event.within).with_link_resolution(files, moves);
        call::call_footprint_with_paths(event, line.as_ref(), &paths, false, &meter).ok()
    };
    let mut touched = FilesTouched::from_footprint(look(Moves::Followed)?);
    if let Some(line) = &line {
        let leads =
            |from: &str, to: &str| is_directory_without_links(from, to, files, is_directory);
        if !directory_changes_are_certain(line, &text, &leads, event) {
            touched.merge(FilesTouched::from_footprint(look(Moves::FromStart)?));
            touched.merge(FilesTouched::from_footprint(look(Moves::Ignored)?));
        }
        touched.add_writes_through_new_links(line);
        touched.doubt = touched.doubt.or_else(|| unlisted_files_reason(line));
    }
    Some(touched)
}

impl FilesTouched {
    fn from_footprint(footprint: CallFootprint) -> Self {
        let CallFootprint { shows, writes, deletes, trees, code, .. } = footprint;
        let hidden = code.iter().any(|kind| kind == "hidden");
        let doubt = hidden.then(|| "it runs code that cannot be read".to_owned());
        Self { reads: shows, writes, deletes, trees, doubt }
    }

    /// Adds the possible targets of links that the line makes: a later command of the line may
    /// write through them.
    fn add_writes_through_new_links(&mut self, line: &Line) {
        let mut linking = line.commands.iter().filter(|command| makes_link(command)).peekable();
        let does_more = line.commands.iter().any(|command| {
            !makes_link(command) && !command.program_name().is_some_and(|name| IDLE.contains(&name))
        });
        let redirects = line.commands.iter().flat_map(|command| command.redirects.iter());
        let redirects = redirects.chain(&line.redirects);
        let writes = redirects.into_iter().any(|redirect| redirect.operator.contains('>'));
        if linking.peek().is_none() || !(does_more || writes) {
            return;
        }
        self.writes.extend(self.reads.iter().cloned());
        // A link leads on from where it lies, not from where the line is.
        if linking.any(|command| command.words.iter().any(|word| word.source.contains(".."))) {
            self.writes.push("..".to_owned());
        }
    }

    fn merge(&mut self, other: Self) {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.deletes.extend(other.deletes);
        self.trees.extend(other.trees);
        self.doubt = self.doubt.take().or(other.doubt);
    }
}

/// Returns true if a command makes a link.
fn makes_link(command: &shell::SimpleCommand) -> bool {
    let options = || command.words.iter().skip(1).map(|word| word.source.as_str());
    let links = |option: &str| match option.strip_prefix("--") {
        Some(long) => long.starts_with("symbolic") || long.starts_with("link"),
        None => option.starts_with('-') && option.contains(['s', 'l']),
    };
    command.program_name().is_some_and(|name| {
        LINKING.contains(&name) || COPYING.contains(&name) && options().any(links)
    })
}

/// Returns true if each change of directory certainly happens and leads where its text says: they
/// come first in the line.
fn directory_changes_are_certain(
    line: &Line,
    text: &str,
    leads: &dyn Fn(&str, &str) -> bool,
    event: &Event,
) -> bool {
    let goes = |command: &shell::SimpleCommand| {
        command.program_name().is_some_and(|name| GOING.contains(&name))
    };
    if !line.commands.iter().any(goes) {
        return true;
    }
    let plain = text.replace("&&", ";").replace(">&", ">").replace("&>", ">").replace("<&", "<");
    let starts =
        text.trim_start().strip_prefix("cd").is_some_and(|rest| rest.starts_with([' ', '\t']));
    if !starts || plain.contains('&') || plain.contains("||") {
        return false;
    }
    let before = line.commands.iter().take_while(|command| goes(command)).count();
    if line.commands.iter().skip(before).any(goes) {
        return false;
    }
    let mut cwd = event.within.cwd.to_string_lossy().into_owned();
    line.commands.iter().take(before).all(|command| {
        let place = matches!(command.context, Context::TopLevel | Context::List);
        let [_, to] = &*command.words else { return false };
        let is_here = to.kind == shell::WordKind::Literal && !to.text.starts_with(['/', '-', '~']);
        let surely = place && is_here && leads(&cwd, &to.text);
        cwd = format!("{cwd}/{}", to.text);
        surely
    })
}

/// Returns true if the directory exists and its path has no links.
fn is_directory_without_links(
    from: &str,
    to: &str,
    files: &dyn Files,
    is_directory: &dyn Fn(&str) -> bool,
) -> bool {
    let real = |path: &str| files.resolve_links(path).unwrap_or_else(|| normalize_path(path));
    let path = format!("{from}/{to}");
    is_directory(&path) && real(&path) == normalize_path(&format!("{}/{to}", real(from)))
}

/// Returns why a line may touch more files than its words name.
fn unlisted_files_reason(line: &Line) -> Option<String> {
    if let Parsed::Doubtful(doubt) = &line.parsed {
        return Some(doubt.to_string());
    }
    let mut goes = line.commands.iter().filter_map(|command| command.program_name());
    if goes.by_ref().filter(|name| GOING.contains(name)).count() > MOST_GOING {
        return Some("it changes its directory more often than is followed".to_owned());
    }
    let redirects = line.commands.iter().flat_map(|command| command.redirects.iter());
    let targets = redirects.chain(&line.redirects).filter_map(|redirect| match &redirect.target {
        shell::Target::Word(word) => Some(word),
        shell::Target::HereDocument { .. } | shell::Target::Closed => None,
    });
    let words = line.commands.iter().flat_map(|command| command.words.iter());
    let mut unknown = words
        .chain(targets)
        .filter(|word| word.source.starts_with("~+") || word.source.starts_with("~-"));
    if let Some(word) = unknown.next() {
        return Some(format!("`{}` is a directory that the line does not say", word.source));
    }
    line.commands.iter().find_map(|command| {
        let moved = command.assignments.iter().map(|assignment| assignment.name.as_str());
        if let Some(name) = moved.into_iter().find(|name| MOVING.contains(name)) {
            return Some(format!("`{name}` is set, which can change where a path leads"));
        }
        let name = command.program_name()?;
        let to = command.words.get(1).map(|word| word.text.as_str());
        let unknown = RETURNING.contains(&name)
            || name == "pushd" && to.is_none_or(|to| to.starts_with(['+', '-']))
            || name == "cd" && to == Some("-");
        unknown.then(|| format!("`{name}` goes to a directory that the line does not say"))
    })
}
