//! What does a word of a shell script stand for? Its variables, substitutions and patterns, as values; several where a variable was
//! assigned in several places.

use super::shell::Shell;
use super::split;
use super::value::{Rest, Value};

/// Most values that are followed for one word.
const MOST: usize = 8;
/// Deepest nest of substitutions that is computed.
const DEEPEST: usize = 12;

/// Longest function whose output is computed.
const LONGEST_FUNCTION: usize = 500;
/// Commands of a substitution that print nothing.
const SILENT: &[&str] = &[
    ":", "[", "[[", "exit", "false", "fi", "if", "local", "popd", "return", "set", "test", "then",
    "true", "unset", "{", "}",
];

/// The values of a word on the way through its parts.
struct Parts(Vec<Value>);

impl Parts {
    fn text(&mut self, c: char) {
        for value in self.0.iter_mut().filter(|value| value.rest != Rest::Unknown) {
            if value.rest == Rest::Parameter {
                value.rest = Rest::Unknown;
                continue;
            }
            value.text.push(c);
        }
    }

    fn values(&mut self, next: &[Value]) {
        let pairs =
            self.0.iter().flat_map(|value| next.iter().map(|next| value.clone().then(next)));
        let mut all: Vec<Value> = pairs.collect();
        all.dedup();
        if all.len() > MOST {
            let is_own = all.iter().any(|value| value.is_own);
            all.truncate(MOST);
            all.push(Value { is_own, ..Value::unknown() });
        }
        self.0 = all;
    }

    fn pattern(&mut self) {
        for value in self.0.iter_mut().filter(|value| value.is_known()) {
            value.rest = Rest::Pattern;
        }
    }
}

