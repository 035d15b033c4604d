//! Whether case files are read as `conformance/README.md` says, and their programs do what they are scripted to do.

use std::process::{Command, Stdio};

use super::*;

const CASE: &str = r#"
rule = ["M-1"]
about = "a sample"

[event]
hook_event_name = "PreToolUse"
tool_input = { command = "cat {project}/x" }

[[source]]
name = ".claude/settings.json"
text = '{"command": "{hook:guard}", "script": "{script:guard}"}'

[hook.guard]
stdout = "fine\n"
when = [{ contains = "it's rm", stderr = "no", exit = 2 }]

[expect]
blocked = true

[[then]]
event = { hook_event_name = "Stop" }
"#;

fn staged() -> (Sandbox, Staged) {
    let sandbox = Sandbox::new().unwrap();
    let file = sandbox.write("case.toml", CASE).unwrap();
    let case = Case::load(&file).unwrap();
    let staged = case.stage(&sandbox).unwrap();
    (sandbox, staged)
}

#[test]
fn places_are_filled() {
    let (sandbox, staged) = staged();
    let project = sandbox.project().to_string_lossy().into_owned();
    let script = sandbox.scripts().join("guard").to_string_lossy().into_owned();
    let [first, second] = staged.shots.as_slice() else { panic!("two events") };
    assert_eq!(first.event["tool_input"]["command"], format!("cat {project}/x"));
    assert_eq!(first.event["cwd"], project);
    assert_eq!(first.expect["blocked"], true);
    assert_eq!(second.event["hook_event_name"], "Stop");
    assert!(second.expect.is_empty());
    let text = std::fs::read_to_string(&staged.sources[0].path).unwrap();
    assert_eq!(text, format!(r#"{{"command": "sh {script}", "script": "{script}"}}"#));
}

#[test]
fn a_scripted_program_answers_what_it_was_handed() {
    let (sandbox, _) = staged();
    let run = |input: &str| {
        let file = sandbox.write("input", input).unwrap();
        let mut command = Command::new("sh");
        command.arg(sandbox.scripts().join("guard")).env_clear().envs(sandbox.env());
        command.stdin(Stdio::from(std::fs::File::open(file).unwrap())).output().unwrap()
    };
    let calm = run("ls");
    assert_eq!((calm.status.code(), calm.stdout.as_slice()), (Some(0), b"fine\n".as_slice()));
    let angry = run("so it's rm -rf");
    assert_eq!((angry.status.code(), angry.stderr.as_slice()), (Some(2), b"no".as_slice()));
    let expect = serde_json::json!({ "ran": ["guard", "guard"], "saw": { "guard": "...rm -rf" } });
    let outcome = Value::Object(Map::new());
    let found =
        crate::expect::differences(expect.as_object().unwrap(), &outcome, &sandbox.scripts());
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_case_without_a_rule_or_with_an_unknown_key_is_refused() {
    let sandbox = Sandbox::new().unwrap();
    for text in [CASE.replace(r#"["M-1"]"#, "[]"), CASE.replace("[expect]", "[expects]")] {
        let file = sandbox.write("case.toml", &text).unwrap();
        assert!(Case::load(&file).is_err(), "{text}");
    }
}
