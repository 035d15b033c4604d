//! What does a script load that is written in Python, JavaScript, Ruby or Perl? Walks over its names and calls with the values of its
//! variables, by the vocabulary of its language; runs nothing, and knows of no grammar but calls, attributes and assignments.

mod bindings;
mod call;
mod functions;
mod operand;
mod starts;
mod term;

use std::collections::HashSet;
use std::path::Path;

use super::language::{Language, Vocabulary};
use super::value::{Rest, Value};
use super::{Loads, Note, Role, Scene};
use bindings::Bindings;
pub(super) use call::module_name;
pub(super) use term::Term;

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
/// A script on the way through its text.
pub(super) struct Code<'a> {
    pub(super) scene: Scene<'a>,
    pub(super) language: Language,
    pub(super) names: &'static Vocabulary,
    pub(super) text: &'a str,
    pub(super) at: usize,
    depth: usize,
    own: Option<Value>,
    /// How deep the block lies whose statements are read.
    floor: usize,
    /// Whether names are only collected, since a function may use names that are assigned later.
    collects: bool,
    /// The working directories that it may change to.
    entered: Vec<Value>,
    /// The lines of a shell that were read already.
    lines: HashSet<String>,
    /// The function whose body is read.
    function: String,
    pub(super) bindings: Bindings,
    /// Where modules are looked up.
    pub(super) search: Vec<Value>,
    /// The modules that it loads by name, with the line.
    pub(super) modules: Vec<(String, Note)>,
    pub(super) loads: &'a mut Loads,
}

pub(super) fn add_code_loads(language: Language, text: &str, scene: Scene<'_>, loads: &mut Loads) {
    let Some(names) = language.vocabulary() else { return };
    let mut collected = Loads::default();
    let mut code = Code::new(language, names, text, scene, &mut collected);
    code.collects = true;
    code.read_all_statements();
    let (bindings, entered) = (code.bindings, code.entered);
    let mut code = Code::new(language, names, text, scene, loads);
    code.bindings = bindings;
    code.entered = entered;
    code.read_all_statements();
    code.look_up_modules_at_end();
}

impl<'a> Code<'a> {
    fn new(
        language: Language,
        names: &'static Vocabulary,
        text: &'a str,
        scene: Scene<'a>,
        loads: &'a mut Loads,
    ) -> Self {
        let own = scene
            .script_path()
            .map(|own| if names.is_real { resolve_links(&own, scene) } else { own });
        let search = scene.search.iter();
        let search =
            search.map(|(path, is_own)| Value { is_own: *is_own, ..Value::from_path(path) });
        Self {
            search: search.collect(),
            scene,
            language,
            names,
            text,
            at: 0,
            depth: 0,
            own,
            floor: 0,
            collects: false,
            entered: Vec::new(),
            lines: HashSet::new(),
            function: String::new(),
            bindings: Bindings::default(),
            modules: Vec::new(),
            loads,
        }
    }

    fn read_all_statements(&mut self) {
        self.set_module_directories();
        while self.at < self.text.len() {
            self.read_statement_or_skip();
        }
    }

    /// Reads a statement, or skips a character, so that the position always advances.
    fn read_statement_or_skip(&mut self) {
        let before = self.at;
        self.read_statement();
        self.at = self.at.max(before + 1);
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
    }

    /// Reads the statements of the block that begins here, up to its end.
    pub(super) fn read_block(&mut self, depth: usize) {
        let floor = std::mem::replace(&mut self.floor, depth);
        self.at += 1;
        loop {
            self.skip_blanks(true);
            match self.peek_char() {
                None => break,
                Some('}') => {
                    self.at += 1;
                    break;
                }
                Some('{') if self.floor < DEEPEST => self.read_block(self.floor + 1),
                Some(_) => self.read_statement_or_skip(),
            }
        }
        self.floor = floor;
    }

