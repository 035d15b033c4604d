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
use parameter::{Parameter, parameter};

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
    fn single_text(text: &str) -> Self {
        Self(vec![text.to_owned()])
    }

    /// The first text that it may be.
    pub(super) fn into_first_text(self) -> String {
        self.0.into_iter().next().unwrap_or_default().replace(PART, " ")
    }

    /// Each text that it may be.
    pub(super) fn into_texts(self) -> Vec<String> {
        self.0.into_iter().map(|text| text.replace(PART, " ")).collect()
    }

    /// Each text that it may be, as its words.
    pub(super) fn choices(&self) -> impl Iterator<Item = Vec<String>> {
        self.0.iter().map(|text| {
            let parted = text.contains(PART);
            let words = text.split(PART).filter(|part| !parted || !part.is_empty());
            words.map(str::to_owned).collect()
        })
    }

    /// Every word that it may be.
    pub(super) fn values(self) -> Vec<String> {
        self.choices().flatten().collect()
    }

    /// Whether there was room for it.
    fn push(&mut self, text: &str) -> bool {
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

    /// Each text with each of `values` behind it; without quotes, their blanks and these characters part words. Whether there
    /// was room for all.
    fn choose(&mut self, values: &[String], parts: Option<&str>) -> bool {
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
    /// No variables, at a directory of a project.
    pub(super) fn in_directory(cwd: &str, project: &str, meter: &'m Meter<'m>) -> Self {
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
    pub(super) const fn version(&self) -> usize {
        self.version
    }

    /// Whether some word stands for more than is followed.
    pub(super) const fn is_too_much(&self) -> bool {
        self.too_much.get()
    }

    /// From here on the line runs elsewhere.
    pub(super) fn enter_directory(&mut self, cwd: String) {
        self.version += 1;
        self.cwd = cwd;
    }

    pub(super) fn set(&mut self, name: &str, values: Vec<String>) {
        self.version += 1;
        self.meter.read(name.len() + values.iter().map(String::len).sum::<usize>());
        self.values.insert(name.to_owned(), values);
    }

    /// The parameters `$1`, `$2`, ... and all of them.
    pub(super) fn parameters(&mut self, all: &[String]) {
        for (at, one) in all.iter().enumerate() {
            self.set(&(at + 1).to_string(), vec![one.clone()]);
        }
        let joined = all.join(" ");
        self.set("@", vec![joined.clone()]);
        self.set("*", vec![joined]);
    }

    /// The word without its quotes, with what is known put in.
    pub(super) fn fill(&self, word: &Word) -> Filled {
        if word.kind == WordKind::Literal {
            Filled::single_text(&word.text)
        } else {
            self.expand(&word.source, 0)
        }
    }

    /// The same for a text that a shell expands, such as a here-document.
    pub(super) fn fill_text(&self, text: &str) -> String {
        let escaped = text.replace('"', "\\\"").replace('\'', "\\'");
        self.expand(&escaped, 0).into_first_text()
    }

    fn expand(&self, source: &str, depth: usize) -> Filled {
        let mut filled = Filled::single_text("");
        let mut quoted = false;
        let mut rest = source;
        while let Some(at) = rest.find(['$', '"', '\'', '\\', '`']) {
            if !self.meter.read(4 * filled.0.len() * (1 + at)) {
                return filled;
            }
            let (before, from) = rest.split_at(at);
            self.push(&mut filled, before);
            let mut after = from.chars();
            let sign = after.next();
            rest = after.as_str();
            match sign {
                Some('"') => quoted = !quoted,
                Some('\'') if !quoted => {
                    let (inner, behind) = rest.split_once('\'').unwrap_or((rest, ""));
                    self.push(&mut filled, inner);
                    rest = behind;
                }
                Some('\\') => {
                    let next = rest.chars().next().map_or(0, char::len_utf8);
                    self.push(&mut filled, rest.get(..next).unwrap_or_default());
                    rest = rest.get(next..).unwrap_or_default();
                }
                Some('`') => {
                    let (inner, behind) = rest.split_once('`').unwrap_or((rest, ""));
                    match self.printed(inner, depth) {
                        Some(text) => self.choose(&mut filled, &[text], !quoted),
                        None => self.push(&mut filled, &format!("`{inner}`")),
                    }
                    rest = behind;
                }
                Some('$') => rest = self.dollar(rest, quoted, depth, &mut filled),
                _ => self.push(&mut filled, "'"),
            }
        }
        self.meter.read(filled.0.len() * rest.len());
        self.push(&mut filled, rest);
        filled
    }

    fn push(&self, filled: &mut Filled, text: &str) {
        let fits = filled.push(text);
        self.too_much.set(self.too_much.get() || !fits);
    }

    fn choose(&self, filled: &mut Filled, values: &[String], parts: bool) {
        let bytes = |texts: &[String]| texts.iter().map(|text| 16 + text.len()).sum::<usize>();
        let (left, right) = (bytes(&filled.0), bytes(values));
        let made = left.saturating_mul(values.len()) + right.saturating_mul(filled.0.len());
        if self.meter.read(made) {
            let more = self.values.get("IFS").and_then(|values| values.first());
            let fits = filled.choose(values, parts.then(|| more.map_or("", String::as_str)));
            self.too_much.set(self.too_much.get() || !fits);
        }
    }

    /// Puts in what a `$` stands for, and gives what comes behind it.
    fn dollar<'s>(
        &self,
        rest: &'s str,
        quoted: bool,
        depth: usize,
        filled: &mut Filled,
    ) -> &'s str {
        if let Some(inner) = rest.strip_prefix('(') {
            let (inner, behind) = inside(inner);
            match self.printed(inner, depth) {
                Some(text) => self.choose(filled, &[text], !quoted),
                None => self.push(filled, &format!("$({inner})")),
            }
            return behind;
        }
        // Its end is looked for in all that follows.
        if rest.starts_with('{') && !self.meter.read(rest.find('}').unwrap_or(rest.len())) {
            return "";
        }
        let Parameter { name, is_indirect, operator, behind } = parameter(rest);
        let mut values = self.values.get(name).filter(|_| !name.is_empty());
        if is_indirect {
            // `${!x}` is what the variable holds that `$x` names.
            values = values.and_then(|names| self.values.get(names.first()?));
        }
        match self.operated(values, operator, depth) {
            Some(values) => {
                let written = rest.get(..rest.len() - behind.len()).unwrap_or_default();
                let listed = matches!(name, "@" | "*") || written.contains("[@]");
                self.choose(filled, &values, !quoted || listed);
            }
            // An unknown part stays as it is written.
            None => {
                self.push(filled, "$");
                return rest;
            }
        }
        behind
    }

    /// What a substitution prints, where that is plain to see.
    fn printed(&self, inner: &str, depth: usize) -> Option<String> {
        if inner.len() > LONGEST || !self.meter.read(inner.len()) || nest(inner) + depth >= DEEPEST
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
                return Some(self.expand(to, depth + 1).into_first_text());
            }
            ["cd", to, "pwd", ..] if to.ends_with(';') => {
                return Some(self.expand(to.trim_end_matches(';'), depth + 1).into_first_text());
            }
            _ => {}
        }
        let line = self.substitution(inner)?;
        let (command, inner) = line.commands.split_first()?;
        let within = |command: &SimpleCommand| command.context == Context::CommandSubstitution;
        if command.context != Context::TopLevel || !inner.iter().all(within) {
            return None;
        }
        let words = self.all_words(command, depth);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let said = match words.as_slice() {
            ["echo", "-n" | "-e" | "-ne", said @ ..] | ["echo", said @ ..] => said.join(" "),
            ["printf", "%s" | "%s\\n", said @ ..] => said.concat(),
            ["printf", said] if !said.contains(['%', '\\']) => (*said).to_owned(),
            ["which", name] | ["command", "-v", name] | ["type", "-p" | "-P", name] => {
                program_path(name)
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

    /// The line of a substitution, read once however often it stands there.
    fn substitution(&self, inner: &str) -> Option<Rc<Line>> {
        if !self.meter.read(inner.len()) {
            return None;
        }
        if let Some(known) = self.substitutions.borrow().get(inner) {
            return known.clone();
        }
        let line =
            tenterhook_shell::read_while(inner, &|steps| self.meter.spend(steps)).map(Rc::new);
        self.substitutions.borrow_mut().insert(inner.to_owned(), line.clone());
        line
    }

    fn all_words(&self, command: &SimpleCommand, depth: usize) -> Vec<String> {
        let fill = |word: &Word| match word.kind {
            WordKind::Literal => vec![word.text.clone()],
            _ => self.expand(&word.source, depth + 1).values(),
        };
        command.words.iter().flat_map(fill).collect()
    }
}

/// What a lookup of a program prints: its name, or where ours may lie.
pub(super) fn program_path(name: &str) -> String {
    if name.starts_with(PACKAGE) { format!("~/.local/bin/{name}") } else { name.to_owned() }
}

/// How deep substitutions nest in a text. The text in the deepest of too many stays as it is written, and then so does what
/// would print it.
fn nest(text: &str) -> usize {
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

/// The text in the brackets that are open, and what comes behind them.
fn inside(text: &str) -> (&str, &str) {
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
        let mut known = Variables::in_directory("/p", "/p", meter);
        known.set("A", vec!["rm".into()]);
        known.set("I", vec!["A".into()]);
        known.set("Z", vec![String::new()]);
        known.set("HOME", vec!["/h".into()]);
        known.set("L", vec!["-rf /".into()]);
        known.set("E", vec!["/".into(), "/etc".into()]);
        known.parameters(&["x".into(), "y".into()]);
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
            assert_eq!(known(&meter).expand(source, 0).values(), words, "{source}");
        }
    }

    #[test]
    fn a_word_stands_for_so_many_texts_and_no_more() {
        let meter = Meter::new(&|| true);
        let mut known = known(&meter);
        known.set("B", (0..20).map(|i| i.to_string()).collect());
        assert_eq!(known.expand("$B$B$B$B", 0).0.len(), MOST);
        known.set("X", vec!["x".repeat(LONGEST)]);
        assert!(known.expand("$X$X$X$X", 0).into_first_text().len() <= LONGEST);
        let nest = format!("{}{}", "$(echo ".repeat(50), ")".repeat(50));
        assert!(known.expand(&nest, 0).into_first_text().contains("$(echo"));
    }
}
