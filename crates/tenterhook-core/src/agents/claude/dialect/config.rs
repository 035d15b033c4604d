//! Reads one config file of Claude Code: its shape, its switches, and the faults of the whole file.
//!
//! `config/entry.rs` and `handler.rs` read entries. Reading never fails and repairs nothing: an
//! entry that the agent would not run becomes a hook that is off for a reason (C-22).

mod entry;
mod text;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::events::find_event;
use super::handler::Scope;
use super::lint;
use super::mods;
use super::paths::has_front_matter_hooks;
use super::placeholders::Placeholders;

use crate::diagnostic::{Code, Diagnostic, Location, Span};
pub(crate) use crate::dialect::findings::Findings;
pub(crate) use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::field::strings_of_array;
pub(super) use crate::dialect::kit::file::Off;
use crate::dialect::kit::file::{
    find_misnamed_hooks, misnamed_hooks_finding, refusal_of_whole_file_phrase,
};
use crate::dialect::{GROUPS, broken};
use crate::event::EventName;
use crate::hook::{Hook, Layer};
use crate::source::{Plugin, ReadConfig, Requests, Source, Switch};
use crate::syntax::{self, Format, Node};

/// Reads the hooks of a config file of Claude Code.
pub(crate) fn read_config(source: &Source) -> ReadConfig {
    let kind = FileKind::from_source(source);
    let format = if kind.is_front_matter() { Format::FrontMatter } else { Format::Json };
    let parsed = syntax::parse_or_salvage(&source.text, format, GROUPS);
    let mut reading = Reading::new(source, kind);
    let refused = reading.report_syntax_errors(&parsed);
    reading.read.lost = broken::find_lost_part(source, &parsed);
    // The lost part of a torn text may switch the hooks on again.
    reading.is_torn = reading.read.lost.is_some();
    if let Some(root) = &parsed.root {
        reading.skips_wrong_entries = reading.is_settings(root);
        let value = reading.find_refused_value(root);
        let refused = refused.or_else(|| reading.refuse_file_for_value(value.as_ref()?));
        reading.read_document(root, refused.as_ref());
        if let Some(value) = value {
            reading
                .findings
                .report_refused_value(&value, &refusal_of_whole_file_phrase(source, "Claude Code"));
        }
    }
    ReadConfig { diagnostics: reading.findings.into_list(), ..reading.read }
}

/// The kind of file that a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// Settings, or a plugin's `hooks.json`.
    Settings,
    /// A plugin's `plugin.json`.
    Manifest,
    /// A skill or a command with front matter.
    Skill,
    /// A subagent with front matter.
    Agent,
}

impl FileKind {
    fn from_source(source: &Source) -> Self {
        let path = Path::new(&*source.name);
        let under_agents = || path.components().any(|component| component.as_os_str() == "agents");
        match source.layer {
            Layer::Skill => Self::Skill,
            Layer::Agent => Self::Agent,
            _ if has_front_matter_hooks(path) && under_agents() => Self::Agent,
            _ if has_front_matter_hooks(path) => Self::Skill,
            _ if path.file_name().is_some_and(|name| name == "plugin.json") => Self::Manifest,
            _ => Self::Settings,
        }
    }

    const fn is_front_matter(self) -> bool {
        matches!(self, Self::Skill | Self::Agent)
    }
}

/// The state of reading a file.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    pub(super) source: &'a Source,
    pub(super) kind: FileKind,
    pub(super) placeholders: Placeholders,
    /// Variables that the file itself sets for the agent and its hooks.
    pub(super) env: HashSet<String>,
    /// Whether a part of the text is lost.
    is_torn: bool,
    /// Whether the file belongs to a plugin.
    is_of_plugin: bool,
    /// Whether the agent is known to skip entries and groups with a wrong value (C-24, C-25).
    pub(super) skips_wrong_entries: bool,
    pub(super) findings: Findings<'a>,
    /// The first location of each entry, by its event, its matcher and its handler as written
    /// (C-13).
    entries: HashMap<(EventName, Option<String>, String), Location>,
    read: ReadConfig,
}

impl<'a> Reading<'a> {
    fn new(source: &'a Source, kind: FileKind) -> Self {
        let own = source.plugin.clone().or_else(|| plugin_from_path(source));
        Self {
            source,
            kind,
            placeholders: Placeholders::new(&source.project, own.as_ref()),
            env: HashSet::new(),
            entries: HashMap::new(),
            is_torn: false,
            is_of_plugin: own.is_some(),
            skips_wrong_entries: false,
            findings: Findings::new(source),
            read: ReadConfig::default(),
        }
    }

    pub(super) fn report_finding(&mut self, span: Span, diagnostic: Diagnostic) {
        self.findings.report(span, diagnostic);
    }

