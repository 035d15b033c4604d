//! Reads the settings of Gemini CLI (GM-1 to GM-12): the command of each handler, its matcher,
//! timeout and name. Opens no file.

use super::settings::{self, SettingsPaths};
use super::vocabulary;
use crate::diagnostic::Code;
use crate::dialect::DialectId;
use crate::dialect::kit::entry::{EntryFault, Fields};
use crate::dialect::kit::file::{self, File, Reader, Rules, Scope};
use crate::dialect::kit::groups::Groups;
use crate::hook::Hook;
use crate::matcher::Matcher;
use crate::source::{ReadConfig, Source};
use crate::syntax::{Format, Node};

pub(super) static SETTINGS_PATHS: SettingsPaths =
    SettingsPaths { id: DialectId::GEMINI, folder: ".gemini", machine: "gemini-cli" };

static FILE: File = File {
    shape: r#"write `{"hooks": {"BeforeTool": [{"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "..."}]}]}}`"#,
    rules: Rules::all("GM-4"),
    beside: &["enabled", "disabled", "notifications"],
    takes_comments: true,
    is_javascript: true,
    find: settings::find,
    ..File::new(
        "Gemini CLI",
        DialectId::GEMINI,
        || &vocabulary::ROWS,
        |reader, node, scope| GROUPS.group(reader, node, scope),
    )
};

static GROUPS: Groups = Groups {
    types: &[("command", "command")],
    more: &["sequential"],
    fields: Fields {
        whose: "a handler",
        code: Code::UnknownHandlerField,
        known: &["type", "command", "name", "description", "timeout", "env"],
        foreign: &[
            ("timeoutms", "write `timeout`, in milliseconds"),
            ("timeoutsec", "write `timeout`, in milliseconds"),
            ("statusmessage", "write `name`, which the agent shows while the hook runs"),
            ("enabled", "list the hook's `name` in `hooksConfig.disabled` to switch it off"),
        ],
    },
    matcher: |reader, entry, scope| settings::matcher(reader, entry, scope, false),
    run: |reader, node, _, text| Ok(settings::command(reader, node, text)),
    terms,
};

/// Reads `source`. The agent accepts comments in its settings.
pub(super) fn read(source: &Source) -> ReadConfig {
    file::read(&FILE, source, Format::Json)
}

fn terms(
    reader: &mut Reader<'_>,
    node: &Node,
    scope: &Scope,
    hook: &mut Hook,
) -> Result<(), EntryFault> {
    hook.matcher = Matcher::new(settings::spec(scope, reader.source.compat, false).0);
    hook.timeout = reader.entry(node, "timeout").and_then(|entry| reader.findings.millis(entry));
    let description = reader.text(node, "description");
    hook.status = reader.text(node, "name").or(description).filter(|text| !text.is_empty());
    Ok(())
}