impl Shell<'_> {
    /// The values of a word as it is written.
    pub(super) fn expand(&self, source: &str, depth: usize) -> Vec<Value> {
        if depth > DEEPEST {
            return vec![Value::unknown()];
        }
        let mut parts = Parts(vec![Value::text("")]);
        let mut quote: Option<char> = None;
        let mut at = 0;
        while let Some(c) = source.get(at..).and_then(|rest| rest.chars().next()) {
            let next = at + c.len_utf8();
            at = match (quote, c) {
                (Some('\''), '\'') | (Some('"'), '"') => {
                    quote = None;
                    next
                }
                (None, '\'' | '"') => {
                    quote = Some(c);
                    next
                }
                (Some('\''), _) => {
                    parts.text(c);
                    next
                }
                (_, '\\') => {
                    let escaped = source.get(next..).and_then(|rest| rest.chars().next());
                    escaped.inspect(|c| parts.text(*c));
                    next + escaped.map_or(0, char::len_utf8)
                }
                (_, '$') => self.dollar(source, next, depth, &mut parts),
                (_, '`') => {
                    let end = source.get(next..).and_then(|rest| rest.find('`'));
                    let end = end.map_or(source.len(), |end| next + end);
                    let inner = source.get(next..end).unwrap_or_default();
                    parts.values(&self.substitute(inner, depth + 1));
                    end + 1
                }
                (None, '~') if at == 0 => {
                    let is_home = source
                        .get(next..)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
                    let home = Value::path(self.scene.home);
                    parts.values(&[if is_home { home } else { Value::unknown() }]);
                    next
                }
                (None, '*' | '?' | '[' | '{') => {
                    parts.pattern();
                    parts.text(c);
                    next
                }
                _ => {
                    parts.text(c);
                    next
                }
            };
        }
        parts.0
    }

    /// An expansion that begins behind a `$` at `at`; where it ends.
    fn dollar(&self, source: &str, at: usize, depth: usize, parts: &mut Parts) -> usize {
        let rest = source.get(at..).unwrap_or_default();
        if rest.starts_with("((") {
            parts.values(&[Value::unknown()]);
            return split::closing(source, at + 1, '(', ')') + 1;
        }
        if rest.starts_with('(') {
            let end = split::closing(source, at + 1, '(', ')');
            let inner = source.get(at + 1..end).unwrap_or_default();
            parts.values(&self.substitute(inner, depth + 1));
            return end + 1;
        }
        if rest.starts_with('{') {
            let end = split::closing(source, at + 1, '{', '}');
            let inner = source.get(at + 1..end).unwrap_or_default();
            parts.values(&self.braced(inner, depth));
            return end + 1;
        }
        let is_name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        let digit = rest.chars().next().filter(|c| c.is_ascii_digit() || "@*#?!-$".contains(*c));
        let name = match digit {
            Some(c) => c.to_string(),
            None => rest.chars().take_while(is_name).collect(),
        };
        if name.is_empty() {
            parts.text('$');
        } else {
            parts.values(&self.variable(&name));
        }
        at + name.len()
    }

    /// `${NAME}` with what may stand behind the name.
    fn braced(&self, inner: &str, depth: usize) -> Vec<Value> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = inner.find(|c| !is_name(c)).unwrap_or(inner.len());
        let (name, mut operation) = inner.split_at(end);
        if name.is_empty() {
            return vec![Value::unknown()];
        }
        if operation.starts_with('[') {
            let close = operation.find(']').map_or(operation.len(), |at| at + 1);
            // The first entry of BASH_SOURCE is this file; further ones are the files that sourced it.
            let index = operation.get(1..close.saturating_sub(1)).unwrap_or_default();
            if name == "BASH_SOURCE" && !matches!(index, "0" | "-1" | "@" | "*") {
                return vec![Value { is_own: true, ..Value::unknown() }];
            }
            operation = operation.get(close..).unwrap_or_default();
        }
        let values = self.variable(name);
        let is_set = self.variables.contains_key(name)
            || self.scene.variable(name).is_some()
            || name == "0"
            || name == "BASH_SOURCE";
        for sign in [":-", "-", ":=", "="] {
            let Some(default) = operation.strip_prefix(sign) else { continue };
            let default = self.expand(default, depth + 1);
            let is_argument = name.chars().all(|c| c.is_ascii_digit());
            // A value from the person's environment is the same in a copy.
            return if is_set || is_argument {
                values.into_iter().chain(default).collect()
            } else {
                default
            };
        }
        match operation {
            "" => values,
            "%/*" | "%/" | "%/?*" => values.into_iter().map(Value::parent).collect(),
            "##*/" => values.iter().map(Value::file_name).collect(),
            _ => {
                let is_own = values.iter().any(|value| value.is_own);
                vec![Value { is_own, ..Value::unknown() }]
            }
        }
    }

    /// What a variable may be where the script has come to.
    fn variable(&self, name: &str) -> Vec<Value> {
        match name {
            "0" => return self.started().into_iter().collect(),
            "BASH_SOURCE" => return self.current().into_iter().collect(),
            _ if name.chars().all(|c| c.is_ascii_digit() || "@*".contains(c)) => {
                return vec![Value { rest: Rest::Parameter, ..Value::text("") }];
            }
            _ => {}
        }
        let assigned = self.variables.get(name).cloned();
        let known = assigned.or_else(|| self.scene.variable(name).map(|value| vec![value]));
        known.unwrap_or_else(|| vec![Value::unknown()])
    }

    /// What a substitution prints: all that its commands may, as which of them run is not decided.
    fn substitute(&self, text: &str, depth: usize) -> Vec<Value> {
        if depth > DEEPEST {
            return vec![Value::unknown()];
        }
        let mut directory = self.directory();
        let mut printed = Vec::new();
        for command in split::commands(text) {
            let is_assignment =
                |word: &&&str| word.contains('=') && !word.starts_with(['"', '\'', '=', '$']);
            let skipped = command.iter().take_while(is_assignment).count();
            let command = command.get(skipped..).and_then(<[&str]>::split_first);
            let Some((program, arguments)) = command else { continue };
            if matches!(*program, "cd" | "pushd") {
                let target = self.last_operand(arguments, depth).into_iter().next();
                directory = target.map_or_else(Value::unknown, |target| directory.join(&target));
                continue;
            }
            printed.extend(self.printed(program, arguments, &directory, depth));
        }
        printed.dedup();
        if printed.is_empty() { vec![Value::unknown()] } else { printed }
    }

    /// What one command prints in `directory`.
    fn printed(
        &self,
        program: &str,
        arguments: &[&str],
        directory: &Value,
        depth: usize,
    ) -> Vec<Value> {
        if let Some(body) = self.functions.get(program) {
            if body.len() <= LONGEST_FUNCTION {
                return self.substitute(body, depth + 1);
            }
            let is_own = body.contains("BASH_SOURCE") || body.contains("$0");
            return vec![Value { is_own, ..Value::unknown() }];
        }
        let has = |option: &str| arguments.contains(&option);
        let operand = || self.last_operand(arguments, depth);
        match program {
            "pwd" if has("-P") => vec![self.real(directory.clone())],
            "pwd" => vec![directory.clone()],
            "dirname" => operand().into_iter().map(Value::parent).collect(),
            "realpath" | "readlink" | "grealpath" | "greadlink" => {
                let paths = operand().into_iter().map(|path| directory.clone().join(&path));
                paths.map(|path| self.real(path)).collect()
            }
            "basename" => operand().iter().map(Value::file_name).collect(),
            "echo" | "printf" | "command" | "which" | "type" => operand(),
            "git" if has("--show-toplevel") => {
                let after = arguments.iter().skip_while(|word| **word != "-C").nth(1);
                let from = after.and_then(|word| self.expand(word, depth + 1).into_iter().next());
                let is_own = from.as_ref().unwrap_or(directory).is_own;
                vec![Value { is_own, ..Value::path(self.scene.project) }]
            }
            _ if SILENT.contains(&program) => Vec::new(),
            _ => {
                let mut values = arguments.iter().flat_map(|word| self.expand(word, depth + 1));
                vec![Value { is_own: values.any(|value| value.is_own), ..Value::unknown() }]
            }
        }
    }

    fn last_operand(&self, arguments: &[&str], depth: usize) -> Vec<Value> {
        let operand = arguments.iter().rev().find(|word| !word.starts_with('-'));
        operand.map_or_else(|| vec![Value::unknown()], |word| self.expand(word, depth + 1))
    }

    /// A path behind all links.
    fn real(&self, value: Value) -> Value {
        if !value.is_known() || !value.text.starts_with('/') {
            return value;
        }
        let path = super::lexical(std::path::Path::new(&value.text));
        let real = self.scene.disk.real(&path);
        if value.is_own && real != path {
            self.follows_link.set(true);
        }
        Value { is_own: value.is_own, ..Value::path(&real) }
    }
}
