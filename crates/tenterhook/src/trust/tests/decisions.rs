//! What becomes of the entries and statements of a file, one by one: what is held, what is off, what stands in, and the words for it.

use super::*;
use tenterhook_core::diagnostic::Diagnostic;
use tenterhook_core::hook::{Hook, Run, Unread};
use tenterhook_core::source::{Flaw, Reach, ReadConfig, Switch};

const NATIVE: &str = "tenterhook.toml";

/// A source as it is judged, and what a person hears of it.
fn judged(trust: &Trust, source: Source) -> (ReadConfig, Vec<Diagnostic>) {
    let config = source.dialect.dialect().read_config(&source);
    let mut read = [(source, config)];
    let diagnostics = trust.judge(&mut read);
    let [(_, config)] = read;
    (config, diagnostics)
}

fn approve(room: &Room, source: &Source) {
    let trust = room.trust();
    trust.approve(&trust.review(source)).expect("an approval");
}

/// A hook, and whether it runs, holds or is off, with the reason.
fn decision(hook: &Hook) -> (String, String) {
    let decision = match (&hook.run, hook.arming.off()) {
        (Run::Unusable { part: Unread::Approval, why }, _) => format!("holds: {why}"),
        (_, Some((because, _))) => format!("off: {because}"),
        (_, None) => "runs".to_owned(),
    };
    (hook.id.as_str().to_owned(), decision)
}

fn fates(trust: &Trust, source: Source) -> Vec<(String, String)> {
    judged(trust, source).0.hooks.iter().map(decision).collect()
}

/// The same, without the reasons.
fn words(trust: &Trust, source: Source) -> Vec<String> {
    let word = |decision: String| decision.split(':').next().map(str::to_owned);
    fates(trust, source).into_iter().filter_map(|(_, decision)| word(decision)).collect()
}

/// T-10: a gate is what can deny a call and is waited for; a prompt and an end are never held.
#[test]
fn only_what_can_stop_a_call_is_held() {
    for (entry, word) in [
        ("on = 'PreToolUse'", "holds"),
        ("on = 'PermissionRequest'", "holds"),
        ("on = 'PreToolUse'\nphase = 'observe'", "off"),
        ("on = 'PreToolUse'\nbackground = true", "off"),
        ("on = 'PostToolUse'", "off"),
        ("on = 'UserPromptSubmit'", "off"),
        ("on = 'Stop'", "off"),
        ("on = 'SessionStart'", "off"),
    ] {
        let room = Room::new();
        room.write(NATIVE, &format!("[hook.a]\n{entry}\nshell = 'exit 2'\n"));
        assert_eq!(words(&room.trust(), room.source(NATIVE)), [word], "{entry}");
    }
}

/// T-11: the reason says what was said of the file, and what to type.
#[test]
fn the_reason_says_what_was_said_of_the_file() {
    let room = Room::new();
    let of = |trust: &Trust| {
        let fates = fates(trust, room.settings());
        let [(_, decision)] = fates.as_slice() else { panic!("{fates:?}") };
        decision.clone()
    };
    let trust = room.trust();
    let unknown =
        "off: its file came with this project and is not approved: `tenterhook trust` shows it";
    assert_eq!(of(&trust), unknown);
    trust.refuse(&trust.review(&room.settings())).expect("an answer");
    assert_eq!(of(&trust), "off: you refused its file; `tenterhook trust` asks again");
    room.approve();
    assert_eq!(of(&trust), "runs");
    room.write(".claude/hooks/gate.sh", "#!/bin/sh\n");
    let changed = "holds: it is not what you approved: `tenterhook trust` shows the change";
    assert_eq!(of(&trust), changed);
    for file in fs::read_dir(room.home().join("state/tenterhook/trust/sources")).expect("a store") {
        fs::write(file.expect("a record").path(), "{").expect("a torn record");
    }
    let torn = of(&trust);
    assert!(torn.starts_with("holds: what you said of its file is not known ("), "{torn}");
}

