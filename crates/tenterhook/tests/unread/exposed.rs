//! Managed files that others than root may write, as an embedder sees them.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

/// C-89, C-110: a managed file that others may write holds calls, whatever it says by now and
/// whatever the user says of it.
#[tokio::test]
async fn an_exposed_managed_file_holds_calls() {
    use Restraint::{Ask, Deny, Silent};
    let fixture = Fixture::new();
    let gate = "mode = 'shadow'\n[event.'deploy']\ngate = true\nanswers = ['deny']\n\
        [hook.deploy]\non = 'deploy'\nshell = 'true'\non_failure = 'continue'\n";
    let file = fixture.write("etc/tenterhook.toml", gate);
    let lifts = format!(
        "[source.'{0}']\non_broken = 'continue'\nenabled = false\nmode = 'shadow'\ncompat = 'exact'\n",
        file.display()
    );
    fixture.write("home/.config/tenterhook/tenterhook.toml", &lifts);
    let found = async |events: [&'static str; 4]| {
        let engine = fixture.engine();
        let mut found = Vec::new();
        for event in events {
            found.push(restraint(&engine, event).await);
        }
        found
    };
    let events = ["PreToolUse", "PermissionRequest", "UserPromptSubmit", "deploy"];
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its mode");
    };
    assert_eq!(found(events).await, [Silent; 4]);
    let etc = file.parent().expect("a parent");
    for (path, open, shut) in [(file.as_path(), 0o666, 0o644), (etc, 0o777, 0o755)] {
        mode(path, open);
        assert_eq!(found(events).await, [Deny, Ask, Silent, Deny], "{}", path.display());
        let codes: Vec<_> = diagnostics(fixture.sources());
        assert!(codes.contains(&Code::ManagedFileExposed), "{codes:?}");
        assert!(codes.contains(&Code::CallsHeld), "{codes:?}");
        // What was taken out of it held calls as well.
        fs::write(&file, "").expect("a file");
        assert_eq!(found(events).await, [Deny, Ask, Silent, Silent], "{}", path.display());
        fs::write(&file, gate).expect("a file");
        mode(path, shut);
        assert_eq!(found(events).await, [Silent; 4]);
    }
    let of_agent = fixture.write("etc/managed-settings.json", "{\"disableAllHooks\": true}");
    mode(&of_agent, 0o666);
    assert_eq!(found(events).await, [Ask, Ask, Silent, Silent]);
}

/// C-3, C-89: a running host keeps what a managed file said before others could write it.
#[tokio::test]
async fn a_running_host_keeps_what_an_exposed_file_said() {
    let fixture = Fixture::new();
    let gate = "[hook.guard]\non = 'PreToolUse'\nmatch = 'Edit'\nshell = 'exit 2'\n";
    let file = fixture.write("etc/tenterhook.toml", gate);
    let engine = fixture.engine();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("its mode");
    fs::write(&file, "").expect("a file");
    let found = engine.reload(&fixture.sources());
    assert!(found.iter().any(|found| found.code == Code::ManagedFileExposed), "{found:?}");
    assert!(found.iter().any(|found| found.code == Code::KeptLastGood), "{found:?}");
    assert_eq!(
        restraint(&engine, "PreToolUse").await,
        Restraint::Silent,
        "it matches `Edit` alone"
    );
}

fn diagnostics(sources: Vec<Source>) -> Vec<Code> {
    let builder = Engine::builder().sources(sources).trust_repositories_unasked();
    builder.build().1.into_iter().map(|found| found.code).collect()
}
