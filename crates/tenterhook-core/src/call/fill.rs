//! What does a word stand for, with the variables that the line itself sets? Expands nothing that only a run could know.
//!
//! A variable may have several values: `for d in / /etc; do rm -rf $d; done` is both. An unknown part stays as written.

mod assign;
mod parameter;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use tenterhook_shell::{Context, Line, SimpleCommand, Word, WordKind};

use crate::event::meter::Meter;
use crate::protect::PACKAGE;
use parameter::{Parameter, parse_parameter};

/// The longest text that variables are put into: `X=$X$X` doubles its value every time, so a short line could ask for all
/// memory there is.
const LONGEST: usize = 4 * 1024;
/// Most texts that one word may stand for.
const MOST: usize = 32;
/// Deepest nest of substitutions that are looked into.
const DEEPEST: usize = 3;

/// What parts a text into words, where a value with blanks was put in without quotes.
const PART: char = '\u{1f}';

/// What a word stands for: each text that it may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filled(Vec<String>);

/// The variables of a line.
#[derive(Debug)]
pub(super) struct Variables<'m> {
    values: HashMap<String, Vec<String>>,
    pub(super) cwd: String,
    pub(super) project: String,
    meter: &'m Meter<'m>,
    /// The substitutions that were read so far: a line may hold the same one thousands of times.
    substitutions: RefCell<HashMap<String, Option<Rc<Line>>>>,
    /// How often a variable was set.
    version: usize,
    /// Whether a text was longer, or stood for more texts, than is followed.
    too_much: Cell<bool>,
}

impl Filled {
    fn from_text(text: &str) -> Self {
        Self(vec![text.to_owned()])
    }

    /// Returns the first text that the word may stand for.
    pub(super) fn into_first_text(self) -> String {
        self.0.into_iter().next().unwrap_or_default().replace(PART, " ")
    }

    /// Returns each text that the word may stand for.
    pub(super) fn into_texts(self) -> Vec<String> {
        self.0.into_iter().map(|text| text.replace(PART, " ")).collect()
    }

    /// Iterates over the texts that the word may stand for, each split into words.
    pub(super) fn word_choices(&self) -> impl Iterator<Item = Vec<String>> {
        self.0.iter().map(|text| {
            let parted = text.contains(PART);
            let words = text.split(PART).filter(|part| !parted || !part.is_empty());
            words.map(str::to_owned).collect()
        })
    }

    /// Returns every word that the texts contain.
    pub(super) fn into_words(self) -> Vec<String> {
        self.word_choices().flatten().collect()
    }

    /// Appends a text to each choice. Returns whether there was room for all.
    fn append_to_each_choice(&mut self, text: &str) -> bool {
        let mut fits = true;
        for filled in &mut self.0 {
            if filled.len() + text.len() <= LONGEST {
                filled.push_str(text);
            } else {
                fits = false;
            }
        }
        fits
    }

    /// Replaces each text by one with each of `values` appended; `parts` are further characters at
    /// which unquoted values are split into words. Returns whether there was room for all.
    fn append_each_of_values(&mut self, values: &[String], parts: Option<&str>) -> bool {
        let fits = |text: &String, value: &String| text.len() + value.len() <= LONGEST;
        let put = |text: &String, value: &String| match parts {
            Some(more) => {
                let is_part = |c: char| c.is_whitespace() || more.contains(c);
                format!("{text}{}", value.replace(is_part, &PART.to_string()))
            }
            None => format!("{text}{value}"),
        };
        let chosen = self.0.iter().flat_map(|text| {
            let fitting = values.iter().filter(|value| fits(text, value));
            fitting.map(|value| put(text, value)).collect::<Vec<_>>()
        });
        let chosen: Vec<String> = chosen.take(MOST).collect();
        let all = chosen.len() == self.0.len().saturating_mul(values.len());
        if !chosen.is_empty() {
            self.0 = chosen;
        }
        all
    }
}

impl<'m> Variables<'m> {
    /// Creates an empty set of variables, in a directory of a project.
    pub(super) fn new_in_directory(cwd: &str, project: &str, meter: &'m Meter<'m>) -> Self {
        Self {
            values: HashMap::new(),
            cwd: cwd.to_owned(),
            project: project.to_owned(),
            meter,
            substitutions: RefCell::default(),
            version: 0,
            too_much: Cell::new(false),
        }
    }

    /// Generation counter: bumped whenever an assignment may change what a word expands to.
    pub(super) const fn assignment_generation(&self) -> usize {
        self.version
    }

    /// Whether some word stands for more than is followed.
    pub(super) const fn has_exceeded_limit(&self) -> bool {
        self.too_much.get()
    }

