//! What does a script load that is written in Python, JavaScript, Ruby or Perl? Walks over its names and calls with the values of its
//! variables, by the vocabulary of its language; runs nothing, and knows of no grammar but calls, attributes and assignments.

mod call;
mod term;

use std::collections::HashMap;
use std::path::Path;

use super::language::{Does, Language, Vocabulary};
use super::value::{Rest, Value};
use super::{Loads, Note, Role, Scene};

/// Deepest nest of calls that is computed.
const DEEPEST: usize = 40;
/// Most values of one expression.
const MOST: usize = 6;
/// Words that stand before an expression and change nothing of it.
const PREFIXES: &[&str] = &[
    "await", "const", "export", "let", "local", "my", "new", "not", "our", "return", "self",
    "typeof", "var", "yield",
];
/// Words that define the function which they are followed by.
const DEFINES: &[&str] = &["def", "function", "sub", "class"];
/// Names of modules whose functions are known by their last part.
const MODULES: &[&str] = &[
    "builtins",
    "child_process",
    "childProcess",
    "cp",
    "Dir",
    "File",
    "fs",
    "importlib",
    "importlib.machinery",
    "importlib.util",
    "imp",
    "Kernel",
    "module",
    "node_path",
    "nodePath",
    "os",
    "os.path",
    "osp",
    "path",
    "Path",
    "pathlib",
    "Pathname",
    "posixpath",
    "process",
    "runpy",
    "subprocess",
    "url",
    "util",
    "vm",
    "worker_threads",
];

/// A part of an expression.
pub(super) enum Term {
    /// A name that has no value yet, such as that of a function.
    Name(String),
    Values(Vec<Value>),
    /// A list: each entry with its values.
    List(Vec<Vec<Value>>),
}

/// A script on the way through its text.
pub(super) struct Code<'a> {
    pub(super) scene: Scene<'a>,
    pub(super) language: Language,
    pub(super) names: &'static Vocabulary,
    pub(super) text: &'a str,
    pub(super) at: usize,
    depth: usize,
    variables: HashMap<String, Vec<Value>>,
    /// Where modules are looked up.
    pub(super) search: Vec<Value>,
    /// The modules that it loads by name, with the line.
    pub(super) modules: Vec<(String, Note)>,
    pub(super) loads: &'a mut Loads,
}

pub(super) fn read(language: Language, text: &str, scene: Scene<'_>, loads: &mut Loads) {
    let Some(names) = language.vocabulary() else { return };
    let search =
        scene.search.iter().map(|(path, is_own)| Value { is_own: *is_own, ..Value::path(path) });
    let mut code = Code {
        search: search.collect(),
        scene,
        language,
        names,
        text,
        at: 0,
        depth: 0,
        variables: HashMap::new(),
        modules: Vec::new(),
        loads,
    };
    code.begin();
    while code.at < text.len() {
        let before = code.at;
        code.statement();
        // Whatever is read, it goes on.
        code.at = code.at.max(before + 1);
        while !text.is_char_boundary(code.at) {
            code.at += 1;
        }
    }
    code.end();
}

impl<'a> Code<'a> {
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn note(&self, at: usize, shown: &str) -> Note {
        let line = self.text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        let file = self.scene.script.unwrap_or(self.scene.base).to_owned();
        Note {
            file,
            line,
            text: shown.trim().lines().next().unwrap_or_default().chars().take(80).collect(),
        }
    }

    /// Blanks and comments; line ends, too, unless an expression ends there.
    pub(super) fn blank(&mut self, lines: bool) {
        loop {
            let rest = self.rest();
            let blanks = rest
                .find(|c: char| !(c.is_whitespace() && (lines || c != '\n')))
                .unwrap_or(rest.len());
            self.at += blanks;
            let rest = self.rest();
            if rest.starts_with(self.names.comment) {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") && self.names.comment == "//" {
                self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            } else if rest.starts_with("\\\n") {
                self.at += 2;
            } else {
                return;
            }
        }
    }

    /// A name, with `::` as a part of it and `.` where the language joins names by it.
    pub(super) fn identifier(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let first = rest.chars().next()?;
        if !(first.is_alphabetic() || "_$@".contains(first)) {
            return None;
        }
        let mut end = first.len_utf8();
        if first == '$'
            && rest.get(1..).is_some_and(|rest| rest.starts_with([':', '0', '!']))
            && !rest.starts_with("$::")
        {
            end = 2;
        } else {
            let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            end += rest.get(end..)?.find(|c| !is_name(c)).unwrap_or(rest.len() - end);
            while let Some(after) = rest
                .get(end..)
                .and_then(|rest| rest.strip_prefix("::"))
                .filter(|rest| rest.starts_with(char::is_alphabetic))
            {
                end += 2 + after.find(|c| !is_name(c)).unwrap_or(after.len());
            }
        }
        self.at += end;
        rest.get(..end)
    }

    /// One statement's beginning, an expression, or a character that is part of none.
    fn statement(&mut self) {
        self.blank(true);
        let start = self.at;
        if self.import() {
            return;
        }
        if let Some(values) = self.assignment() {
            // A file is pinned wherever it is used later.
            let files = values.iter().filter(|value| value.is_own && value.is_known());
            let files: Vec<Value> =
                files.filter(|value| !self.is_directory(value)).cloned().collect();
            self.escape(&files, start);
            return;
        }
        self.at = start;
        // A definition of a function is no call of it.
        if self.identifier().is_some_and(|word| DEFINES.contains(&word)) {
            self.blank(false);
            self.identifier();
            return;
        }
        self.at = start;
        let term = self.expression(0);
        let values = self.values(term, start);
        self.escape(&values, start);
    }

