//! Replaces `${CLAUDE_...}` in commands with the agent's directories. Pure; expands no other
//! variable.
//!
//! Without a shell, every placeholder is replaced. A shell expands the variable of the same name
//! itself, and does not read the value as code. Only in single quotes, where a shell does not
//! expand, the value is inserted, with its quotes escaped; with exact reading it is not (C-27).

use std::path::Path;

use crate::request::placeholder::{self, Names};
use crate::source::Plugin;

/// The placeholders: the project, a plugin's files, and a plugin's writable directory.
const NAMES: [&str; 3] = ["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"];

/// The placeholders that have a value here, without their `${` and `}`.
#[derive(Clone, Debug, Default)]
pub(super) struct Placeholders {
    values: Vec<(&'static str, String)>,
}

impl Placeholders {
    /// The placeholders of a source in `project`, and of its plugin if it belongs to one.
    pub(super) fn new(project: &Path, plugin: Option<&Plugin>) -> Self {
        let root = plugin.map(|plugin| plugin.root.as_path()).unwrap_or_else(|| Path::new(""));
        let data = plugin.map(|plugin| plugin.data.as_path()).unwrap_or_else(|| Path::new(""));
        let values = NAMES.iter().copied().zip([project, root, data]);
        let known = values.filter(|(_, path)| !path.as_os_str().is_empty());
        Self { values: known.map(|(name, path)| (name, path.display().to_string())).collect() }
    }

    /// Returns the plugin's values as environment variables; every event sets those of the project.
    pub(super) fn plugin_variables(&self) -> Vec<(String, String)> {
        let of_plugin = self.values.iter().filter(|(name, _)| name.starts_with("CLAUDE_PLUGIN_"));
        of_plugin.map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    /// Replaces the placeholders of an argument that no shell reads.
    pub(super) fn replace_in_word(&self, word: &str) -> String {
        replace_placeholders(word, |name| self.placeholder_value(name).map(str::to_owned))
    }

    /// Replaces the placeholders of a text for a POSIX shell.
    pub(super) fn replace_in_shell_text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        let (mut single, mut double) = (false, false);
        while let Some(at) = rest.find(['\'', '"', '\\', '$']) {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            let taken = match from.as_bytes().first() {
                Some(b'\'') if !double => {
                    single = !single;
                    1
                }
                Some(b'"') if !single => {
                    double = !double;
                    1
                }
                Some(b'\\') if !single => 1 + from.chars().nth(1).map_or(0, char::len_utf8),
                Some(b'$') if single => {
                    if let Some((length, value)) = self.placeholder_at_start(from) {
                        out.push_str(&value.replace('\'', r"'\''"));
                        rest = from.get(length..).unwrap_or_default();
                        continue;
                    }
                    1
                }
                _ => 1,
            };
            let (piece, after) = from.split_at(taken);
            out.push_str(piece);
            rest = after;
        }
        out.push_str(rest);
        out
    }

    /// Replaces the placeholders of a text for PowerShell, in which `${NAME}` is not an environment
    /// variable.
    pub(super) fn replace_in_powershell_text(&self, text: &str) -> String {
        replace_placeholders(text, |name| NAMES.contains(&name).then(|| format!("${{env:{name}}}")))
    }

    /// The length and the value of the placeholder at the beginning of `text`.
    fn placeholder_at_start(&self, text: &str) -> Option<(usize, &str)> {
        let found = placeholder::find_first_placeholder(text)?;
        let Names::Braced(name) = found.names else { return None };
        Some((text.len() - found.after.len(), self.placeholder_value(name)?))
    }

    fn placeholder_value(&self, name: &str) -> Option<&str> {
        let (_, value) = self.values.iter().find(|(known, _)| *known == name)?;
        Some(value)
    }
}

/// Replaces each `${NAME}` in `text` for which `value` returns a value.
fn replace_placeholders(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = placeholder::find_first_placeholder(rest) {
        out.push_str(found.before);
        let value = if let Names::Braced(name) = found.names { value(name) } else { None };
        let (text, behind) = match &value {
            Some(value) => (value.as_str(), found.after),
            None => found.split_dollar_from_rest(),
        };
        out.push_str(text);
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placeholders() -> Placeholders {
        let plugin = Plugin { name: "p".into(), root: "/o'k/p".into(), data: "/data".into() };
        Placeholders::new(Path::new("/my work"), Some(&plugin))
    }

    #[test]
    fn shell_text_is_replaced_only_in_single_quotes() {
        let placeholders = placeholders();
        assert_eq!(
            placeholders.replace_in_word("${CLAUDE_PROJECT_DIR}/a $HOME"),
            "/my work/a $HOME"
        );
        for (text, expected) in [
            ("\"${CLAUDE_PROJECT_DIR}/a\"", "\"${CLAUDE_PROJECT_DIR}/a\""),
            ("sh -c '${CLAUDE_PLUGIN_ROOT}/a'", "sh -c '/o'\\''k/p/a'"),
            ("\"it's ${CLAUDE_PLUGIN_ROOT}\"", "\"it's ${CLAUDE_PLUGIN_ROOT}\""),
            (r"\'${CLAUDE_PROJECT_DIR}", r"\'${CLAUDE_PROJECT_DIR}"),
            ("'${HOME} ü$' \\", "'${HOME} ü$' \\"),
        ] {
            assert_eq!(placeholders.replace_in_shell_text(text), expected);
        }
        assert_eq!(
            placeholders.replace_in_powershell_text("& ${CLAUDE_PLUGIN_ROOT}/a"),
            "& ${env:CLAUDE_PLUGIN_ROOT}/a"
        );
    }

    #[test]
    fn env_has_only_variables_with_a_value() {
        let env = placeholders().plugin_variables();
        assert_eq!(env[0], ("CLAUDE_PLUGIN_ROOT".to_owned(), "/o'k/p".to_owned()));
        assert_eq!(env.len(), 2);
        assert!(Placeholders::new(Path::new("/p"), None).plugin_variables().is_empty());
    }
}
