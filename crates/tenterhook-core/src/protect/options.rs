//! Which variables and options take an agent's guard away, by its row of the table? Reads arguments; runs nothing.

use super::own::HOMES;
use crate::agents::Agent;

impl Agent {
    /// Returns true if a variable makes the agent read other files.
    #[must_use]
    pub fn is_redirected_by_variable(&self, variable: &str) -> bool {
        let own = |name: &&str| match name.strip_suffix('*') {
            Some(start) => variable.starts_with(start),
            None => *name == variable,
        };
        self.guarded.variables.iter().any(own) || HOMES.contains(&variable)
    }

    /// Returns the option in these arguments that disables the guard. Its value may follow `=` or
    /// be the next argument.
    #[must_use]
    pub fn find_unguarding_option<'a>(&self, args: &'a [String]) -> Option<&'a str> {
        // An agent that has `-ne` reads it as one option, not as `-n -e`.
        let is_one_letter = |option: &&str| {
            let name = option.split('=').next().unwrap_or(option);
            name.starts_with("--") || name.len() <= 2
        };
        let clusters = self.guarded.options.iter().all(is_one_letter);
        let at = |(at, arg): (usize, &'a String)| {
            let (name, value) = arg.split_once('=').unwrap_or((arg, ""));
            let next = args.get(at + 1).map_or("", String::as_str);
            let value = if arg.contains('=') { value } else { next };
            let is = |option: &&str| match option.split_once('=') {
                Some((wanted, only)) => {
                    wanted == name && only == value
                        || is_option_with_attached_value(arg, wanted, only)
                }
                None => *option == name || (clusters && is_in_short_option_cluster(arg, option)),
            };
            self.guarded.options.iter().any(is).then_some(arg.as_str())
        };
        let before_text = args.iter().take_while(|arg| *arg != "--").enumerate();
        let mut before_text = before_text;
        before_text.find_map(at)
    }
}

/// Returns true if an argument is a short option with its value: `-snone`.
fn is_option_with_attached_value(arg: &str, option: &str, value: &str) -> bool {
    option.len() == 2 && arg.strip_prefix(option) == Some(value)
}

/// Most letters of options that stand together.
const LONGEST_CLUSTER: usize = 4;

/// Returns true if an argument is a cluster of short options that includes this option: `-qy`.
fn is_in_short_option_cluster(arg: &str, option: &str) -> bool {
    let Some(letters) = arg.strip_prefix('-') else { return false };
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
    letters.len() <= LONGEST_CLUSTER
        && letters.chars().all(|c| c.is_ascii_alphabetic())
        && letter.is_some_and(|letter| letters.contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::agent_by_program;

    #[test]
    fn an_option_is_found_with_its_value() {
        let claude = agent_by_program("claude");
        let said = |line: &str| {
            let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
            claude.and_then(|agent| agent.find_unguarding_option(&args).map(str::to_owned))
        };
        assert!(said("-p hi --bare").is_some());
        assert!(said("--permission-mode bypassPermissions").is_some());
        assert!(said("--permission-mode=bypassPermissions").is_some());
        assert!(
            is_in_short_option_cluster("-qy", "-y")
                && is_option_with_attached_value("-snone", "-s", "none")
        );
        assert!(
            !is_in_short_option_cluster("-quietly", "-y")
                && !is_in_short_option_cluster("--y", "-y")
        );
        assert_eq!(said("--permission-mode plan"), None);
        assert_eq!(said("-p -- --bare"), None);
    }
}