    pub(super) fn remaining_text(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek_char(&self) -> Option<char> {
        self.remaining_text().chars().next()
    }

    pub(super) fn build_note_at(&self, at: usize, shown: &str) -> Note {
        if let Some(within) = self.scene.within {
            return within.clone();
        }
        let line = self.text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        let file = self.scene.script.unwrap_or(self.scene.base).to_owned();
        Note {
            file,
            line,
            text: shown.trim().lines().next().unwrap_or_default().chars().take(80).collect(),
        }
    }

    /// Skips blanks and comments, and line ends unless an expression ends there.
    pub(super) fn skip_blanks(&mut self, lines: bool) {
        loop {
            let rest = self.remaining_text();
            let blanks = rest
                .find(|c: char| !(c.is_whitespace() && (lines || c != '\n')))
                .unwrap_or(rest.len());
            self.at += blanks;
            let rest = self.remaining_text();
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

    /// Reads a name. `::` is part of a name, and `.` in languages that join names by it.
    pub(super) fn read_identifier(&mut self) -> Option<&'a str> {
        let rest = self.remaining_text();
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

    /// Reads the beginning of a statement, an expression, or a character that is part of neither.
    fn read_statement(&mut self) {
        self.skip_blanks(true);
        let start = self.at;
        if self.read_import() || self.read_for_loop() {
            return;
        }
        if let Some(values) = self.read_assignment() {
            // A file is pinned wherever it is used later.
            let files = values.iter().filter(|value| value.is_own && value.is_known());
            let files: Vec<Value> =
                files.filter(|value| !self.is_directory(value)).cloned().collect();
            self.add_paths_of_unknown_use(&files, start);
            return;
        }
        self.at = start;
        // A definition of a function is no call of it.
        let word = self.read_identifier().unwrap_or_default();
        if DEFINES.contains(&word) {
            return self.read_definition(word);
        }
        let is_result = word == "return";
        self.at = start;
        let term = self.read_choice(self.floor);
        if is_result && !self.function.is_empty() {
            self.bindings.bind_name(&format!("{}()", self.function), term.clone());
        }
        let values = self.values_of_term(term, start);
        self.add_paths_of_unknown_use(&values, start);
    }

    fn is_directory(&self, value: &Value) -> bool {
        value
            .resolve_from(&Value::from_path(self.scene.base))
            .is_none_or(|path| self.scene.disk.is_directory(&path))
    }

    /// Returns the script's own path, as the language gives it.
    pub(super) fn script_path(&self) -> Option<Value> {
        self.own.clone()
    }

    fn real_path(&self, value: &Value) -> Value {
        resolve_links(value, self.scene)
    }

    /// Returns the possible values of a term. Entries of a list were used by the call that takes
    /// the list, or are used now.
    pub(super) fn values_of_term(&mut self, term: Term, start: usize) -> Vec<Value> {
        match term {
            Term::Values(values) => values,
            Term::Name(_) | Term::Method(..) => vec![Value::unknown()],
            Term::Keyword(_, term) => self.values_of_term(*term, start),
            Term::Any(terms) => {
                let mut all = Vec::new();
                for term in terms {
                    all.extend(self.values_of_term(term, start));
                }
                all.dedup();
                if all.len() > MOST {
                    all.truncate(MOST);
                    all.push(Value::unknown());
                }
                all
            }
            Term::List(entries) => {
                for entry in entries {
                    let values = self.values_of_term(entry, start);
                    self.add_paths_of_unknown_use(&values, start);
                }
                vec![Value::unknown()]
            }
            Term::Object(entries) => {
                for (_, entry) in entries {
                    let values = self.values_of_term(entry, start);
                    self.add_paths_of_unknown_use(&values, start);
                }
                vec![Value::unknown()]
            }
        }
    }

    /// Adds paths beside the script that are used in an unknown way.
    pub(super) fn add_paths_of_unknown_use(&mut self, values: &[Value], start: usize) {
        if self.collects {
            return;
        }
        let base = Value::from_path(self.scene.base);
        for value in values.iter().filter(|value| value.is_own) {
            let shown = self.text.get(start..self.at).unwrap_or_default();
            let note = self.build_note_at(start, shown);
            let role = if value.rest == Rest::Nothing { Role::Reads } else { Role::Around };
            let plain = Value {
                text: value.text.trim_end_matches('\0').replace("file://", ""),
                ..value.clone()
            };
            if plain.text.starts_with('/') {
                self.loads.add_load(&plain, &base, role, note);
                continue;
            }
            // Within a text: `bash /p/hooks/x.sh`.
            for part in plain
                .text
                .split(|c: char| c.is_whitespace() || "\"'=,:".contains(c))
                .filter(|part| part.starts_with('/'))
            {
                let part = Value { is_own: true, ..Value::from_text(part) };
                self.loads.add_load(&part, &base, role, note.clone());
            }
        }
    }
}

/// Resolves all links in a path.
fn resolve_links(value: &Value, scene: Scene<'_>) -> Value {
    if !value.is_known() || !value.text.starts_with('/') {
        return value.clone();
    }
    let path = super::normalize_path(Path::new(&value.text));
    Value { is_own: value.is_own, ..Value::from_path(&scene.disk.real_path(&path)) }
}

/// Combines each value of one list with each value of another.
pub(super) fn combine_values(
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
