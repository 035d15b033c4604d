//! What does a value of PowerShell say, and which commands stand in it? Computes nothing but `+` of two texts.

use super::super::Context;
use super::A_WORD;
use super::argument::Argument;
use super::powershell::{Value, Walker};
use super::words::{DOUBLE, SINGLE, variable_key};

/// A value while it is read.
#[derive(Default)]
struct Operands {
    words: Vec<Argument>,
    is_named: bool,
    is_computed: bool,
    is_block: bool,
    /// Where the last item starts.
    item: usize,
    /// The operator before the next operand.
    operator: Operator,
    /// The variable, where the value is one and nothing else.
    variable: Option<String>,
    /// The commands and the name of the type, for a call.
    commands: usize,
    type_name: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Operator {
    /// The first operand of an item.
    #[default]
    None,
    /// `+`
    Plus,
    /// Any other one.
    Other,
    /// An operand stands here.
    Done,
}

impl Walker<'_, '_, '_> {
    /// Reads a value up to the end of the statement or of the pipeline's part.
    pub(super) fn read_expression(&mut self) -> Value {
        self.read_at_deeper_nesting_level(Self::read_expression_inner)
    }

    fn read_expression_inner(&mut self) -> Value {
        let mut all = Operands {
            item: self.cursor.position(),
            commands: self.reader.commands.len(),
            ..Operands::default()
        };
        while !self.is_stopped && self.spend_steps(A_WORD) {
            self.skip_blanks();
            if all.operator != Operator::Done && !all.words.is_empty() {
                // A value goes on behind an operator at the end of a line.
                self.skip_blanks_and_lines();
            }
            let start = self.cursor.position();
            match self.cursor.peek() {
                None | Some('\n' | '\r' | ';' | '|' | ')' | '}' | ']' | '&') => break,
                Some('#') => self.cursor.skip_to_line_end(),
                Some(',') => {
                    self.cursor.next_char();
                    self.skip_blanks_and_lines();
                    all.operator = Operator::None;
                    all.item = self.cursor.position();
                }
                Some('=') if all.operator == Operator::Done => {
                    return self.read_assigned_value(&all, false);
                }
                Some(_) => {
                    if let Some(redirect) = self.read_redirect() {
                        self.reader.redirects.extend(redirect);
                        continue;
                    }
                    if let Some(value) = self.read_operand_or_operator(&mut all) {
                        return value;
                    }
                }
            }
            if self.cursor.position() == start {
                self.stop_with_syntax_doubt();
            }
        }
        let Operands { words, is_named, is_computed, is_block, .. } = all;
        Value {
            words: Some(words).filter(|words| !words.is_empty()),
            is_named,
            is_computed,
            is_block,
        }
    }

    /// Reads one operand or operator. Returns a value if it ends the expression.
    fn read_operand_or_operator(&mut self, all: &mut Operands) -> Option<Value> {
        let start = self.cursor.position();
        let c = self.cursor.peek()?;
        match c {
            '.' | ':' | '?' if all.operator == Operator::Done && self.is_at_member() => {
                self.read_member(all)
            }
            '[' if all.operator == Operator::Done
                && self.cursor.previous_char().is_some_and(|c| !c.is_whitespace()) =>
            {
                self.read_brackets(all);
                self.mark_item_unknown(all);
            }
            '[' => self.read_brackets(all),
            '-' if self.cursor.peek_second().is_some_and(char::is_alphabetic) => {
                self.cursor.next_char();
                self.cursor.take_while(char::is_alphabetic);
                self.add_operator(all, Operator::Other);
            }
            '+' | '-' | '*' | '/' | '%' => return self.read_one_char_operator(all, c),
            '!' | '?' | ':' | '.' => {
                self.cursor.take_while(|next| next == c);
                self.add_operator(all, Operator::Other);
            }
            '{' => {
                self.read_block(Context::Body);
                all.is_block = all.words.is_empty();
                self.add_operand(all, vec![Argument::literal(self.cursor.text_since(start))]);
            }
            '(' => self.read_parenthesized(all),
            '@' | '$' => {
                let is_first = all.words.is_empty() && all.operator == Operator::None;
                let value = self.read_variable_or_literal();
                all.is_named = value.is_named && is_first;
                all.is_computed |= value.is_computed;
                all.is_block = value.is_block && is_first;
                self.add_operand(all, value.words.unwrap_or_default());
                all.variable =
                    Some(self.cursor.text_since(start).to_owned()).filter(|_| is_first && c == '$');
            }
            c if SINGLE.contains(&c) || DOUBLE.contains(&c) => {
                let mut pieces = Vec::new();
                if SINGLE.contains(&c) {
                    self.read_single_quoted(&mut pieces)
                } else {
                    self.read_double_quoted(&mut pieces)
                }
                self.substitute_variables(&mut pieces);
                self.add_operand(all, vec![Argument::new(&pieces, self.cursor.text_since(start))]);
            }
            c if c.is_alphanumeric() || c == '_' => return self.read_bare_word(all),
            _ => self.stop_with_syntax_doubt(),
        }
        None
    }

