//! Wrong calls: each ends with 1, never with 2, which means that an event is blocked.

use insta::assert_snapshot;

use crate::fixture::Fixture;

#[test]
fn a_wrong_call_is_no_block() {
    let fixture = Fixture::new();
    for args in [
        &["nonsense"][..],
        &["fire", "--nonsense"],
        &["fire", "--budget", "5"],
        &["schema", "nonsense"],
        &["explain", "a", "b", "c"],
        &[],
    ] {
        let output = fixture.run(args, "");
        assert_eq!(output.code, 1, "{args:?}: {}", output.stderr);
        assert_eq!(output.stdout, "", "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn help_is_data_and_names_the_exit_codes() {
    let output = Fixture::new().run(&["--help"], "");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    assert!(output.stdout.contains("Any code but 0 means: do not proceed."), "{}", output.stdout);
}

#[test]
fn help_lists_the_commands_in_groups() {
    let output = Fixture::new().run(&["--help"], "");
    let titles = output.stdout.lines().filter(|line| line.ends_with(':') && !line.starts_with(' '));
    assert_eq!(
        titles.collect::<Vec<_>>(),
        [
            "Write hooks:",
            "Run hooks:",
            "Look at hooks:",
            "Protect:",
            "Records and sessions:",
            "Other:",
            "Options:",
            "Exit codes:",
        ]
    );
}

#[test]
fn options_of_every_command_stand_last_in_help() {
    let output = Fixture::new().run(&["rules", "add", "-h"], "");
    let at = |option: &str| output.stdout.find(option).unwrap();
    assert!(at("--force") < at("--color"), "{}", output.stdout);
}

#[test]
fn unknown_agent_has_a_neighbour() {
    for command in ["install", "uninstall", "doctor", "probe"] {
        let output = Fixture::new().run(&[command, "cluade"], "");
        assert_eq!(output.code, 1, "{command}");
        let near = "tip: a similar value exists: 'claude'";
        assert!(output.stderr.contains(near), "{command}: {}", output.stderr);
    }
}

#[test]
fn dry_run_and_diff_are_the_same_in_every_command_that_has_one() {
    let fixture = Fixture::with_settings("{}\n");
    for command in [&["install", "claude"][..], &["uninstall", "claude"], &["check"]] {
        let dry = fixture.run(&[command, &["--dry-run"]].concat(), "");
        let diff = fixture.run(&[command, &["--diff"]].concat(), "");
        assert_eq!((dry.code, &dry.stdout), (0, &diff.stdout), "{command:?}: {}", diff.all());
    }
}

/// `backtest` has hooks as its arguments, so sessions are an option there.
#[test]
fn sessions_are_named_by_the_same_option_everywhere() {
    let fixture = Fixture::new();
    for command in ["backtest", "reconcile", "transcripts"] {
        let output = fixture.run(&[command, "--sessions", "none"], "");
        assert!(output.stderr.contains("`none` cannot be read"), "{command}: {}", output.all());
    }
}

#[test]
fn event_name_may_be_an_option() {
    let fixture = Fixture::new();
    for command in ["fire", "explain"] {
        for words in [&["Stop"][..], &["PostToolUse", "Bash", "ls"]] {
            let format = ["--format", "json"];
            let plain = fixture.run(&[&[command][..], &format, words].concat(), "");
            let named = fixture.run(&[&[command][..], &format, &["--event"], words].concat(), "");
            assert_eq!((named.code, named.stdout), (0, plain.stdout), "{command} {words:?}");
        }
    }
}

#[test]
fn an_unknown_dialect_has_a_neighbour() {
    let output = Fixture::new().run(&["fire", "--config", "cloude=x.json"], "{}");
    assert_snapshot!(output.all(), @r##"
exit 1
--- stdout
--- stderr
error: invalid value 'cloude=x.json' for '--config <[DIALECT=]FILE>': there is no dialect of that name; did you mean `claude`?

For more information, try '--help'.
"##);
}

#[test]
fn a_named_file_must_be_there() {
    let output = Fixture::new().run(&["fire", "--config", "none.json"], "{}");
    assert_snapshot!(output.all(), @r##"
exit 1
--- stdout
--- stderr
error: there is no file `none.json`

hint: name a file that exists
"##);
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_no_config() {
    let output = Fixture::new().run(&["explain", "--config", "/dev/zero", "Bash", "ls"], "");
    assert_snapshot!(output.all(), @r##"
exit 1
--- stdout
--- stderr
error: `/dev/zero` cannot be read: it is a device, not a file

hint: a config is a regular UTF-8 file of at most 16 MiB
"##);
}

#[test]
fn every_schema_is_one() {
    for name in
        ["config", "event", "answer", "outcome", "check", "list", "explain", "events", "log"]
    {
        let output = Fixture::new().run(&["schema", name], "");
        let schema: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        assert!(jsonschema::validator_for(&schema).is_ok(), "{name}");
    }
}

/// The schemas of files and texts that people or hooks write, or that a host sends: there an unknown key is a mistake.
const INPUTS: [&str; 4] = ["config", "event", "answer", "cases"];

/// V-1: a reader that validates output accepts the keys of a later version.
#[test]
fn schemas_of_output_permit_further_keys() {
    let help = Fixture::new().run(&["schema", "--help"], "").stdout;
    let forms = help.lines().filter_map(|line| line.trim().strip_prefix("- ")?.split(':').next());
    let outputs: Vec<&str> = forms.filter(|form| !INPUTS.contains(form)).collect();
    assert!(outputs.len() > 12, "{help}");
    for form in outputs {
        let schema = Fixture::new().run(&["schema", form], "").stdout;
        let mut schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
        let says_so = schema["description"].as_str().unwrap().contains("may be added");
        assert!(says_so, "{form}: the description says what may be added");
        if let Some(defs) = schema["$defs"].as_object_mut() {
            // Hosts write requests.
            defs.remove("request");
        }
        let is_closed = schema.to_string().contains(r#""additionalProperties":false"#);
        assert!(!is_closed, "{form}: an object refuses further keys");
    }
}

/// V-41: printed keys are in one case. Formats that other programs define (SARIF, another agent's event) are excepted.
#[test]
fn keys_are_written_in_snake_case() {
    let forms = [
        "event", "answer", "outcome", "stream", "check", "list", "explain", "rules", "events",
        "convert", "test", "log",
    ];
    for name in forms {
        let output = Fixture::new().run(&["schema", name], "");
        let schema: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        let mut keys = Vec::new();
        properties(&schema, &mut keys);
        assert!(!keys.is_empty(), "{name}");
        let odd: Vec<&String> = keys
            .iter()
            .filter(|key| key.contains(|c: char| c.is_ascii_uppercase() || c == '-'))
            .collect();
        assert!(odd.is_empty(), "{name}: {odd:?}");
    }
}

/// The keys that a schema names, at any depth.
fn properties(schema: &serde_json::Value, keys: &mut Vec<String>) {
    use serde_json::Value;
    match schema {
        Value::Object(map) => {
            if let Some(Value::Object(own)) = map.get("properties") {
                keys.extend(own.keys().cloned());
            }
            map.values().for_each(|value| properties(value, keys));
        }
        Value::Array(list) => list.iter().for_each(|value| properties(value, keys)),
        _ => {}
    }
}

#[test]
fn known_mistake_is_answered_with_the_line_to_type() {
    let fixture = Fixture::new();
    for (line, hint) in [
        ("fire Bash git push --force", "put it in quotes: `Bash 'git push --force'`"),
        ("fire Bash git push", "put it in quotes: `Bash 'git push'`"),
        ("explain Bash git push -f", "put it in quotes: `Bash 'git push -f'`"),
        ("allow 9SZAQP", "`tenterhook allow once 9SZAQP`"),
        ("status claude", "it shows all agents"),
        ("install", "`tenterhook install --all`"),
        ("uninstall", "`tenterhook uninstall --all`"),
    ] {
        let output = fixture.run(&line.split(' ').collect::<Vec<_>>(), "");
        let text = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(output.code == 1 && text.contains(hint), "{line}: {}", output.all());
    }
}
