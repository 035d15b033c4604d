//! The settings that Gemini CLI and its fork Qwen Code have in common: their paths, the matchers of
//! groups, and the lists of disabled hooks. Opens no file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Span};
pub(crate) use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::entry;
use crate::dialect::kit::file::{Reader, Scope};
use crate::dialect::kit::groups;
use crate::dialect::kit::lint::javascript_fault;
use crate::dialect::kit::shape::{RefusedValue, StoppedEvent};
use crate::dialect::{Candidate, DialectId, EventRow, Fit, Roots, Subject, machine};
use crate::hook::{Arming, Command, Compat, Inherit, Invocation, Layer, Run, Shell};
use crate::matcher::{Matcher, MatcherSpec};
use crate::source::{ReadConfig, Source, Switch};
use crate::syntax::{self, Entry, Format, Node, NodeValue};

/// The paths of the settings of one of the two agents.
pub(crate) struct SettingsPaths {
    pub(crate) id: DialectId,
    /// The directory in a home and in a project.
    pub(crate) folder: &'static str,
    /// The name of its directory among the managed settings of the machine.
    pub(crate) machine: &'static str,
}

const FILE: &str = "settings.json";

/// The key of Gemini CLI's switches.
pub(crate) const SWITCHES: &str = "hooksConfig";

/// The managed file of the machine, the user's file, and the file of the project in which the agent
/// was started.
pub(crate) fn config_candidates(paths: &SettingsPaths, roots: &Roots) -> Vec<Candidate> {
    let user = roots.agent_home(paths.id).join(FILE);
    let project: PathBuf = roots.cwd.join(paths.folder).join(FILE);
    let others = [(user, Layer::User), (project, Layer::Project)];
    let others = others.into_iter().map(|(path, layer)| Candidate { path, layer });
    machine::machine_wide_files(&[(Some(paths.machine), FILE)], roots)
        .into_iter()
        .chain(others)
        .collect()
}

/// Recognizes a file by its path, else by an event that only this agent has.
pub(crate) fn recognize_config(
    paths: &SettingsPaths,
    rows: &[EventRow],
    path: &Path,
    root: Option<&Node>,
) -> Fit {
    let own = |folder: &str| path.ends_with(Path::new(folder).join(FILE));
    if own(paths.folder) || own(paths.machine) {
        return Fit::Certain;
    }
    let hooks = root.and_then(|root| root.get("hooks")).map(Node::entries).unwrap_or_default();
    let is_own = |key: &str| rows.iter().any(|row| row.name == key && row.name != row.event);
    let groups = hooks.iter().any(|hook| is_own(&hook.key) && hook.node.as_array().is_some());
    if groups { Fit::Shape } else { Fit::No }
}

/// The switch of one agent that disables all hooks.
pub(crate) struct HookSwitch {
    /// Its keys, from the root.
    pub(crate) keys: &'static [&'static str],
    /// The value that disables the hooks.
    pub(crate) off: bool,
    /// Switches of other agents or versions, which this one does not read.
    pub(crate) unread: &'static [&'static [&'static str]],
    /// What to write instead of those.
    pub(crate) help: &'static str,
}

/// Finds the table of events, and reports a setting that disables all hooks, and one that only
/// seems to (GM-5, GM-6).
pub(crate) fn find_events_table<'n>(
    reader: &mut Reader<'_>,
    root: &'n Node,
    switch: &HookSwitch,
) -> Option<&'n Node> {
    let on = entry_at_keys(root, switch.keys);
    if let Some(entry) = on.filter(|entry| entry.node.as_bool() == Some(switch.off)) {
        reader.read.switches.push(Switch::DisableAll);
        let message = format!("`{}` switches every hook off", entry.key);
        reader.report(entry.key_span, finding_without_location(Code::HooksDisabled, message));
    }
    for keys in switch.unread {
        let Some(entry) = entry_at_keys(root, keys) else { continue };
        let (key, agent) = (keys.join("."), reader.file.agent);
        let message = format!("{agent} does not read `{key}`, so it switches no hook off");
        let found = finding_without_location(Code::SwitchIgnored, message).help(switch.help);
        reader.report(entry.key_span, found);
    }
    root.get("hooks")
}

/// Returns the entry at a path of keys.
fn entry_at_keys<'n>(root: &'n Node, keys: &[&str]) -> Option<&'n Entry> {
    let (last, parents) = keys.split_last()?;
    parents.iter().try_fold(root, |node, key| node.get(key))?.entry(last)
}

