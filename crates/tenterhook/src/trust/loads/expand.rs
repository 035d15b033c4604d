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
    fn push_char(&mut self, c: char) {
        for value in self.0.iter_mut().filter(|value| value.rest != Rest::Unknown) {
            if value.rest == Rest::Parameter {
                value.rest = Rest::Unknown;
                continue;
            }
            value.text.push(c);
        }
    }

    fn append_values(&mut self, next: &[Value]) {
        let pairs =
            self.0.iter().flat_map(|value| next.iter().map(|next| value.clone().append(next)));
        let mut all: Vec<Value> = pairs.collect();
        all.dedup();
        if all.len() > MOST {
            let is_own = all.iter().any(|value| value.is_own);
            all.truncate(MOST);
            all.push(Value { is_own, ..Value::unknown() });
        }
        self.0 = all;
    }

    fn mark_as_pattern(&mut self) {
        for value in self.0.iter_mut().filter(|value| value.is_known()) {
            value.rest = Rest::Pattern;
        }
    }
}

impl Shell<'_> {
    /// Returns the possible values of a word as it is written.
    pub(super) fn expand_word(&self, source: &str, depth: usize) -> Vec<Value> {
        if depth > DEEPEST {
            return vec![Value::unknown()];
        }
        let mut parts = Parts(vec![Value::from_text("")]);
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
                    parts.push_char(c);
                    next
                }
                (_, '\\') => {
                    let escaped = source.get(next..).and_then(|rest| rest.chars().next());
                    escaped.inspect(|c| parts.push_char(*c));
                    next + escaped.map_or(0, char::len_utf8)
                }
                (_, '$') => self.expand_dollar(source, next, depth, &mut parts),
                (_, '`') => {
                    let end = source.get(next..).and_then(|rest| rest.find('`'));
                    let end = end.map_or(source.len(), |end| next + end);
                    let inner = source.get(next..end).unwrap_or_default();
                    parts.append_values(&self.substitution_values(inner, depth + 1));
                    end + 1
                }
                (None, '~') if at == 0 => {
                    let is_home = source
                        .get(next..)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
                    let home = Value::from_path(self.scene.home);
                    parts.append_values(&[if is_home { home } else { Value::unknown() }]);
                    next
                }
                (None, '*' | '?' | '[' | '{') => {
                    parts.mark_as_pattern();
                    parts.push_char(c);
                    next
                }
                _ => {
                    parts.push_char(c);
                    next
                }
            };
        }
        parts.0
    }

    /// Expands what follows the `$` at `at`, and returns where it ends.
    fn expand_dollar(&self, source: &str, at: usize, depth: usize, parts: &mut Parts) -> usize {
        let rest = source.get(at..).unwrap_or_default();
        if rest.starts_with("((") {
            parts.append_values(&[Value::unknown()]);
            return split::closing_bracket_index(source, at + 1, '(', ')') + 1;
        }
        if rest.starts_with('(') {
            let end = split::closing_bracket_index(source, at + 1, '(', ')');
            let inner = source.get(at + 1..end).unwrap_or_default();
            parts.append_values(&self.substitution_values(inner, depth + 1));
            return end + 1;
        }
        if rest.starts_with('{') {
            let end = split::closing_bracket_index(source, at + 1, '{', '}');
            let inner = source.get(at + 1..end).unwrap_or_default();
            parts.append_values(&self.expand_braces(inner, depth));
            return end + 1;
        }
        let is_name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        let digit = rest.chars().next().filter(|c| c.is_ascii_digit() || "@*#?!-$".contains(*c));
        let name = match digit {
            Some(c) => c.to_string(),
            None => rest.chars().take_while(is_name).collect(),
        };
        if name.is_empty() {
            parts.push_char('$');
        } else {
            parts.append_values(&self.variable_values(&name));
        }
        at + name.len()
    }

    /// Expands `${NAME}` and its operators.
    fn expand_braces(&self, inner: &str, depth: usize) -> Vec<Value> {
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
        let values = self.variable_values(name);
        let is_set = self.variables.contains_key(name)
            || self.scene.env_value(name).is_some()
            || name == "0"
            || name == "BASH_SOURCE";
        for sign in [":-", "-", ":=", "="] {
            let Some(default) = operation.strip_prefix(sign) else { continue };
            let default = self.expand_word(default, depth + 1);
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

    /// Returns the values that a variable may have at this point of the script.
    fn variable_values(&self, name: &str) -> Vec<Value> {
        match name {
            "0" => return self.script_path().into_iter().collect(),
            "BASH_SOURCE" => return self.current_file_path().into_iter().collect(),
            _ if name.chars().all(|c| c.is_ascii_digit() || "@*".contains(c)) => {
                return vec![Value { rest: Rest::Parameter, ..Value::from_text("") }];
            }
            _ => {}
        }
        let assigned = self.variables.get(name).cloned();
        let known = assigned.or_else(|| self.scene.env_value(name).map(|value| vec![value]));
        known.unwrap_or_else(|| vec![Value::unknown()])
    }

    /// Returns what a command substitution may print. Each of its commands may print, because it is
    /// unknown which of them runs.
    fn substitution_values(&self, text: &str, depth: usize) -> Vec<Value> {
        if depth > DEEPEST {
            return vec![Value::unknown()];
        }
        let mut directory = self.working_directory();
        let mut printed = Vec::new();
        for command in split::split_commands(text) {
            let is_assignment =
                |word: &&&str| word.contains('=') && !word.starts_with(['"', '\'', '=', '$']);
            let skipped = command.iter().take_while(is_assignment).count();
            let command = command.get(skipped..).and_then(<[&str]>::split_first);
            let Some((program, arguments)) = command else { continue };
            if matches!(*program, "cd" | "pushd") {
                let target = self.last_operand_values(arguments, depth).into_iter().next();
                directory =
                    target.map_or_else(Value::unknown, |target| directory.join_path(&target));
                continue;
            }
            printed.extend(self.command_output(program, arguments, &directory, depth));
        }
        printed.dedup();
        if printed.is_empty() { vec![Value::unknown()] } else { printed }
    }

    /// Returns what a command prints when it runs in `directory`.
    fn command_output(
        &self,
        program: &str,
        arguments: &[&str],
        directory: &Value,
        depth: usize,
    ) -> Vec<Value> {
        if let Some(body) = self.functions.get(program) {
            if body.len() <= LONGEST_FUNCTION {
                return self.substitution_values(body, depth + 1);
            }
            let is_own = body.contains("BASH_SOURCE") || body.contains("$0");
            return vec![Value { is_own, ..Value::unknown() }];
        }
        let has = |option: &str| arguments.contains(&option);
        let operand = || self.last_operand_values(arguments, depth);
        match program {
            "pwd" if has("-P") => vec![self.resolve_links(directory.clone())],
            "pwd" => vec![directory.clone()],
            "dirname" => operand().into_iter().map(Value::parent).collect(),
            "realpath" | "readlink" | "grealpath" | "greadlink" => {
                let paths = operand().into_iter().map(|path| directory.clone().join_path(&path));
                paths.map(|path| self.resolve_links(path)).collect()
            }
            "basename" => operand().iter().map(Value::file_name).collect(),
            "echo" | "printf" | "command" | "which" | "type" => operand(),
            "git" if has("--show-toplevel") => {
                let after = arguments.iter().skip_while(|word| **word != "-C").nth(1);
                let from =
                    after.and_then(|word| self.expand_word(word, depth + 1).into_iter().next());
                let is_own = from.as_ref().unwrap_or(directory).is_own;
                vec![Value { is_own, ..Value::from_path(self.scene.project) }]
            }
            _ if SILENT.contains(&program) => Vec::new(),
            _ => {
                let mut values =
                    arguments.iter().flat_map(|word| self.expand_word(word, depth + 1));
                vec![Value { is_own: values.any(|value| value.is_own), ..Value::unknown() }]
            }
        }
    }

    fn last_operand_values(&self, arguments: &[&str], depth: usize) -> Vec<Value> {
        let operand = arguments.iter().rev().find(|word| !word.starts_with('-'));
        operand.map_or_else(|| vec![Value::unknown()], |word| self.expand_word(word, depth + 1))
    }

    /// Resolves all links in a path.
    fn resolve_links(&self, value: Value) -> Value {
        if !value.is_known() || !value.text.starts_with('/') {
            return value;
        }
        let path = super::normalize_path(std::path::Path::new(&value.text));
        let real = self.scene.disk.real_path(&path);
        if value.is_own && real != path {
            self.follows_link.set(true);
        }
        Value { is_own: value.is_own, ..Value::from_path(&real) }
    }
}
