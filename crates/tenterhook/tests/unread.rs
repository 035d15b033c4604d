//! What cannot be read is not absent, as an embedder sees it: files that are found, an engine that
//! is built of them, and an event that is fired.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test that cannot go on must fail")]

#[path = "unread/exposed.rs"]
mod exposed;

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tenterhook::discover;
use tenterhook::executor::Ambient;
use tenterhook::{Engine, Outcome, Session};
use tenterhook_core::answer::Restraint;
use tenterhook_core::config::{Completeness, Source};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::{DialectId, Roots};
use tenterhook_core::event::{Event, Surroundings};
use tenterhook_core::hook::Compat;

/// A file of each place, and whether it is a native one.
const PLACES: &[(&str, bool)] = &[
    ("etc/tenterhook.toml", true),
    ("home/.config/tenterhook/tenterhook.toml", true),
    ("home/.config/tenterhook/tenterhook.guardrails.toml", true),
    ("repo/tenterhook.toml", true),
    ("repo/tenterhook.json", true),
    ("repo/tenterhook.local.toml", true),
    ("etc/managed-settings.json", false),
    ("etc/managed-settings.d/10-a.json", false),
    ("home/.claude/settings.json", false),
    ("repo/.claude/settings.json", false),
    ("repo/.claude/settings.local.json", false),
    ("home/.gen/settings.json", false),
    ("repo/.gen/settings.json", false),
    ("home/.ignis/hooks.json", false),
    ("home/.codewhale/config.toml", false),
    ("repo/.codewhale/hooks.toml", false),
    ("home/.reasonix/settings.json", false),
    ("repo/.reasonix/settings.json", false),
];

type Make = fn(&Path);

/// Ways in which a file is there and cannot be read.
const WAYS: &[(&str, Make)] = &[
    ("a FIFO", |path| tenterhook_testkit::make_fifo(path).expect("a fifo")),
    ("a directory", |path| fs::create_dir(path).expect("a directory")),
    ("a link to itself", |path| symlink(path, path).expect("a link")),
    ("a link to nothing", |path| symlink("absent/x", path).expect("a link")),
    ("a link to a device", |path| symlink("/dev/zero", path).expect("a link")),
    ("too large", |path| {
        fs::File::create(path).and_then(|file| file.set_len(17 << 20)).expect("a file");
    }),
    ("zeros", |path| fs::write(path, [0; 512]).expect("a file")),
    ("binary", |path| fs::write(path, b"\x7fELF\x02\x01\xff\xfe\x80").expect("a file")),
    ("torn", |path| fs::write(path, "{\"hooks\": {\"PreToolUse\": [{\"ma").expect("a file")),
    ("half a table", |path| fs::write(path, "[hook.a]\non = ").expect("a file")),
    ("another encoding", |path| fs::write(path, b"a = 1 # \xfc").expect("a file")),
    ("a list", |path| fs::write(path, "[1]").expect("a file")),
];

struct Fixture {
    directory: TempDir,
    roots: Roots,
}

impl Fixture {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let at = |name: &str| directory.path().join(name);
        for name in ["etc", "home", "repo"] {
            fs::create_dir(at(name)).expect("a directory");
        }
        let roots = Roots {
            cwd: at("repo"),
            repository: Some(at("repo")),
            home: at("home"),
            managed: Some(at("etc")),
            managed_owner: Some(directory.path().metadata().expect("metadata").uid()),
            ..Roots::default()
        };
        Self { directory, roots }
    }

    fn path(&self, name: &str) -> PathBuf {
        let path = self.directory.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        path
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).expect("a file");
        path
    }

    fn sources(&self) -> Vec<Source> {
        discover::find(&self.roots).sources
    }

    fn engine(&self) -> Engine {
        engine(self.sources())
    }
}

fn engine(sources: Vec<Source>) -> Engine {
    let env = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
    let builder =
        Engine::builder().ambient(Ambient::default().env(env)).trust_repositories_unasked();
    sources.into_iter().fold(builder, |builder, source| builder.source(source)).build().0
}

async fn fire(engine: &Engine, session: &Session, name: &str) -> Outcome {
    let mut event = Event::new(name, Surroundings { cwd: "/".into(), ..Surroundings::default() });
    let payload = serde_json::json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } });
    event.payload = payload.as_object().expect("an object").clone();
    engine.fire(event, session).await
}

async fn restraint(engine: &Engine, name: &str) -> Restraint {
    fire(engine, &Session::default(), name).await.restraint
}

