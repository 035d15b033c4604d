//! Finds what the gauges count. Reads no file and decides nothing.

use regex::Regex;

use super::agents::AgentNames;
use super::lexer::{self, Parts};
use super::words::{BEGINNINGS, FILES, IDENTIFIERS, ITEMS, ORDINARY, PARTS, PHRASES, Word};
use crate::tree::File;

/// Closure parameters called `it`.
pub(super) const IT: &str = "closure-it";
/// Closure parameters whose name says as little as `it`.
pub(super) const VAGUE: &str = "closure-vague";
/// Items and identifiers of the private language.
pub(super) const NAMES: &str = "names";
/// Phrases of the private language in comments, strings and pages.
pub(super) const PHRASE: &str = "phrases";
/// Public items that the documentation hides.
pub(super) const HIDDEN: &str = "doc-hidden";
/// Results outside tests whose error is a `String`.
pub(super) const STRING: &str = "result-string";

/// Names, programs, files and variables of an agent as whole string literals outside of its folder.
pub(super) const AGENT: &str = "agent-literals";

/// Each gauge, and what to do about one more hit.
pub(super) const GAUGES: &[(&str, &str)] = &[
    (IT, "name the closure parameter for what it holds"),
    (VAGUE, "name the closure parameter for what it holds"),
    (NAMES, "use the trade's word"),
    (PHRASE, "write subject, verb, object"),
    (HIDDEN, "make the item private, document it, or list it in `internal`"),
    (STRING, "give the error a type"),
    (AGENT, "read it from the agent's value in `tenterhook_core::agents`"),
];

/// One hit: where it begins, and its text.
pub(super) struct Hit {
    pub(super) gauge: &'static str,
    pub(super) offset: usize,
    pub(super) text: String,
}

/// The compiled tables.
pub(super) struct Finder {
    code: Regex,
    phrases: Regex,
    agents: AgentNames,
}

impl Finder {
    pub(super) fn new() -> Result<Self, regex::Error> {
        let any =
            |words: &[Word]| words.iter().map(|word| word.pattern).collect::<Vec<_>>().join("|");
        let closure = |name: &str| {
            format!(r"(?:^|[^|\w])\|(?:[^|;{{}}\n]*[^\w|.])?{name}(?:[^\w|.(][^|;{{}}\n]*)?\|")
        };
        let code = format!(
            r"(?P<it>{})|(?P<vague>{})|(?P<item>\b(?:fn|struct|enum|union|trait|type|mod) (?i:{})\b)|(?P<name>\b(?:{})\b)|(?P<part>(?i:{}))|(?P<hidden>\bdoc\(hidden\))|(?P<result>\bResult<)",
            closure("it"),
            closure("(?:x|this|that|thing)"),
            any(ITEMS),
            any(IDENTIFIERS),
            any(PARTS),
        );
        let phrases = format!(
            r"\b(?i:{})\b|(?:(?m:^)[ \t/!#*>|-]*|[.!?] )(?:{}) ",
            any(PHRASES).replace(' ', r"\s+(?://[/!]? )?"),
            BEGINNINGS.join("|"),
        );
        Ok(Self {
            code: Regex::new(&code)?,
            phrases: Regex::new(&phrases)?,
            agents: AgentNames::new()?,
        })
    }

