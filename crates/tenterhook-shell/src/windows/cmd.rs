//! Which commands does a line of cmd hold? Operators, groups, `if` and `for`; words are read in `cmd_words`.

use super::super::read::{Code, Reader};
use super::super::{Context, Doubt};
use super::Language;
use super::argument::Argument;
use super::cursor::Cursor;
use super::{A_WORD, DEEPEST};

/// Reads a text as a line of cmd.
pub(in super::super) fn read_cmd_line(reader: &mut Reader<'_>, code: &Code<'_>) {
    let mut walker = CmdWalker {
        cursor: Cursor::new(code.text),
        context: code.context,
        reader,
        code,
        input: None,
        is_piped: false,
        is_stopped: false,
    };
    walker.read_commands(false);
}

/// What has been read of one text.
pub(super) struct CmdWalker<'r, 's, 'c> {
    pub(super) reader: &'r mut Reader<'s>,
    pub(super) code: &'c Code<'c>,
    pub(super) cursor: Cursor<'c>,
    pub(super) context: Context,
    /// The text that the next command of a pipeline reads, and whether it reads something.
    pub(super) input: Option<String>,
    pub(super) is_piped: bool,
    pub(super) is_stopped: bool,
}

/// Conditions with one word.
const ONE_WORD: &[&str] = &["exist", "defined", "errorlevel", "cmdextversion"];

impl<'c> CmdWalker<'_, '_, 'c> {
    pub(super) fn stop_with_syntax_doubt(&mut self) {
        if !self.is_stopped {
            self.reader.record_syntax_doubt(self.code, self.cursor.position());
            self.is_stopped = true;
        }
    }

    pub(super) fn spend_steps(&mut self, steps: usize) -> bool {
        self.is_stopped = self.is_stopped || !self.reader.spend_steps(self.code, steps);
        !self.is_stopped
    }

    pub(super) fn skip_blanks(&mut self) {
        loop {
            self.cursor.take_while(|c| matches!(c, ' ' | '\t'));
            if !(self.cursor.eat_text("^\n") || self.cursor.eat_text("^\r\n")) {
                return;
            }
        }
    }

    /// Reads commands up to the end of the text, or of a group.
    fn read_commands(&mut self, is_group: bool) {
        let mut first = self.reader.commands.len();
        let mut is_pipeline = false;
        loop {
            self.cursor.take_while(|c| " \t\r\n,;=@".contains(c));
            if !self.spend_steps(A_WORD) {
                return;
            }
            match self.cursor.peek() {
                None if is_group => return self.stop_with_syntax_doubt(),
                None => return self.mark_pipeline_commands(first, is_pipeline),
                Some(')') if is_group => {
                    self.cursor.next_char();
                    return self.mark_pipeline_commands(first, is_pipeline);
                }
                Some(_) => {}
            }
            let start = self.cursor.position();
            self.read_command();
            self.skip_blanks();
            if self.cursor.eat_text("&&")
                || self.cursor.eat_text("||")
                || self.cursor.eat_text("&")
                || self.cursor.eat_text("\n")
            {
                self.mark_pipeline_commands(first, is_pipeline);
                (first, is_pipeline) = (self.reader.commands.len(), false);
                (self.input, self.is_piped) = (None, false);
            } else if self.cursor.eat_text("|") {
                is_pipeline = true;
                self.is_piped = true;
            }
            if self.cursor.position() == start {
                return self.stop_with_syntax_doubt();
            }
        }
    }

    fn mark_pipeline_commands(&mut self, first: usize, is_pipeline: bool) {
        let context = self.context;
        let commands = self.reader.commands.iter_mut().skip(first).filter(|_| is_pipeline);
        for command in commands.filter(|command| command.context == context) {
            command.context = Context::Pipeline;
        }
    }

    /// Returns whether this word is next, in any case.
    fn is_at_word(&self, word: &str) -> bool {
        let rest = self.cursor.rest();
        let found = rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        let behind = rest.get(word.len()..).and_then(|rest| rest.chars().next());
        found && behind.is_none_or(|c| " \t\r\n(/,;=&|".contains(c))
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_at_word(word);
        if found {
            self.cursor.eat_text(self.cursor.rest().get(..word.len()).unwrap_or_default());
        }
        found
    }

