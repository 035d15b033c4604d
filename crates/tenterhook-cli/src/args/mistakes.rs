//! What to type instead of a line that clap refuses, where its own tip misleads. Parses nothing.

use crate::command::unquoted_input_problem;
use crate::problem::Problem;

/// Returns a better error for these arguments, if they are a known mistake.
pub(crate) fn known_mistake(words: &[String]) -> Option<Problem> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["fire" | "explain", tool, line @ ..] if is_unquoted_line(tool, line) => {
            Some(unquoted_input_problem(tool, line))
        }
        ["allow", code] if is_denial_code(code) => {
            let message = format!("`allow {code}` lacks how long it holds");
            Some(Problem::new(message).with_help(format!("`tenterhook allow once {code}`")))
        }
        ["status", agent, ..] if !agent.starts_with('-') => {
            let message = format!("`status` takes no name, such as `{agent}`: it shows all agents");
            Some(Problem::new(message).with_help("`tenterhook status`"))
        }
        [command @ ("install" | "uninstall")] => {
            Some(Problem::new(format!("`{command}` needs an agent")).with_help(format!(
                "`tenterhook {command} claude`, or `tenterhook {command} --all`"
            )))
        }
        _ => None,
    }
}

/// Returns whether this is a shell tool, and its command as several arguments.
fn is_unquoted_line(tool: &str, line: &[&str]) -> bool {
    tool == "Bash"
        && line.len() > 1
        && line.first().is_some_and(|first| !first.starts_with('-'))
        && line.iter().all(|word| !word.starts_with("--config"))
}

fn is_denial_code(text: &str) -> bool {
    text.len() == 6 && text.chars().all(|c| c.is_ascii_alphanumeric())
}