/// Disables the hooks that `disabled` lists by name, or by command if a hook has no name. A list of
/// the user or the machine applies to every file, a list of a project only to its own file. Only a
/// managed file can disable the hooks of a managed file (C-90).
pub(crate) fn disable_listed_hooks(layers: &mut [(&Source, &mut ReadConfig)]) {
    let listings = layers.iter().filter(|(source, _)| source.text.contains("disabled"));
    let listings = listings.map(|(source, _)| Listing {
        file: Arc::clone(&source.name),
        layer: source.layer,
        text: Arc::clone(&source.text),
        names: disabled_hook_names(source),
    });
    let listings: Vec<Listing> = listings.filter(|listing| !listing.names.is_empty()).collect();
    if listings.is_empty() {
        return;
    }
    for (source, read) in layers.iter_mut() {
        let about: Vec<&Listing> =
            listings.iter().filter(|listing| listing.applies_to_hooks_of(source)).collect();
        let names = hook_names_with_spans(source);
        let mut found = Vec::new();
        for hook in read.hooks.iter_mut().filter(|hook| hook.arming == Arming::Armed) {
            let span = hook.place.as_ref().map(|location| location.span);
            let name = names.iter().find(|name| Some(name.0) == span).map(|name| &name.1);
            let command = match &hook.run {
                Run::Command(Command { invocation: Invocation::Shell { text, .. }, .. }) => {
                    Some(text)
                }
                _ => None,
            };
            let Some(name) = name.or(command) else { continue };
            let listed = about.iter().copied().filter(|listing| listing.names.contains(name));
            let (binding, others): (Vec<&Listing>, Vec<&Listing>) =
                listed.partition(|listing| listing.may_disable_hooks_of(source));
            if !binding.is_empty() {
                let because = "`disabled` lists it".to_owned();
                hook.arming = Arming::Disarmed { because, rule: "GM-6" };
            } else if let Some(Listing { file, .. }) = others.first() {
                let message = format!(
                    "`disabled` in {file} has no effect on `{name}`: {} is a managed file",
                    source.name
                );
                let diagnostic = Diagnostic::new(Code::SwitchIgnored, message, None);
                found.push(diagnostic.help("leave it out: only a managed file changes this"));
            }
        }
        read.diagnostics.append(&mut found);
    }
}

/// The hooks that one file disables.
struct Listing {
    file: Arc<str>,
    layer: Layer,
    text: Arc<str>,
    names: Vec<String>,
}

impl Listing {
    fn is_written_in_source(&self, source: &Source) -> bool {
        // Sources that a host passes as text may share a name.
        self.file == source.name && Arc::ptr_eq(&self.text, &source.text)
    }

    fn applies_to_hooks_of(&self, source: &Source) -> bool {
        self.is_written_in_source(source) || matches!(self.layer, Layer::Managed | Layer::User)
    }

    fn may_disable_hooks_of(&self, source: &Source) -> bool {
        self.layer == Layer::Managed || source.layer != Layer::Managed
    }
}

fn disabled_hook_names(source: &Source) -> Vec<String> {
    let root = syntax::parse_by_format(&source.text, Format::Json).root;
    let root = root.as_ref();
    let list = root.and_then(|root| root.get(SWITCHES)?.get("disabled")?.as_array());
    list.into_iter().flatten().filter_map(|node| node.as_str().map(str::to_owned)).collect()
}

/// Returns the names of the hooks of a file that have one, each with the span of its handler.
fn hook_names_with_spans(source: &Source) -> Vec<(Span, String)> {
    let root = syntax::parse_by_format(&source.text, Format::Json).root;
    let events = root.as_ref().and_then(|root| root.get("hooks")).map(Node::entries);
    let groups = events.into_iter().flatten().filter_map(|entry| entry.node.as_array()).flatten();
    let handlers = groups.filter_map(|group| group.get("hooks")?.as_array()).flatten();
    let named = |handler: &Node| Some((handler.span, handler.get("name")?.as_str()?.to_owned()));
    handlers.filter_map(named).filter(|(_, name)| !name.is_empty()).collect()
}

/// Returns the events of which the agent runs no hook, in any file, because it takes a matcher for
/// a string that is something else (played with Gemini CLI 0.61.0 and Qwen Code 0.24.4).
pub(crate) fn find_stopped_events(rows: &[EventRow], root: &Node) -> Vec<StoppedEvent> {
    let Some(hooks) = root.get("hooks") else { return Vec::new() };
    let has_subject = |event: &&Entry| {
        rows.iter().any(|row| row.name == event.key && row.subject != Subject::None)
    };
    hooks.entries().iter().filter(has_subject).filter_map(find_stopping_matcher).collect()
}

/// Returns the first matcher of an event's groups that stops the event. A group without handlers
/// is not looked at.
fn find_stopping_matcher(event: &Entry) -> Option<StoppedEvent> {
    let groups = event.node.as_array()?.iter().enumerate();
    let runs = |group: &Node| {
        group.get("hooks").and_then(Node::as_array).is_some_and(|handlers| !handlers.is_empty())
    };
    let mut matchers = groups
        .filter(|(_, group)| runs(group))
        .filter_map(|(at, group)| Some((at, group.entry("matcher")?)));
    let is_wrong = |matcher: &Node| matcher.as_str().is_none() && !is_javascript_false(matcher);
    let (at, entry) = matchers.find(|(_, entry)| is_wrong(&entry.node))?;
    let value = RefusedValue {
        path: format!("hooks.{}.{at}.matcher", event.key),
        span: entry.node.span,
        key_span: Some(entry.key_span),
        fault: format!("takes a string, found {}", entry.node.kind_with_article()),
    };
    Some(StoppedEvent { event: event.key.clone(), value, is_of_one_file: false })
}

