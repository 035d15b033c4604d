//! What was signed beside what a person said: which file, which of its entries, and what it says
//! beside them.

use super::signatures::{pins, signed, state, write};
use super::*;
use tenterhook_core::source::Switch;

const SETTINGS: &str = ".claude/settings.json";

/// A file with a gate for each of these tools.
fn gates(tools: &[&str]) -> String {
    let gate = |text: &&str| {
        let hook =
            json!({"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/gate.sh"});
        json!({"matcher": text, "hooks": [hook]})
    };
    let all: Vec<_> = tools.iter().map(gate).collect();
    json!({"hooks": {"PreToolUse": all}}).to_string()
}

/// A fixture with these settings.
fn fixture(text: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.write(SETTINGS, text);
    fixture
}

fn states(fixture: &Fixture, own: &Source) -> (Vec<State>, Option<PublicKey>) {
    let review = fixture.trust().knowing(std::slice::from_ref(own)).review(&fixture.settings());
    (review.entries.iter().map(|entry| entry.state).collect(), review.signer)
}

/// T-51: what is signed is one file by its path, and none beside it that says the same.
#[test]
fn another_file_that_says_the_same_was_not_signed() {
    let (fixture, key) = (Fixture::new(), SecretKey::new(&[7; 32]));
    let own = pins(&fixture, &key);
    write(&fixture, &signed(&Fixture::new(), &key));
    assert_eq!(state(&fixture, &own), State::Approved);
    fixture.write(".claude/settings.local.json", GATE);
    let trust = fixture.trust().knowing(std::slice::from_ref(&own));
    let review = trust.review(&fixture.source(".claude/settings.local.json"));
    assert_eq!((review.state, review.signer), (State::Unknown, None));
    // The same path in the format of a different agent is a different file.
    let other = Source { dialect: DialectId::CODEX, ..fixture.settings() };
    assert_eq!(trust.review(&other).signer, None);
}

/// T-52: a signed entry that is gone blocks what it guarded, and the signed settings stay in
/// effect.
#[tokio::test]
async fn what_was_signed_counts_whatever_became_of_the_file() {
    let key = SecretKey::new(&[7; 32]);
    let (author, clone) = (fixture(GATE), fixture(GATE));
    let own = pins(&clone, &key);
    write(&clone, &signed(&author, &key));
    let call = async || {
        let (engine, _) = clone.engine_of([own.clone(), clone.settings()]);
        clone.call_of(&engine, &Session::default()).await.0
    };
    assert_eq!(call().await, Restraint::Deny);
    clone.write(SETTINGS, "{}");
    assert_eq!(call().await, Restraint::Ask);
    author.write(SETTINGS, "{\"disableAllHooks\": true}");
    write(&clone, &signed(&author, &key));
    let beside = || {
        let read = |source: &Source| source.dialect.dialect().read_config(source);
        let mut all = [own.clone(), clone.settings()].map(|source| (source.clone(), read(&source)));
        let diagnostics = clone.trust().judge_sources(&mut all);
        let [_, (_, config)] = all;
        (
            config.switches,
            diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect::<Vec<_>>(),
        )
    };
    clone.write(SETTINGS, "{\"disableAllHooks\": true}");
    assert_eq!(beside(), (vec![Switch::DisableAll], vec![]));
    clone.write(SETTINGS, "{\"disableAllHooks\": false}");
    assert_eq!(beside(), (vec![Switch::DisableAll], vec!["changed-since-approved"]));
}

/// T-53: an answer about different content has no precedence over a signature.
#[test]
fn a_no_to_something_else_does_not_count_before_a_signature() {
    let (fixture, key) = (fixture(&gates(&["Edit"])), SecretKey::new(&[7; 32]));
    let own = pins(&fixture, &key);
    let trust = fixture.trust();
    trust.refuse(&trust.review(&fixture.settings())).expect("an answer");
    fixture.write(SETTINGS, GATE);
    write(&fixture, &signed(&Fixture::new(), &key));
    assert_eq!(states(&fixture, &own), (vec![State::Approved], Some(key.public_key())));
    fixture.write(SETTINGS, &gates(&["Bash", "Write"]));
    write(&fixture, &signed(&self::fixture(&gates(&["Bash"])), &key));
    let some = vec![State::Approved, State::Changed];
    assert_eq!(states(&fixture, &own), (some, Some(key.public_key())));
}

