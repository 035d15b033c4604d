//! Any text is a config of some quality: it is read in bounded time, and every place that a diagnostic names is in it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenterhook::config::{Added, Source, load};
use tenterhook::dialect::DialectId;

fuzz_target!(|text: &str| {
    let files = [
        (DialectId::CLAUDE, "/p/.claude/settings.json"),
        (DialectId::CLAUDE, "/p/.claude/skills/s/SKILL.md"),
        (DialectId::NATIVE, "/p/tenterhook.toml"),
        (DialectId::NATIVE, "/p/tenterhook.json"),
        (DialectId::CODEWHALE, "/p/.codewhale/config.toml"),
        (DialectId::CODEWHALE, "/p/.codewhale/hooks.toml"),
    ];
    for (dialect, name) in files {
        let loaded = load(&[Source::given(name, dialect, text, "/p")], &Added::default(), None);
        for place in loaded.diagnostics.iter().filter_map(|it| it.place.as_ref()) {
            assert!(place.line >= 1 && place.column >= 1 && place.span.start <= place.span.end);
            assert!(place.span.end <= text.len(), "a span outside of the text");
        }
    }
});
