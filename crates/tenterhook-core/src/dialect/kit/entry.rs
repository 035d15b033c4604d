//! Builds a hook from an entry of a file: its name, location and layer. Reports fields that the
//! agent does not have.

mod fault;

use std::path::{Path, PathBuf};

use super::file::{Reader, Scope};
use crate::diagnostic::{Code, Diagnostic, Severity, nearest_word};
use crate::dialect::findings::{Findings, finding_without_location};
use crate::hook::{Hook, HookId, Layer, Run, Unread};
use crate::source::Source;
use crate::syntax::{Entry, Node};

pub(crate) use fault::EntryFault;

/// Longest matcher that is part of a hook's name.
const NAMED_MATCHER: usize = 40;

/// Returns the origin of a hook in one word: its plugin, its layer, or the file that the caller
/// named.
pub(crate) fn hook_origin(source: &Source) -> String {
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

/// Builds the name of a hook, such as `project:PreToolUse:Bash:1`: its origin, event, matcher (`*`
/// without a matcher) and a number among equals.
pub(crate) fn next_hook_id(
    findings: &mut Findings<'_>,
    source: &str,
    event: &str,
    matcher: &str,
) -> HookId {
    let matcher: String = match matcher {
        "" => "*".to_owned(),
        text => text.chars().take(NAMED_MATCHER).collect(),
    };
    let name = format!("{source}:{event}:{matcher}");
    let number = findings.next_ordinal(&name);
    HookId::new(format!("{name}:{number}"))
}

/// Creates the hook of the entry at `node` with its command and event; the caller fills in the
/// other fields. `text` is the matcher as written, which is part of the hook's name.
pub(crate) fn new_hook(
    reader: &mut Reader<'_>,
    node: &Node,
    event: &str,
    text: &str,
    scope: &Scope,
    run: Run,
) -> Hook {
    let source = reader.source;
    let id = next_hook_id(&mut reader.findings, &hook_origin(source), event, text);
    let mut hook = Hook::new(id, reader.file.id, scope.event_name(), run);
    hook.place = Some(reader.findings.location(node.span));
    hook.layer = source.layer;
    hook.compat = source.compat;
    let keys = reader.file.own_keys.iter().copied();
    hook.own_keys = keys.filter(|key| reader.non_null_entry(node, key).is_some()).collect();
    hook
}

/// Reads the environment variables of a command; those that are not strings are reported.
pub(crate) fn read_env(reader: &mut Reader<'_>, node: &Node) -> Vec<(String, String)> {
    let Some(field) = reader.non_null_entry(node, "env") else { return Vec::new() };
    if field.node.as_object().is_none() {
        reader.findings.report_wrong_type(field, "an object");
    }
    let mut env = Vec::new();
    for variable in field.node.entries() {
        match variable.node.as_str() {
            Some(value) => env.push((variable.key.clone(), value.to_owned())),
            None => {
                let (key, kind) = (&variable.key, variable.node.kind_with_article());
                let message = format!("`env.{key}` takes a string, found {kind}");
                reader.report(
                    variable.node.span,
                    finding_without_location(Code::WrongFieldType, message),
                );
            }
        }
    }
    env
}

/// Reads the working directory of an entry, relative to the project.
pub(crate) fn read_cwd(reader: &mut Reader<'_>, node: &Node) -> Option<PathBuf> {
    read_directory(reader, node, "cwd")
}

/// Reads a directory at a key of an entry, relative to the project.
pub(crate) fn read_directory(reader: &mut Reader<'_>, node: &Node, key: &str) -> Option<PathBuf> {
    let text = reader.read_text(node, key).filter(|text| !text.is_empty())?;
    let Source { home, project, .. } = reader.source;
    match text.strip_prefix("~/") {
        Some(rest) if !home.as_os_str().is_empty() => Some(home.join(rest)),
        _ => Some(project.join(text)),
    }
}

/// Returns the `Run` of a rejected entry, which always fails.
pub(crate) fn unusable_run(why: impl Into<String>) -> Run {
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
    /// Reports the fields of `node` that the agent does not read, except those in `others`.
    pub(crate) fn report_unknown_fields(
        &self,
        reader: &mut Reader<'_>,
        node: &Node,
        others: &[&str],
    ) {
        let case = reader.file.case;
        let reads = |field: &&Entry| {
            self.known.iter().chain(others).any(|known| case.matches_key(&field.key, known))
        };
        for field in node.entries().iter().filter(|entry| !reads(entry)) {
            reader.report(field.key_span, self.unknown_field_finding(&field.key, others));
        }
    }

    fn unknown_field_finding(&self, key: &str, others: &[&str]) -> Diagnostic {
        let known: Vec<&str> = self.known.iter().chain(others).copied().collect();
        let message = format!("{} has no field `{key}`: it is ignored", self.whose);
        let found = finding_without_location(self.code, message);
        if is_comment_key(key) {
            return found.with_severity(Severity::Advice);
        }
        let plain = letters_and_digits(key);
        let foreign = self.foreign.iter().find(|(name, _)| *name == plain);
        let other = OTHER_NAMES.iter().find(|(name, text)| *name == plain && known.contains(text));
        let near =
            other.map(|(_, value)| *value).or_else(|| nearest_word(key, known.iter().copied()));
        let help = match (foreign, near) {
            (Some((_, help)), _) => (*help).to_owned(),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) if known.len() <= FEW => {
                format!("it has `{}`", known.join("`, `"))
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

/// Returns the letters and digits of a name in lower case, for comparisons that ignore spelling.
pub(crate) fn letters_and_digits(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns `true` if the key of an object is a comment.
pub(crate) fn is_comment_key(key: &str) -> bool {
    key.starts_with(['_', '$', '#']) || key.starts_with("//")
}