    /// Reads an operator of one character. Returns a value if it assigns.
    fn read_one_char_operator(&mut self, all: &mut Operands, c: char) -> Option<Value> {
        self.cursor.next_char();
        if self.cursor.peek() == Some('=') {
            return Some(self.read_assigned_value(all, true));
        }
        // `$i++`
        let is_double = self.cursor.peek() == Some(c) && matches!(c, '+' | '-');
        if is_double {
            self.cursor.next_char();
            self.mark_item_unknown(all);
        } else {
            self.add_operator(all, if c == '+' { Operator::Plus } else { Operator::Other });
        }
        None
    }

    /// Reads `( ... )`.
    fn read_parenthesized(&mut self, all: &mut Operands) {
        let start = self.cursor.position();
        let first = self.reader.commands.len();
        let value = self.read_parens(Context::CommandSubstitution);
        all.is_computed |= value.is_computed;
        let words = match value.words {
            Some(words) if !value.is_named && words.iter().all(Argument::is_value_known) => words,
            _ => {
                let piece = self.commands_as_bash_line(first);
                vec![Argument::new(&[piece], self.cursor.text_since(start))]
            }
        };
        self.add_operand(all, words);
    }

    /// Reads a number, or `in` of a loop.
    fn read_bare_word(&mut self, all: &mut Operands) -> Option<Value> {
        let word = self.cursor.take_while(|c| c.is_alphanumeric() || c == '_');
        if word.eq_ignore_ascii_case("in") {
            if let Some(name) = &all.variable {
                self.variables.insert(variable_key(name.trim_start_matches('$')), Value::default());
            }
            return Some(self.read_chain());
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            self.add_operand(all, vec![Argument::literal(word)]);
        } else {
            self.stop_with_syntax_doubt();
        }
        None
    }

    /// Adds an operand to the current item, or begins an item.
    fn add_operand(&mut self, all: &mut Operands, mut words: Vec<Argument>) {
        let known = |words: &[Argument]| match words {
            [word] if word.is_value_known() => Some(word.value_text().to_owned()),
            _ => None,
        };
        match all.operator {
            Operator::None => {
                if let Some(first) = words.first_mut().filter(|_| !all.words.is_empty()) {
                    first.is_listed = true;
                }
                all.words.append(&mut words);
            }
            Operator::Plus => {
                let before = all.words.pop();
                let before = before
                    .filter(Argument::is_value_known)
                    .map(|word| word.value_text().to_owned());
                match before.zip(known(&words)) {
                    Some((before, behind)) => all.words.push(Argument::literal(before + &behind)),
                    None => all.words.push(Argument::unknown(self.cursor.text_since(all.item))),
                }
                all.is_computed = true;
            }
            Operator::Other | Operator::Done => {
                all.words.pop();
                all.words.push(Argument::unknown(self.cursor.text_since(all.item)));
                all.is_computed = true;
            }
        }
        all.variable = None;
        all.operator = Operator::Done;
    }

    /// Records an operator. Before the first operand of an item it makes the item unknown.
    fn add_operator(&self, all: &mut Operands, operator: Operator) {
        let is_first = all.operator == Operator::None;
        if is_first {
            all.words.push(Argument::unknown(self.cursor.text_since(all.item)));
        }
        all.operator = if is_first { Operator::Other } else { operator };
    }

    /// Marks the current item as unknown, because its value is not on the line.
    fn mark_item_unknown(&self, all: &mut Operands) {
        all.words.pop();
        all.words.push(Argument::unknown(self.cursor.text_since(all.item)));
        all.operator = Operator::Done;
        all.variable = None;
    }

