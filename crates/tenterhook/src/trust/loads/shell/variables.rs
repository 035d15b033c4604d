//! What do the variables of a shell script hold? Every value that it assigns to them, and the words of arrays.

use std::path::PathBuf;

use tenterhook_shell::Word;

use super::{DEEPEST, MOST_VALUES, Shell};
use crate::trust::loads::value::Value;
use crate::trust::loads::{Loads, split};

/// Longest text of an array.
const LONGEST_ARRAY: usize = 4096;

impl Shell<'_> {
    /// Reads the assignment of a variable; of an array, its words.
    pub(super) fn read_assignment(
        &mut self,
        name: &str,
        source: &str,
        text: &str,
        loads: &mut Loads,
    ) {
        let name = name.trim_end_matches('+');
        if let Some(words) = source.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            let each = split::split_commands(words).concat();
            let values = each.iter().flat_map(|word| self.expand_word(word, 0)).collect();
            self.add_variable_values(name, values);
            let array = self.arrays.entry(name.to_owned()).or_default();
            if array.len() + words.len() < LONGEST_ARRAY {
                array.push(' ');
                array.push_str(&words.replace('\n', " "));
            }
            return;
        }
        let values = self.expand_word(source, 0);
        self.add_paths_of_variable(name, &values, text, loads);
        // An alias of git that is a line of a shell.
        for line in values.iter().filter_map(|value| value.text.strip_prefix('!')) {
            self.read_nested_line(line, loads);
        }
        self.add_variable_values(name, values);
    }

    /// Reads a line that is nested in the script.
    pub(super) fn read_nested_line(&mut self, line: &str, loads: &mut Loads) {
        if self.sourced.len() < DEEPEST {
            self.sourced.push(PathBuf::new());
            self.read_script(line, loads);
            self.sourced.pop();
        }
    }

    /// Returns the words of an array if a word is just this array: `"${NAME[@]}"`.
    pub(super) fn array_words(&self, word: &Word) -> Option<&String> {
        let name = word.source.trim_matches('"').strip_prefix("${")?;
        self.arrays.get(name.strip_suffix("[@]}").or_else(|| name.strip_suffix("[*]}"))?)
    }

    pub(super) fn add_variable_values(&mut self, name: &str, values: Vec<Value>) {
        let known = self.variables.entry(name.to_owned()).or_default();
        for value in values {
            if !known.contains(&value) && known.len() < MOST_VALUES {
                known.push(value);
            }
        }
    }
}
