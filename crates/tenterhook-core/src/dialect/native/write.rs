//! Writes a native file with the same hooks, and reports what such a file cannot express (C-58,
//! C-59). Reads no file and runs nothing.

mod content;
mod name;
mod sandbox;
mod value;

use std::sync::Arc;

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

use super::config::keys::PROMISED;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::DialectId;
use crate::hook::{Arming, Command, Hook, Invocation, Phase, Prewarm, Run, Shell, Wait};
use crate::matcher::{MatcherSpec, Written};
use crate::rule::{Doubt, Part, Rule};
use name::Names;
pub use sandbox::sandbox_line;

/// Writes `hooks` as a native file, in their order.
///
/// Each hook speaks its own dialect, and keeps the promises of that dialect where it says nothing
/// itself. A diagnostic names every hook, and every part of one, that the file cannot hold.
#[must_use]
pub fn write(hooks: &[Arc<Hook>]) -> (String, Vec<Diagnostic>) {
    let mut writer = Writer { names: Names::default(), diagnostics: Vec::new() };
    let mut tables = Table::new();
    tables.set_implicit(true);
    for hook in hooks {
        if let Some((name, table)) = writer.hook_table(hook) {
            tables.insert(&name, Item::Table(table));
        }
    }
    let mut document = DocumentMut::new();
    document.insert("hook", Item::Table(tables));
    (document.to_string().trim_start().to_owned(), writer.diagnostics)
}

/// Returns the TOML value of a condition that is an expression.
fn when_condition_to_toml(expression: &str) -> Value {
    let mut table = InlineTable::new();
    table.insert("when", expression.into());
    table.into()
}

struct Writer {
    names: Names,
    diagnostics: Vec<Diagnostic>,
}

impl Writer {
    /// Returns the name and the table of a hook; `None` if nothing of it can be written.
    fn hook_table(&mut self, hook: &Hook) -> Option<(String, Table)> {
        if !name::is_valid_name(hook.event.as_str()) {
            self.report_not_carried_over(
                hook,
                "its event has a name that a native file cannot write",
            );
            return None;
        }
        let mut table = Table::new();
        let mut prefix = String::from("\n");
        if let Some(place) = &hook.place {
            prefix.push_str(&value::comment_line(&format!("from {}:{}", place.file, place.line)));
        }
        if let Some((because, _)) = hook.arming.disabled_reason() {
            prefix.push_str(&value::comment_line(&format!("disarmed: {because}")));
        }
        table.decor_mut().set_prefix(prefix);
        table.insert("on", text_item(hook.event.as_str()));
        self.write_matcher_and_condition(hook, &mut table);
        self.write_run(hook, &mut table)?;
        if hook.dialect != DialectId::NATIVE {
            table.insert("speaks", text_item(hook.dialect.as_str()));
        }
        Self::write_options(hook, &mut table);
        self.report_inexpressible_settings(hook);
        Some((self.names.take_unique_name(&hook.id), table))
    }

    /// Writes `match` and `if`: the subjects and calls on which the hook runs.
    fn write_matcher_and_condition(&mut self, hook: &Hook, table: &mut Table) {
        match hook.matcher.spec() {
            MatcherSpec::Any => {}
            MatcherSpec::Words(words) => {
                table.insert("match", Item::Value(string_array(words)));
            }
            // An empty expression is found everywhere, and slashes with nothing between them are
            // words.
            MatcherSpec::Regex(expression) if expression.is_empty() => {}
            MatcherSpec::Regex(expression) => {
                table.insert("match", text_item(&format!("/{expression}/")));
            }
            MatcherSpec::Never(why) => {
                let message = format!("its matcher can never match ({why}); it is written as off");
                self.report_partly_carried_over(hook, &message);
                table.insert("enabled", false.into());
            }
        }
        let written =
            hook.condition.as_ref().map(|condition| condition.native_parts()).unwrap_or_default();
        let mut conditions: Vec<Value> = Vec::new();
        for part in written {
            let found = match part {
                Written::Rule(rule) => Some(Value::from(rule)),
                Written::When(expression) => Some(when_condition_to_toml(expression)),
                Written::Toml(toml) => toml.parse::<Value>().ok(),
                Written::Lost => None,
            };
            match found {
                Some(value) => conditions.push(value),
                None => self.report_partly_carried_over(
                    hook,
                    "its condition cannot be written: it runs without",
                ),
            }
        }
        match conditions.len() {
            0 => {}
            1 => {
                table
                    .extend(conditions.into_iter().map(|condition| ("if", Item::Value(condition))));
            }
            _ => {
                let all: Array = conditions.into_iter().collect();
                table.insert("if", Item::Value(all.into()));
            }
        }
    }

