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
    /// A value up to the end of the statement or of the pipeline's part.
    pub(super) fn expression(&mut self) -> Value {
        self.deeper(Self::expression_here)
    }

    fn expression_here(&mut self) -> Value {
        let mut all = Operands {
            item: self.cursor.at(),
            commands: self.reader.commands.len(),
            ..Operands::default()
        };
        while !self.is_stopped && self.pay(A_WORD) {
            self.blanks();
            if all.operator != Operator::Done && !all.words.is_empty() {
                // A value goes on behind an operator at the end of a line.
                self.lines();
            }
            let start = self.cursor.at();
            match self.cursor.peek() {
                None | Some('\n' | '\r' | ';' | '|' | ')' | '}' | ']' | '&') => break,
                Some('#') => self.cursor.skip_line(),
                Some(',') => {
                    self.cursor.take();
                    self.lines();
                    all.operator = Operator::None;
                    all.item = self.cursor.at();
                }
                Some('=') if all.operator == Operator::Done => return self.assigned(&all, false),
                Some(_) => {
                    if let Some(redirect) = self.redirect() {
                        self.reader.redirects.extend(redirect);
                        continue;
                    }
                    if let Some(value) = self.part(&mut all) {
                        return value;
                    }
                }
            }
            if self.cursor.at() == start {
                self.fail();
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

    /// One operand or operator; a value where it ends the expression.
    fn part(&mut self, all: &mut Operands) -> Option<Value> {
        let start = self.cursor.at();
        let c = self.cursor.peek()?;
        match c {
            '.' | ':' | '?' if all.operator == Operator::Done && self.is_member() => {
                self.member(all)
            }
            '[' if all.operator == Operator::Done
                && self.cursor.before().is_some_and(|c| !c.is_whitespace()) =>
            {
                self.bracket(all);
                self.open(all);
            }
            '[' => self.bracket(all),
            '-' if self.cursor.second().is_some_and(char::is_alphabetic) => {
                self.cursor.take();
                self.cursor.take_while(char::is_alphabetic);
                self.operator(all, Operator::Other);
            }
            '+' | '-' | '*' | '/' | '%' => return self.arithmetic(all, c),
            '!' | '?' | ':' | '.' => {
                self.cursor.take_while(|next| next == c);
                self.operator(all, Operator::Other);
            }
            '{' => {
                self.block(Context::Body);
                all.is_block = all.words.is_empty();
                self.operand(all, vec![Argument::literal(self.cursor.since(start))]);
            }
            '(' => self.parenthesized(all),
            '@' | '$' => {
                let is_first = all.words.is_empty() && all.operator == Operator::None;
                let value = self.expression_operand();
                all.is_named = value.is_named && is_first;
                all.is_computed |= value.is_computed;
                all.is_block = value.is_block && is_first;
                self.operand(all, value.words.unwrap_or_default());
                all.variable =
                    Some(self.cursor.since(start).to_owned()).filter(|_| is_first && c == '$');
            }
            c if SINGLE.contains(&c) || DOUBLE.contains(&c) => {
                let mut pieces = Vec::new();
                if SINGLE.contains(&c) {
                    self.single(&mut pieces)
                } else {
                    self.double(&mut pieces)
                }
                self.fill(&mut pieces);
                self.operand(all, vec![Argument::new(&pieces, self.cursor.since(start))]);
            }
            c if c.is_alphanumeric() || c == '_' => return self.bare(all),
            _ => self.fail(),
        }
        None
    }

    /// An operator of one character; a value where it assigns.
    fn arithmetic(&mut self, all: &mut Operands, c: char) -> Option<Value> {
        self.cursor.take();
        if self.cursor.peek() == Some('=') {
            return Some(self.assigned(all, true));
        }
        // `$i++`
        let is_double = self.cursor.peek() == Some(c) && matches!(c, '+' | '-');
        if is_double {
            self.cursor.take();
            self.open(all);
        } else {
            self.operator(all, if c == '+' { Operator::Plus } else { Operator::Other });
        }
        None
    }

    /// `( ... )`
    fn parenthesized(&mut self, all: &mut Operands) {
        let start = self.cursor.at();
        let first = self.reader.commands.len();
        let value = self.paren(Context::CommandSubstitution);
        all.is_computed |= value.is_computed;
        let words = match value.words {
            Some(words) if !value.is_named && words.iter().all(Argument::is_known) => words,
            _ => {
                let piece = self.printed(first);
                vec![Argument::new(&[piece], self.cursor.since(start))]
            }
        };
        self.operand(all, words);
    }

    /// A number, or `in` of a loop.
    fn bare(&mut self, all: &mut Operands) -> Option<Value> {
        let word = self.cursor.take_while(|c| c.is_alphanumeric() || c == '_');
        if word.eq_ignore_ascii_case("in") {
            if let Some(name) = &all.variable {
                self.variables.insert(variable_key(name.trim_start_matches('$')), Value::default());
            }
            return Some(self.chain());
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            self.operand(all, vec![Argument::literal(word)]);
        } else {
            self.fail();
        }
        None
    }

    /// Adds an operand to the item, or begins one.
    fn operand(&mut self, all: &mut Operands, mut words: Vec<Argument>) {
        let known = |words: &[Argument]| match words {
            [word] if word.is_known() => Some(word.text().to_owned()),
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
                let before = before.filter(Argument::is_known).map(|word| word.text().to_owned());
                match before.zip(known(&words)) {
                    Some((before, behind)) => all.words.push(Argument::literal(before + &behind)),
                    None => all.words.push(Argument::unknown(self.cursor.since(all.item))),
                }
                all.is_computed = true;
            }
            Operator::Other | Operator::Done => {
                all.words.pop();
                all.words.push(Argument::unknown(self.cursor.since(all.item)));
                all.is_computed = true;
            }
        }
        all.variable = None;
        all.operator = Operator::Done;
    }

    /// Notes an operator; before the first operand of an item it makes of it something unknown.
    fn operator(&self, all: &mut Operands, operator: Operator) {
        let is_first = all.operator == Operator::None;
        if is_first {
            all.words.push(Argument::unknown(self.cursor.since(all.item)));
        }
        all.operator = if is_first { Operator::Other } else { operator };
    }

    /// The item is something that the line does not say.
    fn open(&self, all: &mut Operands) {
        all.words.pop();
        all.words.push(Argument::unknown(self.cursor.since(all.item)));
        all.operator = Operator::Done;
        all.variable = None;
    }

    /// `[int]`, `[IO.File]`, `$a[1]`
    fn bracket(&mut self, all: &mut Operands) {
        let start = self.cursor.at();
        self.cursor.take();
        if all.operator == Operator::Done {
            self.lines();
            self.expression();
            self.lines();
            if !self.cursor.eat("]") {
                self.fail();
            }
            return;
        }
        let mut nest = 1_usize;
        while nest > 0 {
            match self.cursor.take() {
                Some('[') => nest += 1,
                Some(']') => nest -= 1,
                // The values of an attribute, which may be any.
                Some('(') => {
                    self.cursor.back_to(self.cursor.at() - 1);
                    self.paren(Context::Body);
                }
                Some(_) => {}
                None => return self.fail(),
            }
            if self.is_stopped {
                return;
            }
        }
        if self.cursor.starts("::") {
            let name = self.cursor.since(start).to_owned();
            self.operand(all, vec![Argument::unknown(&name)]);
            all.type_name = Some(name);
        }
    }

    /// Whether a member follows, not an operator: `.Name`, `::Name`, `?.Name`.
    fn is_member(&self) -> bool {
        let rest = self.cursor.rest();
        let name = rest.trim_start_matches(['?', ':', '.']);
        let dots = rest.len() - name.len();
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || "_$'\"".contains(c));
        let is_attached = self.cursor.before().is_some_and(|c| !c.is_whitespace());
        is_name
            && is_attached
            && (rest.starts_with("::") && dots == 2
                || rest.starts_with('.') && dots == 1
                || rest.starts_with("?."))
    }

    /// `.Name`, `::Name`, with the words in parentheses where it is called.
    fn member(&mut self, all: &mut Operands) {
        let start = self.cursor.at();
        self.cursor.take_while(|c| matches!(c, '.' | ':' | '?'));
        let is_plain = self.cursor.peek().is_some_and(|c| c.is_alphabetic() || c == '_');
        if is_plain {
            self.cursor.take_while(|c| c.is_alphanumeric() || c == '_');
        } else {
            let mut pieces = Vec::new();
            match self.cursor.peek() {
                Some('$') => pieces.push(self.variable()),
                Some(c) if SINGLE.contains(&c) => self.single(&mut pieces),
                _ => self.double(&mut pieces),
            }
        }
        let name = self.cursor.since(start).to_owned();
        let type_name = all.type_name.take();
        if self.cursor.peek() == Some('(') {
            let receiver = all.commands;
            let words = self.call_words();
            self.called(type_name.as_deref(), &name, words, receiver, !is_plain);
        }
        let first = all.commands;
        let piece = self.printed(first);
        let source = self.cursor.since(all.item);
        all.words.pop();
        all.words.push(Argument::new(&[piece], source));
        all.operator = Operator::Done;
        all.variable = None;
    }

    /// The words of a call: `( a, b )`.
    fn call_words(&mut self) -> Vec<Argument> {
        self.cursor.take();
        let outer = std::mem::replace(&mut self.context, Context::CommandSubstitution);
        self.lines();
        let value = self.expression();
        self.lines();
        self.context = outer;
        if !self.cursor.eat(")") {
            self.fail();
        }
        value.words.unwrap_or_default()
    }

    /// `$x = value`, of which the name has been read.
    fn assigned(&mut self, all: &Operands, is_added: bool) -> Value {
        self.cursor.take();
        self.lines();
        let first = self.reader.commands.len();
        let value = self.statement();
        let Some(name) = all.variable.as_deref().map(|name| name.trim_start_matches('$')) else {
            return Value::default();
        };
        let name = name.trim_matches(['{', '}']);
        if name.len() > 4 && name.get(..4).is_some_and(|scope| scope.eq_ignore_ascii_case("env:")) {
            let name = name.get(4..).unwrap_or_default();
            let words = value.words.unwrap_or_default();
            let text = words.first().cloned().unwrap_or_else(|| Argument::literal(""));
            self.exported(name, &text);
            return Value::default();
        }
        let key = variable_key(name);
        let is_open = is_added || self.is_conditional() && self.variables.contains_key(&key);
        let value = match (is_open, &value.words) {
            (true, _) => Value::default(),
            // What commands print is known as much as they are.
            (false, None) => {
                let piece = self.printed(first);
                let words = Some(vec![Argument::new(&[piece], &format!("${name}"))]);
                Value { words, ..Value::default() }
            }
            (false, Some(_)) => value,
        };
        self.variables.insert(key, value);
        Value::default()
    }

    /// Whether this part of the line may be skipped.
    fn is_conditional(&self) -> bool {
        matches!(self.context, Context::Body | Context::Function)
    }
}
