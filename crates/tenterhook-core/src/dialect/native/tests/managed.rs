//! Whether the words of a managed file bind: one row for each key that such a file can have, with
//! what a user's file says against it.

use super::super::config::keys::{self, Key};
use super::*;
use crate::config::{Added, Loaded};
use crate::hook::{Arming, Compat, Layer, Prewarm};
use crate::source::{Content, RecordTable};

const MANAGED: &str = "/etc/tenterhook/tenterhook.toml";
const USERS: &str = "/home/u/.config/tenterhook/tenterhook.toml";
const CLAUDE: &str = "/home/u/.claude/settings.json";
/// A guard of the organisation's.
const GUARD: &str = "[hook.guard]\non = 'PreToolUse'\nshell = 'guard'\n";
/// A hook of the user's, in their agent's file.
const OWN: &str = r#"{"disableAllHooks": DISABLED, "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "own"}]}]}}"#;

fn native(name: &str, layer: Layer, text: &str) -> Source {
    Source { name: name.into(), layer, ..source(text) }
}

fn load_both(managed: &str, user: &str, claude: &str) -> Loaded {
    let of_claude = Source { dialect: DialectId::CLAUDE, ..native(CLAUDE, Layer::User, claude) };
    // The order in which files are found must not matter.
    let sources =
        [of_claude, native(USERS, Layer::User, user), native(MANAGED, Layer::Managed, managed)];
    #[cfg(feature = "rule")]
    let added = Added { self_protection: true, ..Added::default() };
    #[cfg(not(feature = "rule"))]
    let added = Added::default();
    crate::config::load(&sources, &added, None)
}

fn hook<'l>(loaded: &'l Loaded, line: &str) -> &'l Hook {
    let mut all = loaded.ruleset.hooks().iter();
    all.find(|hook| hook.run.one_line_description().contains(line)).expect("the hook is there")
}

fn codes(loaded: &Loaded) -> Vec<&'static str> {
    // Findings about the file itself, apart from those about statements against a managed file.
    let quiet = [
        "hooks-disabled",
        "in-shadow",
        "calls-held",
        "not-strict-json",
        "empty-event-array",
        "left-out",
    ];
    let codes = loaded.diagnostics.iter().map(|found| found.code.name());
    let mut codes: Vec<_> = codes.filter(|code| !quiet.contains(code)).collect();
    codes.dedup();
    codes
}

