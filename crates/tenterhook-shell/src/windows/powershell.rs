//! Which statements does a text of PowerShell hold?
//!
//! Walks statements, pipelines and blocks; words are read in `words`, values in `expression`, and a command is finished in
//! `command`. Every block is read: the command that takes it may run it.

use std::collections::{HashMap, HashSet};

use super::super::read::{Code, Reader};
use super::super::word::Word;
use super::super::{Context, Doubt};
use super::argument::Argument;
use super::cursor::Cursor;
use super::equivalent::is_derived_equivalent;
use super::{A_WORD, DEEPEST};

/// Commands that hand the files on that they list.
const LISTING: &[&str] = &["ls", "realpath", "find", "test"];
/// Most files that are handed on.
const MOST_PIPED: usize = 64;

/// Reads a text as PowerShell.
pub(in super::super) fn read_powershell(reader: &mut Reader<'_>, code: &Code<'_>) {
    let mut walker = Walker {
        cursor: Cursor::new(code.text),
        context: code.context,
        reader,
        code,
        variables: HashMap::new(),
        functions: HashSet::new(),
        aliases: HashMap::new(),
        input: None,
        is_piped: false,
        piped: Vec::new(),
        ran_code: false,
        is_stopped: false,
    };
    walker.read_statements(End::Text);
}

/// What a text, a block or a group ends with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Text,
    Brace,
    Paren,
}

impl End {
    const fn closing_char(self) -> Option<char> {
        match self {
            Self::Text => None,
            Self::Brace => Some('}'),
            Self::Paren => Some(')'),
        }
    }
}

/// What a statement gives.
#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    /// The values, where the line says how many there are.
    pub(super) words: Option<Vec<Argument>>,
    /// Whether it is a table of names and values.
    pub(super) is_named: bool,
    /// Whether an operator made it.
    pub(super) is_computed: bool,
    /// Whether it is a block, which has been read.
    pub(super) is_block: bool,
}

impl Value {
    /// Returns the text, if it is known.
    pub(super) fn known_text(&self) -> Option<&str> {
        match self.words.as_deref()? {
            [word] if word.is_value_known() && !self.is_named => Some(word.value_text()),
            _ => None,
        }
    }
}

/// What has been read of one text.
pub(super) struct Walker<'r, 's, 'c> {
    pub(super) reader: &'r mut Reader<'s>,
    pub(super) code: &'c Code<'c>,
    pub(super) cursor: Cursor<'c>,
    pub(super) context: Context,
    /// What the line sets; `None` where it may be several things.
    pub(super) variables: HashMap<String, Value>,
    pub(super) functions: HashSet<String>,
    pub(super) aliases: HashMap<String, String>,
    /// The text that the next command of a pipeline reads, and whether it reads something.
    pub(super) input: Option<String>,
    pub(super) is_piped: bool,
    /// The files that it is handed, as words of Bash.
    pub(super) piped: Vec<Word>,
    /// Whether a call ran code that stands in the line.
    pub(super) ran_code: bool,
    /// Whether nothing more is read.
    pub(super) is_stopped: bool,
}

impl<'c> Walker<'_, '_, 'c> {
    /// Stops reading and records a syntax doubt.
    pub(super) fn stop_with_syntax_doubt(&mut self) {
        if !self.is_stopped {
            self.reader.record_syntax_doubt(self.code, self.cursor.position());
            self.is_stopped = true;
        }
    }

    /// Counts steps, and stops reading if they must not be taken.
    pub(super) fn spend_steps(&mut self, steps: usize) -> bool {
        self.is_stopped = self.is_stopped || !self.reader.spend_steps(self.code, steps);
        !self.is_stopped
    }

    /// Reads one nesting level deeper, up to the bound.
    pub(super) fn read_at_deeper_nesting_level<T: Default>(
        &mut self,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if self.reader.nest >= DEEPEST {
            self.reader.record_doubt(self.code, Doubt::TooDeep);
            self.is_stopped = true;
            return T::default();
        }
        self.reader.nest += 1;
        let found = read(self);
        self.reader.nest -= 1;
        found
    }

