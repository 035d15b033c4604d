//! What does a rule or a code of the specification say? Looks it up in the pages that were there at build time.

use tenterhook_core::diagnostic::nearest_word;

/// A page of the specification: its name, and its text.
struct Page {
    name: &'static str,
    text: &'static str,
}

macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        &[$(Page { name: $name, text: include_str!(concat!("../book/", $name, ".md")) }),*]
    };
}

/// Every page with rules or codes.
const PAGES: &[Page] = pages![
    "agent",
    "answers",
    "answers-json",
    "backtest",
    "bridge",
    "config-claude",
    "config-native",
    "configuration",
    "confinement",
    "diagnostics",
    "dialect-amp",
    "dialect-antigravity",
    "dialect-augment",
    "dialect-cline",
    "dialect-codewhale",
    "dialect-codex",
    "dialect-copilot",
    "dialect-crush",
    "dialect-cursor",
    "dialect-droid",
    "dialect-gemini",
    "dialect-gen",
    "dialect-goose",
    "dialect-hermes",
    "dialect-ignis",
    "dialect-kilo",
    "dialect-kimi",
    "dialect-kiro",
    "dialect-openclaw",
    "dialect-pi",
    "dialect-qwen",
    "dialect-reasonix",
    "dialect-vibe",
    "dialect-vscode",
    "dialect-windsurf",
    "events",
    "exec-function",
    "exec-http",
    "exec-mcp",
    "exec-model",
    "exec-prewarm",
    "exec-rule",
    "exec-worker",
    "faults",
    "host",
    "matching",
    "matching-shell",
    "merging",
    "planning",
    "protocol",
    "reconcile",
    "record",
    "running",
    "self-protection",
    "session",
    "session-rules",
    "shadow",
    "systems",
    "test",
    "text",
    "transcripts",
    "trust",
];

/// What the specification says of a rule or a code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The address of the page: who installed the program has no checkout.
    pub(crate) page: String,
    /// Its words.
    pub(crate) text: String,
}

/// Returns whether a word has the form of a rule number, such as `S-61`, even if no such rule
/// exists.
pub(crate) fn looks_like_rule_number(word: &str) -> bool {
    let Some((prefix, number)) = word.split_once('-') else { return false };
    let upper = (1..=2).contains(&prefix.len()) && prefix.chars().all(|c| c.is_ascii_uppercase());
    upper && number.starts_with(|c: char| c.is_ascii_digit()) && number.len() <= 4
}

/// Finds the entry of a rule by its number, or of a finding or fault by its code.
pub(crate) fn find_rule_or_code_entry(word: &str) -> Option<Entry> {
    let find = |text_in: fn(&str, &str) -> Option<String>| {
        PAGES.iter().find_map(|page| {
            Some(Entry { page: page_url(page.name), text: text_in(page.text, word)? })
        })
    };
    if looks_like_rule_number(word) {
        return find(find_rule_text);
    }
    find(find_code_text).or_else(|| find(find_near_miss_text))
}

/// Returns the URL at which a page is published.
fn page_url(page: &str) -> String {
    format!("{}/blob/main/docs/spec/{page}.md", env!("CARGO_PKG_REPOSITORY"))
}

/// Returns the rule number or code that is most similar to a word.
pub(crate) fn nearest_entry_name(word: &str) -> Option<&'static str> {
    nearest_word(word, PAGES.iter().flat_map(|page| codes_in_page(page.text)))
}

/// Returns the text of a rule: an item that begins with `- **S-61**`, or a row that begins with `|
/// S-61 |`.
fn find_rule_text(page: &str, number: &str) -> Option<String> {
    let item = format!("- **{number}**");
    let mut lines = page.lines().skip_while(|line| !line.starts_with(&item));
    if let Some(first) = lines.next() {
        // The rest of an item is indented.
        let rest = lines.take_while(|line| line.starts_with("  "));
        let lines =
            std::iter::once(first.trim_start_matches(&item).trim()).chain(rest.map(str::trim));
        return Some(lines.collect::<Vec<_>>().join(" "));
    }
    find_table_row(page, |cell| cell.trim_matches('*') == number)
}

/// Returns the text about a finding or fault code: an entry under a heading, or a table row.
fn find_code_text(page: &str, code: &str) -> Option<String> {
    let name = format!("`{code}`");
    let is_heading = |line: &str| line.starts_with("### ") && line.contains(&name);
    let mut lines = page.lines().skip_while(|line| !is_heading(line)).skip(1).peekable();
    if lines.peek().is_some() {
        let entry = lines.take_while(|line| !line.starts_with('#'));
        let text = entry.collect::<Vec<_>>().join("\n");
        return Some(text.trim().to_owned());
    }
    // One row may tell of several.
    find_table_row(page, |cell| cell.split('`').skip(1).step_by(2).any(|part| part == code))
}

