//! How does an entry of a file become a hook? Its name, its place, its layer, and the fields that its agent does not have.

use std::path::Path;

use crate::diagnostic::{Code, nearest};
use crate::dialect::DialectId;
use crate::dialect::findings::{Findings, finding};
use crate::event::EventName;
use crate::hook::{Hook, HookId, Layer, Run, Unread};
use crate::source::Source;
use crate::syntax::Entry;

/// Longest matcher that is part of a hook's name.
const NAMED_MATCHER: usize = 40;

/// Where a hook comes from, in one word: its plugin, its layer, or the file that the caller named.
pub(in crate::dialect) fn source_word(source: &Source) -> String {
    let layer = source.layer;
    match (&source.plugin, layer) {
        (Some(plugin), _) => plugin.name.clone(),
        (None, Layer::Managed | Layer::User | Layer::Project | Layer::Local) => {
            layer.word().to_owned()
        }
        (None, _) => {
            let name = Path::new(&*source.name).file_name();
            name.map_or_else(|| layer.word().to_owned(), |it| it.to_string_lossy().into_owned())
        }
    }
}

/// `project:PreToolUse:Bash:1`: where from, for what, and a number among equals. Without a matcher it is `*`.
pub(in crate::dialect) fn id(
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
    let number = findings.ordinal(&name);
    HookId::new(format!("{name}:{number}"))
}

/// A hook of `source` that says nothing yet.
pub(in crate::dialect) fn draft(
    source: &Source,
    id: HookId,
    dialect: DialectId,
    event: EventName,
    run: Run,
) -> Hook {
    let mut hook = Hook::new(id, dialect, event, run);
    hook.layer = source.layer;
    hook.compat = source.compat;
    hook
}

/// What an entry runs that was rejected.
pub(in crate::dialect) fn unusable(why: impl Into<String>) -> Run {
    Run::Unusable { part: Unread::Entry, why: why.into() }
}

/// Tells of a field that the agent does not read. `whose` is what the field stands in.
pub(in crate::dialect) fn unknown_field(
    findings: &mut Findings<'_>,
    field: &Entry,
    code: Code,
    whose: &str,
    known: &[&'static str],
    otherwise: Option<&str>,
) {
    let message = format!("{whose} has no field `{}`: it is ignored", field.key);
    let found = finding(code, message);
    let near = nearest(&field.key, known.iter().copied());
    let help = near.map(|near| format!("did you mean `{near}`?"));
    let found = match help.or_else(|| otherwise.map(str::to_owned)) {
        Some(help) => found.help(help),
        None => found,
    };
    findings.report(field.key_span, found);
}
