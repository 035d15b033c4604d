//! `tenterhook.lock`: hooks that a person approved and signed run without approval where their key is pinned, and no others do.
//! Each fixture stands for a machine: a home and a checkout.

use std::fs;

use crate::fixture::{CliOutput, Fixture};

const SETTINGS: &str = r#"{"hooks": {"PreToolUse": [
    {"matcher": "Bash", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/gate.sh"}]},
    {"matcher": "Write", "hooks": [{"type": "command", "command": ".claude/hooks/gate.sh"}]}]}}"#;
const NATIVE: &str =
    "[hook.reads]\non = 'PreToolUse'\nmatch = 'Read'\nrun = ['./.guard/reads.sh']\n";
const FILES: &[&str] =
    &[".claude/settings.json", ".claude/hooks/gate.sh", "tenterhook.toml", ".guard/reads.sh"];

/// The machine on which hooks are approved and signed, with its key.
fn author() -> (Fixture, String) {
    let fixture = Fixture::new().unapproved();
    fixture.write("project/.claude/settings.json", SETTINGS);
    fixture.write("project/tenterhook.toml", NATIVE);
    for name in ["project/.claude/hooks/gate.sh", "project/.guard/reads.sh"] {
        crate::test::program(&fixture, name, "#!/bin/sh\necho no >&2\nexit 2\n");
    }
    let made = fixture.run(&["trust", "key", "../home/keys/hooks.key"], "");
    assert_eq!(made.code, 0, "{}", made.all());
    (fixture, made.stdout.trim().to_owned())
}

fn run_trust_sign(fixture: &Fixture, key: &str) -> CliOutput {
    let status = fixture.run(&["trust", "status"], "").stdout;
    let open = status.lines().filter_map(|line| line.strip_prefix("    "));
    for digest in open.filter(|text| text.len() == 64) {
        let output = fixture.run(&["trust", "--yes", digest], "");
        assert_eq!(output.code, 0, "{}", output.all());
    }
    fixture.run(&["trust", "sign", "--key", key], "")
}

/// A machine that cloned what was signed; its user pinned these keys.
fn clone(of: &Fixture, keys: &[&str]) -> Fixture {
    let fixture = Fixture::new().unapproved();
    let text = format!("[trust]\nkeys = {keys:?}\n");
    fixture.write("home/.config/tenterhook/tenterhook.toml", &text);
    pull(of, &fixture);
    fixture
}

fn pull(from: &Fixture, to: &Fixture) {
    for name in FILES.iter().chain(&["tenterhook.lock"]) {
        let name = format!("project/{name}");
        let Ok(text) = fs::read_to_string(from.path(&name)) else { continue };
        if name.ends_with(".sh") {
            crate::test::program(to, &name, &text);
        } else {
            to.write(&name, &text);
        }
    }
}

/// What comes of a call: 0 proceeds, 2 denied, 3 asked.
fn fired(fixture: &Fixture, tool: &str) -> CliOutput {
    let call = serde_json::json!({"hook_event_name": "PreToolUse", "tool_name": tool,
        "tool_input": {"command": "ls", "file_path": "a"}});
    fixture.write("home/event.json", &call.to_string());
    fixture.run(&["fire", "../home/event.json"], "")
}

const KEY: &str = "../home/keys/hooks.key";

/// T-50 to T-52.
/// T-51, T-57.
#[test]
fn what_was_signed_runs_where_the_key_is_pinned() {
    let (author, key) = author();
    let early = author.run(&["trust", "sign", "--key", KEY], "");
    assert!(early.code == 1 && early.stderr.contains("only what is approved"), "{}", early.all());
    let signed = run_trust_sign(&author, KEY);
    assert_eq!(signed.code, 0, "{}", signed.all());
    let stranger = clone(&author, &[]);
    assert_eq!(fired(&stranger, "Bash").code, 0);
    let ci = clone(&author, &[&key]);
    for tool in ["Bash", "Write", "Read"] {
        let output = fired(&ci, tool);
        assert!(output.code == 2 && output.stdout.contains("no"), "{tool}\n{}", output.all());
        assert!(!output.stderr.contains("tenterhook trust"), "{}", output.stderr);
    }
    let status = ci.run(&["trust", "status"], "");
    assert!(status.code == 0 && status.stdout.contains(&key), "{}", status.all());
}

/// T-51, T-52, T-53: another byte is not armed by a signature over others, and what it guarded is held.
#[test]
fn a_signature_over_other_bytes_arms_nothing() {
    let (author, key) = author();
    assert_eq!(run_trust_sign(&author, KEY).code, 0);
    let ci = clone(&author, &[&key]);
    crate::test::program(&ci, "project/.claude/hooks/gate.sh", "#!/bin/sh\ntouch ran\nexit 0\n");
    let held = fired(&ci, "Bash");
    assert!(held.code == 3 && held.stdout.contains("`tenterhook trust`"), "{}", held.all());
    assert!(!ci.path("project/ran").exists());
    assert_eq!(fired(&ci, "Read").code, 2, "the signed content runs");
    // A gate that is gone from the file holds what it guarded.
    pull(&author, &ci);
    ci.write("project/.claude/settings.json", "{}");
    assert_eq!(fired(&ci, "Bash").code, 3);
    // The change is signed, too, and reaches the machine without a question.
    crate::test::program(&author, "project/.claude/hooks/gate.sh", "#!/bin/sh\nexit 0\n");
    assert_eq!(run_trust_sign(&author, KEY).code, 0);
    pull(&author, &ci);
    assert_eq!(fired(&ci, "Bash").code, 0, "{}", fired(&ci, "Bash").all());
    // A no to exactly this is the person's own.
    let digest = ci.run(&["trust", "status"], "").stdout;
    assert!(digest.contains("approved"), "{digest}");
}

