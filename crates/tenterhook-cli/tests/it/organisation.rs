//! What an organisation needs: which rules apply on a machine, whether they are the expected ones, and a proof that agents ask.

use std::path::Path;

use serde_json::{Value, json};

use crate::fixture::{Fixture, fits_schema};
use crate::managed::{GUARD, play};

/// `printf x | sha256sum`.
const OTHER: &str = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";

/// The JSON document that a script printed between two lines of marks.
fn json_in(text: &str) -> Value {
    let (_, rest) = text.split_once("JSON\n").unwrap();
    serde_json::from_str(rest.split_once("\nEND").unwrap().0).unwrap()
}

/// BR-140, BR-141: every file with rules is listed with its digest, layer and state, and each hook with its mode.
#[test]
fn status_lists_rules_with_digest_layer_and_mode() {
    let fixture = Fixture::new();
    fixture.write("home/.claude/settings.json", "{}\n");
    assert_eq!(fixture.run(&["install", "claude"], "").code, 0);
    let shadow = format!("{GUARD}mode = 'shadow'\n");
    fixture.write("home/.config/tenterhook/tenterhook.toml", &shadow);
    let status = fixture.json(&["status", "--format", "json"], "", 0);
    fits_schema("status", &status);
    assert_eq!((&status["state"], &status["last_firing"]), (&json!("good"), &Value::Null));
    assert!(status["host"].is_string() && status["user"].is_string(), "{status:#}");
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    let file = &status["rules"][0];
    let digest = fixture.shell("sha256sum <$HOME/.config/tenterhook/tenterhook.toml").stdout;
    let path = "[FIXTURE]/home/.config/tenterhook/tenterhook.toml";
    assert_eq!(file["file"], json!(path), "{status:#}");
    assert_eq!(file["digest"].as_str(), digest.split_whitespace().next());
    assert_eq!((&file["layer"], &file["state"]), (&json!("user"), &json!("applies")));
    let hook = &file["hooks"][0];
    assert_eq!((&hook["id"], &hook["mode"]), (&json!("no-force"), &json!("shadow")), "{hook:#}");
    assert_eq!(status["rules"].as_array().unwrap().len(), 1, "own entries are no rules");
    fixture.run(&["fire", "Bash", "ls"], "");
    let status = fixture.json(&["status", "--format", "json"], "", 0);
    fits_schema("status", &status);
    assert_eq!(status["last_firing"]["event"], "PreToolUse", "{status:#}");
    let text = fixture.run(&["status"], "").stdout;
    assert!(text.contains("~/.config/tenterhook/tenterhook.toml, 1 hook, 1 in shadow"), "{text}");
}

/// BR-141: a file of a repository that is not approved is listed, and does not apply.
#[test]
fn status_says_which_rules_are_not_approved() {
    let fixture = Fixture::new().unapproved();
    fixture.write("project/.git/HEAD", "");
    fixture.write("project/tenterhook.toml", GUARD);
    let status = fixture.json(&["status", "--format", "json"], "", 0);
    assert_eq!(status["rules"][0]["state"], "not-approved", "{status:#}");
    let text = fixture.run(&["status"], "").stdout;
    assert!(text.contains("tenterhook.toml, 1 hook, not approved"), "{text}");
}