    /// The hits in one file, in no order.
    pub(super) fn find(&self, file: &File) -> Vec<Hit> {
        let mut hits = Vec::new();
        if file.is_rust() {
            let Parts { code, prose } = lexer::split(&file.text);
            // The plays of `e2e` are tests, and a failed one is a text.
            let is_test = file.path.starts_with("e2e/");
            let tests_from = if is_test { 0 } else { file.source().len() };
            self.find_in_code(&code, tests_from, &mut hits);
            self.find_in_prose(&prose, &mut hits);
            hits.extend(self.agents.find(file).into_iter().map(|(offset, text)| Hit {
                gauge: AGENT,
                offset,
                text: text.to_owned(),
            }));
        } else if file.path.starts_with("conformance/") && file.path.ends_with(".toml") {
            // A case holds the texts of other programs; its own sentence is one line.
            let about = file.text.find("\nabout = ").map_or(0, |at| at + 1);
            let line = file.text.get(about..).and_then(|text| text.lines().next());
            self.find_in_prose(line.unwrap_or_default(), &mut hits);
            hits.iter_mut().for_each(|hit| hit.offset += about);
        } else {
            self.find_in_prose(&file.text, &mut hits);
        }
        let is_excepted = |hit: &Hit| {
            FILES.iter().any(|(path, name, _)| {
                let is_named = name.is_empty()
                    || hit.text.rsplit(' ').next().is_some_and(|last| last == *name);
                is_named && file.path.starts_with(path)
            })
        };
        hits.retain(|hit| !is_excepted(hit));
        hits
    }

    fn find_in_code(&self, code: &str, tests_from: usize, hits: &mut Vec<Hit>) {
        for found in self.code.captures_iter(code) {
            let groups = [
                ("it", IT),
                ("vague", VAGUE),
                ("item", NAMES),
                ("name", NAMES),
                ("part", NAMES),
                ("hidden", HIDDEN),
                ("result", STRING),
            ];
            let group = groups.iter().find_map(|(name, gauge)| Some((*gauge, found.name(name)?)));
            let Some((gauge, found_text)) = group else { continue };
            let (start, end) = (found_text.start(), found_text.end());
            let counts = match gauge {
                NAMES => found.name("part").is_none() || is_part(code, start, end),
                STRING => {
                    start < tests_from && error_is_string(code.get(end..).unwrap_or_default())
                }
                _ => true,
            };
            if counts {
                hits.push(Hit { gauge, offset: start, text: found_text.as_str().to_owned() });
            }
        }
    }

    fn find_in_prose(&self, prose: &str, hits: &mut Vec<Hit>) {
        for found in self.phrases.find_iter(prose) {
            if !is_ordinary(prose, found.start(), found.end()) {
                let text = found.as_str().split_whitespace().collect::<Vec<_>>().join(" ");
                hits.push(Hit { gauge: PHRASE, offset: found.start(), text });
            }
        }
    }
}

/// What to write instead of a hit.
pub(super) fn advice(hit: &Hit) -> &'static str {
    let general =
        GAUGES.iter().find(|(gauge, _)| *gauge == hit.gauge).map_or("", |(_, value)| value);
    let tables: &[&[Word]] = match hit.gauge {
        NAMES => &[ITEMS, PARTS, IDENTIFIERS],
        PHRASE => &[PHRASES],
        _ => &[],
    };
    let text = hit.text.rsplit(' ').next().filter(|_| hit.gauge == NAMES).unwrap_or(&hit.text);
    let is_it = |word: &&Word| {
        Regex::new(&format!("^(?i:{})$", word.pattern)).is_ok_and(|regex| regex.is_match(text))
    };
    tables.iter().copied().flatten().find(is_it).map_or(general, |word| word.instead)
}

/// Whether `start..end` is a whole part of an identifier: `told` of `is_told` and `Told` of `HostTold`, not of `untold`.
fn is_part(code: &str, start: usize, end: usize) -> bool {
    let bytes = code.as_bytes();
    let before = start.checked_sub(1).and_then(|at| bytes.get(at));
    let (first, last) = (bytes.get(start), end.checked_sub(1).and_then(|at| bytes.get(at)));
    let after = bytes.get(end);
    let is = |byte: Option<&u8>, class: fn(&u8) -> bool| byte.is_some_and(class);
    let begins = !is(before, u8::is_ascii_alphanumeric)
        || is(before, u8::is_ascii_lowercase) && is(first, u8::is_ascii_uppercase);
    let ends = !is(after, u8::is_ascii_alphabetic)
        || is(last, u8::is_ascii_lowercase) && is(after, u8::is_ascii_uppercase);
    begins && ends
}