    /// Reads `[int]`, `[IO.File]`, `$a[1]`.
    fn read_brackets(&mut self, all: &mut Operands) {
        let start = self.cursor.position();
        self.cursor.next_char();
        if all.operator == Operator::Done {
            self.skip_blanks_and_lines();
            self.read_expression();
            self.skip_blanks_and_lines();
            if !self.cursor.eat_text("]") {
                self.stop_with_syntax_doubt();
            }
            return;
        }
        let mut nest = 1_usize;
        while nest > 0 {
            match self.cursor.next_char() {
                Some('[') => nest += 1,
                Some(']') => nest -= 1,
                // The values of an attribute, which may be any.
                Some('(') => {
                    self.cursor.move_back_to(self.cursor.position() - 1);
                    self.read_parens(Context::Body);
                }
                Some(_) => {}
                None => return self.stop_with_syntax_doubt(),
            }
            if self.is_stopped {
                return;
            }
        }
        if self.cursor.starts_with("::") {
            let name = self.cursor.text_since(start).to_owned();
            self.add_operand(all, vec![Argument::unknown(&name)]);
            all.type_name = Some(name);
        }
    }

    /// Returns whether a member follows, not an operator: `.Name`, `::Name`, `?.Name`.
    fn is_at_member(&self) -> bool {
        let rest = self.cursor.rest();
        let name = rest.trim_start_matches(['?', ':', '.']);
        let dots = rest.len() - name.len();
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || "_$'\"".contains(c));
        let is_attached = self.cursor.previous_char().is_some_and(|c| !c.is_whitespace());
        is_name
            && is_attached
            && (rest.starts_with("::") && dots == 2
                || rest.starts_with('.') && dots == 1
                || rest.starts_with("?."))
    }

    /// Reads `.Name` or `::Name`, and the words in parentheses if it is called.
    fn read_member(&mut self, all: &mut Operands) {
        let start = self.cursor.position();
        self.cursor.take_while(|c| matches!(c, '.' | ':' | '?'));
        let is_plain = self.cursor.peek().is_some_and(|c| c.is_alphabetic() || c == '_');
        if is_plain {
            self.cursor.take_while(|c| c.is_alphanumeric() || c == '_');
        } else {
            let mut pieces = Vec::new();
            match self.cursor.peek() {
                Some('$') => pieces.push(self.read_variable()),
                Some(c) if SINGLE.contains(&c) => self.read_single_quoted(&mut pieces),
                _ => self.read_double_quoted(&mut pieces),
            }
        }
        let name = self.cursor.text_since(start).to_owned();
        let type_name = all.type_name.take();
        if self.cursor.peek() == Some('(') {
            let receiver = all.commands;
            let words = self.read_call_arguments();
            self.record_method_call(type_name.as_deref(), &name, words, receiver, !is_plain);
        }
        let first = all.commands;
        let piece = self.commands_as_bash_line(first);
        let source = self.cursor.text_since(all.item);
        all.words.pop();
        all.words.push(Argument::new(&[piece], source));
        all.operator = Operator::Done;
        all.variable = None;
    }

    /// Reads the words of a call: `( a, b )`.
    fn read_call_arguments(&mut self) -> Vec<Argument> {
        self.cursor.next_char();
        let outer = std::mem::replace(&mut self.context, Context::CommandSubstitution);
        self.skip_blanks_and_lines();
        let value = self.read_expression();
        self.skip_blanks_and_lines();
        self.context = outer;
        if !self.cursor.eat_text(")") {
            self.stop_with_syntax_doubt();
        }
        value.words.unwrap_or_default()
    }

    /// Reads the value of `$x = value`, after the name has been read.
    fn read_assigned_value(&mut self, all: &Operands, is_added: bool) -> Value {
        self.cursor.next_char();
        self.skip_blanks_and_lines();
        let first = self.reader.commands.len();
        let value = self.read_statement();
        let Some(name) = all.variable.as_deref().map(|name| name.trim_start_matches('$')) else {
            return Value::default();
        };
        let name = name.trim_matches(['{', '}']);
        if name.len() > 4 && name.get(..4).is_some_and(|scope| scope.eq_ignore_ascii_case("env:")) {
            let name = name.get(4..).unwrap_or_default();
            let words = value.words.unwrap_or_default();
            let text = words.first().cloned().unwrap_or_else(|| Argument::literal(""));
            self.record_environment_assignment(name, &text);
            return Value::default();
        }
        let key = variable_key(name);
        let is_open =
            is_added || self.may_be_skipped_at_run_time() && self.variables.contains_key(&key);
        let value = match (is_open, &value.words) {
            (true, _) => Value::default(),
            // What commands print is known as much as they are.
            (false, None) => {
                let piece = self.commands_as_bash_line(first);
                let words = Some(vec![Argument::new(&[piece], &format!("${name}"))]);
                Value { words, ..Value::default() }
            }
            (false, Some(_)) => value,
        };
        self.variables.insert(key, value);
        Value::default()
    }

    /// Returns whether this part of the line, a body or a function, may not run when the line runs.
    fn may_be_skipped_at_run_time(&self) -> bool {
        matches!(self.context, Context::Body | Context::Function)
    }
}