/// T-1, T-11: so it does of a file of the person's own that others could have written.
#[cfg(unix)]
#[test]
fn the_reason_says_why_a_file_may_not_be_ones_own() {
    use std::os::unix::fs::PermissionsExt as _;
    let room = Room::new();
    let path = room.project().join(".claude/settings.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("its mode");
    let own =
        Source { layer: Layer::User, project: room.root.path().join("other"), ..room.settings() };
    let (config, reported) = judged(&room.trust(), own);
    let fates: Vec<_> = config.hooks.iter().map(decision).collect();
    let [(_, decision)] = fates.as_slice() else { panic!("{fates:?}") };
    let begins = "holds: its file may not be yours, because everybody may write `";
    assert!(
        decision.starts_with(begins) && decision.ends_with("`tenterhook trust` shows it"),
        "{decision}"
    );
    let reported: Vec<_> = reported.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    let [reported] = reported.as_slice() else { panic!("{reported:?}") };
    assert!(reported.starts_with("1 hook of `"), "{reported}");
    assert!(reported.contains("` may not be yours, because everybody may write `"), "{reported}");
    assert!(reported.ends_with(": the calls that its gates match are held"), "{reported}");
}

/// T-17: of what was approved and is gone the gates stand in that ran, and nothing else.
#[test]
fn only_a_gate_that_ran_stands_in_when_it_is_gone() {
    let room = Room::new();
    let text = "[hook.gate]\non = 'PreToolUse'\nshell = 'exit 2'\n\
        [hook.watch]\non = 'PreToolUse'\nphase = 'observe'\nshell = 'true'\n\
        [hook.after]\non = 'PostToolUse'\nshell = 'true'\n\
        [hook.off]\non = 'PreToolUse'\nshell = 'exit 2'\nenabled = false\n";
    room.write(NATIVE, text);
    approve(&room, &room.source(NATIVE));
    assert_eq!(words(&room.trust(), room.source(NATIVE)), ["runs", "runs", "runs", "off"]);
    room.write(NATIVE, "");
    let (config, reported) = judged(&room.trust(), room.source(NATIVE));
    let held: Vec<_> = config.hooks.iter().map(decision).collect();
    let [(id, why)] = held.as_slice() else { panic!("{held:?}") };
    assert_eq!(id, "gate:approved");
    assert!(why.starts_with("holds: it is not what you approved"), "{why}");
    let reported: Vec<_> = reported.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    let [reported] = reported.as_slice() else { panic!("{reported:?}") };
    assert!(
        reported.ends_with("is not what you approved: the calls that its gates match are held")
    );
    // One that stands there still, and runs something else, is held as itself.
    room.write(
        NATIVE,
        &text.replace("on = 'PostToolUse'\nshell = 'true'", "on = 'PostToolUse'\nshell = 'false'"),
    );
    assert_eq!(words(&room.trust(), room.source(NATIVE)), ["runs", "runs", "off", "off"]);
}

/// T-17, C-70: so it does where the file cannot be read any more.
#[test]
fn a_gate_of_a_file_that_cannot_be_read_any_more_stands_in() {
    let room = Room::new();
    room.write(NATIVE, "[hook.gate]\non = 'PreToolUse'\nshell = 'exit 2'\n");
    approve(&room, &room.source(NATIVE));
    let (why, help) = ("an I/O error".to_owned(), "mend the disk".to_owned());
    let flaw = Some(Flaw {
        why,
        help,
        kept: tenterhook_core::source::Completeness::Nothing,
        untrusted: None,
    });
    let lost = Source { text: "".into(), flaw, ..room.source(NATIVE) };
    let found = fates(&room.trust(), lost);
    let is_gate = |(id, why): &(String, String)| id == "gate:approved" && why.starts_with("holds");
    assert!(found.iter().any(is_gate), "{found:?}");
}

/// T-2, T-16: what is the person's own runs from where it lies, although they once refused something else of its name.
#[test]
fn what_was_refused_and_is_ones_own_runs_from_where_it_lies() {
    let room = Room::new();
    let own = |text: &str| {
        let path = room.home().join("settings.json");
        fs::write(&path, text).expect("a file");
        let source = Source { layer: Layer::User, text: text.into(), ..room.settings() };
        Source { name: path.to_string_lossy().into(), ..source }
    };
    let trust = room.trust();
    trust.refuse(&trust.review(&own(GATE))).expect("an answer");
    let (config, _) = judged(&trust, own(&GATE.replace("Bash", "Edit")));
    let [hook] = config.hooks.as_slice() else { panic!("{:?}", config.hooks) };
    assert_eq!(decision(hook).1, "runs");
    let Run::Command(command) = &hook.run else { panic!("{:?}", hook.run) };
    assert!(command.copy.is_none() && command.kept.is_none(), "nobody approved a copy");
}

/// T-15: servers and events of a native file count when they were approved, and a change takes that back.
#[test]
fn what_a_native_file_says_beside_its_hooks_counts_as_it_was_approved() {
    let room = Room::new();
    let text = "[event.'deploy.before']\ngate = true\n[mcp.db]\nrun = ['db']\n[mcp.far]\nurl = 'https://example.org/mcp'\n";
    let found = || {
        let (config, diagnostics) = judged(&room.trust(), room.source(NATIVE));
        let may =
            |server: &&tenterhook_core::source::Server| !matches!(server.reach, Reach::Withheld(_));
        let may = config.servers.iter().filter(may).count();
        let codes: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
        (config.events.len(), config.servers.len(), may, codes.join(" "))
    };
    room.write(NATIVE, text);
    assert_eq!(found(), (0, 0, 0, "not-approved".to_owned()));
    approve(&room, &room.source(NATIVE));
    assert_eq!(found(), (1, 2, 2, String::new()));
    for other in [
        text.replace("deploy.before", "deploy.after"),
        text.replace("'db'", "'other'"),
        text.replace("example.org", "example.net"),
    ] {
        room.write(NATIVE, &other);
        assert_eq!(found(), (1, 2, 0, "changed-since-approved".to_owned()), "{other}");
    }
    let trust = room.trust();
    trust.refuse(&trust.review(&room.source(NATIVE))).expect("an answer");
    assert_eq!(found(), (0, 0, 0, String::new()));
}

/// T-15: what was approved of switches counts after the file says something else, and what is wrong in it is told all the same.
#[test]
fn switches_count_as_they_were_approved() {
    let room = Room::new();
    let settings = ".claude/settings.json";
    room.write(settings, "{\"disableAllHooks\": true}");
    let switches = || judged(&room.trust(), room.settings()).0.switches;
    assert_eq!(switches(), []);
    room.approve();
    assert_eq!(switches(), [Switch::DisableAll]);
    room.write(settings, "{}");
    assert_eq!(switches(), [Switch::DisableAll]);
    let other = Room::new();
    other.write(NATIVE, "[hook.a");
    let (config, _) = judged(&other.trust(), other.source(NATIVE));
    assert!(config.unreadable, "what was read before would not be kept");
    other.write(NATIVE, "[hook.a]\non = 'PreToolUse'\nshell = 'exit 2'\nwhat = 1\n");
    let (config, _) = judged(&other.trust(), other.source(NATIVE));
    assert!(!config.diagnostics.is_empty(), "the key that nobody knows is not told");
}

/// T-15: a plugin that settings name is said, and its value is part of what is approved.
#[test]
fn what_settings_say_of_plugins_is_shown_and_approved() {
    let room = Room::new();
    let settings = ".claude/settings.json";
    room.write(settings, "{\"enabledPlugins\": {\"guard@shop\": true}, \"model\": \"m\"}");
    let review = room.trust().review(&room.settings());
    assert_eq!(
        review.beside,
        ["says to its agent which plugins or servers count (`enabledPlugins`)"]
    );
    room.approve();
    let state = || room.trust().review(&room.settings()).state;
    room.write(settings, "{\"enabledPlugins\": {\"guard@shop\": true}, \"model\": \"n\"}");
    assert_eq!(state(), State::Approved);
    room.write(settings, "{\"enabledPlugins\": {\"guard@shop\": false}, \"model\": \"m\"}");
    assert_eq!(state(), State::Changed);
}

/// T-16: a no keeps nothing of what it refused, and counts as no approval of it.
#[test]
fn what_was_refused_is_no_approval() {
    let room = Room::new();
    room.write(".claude/settings.json", "{\"disableAllHooks\": true}");
    let trust = room.trust();
    trust.refuse(&trust.review(&room.settings())).expect("an answer");
    let (config, diagnostics) = judged(&trust, room.settings());
    assert!(config.switches.is_empty() && diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(trust.review(&room.settings()).approved_text, None);
}

/// T-22: where a word cannot be told from its line, or no copy can be made, a gate holds.
#[test]
fn what_cannot_run_from_a_copy_does_not_run() {
    let room = Room::new();
    // The place of copies has a blank in its name, so that it is written in quotes: within quotes they end the line's own.
    let path = ("PATH".to_owned(), "/usr/bin:/bin".to_owned());
    let trust = Trust::at(room.home().join("a state")).within(&[path]);
    room.write("tools/guard.sh", "#!/bin/sh\nexit 2\n");
    for (line, word) in [
        ("sh -c 'true; tools/guard.sh'", "holds"),
        ("sh -c 'tools/guard.sh'", "holds"),
        ("tools/guard.sh", "runs"),
    ] {
        room.write(NATIVE, &format!("[hook.a]\non = 'PreToolUse'\nshell = \"{line}\"\n"));
        trust.approve(&trust.review(&room.source(NATIVE))).expect("an approval");
        assert_eq!(words(&trust, room.source(NATIVE)), [word], "{line}");
    }
    let copies = room.home().join("a state/trust/copies");
    for copy in fs::read_dir(&copies).expect("copies").flatten() {
        fs::remove_dir_all(copy.path()).expect("removed");
        fs::write(copy.path(), "in the way").expect("a file");
    }
    trust.approve(&trust.review(&room.source(NATIVE))).expect_err("there is no place for a copy");
    let found = fates(&trust, room.source(NATIVE));
    assert!(!found.is_empty(), "nothing is held");
    assert!(found.iter().all(|(_, value)| value.contains("its files cannot be kept")), "{found:?}");
}
