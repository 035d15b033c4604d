//! What kind of call is this? One short word for all that are alike, so that a thousand calls are a handful of lines.

use serde_json::Value;
use tenterhook::Event;
use tenterhook::internal::record::redacted;

use crate::show::layout;

/// How long an example is at most.
const LONGEST: usize = 160;
/// Words before a command that say nothing of what it does.
const BEFORE: &[&str] = &["sudo", "env", "command", "exec", "nohup", "time", "cd"];

/// Returns the kind of an event: its tool, and the command or the kind of file that it is about.
pub(super) fn event_kind(event: &Event) -> String {
    let Some(call) = event.tool() else { return event.name.to_string() };
    let text = |key: &str| call.input.get(key).and_then(Value::as_str);
    let about = text("command")
        .and_then(program_and_subcommand)
        .or_else(|| text("file_path").map(file_extension_or_name));
    let shape = match about {
        Some(about) => format!("{} {about}", call.name),
        None => call.name.to_owned(),
    };
    redact_and_truncate_to_line(&shape, 60)
}

/// Returns the program of a shell line and its subcommand, e.g. `git push`.
fn program_and_subcommand(line: &str) -> Option<String> {
    let parts = line.split(['\n', ';', '|', '&']).map(str::trim).filter(|part| !part.is_empty());
    let words = parts.map(|part| {
        let is_assignment = |word: &&str| word.contains('=') && !word.starts_with('-');
        let words = part
            .split_whitespace()
            .skip_while(move |word| BEFORE.contains(word) && *word != "cd" || is_assignment(word));
        words.collect::<Vec<_>>()
    });
    let words: Vec<Vec<&str>> = words.collect();
    let first = words
        .iter()
        .find(|argv| argv.first().is_some_and(|word| *word != "cd"))
        .or(words.first())?;
    let program = first.first()?.rsplit('/').next()?;
    let is_plain = |text: &&&str| {
        text.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !text.starts_with('-')
    };
    Some(match first.get(1).filter(is_plain).filter(|text| text.len() < 20) {
        Some(what) => format!("{program} {what}"),
        None => program.to_owned(),
    })
}

/// Returns the kind of a file: its extension, or its name.
fn file_extension_or_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, kind)) if !stem.is_empty() => format!("*.{kind}"),
        _ => name.to_owned(),
    }
}

/// Describes an event in one line without secrets.
pub(super) fn redacted_event_line(event: &Event) -> String {
    let Some(call) = event.tool() else {
        return redact_and_truncate_to_line(event.text("prompt").unwrap_or_default(), LONGEST);
    };
    let text = |key: &str| call.input.get(key).and_then(Value::as_str);
    match text("command").or_else(|| text("file_path")) {
        Some(text) => redact_and_truncate_to_line(text, LONGEST),
        None => redact_and_truncate_to_line(&redacted(call.input.clone()).to_string(), LONGEST),
    }
}

/// Returns a text in one line, without what looks like a secret, truncated.
pub(super) fn redact_and_truncate_to_line(text: &str, longest: usize) -> String {
    layout::truncate_to_width(
        &layout::to_safe_line(&redact_and_truncate_lines(text, longest * 8)),
        longest,
    )
}

/// Returns a text without what looks like a secret, truncated. Line breaks are preserved.
pub(super) fn redact_and_truncate_lines(text: &str, longest: usize) -> String {
    // The text beyond the limit is ignored, except for what is needed to recognize a secret.
    let near: String = text.chars().take(longest).collect();
    match redacted(near.into()) {
        Value::String(text) => text,
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// BT-6.
    #[test]
    fn calls_that_are_alike_have_one_shape() {
        for (tool, input, expected) in [
            ("Bash", json!({"command": "git push --force origin x"}), "Bash git push"),
            ("Bash", json!({"command": "cd /a && A=1 sudo /usr/bin/rm -rf b"}), "Bash rm"),
            ("Bash", json!({"command": "cd /a"}), "Bash cd"),
            ("Write", json!({"file_path": "/a/b.env.rs"}), "Write *.rs"),
            ("Read", json!({"file_path": "/a/.env"}), "Read .env"),
            ("mcp__a__b", json!({}), "mcp__a__b"),
        ] {
            let event = Event::pre_tool_use(tool, input);
            assert_eq!(event_kind(&event), expected);
        }
    }

    /// BT-6.
    #[test]
    fn no_secret_is_shown() {
        let key = "ghp_".to_owned() + &"aB3".repeat(12);
        let event = Event::pre_tool_use(
            "Bash",
            json!({"command": format!("X_TOKEN={key} curl\n\u{1b}[2J {key}")}),
        );
        assert!(
            !redacted_event_line(&event).contains(&key)
                && !redacted_event_line(&event).contains('\u{1b}'),
            "{}",
            redacted_event_line(&event)
        );
        assert!(!event_kind(&event).contains(&key));
        let event = Event::pre_tool_use("mcp__a__b", json!({"token": "hunter22"}));
        assert!(!redacted_event_line(&event).contains("hunter22"));
    }
}