    /// Skips blanks within a line, also a backtick at its end, and `<# #>`.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            self.cursor.take_while(|c| matches!(c, ' ' | '\t' | '\u{a0}'));
            if self.cursor.eat_text("`\n") || self.cursor.eat_text("`\r\n") {
                continue;
            }
            if !self.cursor.starts_with("<#") {
                return;
            }
            if self.cursor.take_through_end("#>").is_none() {
                return self.stop_with_syntax_doubt();
            }
        }
    }

    /// Skips blanks, ends of lines and comments.
    pub(super) fn skip_blanks_and_lines(&mut self) {
        loop {
            self.skip_blanks();
            match self.cursor.peek() {
                Some('\n' | '\r') => drop(self.cursor.next_char()),
                Some('#') => self.cursor.skip_to_line_end(),
                _ => return,
            }
        }
    }

    /// Reads statements up to and including an end. Returns the value of the last one.
    pub(super) fn read_statements(&mut self, end: End) -> Value {
        let mut count = 0;
        let mut value = Value::default();
        loop {
            self.skip_blanks_and_lines();
            if self.is_stopped || !self.spend_steps(A_WORD) {
                return Value::default();
            }
            match self.cursor.peek() {
                Some(';') => drop(self.cursor.next_char()),
                found if found == end.closing_char() => {
                    self.cursor.next_char();
                    return if count == 1 { value } else { Value::default() };
                }
                None | Some('}' | ')') => {
                    self.stop_with_syntax_doubt();
                    return Value::default();
                }
                Some(_) => {
                    let start = self.cursor.position();
                    value = self.read_statement();
                    count += 1;
                    if self.cursor.position() == start {
                        self.stop_with_syntax_doubt();
                    }
                }
            }
        }
    }

    /// Reads `{ ... }` in this context.
    pub(super) fn read_block(&mut self, context: Context) {
        self.read_group('{', End::Brace, context);
    }

    /// Reads `( ... )`.
    pub(super) fn read_parens(&mut self, context: Context) -> Value {
        self.read_group('(', End::Paren, context)
    }

    fn read_group(&mut self, open: char, end: End, context: Context) -> Value {
        if self.cursor.peek() != Some(open) {
            self.stop_with_syntax_doubt();
            return Value::default();
        }
        self.cursor.next_char();
        let outer = std::mem::replace(&mut self.context, context);
        let input = self.input.take();
        let is_piped = std::mem::take(&mut self.is_piped);
        let value = self.read_at_deeper_nesting_level(|walker| walker.read_statements(end));
        self.context = outer;
        self.input = input;
        self.is_piped = is_piped;
        value
    }

    /// Returns whether nothing more of the statement follows.
    pub(super) fn is_at_statement_end(&self) -> bool {
        matches!(self.cursor.peek(), None | Some('\n' | '\r' | ';' | '}' | ')' | '#'))
    }

    /// Reads pipelines between `&&` and `||`. Returns the value if it is one expression.
    pub(super) fn read_chain(&mut self) -> Value {
        let mut value = self.read_pipeline();
        loop {
            self.skip_blanks();
            if self.is_stopped || !(self.cursor.eat_text("&&") || self.cursor.eat_text("||")) {
                break;
            }
            self.skip_blanks_and_lines();
            value = Value::default();
            // `a || exit 1`
            self.skip_exit_keyword();
            if !self.is_at_statement_end() {
                self.read_pipeline();
            }
        }
        // In the background.
        if self.cursor.peek() == Some('&') {
            self.cursor.next_char();
        }
        value
    }

    fn read_pipeline(&mut self) -> Value {
        let start = self.reader.commands.len();
        let mut elements = 0_usize;
        loop {
            let element = self.reader.commands.len();
            let value = self.read_pipeline_element();
            elements += 1;
            self.skip_blanks();
            let goes_on = self.cursor.peek() == Some('|') && self.cursor.peek_second() != Some('|');
            if self.is_stopped || !goes_on {
                self.input = None;
                self.is_piped = false;
                self.piped.clear();
                self.mark_pipeline_commands(start, elements);
                return if elements == 1 { value } else { Value::default() };
            }
            self.cursor.next_char();
            self.input = value.known_text().map(str::to_owned);
            self.is_piped = true;
            self.record_piped_files(element);
            self.skip_blanks_and_lines();
        }
    }

    /// Records which files a part of a pipeline passes on, for cmdlets and as `$_`. Its commands
    /// begin at `first`.
    fn record_piped_files(&mut self, first: usize) {
        let text = self.input.iter().map(|text| Argument::literal(text.as_str()).posix);
        let commands = self.reader.commands.get(first..).unwrap_or_default();
        let listing = commands.iter().rev().find(|command| {
            is_derived_equivalent(command)
                && command.program_name().is_some_and(|name| LISTING.contains(&name))
        });
        let listed = listing.into_iter().flat_map(|command| command.words.iter().skip(1));
        let listed = listed.filter(|word| !word.text.starts_with('-')).cloned();
        self.piped = text.chain(listed).take(MOST_PIPED).collect();
        let words = self
            .piped
            .iter()
            .map(|posix| Argument { posix: posix.clone(), ..Argument::unknown("$_") });
        let words = Some(words.collect::<Vec<_>>()).filter(|words| !words.is_empty());
        self.variables.insert("_".to_owned(), Value { words, ..Value::default() });
    }

    /// Marks the commands of a pipeline as part of one.
    fn mark_pipeline_commands(&mut self, start: usize, elements: usize) {
        if elements < 2 {
            return;
        }
        let context = self.context;
        let commands = self.reader.commands.iter_mut().skip(start);
        for command in commands.filter(|command| command.context == context) {
            command.context = Context::Pipeline;
        }
    }

    /// Reads a command or a value.
    fn read_pipeline_element(&mut self) -> Value {
        self.skip_blanks();
        if self.is_stopped || !self.spend_steps(A_WORD) {
            return Value::default();
        }
        let second = self.cursor.peek_second();
        match self.cursor.peek() {
            Some('&') => {
                self.cursor.next_char();
                self.skip_blanks();
                self.read_invocation();
            }
            Some('.') if second.is_some_and(|c| c.is_whitespace() || "'\"${(".contains(c)) => {
                self.cursor.next_char();
                self.skip_blanks();
                self.read_dot_sourcing();
            }
            Some(c) if self.starts_value(c) => return self.read_expression(),
            Some(_) => self.read_named_command(),
            None => self.stop_with_syntax_doubt(),
        }
        Value::default()
    }

    /// Returns whether an element that begins with this character is a value.
    fn starts_value(&self, first: char) -> bool {
        if "$@([{\"'+!,‘’‚‛“”„".contains(first) {
            return true;
        }
        let mut ahead = self.cursor;
        let word = ahead.take_while(|c| !c.is_whitespace() && !";|&(){},".contains(c));
        if first == '-' {
            return !word.starts_with("--") || word == "--";
        }
        // `7z x` is a command; `1..3` and `1kb` are values.
        let is_number = |c: char| c.is_ascii_digit() || "._+-*/%".contains(c);
        let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = word.get(number.len()..).unwrap_or_default().to_ascii_lowercase();
        first.is_ascii_digit()
            && number.chars().all(is_number)
            && ["", "kb", "mb", "gb", "tb", "l", "d"].contains(&unit.as_str())
            || first.is_ascii_digit() && word.contains("..")
    }
}