/// T-54: a signer who did not sign this hook, or is not pinned, arms nothing; and a repository cannot pin keys. T-50.
#[test]
fn a_repository_does_not_say_who_is_believed() {
    let (author, key) = author();
    let pins = format!("{NATIVE}\n[trust]\nkeys = ['{key}']\n");
    author.write("project/tenterhook.toml", &pins);
    assert_eq!(run_trust_sign(&author, KEY).code, 0);
    let ci = clone(&author, &[]);
    let output = fired(&ci, "Bash");
    assert!(output.code == 0 && output.stderr.contains("`tenterhook trust`"), "{}", output.all());
    let check = ci.run(&["check", "tenterhook.toml"], "");
    assert!(check.stdout.contains("managed-key-ignored"), "{}", check.all());
    let other = Fixture::new().unapproved();
    let other = other.run(&["trust", "key", KEY], "").stdout;
    let ci = clone(&author, &[other.trim()]);
    let output = fired(&ci, "Bash");
    assert_eq!(output.code, 0, "{}", output.all());
    let words: Vec<&str> = output.stderr.split_whitespace().collect();
    assert!(words.join(" ").contains("by no key that you pinned"), "{}", output.stderr);
}

/// T-55: keys rotate: both are in use for a while, then the old one is removed.
#[test]
fn keys_rotate() {
    let (author, old) = author();
    assert_eq!(run_trust_sign(&author, KEY).code, 0);
    let made = author.run(&["trust", "key", "../home/keys/new.key"], "");
    let new = made.stdout.trim().to_owned();
    let ci = clone(&author, &[&new]);
    assert_eq!(fired(&ci, "Bash").code, 0, "the old signature is not by the new key");
    let both = run_trust_sign(&author, "../home/keys/new.key");
    assert!(both.stderr.contains("2 keys"), "{}", both.all());
    for key in [&old, &new] {
        assert_eq!(fired(&clone(&author, &[key]), "Bash").code, 2);
    }
    // A key signs other bytes, too.
    crate::test::program(&author, "project/.guard/reads.sh", "#!/bin/sh\nexit 0\n");
    let one = run_trust_sign(&author, "../home/keys/new.key");
    assert!(one.stderr.contains("1 key:"), "{}", one.all());
    assert_eq!(fired(&clone(&author, &[&old]), "Bash").code, 0);
    assert_eq!(fired(&clone(&author, &[&new]), "Bash").code, 2);
}

/// T-56: a lock file that is unreadable or lists unsigned content is reported with its path, and gates hold.
#[test]
fn bad_lock_file_is_reported_and_gates_hold() {
    let (author, key) = author();
    assert_eq!(run_trust_sign(&author, KEY).code, 0);
    let lock = fs::read_to_string(author.path("project/tenterhook.lock")).unwrap();
    let torn = lock.replacen("\"path\"", "\"pfad\"", 1);
    let forged = lock.replacen("\"review\": \"", "\"review\": \"0", 1);
    for (text, message) in [
        (torn.as_str(), "tenterhook.lock:5:"),
        (&forged, "did not sign what it says"),
        ("", "arms nothing"),
        ("{\"version\": 1, \"version\": 1}", "duplicate field"),
    ] {
        let ci = clone(&author, &[&key]);
        ci.write("project/tenterhook.lock", text);
        let output = fired(&ci, "Bash");
        assert_eq!(output.code, 3, "{text}\n{}", output.all());
        let words: Vec<&str> = output.stderr.split_whitespace().collect();
        assert!(words.join(" ").contains(message), "{message}\n{}", output.stderr);
        assert!(!output.stderr.contains("is not known"), "{}", output.stderr);
        // The person's own word is the way out.
        assert_eq!(run_trust_sign(&ci, "../home/none").code, 1);
        assert_eq!(fired(&ci, "Bash").code, 2, "{text}");
    }
}

/// T-57: a secret key is stored where only its owner can read it, and never in the project.
#[test]
#[cfg(unix)]
fn a_secret_key_is_kept_from_others() {
    use std::os::unix::fs::PermissionsExt;
    let (author, key) = author();
    let path = author.path("home/keys/hooks.key");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let again = author.run(&["trust", "key", KEY], "");
    assert_eq!(again.stdout.trim(), key, "{}", again.all());
    let here = author.run(&["trust", "key", "hooks.key"], "");
    assert!(here.code == 1 && here.stderr.contains("lies in the project"), "{}", here.all());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let open = run_trust_sign(&author, KEY);
    assert!(open.code == 1 && open.stderr.contains("chmod 600"), "{}", open.all());
}
