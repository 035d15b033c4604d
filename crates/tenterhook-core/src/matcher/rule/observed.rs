//! The observed table of Claude Code, cell by cell.

use serde::Deserialize;
use serde_json::Value;

use super::*;
use crate::event::tool::ToolCall;

const TABLE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../conformance/observed/claude-code-matching.json"
));

/// Where the observed agent stood: its table writes `{project}`, and `//tmp/**` selected every file in it.
const PROJECT: &str = "/tmp/work/project";

#[derive(Deserialize)]
struct Table {
    calls: Vec<Observed>,
    rules: Vec<Row>,
}

#[derive(Deserialize)]
struct Observed {
    tool: String,
    input: Value,
}

#[derive(Deserialize)]
struct Row {
    field: String,
    value: Option<String>,
    fires_on: Vec<usize>,
}

/// The cells in which the wrapper rule selects more than the agent does (S-49): calls in front of rules.
const WRAPPED: &[(&str, &[&str])] = &[
    ("bash -c 'git status'", GIT),
    ("sudo git status", GIT),
    ("timeout 5 git status", GIT),
    ("env git status", GIT),
    ("nohup git status", GIT),
    ("stdbuf -oL git status", GIT),
    ("exec git status", GIT),
];
const GIT: &[&str] = &["Bash(git:*)", "Bash(git *)", "Bash( git *)", "Bash(git*)"];

fn replace_project_placeholder(value: &Value) -> Value {
    serde_json::from_str(&value.to_string().replace("{project}", PROJECT)).unwrap()
}

fn selection_of_observed_call(rule: &str, observed: &Observed) -> Option<Selection> {
    let input = replace_project_placeholder(&observed.input);
    let places = PathAnchors { cwd: PROJECT, base: PROJECT, home: Some("/home/x") };
    let call = Call::new(ToolCall { name: &observed.tool, input: &input }, places, &[]);
    let rule = Rule::parse(rule).ok()?;
    Some(rule.selection_of_call(&call, Reading::Claude))
}

#[test]
fn every_observed_cell_is_reproduced() {
    let table: Table = serde_json::from_str(TABLE).unwrap();
    let mut wrapped = 0;
    let mut rows = 0;
    for row in table.rules.iter().filter(|row| row.field == "if") {
        let rule = row.value.as_deref().unwrap();
        rows += 1;
        for (index, call) in table.calls.iter().enumerate() {
            let selection = selection_of_observed_call(rule, call);
            let selected = selection.as_ref().is_some_and(Selection::is_selected);
            let command = call.input.get("command").and_then(Value::as_str).unwrap_or_default();
            let is_wrapped =
                WRAPPED.iter().any(|(line, rules)| *line == command && rules.contains(&rule));
            if is_wrapped {
                wrapped += 1;
                let by_wrapper =
                    matches!(&selection, Some(Selection::Widened(Widening::Wrapper(_))));
                assert!(by_wrapper, "`{rule}` on `{command}`: {selection:?}");
                assert!(
                    !row.fires_on.contains(&index),
                    "the agent fires, too: `{rule}` on `{command}`"
                );
            } else {
                let fires = row.fires_on.contains(&index);
                assert_eq!(selected, fires, "`{rule}` on call {index}: {selection:?}");
            }
        }
    }
    assert_eq!((rows, wrapped), (32, 28));
}

#[test]
fn agent_reading_matches_the_table() {
    let table: Table = serde_json::from_str(TABLE).unwrap();
    for row in table.rules.iter().filter(|row| row.field == "if") {
        let rule = row.value.as_deref().unwrap();
        for (index, call) in table.calls.iter().enumerate() {
            let fires = match selection_of_observed_call(rule, call) {
                None | Some(Selection::Not(_)) => false,
                Some(Selection::Exact) => true,
                Some(Selection::Widened(widening)) => widening.agent_also_fires(),
            };
            assert_eq!(fires, row.fires_on.contains(&index), "`{rule}` on call {index}");
        }
    }
}

/// S-1: under guarded reading nothing that the agent runs is missed.
#[test]
fn guarded_reading_misses_no_cell() {
    use crate::compat::Compat;
    use crate::event::{Event, Surroundings};
    use crate::matcher::{Condition, MatchContext, Picked};

    let table: Table = serde_json::from_str(TABLE).unwrap();
    for row in table.rules.iter().filter(|row| row.field == "if") {
        let condition = Condition::rule(row.value.as_deref().unwrap(), Reading::Claude)
            .with_base_and_home(PROJECT.as_ref(), "/home/x".as_ref());
        for index in &row.fires_on {
            let call = &table.calls[*index];
            let within = Surroundings { cwd: PROJECT.into(), ..Surroundings::default() };
            let event = Event::new("PreToolUse", within)
                .with("tool_name", call.tool.as_str())
                .with("tool_input", replace_project_placeholder(&call.input));
            let picked = condition.pick(&MatchContext::for_event(&event), Compat::Guarded);
            let is_picked = matches!(picked, Picked::Exactly | Picked::Widely(_));
            assert!(is_picked, "`{}` on call {index}: {picked:?}", condition.text());
        }
    }
}

/// S-47: since 2.1.330 the agent fires every `if` on a line that it cannot read.
#[test]
fn torn_line_selects_every_rule() {
    let call = Observed {
        tool: "Bash".to_owned(),
        input: serde_json::json!({"command": "git status &&"}),
    };
    for rule in ["Bash(git:*)", "Bash(git push *)", "Bash(rm *)", "Bash(*rm*)", "Bash(cd *)"] {
        let selection = selection_of_observed_call(rule, &call);
        let fires = match &selection {
            Some(Selection::Widened(widening)) => widening.agent_also_fires(),
            Some(Selection::Exact) => true,
            _ => false,
        };
        assert!(fires, "{rule}: {selection:?}");
    }
}
