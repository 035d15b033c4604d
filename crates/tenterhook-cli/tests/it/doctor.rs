//! `doctor`: what keeps a hook from counting is found, with its place and what mends it; and nothing else is.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::fixture::{Fixture, fits_schema, installable_agents};

const SETTINGS: &str = "home/.claude/settings.json";
const PROGRAM: &str = env!("CARGO_BIN_EXE_tenterhook");

/// A home in which Claude Code calls, and its settings.
fn calling() -> (Fixture, String) {
    let fixture = Fixture::new();
    fixture.write(SETTINGS, "{}\n");
    assert_eq!(fixture.run(&["install", "claude"], "").code, 0);
    let text = fs::read_to_string(fixture.path(SETTINGS)).unwrap();
    (fixture, text)
}

/// The findings; the exit code must match them.
fn found(fixture: &Fixture, args: &[&str]) -> Vec<Value> {
    let args = [&["doctor", "--format", "json"], args].concat();
    let output = fixture.run(&args, "");
    let value: Value = serde_json::from_str(&output.stdout).unwrap();
    fits_schema("doctor", &value);
    let errors = value.get("errors").and_then(Value::as_u64).unwrap();
    assert_eq!(output.code, i32::from(errors > 0), "{value:#}");
    value.get("findings").and_then(Value::as_array).unwrap().clone()
}

fn kinds(found: &[Value]) -> Vec<&str> {
    found.iter().map(|value| value.get("kind").and_then(Value::as_str).unwrap()).collect()
}

/// BR-70.
#[test]
fn where_all_is_well_nothing_is_found() {
    let (fixture, _) = calling();
    assert_eq!(found(&fixture, &[]), Vec::<Value>::new());
    let output = fixture.run(&["doctor"], "");
    assert!(output.stdout.contains("nothing keeps a hook from counting"), "{}", output.stdout);
    // The call is on record, and the person is not taken for an agent afterwards.
    let log = fixture.run(&["log"], "").stdout;
    assert!(log.contains("PreToolUse"), "{log}");
    assert_eq!(fixture.run(&["trust"], "").code, 0);
}