fn remove(path: &Path) {
    if path.symlink_metadata().expect("it is there").is_dir() {
        fs::remove_dir(path).expect("removed");
    } else {
        fs::remove_file(path).expect("removed");
    }
}

/// C-70, C-72: a native file denies, any other asks; and nothing else is held up.
#[tokio::test]
async fn every_way_to_be_unreadable_holds_calls_and_no_prompt() {
    let fixture = Fixture::new();
    for (place, native) in PLACES {
        let file = fixture.path(place);
        for (way, make) in WAYS {
            make(&file);
            let engine = fixture.engine();
            let expected = if *native { Restraint::Deny } else { Restraint::Ask };
            // TOML has no text that is a list; this one is a table of that name.
            let odd = *way == "a list" && place.ends_with(".toml");
            let expected = if odd { Restraint::Silent } else { expected };
            assert_eq!(restraint(&engine, "PreToolUse").await, expected, "{place}: {way}");
            for free in ["UserPromptSubmit", "Stop", "SessionStart", "SessionEnd", "TurnStart"] {
                assert_eq!(restraint(&engine, free).await, Restraint::Silent, "{place}: {way}");
            }
            remove(&file);
        }
        assert_eq!(restraint(&fixture.engine(), "PreToolUse").await, Restraint::Silent, "{place}");
        fs::write(&file, "").expect("a file");
        assert_eq!(restraint(&fixture.engine(), "PreToolUse").await, Restraint::Silent, "{place}");
        fs::remove_file(&file).expect("removed");
    }
}

/// C-72: an unreadable file of each dialect blocks what its hooks could deny; without a user to ask
/// it denies.
#[tokio::test]
async fn what_a_file_could_not_gate_is_not_held() {
    let held = |file: &'static str| async move {
        let fixture = Fixture::new();
        fixture.write(file, "{");
        let engine = fixture.engine();
        let mut found = Vec::new();
        for event in ["PreToolUse", "PermissionRequest", "PreModelCall"] {
            found.push(restraint(&engine, event).await);
        }
        found
    };
    use Restraint::{Ask, Deny, Silent};
    assert_eq!(held("repo/tenterhook.toml").await, [Deny, Ask, Deny]);
    assert_eq!(held("repo/.claude/settings.json").await, [Ask, Ask, Silent]);
    assert_eq!(held("repo/.gen/settings.json").await, [Ask, Ask, Silent]);
    assert_eq!(held("repo/.reasonix/settings.json").await, [Ask, Silent, Deny]);
    assert_eq!(held("repo/.codewhale/hooks.toml").await, [Ask, Silent, Silent]);
    assert_eq!(held("home/.ignis/hooks.json").await, [Ask, Silent, Silent]);
}

/// C-70: with the reason, in the order of the places, and not where there is nothing.
#[test]
fn what_stands_at_a_place_and_cannot_be_read_is_a_source() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.path("repo/tenterhook.toml")).expect("a directory");
    symlink(fixture.path("absent"), fixture.path("home/.config")).expect("a link");
    fs::write(fixture.path("repo/.claude"), "").expect("a file");
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    fs::write(fixture.path("home/.gen/settings.json"), wide("\u{feff}{}")).expect("a file");
    let sources = fixture.sources();
    let flaws: Vec<_> = sources
        .iter()
        .map(|source| {
            let flaw = source.flaw.as_ref().expect("a flaw");
            let name =
                Path::new(&*source.name).strip_prefix(fixture.directory.path()).expect("inside");
            (name.to_str().expect("text"), flaw.kept, flaw.why.contains("link to nothing"))
        })
        .collect();
    let user = "home/.config/tenterhook/tenterhook";
    let moved = "home/.config/tenterhook/adopted";
    let nothing = Completeness::Nothing;
    assert_eq!(
        flaws,
        [
            (format!("{user}.toml").as_str(), nothing, true),
            (format!("{user}.json").as_str(), nothing, true),
            (format!("{user}.guardrails.toml").as_str(), nothing, true),
            (format!("{user}.hold-subagents.toml").as_str(), nothing, true),
            ("repo/tenterhook.toml", nothing, false),
            (format!("{moved}/claude.json").as_str(), nothing, true),
            ("home/.gen/settings.json", Completeness::All, false),
            (format!("{moved}/codex.json").as_str(), nothing, true),
            (format!("{moved}/gemini.json").as_str(), nothing, true),
            (format!("{moved}/qwen.json").as_str(), nothing, true),
            (format!("{moved}/droid.json").as_str(), nothing, true),
            (format!("{moved}/cursor.json").as_str(), nothing, true),
            (format!("{moved}/antigravity.json").as_str(), nothing, true),
            (format!("{moved}/windsurf.json").as_str(), nothing, true),
            (format!("{moved}/augment.json").as_str(), nothing, true),
            ("home/.config/crush/crush.json", nothing, true),
            (format!("{moved}/crush.json").as_str(), nothing, true),
        ]
    );
}