    /// Returns the reason why a handler is skipped that repeats an entry above (C-13). Copies in
    /// plugins, skills and agents are separate entries.
    pub(super) fn repeated_handler_off_reason(
        &mut self,
        node: &Node,
        scope: &Scope,
    ) -> Option<Off> {
        let is_settings = self.kind == FileKind::Settings && self.source.plugin.is_none();
        if !is_settings || scope.off.is_some() {
            return None;
        }
        let text = node.to_json().to_string();
        let key = (scope.event.clone(), scope.matcher_text.clone(), text);
        match self.entries.entry(key) {
            Entry::Occupied(first) => {
                Some(Off::new(format!("the same entry stands at {}", first.get()), "C-13"))
            }
            Entry::Vacant(slot) => {
                slot.insert(self.findings.location(node.span));
                None
            }
        }
    }

    /// Adds a hook that is written at `span`.
    pub(super) fn add_hook(&mut self, span: Span, mut hook: Hook) {
        hook.place = Some(self.findings.location(span));
        self.read.hooks.push(hook);
    }

    fn read_document(&mut self, root: &Node, refused: Option<&Off>) {
        if root.as_object().is_none() {
            let message = format!("expected an object, found {}", root.kind_with_article());
            self.report_finding(
                root.span,
                finding_without_location(Code::NotAnObject, message)
                    .help("write `{\"hooks\": {\"PreToolUse\": [...]}}`"),
            );
            return;
        }
        self.report_duplicate_keys(root);
        if refused.is_none() && !self.is_torn {
            self.read_hook_switches(root);
        }
        if self.kind == FileKind::Settings && self.source.plugin.is_some() {
            self.read.modules = mods::listed_modules(root);
        }
        if let Some(env) = root.get("env") {
            self.env.extend(env.entries().iter().map(|entry| entry.key.clone()));
        }
        let written: Vec<_> = root.entries().iter().filter(|entry| entry.key == "hooks").collect();
        let off = refused.cloned().or_else(|| self.plugin_agent_off_reason());
        // A manifest under a different file name is recognized by its `name`.
        if self.kind == FileKind::Settings
            && root.get("name").is_some_and(|name| name.as_str().is_some())
        {
            self.kind = FileKind::Manifest;
        }
        for (at, entry) in written.iter().enumerate() {
            let shadowed = (at + 1 < written.len()).then(repeated_key_off_reason);
            self.read_hooks(&entry.node, off.as_ref().or(shadowed.as_ref()));
        }
        if written.is_empty() && !self.kind.is_front_matter() {
            self.read_top_level_events(root, off.as_ref());
        }
    }

    /// The reason why the hooks of a plugin's agent do not run (C-32).
    fn plugin_agent_off_reason(&self) -> Option<Off> {
        let ignored = self.kind == FileKind::Agent && self.source.plugin.is_some();
        ignored.then(|| Off::new("hooks of agents that a plugin brings are ignored", "C-32"))
    }

    /// Reads `disableAllHooks` and `allowManagedHooksOnly`, and reports values that are not
    /// booleans.
    fn read_hook_switches(&mut self, root: &Node) {
        for (key, node) in ["disableAllHooks", "allowManagedHooksOnly"]
            .into_iter()
            .filter_map(|key| Some((key, root.entry(key)?)))
        {
            let Some(on) = node.node.as_bool() else {
                let message = format!(
                    "`{key}` takes `true` or `false`, found {}",
                    node.node.kind_with_article()
                );
                self.report_finding(
                    node.node.span,
                    finding_without_location(Code::WrongFieldType, message),
                );
                continue;
            };
            match (key, on) {
                ("disableAllHooks", true) => {
                    self.read.switches.push(Switch::DisableAll);
                    let message = "`disableAllHooks` switches every hook off that is not managed";
                    self.report_finding(
                        node.key_span,
                        finding_without_location(Code::HooksDisabled, message),
                    );
                }
                ("disableAllHooks", false) => self.read.switches.push(Switch::EnableAll),
                (_, true) if self.source.layer == Layer::Managed => {
                    self.read.switches.push(Switch::ManagedOnly(crate::source::Whose::All));
                }
                (_, true) if self.source.layer != Layer::Given => {
                    let message = "`allowManagedHooksOnly` counts only in managed settings";
                    self.report_finding(
                        node.key_span,
                        finding_without_location(Code::ManagedKeyIgnored, message),
                    );
                }
                _ => {}
            }
        }
        self.read_http_allowlists(root);
    }

    /// Reads the allowlists of URLs and variables for HTTP hooks (C-19).
    fn read_http_allowlists(&mut self, root: &Node) {
        for about in [Requests::Urls, Requests::Variables] {
            let Some(entry) = root.entry(about.key()) else { continue };
            let Some(allowed) = strings_of_array(&entry.node) else {
                let message = format!("`{}` takes an array of strings", about.key());
                self.report_finding(
                    entry.node.span,
                    finding_without_location(Code::WrongFieldType, message),
                );
                continue;
            };
            let place = Some(self.findings.location(entry.key_span));
            self.read.switches.push(Switch::Requests { about, allowed, place });
        }
    }

