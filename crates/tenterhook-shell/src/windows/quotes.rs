//! Which text do the quotes, variables and parentheses of a word of PowerShell hold?

use super::super::word::quote_word;
use super::super::{Context, SimpleCommand};
use super::LONGEST_PRINTED;
use super::argument::{Argument, Piece};
use super::equivalent::is_derived_equivalent;
use super::names::is_cmdlet_or_net_call;
use super::powershell::Walker;
use super::words::{DOUBLE, SINGLE, push_char};

/// What the letter behind a backtick stands for; every other one is itself.
const ESCAPES: &[(char, char)] = &[
    ('a', '\x07'),
    ('b', '\x08'),
    ('e', '\x1b'),
    ('f', '\x0c'),
    ('n', '\n'),
    ('r', '\r'),
    ('t', '\t'),
    ('v', '\x0b'),
];

impl Walker<'_, '_, '_> {
    /// Reads `$name`, `${name}`, `$env:name`, `$(...)`.
    pub(super) fn read_variable(&mut self) -> Piece {
        self.cursor.next_char();
        if self.cursor.peek() == Some('(') {
            return self.read_subexpression();
        }
        if self.cursor.eat_text("{") {
            let Some(name) = self.cursor.take_through_end("}") else {
                self.stop_with_syntax_doubt();
                return Piece::Unknown;
            };
            return Piece::Variable(name.to_owned());
        }
        let name = self.cursor.take_while(|c| c.is_alphanumeric() || c == '_');
        if name.is_empty() {
            // `$_` is a name; `$$`, `$?` and `$^` are others.
            return match self.cursor.peek() {
                Some('$' | '?' | '^') => {
                    self.cursor.next_char();
                    Piece::Unknown
                }
                _ => Piece::Text("$".to_owned()),
            };
        }
        let mut ahead = self.cursor;
        if ahead.eat_text(":") && ahead.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
            let rest = ahead.take_while(|c| c.is_alphanumeric() || c == '_');
            self.cursor = ahead;
            return Piece::Variable(format!("{name}:{rest}"));
        }
        Piece::Variable(name.to_owned())
    }

    /// Reads `( ... )` and `$( ... )`. Returns what it prints, if that is known.
    pub(super) fn read_subexpression(&mut self) -> Piece {
        let first = self.reader.commands.len();
        let value = self.read_parens(Context::CommandSubstitution);
        if let Some(text) = value.known_text() {
            return Piece::Text(text.to_owned());
        }
        self.commands_as_bash_line(first)
    }

    /// Returns the commands from `first` on as a line of Bash.
    pub(super) fn commands_as_bash_line(&mut self, first: usize) -> Piece {
        let mut line = String::new();
        for command in self.reader.commands.iter().skip(first) {
            if !is_derived_equivalent(command)
                && command.program_name().is_none_or(is_cmdlet_or_net_call)
            {
                continue;
            }
            if !line.is_empty() {
                line.push_str("; ");
            }
            line.push_str(&to_bash_line(command));
            if line.len() > LONGEST_PRINTED {
                return Piece::Unknown;
            }
        }
        if line.is_empty() || !self.spend_steps(line.len() / 16) {
            return Piece::Unknown;
        }
        Piece::Printed(line)
    }

    /// Reads a character after a backtick.
    pub(super) fn read_escape(&mut self, pieces: &mut Vec<Piece>) {
        match self.cursor.next_char() {
            Some('\n') | None => {}
            Some('\r') => drop(self.cursor.eat_text("\n")),
            Some('0') => push_char(pieces, ' '),
            Some(c) => {
                let value = ESCAPES.iter().find(|(letter, _)| *letter == c);
                push_char(pieces, value.map_or(c, |(_, value)| *value));
            }
        }
    }

    /// Reads `'...'`, in which two quotes are one.
    pub(super) fn read_single_quoted(&mut self, pieces: &mut Vec<Piece>) {
        self.cursor.next_char();
        push_text(pieces, "");
        loop {
            match self.cursor.next_char() {
                None => return self.stop_with_syntax_doubt(),
                Some(c) if SINGLE.contains(&c) => {
                    if !self.cursor.peek().is_some_and(|c| SINGLE.contains(&c)) {
                        return;
                    }
                    self.cursor.next_char();
                    push_char(pieces, c);
                }
                Some(c) => push_char(pieces, c),
            }
        }
    }

    /// Reads `"..."`, which may contain variables and commands.
    pub(super) fn read_double_quoted(&mut self, pieces: &mut Vec<Piece>) {
        self.cursor.next_char();
        push_text(pieces, "");
        while !self.is_stopped {
            match self.cursor.peek() {
                None => return self.stop_with_syntax_doubt(),
                Some('$') => {
                    let piece = self.read_variable();
                    pieces.push(piece);
                }
                Some('`') => {
                    self.cursor.next_char();
                    self.read_escape(pieces);
                }
                Some(c) => {
                    self.cursor.next_char();
                    if DOUBLE.contains(&c) {
                        if !self.cursor.peek().is_some_and(|c| DOUBLE.contains(&c)) {
                            return;
                        }
                        self.cursor.next_char();
                    }
                    push_char(pieces, c);
                }
            }
        }
    }

    /// Reads `@'...'@` and `@"..."@`, each quote on a separate line.
    pub(super) fn read_here_string(&mut self) -> Argument {
        let start = self.cursor.position();
        self.cursor.next_char();
        let quote = self.cursor.next_char().unwrap_or_default();
        let expands = DOUBLE.contains(&quote);
        self.cursor.skip_to_line_end();
        self.cursor.next_char();
        let mut pieces = vec![Piece::Text(String::new())];
        while !self.is_stopped {
            let ends = |c: char| if expands { DOUBLE.contains(&c) } else { SINGLE.contains(&c) };
            let is_line_start = self.cursor.previous_char() == Some('\n');
            match self.cursor.peek() {
                None => self.stop_with_syntax_doubt(),
                Some(c) if is_line_start && ends(c) && self.cursor.peek_second() == Some('@') => {
                    self.cursor.next_char();
                    self.cursor.next_char();
                    break;
                }
                Some('$') if expands => {
                    let piece = self.read_variable();
                    pieces.push(piece);
                }
                Some('`') if expands => {
                    self.cursor.next_char();
                    self.read_escape(&mut pieces);
                }
                Some(c) => {
                    self.cursor.next_char();
                    push_char(&mut pieces, c);
                }
            }
        }
        // The last end of a line belongs to the quote.
        if let Some(Piece::Text(text)) = pieces.last_mut() {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        self.substitute_variables(&mut pieces);
        Argument::new(&pieces, self.cursor.text_since(start))
    }
}

/// Returns a command as a line of Bash.
fn to_bash_line(command: &SimpleCommand) -> String {
    let words = command.words.iter().map(|word| match word.is_dynamic() {
        true => word.source.clone(),
        false => quote_word(&word.text),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn push_text(pieces: &mut Vec<Piece>, text: &str) {
    if pieces.is_empty() {
        pieces.push(Piece::Text(text.to_owned()));
    }
}
