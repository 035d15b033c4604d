//! One entry of an event: what it starts and on what terms (I-30 to I-41). A field that is wrong costs the hook only what
//! the field says; an entry that says nothing to start, or two things, is rejected.

use std::path::Path;
use std::time::Duration;

use super::{Reader, Scope};
use crate::diagnostic::{Code, Severity, Span, nearest};
use crate::dialect::findings::finding;
use crate::dialect::ignis::events::{self, AFTER_FAILURE};
use crate::dialect::words::is_variable;
use crate::dialect::{DialectId, Subject};
use crate::event::EventName;
use crate::hook::{
    Arming, Command, Compat, Confine, Hook, HookId, Inherit, Invocation, Layer, Run,
};
use crate::matcher::{Matcher, MatcherSpec};
use crate::syntax::{Entry, Node};

/// The fields of an entry.
const FIELDS: &[&str] = &["command", "argv", "timeout_ms", "env", "sandbox", "matcher"];

/// What other formats call something, and what it is called here.
const FOREIGN: &[(&str, &str)] = &[
    ("timeout", "it is called `timeout_ms` here, in milliseconds"),
    ("timeoutMs", "it is called `timeout_ms` here"),
    ("timeout_secs", "it is called `timeout_ms` here, in milliseconds"),
    ("args", "write the program and its arguments in `argv`"),
    ("type", "leave it out: an entry is always a program"),
    ("cwd", "a hook starts where the agent works"),
];

/// A program with these signs was meant for a shell.
const SHELL_SIGNS: &[char] = &['|', '&', ';', '<', '>', '$', '`', '*', '"', '\''];

/// Fewer milliseconds than this are probably seconds.
const SECONDS: u64 = 100;

