//! Any text is a config of some quality, for every dialect: it is read in bounded time, and every place that a diagnostic names is in it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenterhook_core::config::{Added, Source, load};
use tenterhook_core::dialect::DIALECTS;

/// A file of each format, and one that Claude Code calls otherwise.
const NAMES: &[&str] = &["/p/.x/hooks.json", "/p/.x/hooks.toml", "/p/.claude/skills/s/SKILL.md"];

fuzz_target!(|text: &str| {
    for dialect in DIALECTS {
        for name in NAMES {
            let source = Source::from_text(name, dialect.id(), text, "/p");
            let loaded = load(&[source], &Added::default(), None);
            for place in
                loaded.diagnostics.iter().filter_map(|diagnostic| diagnostic.place.as_ref())
            {
                assert!(place.line >= 1 && place.column >= 1 && place.span.start <= place.span.end);
                assert!(place.span.end <= text.len(), "a span outside of the text");
            }
        }
    }
});
