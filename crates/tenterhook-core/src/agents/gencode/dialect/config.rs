//! Reads one settings file of Gen, or a plugin's manifest: where its events stand, and its matchers (G-4, G-5). What a
//! handler runs is read in `handler.rs`. A bad entry is rejected alone: the agent skips the whole file.

use super::{events, handler, matcher};
use crate::diagnostic::Code;
pub(crate) use crate::dialect::findings::finding;
use crate::dialect::kit::entry::Fields;
use crate::dialect::kit::field::Case;
use crate::dialect::kit::file::{self, File, Reader, Rules, Scope};
use crate::dialect::kit::groups::Groups;
use crate::dialect::{DialectId, Subject};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Entry, Format, Node, NodeValue};

/// The words of its files.
static FILE: File = File {
    rules: Rules::all("G-4"),
    // The agent reads keys in any case.
    case: Case::Ignored,
    // Names of events are open (ruling 13): the hook is armed for an event of that name.
    is_open: true,
    find,
    ..File::new(
        "Gen",
        DialectId::GEN,
        || events::ROWS,
        |reader, node, scope| GROUPS.group(reader, node, scope),
    )
};

/// The words of its groups.
static GROUPS: Groups = Groups {
    types: &[("command", "command"), ("prompt", "prompt"), ("agent", "prompt"), ("http", "url")],
    more: &[],
    fields: Fields {
        whose: "a handler",
        code: Code::UnknownHandlerField,
        known: &[
            "type",
            "command",
            "prompt",
            "url",
            "if",
            "shell",
            "model",
            "async",
            "asyncRewake",
            "timeout",
            "statusMessage",
            "once",
            "headers",
            "allowedEnvVars",
        ],
        foreign: &[],
    },
    matcher,
    run: handler::run,
    terms: handler::terms,
};

/// Reads `source`. An event that is mentioned replaces weaker layers, with nothing too (G-2).
pub(super) fn read(source: &Source) -> ReadConfig {
    file::read(&FILE, source, Format::Json)
}

fn find<'n>(reader: &mut Reader<'_>, root: &'n Node) -> Option<&'n Node> {
    let hooks = root.get("hooks")?;
    let is_manifest = reader.source.name.ends_with("plugin.json");
    match &hooks.value {
        // A plugin's manifest may name a file, which is a source of its own, or hold what such a file would.
        NodeValue::String(_) if is_manifest => None,
        NodeValue::Object(_) if is_manifest && hooks.get("hooks").is_some() => hooks.get("hooks"),
        _ => Some(hooks),
    }
}

/// What is wrong with the matcher of a group.
fn matcher(reader: &mut Reader<'_>, entry: &Entry, scope: &Scope) {
    let text = scope.matcher.as_str();
    let span = entry.node.span;
    let means = matcher::read(scope.event().as_str(), text, reader.source.compat);
    let about_nothing = scope.row.is_some_and(|row| row.subject == Subject::None);
    if about_nothing && !matches!(text, "" | "*") {
        let message = format!("`{}` has nothing that a matcher is tested on", scope.event());
        let found = finding(Code::MatcherIgnored, message)
            .help("Gen never runs the hooks of this group; here they run every time");
        reader.report(span, found);
    }
    if let Some(why) = &means.broken {
        let message = format!("the matcher is not a valid regular expression: {why}");
        let found = finding(Code::InvalidMatcher, message)
            .help("until it is mended, the hook's failure policy decides each time");
        reader.report(span, found);
    }
    if means.ambiguous {
        let message = "this is read as a regular expression, not as a tool and its argument";
        let found = finding(Code::MatcherIsExpression, message)
            .help("for the arguments of one tool, write one group for each of them");
        reader.report(span, found);
    }
}
