//! Files in, hooks and findings out.

mod observed;

use super::*;
use crate::dialect::DialectId;
use crate::hook::{Arming, Compat, Invocation, OnFailure, Run, Shell, Wait};
use crate::matcher::MatcherSpec;

fn source(name: &str, layer: Layer, text: &str) -> Source {
    let directory = Path::new(name).parent().unwrap_or(Path::new("")).to_path_buf();
    let mut source = Source::from_text(name, DialectId::CLAUDE, text, directory);
    source.layer = layer;
    source.project = "/repo".into();
    source
}

fn settings(text: &str) -> ReadConfig {
    read_config(&source("/repo/.claude/settings.json", Layer::Project, text))
}

fn group(event: &str, handler: &str) -> ReadConfig {
    settings(&format!(
        r#"{{"hooks": {{"{event}": [{{"matcher": "Bash", "hooks": [{handler}]}}]}}}}"#
    ))
}

fn only(read: &ReadConfig) -> &Hook {
    assert_eq!(read.hooks.len(), 1, "{read:?}");
    &read.hooks[0]
}

fn invocation(hook: &Hook) -> &Invocation {
    match &hook.run {
        Run::Command(command) => &command.invocation,
        other => panic!("{other:?} is not a command"),
    }
}

fn codes(read: &ReadConfig) -> Vec<&'static str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

/// C-20, C-37: the shape of the file, and a timeout in fractions of a second.
#[test]
fn every_field_of_a_command_reaches_its_hook() {
    let read = group(
        "PreToolUse",
        r#"{"type": "command", "command": "a 'b'", "timeout": 1.5, "if": "Bash(git *)",
            "statusMessage": "looking", "onFailure": "block", "shell": "bash"}"#,
    );
    assert_eq!(codes(&read), [""; 0]);
    let hook = only(&read);
    assert_eq!(hook.id.as_str(), "project:PreToolUse:Bash:1");
    assert_eq!(
        hook.place.as_ref().map(ToString::to_string).as_deref(),
        Some("/repo/.claude/settings.json:1:57")
    );
    assert_eq!(hook.matcher.spec(), &MatcherSpec::Words(vec!["Bash".into()]));
    assert_eq!(invocation(hook), &Invocation::Shell { text: "a 'b'".into(), shell: Shell::Bash });
    assert_eq!(hook.timeout, Some(std::time::Duration::from_millis(1500)));
    assert_eq!(hook.condition.as_ref().map(|condition| condition.text()), Some("Bash(git *)"));
    assert_eq!(hook.status.as_deref(), Some("looking"));
    assert_eq!(hook.on_failure, Some(OnFailure::Block));
    assert_eq!((hook.wait, hook.once, hook.compat), (Wait::Attached, false, Compat::Guarded));
    assert_eq!(hook.arming, Arming::Armed);
}

/// C-27: no shell reads `args`.
#[test]
fn placeholders_in_args_are_replaced() {
    let read = group(
        "PreToolUse",
        r#"{"type": "command", "command": "${CLAUDE_PROJECT_DIR}/x", "args": ["${CLAUDE_PROJECT_DIR}/a b", "$HOME"]}"#,
    );
    let expected = Invocation::Argv {
        program: "/repo/x".into(),
        args: vec!["/repo/a b".into(), "$HOME".into()],
    };
    assert_eq!(invocation(only(&read)), &expected);
    assert_eq!(codes(&read), [""; 0]);
}

/// C-27: in single quotes the agent inserts no value, and guarded reading does.
#[test]
fn placeholder_in_single_quotes_is_replaced_by_guarded_reading_alone() {
    let handler = r#"{"type": "command", "command": "'${CLAUDE_PROJECT_DIR}/g.sh' x"}"#;
    let text = format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{handler}]}}]}}}}"#);
    for (compat, line) in
        [(Compat::Guarded, "'/repo/g.sh' x"), (Compat::Exact, "'${CLAUDE_PROJECT_DIR}/g.sh' x")]
    {
        let source = source("/repo/.claude/settings.json", Layer::Project, &text);
        let read = read_config(&Source { compat, ..source });
        let expected = Invocation::Shell { text: line.to_owned(), shell: Shell::Sh };
        assert_eq!(invocation(only(&read)), &expected);
        assert_eq!(codes(&read), ["unquoted-path-var"]);
    }
}

