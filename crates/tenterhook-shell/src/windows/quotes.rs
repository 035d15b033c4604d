//! Which text do the quotes, variables and parentheses of a word of PowerShell hold?

use super::super::word::quote;
use super::super::{Context, SimpleCommand};
use super::LONGEST_PRINTED;
use super::argument::{Argument, Piece};
use super::equivalent::is_equivalent;
use super::names::is_cmdlet;
use super::powershell::Walker;
use super::words::{DOUBLE, SINGLE, push};

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
    /// `$name`, `${name}`, `$env:name`, `$(...)`
    pub(super) fn variable(&mut self) -> Piece {
        self.cursor.take();
        if self.cursor.peek() == Some('(') {
            return self.in_parens();
        }
        if self.cursor.eat("{") {
            let Some(name) = self.cursor.take_through("}") else {
                self.fail();
                return Piece::Unknown;
            };
            return Piece::Variable(name.to_owned());
        }
        let name = self.cursor.take_while(|c| c.is_alphanumeric() || c == '_');
        if name.is_empty() {
            // `$_` is a name; `$$`, `$?` and `$^` are others.
            return match self.cursor.peek() {
                Some('$' | '?' | '^') => {
                    self.cursor.take();
                    Piece::Unknown
                }
                _ => Piece::Text("$".to_owned()),
            };
        }
        let mut ahead = self.cursor;
        if ahead.eat(":") && ahead.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
            let rest = ahead.take_while(|c| c.is_alphanumeric() || c == '_');
            self.cursor = ahead;
            return Piece::Variable(format!("{name}:{rest}"));
        }
        Piece::Variable(name.to_owned())
    }

    /// `( ... )` and `$( ... )`: what it prints, where that is plain.
    pub(super) fn in_parens(&mut self) -> Piece {
        let first = self.reader.commands.len();
        let value = self.paren(Context::CommandSubstitution);
        if let Some(text) = value.text() {
            return Piece::Text(text.to_owned());
        }
        self.printed(first)
    }

    /// The commands from `first` on as a line of Bash.
    pub(super) fn printed(&mut self, first: usize) -> Piece {
        let mut line = String::new();
        for command in self.reader.commands.iter().skip(first) {
            if !is_equivalent(command) && command.program().is_none_or(is_cmdlet) {
                continue;
            }
            if !line.is_empty() {
                line.push_str("; ");
            }
            line.push_str(&posix_line(command));
            if line.len() > LONGEST_PRINTED {
                return Piece::Unknown;
            }
        }
        if line.is_empty() || !self.pay(line.len() / 16) {
            return Piece::Unknown;
        }
        Piece::Printed(line)
    }

    /// A character behind a backtick.
    pub(super) fn escaped(&mut self, pieces: &mut Vec<Piece>) {
        match self.cursor.take() {
            Some('\n') | None => {}
            Some('\r') => drop(self.cursor.eat("\n")),
            Some('0') => push(pieces, ' '),
            Some(c) => {
                let value = ESCAPES.iter().find(|(letter, _)| *letter == c);
                push(pieces, value.map_or(c, |(_, value)| *value));
            }
        }
    }

    /// `'...'`, in which two quotes are one.
    pub(super) fn single(&mut self, pieces: &mut Vec<Piece>) {
        self.cursor.take();
        push_text(pieces, "");
        loop {
            match self.cursor.take() {
                None => return self.fail(),
                Some(c) if SINGLE.contains(&c) => {
                    if !self.cursor.peek().is_some_and(|c| SINGLE.contains(&c)) {
                        return;
                    }
                    self.cursor.take();
                    push(pieces, c);
                }
                Some(c) => push(pieces, c),
            }
        }
    }

    /// `"..."`, in which variables and commands stand.
    pub(super) fn double(&mut self, pieces: &mut Vec<Piece>) {
        self.cursor.take();
        push_text(pieces, "");
        while !self.is_stopped {
            match self.cursor.peek() {
                None => return self.fail(),
                Some('$') => {
                    let piece = self.variable();
                    pieces.push(piece);
                }
                Some('`') => {
                    self.cursor.take();
                    self.escaped(pieces);
                }
                Some(c) => {
                    self.cursor.take();
                    if DOUBLE.contains(&c) {
                        if !self.cursor.peek().is_some_and(|c| DOUBLE.contains(&c)) {
                            return;
                        }
                        self.cursor.take();
                    }
                    push(pieces, c);
                }
            }
        }
    }

    /// `@'...'@` and `@"..."@`, each quote on a separate line.
    pub(super) fn here_string(&mut self) -> Argument {
        let start = self.cursor.at();
        self.cursor.take();
        let quote = self.cursor.take().unwrap_or_default();
        let expands = DOUBLE.contains(&quote);
        self.cursor.skip_line();
        self.cursor.take();
        let mut pieces = vec![Piece::Text(String::new())];
        while !self.is_stopped {
            let ends = |c: char| if expands { DOUBLE.contains(&c) } else { SINGLE.contains(&c) };
            let is_line_start = self.cursor.before() == Some('\n');
            match self.cursor.peek() {
                None => self.fail(),
                Some(c) if is_line_start && ends(c) && self.cursor.second() == Some('@') => {
                    self.cursor.take();
                    self.cursor.take();
                    break;
                }
                Some('$') if expands => {
                    let piece = self.variable();
                    pieces.push(piece);
                }
                Some('`') if expands => {
                    self.cursor.take();
                    self.escaped(&mut pieces);
                }
                Some(c) => {
                    self.cursor.take();
                    push(&mut pieces, c);
                }
            }
        }
        // The last end of a line belongs to the quote.
        if let Some(Piece::Text(text)) = pieces.last_mut() {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        self.fill(&mut pieces);
        Argument::new(&pieces, self.cursor.since(start))
    }
}

/// A command as a line of Bash.
fn posix_line(command: &SimpleCommand) -> String {
    let words = command.words.iter().map(|word| match word.is_dynamic() {
        true => word.source.clone(),
        false => quote(&word.text),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn push_text(pieces: &mut Vec<Piece>, text: &str) {
    if pieces.is_empty() {
        pieces.push(Piece::Text(text.to_owned()));
    }
}
