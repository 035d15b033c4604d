//! Does every rule of the specification have a proof, and does everything that cites a rule cite one that exists?
//!
//! A rule is proved by a conformance case or a test that cites its number, or by a test that the rule names itself.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::Findings;
use crate::tree::File;

/// Rules without a proof, one a line. A debt that only shrinks: tidy refuses new ones, and lines that are paid.
const UNPROVEN: &str = "docs/spec/unproven.txt";

pub(super) fn check(files: &[File], findings: &mut Findings) {
    let (Ok(any), Ok(named)) =
        (Regex::new(r"^[A-Z]{1,2}-S?[0-9]+\b"), Regex::new("`([a-z0-9_]+)`"))
    else {
        return;
    };
    let Some(number) = cited(spec(files).flat_map(|file| defined(&file.text, &any))) else {
        return;
    };
    let mut items: BTreeSet<String> = BTreeSet::new();
    let mut rules: BTreeMap<String, String> = BTreeMap::new();
    let mut proved: BTreeSet<String> = BTreeSet::new();
    let tests: String = files.iter().map(proof).collect();
    for file in spec(files) {
        for rule in defined(&file.text, &any) {
            if rule.is_item() && !items.insert(rule.number.clone()) {
                findings.error(&file.path, format!("{} is defined twice", rule.number));
            }
            if rule.names_test(&named, &tests) {
                proved.insert(rule.number.clone());
            }
            // A table may say more of a rule of its own page; two pages may not define the same one.
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
                // What stands behind a dash is a number of somebody else's.
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
    compare(&rules, &proved, files, findings);
}

/// How the numbers of these rules look wherever they stand: their pages have the letters between them.
fn cited(rules: impl Iterator<Item = Rule>) -> Option<Regex> {
    let letters: BTreeSet<String> =
        rules.filter_map(|rule| Some(rule.number.split_once('-')?.0.to_owned())).collect();
    let letters: Vec<String> = letters.into_iter().collect();
    Regex::new(&format!(r"\b(?:{})-S?[0-9]+\b", letters.join("|"))).ok()
}

fn compare(
    rules: &BTreeMap<String, String>,
    proved: &BTreeSet<String>,
    files: &[File],
    findings: &mut Findings,
) {
    let debts =
        files.iter().find(|file| file.path == UNPROVEN).map_or("", |file| file.text.as_str());
    let debts: BTreeSet<&str> = debts
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    for (rule, page) in rules {
        match (proved.contains(rule), debts.contains(rule.as_str())) {
            (false, false) => findings.error(page, format!("{rule} has neither a case nor a test")),
            (true, true) => {
                findings.warning(UNPROVEN, format!("{rule} is proved; remove its line"))
            }
            (true, false) | (false, true) => {}
        }
    }
    for debt in debts.iter().filter(|debt| !rules.contains_key(**debt)) {
        findings.error(UNPROVEN, format!("{debt} is not a rule of the specification"));
    }
}

fn spec(files: &[File]) -> impl Iterator<Item = &File> {
    files.iter().filter(|file| file.path.starts_with("docs/spec/") && file.path.ends_with(".md"))
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
    text: String,
}

impl Rule {
    /// Whether it is stated here, and not a row of a table, which may say more of it.
    fn is_item(&self) -> bool {
        self.text.starts_with("- **")
    }

    /// Whether its text names a test that exists: `(test `name`)`.
    fn names_test(&self, named: &Regex, tests: &str) -> bool {
        let Some((_, after)) = self.text.rsplit_once("(test") else { return false };
        let mut names = named.captures_iter(after).filter_map(|captures| captures.get(1));
        names.any(|name| tests.contains(&format!("fn {}(", name.as_str())))
    }
}

/// The rules of a page: items that begin with `- **X-1**`, and rows of tables that begin with `| X-1 |`.
fn defined(text: &str, number: &Regex) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for line in text.lines() {
        let begins =
            line.strip_prefix("- **").or_else(|| line.strip_prefix("| ")).and_then(|rest| {
                let rest = rest.strip_prefix("**").unwrap_or(rest);
                let found = number.find(rest)?;
                let after = rest.get(found.end()..)?;
                ["**", " |"]
                    .iter()
                    .any(|prefix| after.starts_with(prefix))
                    .then(|| found.as_str().to_owned())
            });
        match (begins, rules.last_mut()) {
            (Some(number), _) => rules.push(Rule { number, text: line.to_owned() }),
            (None, Some(last)) if line.starts_with("  ") => {
                last.text.push('\n');
                last.text.push_str(line);
            }
            (None, _) => {}
        }
    }
    rules
}
