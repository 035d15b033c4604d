//! What are the words of a command of PowerShell? Its quotes, variables, blocks and redirections; no values.

use super::super::{Context, Redirect, Target};
use super::A_WORD;
use super::argument::{Argument, Piece};
use super::powershell::Walker;

/// Characters that PowerShell takes for a quote.
pub(super) const SINGLE: &[char] = &['\'', '‘', '’', '‚', '‛'];
pub(super) const DOUBLE: &[char] = &['"', '“', '”', '„'];
/// Characters that it takes for a dash.
const DASHES: &[char] = &['–', '—', '―'];
/// The words of a command and where it reads and writes.
#[derive(Default)]
pub(super) struct CommandLine {
    pub(super) words: Vec<Argument>,
    pub(super) redirects: Vec<Redirect>,
}

impl Walker<'_, '_, '_> {
    /// Reads all words up to the end of the command.
    pub(super) fn read_command_words(&mut self) -> CommandLine {
        let mut found = CommandLine::default();
        let mut is_listed = false;
        while !self.is_stopped && self.spend_steps(A_WORD) {
            self.skip_blanks();
            match self.cursor.peek() {
                None | Some('\n' | '\r' | ';' | '|' | ')' | '}' | '&') => break,
                Some('#') => self.cursor.skip_to_line_end(),
                Some(',') => {
                    self.cursor.next_char();
                    self.skip_blanks_and_lines();
                    is_listed = true;
                }
                Some('<') => self.stop_with_syntax_doubt(),
                Some(_) => {
                    if let Some(redirect) = self.read_redirect() {
                        found.redirects.extend(redirect);
                        continue;
                    }
                    let start = self.cursor.position();
                    let mut words = self.read_word();
                    if let Some(first) =
                        words.first_mut().filter(|_| std::mem::take(&mut is_listed))
                    {
                        first.is_listed = true;
                    }
                    if words.iter().any(|word| word.word.source == "--%") {
                        self.read_verbatim_text(&mut found.words);
                        continue;
                    }
                    found.words.extend(words);
                    if self.cursor.position() == start {
                        self.stop_with_syntax_doubt();
                    }
                }
            }
        }
        found
    }

    /// Reads the text after `--%`, which is passed on unchanged.
    fn read_verbatim_text(&mut self, words: &mut Vec<Argument>) {
        let line = self.cursor.take_while(|c| !"\r\n|".contains(c));
        let mut rest = line.trim();
        while !rest.is_empty() && self.spend_steps(A_WORD) {
            let mut is_quoted = false;
            let ends = |c: char| {
                is_quoted ^= c == '"';
                !is_quoted && c.is_whitespace()
            };
            let end = rest.find(ends).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            words.push(Argument::literal(word.replace('"', "")));
            rest = behind.trim_start();
        }
    }

    /// Reads `> FILE`, `2>&1`. Returns `Some(None)` for a redirection whose target is no file.
    pub(super) fn read_redirect(&mut self) -> Option<Option<Redirect>> {
        let mut ahead = self.cursor;
        let stream = ahead.take_while(|c| c.is_ascii_digit() || c == '*');
        if stream.len() > 1 || !ahead.eat_text(">") {
            return None;
        }
        let operator = if ahead.eat_text(">") { ">>" } else { ">" };
        self.cursor = ahead;
        if self.cursor.eat_text("&") {
            self.cursor.take_while(|c| c.is_ascii_digit());
            return Some(None);
        }
        self.skip_blanks();
        let file = self.read_word().into_iter().next();
        let Some(file) = file else {
            self.stop_with_syntax_doubt();
            return Some(None);
        };
        let descriptor = Some(stream).filter(|stream| !stream.is_empty() && *stream != "*");
        let is_null = file.word.source.eq_ignore_ascii_case("$null");
        let target = if is_null { Argument::literal("/dev/null").posix } else { file.posix };
        Some(Some(Redirect {
            operator: operator.to_owned(),
            descriptor: descriptor.map(str::to_owned),
            target: Target::Word(target),
        }))
    }

    /// Reads a block, a list, a table, a here-string or a splatted variable.
    fn read_compound_word(&mut self) -> Option<Vec<Argument>> {
        let start = self.cursor.position();
        match (self.cursor.peek(), self.cursor.peek_second()) {
            (Some('{'), _) => {
                self.read_block(Context::Body);
                Some(vec![Argument::literal(self.cursor.text_since(start))])
            }
            (Some('@'), Some(c))
                if c == '(' || c == '{' || SINGLE.contains(&c) || DOUBLE.contains(&c) =>
            {
                Some(self.read_variable_or_literal().words.unwrap_or_default())
            }
            (Some('@'), Some(c)) if c.is_alphanumeric() || c == '_' => {
                Some(self.read_splatted_variable())
            }
            _ => None,
        }
    }

    /// Reads one word, or the several words of a list or a splatted variable.
    pub(super) fn read_word(&mut self) -> Vec<Argument> {
        let start = self.cursor.position();
        if let Some(words) = self.read_compound_word() {
            return words;
        }
        let mut pieces = Vec::new();
        let mut is_list = None;
        while let Some(c) = self.cursor.peek() {
            let is_value = matches!(
                pieces.as_slice(),
                [Piece::Variable(_) | Piece::Unknown | Piece::Printed(_), ..]
            );
            match c {
                _ if self.is_stopped => return Vec::new(),
                '(' if pieces.is_empty() || is_value => {
                    let piece = self.read_subexpression();
                    pieces.push(piece);
                }
                ' ' | '\t' | '\u{a0}' | '\n' | '\r' | ';' | '|' | '&' | '(' | ')' | '{' | '}'
                | ',' | '<' | '>' => break,
                '$' => {
                    let piece = self.read_variable();
                    is_list = Some(pieces.is_empty());
                    pieces.push(piece);
                    continue;
                }
                '`' => {
                    self.cursor.next_char();
                    self.read_escape(&mut pieces);
                }
                c if SINGLE.contains(&c) => self.read_single_quoted(&mut pieces),
                c if DOUBLE.contains(&c) => self.read_double_quoted(&mut pieces),
                c => {
                    self.cursor.next_char();
                    let dash = pieces.is_empty() && DASHES.contains(&c);
                    push_char(&mut pieces, if dash { '-' } else { c });
                }
            }
            is_list = is_list.map(|_| false);
        }
        let source = self.cursor.text_since(start);
        if !self.spend_steps(source.len() / 16) {
            return Vec::new();
        }
        if let [Piece::Variable(name)] = pieces.as_slice()
            && is_list == Some(true)
            && let Some(words) = self.variable_values(name)
        {
            return words;
        }
        self.build_words(pieces, source)
    }

    /// Builds a word from these pieces.
    fn build_words(&self, mut pieces: Vec<Piece>, source: &str) -> Vec<Argument> {
        // `$_.FullName` is the file that is handed on.
        if let [Piece::Variable(name), Piece::Text(member)] = pieces.as_slice()
            && name == "_"
            && member.starts_with('.')
            && let Some(file) =
                self.variable_values(name).and_then(|files| files.into_iter().next())
        {
            return vec![Argument { posix: file.posix, ..Argument::new(&pieces, source) }];
        }
        self.substitute_variables(&mut pieces);
        vec![Argument::new(&pieces, source)]
    }

    /// Returns the values of a variable that the line sets.
    pub(super) fn variable_values(&self, name: &str) -> Option<Vec<Argument>> {
        let value = self.variables.get(&variable_key(name))?;
        value.words.clone().filter(|_| !value.is_named)
    }

    /// Reads `@name`.
    fn read_splatted_variable(&mut self) -> Vec<Argument> {
        let start = self.cursor.position();
        self.cursor.next_char();
        let name = self.cursor.take_while(|c| c.is_alphanumeric() || c == '_' || c == ':');
        let value = self.variables.get(&variable_key(name));
        let words = value.and_then(|value| value.words.clone()).map(|mut words| {
            words.iter_mut().for_each(|word| word.is_listed = false);
            words
        });
        words.unwrap_or_else(|| vec![Argument::unknown(self.cursor.text_since(start))])
    }

    /// Replaces variables in a word by their values.
    pub(super) fn substitute_variables(&self, pieces: &mut [Piece]) {
        for piece in pieces {
            let Piece::Variable(name) = piece else { continue };
            let Some(words) = self.variable_values(name) else { continue };
            if words.iter().all(Argument::is_value_known) {
                let texts: Vec<&str> = words.iter().map(Argument::value_text).collect();
                *piece = Piece::Text(texts.join(" "));
            }
        }
    }
}

/// Returns the key of a variable: its name without the scope.
pub(super) fn variable_key(name: &str) -> String {
    let small = name.to_ascii_lowercase();
    let scopes = ["global:", "script:", "local:", "private:", "using:", "variable:"];
    let plain = scopes.iter().find_map(|scope| small.strip_prefix(scope));
    plain.unwrap_or(&small).to_owned()
}

pub(super) fn push_char(pieces: &mut Vec<Piece>, c: char) {
    match pieces.last_mut() {
        Some(Piece::Text(text)) => text.push(c),
        _ => pieces.push(Piece::Text(c.to_string())),
    }
}
