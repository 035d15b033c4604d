//! Does every rule of the specification have a proof, and does everything that cites a rule cite one that exists?
//!
//! A rule is proved by a conformance case or a test that cites its number. `docs/spec/coverage.md` lists them. A rule that
//! has too many words is an error.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::Findings;
use crate::tree::File;

/// The generated page that lists what proves each rule.
pub(crate) const INDEX: &str = "docs/spec/coverage.md";

/// How many words a rule may have, its number included.
const MOST_WORDS: usize = 60;

/// The number at the beginning of a rule.
const ANY: &str = r"^[A-Z]{1,2}-S?[0-9]+\b";

pub(super) fn check(files: &[File], findings: &mut Findings) {
    let Ok(any) = Regex::new(ANY) else { return };
    let Some(number) = cited(spec(files).flat_map(|file| defined(&file.text, &any))) else {
        return;
    };
    let mut items: BTreeSet<String> = BTreeSet::new();
    let mut rules: BTreeMap<String, String> = BTreeMap::new();
    let mut proved: BTreeSet<String> = BTreeSet::new();
    for file in spec(files) {
        for rule in defined(&file.text, &any) {
            if rule.is_item() && !items.insert(rule.number.clone()) {
                findings.error(&file.path, format!("{} is defined twice", rule.number));
            }
            if let Some(message) = too_long(&rule) {
                findings.error(&file.path, message);
            }
            // A table may add to a rule of the same page; two pages must not define the same rule.
            let other = rules.insert(rule.number.clone(), file.path.clone());
            if let Some(other) = other.filter(|other| *other != file.path) {
                findings.error(&file.path, format!("{} is defined in {other} too", rule.number));
            }
        }
    }
    for file in files {
        proved.extend(number.find_iter(proof(file)).map(|found| found.as_str().to_owned()));
        let cites = file.is_rust() || is_case(&file.path) || file.path.ends_with(".md");
        if cites
            && !file.path.starts_with("xtask/")
            && !file.path.starts_with("conformance/observed")
        {
            for found in number.find_iter(&file.text) {
                // The end of a range need not exist: it leaves room for what comes.
                // A number after a dash belongs to another system.
                let before = file.text.get(..found.start()).unwrap_or_default();
                let is_other = before.ends_with("to ") || before.ends_with('-');
                let cited = found.as_str();
                if !is_other && !rules.contains_key(cited) {
                    findings
                        .error(&file.path, format!("{cited} is not a rule of the specification"));
                }
            }
        }
    }
    for (rule, page) in rules.iter().filter(|(rule, _)| !proved.contains(*rule)) {
        findings.error(page, format!("{rule} has neither a case nor a test"));
    }
}

/// The error of a rule that has too many words.
fn too_long(rule: &Rule) -> Option<String> {
    let count = rule.word_count();
    let Rule { number, line, .. } = rule;
    (count > MOST_WORDS).then(|| {
        format!(
            "line {line}: {number} has {count} words, and a rule has at most {MOST_WORDS}: shorten it, or move a \
             requirement to the next free number, with a case or test that cites it"
        )
    })
}

/// How the numbers of these rules look wherever they stand: their pages have the letters between them.
fn cited(rules: impl Iterator<Item = Rule>) -> Option<Regex> {
    let letters: BTreeSet<String> =
        rules.filter_map(|rule| Some(rule.number.split_once('-')?.0.to_owned())).collect();
    let letters: Vec<String> = letters.into_iter().collect();
    Regex::new(&format!(r"\b(?:{})-S?[0-9]+\b", letters.join("|"))).ok()
}

fn spec(files: &[File]) -> impl Iterator<Item = &File> {
    files.iter().filter(|file| {
        file.path.starts_with("docs/spec/") && file.path.ends_with(".md") && file.path != INDEX
    })
}

/// The rules of the specification, page by page, each with the names of the cases and tests that cite it.
pub(crate) fn proofs(files: &[File]) -> Vec<(&str, BTreeMap<RuleNumber, BTreeSet<String>>)> {
    let Ok(any) = Regex::new(ANY) else { return Vec::new() };
    let Some(number) = cited(spec(files).flat_map(|file| defined(&file.text, &any))) else {
        return Vec::new();
    };
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let text = proof(file);
        for found in number.find_iter(text) {
            let name = if file.is_rust() {
                test_at(text, found.start()).or_else(|| file.path.rsplit('/').next())
            } else {
                file.path.strip_prefix("conformance/").and_then(|path| path.strip_suffix(".toml"))
            };
            let names = names.entry(found.as_str().to_owned()).or_default();
            names.extend(name.map(str::to_owned));
        }
    }
    let page = |file: &'_ File| {
        let rules = defined(&file.text, &any).into_iter().map(|rule| {
            let names = names.get(&rule.number).cloned().unwrap_or_default();
            (RuleNumber::parse(&rule.number), names)
        });
        rules.collect()
    };
    spec(files).map(|file| (file.path.as_str(), page(file))).collect()
}