/// BR-144.
#[test]
fn report_has_findings_files_and_firings_without_secrets_and_paths() {
    let (fixture, _) = calling();
    fixture.write(
        "home/.config/tenterhook/tenterhook.toml",
        "[hook.no-push]\non = 'PreToolUse'\nmatch = 'Bash'\nshell = 'exit 2'\n\
         [hook.token]\non = 'Stop'\nshell = 'export GITHUB_TOKEN=hunter22'\nbad-key-GITHUB_TOKEN=hunter22 = 1\n",
    );
    fixture.run(&["fire", "Bash", "echo private-words"], "");
    let output = fixture.run(&["doctor", "--report"], "");
    let text = &output.stdout;
    for part in [
        "## Tenterhook report",
        "### doctor",
        "Claude Code",
        "tenterhook.toml (native, user)",
        "PreToolUse",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let home = fixture.path("home").display().to_string();
    for part in ["hunter22", "private-words", home.as_str()] {
        assert!(!text.contains(part), "{part}\n{text}");
    }
    assert_eq!(fixture.run(&["doctor", "--report", "--format", "json"], "").code, 1);
}

/// BR-70.
#[test]
fn every_agent_answers_in_its_own_words() {
    let fixture = Fixture::new();
    let all = installable_agents();
    let none = found(&fixture, &all);
    assert_eq!(kinds(&none), vec!["not-installed"; all.len()]);
    assert_eq!(fixture.run(&[&["install", "--experimental"], &all[..]].concat(), "").code, 0);
    let json = fixture.json(&[&["doctor", "--format", "json"], &all[..]].concat(), "", 1);
    for row in json["agents"].as_array().unwrap() {
        assert_eq!(row["fired"][0]["passed"], true, "{row:#}");
        assert_eq!(row["events"], row["all_events"], "{row:#}");
    }
    // Only the person can approve, and has not.
    let left = json["findings"].as_array().unwrap();
    assert_eq!(kinds(left), ["not-approved"]);
    assert_eq!((&left[0]["agent"], &left[0]["line"]), (&json!("codex"), &json!(8)));
}

/// BR-70, BR-71: kind, line and what mends it; and that it does.
#[test]
fn what_keeps_a_hook_from_counting_is_found_and_mended() {
    let (fixture, text) = calling();
    let line_of =
        |text: &str, what: &str| text.lines().position(|line| line.contains(what)).unwrap() + 1;
    let install = json!("tenterhook install claude");
    let without = |event: &str| {
        let mut all: Value = serde_json::from_str(&text).unwrap();
        all["hooks"].as_object_mut().unwrap().remove(event).unwrap();
        format!("{all:#}\n")
    };
    for (broken, kind, at, mends) in [
        (
            text.replacen("\"block\"", "\"continue\"", 1),
            "entry-altered",
            Some("\"continue\""),
            true,
        ),
        (text.replacen("--within", "--slow", 1), "entry-altered", Some("--slow"), true),
        (without("PreToolUse"), "gate-missing", None, true),
        (without("Stop"), "event-missing", None, true),
        (text.replace(PROGRAM, "/nowhere/tenterhook"), "program-missing", Some("/nowhere"), true),
        (text.replace(PROGRAM, "tenterhook"), "program-missing", Some("hook --agent"), true),
        (
            text.replacen('{', "{\n\"disableAllHooks\": true,", 1),
            "switched-off",
            Some("disableAll"),
            false,
        ),
        (
            text.replacen('{', "{ \"hooks\": {},", 1),
            "file-unreadable",
            Some("\"hooks\": {\n"),
            false,
        ),
        ("{}".to_owned(), "not-installed", None, true),
    ] {
        fixture.write(SETTINGS, &broken);
        let found = found(&fixture, &[]);
        let finding = found.iter().find(|value| value["kind"] == kind);
        let finding = finding.unwrap_or_else(|| panic!("no {kind} in {found:#?}"));
        if let Some(at) = at.filter(|text| !text.ends_with('\n')) {
            assert_eq!(finding["line"], line_of(&broken, at), "{finding:#}");
        }
        assert_eq!(finding["file"].is_null(), kind == "not-installed", "{finding:#}");
        match mends {
            true => assert_eq!(finding["command"], install, "{finding:#}"),
            false => assert!(finding["help"].is_string(), "{finding:#}"),
        }
        if mends {
            assert_eq!(fixture.run(&["install", "claude"], "").code, 0);
            assert_eq!(kinds(&self::found(&fixture, &[])), [""; 0], "{kind} is mended");
        }
    }
}

/// BR-69, BR-71, BR-120: switches in files that `install` does not write.
#[test]
fn a_switch_in_another_file_is_found() {
    let (fixture, _) = calling();
    fixture.write("project/.claude/settings.local.json", "{\n  \"disableAllHooks\": true\n}\n");
    let found = found(&fixture, &["claude"]);
    assert_eq!(kinds(&found), ["switched-off"]);
    assert_eq!(found[0]["file"], ".claude/settings.local.json");
    assert_eq!(found[0]["line"], 2);
    fixture.write("home/.codex/hooks.json", "{}");
    assert_eq!(fixture.run(&["install", "codex"], "").code, 0);
    fixture
        .write("home/.codex/config.toml", "model = \"m\"\n[features]\nweb = true\nhooks = false\n");
    let found = self::found(&fixture, &["codex"]);
    assert_eq!(kinds(&found), ["switched-off", "not-approved"]);
    assert_eq!((&found[0]["file"], &found[0]["line"]), (&json!("~/.codex/config.toml"), &json!(4)));
    // The file nearer to the call takes precedence.
    fixture.write("project/.codex/config.toml", "features.hooks = true\n");
    assert_eq!(kinds(&self::found(&fixture, &["codex"])), ["not-approved"]);
}

/// BR-71: an agent runs the hooks in its own file, the bridge those in other files.
#[test]
fn a_hook_that_runs_twice_is_found() {
    let fixture = Fixture::new();
    let guard = "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}]}}\n";
    fixture.write(SETTINGS, guard);
    assert_eq!(fixture.run(&["install", "claude"], "").code, 0);
    assert_eq!(kinds(&found(&fixture, &["claude"])), [""; 0]);
    let native = "[hook.guard]\non = \"PreToolUse\"\nshell = \"true\"\n";
    fixture.write("home/.config/tenterhook/tenterhook.toml", native);
    let found = self::found(&fixture, &["claude"]);
    assert_eq!(kinds(&found), ["hook-runs-twice"]);
    assert_eq!(found[0]["file"], "~/.config/tenterhook/tenterhook.toml");
    assert!(
        found[0]["message"].as_str().unwrap().contains("~/.claude/settings.json"),
        "{found:#?}"
    );
    let other = native.replace("PreToolUse", "PostToolUse");
    fixture.write("home/.config/tenterhook/tenterhook.toml", &other);
    assert_eq!(kinds(&self::found(&fixture, &["claude"])), [""; 0], "another event");
}

/// BR-71: two files that call.
#[test]
fn a_second_file_that_calls_is_found_and_mended() {
    let (fixture, text) = calling();
    fixture.write("project/.claude/settings.json", &text);
    let found = found(&fixture, &[]);
    assert_eq!(kinds(&found), ["called-twice"]);
    assert_eq!(found[0]["command"], "tenterhook uninstall claude --scope project");
    assert_eq!(fixture.run(&["uninstall", "claude", "--scope", "project"], "").code, 0);
    assert_eq!(kinds(&self::found(&fixture, &[])), [""; 0]);
}

/// Puts a program of our name into a separate directory, and registers it in the entries.
fn with_program(script: &str) -> Fixture {
    let (fixture, text) = calling();
    fixture.write("script", script);
    fs::create_dir(fixture.path("bin")).unwrap();
    let program = fixture.path("bin/tenterhook");
    crate::fixture::install(&fixture.path("script"), &program);
    fixture.write(SETTINGS, &text.replace(PROGRAM, program.to_str().unwrap()));
    fixture
}

/// BR-72.
#[cfg(unix)]
#[test]
fn an_entry_that_does_not_answer_is_found() {
    let version = format!("[ $1 = --version ] && exec {PROGRAM} --version\n");
    for (then, kind) in [
        ("exit 3", "not-answered"),
        ("kill -9 $$", "not-answered"),
        ("echo '{\"hookSpecificOutput\": {\"permissionDecision\": '", "not-answered"),
        ("echo nonsense >&2; exit 2", "not-answered"),
    ] {
        let fixture = with_program(&format!("#!/bin/sh\n{version}{then}\n"));
        let found = found(&fixture, &[]);
        assert_eq!(kinds(&found), [kind], "{then}: {found:#?}");
        assert!(found[0]["line"].is_u64(), "{found:#?}");
    }
    let fixture = with_program("#!/bin/sh\nexit 0\n");
    assert_eq!(kinds(&found(&fixture, &[])), ["program-foreign"], "silence of a stranger");
    let fixture = with_program(&format!(
        "#!/bin/sh\n[ $1 = --version ] && echo tenterhook 0.0.1 && exit\nexec {PROGRAM} \"$@\"\n"
    ));
    assert_eq!(kinds(&found(&fixture, &[])), ["program-older"]);
}

/// BR-72: a hook of the person that holds everything up is reported with its reason, and is no error.
#[test]
fn a_hook_that_holds_everything_up_is_said() {
    let (fixture, _) = calling();
    fixture.write(
        "home/.config/tenterhook/tenterhook.toml",
        "[hook.all]\non = \"PreToolUse\"\nwhen = \"true\"\ndeny = \"nothing today\"\n",
    );
    let found = found(&fixture, &[]);
    assert_eq!(kinds(&found), ["harmless-denied"]);
    assert!(found[0]["message"].as_str().unwrap().contains("nothing today"), "{found:#?}");
    assert_eq!(kinds(&self::found(&fixture, &["--no-fire"])), [""; 0]);
}

/// BR-72.
#[test]
fn no_entry_is_called_without_the_option() {
    let (fixture, _) = calling();
    let json = fixture.json(&["doctor", "--no-fire", "--format", "json"], "", 0);
    assert_eq!(json["agents"][0]["fired"], json!([]));
    assert!(!fixture.path("home/.local").exists(), "nothing is on record");
}

/// BR-143: through each agent's entries comes the denial of a rule that exists for that call alone, which is on record.
#[test]
fn prove_sees_the_canarys_denial_through_every_agent() {
    let fixture = Fixture::new();
    let all = installable_agents();
    let prove = [&["doctor", "--prove", "--format", "json"], &all[..]].concat();
    let none = fixture.json(&prove, "", 1);
    assert_eq!(
        (&none["agents"][0]["proofs"], &none["proven"]),
        (&json!([]), &json!(false)),
        "{none:#}"
    );
    assert_eq!(fixture.run(&[&["install", "--experimental"], &all[..]].concat(), "").code, 0);
    let json = fixture.json(&prove, "", 1);
    fits_schema("doctor", &json);
    for row in json["agents"].as_array().unwrap() {
        let proofs = row["proofs"].as_array().unwrap();
        assert!(!proofs.is_empty(), "{row:#}");
        assert!(proofs.iter().all(|proof| proof["denied"] == true), "{row:#}");
        assert!(proofs.iter().all(|proof| proof["record"].is_u64()), "{row:#}");
    }
    let left = json["findings"].as_array().unwrap();
    assert_eq!(kinds(left), ["not-approved"], "Codex waits for its user");
    let log = fixture.run(&["log", "--hook", "tenterhook/canary"], "").stdout;
    let proofs: usize = json["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["proofs"].as_array().unwrap().len())
        .sum();
    assert_eq!(log.lines().count(), proofs, "{log}");
}

/// BR-143.
#[test]
fn prove_ends_with_0_where_every_agent_is_stopped() {
    let (fixture, _) = calling();
    let output = fixture.run(&["doctor", "--prove"], "");
    assert!(
        output.code == 0 && output.stdout.ends_with("proven: each agent gets denials\n"),
        "{}",
        output.all()
    );
    let status = fixture.json(&["status", "--format", "json"], "", 0);
    assert_eq!(status["last_firing"], Value::Null, "no call of `doctor` is a firing: {status:#}");
    // A denial by the user's own rule hides nothing, and a user without records is proven, too.
    fixture.write(
        "home/.config/tenterhook/tenterhook.toml",
        "[hook.all]\non = \"PreToolUse\"\nwhen = \"true\"\ndeny = \"nothing today\"\n[record]\nenabled = false\n",
    );
    let json = fixture.json(&["doctor", "--prove", "--format", "json"], "", 0);
    let proof = &json["agents"][0]["proofs"][0];
    assert_eq!((&proof["denied"], &proof["record"]), (&json!(true), &Value::Null), "{json:#}");
    assert_eq!(json["proven"], true);
    // No agent, no proof.
    let none = Fixture::new().run(&["doctor", "--prove"], "");
    assert!(none.code == 1 && none.stdout.ends_with("no agent is here\n"), "{}", none.all());
    assert_eq!(fixture.run(&["doctor", "--prove", "--no-fire"], "").code, 1);
}

/// BR-143: an entry whose program answers without asking a rule is not proven.
#[cfg(unix)]
#[test]
fn prove_finds_an_entry_that_asks_no_rule() {
    let version = format!("[ $1 = --version ] && exec {PROGRAM} --version\n");
    let deny = "echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no\"}}'";
    for (then, message) in [
        ("exit 0", "the canary call passed"),
        (deny, "a different rule denied the canary call: no"),
        ("exit 3", "the canary call got no answer"),
    ] {
        let fixture = with_program(&format!("#!/bin/sh\n{version}{then}\n"));
        let found = found(&fixture, &["--prove"]);
        let unproven: Vec<&Value> =
            found.iter().filter(|finding| finding["kind"] == "not-proven").collect();
        assert_eq!(unproven.len(), 3, "{found:#?}");
        let is_it = |finding: &&Value| finding["message"].as_str().unwrap().starts_with(message);
        assert!(unproven.iter().any(is_it), "{then}: {unproven:#?}");
    }
}

/// BR-143: the entry runs in the shell that its agent uses: Codex takes the user's own as a login shell.
#[cfg(unix)]
#[test]
fn prove_calls_in_the_agents_shell() {
    let fixture = Fixture::new();
    fixture.write("home/.codex/hooks.json", "{}");
    assert_eq!(fixture.run(&["install", "codex"], "").code, 0);
    fixture.write("home/.profile", "echo profile >> $HOME/ran\n");
    fixture.run(&["doctor", "codex", "--prove"], "");
    assert!(fixture.path("home/ran").exists(), "the login shell read its profile");
}

/// BR-73.
#[cfg(unix)]
#[test]
fn another_version_than_was_measured_is_said() {
    let (fixture, _) = calling();
    fixture.write("agent", "#!/bin/sh\necho '9.8.7 (Claude Code)'\n");
    fs::create_dir(fixture.path("bin")).unwrap();
    crate::fixture::install(&fixture.path("agent"), &fixture.path("bin/claude"));
    let look = || {
        let path = fixture.path("bin");
        let line = format!("PATH={}:$PATH tenterhook doctor --format json", path.display());
        let output = fixture.shell(&line);
        let value: Value = serde_json::from_str(&output.stdout).expect(&output.stderr);
        fits_schema("doctor", &value);
        assert_eq!(value["agents"][0]["version"], "9.8.7");
        let found = value["findings"].as_array().unwrap();
        (output.code, found.first().map(|value| (value["kind"].clone(), value["command"].clone())))
    };
    let probe = json!("tenterhook probe claude");
    assert_eq!(look(), (0, Some((json!("version-not-measured"), probe.clone()))));
    let probed = |version: &str, blocks: bool| {
        let seen = json!({"agent": "claude", "version": version, "denials_block": blocks});
        fixture.write("home/.local/state/tenterhook/probes/claude.json", &seen.to_string());
    };
    probed("9.8.6 (Claude Code)", true);
    assert_eq!(look(), (0, Some((json!("version-not-probed"), probe))));
    probed("9.8.7 (Claude Code)", true);
    assert_eq!(look(), (0, None));
    probed("9.8.7 (Claude Code)", false);
    assert_eq!(look(), (1, Some((json!("denial-does-not-block"), Value::Null))));
}

/// BR-70: files with hooks that do not load, or that are not approved.
#[test]
fn files_that_do_not_count_are_found() {
    let (fixture, _) = calling();
    fixture.write("home/.config/tenterhook/tenterhook.toml", "[hook.a]\non = \"Stop\"\nrun = [\n");
    let found = found(&fixture, &["--no-fire"]);
    assert_eq!(kinds(&found)[0], "config-broken", "{found:#?}");
    assert_eq!(found[0]["file"], "~/.config/tenterhook/tenterhook.toml");
    assert!(found[0]["line"].is_u64(), "{found:#?}");
    let (fixture, _) = calling();
    let fixture = fixture.unapproved();
    fixture.write("project/.git/HEAD", "");
    fixture.write("project/tenterhook.toml", "[hook.a]\non = \"Stop\"\nshell = \"true\"\n");
    let found = self::found(&fixture, &["--no-fire"]);
    assert_eq!(kinds(&found), ["source-not-approved"]);
    assert_eq!(found[0]["command"], "tenterhook trust tenterhook.toml");
    fixture.approve("project");
    assert_eq!(kinds(&self::found(&fixture, &["--no-fire"])), [""; 0]);
}

/// BR-74.
#[cfg(unix)]
#[test]
fn a_store_that_others_may_write_is_found() {
    use std::os::unix::fs::PermissionsExt as _;
    let (fixture, _) = calling();
    fixture.run(&["doctor"], "");
    let records = fixture.path("home/.local/state/tenterhook/records");
    fs::set_permissions(&records, fs::Permissions::from_mode(0o777)).unwrap();
    let found = found(&fixture, &["--no-fire"]);
    assert_eq!(kinds(&found), ["state-open-to-others"]);
    let mend = "chmod go-w ~/.local/state/tenterhook/records";
    assert_eq!(found[0]["command"], mend);
    fs::set_permissions(&records, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(kinds(&self::found(&fixture, &["--no-fire"])), [""; 0]);
}

/// BR-74.
#[cfg(unix)]
#[test]
fn a_state_directory_that_cannot_be_written_is_found() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new();
    let state = fixture.path("home/.local/state/tenterhook");
    fs::create_dir_all(&state).unwrap();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o500)).unwrap();
    crate::fixture::install(std::path::Path::new(PROGRAM), &fixture.path("home/tenterhook"));
    let mut command = Command::new(fixture.path("home/tenterhook"));
    command.args(["doctor", "--format", "json"]).env("PATH", "/usr/bin:/bin");
    let output = fixture.say_as_a_normal_user(command, "");
    let value: Value = serde_json::from_str(&output.stdout).expect(&output.stderr);
    let found = value["findings"].as_array().unwrap();
    assert_eq!((output.code, kinds(found)), (1, vec!["state-not-writable"]), "{found:#?}");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
}

