//! In which languages may the line of a shell tool be written? The one place that chooses them by system, agent and tool, and
//! that reads such a line. Where several languages are possible, what each reader finds holds (S-85).

use serde_json::Value;
use tenterhook_shell::{Language, Line, Parsed, parse_line_in_language};

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

/// Returns the languages in which a tool's command line may be written on this system.
pub(crate) fn shell_languages(agent: &str, tool: &str) -> &'static [Language] {
    shell_languages_on(SYSTEM, agent, tool)
}

fn shell_languages_on(system: System, agent: &str, tool: &str) -> &'static [Language] {
    const ALL: &[Language] = &[Language::PowerShell, Language::Cmd, Language::Posix];
    let known = || AGENTS.iter().find(|row| row.name == agent && !row.windows_shell.is_empty());
    match (system, tool) {
        (_, "PowerShell") => &[Language::PowerShell],
        (System::Any, _) => &[Language::Posix],
        (System::Windows, "Bash") => known().map_or(ALL, |row| row.windows_shell),
        (System::Windows, _) => ALL,
    }
}

/// Returns the name of the agent that makes the call, if the host gives it.
pub(crate) fn agent_name(event: &Event) -> &str {
    let host = event.within.facts.get("host");
    host.and_then(|host| host.get("agent")).and_then(Value::as_str).unwrap_or_default()
}

/// Reads a command line in each of these languages; `None` if that takes more steps than may be
/// spent.
pub(crate) fn read_line_in_languages(
    languages: &[Language],
    text: &str,
    spend: &dyn Fn(usize) -> bool,
) -> Option<Line> {
    let mut all: Option<Line> = None;
    for language in languages {
        let line = parse_line_in_language(*language, text, spend)?;
        all = Some(match all {
            None => line,
            Some(before) => merge_lines(before, line),
        });
    }
    all
}

/// Merges what two readers found in the same command line.
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
            assert_eq!(shell_languages_on(system, agent, tool), expected, "{agent} {tool}");
        }
    }

    /// S-85.
    #[test]
    fn line_of_several_languages_is_what_each_reader_finds() {
        let languages = [Language::PowerShell, Language::Posix];
        let line = read_line_in_languages(&languages, "ri -r x && git push", &|_| true).unwrap();
        let commands: Vec<String> =
            line.commands.iter().map(|command| command.unquoted_text()).collect();
        assert!(commands.contains(&"Remove-Item -Recurse x".to_owned()), "{commands:?}");
        assert!(commands.contains(&"ri -r x".to_owned()), "{commands:?}");
        let doubtful = read_line_in_languages(&languages, "iex $x", &|_| true).unwrap();
        assert_ne!(doubtful.parsed, Parsed::Full);
    }
}
