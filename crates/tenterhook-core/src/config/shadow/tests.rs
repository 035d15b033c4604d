//! Which shadow setting applies, over whole files.

use crate::config::{Added, load};
use crate::dialect::DialectId;
use crate::hook::{Hook, HookId, Layer, Run, Unread};
use crate::source::Source;

const GUARD: &str = "[hook.guard]\non = 'Stop'\nrun = ['x']\n";
const OF_CLAUDE: &str =
    r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;

fn native(name: &str, layer: Layer, text: &str) -> Source {
    Source { layer, ..Source::from_text(name, DialectId::NATIVE, text, "/p") }
}

/// Whether each hook of files is in shadow, and the codes of what was found.
fn shadows(sources: &[Source]) -> (Vec<bool>, Vec<&'static str>) {
    let loaded = load(sources, &Added::default(), None);
    let hooks = loaded.ruleset.hooks().iter();
    let shadows = hooks.map(|hook| hook.enforcement.is_shadow()).collect();
    (shadows, loaded.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect())
}

/// SH-1.
#[test]
fn shadow_setting_applies_at_each_level() {
    let own = format!("{GUARD}mode = 'shadow'\n");
    let top = format!("mode = 'shadow'\n{GUARD}");
    let json = r#"{"mode": "shadow", "hook": {"guard": {"on": "Stop", "run": ["x"]}}}"#;
    for text in [own.as_str(), &top, json] {
        let found = shadows(&[native("/p/tenterhook.toml", Layer::User, text)]);
        assert_eq!(found, (vec![true], vec!["in-shadow"]), "{text}");
    }
    let about = "[source.'/p/.claude/settings.json']\nmode = 'shadow'\n";
    let claude = Source::from_text("/p/.claude/settings.json", DialectId::CLAUDE, OF_CLAUDE, "/p");
    let found = shadows(&[native("/u/tenterhook.toml", Layer::User, about), claude]);
    assert_eq!(found, (vec![true], vec!["in-shadow"]));
    // The top of a torn text is ignored: the hook, and the hold for the rest, are enforced.
    let torn = format!("mode = 'shadow'\n{GUARD}\n[hook.other]\non = [\n");
    let (shadows, found) = shadows(&[native("/p/tenterhook.toml", Layer::User, &torn)]);
    assert!(shadows.iter().all(|shadow| !shadow) && found.contains(&"broken-file"), "{found:?}");
}

/// SH-2.
#[test]
fn the_nearest_word_counts() {
    let says = |word: &str| format!("[source.'/p/tenterhook.toml']\nmode = '{word}'\n");
    let of_guard = |word: &str| match word {
        "" => GUARD.to_owned(),
        word => format!("{GUARD}mode = '{word}'\n"),
    };
    for (managed, user, own, layer, expected) in [
        ("", "shadow", "", Layer::Project, true),
        ("", "shadow", "enforce", Layer::Project, true),
        ("", "enforce", "shadow", Layer::Project, false),
        ("", "shadow", "enforce", Layer::User, false),
        ("", "enforce", "shadow", Layer::User, true),
        ("enforce", "shadow", "shadow", Layer::User, false),
        ("shadow", "enforce", "enforce", Layer::User, true),
        ("", "shadow", "", Layer::Managed, false),
    ] {
        let mut sources = Vec::new();
        for (word, layer, name) in [(managed, Layer::Managed, "/m"), (user, Layer::User, "/u")] {
            if !word.is_empty() {
                sources.push(native(name, layer, &says(word)));
            }
        }
        sources.push(native("/p/tenterhook.toml", layer, &of_guard(own)));
        let (shadows, _) = shadows(&sources);
        assert_eq!(shadows, [expected], "{managed} {user} {own} {layer:?}");
    }
}