/// BR-142: each result has its exit code; the highest wins.
#[test]
fn status_has_an_exit_code_for_each_result() {
    let fixture = Fixture::new();
    fixture.write("home/.claude/settings.json", "{}\n");
    let state = |args: &[&str], code: i32| {
        let status = fixture.json(&[&["status", "--format", "json"], args].concat(), "", code);
        fits_schema("status", &status);
        status["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state(&[], 1), "does-not-call");
    assert_eq!(state(&["--expect", OTHER], 4), "other-rules");
    fixture.run(&["install", "claude"], "");
    assert_eq!(state(&[], 0), "good");
    assert_eq!(state(&["--expect", OTHER], 4), "other-rules");
    fixture.write("home/.config/tenterhook/tenterhook.toml", "[hook.a]\non = 'Stop'\n");
    assert_eq!(state(&["--expect", OTHER], 5), "cannot-be-read");
    let text = fixture.run(&["status"], "");
    assert!(text.code == 5 && text.stdout.contains("line 1: "), "{}", text.all());
    fixture.write("home/.config/tenterhook/tenterhook.toml", "[hook");
    assert_eq!(state(&[], 5), "cannot-be-read");
    let wrong = fixture.run(&["status", "--expect", "abc"], "");
    assert!(wrong.code == 1 && wrong.stderr.contains("sha256sum FILE"), "{}", wrong.all());
}

/// BR-142: a file with the expected digest counts only where no user can change it.
#[test]
fn user_file_with_the_expected_digest_does_not_bind() {
    let fixture = Fixture::new();
    fixture.write("home/.config/tenterhook/tenterhook.toml", GUARD);
    let line = "tenterhook status --expect $(sha256sum <$HOME/.config/tenterhook/tenterhook.toml | cut -d' ' -f1)";
    let output = fixture.shell(line);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.stdout.contains("only a managed file binds (layer `user`)"), "{}", output.all());
}

/// BR-151: a process that a user started in a namespace may see other managed files than the machine has, and `status` reports it.
#[test]
fn status_reports_a_user_namespace_with_other_managed_files() {
    let script = r#"mkdir -p ~/.claude; tenterhook install claude >/dev/null; mount -t tmpfs none /etc/codex
        S=$(sha256sum /etc/tenterhook/tenterhook.toml | cut -d' ' -f1); tenterhook status --expect $S; echo seen $?
        echo JSON; tenterhook status --format json; echo END
        mount -t tmpfs none /etc/tenterhook; tenterhook status --expect $S; echo hidden $?"#;
    let Some(output) = play(GUARD, "", script) else { return };
    let all = output.all();
    for line in
        ["seen 0\n", "hidden 4\n", "runs in a user namespace", ": /etc/codex, /etc/tenterhook"]
    {
        assert!(output.stdout.contains(line), "{line}: {all}");
    }
    let status = json_in(&output.stdout);
    fits_schema("status", &status);
    assert_eq!(status["view"], json!({ "user_namespace": true, "mounts": ["/etc/codex"] }));
}

/// BR-142: the expected managed file applies until its text changes, it vanishes, or others may write it.
#[test]
fn expected_managed_file_applies_until_it_changes() {
    let script = r#"F=/etc/tenterhook/tenterhook.toml; S=$(sha256sum $F | cut -d' ' -f1); cp $F $HOME/copy
        tenterhook status --expect $S; echo alone $?; tenterhook status >/dev/null; echo unasked $?
        tenterhook status --expect $S --format json | grep -c '"no-agent"'; mkdir -p $HOME/.claude
        tenterhook status --expect $S >/dev/null; echo uncalled $?; tenterhook install claude >/dev/null
        tenterhook status --expect $S; echo same $?
        echo JSON; tenterhook status --expect sha256:$S --format json; echo END
        chmod 0666 $F; tenterhook status --expect $S >/dev/null; echo exposed $?; chmod 0644 $F
        echo '# more' >> $F; tenterhook status --expect $S >/dev/null; echo changed $?
        echo '[hook' > $F; tenterhook status --expect $S >/dev/null; echo broken $?
        rm $F; tenterhook status --expect $S >/dev/null; echo gone $?
        cp $HOME/copy $F; tenterhook status --expect $S >/dev/null; tenterhook status --expect $S; echo back $?
D=/etc/claude-code; mkdir -p $D/managed-settings.d
        echo '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 2"}]}]}}' > $D/managed-settings.json
        S=$(sha256sum $D/managed-settings.json | cut -d' ' -f1); tenterhook status --expect $S; echo armed $?
        echo '{"disableAllHooks": true}' > $D/managed-settings.d/x.json
        tenterhook status --expect $S; echo disarmed $?"#;
    let Some(output) = play(GUARD, "", script) else { return };
    let all = output.all();
    for line in [
        "alone 6",
        "unasked 0",
        "uncalled 1",
        "same 0",
        "exposed 5",
        "changed 4",
        "broken 5",
        "gone 4",
        "back 0",
        "armed 0",
        "disarmed 4",
    ] {
        assert!(output.stdout.contains(&format!("{line}\n")), "{line}: {all}");
    }
    let status = json_in(&output.stdout);
    fits_schema("status", &status);
    let file = "/etc/tenterhook/tenterhook.toml";
    assert_eq!(status["expected"][0]["file"], file, "{status:#}");
    assert_eq!(status["expected"][0]["applies"], true, "{status:#}");
    let rule = &status["rules"][0];
    assert_eq!((&rule["file"], &rule["layer"]), (&json!(file), &json!("managed")), "{rule:#}");
    assert_eq!(rule["digest"], status["expected"][0]["digest"]);
    assert_eq!(rule["hooks"][0]["mode"], "enforce", "{rule:#}");
}

/// The file that the guide shows.
fn guide_file() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/organisation.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("<!-- file: managed.toml -->\n```toml\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

/// C-121: a file can be checked as a managed one before it is shipped.
#[test]
fn check_as_managed_reads_a_file_as_managed() {
    let fixture = Fixture::new();
    fixture.write("project/ship.toml", &guide_file());
    let plain = fixture.run(&["check", "ship.toml"], "");
    for key in ["managed-key-ignored", "record-not-heard", "check --as managed"] {
        assert!(plain.stdout.contains(key), "{key}: {}", plain.all());
    }
    for args in [
        &["check", "--as", "managed", "ship.toml"][..],
        &["check", "--as", "managed", "--config", "ship.toml"],
    ] {
        let output = fixture.run(&[args, &["--strict"]].concat(), "");
        assert!(
            output.code == 0 && output.stdout.contains("3 advice in 1 file"),
            "{}",
            output.all()
        );
    }
    fixture.write("project/ship.toml", &guide_file().replace("pause = false", "pauze = false"));
    let output = fixture.run(&["check", "--as", "managed", "ship.toml", "--strict"], "");
    assert!(output.code == 1 && output.stdout.contains("`pauze`"), "{}", output.all());
    fixture.write("project/ship.toml", "[record]\nenabled = true\n[shadow]\nallowed = false\n");
    let user = fixture.run(&["check", "--as", "user", "ship.toml"], "").stdout;
    assert!(user.contains("managed-key-ignored") && !user.contains("record-not-heard"), "{user}");
    assert_eq!(fixture.run(&["check", "--as", "managed"], "").code, 1, "it needs a file");
}

/// BR-152: beside Gemini's managed entries stands the setting that keeps a user from switching them off, and `uninstall`
/// restores each file. For Codex, `install` prints what to write.
#[test]
fn managed_entries_of_gemini_are_kept_on() {
    let script = r#"F=/etc/gemini-cli/settings.json; mkdir -p /etc/gemini-cli ~/.gemini
        printf '{\n  "ui": {"theme": "x"}\n}\n' > $F; cp $F ~/before; echo '{"hooksConfig": {"enabled": false}}' > ~/.gemini/settings.json
        tenterhook install gemini --scope managed >/dev/null; echo installed $?
        tenterhook status | sed -n '/^Gemini/,/^$/p'; grep -c '"enabled": true' $F
        tenterhook uninstall claude >/dev/null; grep -c '"enabled": true' $F
        tenterhook uninstall gemini --scope managed >/dev/null; cmp $F ~/before && echo restored
        tenterhook install claude codex copilot gemini --scope managed; echo four $?
        tenterhook uninstall claude codex copilot gemini --scope managed >/dev/null; echo none $?
        cmp $F ~/before && echo again; ls /etc/claude-code"#;
    let Some(output) = play(GUARD, "", script) else { return };
    let all = output.all();
    let note =
        "a user can switch these hooks off, unless you write `hooks = true` below `[features]`";
    let flat = format!("{} {}", output.stdout, output.stderr);
    let flat = flat.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in ["installed 0", "Gemini CLI calls Tenterhook", " 1 1 restored", note] {
        assert!(flat.contains(text), "{text}: {all}");
    }
    // The command of the guide: all agents write the notes for `uninstall`.
    for text in ["four 0", "none 0 again"] {
        assert!(flat.contains(text), "{text}: {all}");
    }
}

/// BR-163: where a setting keeps managed hooks on, `status` reports whether it is there, and expected rules need it. What it closes
/// is no gap.
#[test]
fn expected_rules_need_the_pin_of_managed_entries() {
    let script = r#"mkdir -p ~/.codex ~/.claude ~/.gemini; R=/etc/codex/requirements.toml; G=/etc/gemini-cli/settings.json
        S=$(sha256sum /etc/tenterhook/tenterhook.toml | cut -d' ' -f1); seen() { tenterhook status --expect $S --format json >~/json || echo "$1 $?"
            grep -o '"state": "[a-z-]*"' ~/json | head -1; grep -o '"pinned": [a-z]*' ~/json | tr '\n' ' '; echo "$1"; }
        tenterhook install claude codex gemini --scope managed | grep -c 'unless you write'; seen without
        tenterhook status; echo plain $?; echo JSON; cat ~/json; echo END; printf '[features]\nhooks = true\n' >$R; seen with
        tenterhook status | grep -e '--disable hooks' -e '--bare' -e 'not pinned' || echo closed
        tenterhook install codex --scope managed 2>&1 | grep 'unless you write' || echo quiet
        sed -i 's/"enabled": true/"other": true/' $G; seen gemini; rm $R; tenterhook uninstall codex gemini --scope managed >/dev/null
        tenterhook status | grep -e '--disable hooks' | head -1"#;
    let Some(output) = play(GUARD, "", script) else { return };
    let all = output.all();
    let flat = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        "without 1 \"state\": \"not-pinned\" \"pinned\": null \"pinned\": false \"pinned\": true without",
        "plain 0",
        "not pinned a user can switch these hooks off, unless you write `hooks = true`",
        "\"state\": \"good\" \"pinned\": null \"pinned\": true \"pinned\": true with closed quiet gemini 1",
        "\"pinned\": null \"pinned\": true \"pinned\": false gemini",
    ] {
        assert!(flat.contains(text), "{text}: {all}");
    }
    fits_schema("status", &json_in(&output.stdout));
}

/// C-90, BR-142: the file of the guide applies as a managed one, whatever the user writes.
#[test]
fn guide_file_binds_users() {
    let user = "[hook.no-force-push]\nenabled = false\n[record]\nenabled = false\n[shadow]\nallowed = true\n\
        [protect]\npause = true\n[source.\"~/.claude/settings.json\"]\non_failure = 'continue'\n";
    let script = r#"F=/etc/tenterhook/tenterhook.toml; S=$(sha256sum $F | cut -d' ' -f1)
        mkdir -p ~/.claude; tenterhook install claude >/dev/null
        tenterhook check $F; tenterhook status --expect $S; echo status $?
        tenterhook fire Bash 'git push -f'; echo fire $?; tenterhook fire Bash 'telnet x'; echo trial $?
        tenterhook log | grep -c PreToolUse; tenterhook check | grep -o '^warning.[a-z-]*' | sort | uniq -c"#;
    let Some(output) = play(&guide_file(), user, script) else { return };
    let all = output.all();
    for line in ["3 advice in 1 file with 2 hooks", "status 0", "fire 2", "trial 0", "\n2\n"] {
        assert!(output.stdout.contains(line), "{line}: {all}");
    }
    for code in ["switch-not-heard", "record-not-heard", "managed-key-ignored"] {
        assert!(output.stdout.contains(code), "{code}: {all}");
    }
}

/// SP-22, C-90, C-112: where a managed file says `pause = false`, a denial of self-protection offers no way round, and `check`
/// names each setting of a user or a project that has no effect.
#[test]
fn users_lift_no_denial_where_pauses_are_forbidden() {
    let managed = format!("{GUARD}[protect]\npause = false\n");
    let user = format!("{GUARD}[protect]\npause = true\n");
    let script = r#"mkdir .git; printf '[hook.no-force]\nenabled = false\n' >tenterhook.toml
        call() { printf '{"session_id": "s", "cwd": "%s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "%s"}}' "$PWD" "$1"; }
        call 'rm -rf ~/.codex' | tenterhook hook --agent codex --event PreToolUse; echo
        call 'git push -f' | tenterhook hook --agent codex --event PreToolUse; echo
        tenterhook check"#;
    let Some(output) = play(&managed, &user, script) else { return };
    let all = output.all();
    assert!(!all.contains("allow once"), "{all}");
    assert_eq!(output.stdout.matches("[tenterhook explain ").count(), 1, "{all}");
    assert_eq!(output.stdout.matches("to see why.").count(), 2, "{all}");
    let flat = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        "`protect.pause` in",
        "does not replace the managed hook of that name",
        "a project file does not govern a managed hook",
    ] {
        assert!(flat.contains(text), "{text}: {all}");
    }
}