/// A page with every part, where everything is as wrong as it gets.
#[test]
fn pages_look_like_this() {
    let (fixture, text) = calling();
    let text = text.replace(PROGRAM, "/nowhere/tenterhook");
    fixture.write(SETTINGS, &text.replacen('{', "{\n  \"disableAllHooks\": true,", 1));
    fixture.write("home/.qwen/settings.json", "{}");
    fixture.write("home/.codex/hooks.json", "{}");
    assert_eq!(fixture.run(&["install", "codex"], "").code, 0);
    let text = fs::read_to_string(fixture.path("home/.codex/hooks.json")).unwrap();
    fixture.write("home/.codex/hooks.json", &text.replace("\"timeout\": 600", "\"timeout\": 60"));
    for columns in [80, 60] {
        // How long a call takes, and what this kernel can do, stand in no snapshot.
        let output = fixture.shell(&format!("COLUMNS={columns} tenterhook doctor --no-fire"));
        assert_eq!(output.code, 1);
        let (agents, machine) = output.stdout.split_once("\nThis machine\n").unwrap();
        let shown: Vec<&str> = agents.lines().chain(machine.lines().last()).collect();
        // What there is to be copied is not broken.
        let wraps = |text: &&&str| !text.trim_start().starts_with("run ") && !text.contains("~/");
        assert!(
            shown.iter().filter(wraps).all(|text| text.chars().count() <= columns),
            "{shown:#?}"
        );
        insta::assert_snapshot!(format!("page_at_{columns}"), shown.join("\n"));
    }
}

