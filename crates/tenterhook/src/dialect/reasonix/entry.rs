//! Reads one entry into a hook: what it runs, on which tools, and how long. Knows no file. A field that cannot be read
//! costs that field and is named; without a command there is no hook (RX-11 to RX-15).

use std::path::PathBuf;
use std::time::Duration;

use super::config::{Off, Reading, SHAPE, Scope};
use super::events::Spec;
use super::vocabulary::{ENTRY_FIELDS, FOREIGN_FIELDS, TOOLS};
use crate::diagnostic::{Code, Severity, nearest};
use crate::dialect::findings::finding;
use crate::dialect::{DialectId, Subject};
use crate::event::Event;
use crate::hook::{Command, Compat, Hook, HookId, Inherit, Invocation, Phase, Run, Shell, Wait};
use crate::matcher::{Condition, Matcher, MatcherSpec, Picked};
use crate::syntax::{Entry, Node};

/// Longest matcher that is part of a hook's name.
const NAMED_MATCHER: usize = 40;
/// A shorter time is no time for a process: seconds were meant.
const SHORTEST: f64 = 100.0;

impl Reading<'_> {
    /// One entry.
    pub(super) fn entry(&mut self, node: &Node, scope: &Scope) {
        if node.as_object().is_none() {
            let message = format!("expected a hook, found {}", node.kind());
            return self.report(node.span, finding(Code::EntryNotObject, message).help(SHAPE));
        }
        if node.get("hooks").is_some() && node.get("command").is_none() {
            return self.nested(node, scope);
        }
        if scope.off.is_none() {
            self.fields(node);
        }
        let matcher = self.matcher(node, scope);
        let Some(invocation) = self.invocation(node) else { return };
        let run = Run::Command(Command {
            env: self.env(node),
            cwd: self.cwd(node),
            ..Command::new(invocation, Inherit::All)
        });
        let id = self.id(node, scope);
        let mut hook = Hook::new(id, DialectId::REASONIX, scope.event(), run);
        hook.layer = self.source.layer;
        hook.compat = self.source.compat;
        hook.matcher = Matcher::new(matcher);
        hook.timeout = self.timeout(node);
        if self.speaks_claude(node) {
            speak_claude(&mut hook, scope.spec);
        }
        hook.status = self.text(node, "description");
        // Who can neither block nor add anything only watches, and does so whatever others decided.
        let listens = scope.spec.is_none_or(Spec::listens);
        hook.phase = if listens { Phase::Decide } else { Phase::Observe };
        hook.wait = self.wait(node, scope);
        if let Some(off) = &scope.off {
            hook.arming = off.clone().arming();
        }
        self.add(node.span, hook);
    }

    /// A group as Claude Code has them: each inner entry is shown, and none runs.
    fn nested(&mut self, node: &Node, scope: &Scope) {
        let message = "Reasonix has no groups: what stands in the inner `hooks` never runs";
        let found = finding(Code::NestedHooks, message).label("never read");
        self.report(node.span, found.help("put `match` and `command` into the entry itself"));
        let off = scope.off.clone().unwrap_or_else(|| {
            Off::new("it stands in a group, and Reasonix looks for no hook there")
        });
        let inner = Scope { off: Some(off), ..scope.clone() };
        for entry in node.get("hooks").and_then(Node::as_array).unwrap_or_default() {
            if entry.get("hooks").is_none() {
                self.entry(entry, &inner);
            }
        }
    }

    /// `project:PreToolUse:bash:1`: where from, for what, and a number among equals.
    fn id(&mut self, node: &Node, scope: &Scope) -> HookId {
        let matcher = match node.get("match").and_then(Node::as_str) {
            Some(text) if !text.is_empty() => text.chars().take(NAMED_MATCHER).collect(),
            _ => "*".to_owned(),
        };
        let name = format!("{}:{}:{matcher}", self.source.layer.word(), scope.name);
        let number = self.findings.ordinal(&name);
        HookId::new(format!("{name}:{number}"))
    }

    fn fields(&mut self, node: &Node) {
        for Entry { key, key_span, .. } in node.entries() {
            if ENTRY_FIELDS.contains(&key.as_str()) {
                continue;
            }
            if matches!(key.as_str(), "matcher" | "matchers" | "tool" | "tools") {
                let message = format!("`{key}` is ignored, so this runs on every tool");
                let found = finding(Code::MatcherInsteadOfMatch, message);
                self.report(*key_span, found.help("write `match`"));
                continue;
            }
            let folded: String = key
                .chars()
                .filter(|it| it.is_alphanumeric())
                .flat_map(char::to_lowercase)
                .collect();
            let foreign = FOREIGN_FIELDS.iter().find(|(name, _)| *name == folded);
            let message = format!("a hook has no field `{key}`: it is ignored");
            let found = match (foreign, nearest(key, ENTRY_FIELDS.iter().copied())) {
                _ if key.starts_with(['_', '$', '#', '/']) => {
                    finding(Code::UnknownEntryField, message).weighing(Severity::Advice)
                }
                (Some((_, help)), _) => finding(Code::UnknownEntryField, message).help(*help),
                (None, Some(near)) => finding(Code::UnknownEntryField, message)
                    .help(format!("did you mean `{near}`?")),
                (None, None) => finding(Code::UnknownEntryField, message),
            };
            self.report(*key_span, found);
        }
    }

    /// `match`, anchored at both ends; on events that are about no tool it is ignored (RX-12, RX-13).
    fn matcher(&mut self, node: &Node, scope: &Scope) -> MatcherSpec {
        let Some(entry) = self.entry_of(node, "match") else { return MatcherSpec::Any };
        let Some(text) = entry.node.as_str() else {
            // What is selected can only restrain: on every tool is the safe side (S-2).
            let message = format!(
                "`match` takes a string, found {}: this runs on every tool",
                entry.node.kind()
            );
            self.report(entry.node.span, finding(Code::MatcherNotString, message));
            return MatcherSpec::Any;
        };
        if text.is_empty() || text == "*" {
            return MatcherSpec::Any;
        }
        if !scope.spec.is_none_or(Spec::is_about_tool) {
            let message = format!("`{}` ignores `match`: this runs every time", scope.name);
            self.report(
                entry.key_span,
                finding(Code::MatcherIgnored, message).help("remove it, and test in the program"),
            );
            return MatcherSpec::Any;
        }
        // Read by itself first: `a)|(b` would be whole only between the anchors, and escape them.
        let alone = MatcherSpec::Regex(text.to_owned());
        if let Err(why) = Matcher::new(alone.clone()).compile() {
            let message = format!("`{text}` is not a valid regular expression: {why}");
            let runs = if self.source.compat == Compat::Exact {
                "never runs"
            } else {
                "blocks every tool call"
            };
            let runs = if scope.spec.is_some_and(Spec::is_gate) { runs } else { "never runs" };
            self.report(entry.node.span, finding(Code::InvalidMatcher, message).label(runs));
            return alone;
        }
        let plain = |word: &str| {
            !word.is_empty()
                && word.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '-'))
        };
        if text.split('|').all(plain) {
            return MatcherSpec::Words(text.split('|').map(str::to_owned).collect());
        }
        MatcherSpec::Regex(format!("^(?:{text})$"))
    }

    /// `command` is a text for the shell; with `args`, as later versions have it, a program and its arguments.
    fn invocation(&mut self, node: &Node) -> Option<Invocation> {
        let Some(entry) = self.entry_of(node, "command") else {
            let found =
                finding(Code::MissingCommand, "the hook has no `command`").label("never runs");
            self.report(node.span, found.help("add `\"command\": \"...\"`, a line for a shell"));
            return None;
        };
        let Some(text) = entry.node.as_str() else {
            let message = format!("`command` takes a string, found {}", entry.node.kind());
            self.report(
                entry.node.span,
                finding(Code::CommandNotString, message).label("never runs"),
            );
            return None;
        };
        if text.trim().is_empty() {
            let found = finding(Code::EmptyCommand, "`command` is empty").label("never runs");
            self.report(entry.node.span, found);
            return None;
        }
        let shell = Invocation::Shell { text: text.to_owned(), shell: Shell::Sh };
        let Some(args) = self.entry_of(node, "args") else { return Some(shell) };
        let words = args.node.as_array().map(|items| items.iter().map(Node::as_str));
        let Some(words) = words.and_then(|it| it.collect::<Option<Vec<_>>>()) else {
            let message = "`args` takes an array of strings: the command is given to the shell";
            self.report(args.node.span, finding(Code::WrongFieldType, message));
            return Some(shell);
        };
        let args = words.into_iter().map(str::to_owned).collect();
        Some(Invocation::Argv { program: text.to_owned(), args })
    }

    /// `payloadFormat`, as later versions have it: in which protocol the hook is spoken to.
    fn speaks_claude(&mut self, node: &Node) -> bool {
        let Some(entry) = self.entry_of(node, "payloadFormat") else { return false };
        match entry.node.as_str() {
            Some("claude") => true,
            Some("" | "reasonix" | "native") => false,
            _ => {
                let message =
                    "`payloadFormat` takes `claude`: the hook is spoken to as Reasonix does";
                self.report(entry.node.span, finding(Code::WrongFieldType, message));
                false
            }
        }
    }

    /// `async`, as later versions have it: the event does not wait, and what the hook says comes too late to block.
    fn wait(&mut self, node: &Node, scope: &Scope) -> Wait {
        let Some(entry) = self.entry_of(node, "async") else { return Wait::Attached };
        let Some(detached) = entry.node.as_bool() else {
            let message = format!("`async` takes `true` or `false`, found {}", entry.node.kind());
            self.report(entry.node.span, finding(Code::WrongFieldType, message));
            return Wait::Attached;
        };
        if detached && scope.spec.is_some_and(Spec::is_gate) {
            let message = format!("`async` on `{}`: it comes too late to block", scope.name);
            self.report(
                entry.key_span,
                finding(Code::AsyncOnGate, message).help("remove `async` if this hook is to block"),
            );
        }
        if detached { Wait::Detached } else { Wait::Attached }
    }

    fn env(&mut self, node: &Node) -> Vec<(String, String)> {
        let Some(entry) = self.entry_of(node, "env") else { return Vec::new() };
        let mut env = Vec::new();
        for Entry { key, node, .. } in entry.node.entries() {
            match node.as_str() {
                Some(value) => env.push((key.clone(), value.to_owned())),
                None => {
                    let message = format!("`env.{key}` takes a string, found {}", node.kind());
                    self.report(node.span, finding(Code::WrongFieldType, message));
                }
            }
        }
        if entry.node.as_object().is_none() {
            let message = format!("`env` takes an object, found {}", entry.node.kind());
            self.report(entry.node.span, finding(Code::WrongFieldType, message));
        }
        env
    }

    /// A directory of its own, from the project (RX-17).
    fn cwd(&mut self, node: &Node) -> Option<PathBuf> {
        let text = self.text(node, "cwd").filter(|text| !text.is_empty())?;
        let home = &self.source.home;
        match text.strip_prefix("~/") {
            Some(rest) if !home.as_os_str().is_empty() => Some(home.join(rest)),
            _ => Some(self.source.project.join(text)),
        }
    }

    /// Milliseconds (RX-18).
    fn timeout(&mut self, node: &Node) -> Option<Duration> {
        let entry = self.entry_of(node, "timeout")?;
        let Some(given) = entry.node.as_f64().filter(|it| *it > 0.0) else {
            let message = "`timeout` takes a number of milliseconds above 0; the default counts";
            self.report(entry.node.span, finding(Code::WrongFieldType, message));
            return None;
        };
        if given < SHORTEST {
            let message = format!("`timeout` is in milliseconds: this gives the hook {given} ms");
            let found = finding(Code::TimeoutLooksLikeSeconds, message);
            let meant = given * 1000.0;
            self.report(
                entry.node.span,
                found.help(format!("if seconds were meant, write `{meant}`")),
            );
        }
        Duration::try_from_secs_f64(given / 1000.0).ok()
    }

    fn text(&mut self, node: &Node, key: &str) -> Option<String> {
        let entry = self.entry_of(node, key)?;
        let text = entry.node.as_str();
        if text.is_none() {
            let message = format!("`{key}` takes a string, found {}", entry.node.kind());
            self.report(entry.node.span, finding(Code::WrongFieldType, message));
        }
        text.map(str::to_owned)
    }

    /// The entry of a field that is there; `null` counts as absent.
    fn entry_of<'n>(&self, node: &'n Node, key: &str) -> Option<&'n Entry> {
        node.entry(key).filter(|it| !it.node.is_null())
    }
}

/// Lets the hook speak Claude Code's protocol (RX-34). Its time and the names that its `match` knows stay Reasonix's.
fn speak_claude(hook: &mut Hook, spec: Option<&Spec>) {
    hook.dialect = DialectId::CLAUDE;
    hook.timeout = hook.timeout.or_else(|| spec.map(Spec::timeout));
    // A matcher that is broken stays one, so that the failure policy decides.
    if *hook.matcher.spec() == MatcherSpec::Any || hook.matcher.compile().is_err() {
        return;
    }
    let matcher = std::mem::replace(&mut hook.matcher, Matcher::any());
    let text = match matcher.spec() {
        MatcherSpec::Words(words) => words.join("|"),
        MatcherSpec::Regex(text) | MatcherSpec::Never(text) => text.clone(),
        MatcherSpec::Any => String::new(),
    };
    hook.condition = Some(Condition::custom(text, move |event: &Event| {
        let tool = Subject::Tool(TOOLS);
        let names = tool.of(event).into_iter().chain(tool.others(event));
        match names.into_iter().any(|name| matcher.matches(Some(name)) == Ok(true)) {
            true => Picked::Exactly,
            false => Picked::No("no name of the tool matches".to_owned()),
        }
    }));
}
