//! The rules as a person reads them: what each is, who made it, and how it is taken away.

use std::sync::PoisonError;

use super::{Mode, Permissions};

/// What each list of rules means.
const MEANINGS: [(&str, &str); 4] = [
    ("deny", "never runs"),
    ("ask", "always asked about"),
    ("allow", "runs without a question"),
    ("also", "may be changed like the project"),
];

/// No rule and no directory has this number.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rule has the number {number}; `/permissions` lists them")]
pub(crate) struct NoSuchRule {
    number: usize,
}

impl Permissions {
    /// Returns a page with the mode and the rules.
    pub(crate) fn rules_page(&self) -> String {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let modes: Vec<_> = Mode::ALL.iter().map(|(_, word)| *word).collect();
        let mut lines = vec![format!("mode  {} (of {})", state.mode.name(), modes.join(", "))];
        let rules = [&state.rules.deny, &state.rules.ask, &state.rules.allow];
        let rules = rules.into_iter().zip(MEANINGS);
        let named = rules.flat_map(|(rules, (word, means))| {
            rules.iter().map(move |rule| {
                (word, rule.text().to_owned(), format!("{means}; {}", rule.author()))
            })
        });
        let [.., (word, means)] = MEANINGS;
        let directories = state.directories.iter();
        let directories =
            directories.map(|directory| (word, directory.display().to_string(), means.to_owned()));
        let all: Vec<_> = named.chain(directories).collect();
        for (at, (word, text, means)) in all.iter().enumerate() {
            lines.push(format!("{:>4}  {word:<5}  {text}", at + 1));
            lines.push(format!("{:13}{means}", ""));
        }
        lines.push(String::new());
        lines.push("`/permissions MODE` or Shift-Tab changes the mode.".to_owned());
        if !all.is_empty() {
            lines.push("`/permissions remove N` takes a rule away, for this session.".to_owned());
        }
        lines.join("\n")
    }

    /// Removes the rule with that number, and returns a description of it.
    pub(crate) fn remove_rule(&self, number: usize) -> Result<String, NoSuchRule> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = || NoSuchRule { number };
        let mut at = number.checked_sub(1).ok_or_else(missing)?;
        let state = &mut *state;
        let rules = [&mut state.rules.deny, &mut state.rules.ask, &mut state.rules.allow];
        for (rules, (word, _)) in rules.into_iter().zip(MEANINGS) {
            if at < rules.len() {
                return Ok(format!("{word} {}", rules.remove(at).text()));
            }
            at -= rules.len();
        }
        if at < state.directories.len() {
            return Ok(state.directories.remove(at).display().to_string());
        }
        Err(missing())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::PermissionRule;

    /// AG-46.
    #[test]
    fn each_rule_has_a_number_by_which_it_is_taken_away() {
        let all = Permissions::default();
        let rule = |text: &str| PermissionRule::parse(text).unwrap();
        all.read_or_change_rules(|rules| {
            rules.deny.push(rule("Bash(rm *)"));
            rules.allow.push(rule("Bash(git status)").mark_made_by_hook());
        });
        all.read_or_change_added_directories(|all| all.push("/elsewhere".into()));
        let page = all.rules_page();
        for line in [
            "   1  deny   Bash(rm *)\n             never runs; from the command line",
            "   2  allow  Bash(git status)\n             runs without a question; from a hook",
            "   3  also   /elsewhere",
        ] {
            assert!(page.contains(line), "{line}\n{page}");
        }
        assert_eq!(all.remove_rule(2).as_deref(), Ok("allow Bash(git status)"));
        assert_eq!(all.remove_rule(2).as_deref(), Ok("/elsewhere"));
        for number in [0, 2, 9] {
            assert!(all.remove_rule(number).is_err(), "{number}");
        }
    }
}
