//! What do a variable, a list and a table of PowerShell hold?

use super::super::Context;
use super::A_WORD;
use super::argument::{Argument, Piece};
use super::powershell::{Value, Walker};
use super::words::{DOUBLE, SINGLE, variable_key};

impl Walker<'_, '_, '_> {
    /// Reads `$x`, `$(...)`, `@(...)`, `@{...}`, `@'...'@`.
    pub(super) fn read_variable_or_literal(&mut self) -> Value {
        let start = self.cursor.position();
        if self.cursor.peek() == Some('@') {
            return match self.cursor.peek_second() {
                Some('(') => {
                    self.cursor.next_char();
                    let value = self.read_parens(Context::CommandSubstitution);
                    let unknown = || vec![Argument::unknown(self.cursor.text_since(start))];
                    Value { words: Some(value.words.unwrap_or_else(unknown)), ..value }
                }
                Some('{') => self.read_at_deeper_nesting_level(Self::read_hash_table),
                Some(c) if SINGLE.contains(&c) || DOUBLE.contains(&c) => {
                    Value { words: Some(vec![self.read_here_string()]), ..Value::default() }
                }
                _ => {
                    self.cursor.next_char();
                    self.cursor.take_while(|c| c.is_alphanumeric() || c == '_');
                    Value {
                        words: Some(vec![Argument::unknown(self.cursor.text_since(start))]),
                        ..Value::default()
                    }
                }
            };
        }
        let piece = self.read_variable();
        if let Piece::Variable(name) = &piece
            && let Some(value) = self.variables.get(&variable_key(name))
            && value.words.is_some()
        {
            return value.clone();
        }
        let source = self.cursor.text_since(start);
        Value { words: Some(vec![Argument::new(&[piece], source)]), ..Value::default() }
    }

    /// Reads `@{ Name = value; ... }` as the parameters that it represents where it is splatted.
    fn read_hash_table(&mut self) -> Value {
        self.cursor.next_char();
        self.cursor.next_char();
        let mut words = Vec::new();
        loop {
            self.skip_blanks_and_lines();
            if self.is_stopped || !self.spend_steps(A_WORD) {
                return Value::default();
            }
            match self.cursor.peek() {
                Some('}') => {
                    self.cursor.next_char();
                    break;
                }
                Some(';' | ',') => drop(self.cursor.next_char()),
                None => {
                    self.stop_with_syntax_doubt();
                    return Value::default();
                }
                Some(_) => self.read_hash_table_entry(&mut words),
            }
        }
        Value { words: Some(words), is_named: true, ..Value::default() }
    }

    /// Reads `Name = value`.
    fn read_hash_table_entry(&mut self, words: &mut Vec<Argument>) {
        let start = self.cursor.position();
        let key = match self.cursor.peek() {
            Some(c) if c.is_alphanumeric() || c == '_' => Argument::literal(
                self.cursor.take_while(|c| c.is_alphanumeric() || c == '_' || c == '-'),
            ),
            _ => {
                let key = self.read_word();
                key.into_iter().next().unwrap_or_else(|| Argument::unknown("$"))
            }
        };
        self.skip_blanks_and_lines();
        if self.cursor.position() == start || !self.cursor.eat_text("=") {
            return self.stop_with_syntax_doubt();
        }
        self.skip_blanks_and_lines();
        let start = self.cursor.position();
        let value = self.read_statement();
        let source = self.cursor.text_since(start).trim();
        if source.eq_ignore_ascii_case("$false") {
            return;
        }
        words.push(Argument::literal(format!("-{}", key.value_text())));
        if source.eq_ignore_ascii_case("$true") {
            return;
        }
        if key.value_text().eq_ignore_ascii_case("commandline")
            && let Some(line) = value.known_text()
        {
            self.read_windows_command_line(line, "CommandLine");
        }
        words.extend(value.words.unwrap_or_else(|| vec![Argument::unknown(source)]));
    }
}