/// C-24: with exact reading no hook of a file runs that the agent refuses for one value.
#[test]
fn refused_file_runs_no_hook_in_exact_reading() {
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}],
        "PreToolUse": [{"matcher": null, "hooks": [{"type": "command", "command": "b"}]}]}}"#;
    for (compat, armed) in [(Compat::Guarded, true), (Compat::Exact, false)] {
        let source = source("/repo/.claude/settings.json", Layer::Project, text);
        let read = read_config(&Source { compat, ..source });
        assert!(read.hooks.iter().all(|hook| (hook.arming == Arming::Armed) == armed), "{read:?}");
        assert!(
            read.diagnostics[0].message.contains("`hooks.PreToolUse.0.matcher` takes a string")
        );
    }
}

/// C-33, C-36: the whole environment, and the variables of the plugin.
#[test]
fn a_file_of_a_plugin_knows_its_root_by_its_place() {
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "\"${CLAUDE_PLUGIN_ROOT}\"/x"}]}]}}"#;
    let read = read_config(&source("/p/fine/hooks/hooks.json", Layer::Given, text));
    let Run::Command(command) = &only(&read).run else { panic!("no command") };
    assert_eq!(command.env, [("CLAUDE_PLUGIN_ROOT".to_owned(), "/p/fine".to_owned())]);
    assert_eq!(command.inherit, crate::hook::Inherit::All);
}

/// C-1, C-24, C-25: what decides costs its entry, all else costs nothing.
/// C-1.
#[test]
fn a_broken_entry_is_rejected_alone() {
    let read = settings(
        r#"{"hooks": {"PreToolUse": [
            {"matcher": ["Bash"], "hooks": [{"type": "command", "command": "array"}]},
            {"matcher": "Bash", "hooks": [
                {"type": "comand", "command": "type"},
                {"type": "command", "command": "deny", "timeout": "soon", "async": "no", "statusMessage": 5},
                {"type": "command", "command": "args", "args": "x"},
                {"type": "command", "command": "if", "if": ["Bash"]},
                {"type": "command", "command": ""},
                "text", 5,
                {"type": "command", "command": "lives"}
            ]},
            "text", 5],
            "Nonsense": [{"hooks": [{"type": "command", "command": "event"}]}]}}"#,
    );
    let armed: Vec<_> = read
        .hooks
        .iter()
        .filter(|hook| hook.arming == Arming::Armed)
        .map(|hook| hook.run.one_line_description())
        .collect();
    assert_eq!(armed, ["deny", "lives"]);
    assert_eq!(read.hooks.len(), 9, "each other entry that says what it runs is shown");
    assert!(!read.unreadable);
}

