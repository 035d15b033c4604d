//! In which languages may the line of a shell tool be written? The one place that chooses them by system, agent and tool, and
//! that reads such a line. Where several languages are possible, what each reader finds holds (S-85).

use serde_json::Value;
use tenterhook_shell::{Language, Line, Parsed, read_as};

use super::AGENTS;
use crate::event::Event;

/// Systems whose agents start other shells.
#[derive(Clone, Copy)]
enum System {
    Windows,
    Any,
}

/// The system that this program runs on.
const SYSTEM: System = if cfg!(windows) { System::Windows } else { System::Any };

/// The languages of a tool's line on this system.
pub(crate) fn languages(agent: &str, tool: &str) -> &'static [Language] {
    languages_on(SYSTEM, agent, tool)
}

fn languages_on(system: System, agent: &str, tool: &str) -> &'static [Language] {
    const ALL: &[Language] = &[Language::PowerShell, Language::Cmd, Language::Posix];
    let known = || AGENTS.iter().find(|row| row.name == agent && !row.windows_shell.is_empty());
    match (system, tool) {
        (_, "PowerShell") => &[Language::PowerShell],
        (System::Any, _) => &[Language::Posix],
        (System::Windows, "Bash") => known().map_or(ALL, |row| row.windows_shell),
        (System::Windows, _) => ALL,
    }
}

/// The agent that calls, where the host says it.
pub(crate) fn agent(event: &Event) -> &str {
    let host = event.within.facts.get("host");
    host.and_then(|host| host.get("agent")).and_then(Value::as_str).unwrap_or_default()
}

/// Reads a line in each of these languages; `None` where it costs more than may be spent.
pub(crate) fn read(
    languages: &[Language],
    text: &str,
    spend: &dyn Fn(usize) -> bool,
) -> Option<Line> {
    let mut all: Option<Line> = None;
    for language in languages {
        let line = read_as(*language, text, spend)?;
        all = Some(match all {
            None => line,
            Some(before) => merge_lines(before, line),
        });
    }
    all
}

/// What two readers found.
fn merge_lines(mut first: Line, second: Line) -> Line {
    first.commands.extend(second.commands);
    first.constructs.extend(second.constructs);
    first.redirects.extend(second.redirects);
    first.loops.extend(second.loops);
    first.functions.extend(second.functions);
    if first.parsed == Parsed::Full {
        first.parsed = second.parsed;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S-85.
    #[test]
    fn language_follows_from_system_agent_and_tool() {
        use Language::{Cmd, Posix, PowerShell};
        for (system, agent, tool, expected) in [
            (System::Any, "claude", "Bash", &[Posix][..]),
            (System::Any, "copilot", "PowerShell", &[PowerShell]),
            (System::Windows, "claude", "Bash", &[Posix]),
            (System::Windows, "claude", "PowerShell", &[PowerShell]),
            (System::Windows, "codex", "Bash", &[PowerShell, Cmd]),
            (System::Windows, "", "Bash", &[PowerShell, Cmd, Posix]),
        ] {
            assert_eq!(languages_on(system, agent, tool), expected, "{agent} {tool}");
        }
    }

    /// S-85.
    #[test]
    fn line_of_several_languages_is_what_each_reader_finds() {
        let languages = [Language::PowerShell, Language::Posix];
        let line = read(&languages, "ri -r x && git push", &|_| true).unwrap();
        let commands: Vec<String> = line.commands.iter().map(|command| command.text()).collect();
        assert!(commands.contains(&"Remove-Item -Recurse x".to_owned()), "{commands:?}");
        assert!(commands.contains(&"ri -r x".to_owned()), "{commands:?}");
        let doubtful = read(&languages, "iex $x", &|_| true).unwrap();
        assert_ne!(doubtful.parsed, Parsed::Full);
    }
}
