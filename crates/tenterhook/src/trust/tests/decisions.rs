//! Tests of single entries and settings of a file: which are blocked, off or substituted, and the
//! reasons.

use super::*;
use tenterhook_core::diagnostic::Diagnostic;
use tenterhook_core::hook::{Hook, Run, Unread};
use tenterhook_core::source::{Flaw, Reach, ReadConfig, Switch};

const NATIVE: &str = "tenterhook.toml";

/// A source as it is judged, and what a person hears of it.
fn judged(trust: &Trust, source: Source) -> (ReadConfig, Vec<Diagnostic>) {
    let config = source.dialect.dialect().read_config(&source);
    let mut read = [(source, config)];
    let diagnostics = trust.judge_sources(&mut read);
    let [(_, config)] = read;
    (config, diagnostics)
}

fn approve(fixture: &Fixture, source: &Source) {
    let trust = fixture.trust();
    trust.approve(&trust.review(source)).expect("an approval");
}

/// A hook, and whether it runs, holds or is off, with the reason.
fn decision(hook: &Hook) -> (String, String) {
    let decision = match (&hook.run, hook.arming.disabled_reason()) {
        (Run::Unusable { part: Unread::Approval, why }, _) => format!("holds: {why}"),
        (_, Some((because, _))) => format!("off: {because}"),
        (_, None) => "runs".to_owned(),
    };
    (hook.id.as_str().to_owned(), decision)
}

fn decisions(trust: &Trust, source: Source) -> Vec<(String, String)> {
    judged(trust, source).0.hooks.iter().map(decision).collect()
}

/// The decisions without the reasons.
fn labels(trust: &Trust, source: Source) -> Vec<String> {
    let label = |decision: String| decision.split(':').next().map(str::to_owned);
    decisions(trust, source).into_iter().filter_map(|(_, decision)| label(decision)).collect()
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
        let fixture = Fixture::new();
        fixture.write(NATIVE, &format!("[hook.a]\n{entry}\nshell = 'exit 2'\n"));
        assert_eq!(labels(&fixture.trust(), fixture.source(NATIVE)), [word], "{entry}");
    }
}

/// T-11: the reason names the user's answer about the file, and the command to type.
#[test]
fn the_reason_says_what_was_said_of_the_file() {
    let fixture = Fixture::new();
    let decision_of = |trust: &Trust| {
        let decisions = decisions(trust, fixture.settings());
        let [(_, decision)] = decisions.as_slice() else { panic!("{decisions:?}") };
        decision.clone()
    };
    let trust = fixture.trust();
    let unknown =
        "off: its file came with this project and is not approved: `tenterhook trust` shows it";
    assert_eq!(decision_of(&trust), unknown);
    trust.refuse(&trust.review(&fixture.settings())).expect("an answer");
    assert_eq!(decision_of(&trust), "off: you refused its file; `tenterhook trust` asks again");
    fixture.approve();
    assert_eq!(decision_of(&trust), "runs");
    fixture.write(".claude/hooks/gate.sh", "#!/bin/sh\n");
    let changed = "holds: it is not what you approved: `tenterhook trust` shows the change";
    assert_eq!(decision_of(&trust), changed);
    for file in
        fs::read_dir(fixture.home().join("state/tenterhook/trust/sources")).expect("a store")
    {
        fs::write(file.expect("a record").path(), "{").expect("a torn record");
    }
    let torn = decision_of(&trust);
    assert!(torn.starts_with("holds: the approval of its file cannot be read ("), "{torn}");
}