/// A key of `[source."FILE"]`: what a managed file and the user's say, whether the managed word
/// stands, and how that is seen.
type OfSource = (&'static str, &'static str, &'static str, bool, fn(&Loaded) -> bool);

const OF_SOURCE: &[OfSource] = &[
    ("enabled", "true", "false", true, |loaded| hook(loaded, "own").arming == Arming::Armed),
    ("enabled", "false", "true", true, |loaded| hook(loaded, "own").arming != Arming::Armed),
    ("compat", "'guarded'", "'exact'", true, |loaded| {
        hook(loaded, "own").compat == Compat::Guarded
    }),
    ("compat", "'exact'", "'guarded'", false, |loaded| hook(loaded, "own").compat == Compat::Exact),
    ("on_failure", "'block'", "'continue'", true, |loaded| {
        hook(loaded, "own").on_failure == Some(OnFailure::Block)
    }),
    ("on_failure", "'continue'", "'block'", false, |loaded| {
        hook(loaded, "own").on_failure == Some(OnFailure::Continue)
    }),
    ("on_broken", "'block'", "'continue'", true, |loaded| {
        hook(loaded, "nothing").on_failure == Some(OnFailure::Block)
    }),
    ("on_broken", "'continue'", "'block'", false, |loaded| {
        hook(loaded, "nothing").on_failure == Some(OnFailure::Continue)
    }),
    ("prewarm", "false", "true", true, |loaded| match &hook(loaded, "own").run {
        Run::Command(command) => command.prewarm == Prewarm::Never,
        _ => false,
    }),
    ("mode", "'enforce'", "'shadow'", true, |loaded| !hook(loaded, "own").enforcement.is_shadow()),
    ("mode", "'shadow'", "'enforce'", true, |loaded| hook(loaded, "own").enforcement.is_shadow()),
    ("sandbox", "'strict'", "'off'", true, |loaded| hook(loaded, "own").sandbox.grants().is_some()),
    ("sandbox", "'off'", "'strict'", false, |loaded| {
        hook(loaded, "own").sandbox.grants().is_none()
    }),
];

/// C-90: of what both say the managed word stands, or the stricter one where there is one; what has
/// no effect is a finding.
#[test]
fn a_user_undoes_no_managed_word_about_a_file() {
    let about = |key: &str, word: &str| match word {
        "" => String::new(),
        word => format!("[source.'{CLAUDE}']\n{key} = {word}\n"),
    };
    for (key, managed, user, stands, look) in OF_SOURCE {
        let claude = match *key {
            "on_broken" => "{\"hooks\": {\"PreToolUse\": [{\"ma",
            _ => &OWN.replace("DISABLED", "false"),
        };
        let (managed, user) = (about(key, managed), about(key, user));
        assert!(look(&load_both(&managed, "", claude)), "{key}: the managed word alone counts");
        let both = load_both(&managed, &user, claude);
        assert_eq!(look(&both), *stands, "{managed}{user}");
        let expected: &[&str] = if *stands { &["switch-not-heard"] } else { &[] };
        assert_eq!(codes(&both), expected, "{managed}{user}: {:?}", both.diagnostics);
    }
    covered(keys::SOURCE, OF_SOURCE.iter().map(|row| row.0));
}

/// C-90: what a managed file has run, no other file switches off in another way.
#[test]
fn what_a_managed_file_has_run_is_not_switched_off_in_another_way() {
    let keeps = format!("[source.'{CLAUDE}']\nenabled = true\n");
    let by_name = "[hook.'user:PreToolUse:*:1']\nenabled = false\n";
    let loaded = load_both(&keeps, by_name, &OWN.replace("DISABLED", "false"));
    assert_eq!(hook(&loaded, "own").arming, Arming::Armed, "{:?}", loaded.diagnostics);
    let loaded = load_both(&keeps, "", &OWN.replace("DISABLED", "true"));
    assert_eq!(hook(&loaded, "own").arming, Arming::Armed);
    let loaded = load_both("", "", &OWN.replace("DISABLED", "true"));
    assert_ne!(hook(&loaded, "own").arming, Arming::Armed, "nothing has it run");
}

/// C-15, C-90: the key of an entry is no laxer than what a managed file says of its file.
#[test]
fn an_entry_is_no_laxer_than_a_managed_word() {
    let of_entry = |word: &str| {
        let own = OWN.replace("DISABLED", "false");
        own.replace("\"own\"", &format!("\"own\", \"onFailure\": \"{word}\""))
    };
    for (managed, entry, expected) in [
        ("block", "continue", OnFailure::Block),
        ("continue", "block", OnFailure::Block),
        ("ask", "block", OnFailure::Block),
    ] {
        let about = format!("[source.'{CLAUDE}']\non_failure = '{managed}'\n");
        let loaded = load_both(&about, "", &of_entry(entry));
        assert_eq!(hook(&loaded, "own").on_failure, Some(expected), "{managed} {entry}");
    }
}

/// C-16, C-90: no key that a user's file can say of a managed file or hook changes the hook.
#[test]
fn a_user_changes_no_hook_of_a_managed_file() {
    let alone = hook(&load_both(GUARD, "", "{}"), "guard").clone();
    let words = OF_SOURCE.iter().flat_map(|row| [(row.0, row.1), (row.0, row.2)]);
    let mut texts: Vec<String> =
        words.map(|(key, word)| format!("[source.'{MANAGED}']\n{key} = {word}\n")).collect();
    texts.push("[hook.guard]\nenabled = false\n".to_owned());
    for user in texts {
        let loaded = load_both(GUARD, &user, "{}");
        let now = hook(&loaded, "guard");
        let same = now.arming == alone.arming
            && now.compat == alone.compat
            && now.on_failure == alone.on_failure
            && now.enforcement == alone.enforcement
            && now.sandbox == alone.sandbox
            && format!("{:?}", now.run) == format!("{:?}", alone.run);
        assert!(same, "{user}: {now:?}");
        if user.contains("enabled = false") {
            let help = loaded.diagnostics[0].help.as_deref();
            assert_eq!(codes(&loaded), ["switch-not-heard"], "{user}");
            assert_eq!(help, Some("leave it out: only a managed file changes this"));
        }
    }
}

/// C-50: an entry that has only `mode` or `enabled` holds no call, whether another file has its hook
/// or not, and a warning says that it has no effect.
#[test]
fn entry_without_a_hook_adjusts_nothing_and_holds_nothing() {
    let alone = load_both(GUARD, "", "{}").ruleset.hooks().len();
    for (keys, shown) in [
        ("mode = 'shadow'", "`mode`"),
        ("mode = 'enforce'", "`mode`"),
        ("enabled = true", "`enabled = true`"),
        ("enabled = true\nmode = 'shadow'", "`mode` and `enabled = true`"),
        ("enabled = false\nmode = 'shadow'", "`mode`"),
    ] {
        let about = |name: &str| load_both(GUARD, &format!("[hook.{name}]\n{keys}\n"), "{}");
        let loaded = about("guard");
        assert_eq!(codes(&loaded), ["switch-not-heard"], "{keys}: {:?}", loaded.diagnostics);
        let shows = |found: &crate::diagnostic::Diagnostic| {
            found.message.starts_with(&format!("{shown} for hook `guard` in {USERS} has no effect"))
                && found.help.as_deref() == Some("leave it out: only a managed file changes this")
        };
        assert!(loaded.diagnostics.iter().any(shows), "{keys}: {:?}", loaded.diagnostics);
        assert_eq!(hook(&loaded, "guard").arming, Arming::Armed);
        assert!(!hook(&loaded, "guard").enforcement.is_shadow(), "{keys}");
        let loaded = about("nothing");
        assert_eq!(codes(&loaded), ["nothing-of-that-name"], "{keys}");
        assert_eq!(loaded.ruleset.hooks().len(), alone, "{keys}");
    }
    // An entry that has more is a gate with a mistake.
    for user in ["[hook.guard]\n", "[hook.guard]\nmode = 'shadow'\non = 'PreToolUse'\n"] {
        let loaded = load_both(GUARD, user, "{}");
        assert!(codes(&loaded).contains(&"missing-run"), "{user}: {:?}", loaded.diagnostics);
        assert!(loaded.ruleset.hooks().len() > alone, "{user}");
    }
}

/// The name of a table, what a managed file and the user's say in it, the codes of the findings,
/// and how the managed word is seen.
type OfTable =
    (&'static str, &'static str, &'static str, &'static [&'static str], fn(&Loaded) -> bool);

const OF_TABLES: &[OfTable] = &[
    (
        "event",
        "[event.'deploy']\ngate = true\nanswers = ['deny']\n",
        "[event.'deploy']\nanswers = []\n",
        &["event-declared-twice"],
        |loaded| {
            let row = loaded.ruleset.custom_event_row(&"deploy".into());
            row.is_some_and(|row| row.powers.has(Power::Deny))
        },
    ),
    (
        "mcp",
        "[mcp.policy]\nrun = ['theirs']\n",
        "[mcp.policy]\nrun = ['mine']\n",
        &["server-configured-twice"],
        |loaded| {
            loaded
                .ruleset
                .servers()
                .iter()
                .all(|server| server.reach.one_line_description().contains("theirs"))
        },
    ),
    (
        "shadow",
        "[shadow]\nallowed = false\n",
        "[shadow]\nallowed = true\n[hook.mine]\non = 'Stop'\nshell = 'mine'\nmode = 'shadow'\n",
        &["managed-key-ignored", "switch-not-heard"],
        |loaded| !hook(loaded, "mine").enforcement.is_shadow(),
    ),
    (
        "mode",
        "mode = 'enforce'\n[hook.guard]\non = 'PreToolUse'\nshell = 'guard'\n",
        "[source.'/etc/tenterhook/tenterhook.toml']\nmode = 'shadow'\n",
        &[],
        |loaded| !hook(loaded, "guard").enforcement.is_shadow(),
    ),
    ("hook", GUARD, "[hook.guard]\non = 'Stop'\nshell = 'other'\n", &[], |loaded| {
        hook(loaded, "guard").event.as_str() == "PreToolUse"
    }),
    (
        "trust",
        "[trust]\nunapproved = 'hold'\n",
        "[trust]\nunapproved = 'off'\n",
        &["managed-key-ignored"],
        // Only managed files say it (T-13).
        |_| {
            let says = |layer, word: &str| {
                let text = format!("[trust]\nunapproved = '{word}'\n");
                NATIVE.read_config(&native(MANAGED, layer, &text)).switches
            };
            says(Layer::Managed, "hold") == [Switch::HoldUnapproved]
                && says(Layer::User, "hold").is_empty()
                && says(Layer::User, "off").is_empty()
        },
    ),
];

/// C-90, C-112, E-6, MC-12, SH-3, T-13.
#[test]
fn a_user_undoes_no_other_table_of_a_managed_file() {
    for (table, managed, user, expected, stands) in OF_TABLES {
        let both = load_both(managed, user, "{}");
        assert!(stands(&both), "{table}: {:?}", both.diagnostics);
        let mut codes = codes(&both);
        codes.sort_unstable();
        codes.retain(|code| *expected == [] as [&str; 0] || expected.contains(code));
        if !expected.is_empty() {
            assert_eq!(codes, *expected, "{table}: {:?}", both.diagnostics);
        }
    }
    let elsewhere = ["$schema", "source", "record", "protect"];
    covered(keys::FILE, OF_TABLES.iter().map(|row| row.0).chain(elsewhere));
    covered(keys::SHADOWS, ["allowed"].into_iter());
    // The user's keys are added to those of the organisation: the user could approve the same hooks
    // anyway.
    covered(keys::TRUST, ["unapproved", "keys"].into_iter());
}

/// SP-20, SP-22, SH-4, C-90: if a managed file exempts files for agents, no other file exempts
/// more.
#[cfg(feature = "rule")]
#[test]
fn a_user_leaves_no_more_to_agents_than_a_managed_file() {
    let when = |loaded: &Loaded| -> (String, bool, bool) {
        let mut all = loaded.ruleset.hooks().iter();
        let hook = all.find(|hook| hook.id.as_str() == "self-protection/change-guard");
        let hook = hook.expect("the rule is there");
        let Run::Rule(rule) = &hook.run else { panic!("a rule") };
        (rule.when_expression().to_owned(), hook.pausable, hook.enforcement.is_shadow())
    };
    let user = "[protect]\nwritable = ['mine.toml']\n";
    assert!(when(&load_both("", user, "{}")).0.contains("mine.toml"));
    let both = load_both("[protect]\nwritable = ['theirs.toml']\n", user, "{}");
    let (rule, ..) = when(&both);
    assert!(rule.contains("theirs.toml") && !rule.contains("mine.toml"), "{rule}");
    assert_eq!(codes(&both), ["switch-not-heard"], "{:?}", both.diagnostics);
    let none = load_both("[protect]\nwritable = []\n", user, "{}");
    assert!(!when(&none).0.contains("mine.toml"));
    // A managed file that says nothing of files leaves them to the user.
    let other = load_both("[protect]\npause = false\n", user, "{}");
    let (rule, pausable, _) = when(&other);
    assert!(rule.contains("mine.toml") && !pausable);
    for user in ["[protect]\npause = true\n", "[protect]\nmode = 'shadow'\n"] {
        let both = load_both("[protect]\npause = false\nmode = 'enforce'\n", user, "{}");
        let (_, pausable, shadow) = when(&both);
        assert!(!pausable && !shadow, "{user}");
        assert_eq!(codes(&both), ["switch-not-heard"], "{user}");
    }
    covered(keys::PROTECT, ["writable", "pause", "mode"].into_iter());
}

/// C-77: whatever the organisation says of the record stands, and what it requires is neither
/// switched off, nor moved, nor cut short. C-90.
#[test]
fn a_user_undoes_no_managed_word_about_the_record() {
    // A managed table, the user's, what holds in the end, and the keys of the user's that have no
    // effect.
    let rows: &[(&str, &str, &str, &[&str])] = &[
        ("enabled = true", "enabled = false", "enabled = true", &["enabled"]),
        ("enabled = false", "enabled = true", "enabled = false", &["enabled"]),
        ("dir = '/a'", "dir = '/b'", "dir = '/a'", &["dir"]),
        ("content = 'none'", "content = 'full'", "content = 'none'", &["content"]),
        ("keep_days = 90", "keep_days = 1", "keep_days = 90", &["keep_days"]),
        ("max_bytes = 134217728", "max_bytes = 65536", "max_bytes = 134217728", &["max_bytes"]),
        ("required = true", "required = false", "required = true", &["required"]),
        ("required = false", "required = true", "required = false", &["required"]),
        ("required = true", "enabled = false", "required = true", &["enabled"]),
        ("required = true", "enabled = true", "required = true", &[]),
        ("required = true", "dir = '/b'", "required = true", &["dir"]),
        ("required = true", "keep_days = 1", "required = true", &["keep_days"]),
        ("required = true", "max_bytes = 65536", "required = true", &["max_bytes"]),
        ("required = true", "keep_days = 90", "required = true\nkeep_days = 90", &[]),
        ("required = true", "content = 'full'", "required = true\ncontent = 'full'", &[]),
        ("system_log = 'off'", "system_log = 'syslog'", "system_log = 'off'", &["system_log"]),
        ("system_log = 'syslog'", "enabled = false", "system_log = 'syslog'", &["enabled"]),
        ("system_log = 'syslog'", "socket = '/b'", "system_log = 'syslog'", &["socket"]),
        ("system_log = 'syslog'", "dir = '/b'", "system_log = 'syslog'\ndir = '/b'", &[]),
        ("socket = '/a'", "socket = '/b'", "socket = '/a'", &["socket"]),
        (
            "required = true\nenabled = false",
            "enabled = true",
            "required = true\nenabled = false",
            &["enabled"],
        ),
        ("", "enabled = false\ndir = '/b'", "enabled = false\ndir = '/b'", &[]),
        ("required = false", "enabled = false", "required = false\nenabled = false", &[]),
    ];
    let table = |text: &str| -> RecordTable {
        let source = native(MANAGED, Layer::Managed, &format!("[record]\n{text}\n"));
        NATIVE.read_config(&source).record
    };
    for (managed, user, held, without_effect) in rows {
        assert_eq!(table(user).with_managed(table(managed)), table(held), "{managed}; {user}");
        let of = |text: &str| format!("[record]\n{text}\n");
        let loaded = load_both(&of(managed), &of(user), "{}");
        let found: Vec<_> = loaded
            .diagnostics
            .iter()
            .map(|found| (found.code.name(), found.place.as_ref().map(|place| place.line)))
            .collect();
        let expected = without_effect.iter().map(|_| ("record-not-heard", Some(2)));
        assert_eq!(found, expected.collect::<Vec<_>>(), "{managed}; {user}");
        for (found, key) in loaded.diagnostics.iter().zip(*without_effect) {
            assert!(found.message.starts_with(&format!("`{key}` of `[record]`")), "{found}");
        }
    }
    covered(keys::RECORD, rows.iter().filter_map(|row| row.0.split(' ').next()));
    assert_eq!(table("content = 'none'").content, Some(Content::Nothing));
}

/// Whether a table of tests has a row for each key of the format.
fn covered<'k>(keys: &[Key], rows: impl Iterator<Item = &'k str>) {
    let rows: Vec<&str> = rows.collect();
    for key in keys {
        assert!(rows.contains(&key.name), "no row is about `{}`", key.name);
    }
}

/// C-16, C-18: a user's word against a built-in rule says what to do, also where the rules are not
/// among what is read.
#[test]
fn a_user_switches_no_built_in_rule_off() {
    let text = "[hook.'self-protection/start-unguarded']\nenabled = false\n";
    for (layer, expected) in [
        (Layer::User, Some("leave it out: only a managed file changes this")),
        (Layer::Managed, None),
    ] {
        let loaded = crate::config::load(&[native(USERS, layer, text)], &Added::default(), None);
        let help = loaded.diagnostics.first().and_then(|found| found.help.as_deref());
        assert_eq!(help, expected, "{:?}", loaded.diagnostics);
    }
}
