//! What do a variable, a list and a table of PowerShell hold?

use super::super::Context;
use super::A_WORD;
use super::argument::{Argument, Piece};
use super::powershell::{Value, Walker};
use super::words::{DOUBLE, SINGLE, variable_key};

impl Walker<'_, '_, '_> {
    /// `$x`, `$(...)`, `@(...)`, `@{...}`, `@'...'@`
    pub(super) fn expression_operand(&mut self) -> Value {
        let start = self.cursor.at();
        if self.cursor.peek() == Some('@') {
            return match self.cursor.second() {
                Some('(') => {
                    self.cursor.take();
                    let value = self.paren(Context::CommandSubstitution);
                    let unknown = || vec![Argument::unknown(self.cursor.since(start))];
                    Value { words: Some(value.words.unwrap_or_else(unknown)), ..value }
                }
                Some('{') => self.deeper(Self::table),
                Some(c) if SINGLE.contains(&c) || DOUBLE.contains(&c) => {
                    Value { words: Some(vec![self.here_string()]), ..Value::default() }
                }
                _ => {
                    self.cursor.take();
                    self.cursor.take_while(|c| c.is_alphanumeric() || c == '_');
                    Value {
                        words: Some(vec![Argument::unknown(self.cursor.since(start))]),
                        ..Value::default()
                    }
                }
            };
        }
        let piece = self.variable();
        if let Piece::Variable(name) = &piece
            && let Some(value) = self.variables.get(&variable_key(name))
            && value.words.is_some()
        {
            return value.clone();
        }
        let source = self.cursor.since(start);
        Value { words: Some(vec![Argument::new(&[piece], source)]), ..Value::default() }
    }

    /// `@{ Name = value; ... }`: as the parameters that it stands for where it is splatted.
    fn table(&mut self) -> Value {
        self.cursor.take();
        self.cursor.take();
        let mut words = Vec::new();
        loop {
            self.lines();
            if self.is_stopped || !self.pay(A_WORD) {
                return Value::default();
            }
            match self.cursor.peek() {
                Some('}') => {
                    self.cursor.take();
                    break;
                }
                Some(';' | ',') => drop(self.cursor.take()),
                None => {
                    self.fail();
                    return Value::default();
                }
                Some(_) => self.pair(&mut words),
            }
        }
        Value { words: Some(words), is_named: true, ..Value::default() }
    }

    /// `Name = value`
    fn pair(&mut self, words: &mut Vec<Argument>) {
        let start = self.cursor.at();
        let key = match self.cursor.peek() {
            Some(c) if c.is_alphanumeric() || c == '_' => Argument::literal(
                self.cursor.take_while(|c| c.is_alphanumeric() || c == '_' || c == '-'),
            ),
            _ => {
                let key = self.word();
                key.into_iter().next().unwrap_or_else(|| Argument::unknown("$"))
            }
        };
        self.lines();
        if self.cursor.at() == start || !self.cursor.eat("=") {
            return self.fail();
        }
        self.lines();
        let start = self.cursor.at();
        let value = self.statement();
        let source = self.cursor.since(start).trim();
        if source.eq_ignore_ascii_case("$false") {
            return;
        }
        words.push(Argument::literal(format!("-{}", key.text())));
        if source.eq_ignore_ascii_case("$true") {
            return;
        }
        if key.text().eq_ignore_ascii_case("commandline")
            && let Some(line) = value.text()
        {
            self.run_line(line, "CommandLine");
        }
        words.extend(value.words.unwrap_or_else(|| vec![Argument::unknown(source)]));
    }
}