    /// Sets the directory in which the rest of the line runs.
    pub(super) fn set_current_directory(&mut self, cwd: String) {
        self.version += 1;
        self.cwd = cwd;
    }

    pub(super) fn set_values(&mut self, name: &str, values: Vec<String>) {
        self.version += 1;
        self.meter
            .spend_steps_for_bytes(name.len() + values.iter().map(String::len).sum::<usize>());
        self.values.insert(name.to_owned(), values);
    }

    /// Sets the parameters `$1`, `$2`, ... and those that stand for all of them.
    pub(super) fn set_parameters(&mut self, all: &[String]) {
        for (at, one) in all.iter().enumerate() {
            self.set_values(&(at + 1).to_string(), vec![one.clone()]);
        }
        let joined = all.join(" ");
        self.set_values("@", vec![joined.clone()]);
        self.set_values("*", vec![joined]);
    }

    /// Expands a word: removes its quotes, and inserts the values of known variables.
    pub(super) fn expand_word(&self, word: &Word) -> Filled {
        if word.kind == WordKind::Literal {
            Filled::from_text(&word.text)
        } else {
            self.expand_source_text(&word.source, 0)
        }
    }

    /// Expands a text as a shell does, such as a here-document.
    pub(super) fn expand_text(&self, text: &str) -> String {
        let escaped = text.replace('"', "\\\"").replace('\'', "\\'");
        self.expand_source_text(&escaped, 0).into_first_text()
    }

    /// Expands a source text, quotes and substitutions included, to all the texts that it may stand
    /// for.
    fn expand_source_text(&self, source: &str, depth: usize) -> Filled {
        let mut filled = Filled::from_text("");
        let mut quoted = false;
        let mut rest = source;
        while let Some(at) = rest.find(['$', '"', '\'', '\\', '`']) {
            if !self.meter.spend_steps_for_bytes(4 * filled.0.len() * (1 + at)) {
                return filled;
            }
            let (before, from) = rest.split_at(at);
            self.append_and_note_excess(&mut filled, before);
            let mut after = from.chars();
            let sign = after.next();
            rest = after.as_str();
            match sign {
                Some('"') => quoted = !quoted,
                Some('\'') if !quoted => {
                    let (inner, behind) = rest.split_once('\'').unwrap_or((rest, ""));
                    self.append_and_note_excess(&mut filled, inner);
                    rest = behind;
                }
                Some('\\') => {
                    let next = rest.chars().next().map_or(0, char::len_utf8);
                    self.append_and_note_excess(&mut filled, rest.get(..next).unwrap_or_default());
                    rest = rest.get(next..).unwrap_or_default();
                }
                Some('`') => {
                    let (inner, behind) = rest.split_once('`').unwrap_or((rest, ""));
                    match self.substitution_output(inner, depth) {
                        Some(text) => self.append_values(&mut filled, &[text], !quoted),
                        None => self.append_and_note_excess(&mut filled, &format!("`{inner}`")),
                    }
                    rest = behind;
                }
                Some('$') => rest = self.expand_dollar(rest, quoted, depth, &mut filled),
                _ => self.append_and_note_excess(&mut filled, "'"),
            }
        }
        self.meter.spend_steps_for_bytes(filled.0.len() * rest.len());
        self.append_and_note_excess(&mut filled, rest);
        filled
    }

    /// Appends a text to each choice, and remembers if there was no room for all.
    fn append_and_note_excess(&self, filled: &mut Filled, text: &str) {
        let fits = filled.append_to_each_choice(text);
        self.too_much.set(self.too_much.get() || !fits);
    }

    fn append_values(&self, filled: &mut Filled, values: &[String], parts: bool) {
        let bytes = |texts: &[String]| texts.iter().map(|text| 16 + text.len()).sum::<usize>();
        let (left, right) = (bytes(&filled.0), bytes(values));
        let made = left.saturating_mul(values.len()) + right.saturating_mul(filled.0.len());
        if self.meter.spend_steps_for_bytes(made) {
            let more = self.values.get("IFS").and_then(|values| values.first());
            let fits = filled
                .append_each_of_values(values, parts.then(|| more.map_or("", String::as_str)));
            self.too_much.set(self.too_much.get() || !fits);
        }
    }