/// what becomes of a hook that is to be confined here.
#[test]
fn what_a_sandbox_reaches_is_said() {
    let text = Fixture::new().run(&["doctor", "--no-fire"], "").stdout;
    let reaches = tenterhook_process::available_sandbox_means().highest_tier()
        >= tenterhook_process::Tier::T1;
    assert_eq!(text.contains("a sandbox reaches T1"), reaches, "{text}");
    assert_eq!(text.contains("no sandbox is to be had (T0)"), !reaches, "{text}");
    let ends_all = tenterhook_process::available_sandbox_means().highest_tier()
        >= tenterhook_process::Tier::T2;
    assert_eq!(text.contains("nothing outlives a hook"), ends_all, "{text}");
}

/// and of each hook that starts a program.
#[test]
fn what_each_hook_runs_in_is_said() {
    use tenterhook_process::Tier;
    let fixture = Fixture::new();
    let text = "[hook.free]\non = \"Stop\"\nshell = \"true\"\n\
        [hook.held]\non = \"Stop\"\nshell = \"true\"\nsandbox = \"standard\"\n\
        [hook.apart]\non = \"Stop\"\nshell = \"true\"\nsandbox = { isolation_min = \"T2\" }\n\
        [hook.rule]\non = \"PreToolUse\"\nwhen = \"true\"\ndecision = \"deny\"\n";
    fixture.write("home/.config/tenterhook/tenterhook.toml", text);
    let reached = tenterhook_process::available_sandbox_means().highest_tier();
    let runs_in = |demanded: Tier| match reached >= demanded {
        true => demanded.name(),
        false => "none",
    };
    let text = fixture.run(&["doctor", "--no-fire", "--format", "json"], "").stdout;
    let value: Value = serde_json::from_str(&text).expect(&text);
    let programs = value["programs"].as_array().unwrap();
    let found: Vec<_> =
        programs.iter().map(|program| (&program["name"], &program["runs_in"])).collect();
    let expected = [("free", "T0"), ("held", runs_in(Tier::T1)), ("apart", runs_in(Tier::T2))];
    assert_eq!(found.len(), expected.len(), "a rule starts nothing: {found:?}");
    for ((name, tier), expected) in found.iter().zip(expected) {
        assert_eq!((name.as_str().unwrap(), tier.as_str().unwrap()), expected);
    }
    let page = fixture.run(&["doctor", "--no-fire"], "").stdout;
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("T0 `free` of"), "{page}");
    assert!(words.contains("runs with all your rights"), "{page}");
    assert_eq!(words.contains("T2 `apart` of"), reached == Tier::T2, "{page}");
    assert_eq!(words.contains("it demands T2"), reached < Tier::T2, "{page}");
}