    /// Reads the value of `hooks`.
    fn read_hooks(&mut self, node: &Node, off: Option<&Off>) {
        if node.as_object().is_some() {
            return self.read_event_map(node, off);
        }
        if node.is_null() {
            return;
        }
        let is_manifest = self.kind == FileKind::Manifest;
        let Some(items) = node.as_array() else {
            // A manifest may name a further file, which is a separate source (C-33).
            match node.as_str().filter(|_| is_manifest) {
                Some(path) => self.report_misplaced_hooks(node, path),
                None => {
                    let message =
                        format!("`hooks` takes an object, found {}", node.kind_with_article());
                    self.report_finding(
                        node.span,
                        finding_without_location(Code::HooksNotObject, message).help(lint::SHAPE),
                    );
                }
            }
            return;
        };
        let texts: Vec<&str> = items.iter().filter_map(Node::as_str).collect();
        if !items.is_empty() && texts.len() == items.len() {
            if is_manifest && texts.iter().all(|text| looks_like_file_path(text)) {
                self.report_misplaced_hooks(node, &texts.join("`, `"));
            } else {
                let message = "`hooks` is an array of names: nothing here says what to run";
                self.report_finding(
                    node.span,
                    finding_without_location(Code::HooksIsStringList, message).help(lint::SHAPE),
                );
            }
            return;
        }
        let inline =
            |item: &Node| item.entries().iter().any(|entry| find_event(&entry.key).is_some());
        if is_manifest && items.iter().all(|item| item.as_str().is_some() || inline(item)) {
            items
                .iter()
                .filter(|item| inline(item))
                .for_each(|item| self.read_event_map(item, off));
            return;
        }
        let message = "`hooks` is an array: Claude Code reads an object with a key for each event";
        self.report_finding(
            node.span,
            finding_without_location(Code::HooksIsArray, message).help(lint::SHAPE),
        );
        let misplaced = Off::new("it stands in an array, where no hook is looked for", "C-22");
        for item in items {
            self.add_hook_for_misplaced_array(item, off.unwrap_or(&misplaced));
        }
    }

    fn report_misplaced_hooks(&mut self, node: &Node, path: &str) {
        let found = finding_without_location(
            Code::HooksElsewhere,
            format!("the hooks stand in `{path}`, not here"),
        );
        self.report_finding(node.span, found.help("check that file"));
    }

    /// Reads a file without `hooks`, which may have events at the top level.
    fn read_top_level_events(&mut self, root: &Node, off: Option<&Off>) {
        let events: Vec<_> =
            root.entries().iter().filter(|entry| lint::is_like_event_name(&entry.key)).collect();
        let holds = |node: &Node| node.as_object().is_some() || node.as_array().is_some();
        let Some(first) = events.iter().find(|event| holds(&event.node)) else {
            return self.read_misnamed_hooks(root, off);
        };
        let message =
            format!("`{}` stands at the top level, where no hook is looked for", first.key);
        self.report_finding(
            first.key_span,
            finding_without_location(Code::MissingHooksWrapper, message)
                .label("never read")
                .help("put the events in an object: `{\"hooks\": {\"PreToolUse\": [...]}}`"),
        );
        let misplaced = Off::new("it stands outside `hooks`, where no hook is looked for", "C-22");
        for entry in events {
            self.read_event(entry, Some(off.unwrap_or(&misplaced)));
        }
    }

    /// Reads events under a misspelled `hooks` key.
    fn read_misnamed_hooks(&mut self, root: &Node, off: Option<&Off>) {
        let Some(entry) = find_misnamed_hooks(root, lint::is_like_event_name) else { return };
        self.report_finding(entry.key_span, misnamed_hooks_finding(&entry.key));
        let misplaced = Off::new("it stands outside `hooks`, where no hook is looked for", "C-22");
        self.read_hooks(&entry.node, Some(off.unwrap_or(&misplaced)));
    }
}

/// Returns the reason why an entry never runs if its key is repeated below it.
pub(crate) fn repeated_key_off_reason() -> Off {
    Off::new("its key is written again below, and only the last one counts", "C-39")
}

fn looks_like_file_path(text: &str) -> bool {
    text.contains('/') || text.ends_with(".json")
}

/// Infers the plugin of a file from its path, if the caller named no plugin: the path is
/// `ROOT/hooks/hooks.json` or `ROOT/.claude-plugin/plugin.json`.
fn plugin_from_path(source: &Source) -> Option<Plugin> {
    if !matches!(source.layer, Layer::Given | Layer::Plugin) {
        return None;
    }
    let directory = source.directory.file_name()?;
    let root = source.directory.parent()?;
    if (directory != "hooks" && directory != ".claude-plugin") || root.ends_with(".claude") {
        return None;
    }
    let name = root.file_name()?.to_string_lossy().into_owned();
    Some(Plugin { name, root: root.to_path_buf(), data: "".into() })
}

#[cfg(test)]
mod tests;
