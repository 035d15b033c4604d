//! What hooks are called in a native file: names that are safe on screens, and no two alike.

use std::collections::HashSet;

use crate::hook::HookId;

pub(super) use crate::dialect::native::config::is_valid_name;

/// Longest name, with room for a number.
const LONGEST: usize = 56;

/// The names that are taken.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// Returns a name for the hook that no other hook has, without characters that names may not
    /// have.
    pub(super) fn take_unique_name(&mut self, id: &HookId) -> String {
        let plain = to_valid_name(id.as_str());
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let found =
            std::iter::once(plain.clone()).chain(numbered).find(|text| !self.taken.contains(text));
        let name = found.unwrap_or(plain);
        self.taken.insert(name.clone());
        name
    }
}

fn to_valid_name(id: &str) -> String {
    let mut name = String::new();
    for c in id.chars() {
        let c = if c.is_ascii_alphanumeric() || "._-:/".contains(c) { c } else { '-' };
        // Several replaced characters in a row become one.
        if c.is_ascii_alphanumeric() || !name.ends_with(c) {
            name.push(c);
        }
    }
    // A part of which nothing is left says nothing.
    let begins = |sign: char| !sign.is_ascii_alphanumeric();
    let name: String =
        name.replace(":-:", ":").trim_start_matches(begins).chars().take(LONGEST).collect();
    let name = name.trim_end_matches(begins);
    if name.is_empty() { "hook".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_and_no_two_alike() {
        let mut names = Names::default();
        for (id, expected) in [
            ("user:UserPromptSubmit:translate:1", "user:UserPromptSubmit:translate:1"),
            ("project:PreToolUse:*:1", "project:PreToolUse:1"),
            ("project:PreToolUse:*:1", "project:PreToolUse:1-2"),
            ("a|b", "a-b"),
            ("  été", "t"),
            ("***", "hook"),
        ] {
            let name = names.take_unique_name(&HookId::new(id));
            assert_eq!(name, expected);
            assert!(is_valid_name(&name), "{name}");
        }
        assert!(is_valid_name(&names.take_unique_name(&HookId::new("x".repeat(200)))));
    }
}