/// T-1, T-11: so it does of a file of the person's own that others could have written.
#[cfg(unix)]
#[test]
fn the_reason_says_why_a_file_may_not_be_ones_own() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new();
    let path = fixture.project().join(".claude/settings.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("its mode");
    let own = Source {
        layer: Layer::User,
        project: fixture.root.path().join("other"),
        ..fixture.settings()
    };
    let (config, reported) = judged(&fixture.trust(), own);
    let decisions: Vec<_> = config.hooks.iter().map(decision).collect();
    let [(_, decision)] = decisions.as_slice() else { panic!("{decisions:?}") };
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

/// T-17: approved entries that are gone are substituted only if they were armed gates.
#[test]
fn only_a_gate_that_ran_stands_in_when_it_is_gone() {
    let fixture = Fixture::new();
    let text = "[hook.gate]\non = 'PreToolUse'\nshell = 'exit 2'\n\
        [hook.watch]\non = 'PreToolUse'\nphase = 'observe'\nshell = 'true'\n\
        [hook.after]\non = 'PostToolUse'\nshell = 'true'\n\
        [hook.off]\non = 'PreToolUse'\nshell = 'exit 2'\nenabled = false\n";
    fixture.write(NATIVE, text);
    approve(&fixture, &fixture.source(NATIVE));
    assert_eq!(labels(&fixture.trust(), fixture.source(NATIVE)), ["runs", "runs", "runs", "off"]);
    fixture.write(NATIVE, "");
    let (config, reported) = judged(&fixture.trust(), fixture.source(NATIVE));
    let held: Vec<_> = config.hooks.iter().map(decision).collect();
    let [(id, why)] = held.as_slice() else { panic!("{held:?}") };
    assert_eq!(id, "gate:approved");
    let gone = "holds: you approved it, and its file lacks it: `tenterhook trust` shows the change";
    assert_eq!(why, gone);
    let reported: Vec<_> = reported.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    let [reported] = reported.as_slice() else { panic!("{reported:?}") };
    assert!(
        reported.ends_with("is not what you approved: the calls that its gates match are held")
    );
    // A gate that its file contains, and that matches something else, is not gone.
    fixture.write(NATIVE, &text.replacen("PreToolUse", "PermissionRequest", 1));
    let (config, _) = judged(&fixture.trust(), fixture.source(NATIVE));
    let (_, why) = config.hooks.iter().map(decision).find(|(id, _)| id == "gate:approved").unwrap();
    assert!(why.starts_with("holds: it is not what you approved"), "{why}");
    // One that stands there still, and runs something else, is held as itself.
    fixture.write(
        NATIVE,
        &text.replace("on = 'PostToolUse'\nshell = 'true'", "on = 'PostToolUse'\nshell = 'false'"),
    );
    assert_eq!(labels(&fixture.trust(), fixture.source(NATIVE)), ["runs", "runs", "off", "off"]);
}

/// T-17, C-70: so it does where the file cannot be read any more.
#[test]
fn a_gate_of_a_file_that_cannot_be_read_any_more_stands_in() {
    let fixture = Fixture::new();
    fixture.write(NATIVE, "[hook.gate]\non = 'PreToolUse'\nshell = 'exit 2'\n");
    approve(&fixture, &fixture.source(NATIVE));
    let (why, help) = ("an I/O error".to_owned(), "mend the disk".to_owned());
    let flaw = Some(Flaw {
        why,
        help,
        kept: tenterhook_core::source::Completeness::Nothing,
        untrusted: None,
    });
    let lost = Source { text: "".into(), flaw, ..fixture.source(NATIVE) };
    let found = decisions(&fixture.trust(), lost);
    let is_gate = |(id, why): &(String, String)| id == "gate:approved" && why.starts_with("holds");
    assert!(found.iter().any(is_gate), "{found:?}");
}

/// T-2, T-16: what is the person's own runs from where it lies, although they once refused
/// something else of its name.
#[test]
fn what_was_refused_and_is_ones_own_runs_from_where_it_lies() {
    let fixture = Fixture::new();
    let own = |text: &str| fixture.own_settings(text);
    let trust = fixture.trust();
    trust.refuse(&trust.review(&own(GATE))).expect("an answer");
    let (config, _) = judged(&trust, own(&GATE.replace("Bash", "Edit")));
    let [hook] = config.hooks.as_slice() else { panic!("{:?}", config.hooks) };
    assert_eq!(decision(hook).1, "runs");
    let Run::Command(command) = &hook.run else { panic!("{:?}", hook.run) };
    assert!(command.copy.is_none() && command.kept.is_none(), "no copy was approved");
}

/// T-15: servers and events of a native file count when they were approved, and a change takes that
/// back.
#[test]
fn what_a_native_file_says_beside_its_hooks_counts_as_it_was_approved() {
    let fixture = Fixture::new();
    let text = "[event.'deploy.before']\ngate = true\n[mcp.db]\nrun = ['db']\n[mcp.far]\nurl = 'https://example.org/mcp'\n";
    let found = || {
        let (config, diagnostics) = judged(&fixture.trust(), fixture.source(NATIVE));
        let may =
            |server: &&tenterhook_core::source::Server| !matches!(server.reach, Reach::Withheld(_));
        let may = config.servers.iter().filter(may).count();
        let codes: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
        (config.events.len(), config.servers.len(), may, codes.join(" "))
    };
    fixture.write(NATIVE, text);
    assert_eq!(found(), (0, 0, 0, "not-approved".to_owned()));
    approve(&fixture, &fixture.source(NATIVE));
    assert_eq!(found(), (1, 2, 2, String::new()));
    for other in [
        text.replace("deploy.before", "deploy.after"),
        text.replace("'db'", "'other'"),
        text.replace("example.org", "example.net"),
    ] {
        fixture.write(NATIVE, &other);
        assert_eq!(found(), (1, 2, 0, "changed-since-approved".to_owned()), "{other}");
    }
    let trust = fixture.trust();
    trust.refuse(&trust.review(&fixture.source(NATIVE))).expect("an answer");
    assert_eq!(found(), (0, 0, 0, String::new()));
}

/// T-15: approved switches stay in effect after the file changes, and errors in it are still
/// reported.
#[test]
fn switches_count_as_they_were_approved() {
    let fixture = Fixture::new();
    let settings = ".claude/settings.json";
    fixture.write(settings, "{\"disableAllHooks\": true}");
    let switches = || judged(&fixture.trust(), fixture.settings()).0.switches;
    assert_eq!(switches(), []);
    fixture.approve();
    assert_eq!(switches(), [Switch::DisableAll]);
    fixture.write(settings, "{}");
    assert_eq!(switches(), [Switch::DisableAll]);
    let other = Fixture::new();
    other.write(NATIVE, "[hook.a");
    let (config, _) = judged(&other.trust(), other.source(NATIVE));
    assert!(config.unreadable, "what was read before would not be kept");
    other.write(NATIVE, "[hook.a]\non = 'PreToolUse'\nshell = 'exit 2'\nwhat = 1\n");
    let (config, _) = judged(&other.trust(), other.source(NATIVE));
    assert!(!config.diagnostics.is_empty(), "the unknown key is not reported");
}

/// T-15: a plugin that settings name is shown, and its value is part of what is approved.
#[test]
fn what_settings_say_of_plugins_is_shown_and_approved() {
    let fixture = Fixture::new();
    let settings = ".claude/settings.json";
    fixture.write(settings, "{\"enabledPlugins\": {\"guard@shop\": true}, \"model\": \"m\"}");
    let review = fixture.trust().review(&fixture.settings());
    assert_eq!(
        review.beside,
        ["says to its agent which plugins or servers count (`enabledPlugins`)"]
    );
    fixture.approve();
    let state = || fixture.trust().review(&fixture.settings()).state;
    fixture.write(settings, "{\"enabledPlugins\": {\"guard@shop\": true}, \"model\": \"n\"}");
    assert_eq!(state(), State::Approved);
    fixture.write(settings, "{\"enabledPlugins\": {\"guard@shop\": false}, \"model\": \"m\"}");
    assert_eq!(state(), State::Changed);
}

/// T-16: a refusal copies no file, and is not an approval.
#[test]
fn what_was_refused_is_no_approval() {
    let fixture = Fixture::new();
    fixture.write(".claude/settings.json", "{\"disableAllHooks\": true}");
    let trust = fixture.trust();
    trust.refuse(&trust.review(&fixture.settings())).expect("an answer");
    let (config, diagnostics) = judged(&trust, fixture.settings());
    assert!(config.switches.is_empty() && diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(trust.review(&fixture.settings()).approved_text, None);
}

/// T-22: where a word cannot be told from its line, or no copy can be made, a gate holds.
#[test]
fn what_cannot_run_from_a_copy_does_not_run() {
    let fixture = Fixture::new();
    // The place of copies has a blank in its name, so that it is written in quotes: within quotes
    // they end the line's own.
    let path = ("PATH".to_owned(), "/usr/bin:/bin".to_owned());
    let trust = Trust::at(fixture.home().join("a state")).within(&[path]);
    fixture.write("tools/guard.sh", "#!/bin/sh\nexit 2\n");
    for (line, word) in [
        ("sh -c 'true; tools/guard.sh'", "holds"),
        ("sh -c 'tools/guard.sh'", "holds"),
        ("tools/guard.sh", "runs"),
    ] {
        fixture.write(NATIVE, &format!("[hook.a]\non = 'PreToolUse'\nshell = \"{line}\"\n"));
        trust.approve(&trust.review(&fixture.source(NATIVE))).expect("an approval");
        assert_eq!(labels(&trust, fixture.source(NATIVE)), [word], "{line}");
    }
    let copies = fixture.home().join("a state/trust/copies");
    for copy in fs::read_dir(&copies).expect("copies").flatten() {
        fs::remove_dir_all(copy.path()).expect("removed");
        fs::write(copy.path(), "in the way").expect("a file");
    }
    trust
        .approve(&trust.review(&fixture.source(NATIVE)))
        .expect_err("there is no place for a copy");
    let found = decisions(&trust, fixture.source(NATIVE));
    assert!(!found.is_empty(), "nothing is held");
    assert!(found.iter().all(|(_, value)| value.contains("its files cannot be kept")), "{found:?}");
}