/// C-70.
#[tokio::test]
async fn a_registry_that_cannot_be_read_may_know_gates() {
    let fixture = Fixture::new();
    let registry = "home/.claude/plugins/installed_plugins.json";
    fixture.write(registry, "{\"plugins\": {");
    assert_eq!(restraint(&fixture.engine(), "PreToolUse").await, Restraint::Silent);
    let settings = "home/.claude/settings.json";
    fixture.write(settings, "{\"enabledPlugins\": {\"guard@shop\": true}}");
    assert_eq!(restraint(&fixture.engine(), "PreToolUse").await, Restraint::Ask);
    let root = fixture.path("shop/guard/.claude-plugin/plugin.json");
    let root = root.ancestors().nth(2).expect("a directory").to_owned();
    let known = serde_json::json!({"plugins": {"guard@shop": [{"installPath": root}]}});
    fixture.write(registry, &known.to_string());
    assert_eq!(restraint(&fixture.engine(), "PreToolUse").await, Restraint::Silent);
    for file in ["hooks/hooks.json", ".claude-plugin/plugin.json"] {
        let file = fixture.write(&format!("shop/guard/{file}"), "{\"hooks\": {");
        assert_eq!(restraint(&fixture.engine(), "PreToolUse").await, Restraint::Ask, "{file:?}");
        remove(&file);
        fs::create_dir(&file).expect("a directory");
        assert_eq!(restraint(&fixture.engine(), "PreToolUse").await, Restraint::Ask, "{file:?}");
        remove(&file);
    }
}

/// C-3.
#[tokio::test]
async fn a_running_host_keeps_its_last_good_hooks_whatever_becomes_of_a_file() {
    let fixture = Fixture::new();
    let good = "[hook.guard]\non = 'PreToolUse'\nshell = 'exit 2'\n";
    let file = fixture.write("repo/tenterhook.toml", good);
    let engine = fixture.engine();
    for (way, make) in WAYS.iter().filter(|(way, _)| *way != "a list") {
        remove(&file);
        make(&file);
        let diagnostics = engine.reload(&fixture.sources());
        assert!(
            diagnostics.iter().any(|diagnostic| diagnostic.code == Code::KeptLastGood),
            "{way}: {diagnostics:?}"
        );
        let ids: Vec<_> = engine.ruleset().hooks().iter().map(|hook| hook.id.to_string()).collect();
        assert_eq!(ids, ["guard"], "{way}");
    }
    // What was never good holds until it is mended.
    let fresh = fixture.engine();
    assert!(fresh.ruleset().hooks().iter().all(|hook| hook.is_hold_for_unread_file()));
    assert_eq!(restraint(&fresh, "PreToolUse").await, Restraint::Deny);
    remove(&file);
    fs::write(&file, good).expect("a file");
    assert!(fresh.reload(&fixture.sources()).is_empty());
    assert!(fresh.ruleset().hooks().iter().all(|hook| !hook.is_hold_for_unread_file()));
}

/// C-93: each reload keeps the gate while another thread saves its file in place.
#[tokio::test]
async fn reload_keeps_hooks_of_a_file_that_is_saved_in_place() {
    for (name, text) in [
        ("repo/tenterhook.toml", "[hook.guard]\non = 'PreToolUse'\nshell = 'exit 2'\n"),
        (
            "home/.claude/settings.json",
            r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#,
        ),
    ] {
        let fixture = Fixture::new();
        let file = fixture.write(name, text);
        let engine = fixture.engine();
        let is_over = std::sync::atomic::AtomicBool::new(false);
        let order = std::sync::atomic::Ordering::Relaxed;
        let hooks: Vec<usize> = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(order) {
                    fs::write(&file, "").expect("a file");
                    std::thread::yield_now();
                    fs::write(&file, text).expect("a file");
                }
            });
            let reload = |_| {
                engine.reload(&fixture.sources());
                engine
                    .ruleset()
                    .hooks()
                    .iter()
                    .filter(|hook| !hook.is_hold_for_unread_file())
                    .count()
            };
            let hooks = (0..20).map(reload).collect();
            is_over.store(true, order);
            hooks
        });
        assert_eq!(hooks, [1; 20], "{name}");
    }
}