/// The number of a rule in the order of people: `T-2` stands before `T-10`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RuleNumber {
    letters: String,
    number: u32,
}

impl RuleNumber {
    fn parse(text: &str) -> Self {
        let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        let letters = text.get(..text.len() - digits.len()).unwrap_or_default();
        Self { letters: letters.to_owned(), number: digits.parse().unwrap_or_default() }
    }
}

impl std::fmt::Display for RuleNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.letters, self.number)
    }
}

/// The function that a citation belongs to: the next one if only comments and attributes lie between, else the last one
/// above.
fn test_at(text: &str, at: usize) -> Option<&str> {
    let begin = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let below = text.get(begin..)?.lines();
    let mut below = below.skip_while(|line| {
        let line = line.trim_start();
        ["//", "#[", ")]"].iter().any(|prefix| line.starts_with(prefix)) || line.is_empty()
    });
    below
        .next()
        .and_then(function_name)
        .or_else(|| text.get(..at)?.lines().rev().find_map(function_name))
}

/// The name of the function that a line begins.
fn function_name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
    let line = line.strip_prefix("async ").unwrap_or(line);
    let name = line.strip_prefix("fn ")?;
    name.get(..name.find(|c: char| !c.is_alphanumeric() && c != '_')?)
}

/// The text of a file that proves something: cases, tests, and the plays of the programs.
fn proof(file: &File) -> &str {
    match (file.is_rust(), file.path.starts_with("e2e/") || is_case(&file.path)) {
        (_, true) => &file.text,
        (true, false) => file.tests(),
        (false, false) => "",
    }
}

fn is_case(path: &str) -> bool {
    path.starts_with("conformance/") && path.ends_with(".toml")
}

/// One rule as its page states it.
struct Rule {
    number: String,
    /// The line at which it begins, from 1.
    line: usize,
    text: String,
}

impl Rule {
    /// Whether it is stated here, and not a row of a table, which may say more of it.
    fn is_item(&self) -> bool {
        self.text.starts_with("- **")
    }

    /// How many words it has, without the characters that make it an item or a row.
    fn word_count(&self) -> usize {
        self.text.split_whitespace().filter(|word| !matches!(*word, "-" | "|")).count()
    }
}

/// The rules of a page: items that begin with `- **X-1**`, and rows of tables that begin with `| X-1 |`. Indented lines
/// below an item belong to it.
fn defined(text: &str, number: &Regex) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut is_open = false;
    for (line, text) in (1..).zip(text.lines()) {
        let begins =
            text.strip_prefix("- **").or_else(|| text.strip_prefix("| ")).and_then(|rest| {
                let rest = rest.strip_prefix("**").unwrap_or(rest);
                let found = number.find(rest)?;
                let after = rest.get(found.end()..)?;
                ["**", " |"]
                    .iter()
                    .any(|prefix| after.starts_with(prefix))
                    .then(|| found.as_str().to_owned())
            });
        let is_continued = is_open && text.starts_with("  ");
        match (begins, rules.last_mut()) {
            (Some(number), _) => {
                let rule = Rule { number, line, text: text.to_owned() };
                is_open = rule.is_item();
                rules.push(rule);
            }
            (None, Some(last)) if is_continued => {
                last.text.push('\n');
                last.text.push_str(text);
            }
            (None, _) => is_open = is_open && text.trim().is_empty(),
        }
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_with_over_60_words_is_an_error_with_its_line() {
        let number = Regex::new(ANY).expect("a pattern");
        // The number is the first of them.
        let item = |count: usize| format!("- **ZZ-1**{}\n  word\n", " word".repeat(count - 2));
        let row = |count: usize| format!("| ZZ-2 | {} |\n", "word ".repeat(count - 1));
        let errors = |page: &str| -> Vec<String> {
            defined(page, &number).iter().filter_map(too_long).collect()
        };
        let below = "\nA paragraph that is no rule.\n\n  indented text\n";
        assert!(errors(&format!("{}{below}{}", item(60), row(60))).is_empty());
        let found = errors(&format!("# A page\n\n{}{}", item(61), row(70)));
        let [first, second] = found.as_slice() else { panic!("two errors: {found:?}") };
        assert!(first.starts_with("line 3: ZZ-1 has 61 words"), "{first}");
        assert!(second.starts_with("line 5: ZZ-2 has 70 words"), "{second}");
        assert!(first.contains("at most 60: shorten it, or move"), "{first}");
    }
}
