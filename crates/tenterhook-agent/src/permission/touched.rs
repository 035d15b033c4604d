//! What does a call read and write, by the files to which its names lead? One answer for every tool: a shell line, the agent's
//! own tools, and those of servers. Patterns are expanded as a shell would; judges nothing and changes nothing.

use std::path::Path;

use super::globs::{self, Expanded};
use super::location::Aim;
use crate::conversation::Call;
use crate::hooks::{FilesTouched, Hooks, Skips, Tree};
use crate::tool::{self, Effect};
use crate::toolbox;

/// The agent's own tools that show what is in the file that they name, or tell whether a text stands in it.
const SHOWING: &[&str] = &["Edit", "Grep", "Read"];
/// Parts of the names of server tools that give names of files, and nothing of what is in them.
const LISTING: &[&str] = &["list", "tree", "stat", "info", "exists"];
/// Devices that keep nothing, and the standard streams.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/fd/0",
    "/dev/fd/1",
    "/dev/fd/2",
];
/// Characters that stand for something that only a run can know.
const UNKNOWN: &[char] = &['$', '`', '{', '}'];

/// What one call reads and writes.
#[derive(Debug, Default)]
pub(super) struct Touched {
    /// Files that it reads or copies.
    pub(super) reads: Vec<Aim>,
    /// Files that it creates, changes, moves or removes.
    pub(super) writes: Vec<Aim>,
    /// Those of them that it moves or removes with everything in them.
    pub(super) removes: Vec<Aim>,
    /// Directories that it reads with everything in them.
    pub(super) trees: Vec<(Aim, Tree)>,
    /// Whether the new content of what it writes is in its arguments.
    pub(super) is_shown: bool,
    /// Why it may touch other files, too: no allow rule covers it.
    pub(super) doubt: Option<String>,
    /// The first place that it writes to and that cannot be known.
    pub(super) unresolved: Option<String>,
    /// It would cost too much to tell.
    pub(super) is_unread: bool,
}

impl Touched {
    /// Returns what `call`, which names `aim`, reads and writes.
    pub(super) fn from_call(call: &Call, aim: Option<&Aim>, hooks: &Hooks) -> Self {
        let own = tool::find_tool(&call.tool).map(tool::Tool::effect);
        let named = aim.cloned();
        match own {
            Some(Effect::Writes) => {
                let shown = SHOWING.contains(&call.tool.as_str());
                let reads = named.clone().filter(|_| shown).into_iter().collect();
                let writes = named.into_iter().collect();
                Self { reads, writes, is_shown: true, ..Self::default() }
            }
            Some(Effect::Looks) => {
                let shown = SHOWING.contains(&call.tool.as_str());
                Self { reads: named.filter(|_| shown).into_iter().collect(), ..Self::default() }
            }
            Some(Effect::Runs) | None => match hooks.files_touched_by(call) {
                Some(touched) => Self::from_analysis(touched, call, named, hooks),
                None => Self {
                    is_unread: true,
                    doubt: Some("it would cost too much to tell what it touches".to_owned()),
                    ..Self::default()
                },
            },
        }
    }

    /// Returns what the read of one file touches.
    pub(super) fn by_reading(aim: &Aim) -> Self {
        Self { reads: vec![aim.clone()], ..Self::default() }
    }

    fn from_analysis(
        touched: FilesTouched,
        call: &Call,
        named: Option<Aim>,
        hooks: &Hooks,
    ) -> Self {
        let mut resolved = Self { doubt: touched.doubt, ..Self::default() };
        let line = tool::text_argument(call, "command").unwrap_or_default();
        let dots = globs::Dots::for_shell_line(line);
        for written in touched.writes.iter().filter(|path| !DEVICES.contains(&path.as_str())) {
            let aims = resolved.files_at_path_in_call(written, dots, hooks);
            let kept = aims.into_iter().filter(|aim| !is_device(aim));
            resolved.writes.extend(kept);
        }
        // What cannot be known there stands among the writes, too.
        let unresolved = resolved.unresolved.clone();
        for written in &touched.deletes {
            let aims = resolved.files_at_path_in_call(written, dots, hooks);
            resolved.removes.extend(aims);
        }
        for written in touched.reads.iter().filter(|path| !path.contains('$')) {
            let aims = resolved.files_at_path_in_call(written, dots, hooks);
            resolved.reads.extend(aims);
        }
        for tree in touched.trees {
            let aims = resolved.files_at_path_in_call(&tree.path, dots, hooks);
            resolved.trees.extend(aims.into_iter().map(|aim| (aim, tree.clone())));
        }
        resolved.unresolved = unresolved;
        if call.tool.starts_with(toolbox::PREFIX) {
            resolved.add_server_tool_files(call, named);
        }
        if let Some(written) = &resolved.unresolved {
            let why =
                || format!("the call does not say where `{written}` leads, to which it writes");
            resolved.doubt = resolved.doubt.or_else(|| Some(why()));
        }
        resolved
    }

    /// Adds the file that a server's tool was given: the tool may read it, and a directory with
    /// everything in it.
    fn add_server_tool_files(&mut self, call: &Call, named: Option<Aim>) {
        self.reads.extend(named);
        let name = call.tool.to_ascii_lowercase();
        if LISTING.iter().any(|part| name.contains(part)) {
            return;
        }
        let everything = |aim: &Aim| Tree {
            path: aim.name.clone(),
            skips: Skips::Nothing,
            names: Vec::new(),
            excluded: Vec::new(),
        };
        self.trees.extend(self.reads.iter().map(|aim| (aim.clone(), everything(aim))));
    }

    /// Returns the files to which a path in the call leads: one, or those that match its pattern.
    fn files_at_path_in_call(
        &mut self,
        written: &str,
        dots: globs::Dots,
        hooks: &Hooks,
    ) -> Vec<Aim> {
        if written.contains(UNKNOWN) {
            self.unresolved.get_or_insert_with(|| written.to_owned());
        }
        let path = hooks.resolve_touched_path(written);
        let Expanded { paths, is_whole } = globs::expand_globs(&path, dots);
        if !is_whole {
            let why = format!("`{written}` fits more files than are looked at");
            self.doubt.get_or_insert(why);
        }
        let one = || vec![Aim::from_path(written, path.clone())];
        match paths.is_empty() {
            true => one(),
            false => paths
                .into_iter()
                .map(|path| Aim::from_path(&display_path(&path, hooks), path))
                .collect(),
        }
    }
}

/// Returns a path as a person reads it: relative to the project if it is in it.
fn display_path(path: &Path, hooks: &Hooks) -> String {
    let project = hooks.resolve_touched_path("");
    path.strip_prefix(project).unwrap_or(path).display().to_string()
}

fn is_device(aim: &Aim) -> bool {
    let path = aim.judged.as_ref().map(|judged| judged.path.as_path());
    path.is_some_and(|path| DEVICES.iter().any(|device| path == Path::new(device)))
}

/// Returns the text of a file before and after one of the agent's own tools writes it, or `None` if
/// that cannot be determined.
pub(super) fn text_before_and_after(call: &Call, aim: &Aim) -> Option<(String, String)> {
    let judged = aim.judged.as_ref()?;
    let before = match judged.exists() {
        true => String::from_utf8(judged.read_whole().ok()?).ok()?,
        false => String::new(),
    };
    if let Some(content) = tool::text_argument(call, "content") {
        return Some((before, content.to_owned()));
    }
    let (old, new) =
        (tool::text_argument(call, "old_string")?, tool::text_argument(call, "new_string")?);
    let after = before.replace(old, new);
    Some((before, after))
}
