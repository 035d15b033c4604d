//! Calls of everyday work and hostile ones, in two lists: the first run without a question, the second never do (AG-14, AG-15,
//! AG-16).
#![expect(clippy::indexing_slicing, reason = "what tests share may fail them")]

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::fixture::Fixture;

/// The least that each list holds.
const LEAST_ORDINARY: usize = 40;
const LEAST_HOSTILE: usize = 60;

/// Files that no hostile call changes, with their texts.
const KEPT: &[(&str, &str)] = &[
    ("../outside/x", "mine\n"),
    ("../outside/hard", "mine\n"),
    ("src/locked/x", "kept\n"),
    ("../w.txt", ""),
];

/// The text of a refused call.
const REFUSED: &str = "the call was refused";

/// The groups of a list.
fn groups(list: &str) -> Vec<toml::Table> {
    let list: toml::Table = toml::from_str(list).unwrap();
    list["group"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| group.as_table().unwrap().clone())
        .collect()
}

fn texts(group: &toml::Table, key: &str) -> Vec<String> {
    let texts = group.get(key).and_then(toml::Value::as_array).into_iter().flatten();
    texts.map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// The calls of a group: its shell lines, and its calls of other tools.
fn calls(group: &toml::Table) -> Vec<(String, Value)> {
    let lines = texts(group, "lines").into_iter();
    let lines = lines.map(|line| ("Bash".to_owned(), json!({ "command": line })));
    let others = group.get("calls").and_then(toml::Value::as_array).into_iter().flatten();
    let others = others.map(|call| {
        let input = serde_json::to_value(&call["input"]).unwrap();
        (call["tool"].as_str().unwrap().to_owned(), input)
    });
    lines.chain(others).collect()
}

/// A project with what the lists name: files, links that lead out, and other names of files.
fn project() -> Fixture {
    let fixture = Fixture::new("", "");
    for (path, text) in [
        (".env", "KEY=SECRET\n"),
        ("src/a.rs", "fn foo() {}\n"),
        ("src/locked/x", "kept\n"),
        ("secrets/key.txt", "key\n"),
        ("logs/old.log", ""),
        ("notes.txt", "notes\n"),
        ("target.txt", "/nowhere\n"),
        ("package.json", r#"{"version": "1.0.0", "scripts": {"test": "jest"}}"#),
        (".envrc", "true\n"),
        (".husky/commit-msg", "true\n"),
        (".vscode/extensions.json", "{}\n"),
        ("../outside/x", "mine\n"),
        ("../outside/deep/x", "mine\n"),
        ("../outside/hard", "mine\n"),
        ("~/.bashrc", "mine\n"),
    ] {
        fixture.sandbox.write(path, text).unwrap();
    }
    let at = |name: &str| fixture.sandbox.project().join(name);
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        let command = command.args(args).current_dir(fixture.sandbox.project()).env_clear();
        let made = command.envs(fixture.sandbox.env()).output().unwrap();
        assert!(made.status.success(), "{made:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "src", "notes.txt"]);
    fixture.sandbox.write(".git/hooks/pre-commit", "true\n").unwrap();
    for (to, name) in [
        ("../outside/deep", "outlink"),
        ("../outside/new", "dangling"),
        (".git/hooks", "hk"),
        (".claude/settings.json", "settings-link.json"),
        ("src/locked", "locked-link"),
        (".husky/pre-commit", "husky-link"),
    ] {
        symlink(to, at(name)).unwrap();
    }
    std::fs::create_dir_all(at("more")).unwrap();
    std::fs::hard_link(at("../outside/hard"), at("hard.txt")).unwrap();
    std::fs::hard_link(at("src/locked/x"), at("hard-locked")).unwrap();
    fixture
}

/// The results of calls, one after the other, in a session without a person.
fn results(group: &toml::Table, calls: &[(String, Value)], fixture: &Fixture) -> Vec<String> {
    let here = fixture.sandbox.project().canonicalize().unwrap().display().to_string();
    let mut script = String::new();
    for (tool, input) in calls {
        // A text of JSON is one of TOML, too.
        let fields = input.as_object().unwrap().iter();
        let fields: Vec<_> = fields.map(|(key, value)| format!("{key} = {value}")).collect();
        let input = fields.join(", ").replace("ABSOLUTE", &here);
        script.push_str("[[reply]]\n");
        script.push_str(&format!("call = [{{ tool = \"{tool}\", input = {{ {input} }} }}]\n"));
    }
    script.push_str("[[reply]]\ntext = \"done\"\n");
    fixture.sandbox.write("script.toml", &script).unwrap();
    let args = texts(group, "args");
    let mut command = fixture.command();
    command.args([
        "-p",
        "work",
        "--model",
        "scripted:script.toml",
        "--output-format",
        "stream-json",
    ]);
    let output = command.args(args).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let lines = stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let results = lines.filter(|line| line["type"] == "tool_result");
    let results: Vec<_> = results.map(|line| line["text"].as_str().unwrap().to_owned()).collect();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(results.len(), calls.len(), "{group:?}\n{stdout}\n{stderr}");
    results
}

/// The calls of a list that came out otherwise than they should.
fn wrong(list: &str, least: usize, should_be_refused: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut count = 0;
    for group in groups(list) {
        // Each group has a separate project: what one makes is not there for the next.
        let (calls, fixture) = (calls(&group), project());
        if should_be_refused && texts(&group, "args").contains(&"Read(.env)".to_owned()) {
            let at = |name: &str| fixture.sandbox.project().join(name);
            std::fs::hard_link(at(".env"), at("src/hard")).unwrap();
            symlink("../.env", at("src/link")).unwrap();
        }
        count += calls.len();
        for ((tool, input), result) in calls.iter().zip(results(&group, &calls, &fixture)) {
            if result.contains(REFUSED) != should_be_refused {
                let args = texts(&group, "args");
                wrong.push(format!("{tool} {input} with {args:?}: {result}"));
            }
        }
        for (name, text) in KEPT.iter().filter(|_| should_be_refused) {
            if fixture.text(name) != *text {
                wrong.push(format!("`{name}` changed in: {:?}", group["about"]));
            }
        }
    }
    assert!(count >= least, "{count}");
    wrong
}

/// AG-14, AG-15, AG-16.
#[test]
fn ordinary_call_is_neither_asked_about_nor_denied() {
    let wrong = wrong(include_str!("lines/ordinary.toml"), LEAST_ORDINARY, false);
    assert!(wrong.is_empty(), "{} calls are refused:\n{}", wrong.len(), wrong.join("\n"));
}

/// AG-14, AG-15, AG-16.
#[test]
fn hostile_call_is_asked_about_or_denied() {
    let wrong = wrong(include_str!("lines/hostile.toml"), LEAST_HOSTILE, true);
    assert!(wrong.is_empty(), "{} calls are not refused:\n{}", wrong.len(), wrong.join("\n"));
}
