//! Builds a hook from an entry of a file: its name, location and layer. Reports fields that the
//! agent does not have.

mod fault;

use std::path::{Path, PathBuf};

use super::file::{Reader, Scope};
use crate::diagnostic::{Code, Diagnostic, Severity, nearest};
use crate::dialect::findings::{Findings, finding};
use crate::hook::{Hook, HookId, Layer, Run, Unread};
use crate::source::Source;
use crate::syntax::{Entry, Node};

pub(crate) use fault::EntryFault;

/// Longest matcher that is part of a hook's name.
const NAMED_MATCHER: usize = 40;

/// The origin of a hook in one word: its plugin, its layer, or the file that the caller named.
pub(crate) fn source_word(source: &Source) -> String {
    let layer = source.layer;
    match (&source.plugin, layer) {
        (Some(plugin), _) => plugin.name.clone(),
        (None, Layer::Managed | Layer::User | Layer::Project | Layer::Local) => {
            layer.as_str().to_owned()
        }
        (None, _) => {
            let name = Path::new(&*source.name).file_name();
            name.map_or_else(
                || layer.as_str().to_owned(),
                |name| name.to_string_lossy().into_owned(),
            )
        }
    }
}

/// `project:PreToolUse:Bash:1`: where from, for what, and a number among equals. Without a matcher
/// it is `*`.
pub(crate) fn id(findings: &mut Findings<'_>, source: &str, event: &str, matcher: &str) -> HookId {
    let matcher: String = match matcher {
        "" => "*".to_owned(),
        text => text.chars().take(NAMED_MATCHER).collect(),
    };
    let name = format!("{source}:{event}:{matcher}");
    let number = findings.ordinal(&name);
    HookId::new(format!("{name}:{number}"))
}

/// A hook for the entry at `node` with its command and event; the caller fills in the other fields.
/// `text` is the matcher as written, which is part of the hook's name.
pub(crate) fn draft(
    reader: &mut Reader<'_>,
    node: &Node,
    event: &str,
    text: &str,
    scope: &Scope,
    run: Run,
) -> Hook {
    let source = reader.source;
    let id = id(&mut reader.findings, &source_word(source), event, text);
    let mut hook = Hook::new(id, reader.file.id, scope.event(), run);
    hook.place = Some(reader.findings.location(node.span));
    hook.layer = source.layer;
    hook.compat = source.compat;
    hook
}

/// Variables of a command: those that are strings.
pub(crate) fn env(reader: &mut Reader<'_>, node: &Node) -> Vec<(String, String)> {
    let Some(field) = reader.entry(node, "env") else { return Vec::new() };
    if field.node.as_object().is_none() {
        reader.findings.takes(field, "an object");
    }
    let mut env = Vec::new();
    for variable in field.node.entries() {
        match variable.node.as_str() {
            Some(value) => env.push((variable.key.clone(), value.to_owned())),
            None => {
                let (key, kind) = (&variable.key, variable.node.kind());
                let message = format!("`env.{key}` takes a string, found {kind}");
                reader.report(variable.node.span, finding(Code::WrongFieldType, message));
            }
        }
    }
    env
}

/// The working directory of an entry, relative to the project.
pub(crate) fn cwd(reader: &mut Reader<'_>, node: &Node) -> Option<PathBuf> {
    let text = reader.text(node, "cwd").filter(|text| !text.is_empty())?;
    let Source { home, project, .. } = reader.source;
    match text.strip_prefix("~/") {
        Some(rest) if !home.as_os_str().is_empty() => Some(home.join(rest)),
        _ => Some(project.join(text)),
    }
}

/// What an entry runs that was rejected.
pub(crate) fn unusable(why: impl Into<String>) -> Run {
    Run::Unusable { part: Unread::Entry, why: why.into() }
}

/// The fields of one kind of entry.
#[derive(Clone, Copy)]
pub(crate) struct Fields {
    /// What has them, in words.
    pub(crate) whose: &'static str,
    /// The code of a field that it does not have.
    pub(crate) code: Code,
    pub(crate) known: &'static [&'static str],
    /// Names that other formats use, in lower case and without punctuation, and what to do about
    /// them.
    pub(crate) foreign: &'static [(&'static str, &'static str)],
}

/// So many fields can be named in one sentence.
const FEW: usize = 6;

impl Fields {
    /// Tells of the fields of `node` that the agent does not read, but for those that are somebody
    /// else's.
    pub(crate) fn check(&self, reader: &mut Reader<'_>, node: &Node, others: &[&str]) {
        let case = reader.file.case;
        let reads = |field: &&Entry| {
            self.known.iter().chain(others).any(|known| case.is(&field.key, known))
        };
        for field in node.entries().iter().filter(|entry| !reads(entry)) {
            reader.report(field.key_span, self.unknown(&field.key));
        }
    }

    fn unknown(&self, key: &str) -> Diagnostic {
        let message = format!("{} has no field `{key}`: it is ignored", self.whose);
        let found = finding(self.code, message);
        if is_comment(key) {
            return found.weighing(Severity::Advice);
        }
        let plain = plain_name(key);
        let foreign = self.foreign.iter().find(|(name, _)| *name == plain);
        let other =
            OTHER_NAMES.iter().find(|(name, text)| *name == plain && self.known.contains(text));
        let near =
            other.map(|(_, value)| *value).or_else(|| nearest(key, self.known.iter().copied()));
        let help = match (foreign, near) {
            (Some((_, help)), _) => (*help).to_owned(),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) if self.known.len() <= FEW => {
                format!("it has `{}`", self.known.join("`, `"))
            }
            (None, None) => return found,
        };
        found.help(help)
    }
}

/// What people call a field of whose name these are no misspellings.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("cmd", "command"),
    ("exec", "command"),
    ("program", "command"),
    ("run", "command"),
    ("script", "command"),
    ("shell", "command"),
    ("cmd", "bash"),
    ("command", "bash"),
    ("timeoutms", "timeout"),
    ("timeoutsec", "timeout"),
    ("timeoutseconds", "timeout"),
    ("matches", "matcher"),
    ("pattern", "matcher"),
    ("tool", "matcher"),
    ("toolname", "matcher"),
];

/// The letters and digits of a name, in lower case, for comparisons that ignore spelling.
pub(crate) fn plain_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether the key of an object is a comment.
pub(crate) fn is_comment(key: &str) -> bool {
    key.starts_with(['_', '$', '#']) || key.starts_with("//")
}