impl Reader<'_> {
    pub(super) fn entry(&mut self, node: &Node, scope: &Scope<'_>) {
        if node.as_object().is_none() {
            let message = format!("an entry of `{}` is an object, not {}", scope.name, node.kind());
            let found = finding(Code::EntryNotObject, message).label("rejected");
            self.findings.report(node.span, found.help("write `{\"command\": \"...\"}`"));
            return;
        }
        if node.get("hooks").is_some_and(|it| it.as_array().is_some()) {
            let message = "this is a group of Claude Code; an entry of ignis is one program";
            let found = finding(Code::EntryIsGroup, message).label("rejected");
            let help = "write each handler as an entry of its own: `{\"command\": \"...\"}`";
            self.findings.report(node.span, found.help(help));
            return;
        }
        self.fields(node);
        let started = self.invocation(node);
        let command = |invocation| Command::new(invocation, Inherit::Listed);
        let (run, off) = match started {
            Ok(invocation) => {
                let pass = self.pass(node);
                (Run::Command(Command { pass, ..command(invocation) }), None)
            }
            Err(because) => (
                Run::Unusable { part: crate::hook::Unread::Entry, why: because.clone() },
                Some(Arming::Disarmed { because, rule: "I-31" }),
            ),
        };
        let id = self.id(&run, scope);
        let mut hook = Hook::new(HookId::new(id), DialectId::IGNIS, scope.event(), run);
        hook.place = Some(self.findings.place(node.span));
        hook.layer = self.source.layer;
        hook.compat = self.source.compat;
        hook.on_failure = self.source.on_failure;
        hook.phase = events::phase(scope.row);
        hook.timeout = self.timeout(node);
        hook.confine = self.sandbox(node);
        hook.matcher = Matcher::new(self.matcher(node, scope));
        hook.arming = scope.off.cloned().or(off).unwrap_or_default();
        self.add(hook);
    }

    /// A hook for the end of a tool call runs whether the tool failed or not, which are two events in neutral words.
    fn add(&mut self, hook: Hook) {
        let after = (hook.event.as_str() == "PostToolUse").then(|| Hook {
            id: HookId::new(format!("{}@{AFTER_FAILURE}", hook.id)),
            event: EventName::from(AFTER_FAILURE),
            ..hook.clone()
        });
        self.read.hooks.push(hook);
        self.read.hooks.extend(after);
    }

    /// `user:UserPromptSubmit:translate:1`: where from, for what, which program, and a number among equals.
    fn id(&mut self, run: &Run, scope: &Scope<'_>) -> String {
        let program = match run {
            Run::Command(Command { invocation: Invocation::Argv { program, .. }, .. }) => {
                Path::new(program).file_stem().map(|it| it.to_string_lossy().into_owned())
            }
            _ => None,
        };
        let file = Path::new(&*self.source.name).file_name();
        let source = match self.source.layer {
            Layer::Given => file.map(|it| it.to_string_lossy().into_owned()),
            _ => None,
        };
        let source = source.unwrap_or_else(|| self.source.layer.word().to_owned());
        let name = format!("{source}:{}:{}", scope.name, program.as_deref().unwrap_or("rejected"));
        let number = self.findings.ordinal(&name);
        format!("{name}:{number}")
    }

    fn fields(&mut self, node: &Node) {
        let mut seen: Vec<&str> = Vec::new();
        for entry in node.entries() {
            let key = entry.key.as_str();
            if seen.contains(&key) {
                let message = format!("`{key}` is written twice: the last one counts");
                self.findings.report(entry.key_span, finding(Code::DuplicateKeys, message));
            } else if !FIELDS.contains(&key) {
                self.unknown_field(entry);
            }
            seen.push(key);
        }
    }

    fn unknown_field(&mut self, entry: &Entry) {
        let key = entry.key.as_str();
        let message = format!("an entry of ignis has no field `{key}`: it is ignored");
        let foreign = FOREIGN.iter().find(|(name, _)| *name == key).map(|(_, help)| *help);
        let help = match (foreign, nearest(key, FIELDS.iter().copied())) {
            (Some(help), _) => help.to_owned(),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => format!("the fields are `{}`", FIELDS.join("`, `")),
        };
        self.findings
            .report(entry.key_span, finding(Code::UnknownHandlerField, message).help(help));
    }

    /// Exactly one of `command` and `argv`; or why the entry is rejected.
    fn invocation(&mut self, node: &Node) -> Result<Invocation, String> {
        let given = |key: &str| node.entry(key).filter(|it| !it.node.is_null());
        let words = match (given("command"), given("argv")) {
            (Some(command), None) => self.command(command)?,
            (None, Some(argv)) => self.argv(argv)?,
            (Some(_), Some(argv)) => {
                let message = "an entry has `command` or `argv`, not both";
                return Err(self.reject(argv.key_span, Code::SeveralRuns, message));
            }
            (None, None) => {
                let message = "an entry needs `command` or `argv`";
                return Err(self.reject(node.span, Code::MissingRun, message));
            }
        };
        let mut words = words.into_iter();
        let program = self.at_home(&words.next().unwrap_or_default());
        Ok(Invocation::Argv { program, args: words.collect() })
    }

    fn reject(&mut self, span: Span, code: Code, message: &str) -> String {
        let help = "write `\"command\": \"PROGRAM ARGUMENTS\"`, or `\"argv\": [\"PROGRAM\", ...]` \
                    where a word has spaces";
        let found = finding(code, message).label("rejected").help(help);
        self.findings.report(span, found);
        format!("it is rejected: {message}")
    }

    /// Words between white space: no shell, no quotes (I-32).
    fn command(&mut self, entry: &Entry) -> Result<Vec<String>, String> {
        let Some(text) = entry.node.as_str() else {
            let message = format!("`command` takes a string, found {}", entry.node.kind());
            return Err(self.reject(entry.node.span, Code::CommandNotString, &message));
        };
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            return Err(self.reject(entry.node.span, Code::EmptyCommand, "`command` is empty"));
        }
        let sign = words.iter().flat_map(|it| it.chars()).find(|it| SHELL_SIGNS.contains(it));
        let tilde = words.iter().skip(1).any(|it| it.starts_with("~/")).then_some('~');
        if let Some(sign) = sign.or(tilde) {
            let message = format!(
                "no shell reads `command`: it is split at white space, and `{sign}` means nothing"
            );
            let help = "write `\"argv\": [\"sh\", \"-c\", \"...\"]` for a shell line";
            let found = finding(Code::CommandWithoutShell, message).help(help);
            self.findings.report(entry.node.span, found);
        }
        Ok(words)
    }

    fn argv(&mut self, entry: &Entry) -> Result<Vec<String>, String> {
        let items = entry.node.as_array().map(|items| items.iter().map(Node::as_str));
        let words = items.and_then(|it| it.collect::<Option<Vec<_>>>());
        let span = entry.node.span;
        match words.as_deref() {
            None => {
                Err(self.reject(span, Code::WrongFieldType, "`argv` takes an array of strings"))
            }
            Some([]) => Err(self.reject(span, Code::EmptyCommand, "`argv` is empty")),
            Some([program, ..]) if program.trim().is_empty() => {
                Err(self.reject(span, Code::EmptyCommand, "`argv` names no program"))
            }
            Some(words) => Ok(words.iter().map(|it| (*it).to_owned()).collect()),
        }
    }

    /// `~/` of the program alone is the home (I-33).
    fn at_home(&self, program: &str) -> String {
        let home = &self.source.home;
        match program.strip_prefix("~/") {
            Some(rest) if !home.as_os_str().is_empty() => {
                home.join(rest).to_string_lossy().into_owned()
            }
            _ => program.to_owned(),
        }
    }

    /// The names that pass beside the short list (I-36).
    fn pass(&mut self, node: &Node) -> Vec<String> {
        let Some(entry) = node.entry("env").filter(|it| !it.node.is_null()) else {
            return Vec::new();
        };
        let Some(items) = entry.node.as_array() else {
            let message = format!("`env` takes an array of names, found {}", entry.node.kind());
            let help = "name the variables that the hook may see: `\"env\": [\"API_KEY\"]`";
            self.findings
                .report(entry.node.span, finding(Code::WrongFieldType, message).help(help));
            return Vec::new();
        };
        let mut names = Vec::with_capacity(items.len());
        for item in items {
            match item.as_str().filter(|it| is_variable(it)) {
                Some(name) => names.push(name.to_owned()),
                None => {
                    let shown = item.as_str().unwrap_or_else(|| item.kind());
                    let message = format!("`{}` cannot name a variable", shown.escape_default());
                    let help = "letters, digits and `_` make a name; values stand in no hook file";
                    self.findings.report(item.span, finding(Code::BadVariable, message).help(help));
                }
            }
        }
        names
    }

    /// Milliseconds (I-35). What is no number leaves the default; the guard must not vanish with it.
    fn timeout(&mut self, node: &Node) -> Option<Duration> {
        let entry = node.entry("timeout_ms").filter(|it| !it.node.is_null())?;
        let Some(millis) = entry.node.as_u64() else {
            let message = "`timeout_ms` takes a whole number of milliseconds; the default counts";
            let found = finding(Code::WrongFieldType, message).help("write `\"timeout_ms\": 5000`");
            self.findings.report(entry.node.span, found);
            return None;
        };
        if millis == 0 {
            let message =
                "a time-out of zero leaves no time to run: in ignis the hook always fails";
            let found = finding(Code::TimeoutIsZero, message).help("here the default counts");
            self.findings.report(entry.node.span, found);
            return (self.source.compat == Compat::Exact).then_some(Duration::ZERO);
        }
        if millis < SECONDS {
            let message = format!("`timeout_ms` is in milliseconds: this waits {millis} ms");
            let help = format!("if seconds were meant, write `{millis}000`");
            self.findings.report(
                entry.node.span,
                finding(Code::TimeoutLooksLikeSeconds, message).help(help),
            );
        }
        Some(Duration::from_millis(millis))
    }

    /// Asked for unless the entry says `false` (I-37). What is no truth value asks for it, too.
    fn sandbox(&mut self, node: &Node) -> Confine {
        let Some(entry) = node.entry("sandbox").filter(|it| !it.node.is_null()) else {
            return Confine::ByDefault;
        };
        match entry.node.as_bool() {
            Some(false) => return Confine::Never,
            Some(true) => {}
            None => {
                let message =
                    format!("`sandbox` takes `true` or `false`, found {}", entry.node.kind());
                let found = finding(Code::WrongFieldType, message).help("this is read as `true`");
                self.findings.report(entry.node.span, found);
            }
        }
        let message = "this build confines no hook: it runs with the user's full rights";
        let help = "say `\"sandbox\": false` if that is meant";
        self.findings.report(entry.key_span, finding(Code::Unconfined, message).help(help));
        Confine::Asked
    }

    /// Of tool events alone: a name, or the beginning of one and `*` (I-38).
    fn matcher(&mut self, node: &Node, scope: &Scope<'_>) -> MatcherSpec {
        let Some(entry) = node.entry("matcher").filter(|it| !it.node.is_null()) else {
            return MatcherSpec::Any;
        };
        let Some(text) = entry.node.as_str().map(str::trim) else {
            let message = format!("`matcher` takes a string, found {}", entry.node.kind());
            let found = finding(Code::MatcherNotString, message).help("this runs on every tool");
            self.findings.report(entry.node.span, found);
            return MatcherSpec::Any;
        };
        let about_tool = scope.row.is_some_and(|row| matches!(row.subject, Subject::Tool(_)));
        if !about_tool && !text.is_empty() {
            let message = format!("`{}` is about no tool, so `matcher` is ignored", scope.name);
            self.findings.report(entry.key_span, finding(Code::MatcherIgnored, message));
            return MatcherSpec::Any;
        }
        if text.is_empty() || text == "*" {
            return MatcherSpec::Any;
        }
        let (stem, is_prefix) = match text.strip_suffix('*') {
            Some(stem) => (stem, true),
            None => (text, false),
        };
        if stem.contains(['*', '|', '(', '[', '.', '^', '$', '?']) {
            let message = format!(
                "`{text}` is a name, or the beginning of one and `*`; no other sign means anything"
            );
            let found = finding(Code::MatcherIsExpression, message).weighing(Severity::Advice);
            let help = "write an entry for each tool";
            self.findings.report(entry.node.span, found.help(help));
        }
        if is_prefix {
            MatcherSpec::Regex(format!("^{}", regex::escape(stem)))
        } else {
            MatcherSpec::Words(vec![text.to_owned()])
        }
    }
}