    fn write_run(&mut self, hook: &Hook, table: &mut Table) -> Option<()> {
        let command = match &hook.run {
            Run::Command(command) => command,
            Run::Function(_) => {
                self.report_not_carried_over(
                    hook,
                    "it is a callback of its host, which no file can name",
                );
                return None;
            }
            Run::Worker(worker) => {
                if let Invocation::Argv { program, args } = &worker.command.invocation {
                    table.insert("worker", Item::Value(argv_value(program, args)));
                }
                self.write_command_settings(hook, &worker.command, table);
                return Some(());
            }
            Run::Http(http) => return self.write_http(hook, http, table),
            Run::Prompt(prompt) => {
                let (key, value) = content::prompt_table(prompt);
                table.insert(key, Item::Value(value.into()));
                return Some(());
            }
            Run::McpTool(call) => return self.write_mcp_tool(hook, call, table),
            Run::Rule(rule) => {
                write_rule_keys(rule, table);
                return Some(());
            }
            Run::Unusable { part, why } => {
                self.report_not_carried_over(hook, &part.problem_message(why));
                return None;
            }
        };
        match &*command.portable_invocation() {
            Invocation::Argv { program, args } => {
                table.insert("run", Item::Value(argv_value(program, args)));
            }
            Invocation::Shell { text: line, shell } => match shell {
                Shell::Sh => drop(table.insert("shell", text_item(line))),
                Shell::Bash => drop(table.insert("run", array_item(&["bash", "-c", line]))),
                Shell::Login => {
                    drop(table.insert("run", array_item(&["/bin/sh", "-c", Shell::LOGIN, line])));
                }
                Shell::PowerShell => {
                    let words =
                        array_item(&["pwsh", "-NoProfile", "-NonInteractive", "-Command", line]);
                    table.insert("run", words);
                }
            },
        }
        match command.prewarm {
            Prewarm::Never => {}
            Prewarm::AsItStands => drop(table.insert("prewarm", true.into())),
            form => drop(form.name().map(|word| table.insert("prewarm", text_item(word)))),
        }
        self.write_command_settings(hook, command, table);
        Some(())
    }

    fn write_command_settings(&mut self, hook: &Hook, command: &Command, table: &mut Table) {
        if !command.env.is_empty() {
            let mut env = InlineTable::new();
            for (name, value) in &command.env {
                if crate::dialect::variables::is_variable_name(name) {
                    env.insert(name, value.as_str().into());
                } else {
                    self.report_partly_carried_over(
                        hook,
                        &format!("the variable `{name}` cannot be written"),
                    );
                }
            }
            table.insert("env", Item::Value(env.into()));
        }
        if !command.pass.is_empty() {
            table.insert("pass", Item::Value(string_array(&command.pass)));
        }
        if let Some(cwd) = &command.cwd {
            table.insert("cwd", text_item(&cwd.to_string_lossy()));
            if cwd.is_relative() {
                self.report_partly_carried_over(
                    hook,
                    "its `cwd` is relative, and here counts from the file",
                );
            }
        }
        if !command.files.is_empty() {
            let files = command.files.iter().map(|file| file.to_string_lossy().into_owned());
            table.insert("files", Item::Value(string_array(&files.collect::<Vec<_>>())));
        }
        if command.inherit != hook.dialect.dialect().inherited_variables() {
            self.report_partly_carried_over(
                hook,
                "it inherits another environment than its dialect promises",
            );
        }
    }

