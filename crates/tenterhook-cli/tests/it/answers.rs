//! Is what a person writes wrong answered with what to write instead? A table of slips, each with its answer.

use crate::fixture::Fixture;

/// Lines of an entry, and what `check` says of them.
const ENTRIES: &[(&str, &[&str])] = &[
    ("enabled = 'no'", &["write `enabled = false`, without quotes"]),
    ("enabled = 'yes'", &["write `enabled = true`, without quotes"]),
    ("enabled = 'perhaps'", &["write `enabled = true` or `enabled = false`"]),
    ("if = ['Bash(git push *)', 3]", &["`if` is a rule, or a list of rules, not one that holds"]),
    ("test = ['Bash ls', { event = 'Bash ls' }]", &["is a table, not a string", "needs `expect`"]),
    ("sandbox = { processes = 0 }", &["a whole number above 0, not 0"]),
    ("sandbox = { processes = '30' }", &["write `processes = 30`"]),
    (
        "sandbox = { net = 'yes' }",
        &["`net` cannot be `yes`", "write `\"none\"`, `\"open\"` or ports"],
    ),
    ("sandbox = { net = 'a.example' }", &["hosts cannot be granted one by one"]),
    ("sandbox = { read = ['$HOME/x'] }", &["write `~/x`"]),
    ("match = '/(/'", &["not a valid regular expression"]),
];

#[test]
fn each_slip_in_an_entry_is_answered() {
    for (lines, parts) in ENTRIES {
        let fixture = Fixture::new();
        let text = format!("[hook.a]\non = 'PreToolUse'\nshell = 'true'\n{lines}\n");
        fixture.write("project/tenterhook.toml", &text);
        let output = fixture.run(&["check", "tenterhook.toml"], "");
        let all = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in *parts {
            assert!(all.contains(part), "{lines}: {part}\n{}", output.all());
        }
    }
}

/// C-72: what is to be mended is a line, where the file can be read.
#[test]
fn blocked_call_names_the_blocking_hook() {
    let fixture = Fixture::new();
    fixture.write("project/tenterhook.toml", "[hook.none]\nenabled = 'no'\n");
    let output = fixture.run(&["check", "tenterhook.toml"], "");
    let all = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(all.contains("are held until line 1 of"), "{}", output.all());
    let fixture = Fixture::new();
    std::fs::create_dir_all(fixture.path("home/.config/tenterhook/tenterhook.toml")).unwrap();
    let output = fixture.run(&["check"], "");
    let all = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(all.contains("tenterhook.toml` can be read"), "{}", output.all());
}

#[test]
fn the_input_of_a_tool_is_one_word() {
    let fixture = Fixture::new();
    for words in [&["fire", "Bash", "git", "push"][..], &["explain", "Bash", "git", "push", "x"]] {
        let output = fixture.run(words, "");
        let quoted = format!("put it in quotes: `Bash '{}'`", words[2..].join(" "));
        let all = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(all.contains(&quoted), "{}", output.all());
    }
    let output = fixture.run(&["fire", "PreToolUse", "Bash", "git", "push"], "");
    assert!(output.stderr.contains("put what belongs together in quotes"), "{}", output.all());
}
