//! Reads the hook files of Windsurf (WS-3, WS-4): the entries of each event, which have no
//! matcher. Opens no file.

use super::vocabulary;
use crate::diagnostic::Code;
use crate::dialect::DialectId;
use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::entry::{self, EntryFault, Fields};
use crate::dialect::kit::file::{self, File, Off, Reader, Rules, Scope};
use crate::dialect::kit::groups;
use crate::hook::{Command, Inherit, Invocation, Run, Shell};
use crate::matcher::Matcher;
use crate::source::{ReadConfig, Source};
use crate::syntax::{Format, Node};

static FILE: File = File {
    own_keys: &["show_output"],
    rules: Rules::with_one_rule("WS-3"),
    items: "hooks",
    shape: r#"write `{"hooks": {"pre_run_command": [{"command": "..."}]}}`"#,
    ..File::new("Windsurf", DialectId::WINDSURF, || &vocabulary::ROWS, read_hook)
};

const FIELDS: Fields = Fields {
    whose: "a hook",
    code: Code::UnknownEntryField,
    known: &["command", "powershell", "show_output", "working_directory"],
    foreign: &[
        ("matcher", "Windsurf has an event for each kind of action: test the rest in the program"),
        ("timeout", "Windsurf documents no timeout: end the program yourself"),
    ],
};

/// The key of the command line, with its shell.
pub(super) const LINE: (&str, Shell) =
    if cfg!(windows) { ("powershell", Shell::PowerShell) } else { ("command", Shell::Bash) };

/// Reads the hooks of a config file of Windsurf.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Json)
}

fn read_hook(reader: &mut Reader<'_>, node: &Node, scope: &Scope) {
    if !reader.is_object_else_reports(node, "a hook", Code::EntryNotObject) {
        return;
    }
    if scope.off.is_none() {
        FIELDS.report_unknown_fields(reader, node, &[]);
    }
    let (run, broken) = match read_run(reader, node) {
        Ok(run) => {
            groups::lint_command(reader, node, &run, &[LINE.0]);
            (run, None)
        }
        Err(fault) => {
            (entry::unusable_run(fault.to_string()), Some(Off::new(fault.to_string(), "WS-3")))
        }
    };
    let mut hook = entry::new_hook(reader, node, &scope.name, "", scope, run);
    hook.matcher = Matcher::new(vocabulary::matcher_of_event(&scope.name));
    hook.arming = Off::arming_from_reason(scope.off.clone().or(broken));
    reader.read.hooks.push(hook);
}

/// Reads what an entry runs (WS-4).
fn read_run(reader: &mut Reader<'_>, node: &Node) -> Result<Run, EntryFault> {
    let (key, shell) = LINE;
    let Some(text) = reader.read_text(node, key).filter(|text| !text.trim().is_empty()) else {
        let message = format!("the hook has no `{key}`");
        let found = finding_without_location(Code::HandlerMissingField, message)
            .label("never runs here")
            .help(format!("add `\"{key}\": \"...\"`"));
        reader.report(node.span, found);
        return Err(EntryFault::MissingField { key });
    };
    let cwd = entry::read_directory(reader, node, "working_directory");
    let invocation = Invocation::Shell { text, shell };
    Ok(Run::Command(Command { cwd, ..Command::new(invocation, Inherit::All) }))
}
