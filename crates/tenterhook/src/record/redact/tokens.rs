//! Splits a text into commands and tokens as a shell would, with their places in the text. A text that
//! is no command line gives tokens, too: nothing is an error.

use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

/// The tokens up to a separator such as `;` or `|`.
#[derive(Debug, Default)]
pub(super) struct Command {
    pub(super) tokens: Vec<Token>,
    /// Whether its standard input is the output of the command before.
    pub(super) is_piped: bool,
}

/// One token.
#[derive(Debug, Default)]
pub(super) struct Token {
    /// Its place in the text, with its quotes.
    pub(super) range: Range<usize>,
    /// Its text without quotes.
    pub(super) text: String,
    /// Whether a part of it is in single quotes, in which variables are not replaced.
    pub(super) is_literal: bool,
    /// The place of the text in its last quotes.
    pub(super) quoted: Option<Range<usize>>,
    pub(super) input: Input,
}

/// What a token says about the standard input of its command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Input {
    /// Nothing.
    #[default]
    No,
    /// It is the input: `<<< text`.
    Text,
    /// It ends the input, which begins on the next line: `<< end`.
    End,
}

/// Splits a text into commands.
pub(super) fn split_commands(text: &str) -> Vec<Command> {
    let chars = text.char_indices().peekable();
    let splitter =
        Splitter { text, chars, commands: vec![Command::default()], token: None, input: Input::No };
    splitter.split()
}

struct Splitter<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
    /// The commands so far; the last one is not complete.
    commands: Vec<Command>,
    token: Option<Token>,
    /// What the next token says about the input.
    input: Input,
}

impl Splitter<'_> {
    fn split(mut self) -> Vec<Command> {
        while let Some((at, char)) = self.chars.next() {
            match char {
                '\'' | '"' => self.take_quoted(at, char),
                '\\' => self.take_escaped(at),
                '|' => {
                    let is_or = self.skip_if(|char| char == '|');
                    self.skip_if(|char| char == '&');
                    self.end_command(!is_or);
                }
                ';' | '\n' | '(' | ')' | '`' => self.end_command(false),
                '&' if !self.is_redirection(at) => self.end_command(false),
                '<' | '>' => {
                    self.end_token();
                    let before = self.text.get(..=at).unwrap_or_default();
                    self.input = match before.ends_with("<<<") {
                        true => Input::Text,
                        false if before.ends_with("<<") => Input::End,
                        false => Input::No,
                    };
                }
                char if char.is_whitespace() => self.end_token(),
                char => self.push_char_to_token(at, at + char.len_utf8(), char),
            }
        }
        self.end_token();
        self.commands
    }

    fn skip_if(&mut self, wanted: impl Fn(char) -> bool) -> bool {
        self.chars.next_if(|(_, char)| wanted(*char)).is_some()
    }

    /// Returns whether the `&` at this place is a part of a redirection, as in `2>&1` or `&>`.
    fn is_redirection(&self, at: usize) -> bool {
        let before = self.text.get(..at).is_some_and(|text| text.ends_with('>'));
        before || self.text.get(at..).is_some_and(|text| text.starts_with("&>"))
    }

    /// Adds a quoted part to the token. A quote without an end is an ordinary character.
    fn take_quoted(&mut self, at: usize, quote: char) {
        let Some(length) = self.quoted_length(at + 1, quote) else {
            return self.push_char_to_token(at, at + 1, quote);
        };
        let inner = at + 1..at + 1 + length;
        let quoted = self.text.get(inner.clone()).unwrap_or_default();
        let token = self.token_at(at);
        token.text.push_str(quoted);
        token.is_literal |= quote == '\'';
        token.range.end = inner.end + 1;
        let end = inner.end;
        token.quoted = Some(inner);
        while self.chars.next_if(|(at, _)| *at <= end).is_some() {}
    }

    /// Returns the length of the text up to the closing quote.
    fn quoted_length(&self, start: usize, quote: char) -> Option<usize> {
        let rest = self.text.get(start..)?;
        let mut is_escaped = false;
        rest.find(|char| {
            let is_end = char == quote && !is_escaped;
            is_escaped = char == '\\' && quote == '"' && !is_escaped;
            is_end
        })
    }

    fn take_escaped(&mut self, at: usize) {
        match self.chars.next() {
            Some((_, '\n')) => {}
            Some((next, char)) => self.push_char_to_token(at, next + char.len_utf8(), char),
            None => self.push_char_to_token(at, at + 1, '\\'),
        }
    }

    fn push_char_to_token(&mut self, at: usize, end: usize, char: char) {
        let token = self.token_at(at);
        token.text.push(char);
        token.range.end = end;
    }

    fn token_at(&mut self, at: usize) -> &mut Token {
        let input = std::mem::take(&mut self.input);
        self.token.get_or_insert_with(|| Token { range: at..at, input, ..Token::default() })
    }

    fn end_token(&mut self) {
        if let (Some(token), Some(command)) = (self.token.take(), self.commands.last_mut()) {
            command.tokens.push(token);
        }
    }

    fn end_command(&mut self, is_piped: bool) {
        self.end_token();
        self.input = Input::No;
        self.commands.push(Command { is_piped, ..Command::default() });
    }
}