    /// Reads one command, group, `if` or `for`.
    fn read_command(&mut self) {
        if self.reader.nest >= DEEPEST {
            self.reader.record_doubt(self.code, Doubt::TooDeep);
            self.is_stopped = true;
            return;
        }
        self.reader.nest += 1;
        self.cursor.take_while(|c| " \t@,;=".contains(c));
        if self.cursor.peek() == Some('(') {
            self.read_group();
        } else if self.cursor.peek() == Some(':') || self.is_at_word("rem") {
            self.cursor.skip_to_line_end();
        } else if self.eat_word("if") {
            self.read_if();
        } else if self.eat_word("for") {
            self.read_for();
        } else {
            self.read_simple_command();
        }
        self.reader.nest -= 1;
    }

    /// Reads `( ... )` and its redirections.
    fn read_group(&mut self) {
        self.cursor.next_char();
        let outer = std::mem::replace(&mut self.context, Context::Subshell);
        self.read_commands(true);
        self.context = outer;
        self.skip_blanks();
        while let Some(redirect) = self.read_redirect() {
            self.reader.redirects.extend(redirect);
            self.skip_blanks();
        }
    }

    /// Reads `if [/i] [not] CONDITION command [else command]`.
    fn read_if(&mut self) {
        let outer = std::mem::replace(&mut self.context, Context::Body);
        self.skip_blanks();
        while self.eat_word("/i") || self.eat_word("not") {
            self.skip_blanks();
        }
        let first = self.read_word_source();
        if first.is_empty() {
            self.stop_with_syntax_doubt();
        }
        let takes_one = ONE_WORD.contains(&first.to_ascii_lowercase().as_str());
        if takes_one || first.ends_with("==") {
            self.read_word_source();
        } else if !first.contains("==") {
            let operator = self.read_word_source();
            if operator == "==" || !operator.starts_with("==") {
                self.read_word_source();
            }
        }
        self.read_command();
        self.cursor.take_while(char::is_whitespace);
        if self.eat_word("else") {
            self.skip_blanks();
            self.read_command();
        }
        self.context = outer;
    }

    /// Reads `for [/f "options"] %x in (set) do command`.
    fn read_for(&mut self) {
        let outer = std::mem::replace(&mut self.context, Context::Body);
        let mut reads = false;
        self.skip_blanks();
        while !self.is_stopped && !self.eat_word("in") {
            reads |= self.is_at_word("/f");
            if self.read_word_source().is_empty() {
                self.stop_with_syntax_doubt();
            }
            self.skip_blanks();
        }
        self.skip_blanks();
        if !self.cursor.eat_text("(") {
            self.stop_with_syntax_doubt();
        }
        let set = self.cursor.take_through_end(")").unwrap_or_default().trim();
        let quote = set.chars().next().filter(|c| reads && matches!(c, '\'' | '`'));
        if let Some(quote) = quote {
            self.read_code_text(set.trim_matches(quote), "for");
        }
        self.skip_blanks();
        if self.eat_word("do") {
            self.skip_blanks();
            self.read_command();
        } else {
            self.stop_with_syntax_doubt();
        }
        self.context = outer;
    }

    /// Reads the next word as written. It is empty if the command ends.
    fn read_word_source(&mut self) -> String {
        self.skip_blanks();
        self.read_word(false).map(|word: Argument| word.word.source).unwrap_or_default()
    }

    /// Reads code that is part of the line.
    pub(super) fn read_code_text(&mut self, text: &str, wrapper: &'static str) {
        let via =
            self.code.via.iter().cloned().chain([super::super::Via::Wrapper(wrapper)]).collect();
        self.reader.read_code(&Code {
            text,
            language: Language::Cmd,
            via: &via,
            context: self.context,
            depth: self.code.depth + 1,
            wrapper: Some(wrapper),
            ..*self.code
        });
    }
}