    /// Appends what a `$` stands for, and returns the text after it.
    fn expand_dollar<'s>(
        &self,
        rest: &'s str,
        quoted: bool,
        depth: usize,
        filled: &mut Filled,
    ) -> &'s str {
        if let Some(inner) = rest.strip_prefix('(') {
            let (inner, behind) = split_at_closing_paren(inner);
            match self.substitution_output(inner, depth) {
                Some(text) => self.append_values(filled, &[text], !quoted),
                None => self.append_and_note_excess(filled, &format!("$({inner})")),
            }
            return behind;
        }
        // Its end is looked for in all that follows.
        if rest.starts_with('{')
            && !self.meter.spend_steps_for_bytes(rest.find('}').unwrap_or(rest.len()))
        {
            return "";
        }
        let Parameter { name, is_indirect, operator, behind } = parse_parameter(rest);
        let mut values = self.values.get(name).filter(|_| !name.is_empty());
        if is_indirect {
            // `${!x}` is what the variable holds that `$x` names.
            values = values.and_then(|names| self.values.get(names.first()?));
        }
        match self.apply_operator(values, operator, depth) {
            Some(values) => {
                let written = rest.get(..rest.len() - behind.len()).unwrap_or_default();
                let listed = matches!(name, "@" | "*") || written.contains("[@]");
                self.append_values(filled, &values, !quoted || listed);
            }
            // An unknown part stays as it is written.
            None => {
                self.append_and_note_excess(filled, "$");
                return rest;
            }
        }
        behind
    }

    /// Returns the output of a command substitution, if it is plain from its text.
    fn substitution_output(&self, inner: &str, depth: usize) -> Option<String> {
        if inner.len() > LONGEST
            || !self.meter.spend_steps_for_bytes(inner.len())
            || substitution_depth(inner) + depth >= DEEPEST
        {
            return None;
        }
        match inner.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["pwd"] | ["pwd", "-P" | "-L"] => return Some(self.cwd.clone()),
            ["git", "rev-parse", "--show-toplevel"] => return Some(self.project.clone()),
            // `$(cd; pwd)`
            ["cd;", "pwd"] | ["cd", "&&" | ";", "pwd"] => {
                return self.values.get("HOME")?.first().cloned();
            }
            ["cd", to, "&&" | ";", "pwd", ..] => {
                return Some(self.expand_source_text(to, depth + 1).into_first_text());
            }
            ["cd", to, "pwd", ..] if to.ends_with(';') => {
                return Some(
                    self.expand_source_text(to.trim_end_matches(';'), depth + 1).into_first_text(),
                );
            }
            _ => {}
        }
        let line = self.parse_substitution(inner)?;
        let (command, inner) = line.commands.split_first()?;
        let within = |command: &SimpleCommand| command.context == Context::CommandSubstitution;
        if command.context != Context::TopLevel || !inner.iter().all(within) {
            return None;
        }
        let words = self.expand_command_words(command, depth);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let said = match words.as_slice() {
            ["echo", "-n" | "-e" | "-ne", said @ ..] | ["echo", said @ ..] => said.join(" "),
            ["printf", "%s" | "%s\\n", said @ ..] => said.concat(),
            ["printf", said] if !said.contains(['%', '\\']) => (*said).to_owned(),
            ["which", name] | ["command", "-v", name] | ["type", "-p" | "-P", name] => {
                program_lookup_output(name)
            }
            // Everything that lies there: the names in it are unknown.
            ["ls"] | ["ls", "-1" | "-a" | "-A" | "-d"] => "*".to_owned(),
            ["ls", "-d" | "-1d" | "-d1", path] => (*path).to_owned(),
            ["ls", .., path] if path.contains('*') => (*path).to_owned(),
            ["ls", _] | ["ls", "-1" | "-a" | "-A", _] => "*".to_owned(),
            ["realpath" | "readlink", .., path] => (*path).to_owned(),
            // What it finds has names that only the disk knows.
            ["find", start, rest @ ..] if !start.starts_with('-') => match rest {
                [.., "-name", name] | ["-name", name, ..] => format!("{start}/{name}"),
                _ => format!("{start}/*"),
            },
            ["dirname", path] => path.rsplit_once('/').map_or(".", |(parent, _)| parent).to_owned(),
            ["basename", path] => path.rsplit('/').next().unwrap_or_default().to_owned(),
            _ => return None,
        };
        (!said.contains(['$', '`'])).then_some(said)
    }

    /// Returns the parsed line of a substitution; each is parsed once.
    fn parse_substitution(&self, inner: &str) -> Option<Rc<Line>> {
        if !self.meter.spend_steps_for_bytes(inner.len()) {
            return None;
        }
        if let Some(known) = self.substitutions.borrow().get(inner) {
            return known.clone();
        }
        let line =
            tenterhook_shell::parse_line_with_budget(inner, &|steps| self.meter.spend_steps(steps))
                .map(Rc::new);
        self.substitutions.borrow_mut().insert(inner.to_owned(), line.clone());
        line
    }

    fn expand_command_words(&self, command: &SimpleCommand, depth: usize) -> Vec<String> {
        let fill = |word: &Word| match word.kind {
            WordKind::Literal => vec![word.text.clone()],
            _ => self.expand_source_text(&word.source, depth + 1).into_words(),
        };
        command.words.iter().flat_map(fill).collect()
    }
}