/// SH-2.
#[test]
fn a_repository_shadows_nothing_but_its_own() {
    let about = "[source.'/u/tenterhook.toml']\nmode = 'shadow'\n";
    for whose in [Layer::Managed, Layer::User] {
        let guard = native("/u/tenterhook.toml", whose, GUARD);
        let found = shadows(&[guard, native("/p/tenterhook.toml", Layer::Project, about)]);
        assert_eq!(found, (vec![false], vec!["switch-not-heard"]), "{whose:?}");
    }
    // Nor does it by a copy of the user's entry in shadow, which would make that one a repeat.
    let project = Source {
        layer: Layer::Project,
        ..Source::from_text("/p/.claude/settings.json", DialectId::CLAUDE, OF_CLAUDE, "/p")
    };
    let user = Source {
        layer: Layer::User,
        ..Source::from_text("/u/.claude/settings.json", DialectId::CLAUDE, OF_CLAUDE, "/u")
    };
    let own = "[source.'/p/.claude/settings.json']\nmode = 'shadow'\n";
    let loaded = load(
        &[native("/p/tenterhook.toml", Layer::Project, own), project, user],
        &Added::default(),
        None,
    );
    let armed = |hook: &&std::sync::Arc<Hook>| hook.arming == crate::hook::Arming::Armed;
    let armed = loaded.ruleset.hooks().iter().filter(armed);
    assert_eq!(armed.map(|hook| hook.enforcement.is_shadow()).collect::<Vec<_>>(), [true, false]);
}

/// SH-3.
#[test]
fn an_organisation_forbids_shadows() {
    let no = native("/m/tenterhook.toml", Layer::Managed, "[shadow]\nallowed = false\n");
    let own = format!("{GUARD}mode = 'shadow'\n");
    let user = native("/u/tenterhook.toml", Layer::User, &own);
    assert_eq!(shadows(&[no.clone(), user.clone()]), (vec![false], vec!["switch-not-heard"]));
    // Its own word counts all the same.
    let may = "[shadow]\nallowed = false\n[source.'/u/tenterhook.toml']\nmode = 'shadow'\n";
    let may = native("/m/tenterhook.toml", Layer::Managed, may);
    assert_eq!(shadows(&[may, user.clone()]), (vec![true], vec!["in-shadow"]));
    // No other source forbids it.
    let user =
        native("/u/tenterhook.toml", Layer::User, &format!("[shadow]\nallowed = false\n{own}"));
    assert_eq!(shadows(&[user]), (vec![true], vec!["managed-key-ignored", "in-shadow"]));
}

/// SH-4.
#[cfg(feature = "rule")]
#[test]
fn nothing_but_a_managed_file_shadows_self_protection() {
    let added = Added { self_protection: true, ..Added::default() };
    let by_name = format!("[source.'{}']\nmode = 'shadow'\n", crate::protect::NAME);
    for (layer, text, expected) in [
        (Layer::Managed, "[protect]\nmode = 'shadow'\n", true),
        (Layer::User, "[protect]\nmode = 'shadow'\n", false),
        (Layer::Project, "[protect]\nmode = 'shadow'\n", false),
        (Layer::Project, "mode = 'shadow'\n", false),
        (Layer::Project, &by_name, false),
        (Layer::User, &by_name, false),
    ] {
        let loaded = load(&[native("/x/tenterhook.toml", layer, text)], &added, None);
        let mut own = loaded.ruleset.hooks().iter().filter(|hook| hook.layer == Layer::BuiltIn);
        assert!(own.all(|hook| hook.enforcement.is_shadow() == expected), "{layer:?} {text}");
    }
}

/// SH-5.
#[test]
fn what_awaits_approval_is_never_in_shadow() {
    let own = native("/p/tenterhook.toml", Layer::Project, "");
    let said = native("/u", Layer::User, "[source.'/p/tenterhook.toml']\nmode = 'shadow'\n");
    let read = said.dialect.dialect().read_config(&said);
    let said: Vec<_> = super::super::statements::statements_of_source(&(said, read)).collect();
    for (part, expected) in [(Unread::Approval, false), (Unread::File, true), (Unread::Entry, true)]
    {
        let run = Run::Unusable { part, why: "it is so".to_owned() };
        let id = HookId::new("a");
        let mut hook = Hook::new(id, DialectId::NATIVE, "PreToolUse".into(), run);
        hook.layer = Layer::Project;
        super::resolve_enforcement(&said, &own, &mut hook);
        assert_eq!(hook.enforcement.is_shadow(), expected, "{part:?}");
    }
}