/// Returns the text about the code of a near miss: a rule that begins with the code and a colon.
fn find_near_miss_text(page: &str, code: &str) -> Option<String> {
    let middle = format!("** `{code}`: ");
    let number =
        page.lines().find_map(|line| Some(line.strip_prefix("- **")?.split_once(&middle)?.0))?;
    find_rule_text(page, number)
}

/// Finds the table row whose first cell matches, and returns its other cells.
fn find_table_row(page: &str, is_it: impl Fn(&str) -> bool) -> Option<String> {
    page.lines().find_map(|line| {
        let cells: Vec<&str> = line.strip_prefix('|')?.trim_end_matches('|').split(" | ").collect();
        let (first, rest) = cells.split_first()?;
        let rest: Vec<&str> = rest.iter().map(|text| text.trim()).collect();
        is_it(first.trim()).then(|| rest.join(". "))
    })
}

/// Lists the codes that a page describes.
fn codes_in_page(page: &'static str) -> impl Iterator<Item = &'static str> {
    let entries = page.lines().filter_map(|line| {
        let rule = |line: &'static str| line.strip_prefix("- **")?.split_once("** `");
        line.strip_prefix("### `")
            .or_else(|| line.strip_prefix("| `")?.split(" | ").next())
            .or_else(|| rule(line)?.1.split("`: ").next())
    });
    let codes = entries.flat_map(|entry| entry.split('`').step_by(2));
    codes.filter(|code| code.contains('-') && !code.contains(' '))
}

#[cfg(test)]
mod tests {
    use tenterhook_core::diagnostic::Code;

    use super::*;

    #[test]
    fn rules_codes_and_faults_are_found() {
        for (word, page, has) in [
            ("S-61", "config-claude", "a list of exact names"),
            ("C-42", "config-native", "is one hook"),
            ("TE-1", "test", "that hook alone"),
            ("dead-matcher", "diagnostics", "case-sensitive"),
            ("timed-out", "faults", "was up"),
            ("mcp-input", "faults", "name a field"),
            ("text-after-answer", "answers", "an object, then text"),
        ] {
            let said = find_rule_or_code_entry(word).expect(word);
            assert_eq!(said.page, page_url(page), "{word}");
            assert!(said.text.contains(has), "{word}: {}", said.text);
        }
        assert_eq!(find_rule_or_code_entry(&format!("S-{}", 9999)), None);
        assert_eq!(nearest_entry_name("ded-matcher"), Some("dead-matcher"));
        assert!(
            looks_like_rule_number("AG-1")
                && !looks_like_rule_number("dead-matcher")
                && !looks_like_rule_number("Bash")
        );
    }

    /// Every number or code that a message prints can be looked up: those in the strings of the code, and every code of the
    /// table.
    #[test]
    fn whatever_is_printed_can_be_looked_up() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut numbers = std::collections::BTreeSet::new();
        for room in ["tenterhook-core", "tenterhook", "tenterhook-cli", "tenterhook-agent"] {
            gather(&root.join(room).join("src"), &mut numbers);
        }
        assert!(numbers.len() > 40, "{numbers:?}");
        let all =
            numbers.iter().map(String::as_str).chain(Code::ALL.iter().map(|code| code.name()));
        let unknown: Vec<&str> =
            all.filter(|text| find_rule_or_code_entry(text).is_none()).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    /// The numbers of rules in the string literals under a directory, but in tests.
    fn gather(directory: &std::path::Path, numbers: &mut std::collections::BTreeSet<String>) {
        for entry in std::fs::read_dir(directory).expect("sources") {
            let path = entry.expect("an entry").path();
            let is = |name: &str| path.ends_with(name);
            if path.is_dir() && !is("tests") {
                gather(&path, numbers);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !is("tests.rs")
            {
                let text = std::fs::read_to_string(&path).expect("a source");
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
                let words = lines.flat_map(|line| line.split('"').skip(1).step_by(2));
                let words =
                    words.flat_map(|word| word.split(|c: char| !c.is_alphanumeric() && c != '-'));
                numbers
                    .extend(words.filter(|word| looks_like_rule_number(word)).map(str::to_owned));
            }
        }
    }

    /// Every page of the specification is here, but those without rules.
    #[test]
    fn every_page_is_here() {
        const WITHOUT: &[&str] = &["README", "coverage", "events-table", "seed-coverage"];
        let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/spec");
        let mut there: Vec<String> = std::fs::read_dir(directory)
            .expect("the pages")
            .filter_map(|entry| {
                Some(entry.ok()?.path().file_name()?.to_str()?.strip_suffix(".md")?.to_owned())
            })
            .filter(|stem| !WITHOUT.contains(&stem.as_str()))
            .collect();
        there.sort();
        assert_eq!(there, PAGES.iter().map(|page| page.name).collect::<Vec<_>>());
    }
}
