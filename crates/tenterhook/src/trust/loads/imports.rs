//! Which modules does a statement of a script load, and which names does it give them? Looks up nothing itself.

use super::code::{Code, Term, module_name};
use super::language::Language;
use super::value::Value;

impl Code<'_> {
    /// Reads a statement that loads a module. Returns `false` if none begins here.
    pub(super) fn read_import(&mut self) -> bool {
        let start = self.at;
        let is_line_start = self.text.get(..start).is_none_or(|before| {
            before.trim_end_matches([' ', '\t']).ends_with(['\n', ';', ':'])
                || before.trim().is_empty()
        });
        let word = self.read_identifier().unwrap_or_default();
        self.skip_blanks(false);
        let is_import = match (self.language, word) {
            (Language::Python, "import" | "from") if is_line_start => {
                self.read_python_import(word == "from");
                true
            }
            (Language::Node, "import" | "from" | "export") => {
                match self.read_javascript_import(word) {
                    Some(values) => {
                        let note = self.build_note_at(
                            start,
                            self.text.get(start..self.at).unwrap_or_default(),
                        );
                        values.iter().for_each(|value| self.add_module(value, true, &note));
                        true
                    }
                    None => false,
                }
            }
            (Language::Perl, "use" | "unshift" | "push") => self.read_perl_use_or_inc(word, start),
            _ => false,
        };
        if !is_import {
            self.at = start;
        }
        is_import
    }

    fn read_python_import(&mut self, is_from: bool) {
        let start = self.at;
        let mut line = first_python_statement(self.remaining_text());
        if line.contains('(') {
            let close = self.remaining_text().find(')').unwrap_or(line.len());
            line = self.remaining_text().get(..close).unwrap_or(line);
        }
        self.at += line.len();
        let plain = line.lines().map(|line| line.split('#').next().unwrap_or_default());
        let line = plain.collect::<Vec<_>>().join(" ").replace(['(', ')', '\\', '\t'], " ");
        let note = self.build_note_at(start, &line);
        let name = |part: &str| part.split_whitespace().next().unwrap_or_default().to_owned();
        if is_from {
            let Some((module, names)) = line.split_once(" import ") else { return };
            let module = module.trim();
            let of = Term::Name(module.to_owned());
            match names.trim() {
                "*" => self.bindings.whole_modules.push(module.to_owned()),
                names => self.bind_members(names, ' ', &of),
            }
            let separator = if module.ends_with('.') { "" } else { "." };
            self.add_python_module(module, &note);
            for part in names.split(',').map(name).filter(|part| !part.is_empty() && part != "*") {
                self.add_python_module(&format!("{module}{separator}{part}"), &note);
            }
            return;
        }
        for part in line.split(',') {
            let module = name(part);
            let first = module.split('.').next().unwrap_or_default();
            match part.split_once(" as ") {
                Some((_, bound)) => {
                    self.bindings.bind_name(bound.trim(), Term::Name(module.clone()))
                }
                None => self.bindings.bind_module(first),
            }
            if !module.is_empty() {
                self.add_python_module(&module, &note);
            }
        }
    }

    fn read_perl_use_or_inc(&mut self, word: &str, start: usize) -> bool {
        if word != "use" {
            if !self.remaining_text().starts_with("@INC") {
                return false;
            }
            self.at += "@INC".len();
            self.skip_blanks(true);
            if self.remaining_text().starts_with(',') {
                self.at += 1;
            }
            self.skip_blanks(true);
            let directories = self.read_expression(1);
            self.add_search_directories(vec![directories], start);
            return true;
        }
        let Some(module) = self.read_identifier() else { return false };
        self.skip_blanks(true);
        if module == "lib" {
            let directories = self.read_expression(1);
            self.add_search_directories(vec![directories], start);
        } else {
            let note = self.build_note_at(start, &format!("use {module}"));
            self.modules.push((format!("{}.pm", module.replace("::", "/")), note));
        }
        true
    }

    /// Reads the module text of an `import` or `from`, and binds the imported names.
    fn read_javascript_import(&mut self, word: &str) -> Option<Vec<Value>> {
        let from = self.at;
        let quote = self.remaining_text().find(['"', '\''])?;
        let clause = self.remaining_text().get(..quote)?;
        let is_clause = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_$,{}*".contains(c);
        let plain = clause.trim();
        let names = plain.strip_suffix("from").unwrap_or(plain).trim().to_owned();
        let is_whole = plain.is_empty() || plain.ends_with("from");
        if !clause.chars().all(is_clause) || !is_whole || word == "from" && !plain.is_empty() {
            return None;
        }
        self.at = from + quote;
        let values = self.read_string(0)?;
        let module = values.first().filter(|value| value.is_known() && word == "import");
        if let Some(module) = module {
            self.bind_imports(&names, module_name(&module.text));
        }
        Some(values)
    }

    /// Binds the names of `import DEFAULT, {A as B} from MODULE` and `import * as ALL from MODULE`.
    fn bind_imports(&mut self, names: &str, module: &str) {
        let module = Term::Name(module.to_owned());
        let (before, inner) = names.split_once('{').unwrap_or((names, ""));
        self.bind_members(inner.trim_end_matches([' ', '}', '\n', '\t']), ' ', &module);
        for name in before.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let name = name.strip_prefix("type ").unwrap_or(name);
            let name = name.split_whitespace().next_back().unwrap_or(name);
            self.bindings.bind_name(name, module.clone());
        }
    }
}

/// Returns the text up to the end of a Python statement, including continued lines.
fn first_python_statement(text: &str) -> &str {
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