/// Whether the last argument of the type whose arguments begin here is `String`.
fn error_is_string(arguments: &str) -> bool {
    let mut depth = 0_usize;
    let mut last = 0;
    let mut before = ' ';
    for (at, c) in arguments.char_indices().take(400) {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' if before == '-' => {}
            '>' if depth == 0 => {
                let error = arguments.get(last..at).unwrap_or_default();
                return last > 0 && error.trim().trim_end_matches(',') == "String";
            }
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 && arguments.get(at..).is_some_and(|rest| !is_trailing(rest)) => {
                last = at + 1;
            }
            ';' | '{' => return false,
            _ => {}
        }
        before = c;
    }
    false
}

/// Whether a comma closes a list that is written over several lines.
fn is_trailing(rest: &str) -> bool {
    rest.trim_start_matches(',').trim_start().starts_with('>')
}

/// Whether a hit is quoted as code, stands in a hyphenated name, or is a part of a phrase that is the trade's own.
fn is_ordinary(prose: &str, start: usize, end: usize) -> bool {
    let quoted = start.checked_sub(1).and_then(|from| prose.get(from..end + 1));
    if quoted.is_some_and(|quoted| quoted.starts_with('`') && quoted.ends_with('`')) {
        return true;
    }
    let neighbours = [
        prose.get(..start).and_then(|text| text.chars().next_back()),
        prose.get(end..).and_then(|text| text.chars().next()),
    ];
    if neighbours.contains(&Some('-')) {
        return true;
    }
    let hit = prose.get(start..end).unwrap_or_default().to_lowercase();
    ORDINARY.iter().any(|(phrase, _)| {
        let Some(before) = phrase.find(&hit) else { return false };
        let from = start.checked_sub(before);
        let around = from.and_then(|from| prose.get(from..from + phrase.len()));
        around.is_some_and(|around| around.eq_ignore_ascii_case(phrase))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gauge and text of each hit, sorted.
    fn hits(path: &str, text: &str) -> Vec<(&'static str, String)> {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        let mut hits = Finder::new().expect("the tables compile").find(&file);
        hits.sort_by_key(|hit| hit.offset);
        hits.into_iter().map(|hit| (hit.gauge, hit.text.trim().to_owned())).collect()
    }

    fn gauges(text: &str) -> Vec<&'static str> {
        hits("crates/a/src/lib.rs", text).into_iter().map(|(gauge, _)| gauge).collect()
    }

    #[test]
    fn closure_parameter_called_it_is_found_in_every_form() {
        for code in [
            "a.map(|it| b)",
            "a.map(|&it| b)",
            "a.map(|mut it| b)",
            "a.map(|(it, ..)| b)",
            "a.map(|(at, &it)| b)",
            "a.fold(0, |sum, it| b)",
            "let f = |it: &Hook| b;",
            "spawn(move |it| b)",
        ] {
            assert_eq!(gauges(code), [IT], "{code}");
        }
        for code in [
            "a.map(|item| b)",
            "a.map(|hook| it)",
            "if a || it.b || c {}",
            "if a || it || c {}",
            "// a.map(|it| b)",
            "f(\"|it| b\")",
            "a.filter(|line| it.b(line))",
        ] {
            assert_eq!(gauges(code), [""; 0], "{code}");
        }
        assert_eq!(gauges("a.map(|x| b).map(|this| c).map(|(at, that)| d)"), [VAGUE; 3]);
    }

    #[test]
    fn names_are_found_as_items_parts_and_whole_identifiers() {
        for (code, expected) in [
            ("pub fn of(a: A) -> B {}", "fn of"),
            ("struct Place { a: A }", "struct Place"),
            ("mod words;", "mod words"),
            ("let a = is_told(b);", "told"),
            ("let a: HostTold = b;", "Told"),
            ("fn nobody_is_kept_waiting() {}", "nobody"),
            ("const NOBODY: u32 = 1;", "NOBODY"),
            ("match a { Fate::Arms => b }", "Fate"),
            ("step.goes_aside()", "goes_aside"),
        ] {
            let found = hits("crates/a/src/lib.rs", code);
            assert_eq!(found, [(NAMES, expected.to_owned())], "{code}");
        }
        for code in
            ["fn offer() {}", "let untold = a;", "fn owed() {}", "struct Placement;", "a.of(b)"]
        {
            assert_eq!(gauges(code), [""; 0], "{code}");
        }
    }

    #[test]
    fn phrases_are_found_in_comments_strings_and_pages_but_not_in_code() {
        for (text, expected) in [
            ("// Nobody waits.\n", "Nobody"),
            ("//! It takes no more\n//! than a second.\n", "no more //! than"),
            ("f(\"the hook is told the name\")", "told"),
            ("/// What is written there.\n", "/// What is"),
            ("// Done. Who asks waits.\n", ". Who"),
            ("// one of its own kind", "of its own"),
        ] {
            let found = hits("crates/a/src/lib.rs", text);
            assert_eq!(found, [(PHRASE, expected.to_owned())], "{text}");
        }
        assert_eq!(hits("docs/a.md", "- Of what a hook says\n"), [(PHRASE, "- Of".to_owned())]);
        for text in [
            "// Run `tenterhook trust sign`.\n",
            "// It runs as user nobody.\n",
            "// Both are told apart by their ports.\n",
            "// one of its hooks\n",
            "// It replaces `told`.\n",
            "// The case a-hook-is-told-more.\n",
            "// The caller is known. Somebody who asks waits.\n",
        ] {
            assert_eq!(gauges(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn case_is_counted_by_its_own_sentence_alone() {
        let case = "rule = [\"X-1\"]\nabout = \"A hook is told.\"\ntext = \"nobody\"\n";
        assert_eq!(hits("conformance/a/b.toml", case), [(PHRASE, "told".to_owned())]);
        assert_eq!(hits("examples/b.toml", case).len(), 2);
    }

    #[test]
    fn exceptions_hold_in_their_files_alone() {
        let code = "fn words() {}";
        assert_eq!(hits("crates/tenterhook-shell/src/lib.rs", code), []);
        assert_eq!(hits("crates/tenterhook/src/lib.rs", code).len(), 1);
        assert_eq!(hits("crates/tenterhook-shell/src/lib.rs", "fn said() {}").len(), 1);
    }

    #[test]
    fn hidden_items_and_string_errors_are_found_outside_tests() {
        assert_eq!(gauges("#[doc(hidden)]\npub mod a;"), [HIDDEN]);
        for code in [
            "fn a() -> Result<(), String> {}",
            "fn a() -> Result<Vec<(String, u8)>, String> {}",
            "type A = Result<\n    Box<dyn Fn(A) -> B>,\n    String,\n>;",
        ] {
            assert_eq!(gauges(code), [STRING], "{code}");
            let test = format!("#[cfg(test)]\nmod tests {{\n{code}\n}}\n");
            assert_eq!(gauges(&test), [""; 0], "{test}");
        }
        for code in [
            "fn a() -> Result<String, E> {}",
            "fn a() -> Result<String> {}",
            "Result<(), Box<String>>",
        ] {
            assert_eq!(gauges(code), [""; 0], "{code}");
        }
    }

    #[test]
    fn play_may_fail_with_a_string() {
        assert_eq!(hits("e2e/src/a.rs", "fn a() -> Result<(), String> {}"), []);
    }

    #[test]
    fn advice_names_a_better_word() {
        let hit = |gauge, text: &str| Hit { gauge, offset: 0, text: text.to_owned() };
        assert!(advice(&hit(NAMES, "struct Place")).contains("`span`"));
        assert!(advice(&hit(PHRASE, "Time-out")).contains("`timeout`"));
        assert!(advice(&hit(IT, "|it|")).contains("for what it holds"));
    }
}