    fn is_directory(&self, value: &Value) -> bool {
        value
            .resolved(&Value::path(self.scene.base))
            .is_none_or(|path| self.scene.disk.is_directory(&path))
    }

    /// `NAME = EXPRESSION`: the values, where it is one.
    fn assignment(&mut self) -> Option<Vec<Value>> {
        while let Some(word) = self.identifier() {
            self.blank(false);
            let mut name = word.to_owned();
            while self.rest().starts_with('.') && self.language != Language::Perl {
                self.at += 1;
                name = format!("{name}.{}", self.identifier()?);
            }
            self.blank(false);
            if self.rest().starts_with(": ") && self.language != Language::Perl {
                let annotation = self.rest().find(['=', '\n', ',', '{', '(']).filter(|at| {
                    self.rest().get(*at..).is_some_and(|rest| rest.starts_with('='))
                })?;
                self.at += annotation;
            }
            let rest = self.rest();
            let sign = ["||=", "+=", "="].iter().find(|sign| rest.starts_with(**sign));
            if let Some(sign) = sign.filter(|_| {
                !rest.starts_with("==") && !rest.starts_with("=>") && !rest.starts_with("=~")
            }) {
                let start = self.at;
                self.at += sign.len();
                self.blank(true);
                let term = self.expression(0);
                return Some(self.assign(&name, term, start));
            }
            if !PREFIXES.contains(&word) {
                return None;
            }
            self.blank(false);
        }
        None
    }

    fn assign(&mut self, name: &str, term: Term, start: usize) -> Vec<Value> {
        let is_search = self.names.does.iter().any(|(row, does)| {
            *does == Does::Searches && row.rsplit_once('.').is_some_and(|(of, _)| of == name)
        });
        if is_search {
            self.searches(vec![term], start);
            return Vec::new();
        }
        let values = self.values(term, start);
        let plain = name.strip_prefix("self.").unwrap_or(name);
        let known = self.variables.entry(plain.to_owned()).or_default();
        for value in &values {
            if known.len() < MOST && !known.contains(value) {
                known.push(value.clone());
            }
        }
        values
    }

    /// A name that may be the script's own path, the working directory, or a variable.
    pub(super) fn named(&self, name: String) -> Term {
        let own = self.own();
        if self.names.file.contains(&&*name) {
            return Term::Values(own.into_iter().collect());
        }
        if self.names.directory.contains(&&*name) {
            return Term::Values(own.map(Value::parent).into_iter().collect());
        }
        let plain = name.strip_prefix('.').unwrap_or(&name);
        match self.variables.get(plain) {
            Some(values) => Term::Values(values.clone()),
            None => Term::Name(plain.to_owned()),
        }
    }

    /// The script's own path, as the language names it.
    pub(super) fn own(&self) -> Option<Value> {
        let own = self.scene.own()?;
        Some(if self.names.is_real { self.real(&own) } else { own })
    }

    fn real(&self, value: &Value) -> Value {
        if !value.is_known() || !value.text.starts_with('/') {
            return value.clone();
        }
        Value {
            is_own: value.is_own,
            ..Value::path(&self.scene.disk.real(&super::lexical(Path::new(&value.text))))
        }
    }

    /// What a term is worth; what a list holds was used by what it is handed to, or is used now.
    pub(super) fn values(&mut self, term: Term, start: usize) -> Vec<Value> {
        match term {
            Term::Values(values) => values,
            Term::Name(_) => vec![Value::unknown()],
            Term::List(entries) => {
                for values in &entries {
                    self.escape(values, start);
                }
                vec![Value::unknown()]
            }
        }
    }

    /// Paths beside the script that something uses which is not known here.
    pub(super) fn escape(&mut self, values: &[Value], start: usize) {
        let base = Value::path(self.scene.base);
        for value in values.iter().filter(|value| value.is_own) {
            let shown = self.text.get(start..self.at).unwrap_or_default();
            let note = self.note(start, shown);
            let role = if value.rest == Rest::Nothing { Role::Reads } else { Role::Around };
            let plain = Value {
                text: value.text.trim_end_matches('\0').replace("file://", ""),
                ..value.clone()
            };
            if plain.text.starts_with('/') {
                self.loads.add(&plain, &base, role, note);
                continue;
            }
            // Within a text: `bash /p/hooks/x.sh`.
            for part in plain
                .text
                .split(|c: char| c.is_whitespace() || "\"'=,:".contains(c))
                .filter(|part| part.starts_with('/'))
            {
                let part = Value { is_own: true, ..Value::text(part) };
                self.loads.add(&part, &base, role, note.clone());
            }
        }
    }
}

/// All pairs of two lists of values, put together.
pub(super) fn product(
    left: &[Value],
    right: &[Value],
    put: impl Fn(Value, &Value) -> Value,
) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for one in left {
        for other in right {
            let value = put(one.clone(), other);
            if !all.contains(&value) && all.len() < MOST {
                all.push(value);
            }
        }
    }
    all
}