/// C-74.
#[tokio::test]
async fn the_message_comes_once_a_session() {
    let fixture = Fixture::new();
    fixture.write("repo/.claude/settings.json", "{\n\"hooks\": oops}");
    let (engine, session) = (fixture.engine(), Session::default());
    for first in [true, false] {
        let outcome = fire(&engine, &session, "PreToolUse").await;
        assert_eq!(outcome.restraint, Restraint::Ask);
        let reason = &outcome.reasons.first().expect("a reason").text;
        assert!(reason.contains(".claude/settings.json:2"), "{reason}");
        let faults: Vec<_> = outcome.faults.iter().map(|fault| fault.code.name()).collect();
        assert_eq!(faults, if first { &["file-unread"][..] } else { &[] });
        if first {
            assert!(outcome.faults[0].message.contains("`tenterhook check` shows more"));
        }
    }
}

/// C-73: the setting follows C-16, so that no repository loosens the user's.
#[tokio::test]
async fn who_wants_it_otherwise_says_so() {
    use Restraint::{Ask, Deny, Silent};
    let fixture = Fixture::new();
    let project = fixture.write("repo/.claude/settings.json", "{");
    let user = fixture.write("home/.claude/settings.json", "{}");
    let native = |file: &Path, says: &str| format!("[source.'{}']\n{says}\n", file.display());
    for (says, expected) in [
        ("on_broken = 'continue'", Silent),
        ("on_broken = 'block'", Deny),
        ("on_broken = 'ask'\non_failure = 'block'", Ask),
        ("on_failure = 'block'", Deny),
        ("on_failure = 'continue'", Ask),
        ("enabled = false", Silent),
        ("compat = 'exact'", Silent),
    ] {
        fixture.write("home/.config/tenterhook/tenterhook.toml", &native(&project, says));
        assert_eq!(restraint(&fixture.engine(), "PreToolUse").await, expected, "{says}");
    }
    fs::write(&user, "{").expect("a file");
    fixture.write("home/.config/tenterhook/tenterhook.toml", "");
    fs::write(&project, "{}").expect("a file");
    for says in ["on_broken = 'continue'", "enabled = false"] {
        fixture.write("repo/tenterhook.toml", &native(&user, says));
        assert_eq!(restraint(&fixture.engine(), "PreToolUse").await, Ask, "{says}");
    }
    fixture.write("repo/.claude/settings.local.json", "{\"disableAllHooks\": true}");
    assert_eq!(restraint(&fixture.engine(), "PreToolUse").await, Silent);
}

/// C-75.
#[tokio::test]
async fn who_follows_the_agent_exactly_holds_nothing() {
    let fixture = Fixture::new();
    let group = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"\", \"hooks\": [";
    let handler = "{\"type\": \"command\", \"command\": \"exit 2\"}";
    for file in ["repo/.claude/settings.json", "repo/.gen/settings.json"] {
        let file = fixture.write(file, &format!("{group}{handler}"));
        let mut sources = fixture.sources();
        assert_eq!(restraint(&engine(sources.clone()), "PreToolUse").await, Restraint::Deny);
        sources.iter_mut().for_each(|source| source.compat = Compat::Exact);
        assert_eq!(restraint(&engine(sources), "PreToolUse").await, Restraint::Silent);
        remove(&file);
    }
}

/// C-71, C-72: an entry that is whole does what it says, in each dialect, and UTF-16 and comments
/// hide none.
#[tokio::test]
async fn a_whole_entry_of_a_torn_file_denies() {
    let flat = r#"{"hooks": {"PreToolUse": [{"match": "*", "command": "exit 2"}, {"comm"#;
    let grouped =
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}, {"ho"#;
    let tables = "[[hooks]]\nevent = 'tool_call_before'\ncommand = 'exit 2'\n[[hooks]]\nevent = ";
    for (dialect, name, text) in [
        (DialectId::CLAUDE, ".claude/settings.json", grouped),
        (DialectId::GEN, ".gen/settings.json", grouped),
        (DialectId::REASONIX, ".reasonix/settings.json", flat),
        (DialectId::CODEWHALE, ".codewhale/hooks.toml", tables),
    ] {
        let source = Source::from_text(name, dialect, text, "/");
        assert_eq!(restraint(&engine(vec![source]), "PreToolUse").await, Restraint::Deny, "{name}");
    }
}