/// Returns what a lookup of a program prints: its name, or the path at which Tenterhook may be
/// installed.
pub(super) fn program_lookup_output(name: &str) -> String {
    if name.starts_with(PACKAGE) { format!("~/.local/bin/{name}") } else { name.to_owned() }
}

/// Returns how deep parentheses are nested in a text. A text that is nested too deep is not
/// expanded.
fn substitution_depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for sign in text.bytes() {
        match sign {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Splits a text after an open parenthesis into the part inside it and the part after it.
fn split_at_closing_paren(text: &str) -> (&str, &str) {
    let mut depth = 1_usize;
    for (at, sign) in text.char_indices() {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default());
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known<'m>(meter: &'m Meter<'m>) -> Variables<'m> {
        let mut known = Variables::new_in_directory("/p", "/p", meter);
        known.set_values("A", vec!["rm".into()]);
        known.set_values("I", vec!["A".into()]);
        known.set_values("Z", vec![String::new()]);
        known.set_values("HOME", vec!["/h".into()]);
        known.set_values("L", vec!["-rf /".into()]);
        known.set_values("E", vec!["/".into(), "/etc".into()]);
        known.set_parameters(&["x".into(), "y".into()]);
        known
    }

    /// RU-46, RU-74.
    #[test]
    fn a_word_is_filled_with_what_is_known() {
        let meter = Meter::new(&|| true);
        for (source, words) in [
            ("$A", &["rm"][..]),
            ("${A}x", &["rmx"]),
            ("$L", &["-rf", "/"]),
            ("\"$L\"", &["-rf /"]),
            ("'$L'$A", &["$Lrm"]),
            ("$E/x", &["//x", "/etc/x"]),
            ("\"$@\"", &["x", "y"]),
            ("$2", &["y"]),
            ("${N:-$A}", &["rm"]),
            ("${A:?no}", &["rm"]),
            ("${A%/}", &["rm"]),
            ("${A#r}", &["m"]),
            ("${A%m}f", &["rf"]),
            ("${A/m/}", &["r"]),
            ("${A//m/f}", &["rf"]),
            ("${A^^}", &["RM"]),
            ("${HOME%/*}", &["/h"]),
            ("${A:0:1}", &["r"]),
            ("${A:0}", &["rm"]),
            ("${N:0:1}", &["${N:0:1}"]),
            ("${A@P}", &["rm"]),
            ("${!I}", &["rm"]),
            ("${N:+x}", &["", "x"]),
            ("${A:+x}", &["x"]),
            ("${Z:-x}", &["x"]),
            ("$(cd; pwd)", &["/h"]),
            ("$(cd /e && pwd)", &["/e"]),
            ("$(dirname /e/f)", &["/e"]),
            ("$(basename /e/f)", &["f"]),
            ("$N/x", &["$N/x"]),
            ("$(pwd)/x", &["/p/x"]),
            ("`pwd`", &["/p"]),
            ("$(echo r)m", &["rm"]),
            ("$(printf %s r m)", &["rm"]),
            ("$(command -v $A)", &["rm"]),
            ("$(echo $(echo $A))", &["rm"]),
            ("$(git rev-parse --show-toplevel)", &["/p"]),
            ("$(echo rm -rf)", &["rm", "-rf"]),
            ("\"$(echo rm -rf)\"", &["rm -rf"]),
            // Everything that lies there: its name is unknown.
            ("$(ls)", &["*"]),
            ("$(date)", &["$(date)"]),
            ("$(echo a | sh)", &["$(echo a | sh)"]),
            ("a\\ b$A", &["a brm"]),
        ] {
            assert_eq!(known(&meter).expand_source_text(source, 0).into_words(), words, "{source}");
        }
    }

    #[test]
    fn a_word_stands_for_so_many_texts_and_no_more() {
        let meter = Meter::new(&|| true);
        let mut known = known(&meter);
        known.set_values("B", (0..20).map(|i| i.to_string()).collect());
        assert_eq!(known.expand_source_text("$B$B$B$B", 0).0.len(), MOST);
        known.set_values("X", vec!["x".repeat(LONGEST)]);
        assert!(known.expand_source_text("$X$X$X$X", 0).into_first_text().len() <= LONGEST);
        let nest = format!("{}{}", "$(echo ".repeat(50), ")".repeat(50));
        assert!(known.expand_source_text(&nest, 0).into_first_text().contains("$(echo"));
    }
}
