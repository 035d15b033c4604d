//! Which words of PowerShell stand before blocks and values? Conditions, loops, functions and their like.

use super::super::Context;
use super::A_WORD;
use super::powershell::{Value, Walker};

/// Words before a block, with a condition in parentheses.
const CONDITIONS: &[&str] =
    &["if", "elseif", "while", "until", "switch", "foreach", "for", "catch"];
/// Words before a block.
const BLOCKS: &[&str] = &[
    "else",
    "do",
    "try",
    "finally",
    "begin",
    "process",
    "end",
    "trap",
    "data",
    "dynamicparam",
    "clean",
];
/// Words before a name and a block.
const FUNCTIONS: &[&str] = &["function", "filter", "workflow"];
/// Words before a value.
const VALUES: &[&str] = &["return", "throw", "exit"];
/// Words that end a loop, and may name it.
const LEAVING: &[&str] = &["break", "continue"];
/// Words of definitions that are not read.
const UNREAD: &[&str] = &["class", "enum", "using", "configuration"];

impl Walker<'_, '_, '_> {
    /// Returns the word that begins here, in lower case, without taking it.
    fn peek_keyword(&self) -> String {
        let mut ahead = self.cursor;
        let word = ahead.take_while(|c| c.is_ascii_alphabetic()).to_ascii_lowercase();
        let ends = ahead.peek().is_none_or(|c| " \t\r\n;({[}$#'\")|".contains(c));
        if ends { word } else { String::new() }
    }

    /// Skips `exit`, `return` and `throw` before a value.
    pub(super) fn skip_exit_keyword(&mut self) {
        if VALUES.contains(&self.peek_keyword().as_str()) {
            self.cursor.take_while(|c| c.is_ascii_alphabetic());
            self.skip_blanks();
        }
    }

    pub(super) fn read_statement(&mut self) -> Value {
        let keyword = self.peek_keyword();
        let is = |list: &[&str]| list.contains(&keyword.as_str());
        if is(CONDITIONS) {
            self.cursor.take_while(|c| c.is_ascii_alphabetic());
            self.read_conditional(&keyword);
        } else if is(BLOCKS) && self.is_followed_by_block(keyword.len()) {
            self.cursor.take_while(|c| c.is_ascii_alphabetic());
            self.skip_type_names();
            self.read_block(Context::Body);
        } else if is(FUNCTIONS) {
            self.cursor.take_while(|c| c.is_ascii_alphabetic());
            self.read_function();
        } else if is(VALUES) {
            self.skip_exit_keyword();
            if !self.is_at_statement_end() {
                return self.read_chain();
            }
        } else if is(LEAVING) {
            self.cursor.take_while(|c| c.is_ascii_alphabetic());
            self.skip_blanks();
            self.cursor.take_while(|c| c.is_ascii_alphanumeric());
        } else if keyword == "param" {
            self.cursor.take_while(|c| c.is_ascii_alphabetic());
            self.skip_blanks_and_lines();
            self.read_parens(Context::Body);
        } else if is(UNREAD) {
            self.stop_with_syntax_doubt();
        } else {
            return self.read_chain();
        }
        Value::default()
    }

    /// Returns whether a block follows the word, perhaps after type names: `process` may be a
    /// command, too.
    fn is_followed_by_block(&self, word: usize) -> bool {
        let behind = self.cursor.rest().get(word..).unwrap_or_default().trim_start();
        behind.starts_with(['{', '['])
    }

    /// Skips type names: `[System.Exception], [x]`.
    fn skip_type_names(&mut self) {
        loop {
            self.skip_blanks_and_lines();
            match self.cursor.peek() {
                Some('[') if self.cursor.take_through_end("]").is_some() => {}
                Some(',') => drop(self.cursor.next_char()),
                _ => return,
            }
        }
    }

    /// Reads a condition and a block: `if (x) { }`, `foreach ($f in x) { }`, `switch -regex (x) { a
    /// { } }`.
    fn read_conditional(&mut self, keyword: &str) {
        if keyword == "catch" {
            self.skip_type_names();
            return self.read_block(Context::Body);
        }
        self.skip_blanks_and_lines();
        while keyword == "switch" && self.cursor.peek() == Some('-') {
            self.cursor.take_while(|c| !c.is_whitespace() && c != '(');
            self.skip_blanks_and_lines();
        }
        self.read_parens(Context::Body);
        self.skip_blanks_and_lines();
        match self.cursor.peek() {
            Some('{') if keyword == "switch" => self.read_switch_clauses(),
            Some('{') => self.read_block(Context::Body),
            // `do { } while (x)`
            _ if matches!(keyword, "while" | "until") => {}
            _ => self.stop_with_syntax_doubt(),
        }
    }

    /// Reads the clauses of a `switch`: `{ 'a' { ... } default { ... } }`.
    fn read_switch_clauses(&mut self) {
        self.cursor.next_char();
        loop {
            self.skip_blanks_and_lines();
            if !self.spend_steps(A_WORD) {
                return;
            }
            match self.cursor.peek() {
                Some('}') => {
                    self.cursor.next_char();
                    return;
                }
                Some('{') => self.read_block(Context::Body),
                Some(';') => drop(self.cursor.next_char()),
                None => return self.stop_with_syntax_doubt(),
                Some(_) => {
                    let start = self.cursor.position();
                    self.read_word();
                    if self.cursor.position() == start {
                        return self.stop_with_syntax_doubt();
                    }
                }
            }
        }
    }

    /// Reads `function NAME (parameters) { ... }`.
    fn read_function(&mut self) {
        self.skip_blanks();
        let name = self.cursor.take_while(|c| !c.is_whitespace() && !"({".contains(c));
        self.functions.insert(name.to_ascii_lowercase());
        self.skip_blanks_and_lines();
        if self.cursor.peek() == Some('(') {
            self.read_parens(Context::Function);
            self.skip_blanks_and_lines();
        }
        self.read_block(Context::Function);
    }
}