/// Returns `true` for a value that is false in JavaScript, which the agents take for no matcher.
pub(crate) fn is_javascript_false(node: &Node) -> bool {
    match &node.value {
        NodeValue::Null | NodeValue::Bool(false) => true,
        NodeValue::Number(_) => node.as_f64() == Some(0.0),
        _ => false,
    }
}

/// Reads a matcher of Qwen Code: alternatives, of which each is a name or a regular expression that
/// may match anywhere in the subject. Also returns why they are no regular expression.
pub(crate) fn read_alternatives(text: &str, compat: Compat) -> (MatcherSpec, Option<String>) {
    let text = text.trim();
    let alternatives = match text {
        "" => return (MatcherSpec::Any, None),
        text if text.starts_with(['^', '(']) => vec![text.to_owned()],
        text => split_alternatives(text),
    };
    if alternatives.is_empty() {
        return (MatcherSpec::Never("it has no alternative".to_owned()), None);
    }
    if alternatives.iter().any(|name| matches!(name.as_str(), "*" | ".*")) {
        return (MatcherSpec::Any, None);
    }
    let regex = MatcherSpec::Regex(alternatives.join("|"));
    match (Matcher::new(regex.clone()).compile(), compat) {
        (Ok(()), _) => (regex, None),
        (Err(why), Compat::Exact) => (MatcherSpec::Words(alternatives), Some(why.to_string())),
        (Err(why), Compat::Guarded) => (regex, Some(why.to_string())),
    }
}

/// Splits a matcher at each `|` outside of groups and classes, without empty alternatives.
fn split_alternatives(text: &str) -> Vec<String> {
    let (mut escaped, mut in_class, mut depth) = (false, false, 0_usize);
    let is_separator = |c: char| {
        let literal = std::mem::take(&mut escaped);
        match c {
            _ if literal => {}
            '\\' => escaped = true,
            ']' => in_class = false,
            _ if in_class => {}
            '[' => in_class = true,
            '(' => depth = depth.saturating_add(1),
            ')' => depth = depth.saturating_sub(1),
            '|' => return depth == 0,
            _ => {}
        }
        false
    };
    let parts = text.split(is_separator).map(str::trim);
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Reads a matcher of Gemini CLI: on tool events a regular expression that may match anywhere in
/// the name, on other events the whole text. Also returns why it is no regular expression.
pub(crate) fn read_matcher_spec(scope: &Scope, compat: Compat) -> (MatcherSpec, Option<String>) {
    let text = scope.matcher.trim();
    if matches!(text, "" | "*") {
        return (MatcherSpec::Any, None);
    }
    let names = |text: &str| MatcherSpec::Words(text.split('|').map(str::to_owned).collect());
    let about_tool = scope.row.is_some_and(|row| matches!(row.subject, Subject::Tool(_)));
    let regex = MatcherSpec::Regex(text.to_owned());
    let whole = MatcherSpec::Words(vec![text.to_owned()]);
    match (javascript_fault(text), compat) {
        // On other events the agent compares the whole text, but the author meant a list of names.
        (_, Compat::Exact) if !about_tool => (whole, None),
        (_, Compat::Guarded) if !about_tool => (names(text), None),
        (Some(why), Compat::Exact) => (whole, Some(why)),
        // The invalid expression stays, so that the hook fails on every event (S-3).
        (why, _) => (regex, why),
    }
}

/// Reports a broken or ignored matcher of a group.
pub(crate) fn check_matcher(
    reader: &mut Reader<'_>,
    entry: &Entry,
    scope: &Scope,
    read: (MatcherSpec, Option<String>),
) {
    let help = match &read.0 {
        MatcherSpec::Regex(_) if Matcher::new(read.0.clone()).compile().is_ok() => {
            "the agent reads it as a whole name; here it matches as it is meant"
        }
        _ => "the agent reads it as a whole name; here the hook's failure policy decides",
    };
    groups::report_matcher_faults(reader, entry, scope, &["", "*", ".*"], read, help);
}

/// The command of an entry: a line for `bash` or PowerShell, with the entry's variables.
pub(crate) fn build_command(reader: &mut Reader<'_>, node: &Node, text: String) -> Run {
    let shell = match reader.read_text(node, "shell").as_deref() {
        Some("powershell") => Shell::PowerShell,
        _ => Shell::Bash,
    };
    let env = entry::read_env(reader, node);
    let invocation = Invocation::Shell { text, shell };
    Run::Command(Command { env, ..Command::new(invocation, Inherit::All) })
}
