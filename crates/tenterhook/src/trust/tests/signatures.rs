//! What a signature arms, and for whom.

use super::*;

/// What the author signed, as it lies in a clone.
pub(super) fn signed(author: &Fixture, key: &SecretKey) -> Lock {
    author.approve();
    let review = author.trust().review(&author.settings());
    Trust::sign(&[review], key).expect("a signature")
}

pub(super) fn write(fixture: &Fixture, lock: &Lock) {
    fixture.write(LOCK, &lock.text().expect("its text"));
}

/// A file that pins a key, at the person's own place.
pub(super) fn pins(fixture: &Fixture, key: &SecretKey) -> Source {
    let directory = fixture.home().join(".config/tenterhook");
    fs::create_dir_all(&directory).expect("a directory");
    let name = directory.join("tenterhook.toml");
    let text = format!("[trust]\nkeys = [\"{}\"]\n", key.public_key());
    fs::write(&name, &text).expect("a file");
    let own = Source::from_text(name.to_str().expect("text"), DialectId::NATIVE, &text, directory);
    Source { layer: Layer::User, project: fixture.project(), home: fixture.home(), ..own }
}

pub(super) fn state(fixture: &Fixture, pins: &Source) -> State {
    let trust = fixture.trust().knowing(std::slice::from_ref(pins));
    trust.review(&fixture.settings()).state
}

/// T-50: only the user or the organisation pins keys, in a file that other users cannot write.
#[cfg(unix)]
#[test]
fn a_key_is_pinned_in_a_file_of_ones_own() {
    use std::os::unix::fs::PermissionsExt as _;
    let (fixture, key) = (Fixture::new(), SecretKey::new(&[7; 32]));
    write(&fixture, &signed(&Fixture::new(), &key));
    let own = pins(&fixture, &key);
    for (layer, counts) in [
        (Layer::User, true),
        (Layer::Managed, true),
        (Layer::Given, false),
        (Layer::Plugin, false),
        (Layer::Project, false),
    ] {
        let found = state(&fixture, &Source { layer, ..own.clone() });
        assert_eq!(found == State::Approved, counts, "{layer:?}: {found:?}");
    }
    fs::set_permissions(&*own.name, fs::Permissions::from_mode(0o666)).expect("its mode");
    assert_eq!(state(&fixture, &own), State::Unknown);
    assert_eq!(state(&fixture, &pins(&Fixture::new(), &SecretKey::new(&[8; 32]))), State::Unknown);
}

/// T-55: a signature over the same content is added to earlier ones; over other content it replaces
/// them.
#[test]
fn a_signature_stands_beside_those_of_the_same() {
    let (fixture, one, other) =
        (Fixture::new(), SecretKey::new(&[1; 32]), SecretKey::new(&[2; 32]));
    let signs = |key: &SecretKey| {
        let lock = signed(&fixture, key);
        write(&fixture, &lock);
        lock.signers().map(str::to_owned).collect::<Vec<_>>()
    };
    let [first, second] = [&one, &other].map(|key| key.public_key().to_string());
    assert_eq!(signs(&one), std::slice::from_ref(&first));
    assert_eq!(signs(&other), [first.clone(), second.clone()]);
    assert_eq!(signs(&one), [second, first.clone()]);
    fixture.write(".claude/hooks/lib/words.sh", "WORDS='other'\n");
    assert_eq!(signs(&one), [first]);
}

