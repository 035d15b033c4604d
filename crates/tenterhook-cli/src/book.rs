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
    // A finding of `check` comes before a near miss or a finding of `doctor` with the same name.
    find(find_text_under_heading).or_else(|| find(find_item_text))
}

/// Returns the URL at which a page is published.
fn page_url(page: &str) -> String {
    format!("{}/blob/main/docs/spec/{page}.md", env!("CARGO_PKG_REPOSITORY"))
}

/// Returns the rule number or code that is most similar to a word.
pub(crate) fn nearest_entry_name(word: &str) -> Option<&'static str> {
    nearest_word(word, PAGES.iter().flat_map(|page| codes_in_page(page.text)))
}

/// Returns the text of a rule: an item that begins with `- **S-61**`.
fn find_rule_text(page: &str, number: &str) -> Option<String> {
    join_item(page, |line| line.strip_prefix("- **")?.strip_prefix(number)?.strip_prefix("** "))
}

/// Returns the text under the heading that names a code.
fn find_text_under_heading(page: &str, code: &str) -> Option<String> {
    let name = format!("`{code}`");
    let is_heading = |line: &str| line.starts_with("### ") && line.contains(&name);
    let mut lines = page.lines().skip_while(|line| !is_heading(line)).skip(1).peekable();
    lines.peek()?;
    let entry = lines.take_while(|line| !line.starts_with('#'));
    Some(entry.collect::<Vec<_>>().join("\n").trim().to_owned())
}

/// Returns the text of the item that begins with a code, alone or among others, and a colon.
fn find_item_text(page: &str, code: &str) -> Option<String> {
    join_item(page, |line| {
        let (codes, text) = split_codes(line)?;
        codes.split('`').step_by(2).any(|name| name == code).then_some(text)
    })
}

/// Splits an item into its codes, without the first backtick, and its text: `- **A-23** \`code\`: text`.
fn split_codes(line: &str) -> Option<(&str, &str)> {
    let item = line.strip_prefix("- ")?;
    let item = item.split_once("** ").map_or(item, |(_, rest)| rest);
    item.strip_prefix('`')?.split_once("`: ")
}

/// Joins the lines of the first item whose first line `first` accepts. The others are indented.
fn join_item<'p>(page: &'p str, first: impl Fn(&'p str) -> Option<&'p str>) -> Option<String> {
    let mut lines = page.lines();
    let begin = lines.find_map(first)?;
    let rest = lines.take_while(|line| line.starts_with("  ")).map(str::trim);
    Some(std::iter::once(begin).chain(rest).collect::<Vec<_>>().join(" "))
}

/// Lists the codes that a page describes.
fn codes_in_page(page: &'static str) -> impl Iterator<Item = &'static str> {
    let entries = page
        .lines()
        .filter_map(|line| line.strip_prefix("### `").or_else(|| Some(split_codes(line)?.0)));
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
