//! Which values do variables get: by an assignment, and by `shift`? Expands nothing but the assigned word.

use tenterhook_shell::Word;

use super::{MOST, Variables};
use crate::call::follow::elements_of_list;

/// Most values that a variable keeps from before an assignment that may not run.
const MOST_CHOICES: usize = 4;

impl Variables<'_> {
    /// `NAME=value`, also `NAME=(a b c)` and `NAME+=value`.
    ///
    /// One that `may_not_run` leaves the value that was there as another choice.
    pub(in crate::call) fn assign_value(&mut self, name: &str, value: &Word, may_not_run: bool) {
        let filled = self.expand_word(value).into_first_text();
        let filled = match value.source.starts_with('(') {
            true => elements_of_list(&filled),
            false => filled,
        };
        let is_own = !matches!(name, "HOME" | "PWD" | "CLAUDE_PROJECT_DIR");
        let before = self.values.get(name).filter(|_| may_not_run && is_own).cloned();
        let before = before.into_iter().flatten().filter(|value| *value != filled);
        let mut values = vec![filled.clone()];
        values.extend(before.take(MOST_CHOICES));
        self.set_values(name, values);
    }

    /// `shift`: each parameter takes the place of one before it.
    pub(in crate::call) fn shift_parameters(&mut self, count: usize) {
        let count = count.min(MOST);
        let value = |at: usize| self.values.get(&at.to_string())?.first().cloned();
        let rest: Vec<String> = (1 + count..).map_while(value).collect();
        let kept = rest.len();
        self.set_parameters(&rest);
        for at in kept + 1..=kept + count {
            if self.values.remove(&at.to_string()).is_none() {
                break;
            }
        }
    }
}