/// Fields that Claude Code 2.1.332 was played with on `Stop`, `UserPromptSubmit`, `PostToolUse` and
/// `SessionStart`, and whether it ran the hook.
const FIELDS_PLAYED: &[(&str, bool)] = &[
    (r#""timeout": "soon""#, false),
    (r#""timeout": 0"#, false),
    (r#""timeout": -1"#, false),
    (r#""timeout": null"#, false),
    (r#""timeout": true"#, false),
    (r#""timeout": 1e12"#, true),
    (r#""async": "no""#, false),
    (r#""async": null"#, false),
    (r#""statusMessage": 5"#, false),
    (r#""shell": "fish""#, false),
    (r#""once": "x""#, false),
    (r#""onFailure": "deny""#, false),
    (r#""asyncRewake": "x""#, false),
    (r#""rewakeMessage": 5"#, false),
    (r#""continueOnBlock": 5"#, true),
    (r#""env": 5"#, true),
    (r#""foo": 5"#, true),
];

/// C-25: an entry that the agent skips is an error; with exact reading it is off.
#[test]
fn entry_with_a_wrong_value_is_skipped_by_exact_reading_alone() {
    for (field, runs) in FIELDS_PLAYED {
        let handler = format!(r#"{{"type": "command", "command": "x", {field}}}"#);
        let text = format!(r#"{{"hooks": {{"PostToolUse": [{{"hooks": [{handler}]}}]}}}}"#);
        let guarded = settings(&text);
        assert_eq!(only(&guarded).arming, Arming::Armed, "{field}");
        let skipped = "Claude Code skips the entry; its hook runs here: ";
        let says_so = guarded.diagnostics.iter().any(|found| found.message.starts_with(skipped));
        assert_eq!(says_so, !runs, "{field}: {:?}", guarded.diagnostics);
        let source = source("/repo/.claude/settings.json", Layer::Project, &text);
        let exact = super::read_config(&Source { compat: Compat::Exact, ..source });
        let off = only(&exact).arming.disabled_reason().map(|(_, rule)| rule);
        assert_eq!(off, (!runs).then_some("C-25"), "{field}");
    }
}

/// C-24: the agent skips a group whose matcher is `null`.
#[test]
fn group_with_a_null_matcher_is_skipped_by_exact_reading_alone() {
    let text = r#"{"hooks": {"Stop": [{"matcher": null, "hooks": [{"type": "command", "command": "x"}]}]}}"#;
    let guarded = settings(text);
    assert_eq!(only(&guarded).arming, Arming::Armed);
    let expected = "Claude Code skips the group, because its `matcher` is `null`; \
        here its hooks run every time";
    assert_eq!(guarded.diagnostics[0].message, expected);
    let source = source("/repo/.claude/settings.json", Layer::Project, text);
    let exact = super::read_config(&Source { compat: Compat::Exact, ..source });
    assert!(matches!(&only(&exact).arming, Arming::Disarmed { rule: "C-24", .. }));
}

/// C-30.
#[test]
fn every_type_of_handler_is_a_hook() {
    for (kind, executor, rest) in [
        ("http", "http", r#""url": "https://x""#),
        ("prompt", "prompt", r#""prompt": "is it fine?""#),
        ("agent", "agent", r#""prompt": "is it fine?""#),
        ("mcp_tool", "mcp", r#""server": "s", "tool": "t""#),
    ] {
        let read = group("PreToolUse", &format!(r#"{{"type": "{kind}", {rest}}}"#));
        let hook = only(&read);
        assert_eq!(hook.run.executor_name(), executor);
        assert_eq!(hook.arming, Arming::Armed);
        assert_eq!(codes(&read), [""; 0], "{kind}");
    }
}

/// C-29, C-35.
#[test]
fn waiting_and_policies_are_read_as_the_agent_reads_them() {
    for (event, fields, wait, on_failure) in [
        ("PostToolUse", r#""async": true"#, Wait::Detached, None),
        ("PostToolUse", r#""asyncRewake": true"#, Wait::Rewake, None),
        ("PostToolUse", r#""async": true, "asyncRewake": true"#, Wait::Rewake, None),
        ("PostToolUse", r#""async": true, "onFailure": "block""#, Wait::Detached, None),
        ("PreToolUse", r#""onFailure": "continue""#, Wait::Attached, Some(OnFailure::Continue)),
        ("PreToolUse", r#""onFailure": "explode""#, Wait::Attached, Some(OnFailure::Block)),
        ("Stop", r#""onFailure": "block""#, Wait::Attached, None),
    ] {
        let read = group(event, &format!(r#"{{"type": "command", "command": "x", {fields}}}"#));
        let hook = only(&read);
        assert_eq!((hook.wait, hook.on_failure), (wait, on_failure), "{event} {fields}");
    }
}

/// C-23, C-24, C-26, C-31.
#[test]
fn a_hook_that_cannot_run_says_why() {
    for (event, handler, rule) in [
        ("Stop", r#"{"type": "command", "command": "x", "if": "Bash(git *)"}"#, "C-26"),
        ("SessionStart", r#"{"type": "prompt", "prompt": "x"}"#, "C-31"),
        ("preToolUse", r#"{"type": "command", "command": "x"}"#, "C-23"),
        ("PreToolUse", r#"{"command": "x"}"#, "C-24"),
    ] {
        let read = group(event, handler);
        let Arming::Disarmed { rule: found, .. } = &only(&read).arming else {
            panic!("{event} {handler} is armed")
        };
        assert_eq!(*found, rule, "{event} {handler}");
    }
}

/// C-21: what is whole runs, although the agent refuses the file; followed exactly, nothing does.
#[test]
fn a_file_that_the_agent_refuses_runs_as_far_as_it_is_whole() {
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]},]}}"#;
    let read = settings(text);
    assert!(!read.unreadable && read.lost.is_none());
    assert_eq!(only(&read).arming, Arming::Armed);
    let mut exact = source("/repo/.claude/settings.json", Layer::Project, text);
    exact.compat = Compat::Exact;
    let refused = super::read_config(&exact);
    assert!(refused.unreadable);
    assert!(matches!(&only(&refused).arming, Arming::Disarmed { rule: "C-21", .. }));
    let broken = settings(r#"{"hooks": {"Stop": "#);
    assert!(broken.unreadable && broken.lost.is_some() && broken.hooks.is_empty());
    assert_eq!(codes(&broken), ["not-strict-json"]);
    let marked = settings(&format!("\u{feff}{}", text.replace("},]", "}]")));
    assert!(!marked.unreadable);
    assert_eq!(only(&marked).arming, Arming::Armed);
    assert_eq!(codes(&marked), ["byte-order-mark"]);
}

/// C-71: a group without its matcher, and a handler without its end, are other entries than those
/// that were written.
#[test]
fn of_a_torn_file_those_entries_run_that_are_whole() {
    let group = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": ["#;
    let handler = r#"{"type": "command", "command": "a"}"#;
    let commands = |text: String| {
        let read = settings(&text);
        assert!(read.unreadable && read.lost.is_some(), "{text}");
        let armed = read.hooks.iter().filter(|hook| hook.arming == Arming::Armed);
        armed.map(|hook| hook.run.one_line_description()).collect::<Vec<_>>()
    };
    assert_eq!(commands(format!("{group}{handler}, {{\"type\": \"command\", \"comm")), ["a"]);
    assert_eq!(commands(format!("{group}{handler}")), ["a"]);
    assert_eq!(commands(format!("{group}{handler}]}}], \"Stop\": [{{\"ho")), ["a"]);
    assert_eq!(commands(format!("{group}{handler}, oops]}}]}}}}")), ["a"]);
    let late = format!(r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{handler}], "match"#);
    assert_eq!(commands(late), [""; 0]);
    let front = "---\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: a\n        - type: command\n          command: [b\n---\n";
    let skill = read_config(&source("/repo/.claude/skills/x/SKILL.md", Layer::Skill, front));
    assert!(skill.lost.is_some());
    assert_eq!(
        skill.hooks.iter().map(|hook| hook.run.one_line_description()).collect::<Vec<_>>(),
        ["a"]
    );
    // What a torn text switches off may have been switched on again.
    assert_eq!(settings(r#"{"disableAllHooks": true, "hooks": {"#).switches, []);
}

/// C-28, C-32.
#[test]
fn front_matter_brings_hooks_and_an_agents_stop_is_that_of_a_subagent() {
    let text = "---\nname: x\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: x\n          once: true\n---\n# Text\n";
    let skill = read_config(&source("/repo/.claude/skills/x/SKILL.md", Layer::Skill, text));
    assert_eq!(codes(&skill), [""; 0]);
    assert_eq!((only(&skill).event.as_str(), only(&skill).once), ("Stop", true));
    let agent = read_config(&source("/repo/.claude/agents/x.md", Layer::Agent, text));
    assert_eq!((only(&agent).event.as_str(), only(&agent).once), ("SubagentStop", false));
    assert_eq!(codes(&agent), ["once-outside-skill"]);
    let mut of_plugin = source("/p/agents/x.md", Layer::Agent, text);
    of_plugin.plugin = Some(Plugin::default());
    let ignored = read_config(&of_plugin);
    assert!(matches!(&only(&ignored).arming, Arming::Disarmed { rule: "C-32", .. }));
    let plain =
        read_config(&source("/repo/.claude/agents/y.md", Layer::Agent, "# No front matter\n"));
    assert!(!plain.unreadable && plain.hooks.is_empty() && plain.diagnostics.is_empty());
}

/// C-11, C-12: what is read here is applied by `config`.
#[test]
fn switches_are_read_where_they_count() {
    for (layer, text, expected) in [
        (Layer::User, r#"{"disableAllHooks": true}"#, vec![Switch::DisableAll]),
        (Layer::User, r#"{"disableAllHooks": false}"#, vec![Switch::EnableAll]),
        (
            Layer::Managed,
            r#"{"allowManagedHooksOnly": true}"#,
            vec![Switch::ManagedOnly(crate::source::Whose::All)],
        ),
        (Layer::User, r#"{"allowManagedHooksOnly": true}"#, vec![]),
        (Layer::User, r#"{"disableAllHooks": "yes"}"#, vec![]),
    ] {
        let read = read_config(&source("settings.json", layer, text));
        assert_eq!(read.switches, expected, "{layer:?} {text}");
    }
}

/// C-33.
#[test]
fn a_manifest_names_files_or_holds_the_map_itself() {
    let group = r#"{"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}"#;
    for (hooks, count, found) in [
        (r#""./hooks/more.json""#.to_owned(), 0, Some("hooks-elsewhere")),
        (r#"["./hooks/more.json", "./b.json"]"#.to_owned(), 0, Some("hooks-elsewhere")),
        (group.to_owned(), 1, None),
        (format!("[{group}, \"./b.json\"]"), 1, None),
        (r#"["Stop"]"#.to_owned(), 0, Some("hooks-is-string-list")),
    ] {
        let text = format!(r#"{{"name": "p", "hooks": {hooks}}}"#);
        let read = read_config(&source("/p/.claude-plugin/plugin.json", Layer::Plugin, &text));
        assert_eq!(read.hooks.len(), count, "{hooks}");
        assert_eq!(codes(&read).first().copied(), found, "{hooks}");
        let renamed = super::read_config(&source("/p/plugin-copy.json", Layer::Given, &text));
        assert_eq!((renamed.hooks.len(), codes(&renamed)), (count, codes(&read)), "{hooks}");
    }
}

/// C-34.
#[test]
fn names_are_unique_and_do_not_move_when_another_event_grows() {
    let read = settings(
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]}],
            "PreToolUse": [{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "c"}]}]}}"#,
    );
    let ids: Vec<_> = read.hooks.iter().map(|hook| hook.id.to_string()).collect();
    assert_eq!(ids, ["project:Stop:*:1", "project:Stop:*:2", "project:PreToolUse:Edit|Write:1"]);
}

/// C-3, C-21.
#[test]
fn a_file_that_is_torn_for_several_reloads_keeps_its_last_good_hooks() {
    let good = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#;
    let added = crate::config::Added::default();
    let mut last: Option<crate::config::Ruleset> = None;
    let torn = good.split_at(good.len() - 20).0.to_owned();
    let noted = format!("// mine\n{good}");
    for (text, armed) in
        [(torn.as_str(), false), (&torn, false), (good, true), (&torn, true), (&noted, true)]
    {
        let source = source("/repo/.claude/settings.json", Layer::Project, text);
        let loaded = crate::config::load(&[source], &added, last.as_ref());
        let mut hooks = loaded.ruleset.hooks().iter();
        let is_armed =
            hooks.any(|hook| hook.arming == Arming::Armed && !hook.is_hold_for_unread_file());
        assert_eq!(is_armed, armed, "{text}");
        last = Some(loaded.ruleset);
    }
}

/// S-43, S-61: another host may have a tool of that name.
#[test]
fn what_can_never_be_selected_is_known_and_stays_armed() {
    for (event, matcher, condition, never) in [
        ("PreToolUse", "bash", "", true),
        ("PreToolUse", "Bash|bash", "", false),
        ("PreToolUse", r#"tool == \"Bash\""#, "", true),
        ("PreToolUse", "Bash(", "", false),
        ("PreToolUse", "NewTool", "", false),
        ("PreToolUse", "Task", r#", "if": "Agent(x)""#, false),
        ("PreToolUse", "Write", r#", "if": "Bash(x)""#, true),
        ("PreToolUse", "Bash", r#", "if": "Bash(""#, true),
        ("Stop", "Bash", "", false),
    ] {
        let read = settings(&format!(
            r#"{{"hooks": {{"{event}": [{{"matcher": "{matcher}", "hooks":
                [{{"type": "command", "command": "x"{condition}}}]}}]}}}}"#
        ));
        let hook = only(&read);
        assert_eq!(hook.arming, Arming::Armed, "{matcher}");
        assert_eq!(
            DialectId::CLAUDE.dialect().why_never_selected(hook).is_some(),
            never,
            "{matcher} {condition}"
        );
    }
}

/// C-22, C-39: a misplaced entry, or one under a key that is repeated, is shown and never runs.
#[test]
fn misplaced_entry_is_shown_and_never_runs() {
    let right = r#"[{"hooks": [{"type": "command", "command": "right"}]}]"#;
    let wrong = r#"{"type": "command", "command": "wrong"}"#;
    for (text, rule) in [
        (format!(r#"{{"Stop": [{{"hooks": [{wrong}]}}]}}"#), "C-22"),
        (r#"{"hooks": [{"event": "Stop", "command": "wrong"}]}"#.to_owned(), "C-22"),
        (r#"{"hooks": {"Stop": "wrong"}}"#.to_owned(), "C-22"),
        (r#"{"hooks": {"PostToolUse": {"Edit": "wrong"}}}"#.to_owned(), "C-22"),
        (format!(r#"{{"hooks": {{"Stop": {{"hooks": [{wrong}]}}}}}}"#), "C-22"),
        (format!(r#"{{"hooks": {{"Stop": [{wrong}]}}}}"#), "C-22"),
        (format!(r#"{{"hooks": {{"Stop": [{{"hooks": {wrong}}}]}}}}"#), "C-22"),
        (r#"{"hooks": {"Stop": [{"hooks": ["wrong"]}]}}"#.to_owned(), "C-22"),
        (format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{wrong}]}}], "Stop": {right}}}}}"#), "C-39"),
        (
            format!(
                r#"{{"hooks": {{"Stop": [{{"hooks": [{wrong}]}}]}}, "hooks": {{"Stop": {right}}}}}"#
            ),
            "C-39",
        ),
        (format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{wrong}], "hooks": []}}]}}}}"#), "C-39"),
    ] {
        let read = settings(&text);
        let off: Vec<_> =
            read.hooks.iter().filter(|hook| hook.run.one_line_description() == "wrong").collect();
        assert_eq!(off.len(), 1, "{text}");
        let Arming::Disarmed { rule: found, .. } = &off[0].arming else {
            panic!("{text} is armed")
        };
        assert_eq!(*found, rule, "{text}");
        let armed = read.hooks.iter().filter(|hook| hook.arming == Arming::Armed).count();
        assert_eq!(armed, usize::from(text.contains("right")), "{text}");
    }
}

/// C-13: the agent was seen to run three copies once. Entries that mean the same in other words
/// stay apart.
#[test]
fn a_copy_in_the_same_words_runs_once() {
    let handler = r#"{"type": "command", "command": "x"}"#;
    let read = settings(&format!(
        r#"{{"hooks": {{"Stop": [{{"hooks": [{handler}, {handler}]}}, {{"hooks": [{handler}]}}],
            "PreToolUse": [{{"hooks": [{handler}]}}, {{"matcher": "", "hooks": [{handler}]}},
                {{"matcher": "*", "hooks": [{handler}]}}]}}}}"#
    ));
    let armed: Vec<_> =
        read.hooks.iter().map(|hook| (hook.event.as_str(), hook.arming == Arming::Armed)).collect();
    let (stop, tool) = ("Stop", "PreToolUse");
    assert_eq!(
        armed,
        [(stop, true), (stop, false), (stop, false), (tool, true), (tool, true), (tool, true)]
    );
}
