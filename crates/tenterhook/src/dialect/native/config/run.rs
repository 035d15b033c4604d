//! What a hook runs: exactly one of the keys of [`keys::RUN`] (C-43, C-44, C-45).

use super::Reader;
use super::fields::Fields;
use super::keys::{self, listed};
use crate::diagnostic::Severity;
use crate::dialect::DialectId;
use crate::dialect::words::is_variable;
use crate::hook::{Command, Invocation, Run, Shell};

/// Keys that mean something only where a command runs.
const COMMAND_ONLY: &[&str] = &["env", "pass", "cwd"];

impl Reader<'_> {
    pub(super) fn run(&mut self, fields: &Fields<'_>, speaks: DialectId) -> Option<Run> {
        let given: Vec<&'static str> =
            keys::RUN.iter().copied().filter(|key| fields.has(key)).collect();
        let kind = match given.as_slice() {
            [kind] => *kind,
            [] => {
                self.report(
                    "missing-run",
                    Severity::Error,
                    fields.entry.key_span,
                    format!("hook `{}` says nothing to run", fields.entry.key),
                )
                .help =
                    Some(format!("give it exactly one of {}", listed(keys::RUN.iter().copied())));
                return None;
            }
            [first, .., last] => {
                let span = fields.key_span(last);
                let both = listed(given.iter().copied());
                let first = *first;
                self.report(
                    "several-runs",
                    Severity::Error,
                    span,
                    format!("hook `{}` has {both}, and can run only one", fields.entry.key),
                )
                .help = Some(format!("keep `{first}`, or make two hooks of it"));
                return None;
            }
        };
        match kind {
            "run" => self.argv(fields).map(|it| self.command(fields, it, speaks)),
            "shell" => self.shell(fields).map(|it| self.command(fields, it, speaks)),
            executor => {
                self.missing(fields, executor);
                Some(Run::Missing { executor })
            }
        }
    }

    fn argv(&mut self, fields: &Fields<'_>) -> Option<Invocation> {
        let mut words = fields.words("run").into_iter().map(|(word, _)| word.to_owned());
        let Some(program) = words.next().filter(|it| !it.trim().is_empty()) else {
            self.report(
                "empty-run",
                Severity::Error,
                fields.span("run"),
                "`run` names no program",
            )
            .help = Some("write `run = [\"program\", \"argument\"]`".to_owned());
            return None;
        };
        Some(Invocation::Argv { program: self.program(&program), args: words.collect() })
    }

    /// A program with a slash is a file beside the configuration; one without is looked up in `PATH` (C-44).
    fn program(&self, text: &str) -> String {
        if text.contains('/') {
            self.path(text).to_string_lossy().into_owned()
        } else {
            text.to_owned()
        }
    }

    fn shell(&mut self, fields: &Fields<'_>) -> Option<Invocation> {
        let text = fields.text("shell").filter(|it| !it.trim().is_empty());
        if text.is_none() {
            self.report("empty-run", Severity::Error, fields.span("shell"), "`shell` is empty")
                .help =
                Some("write the shell line, such as `shell = \"cargo fmt --check\"`".to_owned());
        }
        Some(Invocation::Shell { text: text?.to_owned(), shell: Shell::Sh })
    }

    fn command(&mut self, fields: &Fields<'_>, invocation: Invocation, speaks: DialectId) -> Run {
        let env = fields.get("env").map(crate::syntax::Node::entries).unwrap_or_default();
        for name in env.iter().map(|it| (it.key.as_str(), it.key_span)).chain(fields.words("pass"))
        {
            if !is_variable(name.0) {
                self.report(
                    "bad-variable",
                    Severity::Error,
                    name.1,
                    format!("`{}` cannot name a variable", name.0.escape_default()),
                )
                .help = Some(
                    "letters, digits and `_` make a name; it does not begin with a digit"
                        .to_owned(),
                );
            }
        }
        Run::Command(Command {
            invocation,
            // Scripts of another protocol get what that protocol promises them.
            inherit: speaks.dialect().inherit(),
            pass: fields.words("pass").into_iter().map(|(name, _)| name.to_owned()).collect(),
            env: env
                .iter()
                .filter_map(|it| Some((it.key.clone(), it.node.as_str()?.to_owned())))
                .collect(),
            cwd: fields.text("cwd").map(|text| self.path(text)),
        })
    }

    fn missing(&mut self, fields: &Fields<'_>, executor: &'static str) {
        self.report(
            "no-executor",
            Severity::Warning,
            fields.key_span(executor),
            format!("this build cannot run `{executor}` hooks: each time, the hook's failure policy decides"),
        )
        .help = Some("use `run` or `shell`, or say `enabled = false`".to_owned());
        for key in COMMAND_ONLY.iter().filter(|key| fields.has(key)) {
            self.report(
                "no-effect",
                Severity::Warning,
                fields.key_span(key),
                format!("`{key}` means something only beside `run` or `shell`"),
            )
            .help = Some(format!("leave `{key}` out"));
        }
    }
}
