//! Which modules does a statement of a script load, and which names does it give them? Looks up nothing itself.

use super::code::{Code, Term, module_name};
use super::language::Language;
use super::value::Value;

impl Code<'_> {
    /// A statement that loads a module, if one begins here.
    pub(super) fn import(&mut self) -> bool {
        let start = self.at;
        let is_line_start = self.text.get(..start).is_none_or(|before| {
            before.trim_end_matches([' ', '\t']).ends_with(['\n', ';', ':'])
                || before.trim().is_empty()
        });
        let word = self.identifier().unwrap_or_default();
        self.blank(false);
        let is_import = match (self.language, word) {
            (Language::Python, "import" | "from") if is_line_start => {
                self.python_import(word == "from");
                true
            }
            (Language::Node, "import" | "from" | "export") => match self.module_text(word) {
                Some(values) => {
                    let note = self.note(start, self.text.get(start..self.at).unwrap_or_default());
                    values.iter().for_each(|value| self.module(value, true, &note));
                    true
                }
                None => false,
            },
            (Language::Perl, "use" | "unshift" | "push") => self.perl_use(word, start),
            _ => false,
        };
        if !is_import {
            self.at = start;
        }
        is_import
    }

    fn python_import(&mut self, is_from: bool) {
        let start = self.at;
        let mut line = statement(self.rest());
        if line.contains('(') {
            let close = self.rest().find(')').unwrap_or(line.len());
            line = self.rest().get(..close).unwrap_or(line);
        }
        self.at += line.len();
        let plain = line.lines().map(|line| line.split('#').next().unwrap_or_default());
        let line = plain.collect::<Vec<_>>().join(" ").replace(['(', ')', '\\', '\t'], " ");
        let note = self.note(start, &line);
        let name = |part: &str| part.split_whitespace().next().unwrap_or_default().to_owned();
        if is_from {
            let Some((module, names)) = line.split_once(" import ") else { return };
            let module = module.trim();
            let of = Term::Name(module.to_owned());
            match names.trim() {
                "*" => self.bindings.whole_modules.push(module.to_owned()),
                names => self.take(names, ' ', &of),
            }
            let separator = if module.ends_with('.') { "" } else { "." };
            self.python_module(module, &note);
            for part in names.split(',').map(name).filter(|part| !part.is_empty() && part != "*") {
                self.python_module(&format!("{module}{separator}{part}"), &note);
            }
            return;
        }
        for part in line.split(',') {
            let module = name(part);
            let first = module.split('.').next().unwrap_or_default();
            match part.split_once(" as ") {
                Some((_, bound)) => self.bindings.bind(bound.trim(), Term::Name(module.clone())),
                None => self.bindings.imported(first),
            }
            if !module.is_empty() {
                self.python_module(&module, &note);
            }
        }
    }

    fn perl_use(&mut self, word: &str, start: usize) -> bool {
        if word != "use" {
            if !self.rest().starts_with("@INC") {
                return false;
            }
            self.at += "@INC".len();
            self.blank(true);
            if self.rest().starts_with(',') {
                self.at += 1;
            }
            self.blank(true);
            let directories = self.expression(1);
            self.searches(vec![directories], start);
            return true;
        }
        let Some(module) = self.identifier() else { return false };
        self.blank(true);
        if module == "lib" {
            let directories = self.expression(1);
            self.searches(vec![directories], start);
        } else {
            let note = self.note(start, &format!("use {module}"));
            self.modules.push((format!("{}.pm", module.replace("::", "/")), note));
        }
        true
    }

    /// The text behind `import`, whose names stand for what is imported.
    fn module_text(&mut self, word: &str) -> Option<Vec<Value>> {
        let from = self.at;
        let quote = self.rest().find(['"', '\''])?;
        let clause = self.rest().get(..quote)?;
        let is_clause = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_$,{}*".contains(c);
        let plain = clause.trim();
        let names = plain.strip_suffix("from").unwrap_or(plain).trim().to_owned();
        let is_whole = plain.is_empty() || plain.ends_with("from");
        if !clause.chars().all(is_clause) || !is_whole || word == "from" && !plain.is_empty() {
            return None;
        }
        self.at = from + quote;
        let values = self.string(0)?;
        let module = values.first().filter(|value| value.is_known() && word == "import");
        if let Some(module) = module {
            self.imported(&names, module_name(&module.text));
        }
        Some(values)
    }

    /// Binds the names of `import DEFAULT, {A as B} from MODULE` and `import * as ALL from MODULE`.
    fn imported(&mut self, names: &str, module: &str) {
        let module = Term::Name(module.to_owned());
        let (before, inner) = names.split_once('{').unwrap_or((names, ""));
        self.take(inner.trim_end_matches([' ', '}', '\n', '\t']), ' ', &module);
        for name in before.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let name = name.strip_prefix("type ").unwrap_or(name);
            let name = name.split_whitespace().next_back().unwrap_or(name);
            self.bindings.bind(name, module.clone());
        }
    }
}

/// The text up to the end of a statement of Python, across lines that go on.
fn statement(text: &str) -> &str {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        if let Some(at) = line.find(';') {
            end += at;
            break;
        }
        let plain = line.trim_end_matches('\n');
        if !plain.ends_with('\\') {
            end += plain.len();
            break;
        }
        end += line.len();
    }
    text.get(..end).unwrap_or(text)
}