/// T-52, T-53: what a person approved before stays approved, and what was signed of the rest joins
/// it.
#[test]
fn entries_that_were_signed_join_those_that_were_approved() {
    use State::{Approved, Changed};
    let key = SecretKey::new(&[7; 32]);
    let clone = fixture(&gates(&["Bash"]));
    let own = pins(&clone, &key);
    clone.approve();
    clone.write(SETTINGS, &gates(&["Bash", "Edit", "Write"]));
    assert_eq!(states(&clone, &own), (vec![Approved, Changed, Changed], None));
    write(&clone, &signed(&fixture(&gates(&["Edit", "Read"])), &key));
    assert_eq!(states(&clone, &own), (vec![Approved, Approved, Changed], Some(key.public_key())));
    // Nothing in the file is signed: the approval applies as before, without a signer.
    write(&clone, &signed(&fixture(&gates(&["Read"])), &key));
    assert_eq!(states(&clone, &own), (vec![Approved, Changed, Changed], None));
    // All of it is what was signed, and nothing of it is what was approved.
    write(&clone, &signed(&fixture(&gates(&["Bash", "Edit", "Write"])), &key));
    assert_eq!(states(&clone, &own), (vec![Approved; 3], Some(key.public_key())));
}

/// T-56: an unreadable lock file is not treated as missing, and casts doubt on the project only.
#[tokio::test]
async fn a_lock_that_cannot_be_read_puts_the_project_in_doubt() {
    let (fixture, key) = (Fixture::new(), SecretKey::new(&[7; 32]));
    let own = pins(&fixture, &key);
    let call = async |source: Source| {
        let (engine, _) = fixture.engine_of([own.clone(), source]);
        fixture.call_of(&engine, &Session::default()).await.0
    };
    fs::create_dir(fixture.project().join(LOCK)).expect("a folder in the place of the file");
    assert_eq!(call(fixture.settings()).await, Restraint::Ask);
    let codes = || {
        let (_, diagnostics) = fixture.engine_of([own.clone(), fixture.settings()]);
        diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect::<Vec<_>>()
    };
    assert_eq!(codes(), ["lock-not-heard"]);
    fixture.approve();
    for file in
        fs::read_dir(fixture.home().join("state/tenterhook/trust/sources")).expect("a store")
    {
        fs::write(file.expect("a record").path(), "{").expect("a torn record");
    }
    assert_eq!(codes(), ["lock-not-heard", "approval-unusable"]);
    let path = fixture.home().join("settings.json");
    fs::write(&path, GATE).expect("a file");
    let name = path.to_string_lossy().into();
    let mine = Source { layer: Layer::User, name, ..fixture.settings() };
    let trust = fixture.trust().knowing(std::slice::from_ref(&own));
    assert_eq!(trust.review(&mine).state, State::Unknown);
    assert_eq!(call(mine).await, Restraint::Deny);
}

/// T-15, T-51, T-52: plugins and servers that are off are so by the text that was approved or
/// signed, whatever became of it.
#[test]
fn plugins_are_found_by_what_was_approved_or_signed() {
    let key = SecretKey::new(&[7; 32]);
    for is_signed in [false, true] {
        let off = "{\"enabledPlugins\": {\"guard@shop\": false}}";
        let clone = fixture(off);
        let plugin = clone.root.path().join("shop/guard");
        fs::create_dir_all(plugin.join("hooks")).expect("a directory");
        fs::write(plugin.join("hooks/hooks.json"), "{\"hooks\": {}}").expect("a file");
        let user = clone.home().join(".claude");
        fs::create_dir_all(user.join("plugins")).expect("a directory");
        fs::write(user.join("settings.json"), "{\"enabledPlugins\": {\"guard@shop\": true}}")
            .expect("a file");
        let known = json!({"plugins": {"guard@shop": [{"installPath": plugin}]}}).to_string();
        fs::write(user.join("plugins/installed_plugins.json"), known).expect("a file");
        let roots = Roots { cwd: clone.project(), home: clone.home(), ..Roots::default() };
        let plugins = || {
            let found = clone.trust().find(&roots).sources;
            found.iter().filter(|source| source.layer == Layer::Plugin).count()
        };
        pins(&clone, &key);
        assert_eq!(plugins(), 1);
        if is_signed {
            write(&clone, &signed(&fixture(off), &key));
        } else {
            clone.approve();
        }
        assert_eq!(plugins(), 0, "{is_signed}");
        for other in ["{}", "{\"enabledPlugins\": {\"guard@shop\": true}}", "{\"enabled"] {
            clone.write(SETTINGS, other);
            assert_eq!(plugins(), 0, "{is_signed} {other}");
        }
        fs::write(clone.project().join(SETTINGS), b"\xff\xff{}").expect("no text");
        assert_eq!(plugins(), 0, "{is_signed}");
    }
}