    /// Writes the options of a hook: when it runs, how long, and what a failure means.
    fn write_options(hook: &Hook, table: &mut Table) {
        if hook.enforcement.is_shadow() {
            table.insert("mode", text_item(hook.enforcement.as_str()));
        }
        match hook.phase {
            Phase::Decide => {}
            // A hook in the background cannot rewrite.
            Phase::Rewrite if hook.wait != Wait::Attached => {}
            Phase::Rewrite => drop(table.insert("phase", text_item("rewrite"))),
            Phase::Observe => drop(table.insert("phase", text_item("observe"))),
        }
        match hook.wait {
            Wait::Attached => {}
            Wait::Detached => drop(table.insert("background", true.into())),
            Wait::Rewake => drop(table.insert("wake", true.into())),
        }
        let dialect = hook.dialect.dialect();
        let is_native = hook.dialect == DialectId::NATIVE;
        let row = || {
            dialect.event_row(&hook.event).map_or_else(
                || dialect.row_for_unknown_event(&hook.event).timeout,
                |row| row.timeout,
            )
        };
        if let Some(timeout) = hook.timeout.or_else(|| (!is_native).then(row)) {
            table.insert("timeout", text_item(&value::duration_text(timeout)));
        }
        match hook.on_failure {
            Some(policy) => drop(table.insert("on_failure", text_item(policy.as_str()))),
            // In the background a failure restrains nothing, whatever the policy is.
            None if is_native || hook.wait != Wait::Attached => {}
            None => drop(table.insert("on_failure", text_item(PROMISED))),
        }
        if hook.answer_required {
            table.insert("answer", text_item("required"));
        }
        if hook.once {
            table.insert("once", true.into());
        }
        if let Some(sandbox) = sandbox::sandbox_value_if_set(&hook.sandbox) {
            table.insert("sandbox", Item::Value(sandbox));
        }
        if let Some(status) = &hook.status {
            table.insert("status", text_item(status));
        }
        if hook.arming != Arming::Armed {
            table.insert("enabled", false.into());
        }
    }

    /// Reports the settings of a hook that no native file can express.
    fn report_inexpressible_settings(&mut self, hook: &Hook) {
        for key in &hook.own_keys {
            self.report_partly_carried_over(
                hook,
                &format!("`{key}`: a native file has no such key"),
            );
        }
        if hook.compat == crate::hook::Compat::Exact {
            self.report_partly_carried_over(
                hook,
                "exact reading is set for a file, not for a hook: `[source.\"...\"]`",
            );
        }
    }

    fn report_not_carried_over(&mut self, hook: &Hook, message: &str) {
        self.report(Code::NotCarriedOver, hook, message);
    }

    fn report_partly_carried_over(&mut self, hook: &Hook, message: &str) {
        self.report(Code::PartlyCarriedOver, hook, message);
    }

    fn report(&mut self, code: Code, hook: &Hook, message: &str) {
        let message = format!("hook `{}`: {message}", hook.id);
        self.diagnostics.push(Diagnostic::new(code, message, hook.place.clone()));
    }
}

/// Writes the keys of a rule.
fn write_rule_keys(rule: &Rule, table: &mut Table) {
    for part in Part::ALL {
        if let Some(written) = rule.part_text(part) {
            table.insert(part.key(), text_item(written));
        }
    }
    if let Some(doubt) = rule.doubt_setting() {
        table.insert(Doubt::KEY, text_item(doubt.label()));
    }
}

fn text_item(text: &str) -> Item {
    toml_edit::value(text)
}

fn array_item(items: &[&str]) -> Item {
    toml_edit::value(items.iter().copied().collect::<Array>())
}

fn string_array(words: &[String]) -> Value {
    words.iter().map(String::as_str).collect::<Array>().into()
}

/// Returns the array of a program and its arguments. A relative program with a slash starts from
/// the event's directory, but in a native file from the file's; a shell that executes the program
/// keeps the meaning.
fn argv_value(program: &str, args: &[String]) -> Value {
    let relative = program.contains('/') && !program.starts_with('/');
    let lead: &[&str] = if relative { &["sh", "-c", r#"exec "$0" "$@""#] } else { &[] };
    let words = lead.iter().copied().chain([program]).chain(args.iter().map(String::as_str));
    words.collect::<Array>().into()
}

#[cfg(test)]
mod tests;
