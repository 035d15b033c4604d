//! Does anything in the engine ask which dialect it deals with? What differs is an entry of the dialect, so that a new one is
//! one folder.

use regex::Regex;
use tenterhook_core::dialect::DIALECTS;

use super::Findings;
use super::modules::{module, without_comments};
use crate::tree::File;

/// The folder of each dialect under `dialect`.
const FOLDERS: &[(&str, &str)] = &[
    ("AMP", "amp"),
    ("ANTIGRAVITY", "antigravity"),
    ("AUGMENT", "augment"),
    ("CLAUDE", "claude"),
    ("CLINE", "cline"),
    ("CODEWHALE", "codewhale"),
    ("CODEX", "codex"),
    ("COPILOT", "copilot"),
    ("COPILOT_PASCAL", "copilot"),
    ("CRUSH", "crush"),
    ("CURSOR", "cursor"),
    ("CURSOR_ACTION", "cursor"),
    ("DROID", "droid"),
    ("GEMINI", "gemini"),
    ("GEN", "gencode"),
    ("GOOSE", "goose"),
    ("HERMES", "hermes"),
    ("IGNIS", "ignis"),
    ("KILO", "kilo"),
    ("KIMI", "kimi"),
    ("KIRO", "kiro"),
    ("KIRO_AGENT", "kiro"),
    ("NATIVE", "native"),
    ("OPENCLAW", "openclaw"),
    ("OPENCODE", "opencode"),
    ("PI", "pi"),
    ("QWEN", "qwen"),
    ("REASONIX", "reasonix"),
    ("VIBE", "vibe"),
    ("VSCODE", "vscode"),
    ("WINDSURF", "windsurf"),
];

/// Files that name a dialect all the same, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "crates/tenterhook-core/src/config/hold.rs",
        "NATIVE",
        "the substitute for a lost part is a hook of the engine itself",
    ),
    (
        "crates/tenterhook-core/src/config/protection.rs",
        "NATIVE",
        "the built-in rules are written in the engine's own form",
    ),
    (
        "crates/tenterhook/src/discover.rs",
        "NATIVE",
        "only the engine's own files configure the record",
    ),
    (
        "crates/tenterhook/src/engine/recording.rs",
        "NATIVE",
        "the neutral names of events are its own",
    ),
    (
        "crates/tenterhook-core/src/hook/function.rs",
        "NATIVE",
        "a closure of the host is a hook of the engine itself",
    ),
    ("crates/tenterhook/src/engine/exempt.rs", "NATIVE", "events are asked by their neutral names"),
    ("crates/tenterhook/src/record/entry.rs", "NATIVE", "an event is recorded in its neutral form"),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "ANTIGRAVITY", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "AUGMENT", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "CLAUDE", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "CLINE", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "CODEX", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "COPILOT", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "COPILOT_PASCAL", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "CURSOR", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "VSCODE", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "DROID", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "GEMINI", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "GOOSE", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "HERMES", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "QWEN", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "KIMI", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "VIBE", FORM),
    ("crates/tenterhook-core/src/dialect/by_form.rs", "WINDSURF", FORM),
    (
        "crates/tenterhook-core/src/agents/copilot/dialect.rs",
        "CLAUDE",
        "this agent reads that one's files, too (BR-30)",
    ),
    (
        "crates/tenterhook-core/src/agents/reasonix/dialect/config.rs",
        "CLAUDE",
        "an entry may ask to be spoken to in that protocol (RX-34)",
    ),
];

/// Why these files compare the form of a call with all dialects.
const FORM: &str = "the form of a call tells which agent sent it (BR-13)";

pub(super) fn check(files: &[File], findings: &mut Findings) {
    let Ok(named) = Regex::new(r"DialectId::([A-Z][A-Z_]+)\b") else { return };
    for file in files.iter().filter(|file| module(&file.path).is_some()) {
        let code = without_comments(file.source());
        for name in named.captures_iter(&code).filter_map(|captures| captures.get(1)) {
            let name = name.as_str();
            let folder =
                FOLDERS.iter().find(|(key, _)| *key == name).map_or(name, |(_, value)| value);
            let is_own = ["agents", "dialect"].iter().any(|parent| {
                let own = format!("crates/tenterhook-core/src/{parent}/{folder}");
                let rest = file.path.strip_prefix(&own);
                rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
            });
            let excepted =
                EXCEPTIONS.iter().any(|(path, text, _)| *path == file.path && *text == name);
            if !is_own && !excepted {
                findings.error(
                    &file.path,
                    format!("asks for `DialectId::{name}`; give the dialect an entry that says what differs"),
                );
            }
        }
    }
}

/// Dialects whose rules and cases are those of the engine, because its neutral words are theirs.
const HOME: &[&str] = &["native", "claude"];

/// Forms of an agent whose other form has the pages and the cases.
const ANOTHERS: &[&str] = &["copilot-pascal", "cursor-action", "kiro-agent"];

/// Does each dialect have all that ARCHITECTURE says one needs beside its code?
pub(super) fn documented(files: &[File], findings: &mut Findings) {
    for id in DIALECTS.iter().map(|dialect| dialect.id().as_str()) {
        let mut need = |place: &str, there: bool| {
            if !there {
                findings.error(place, format!("says nothing of the dialect `{id}`"));
            }
        };
        let says = |path: &str, words: &str| {
            files.iter().any(|file| file.path == path && file.text.contains(words))
        };
        need("README.md", says("README.md", &format!("`{id}`")));
        let list = "docs/guide/dialects.md";
        need(list, says(list, &format!("| `{id}` |")));
        if HOME.contains(&id) || ANOTHERS.contains(&id) {
            continue;
        }
        for page in [format!("docs/spec/dialect-{id}.md"), format!("docs/guide/dialects/{id}.md")] {
            need(&page, says(&page, ""));
        }
        let cases = format!("conformance/{id}/");
        need(&cases, files.iter().any(|file| file.path.starts_with(&cases)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialect_without_pages_or_cases_is_reported() {
        let mut findings = Findings::default();
        documented(&crate::tree::files().expect("files"), &mut findings);
        assert_eq!(findings.errors, [""; 0]);
        documented(&[], &mut findings);
        assert!(findings.errors.iter().any(|error| error.contains("docs/spec/dialect-codex.md")));
    }

    fn errors_in(path: &str, code: &str) -> usize {
        let path = format!("crates/tenterhook-core/src/{path}.rs");
        let mut findings = Findings::default();
        check(&[File { path, text: format!("//! X\n{code}\n") }], &mut findings);
        findings.errors.len()
    }

    #[test]
    fn a_dialect_is_named_in_its_own_folder_alone() {
        let code = "if dialect == DialectId::GEN {}";
        assert_eq!(errors_in("discover", code), 1);
        assert_eq!(errors_in("dialect/claude", code), 1);
        assert_eq!(errors_in("dialect/gencode", code), 0);
        assert_eq!(errors_in("dialect/gencode/config/entry", code), 0);
        assert_eq!(errors_in("discover", "// DialectId::GEN\nlet it = DialectId::find(name);"), 0);
        assert_eq!(
            errors_in(
                "discover",
                "#[cfg(test)]\nmod tests {\n    const A: It = DialectId::GEN;\n}"
            ),
            0
        );
    }
}
