//! The packs of rules in this program, and their content. Reads their text; writes nothing.

use tenterhook_core::protect;

/// A pack of rules: a native file, every rule of it with a comment that says what it is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pack {
    pub(crate) name: &'static str,
    /// One line that says what it is for.
    pub(crate) about: &'static str,
    /// The file.
    pub(crate) text: &'static str,
    /// Whether it is on in every host, without a file.
    pub(crate) built_in: bool,
}

/// Every pack.
pub(crate) const PACKS: &[Pack] = &[
    Pack {
        name: "guardrails",
        about: "holds an agent up before what is hard to undo, or what only an attacker asks for",
        text: include_str!("../packs/guardrails.toml"),
        built_in: false,
    },
    Pack {
        name: "hold-subagents",
        about: "asks before an agent starts a subagent whose calls no hook would see",
        text: include_str!("../packs/hold-subagents.toml"),
        built_in: false,
    },
    Pack {
        name: protect::NAME,
        about: "keeps an agent away from its hooks, its settings and Tenterhook itself",
        text: protect::PACK,
        built_in: true,
    },
];

/// One rule of a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackRule<'a> {
    /// Its name without the pack's.
    pub(crate) name: &'a str,
    /// What it holds up, in a sentence or two.
    pub(crate) about: String,
    /// A call that it holds up.
    pub(crate) example: &'a str,
    /// `deny` or `ask`.
    pub(crate) decision: &'static str,
    /// Its entry as it stands in the file, with its comment.
    pub(crate) text: String,
}

impl Pack {
    /// The pack of that name.
    pub(crate) fn find_by_name(name: &str) -> Option<&'static Self> {
        PACKS.iter().find(|pack| pack.name == name)
    }

    /// Returns the name of the file that the pack is installed as.
    pub(crate) fn file_name(&self) -> String {
        format!("tenterhook.{}.toml", self.name)
    }

    /// Returns the rules of the pack, in order.
    pub(crate) fn rules(&self) -> Vec<PackRule<'static>> {
        parse_rules(self.name, self.text)
    }
}

/// Parses the rules in the text of a pack's file, which may have been edited.
pub(crate) fn parse_rules<'a>(pack: &str, text: &'a str) -> Vec<PackRule<'a>> {
    let head = format!("\n[hook.\"{pack}/");
    let entries = text.split("\n\n").filter(|part| part.contains(&head));
    entries.filter_map(|entry| parse_rule(entry, &head)).collect()
}

fn parse_rule<'a>(entry: &'a str, head: &str) -> Option<PackRule<'a>> {
    let (comment, body) = entry.split_once(head)?;
    let (name, body) = body.split_once("\"]")?;
    let lines = || comment.lines().filter_map(|line| line.strip_prefix('#')).map(str::trim);
    let example = |line: &&str| line.starts_with(EXAMPLE);
    let about: Vec<&str> = lines().filter(|line| !example(line)).collect();
    let decision = if body.contains("\ndeny = ") { "deny" } else { "ask" };
    Some(PackRule {
        name,
        about: about.join(" "),
        example: lines()
            .find(example)
            .and_then(|line| line.strip_prefix(EXAMPLE))
            .unwrap_or_default()
            .trim(),
        decision,
        text: entry.trim().to_owned(),
    })
}

const EXAMPLE: &str = "Example:";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_says_what_it_is_for() {
        for pack in PACKS {
            let rules = pack.rules();
            assert_eq!(rules.len(), pack.text.matches("\n[hook.").count(), "{}", pack.name);
            for rule in rules {
                assert!(rule.about.ends_with('.') && !rule.example.is_empty(), "{rule:?}");
                assert_ne!(
                    rule.text.contains("\ndeny = "),
                    rule.text.contains("\nask = "),
                    "{rule:?}"
                );
            }
        }
    }
}