/// T-51, T-52, T-54, T-56: what lies there is what was signed, or it is not armed by it.
#[tokio::test]
async fn a_lock_file_arms_what_its_signature_covers() {
    let (fixture, key) = (Fixture::new(), SecretKey::new(&[7; 32]));
    let own = pins(&fixture, &key);
    let reported = async || {
        let (engine, reported) = fixture.engine_of([own.clone(), fixture.settings()]);
        let codes: Vec<_> = reported.iter().map(|diagnostic| diagnostic.code.name()).collect();
        (fixture.call_of(&engine, &Session::default()).await.0, codes.join(" "))
    };
    let off = || (Restraint::Silent, "not-approved".to_owned());
    let unanswered = |restraint: Restraint, more: &str| {
        let (found, codes) = (restraint, ["lock-not-heard", more]);
        (found, codes.iter().filter(|text| !text.is_empty()).copied().collect::<Vec<_>>().join(" "))
    };
    assert_eq!(reported().await, off());
    let lock = signed(&Fixture::new(), &key);
    assert_eq!((lock.len(), lock.is_empty()), (1, false));
    let none = Trust::sign(&[], &key).expect("nothing can be signed");
    assert_eq!((none.len(), none.is_empty()), (0, true));
    write(&fixture, &lock);
    assert_eq!(reported().await, (Restraint::Deny, String::new()));
    let text = lock.text().expect("its text");
    for other in [
        text.replace("\"claude\"", "\"codex\""),
        text.replace("\"version\": 1", "\"version\": 2"),
        text.replacen("Bash", "Never", 1),
        text.get(1..).expect("a text").to_owned(),
        String::new(),
    ] {
        assert_ne!(other, text);
        fixture.write(LOCK, &other);
        assert_eq!(reported().await, unanswered(Restraint::Ask, ""), "{other}");
    }
    write(&fixture, &signed(&Fixture::new(), &SecretKey::new(&[8; 32])));
    let (restraint, codes) = reported().await;
    assert_eq!(restraint, Restraint::Silent);
    assert!(codes.contains("lock-not-heard") && codes.contains("not-approved"), "{codes}");
    write(&fixture, &lock);
    fixture.write(".claude/hooks/lib/words.sh", "WORDS='evil'\n");
    assert_eq!(reported().await, (Restraint::Ask, "changed-since-approved".to_owned()));
}

/// T-53: the person's own word about exactly what lies there counts before a signature.
#[test]
fn a_persons_own_no_counts_before_a_signature() {
    let (fixture, key) = (Fixture::new(), SecretKey::new(&[7; 32]));
    let own = pins(&fixture, &key);
    write(&fixture, &signed(&Fixture::new(), &key));
    assert_eq!(state(&fixture, &own), State::Approved);
    let trust = fixture.trust().knowing(std::slice::from_ref(&own));
    assert_eq!(trust.review(&fixture.settings()).signer, Some(key.public_key()));
    trust.refuse(&trust.review(&fixture.settings())).expect("an answer");
    assert_eq!(state(&fixture, &own), State::Refused);
}

/// T-2, T-50: a file that its person approved pins what it pinned then.
#[test]
fn a_key_that_came_after_an_approval_does_not_count() {
    let (fixture, one, other) =
        (Fixture::new(), SecretKey::new(&[1; 32]), SecretKey::new(&[2; 32]));
    write(&fixture, &signed(&Fixture::new(), &other));
    assert_eq!(state(&fixture, &pins(&fixture, &other)), State::Approved);
    let own = pins(&fixture, &one);
    let trust = fixture.trust();
    trust.approve(&trust.review(&own)).expect("an approval");
    assert_eq!(state(&fixture, &pins(&fixture, &other)), State::Unknown);
    write(&fixture, &signed(&Fixture::new(), &one));
    assert_eq!(state(&fixture, &pins(&fixture, &one)), State::Approved);
}

/// T-51: a program that is found by name in the project is not covered by signed digests, so its
/// hook cannot be signed.
#[test]
fn what_a_program_of_the_project_runs_cannot_be_signed() {
    let fixture = Fixture::new();
    let line = GATE.replace("\\\"$CLAUDE_PROJECT_DIR\\\"/.claude/hooks/gate.sh", "lint now");
    assert_ne!(line, GATE);
    fixture.write(".claude/settings.json", &line);
    fixture.write("bin/lint", "exit 0\n");
    let signs = |search: &Path| {
        let path = ("PATH".to_owned(), search.to_str().expect("text").to_owned());
        let trust = fixture.trust().within(&[path]);
        Trust::sign(&[trust.review(&fixture.settings())], &SecretKey::new(&[7; 32])).is_ok()
    };
    assert!(signs(&fixture.home()));
    assert!(!signs(&fixture.project().join("bin")));
}
