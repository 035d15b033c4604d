//! What a hook runs: exactly one of the keys of [`keys::RUN`] (C-43, C-44, C-45).

use std::collections::HashSet;
use std::path::PathBuf;

use super::Reader;
use super::fields::Fields;
use super::keys::{self, join_quoted};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::DialectId;
use crate::dialect::kit::lint::{CommandText, Lints};
use crate::dialect::variables::is_variable_name;
use crate::hook::{Command, Invocation, Prewarm, Run, Shell, files};

/// What the lints need to know of native files, for any agent.
static LINTS: Lints = Lints {
    matcher_key: "match",
    variables: &[
        "TENTERHOOK_ENV_FILE",
        "TENTERHOOK_EVENT",
        "TENTERHOOK_PROJECT_DIR",
        "TENTERHOOK_SESSION_ID",
    ],
    paths: &["TENTERHOOK_PROJECT_DIR"],
    project: Some("$TENTERHOOK_PROJECT_DIR"),
    ..Lints::new("Tenterhook")
};

impl Reader<'_> {
    pub(super) fn read_run(&mut self, fields: &Fields<'_>, speaks: DialectId) -> Option<Run> {
        let given: Vec<&'static str> =
            keys::RUN.iter().copied().filter(|key| fields.has_key(key)).collect();
        let kind = match given.as_slice() {
            [kind] => *kind,
            [] => {
                self.report(
                    Code::MissingRun,
                    fields.entry.key_span,
                    format!("hook `{}` says nothing to run", fields.entry.key),
                )
                .help = Some(match keys::SAYS.iter().find(|key| fields.has_key(key)) {
                    Some(says) => format!("write a rule, `when = \"...\"`, beside `{says}`"),
                    None => {
                        format!("give it exactly one of {}", join_quoted(keys::RUN.iter().copied()))
                    }
                });
                return None;
            }
            [first, .., last] => {
                let span = fields.key_span(last);
                let both = join_quoted(given.iter().copied());
                // `when` beside a program asks for a condition.
                let condition = given.contains(&"when").then_some(
                    "to run it only where the expression holds, write `if = { when = \"...\" }`",
                );
                let first = *first;
                self.report(
                    Code::SeveralRuns,
                    span,
                    format!("hook `{}` has {both}, and can run only one", fields.entry.key),
                )
                .help = Some(condition.map_or_else(
                    || format!("keep `{first}`, or make two hooks of it"),
                    str::to_owned,
                ));
                return None;
            }
        };
        self.report_keys_without_effect(fields, kind);
        match kind {
            "run" | "shell" => {
                let invocation = if kind == "run" {
                    self.read_argv(fields)?
                } else {
                    self.read_shell_line(fields)?
                };
                self.check_prewarm(fields, &invocation);
                Some(Run::Command(self.build_command(fields, invocation, speaks)))
            }
            "worker" => self.read_worker(fields, speaks),
            "http" => self.read_http(fields, speaks),
            "mcp" => self.read_mcp_tool(fields),
            "when" => self.read_rule(fields),
            asking => self.read_prompt_or_agent(fields, asking),
        }
    }

    fn read_argv(&mut self, fields: &Fields<'_>) -> Option<Invocation> {
        self.read_program_and_args(fields, "run")
    }

    pub(super) fn read_program_and_args(
        &mut self,
        fields: &Fields<'_>,
        key: &'static str,
    ) -> Option<Invocation> {
        let mut words = fields.strings(key).into_iter().map(|(word, _)| word.to_owned());
        let Some(program) = words.next().filter(|word| !word.trim().is_empty()) else {
            self.report(
                Code::EmptyRun,
                fields.value_span(key),
                format!("`{key}` names no program"),
            )
            .help = Some(format!("write `{key} = [\"program\", \"argument\"]`"));
            return None;
        };
        Some(Invocation::Argv { program: self.resolve_program(&program), args: words.collect() })
    }

    /// Resolves a program: with a slash it is a file relative to the configuration, without one it
    /// is looked up in `PATH` (C-44).
    fn resolve_program(&self, text: &str) -> String {
        if text.contains('/') {
            self.resolve_path(text).to_string_lossy().into_owned()
        } else {
            text.to_owned()
        }
    }

    fn read_shell_line(&mut self, fields: &Fields<'_>) -> Option<Invocation> {
        let text = fields.text("shell").filter(|text| !text.trim().is_empty());
        if text.is_none() {
            self.report(Code::EmptyRun, fields.value_span("shell"), "`shell` is empty").help =
                Some("write the shell line, such as `shell = \"cargo fmt --check\"`".to_owned());
        }
        let text = text?;
        self.lint_shell_line(text, fields);
        Some(Invocation::Shell { text: text.to_owned(), shell: Shell::Sh })
    }

    /// Reports variables and paths of a shell line that fail. A hook that speaks the protocol of an agent has the variables of
    /// that agent.
    fn lint_shell_line(&mut self, text: &str, fields: &Fields<'_>) {
        if fields.has_key("speaks") {
            return;
        }
        let set = fields.get("env").map(crate::syntax::Node::entries).unwrap_or_default();
        let env: HashSet<String> = set.iter().map(|entry| entry.key.clone()).collect();
        let layer = self.source.layer;
        let command = CommandText { text, shell: Shell::Sh, args: None, layer, env: &env };
        for found in LINTS.check_command(command) {
            let place = Some(self.location_of(fields.value_span("shell")));
            // An error would disable the hook.
            let severity = found.severity.min(Severity::Warning);
            self.push_diagnostic(Diagnostic { place, severity, ..found });
        }
    }

    pub(super) fn build_command(
        &mut self,
        fields: &Fields<'_>,
        invocation: Invocation,
        speaks: DialectId,
    ) -> Command {
        let env = fields.get("env").map(crate::syntax::Node::entries).unwrap_or_default();
        for name in env
            .iter()
            .map(|variable| (variable.key.as_str(), variable.key_span))
            .chain(fields.strings("pass"))
        {
            if !is_variable_name(name.0) {
                self.report(
                    Code::BadVariable,
                    name.1,
                    format!("`{}` cannot name a variable", name.0.escape_default()),
                )
                .help = Some(
                    "letters, digits and `_` make a name; it does not begin with a digit"
                        .to_owned(),
                );
            }
        }
        let prewarm = read_prewarm(fields).unless_impossible_for(&invocation);
        let files = self.read_needed_files(fields);
        Command {
            copy: None,
            kept: None,
            invocation,
            // Scripts of another protocol get what that protocol promises them.
            inherit: speaks.dialect().inherited_variables(),
            pass: fields.strings("pass").into_iter().map(|(name, _)| name.to_owned()).collect(),
            env: env
                .iter()
                .filter_map(|variable| {
                    Some((variable.key.clone(), variable.node.as_str()?.to_owned()))
                })
                .collect(),
            cwd: fields.text("cwd").map(|text| self.resolve_path(text)),
            files,
            prewarm,
            expands: false,
        }
    }

    /// Reads the files that the hook needs beside those that its command names (T-8).
    fn read_needed_files(&mut self, fields: &Fields<'_>) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for (text, span) in fields.strings("files") {
            let path = self.resolve_path(text);
            let why = match files::parse_path_pattern(&path, &self.source.directory) {
                _ if text.trim().is_empty() => "it is empty".to_owned(),
                Err(why) => why.to_string(),
                Ok(_) => {
                    files.push(path);
                    continue;
                }
            };
            let message = format!("`{}` names no files: {why}", text.escape_debug());
            self.report(Code::BadPath, span, message).help =
                Some("name a file, a folder or a pattern, such as `policy/*.json`".to_owned());
        }
        files
    }

    /// Reports a `prewarm` that does not have the promised effect (PW-2, PW-10).
    fn check_prewarm(&mut self, fields: &Fields<'_>, invocation: &Invocation) {
        let form = read_prewarm(fields);
        if !form.is_supported_by_build() {
            return self.report_unsupported_prewarm(fields);
        }
        let (message, help) = match form {
            Prewarm::Python if !invocation.runs_script_of_form(Prewarm::Python) => (
                UNCERTAIN,
                "write `run = [\"python3\", \"script.py\"]`, or `prewarm = true` for a program that waits on its input",
            ),
            Prewarm::Node if !invocation.runs_script_of_form(Prewarm::Node) => (
                UNCERTAIN,
                "write `run = [\"node\", \"script.mjs\"]`, or `prewarm = true` for a program that waits on its input",
            ),
            Prewarm::AsItStands | Prewarm::Python | Prewarm::Node
                if fields.flag("once") == Some(true) =>
            {
                ("a hook that runs once needs no next process", "leave `prewarm` out")
            }
            Prewarm::AsItStands if invocation.never_reads_stdin() => (
                "this line does not read its input, so a process that is started early runs before its event",
                "leave `prewarm` out",
            ),
            _ => return,
        };
        self.report(Code::PrewarmWithoutEffect, fields.key_span("prewarm"), message).help =
            Some(help.to_owned());
    }
}

impl Reader<'_> {
    /// Reports that this build cannot prewarm interpreters, whatever the command.
    pub(super) fn report_unsupported_prewarm(&mut self, fields: &Fields<'_>) {
        self.report(
            Code::PrewarmWithoutEffect,
            fields.key_span("prewarm"),
            "this build has no form of an interpreter, so its commands are started cold",
        )
        .help =
            Some("build the program with the feature `prewarm-forms` of `tenterhook`".to_owned());
    }
}

/// Why an interpreter is not started before its event.
const UNCERTAIN: &str =
    "it is not certain what the script of this command is, so it is not prewarmed";

/// Returns whether and how the next process is started before it is needed.
pub(super) fn read_prewarm(fields: &Fields<'_>) -> Prewarm {
    let Some(node) = fields.get("prewarm") else { return Prewarm::Never };
    match node.as_bool() {
        Some(true) => Prewarm::AsItStands,
        _ => node.as_str().and_then(Prewarm::from_name).unwrap_or_default(),
    }
}
