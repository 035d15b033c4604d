//! Whether the plan selects what it says, says why it does not, and `explain` never contradicts `select`.

use super::*;
use crate::answer::{Answer, Restraint};
use crate::dialect::DialectId;
use crate::dialect::tools::ToolWords;
use crate::event::{EventName, Surroundings};
use crate::hook::{Arming, Function, HookId, Phase, Run};
use crate::matcher::{Matcher, MatcherSpec};

fn hook(id: &str, event: &str) -> Hook {
    let run = Run::Function(Function::new(id, |_| async { Answer::default() }));
    Hook::new(HookId::new(id), DialectId::CLAUDE, event.into(), run)
}

fn matching(id: &str, event: &str, spec: MatcherSpec) -> Hook {
    Hook { matcher: Matcher::new(spec), ..hook(id, event) }
}

fn names(words: &[&str]) -> MatcherSpec {
    MatcherSpec::Words(words.iter().map(|&word| word.to_owned()).collect())
}

/// The hooks, with a row of the event that every dialect shares.
fn ruleset(hooks: Vec<Hook>) -> Ruleset {
    let row = EventRow {
        name: "PreToolUse".into(),
        event: "PreToolUse".into(),
        subject: Subject::Field("tool_name"),
        powers: crate::answer::Powers::ALL,
        timeout: std::time::Duration::from_secs(60),
        failure: crate::hook::OnFailure::Continue,
        cap: None,
        dispatch: crate::dialect::Dispatch::Awaited,
        when: "".into(),
    };
    Ruleset::new(hooks, vec![row])
}

fn bash() -> Event {
    Event::new("PreToolUse", Surroundings::default())
        .with("tool_name", "Bash")
        .with("tool_input", serde_json::json!({ "command": "ls" }))
}

/// Everything that runs, stage by stage; checks on the way that `explain` says the same of every hook (P-5).
fn selected(hooks: Vec<Hook>, view: &View, event: &Event) -> Vec<String> {
    selected_of(&ruleset(hooks), view, event)
}

/// The same for a ruleset.
fn selected_of(ruleset: &Ruleset, view: &View, event: &Event) -> Vec<String> {
    let steps = |stage| select_steps(ruleset, view, &MatchContext::for_event(event), stage);
    let ids: Vec<String> = ruleset
        .stages(&event.name)
        .iter()
        .flat_map(steps)
        .map(|step| step.hook.id.to_string())
        .collect();
    for (hook, because) in explain(ruleset, view, event) {
        assert_eq!(because.selected, ids.iter().any(|id| id == hook.id.as_str()), "{because:?}");
        assert!(!because.because.is_empty() && !because.rule.is_empty(), "{}", hook.id);
    }
    ids
}

fn rules(hooks: Vec<Hook>, view: &View, event: &Event) -> Vec<&'static str> {
    let ruleset = ruleset(hooks);
    explain(&ruleset, view, event).into_iter().map(|(_, because)| because.rule).collect()
}

/// S-5: every name that a tool has is a name to match, in an index of words and in an expression.
#[test]
fn a_tool_is_met_under_every_name_that_it_has() {
    const TOOLS: &[ToolWords] =
        &[ToolWords { own: &["bash", "run_command"], neutral: "Bash", keys: &[] }];
    let table = ruleset(Vec::new()).custom_event_row(&"PreToolUse".into()).cloned();
    let row = EventRow { subject: Subject::Tool(TOOLS), ..table.expect("the row") };
    for spec in ["bash", "run_command", "Bash"].map(|text| names(&[text])) {
        let hooks = vec![matching("h", "PreToolUse", spec.clone())];
        let ruleset = Ruleset::new(hooks, vec![row.clone()]);
        for stage in ruleset.stages(&"PreToolUse".into()) {
            let steps =
                select_steps(&ruleset, &View::default(), &MatchContext::for_event(&bash()), stage);
            assert_eq!(steps.len(), 1, "{spec:?}");
        }
    }
    let hooks = vec![matching("h", "PreToolUse", MatcherSpec::Regex("^edit_file$".into()))];
    let ruleset = Ruleset::new(hooks, vec![row]);
    let explained = explain(&ruleset, &View::default(), &bash());
    assert!(
        explained.iter().all(|(_, because)| because.because.contains("`bash`")),
        "{explained:?}"
    );
}

/// S-5: Gemini CLI knows a tool by its own name alone, Codex and Qwen Code by others, too.
#[test]
fn hook_that_only_another_name_selects_is_skipped_by_exact_reading_and_explained() {
    let skips = "Gemini CLI tests `run_shell_command` alone and skips it";
    for (dialect, tool, name, own) in [
        (DialectId::GEMINI, "Bash", "Bash", false),
        (DialectId::GEMINI, "Bash", "run_shell_command", true),
        (DialectId::QWEN, "Bash", "Bash", true),
        (DialectId::QWEN, "Bash", "Shell", true),
        (DialectId::CODEX, "spawn_agent", "Agent", true),
        (DialectId::CODEX, "apply_patch", "Edit", true),
    ] {
        for compat in [Compat::Guarded, Compat::Exact] {
            let gate = matching("h", "PreToolUse", MatcherSpec::Regex(name.to_owned()));
            let ruleset = Ruleset::new(vec![Hook { dialect, compat, ..gate }], Vec::new());
            let event = Event::new("PreToolUse", Surroundings::default()).with("tool_name", tool);
            let explained = explain(&ruleset, &View::default(), &event);
            let (_, because) = explained.first().expect("the hook");
            assert_eq!(because.selected, own || compat == Compat::Guarded, "{name} {because:?}");
            let says_so = because.because.contains(skips);
            assert_eq!(says_so, !own && compat == Compat::Guarded, "{name} {because:?}");
        }
    }
}

/// S-5: agents that name a tool of a server in their own form match it by that name.
#[test]
fn server_tool_is_met_under_the_name_of_each_agent() {
    for (dialect, name) in [
        (DialectId::ANTIGRAVITY, "mcp_github_create"),
        (DialectId::COPILOT, "github-create"),
        (DialectId::CRUSH, "mcp_github_create"),
        (DialectId::CURSOR, "MCP:create"),
        (DialectId::DROID, "github___create"),
        (DialectId::GEMINI, "mcp_github_create"),
        (DialectId::GOOSE, "github__create"),
        (DialectId::KIRO, "mcp_github_create"),
        (DialectId::VIBE, "mcp_github_create"),
        (DialectId::CLAUDE, "mcp__github__create"),
    ] {
        let event = Event::new("PreToolUse", Surroundings::default())
            .with("tool_name", "mcp__github__create");
        let runs = |spec: MatcherSpec| {
            let gate = Hook { dialect, ..matching("h", "PreToolUse", spec) };
            let ruleset = Ruleset::new(vec![gate], Vec::new());
            !selected_of(&ruleset, &View::default(), &event).is_empty()
        };
        for name in [name, "mcp__github__create"] {
            assert!(runs(names(&[name])), "{dialect:?}: {name}");
            assert!(runs(MatcherSpec::Regex(format!("^{name}$"))), "{dialect:?}: {name}");
        }
        assert!(!runs(MatcherSpec::Regex("gitlab".to_owned())), "{dialect:?}");
    }
}

/// P-1: configured order, whatever the index by words finds first.
#[test]
fn steps_stand_in_configured_order() {
    let hooks = vec![
        matching("expression", "PreToolUse", MatcherSpec::Regex("^B".into())),
        matching("word", "PreToolUse", names(&["Bash"])),
        hook("any", "PreToolUse"),
        matching("words", "PreToolUse", names(&["Edit", "Bash"])),
        matching("other", "PreToolUse", names(&["Edit"])),
    ];
    let ids = selected(hooks, &View::default(), &bash());
    assert_eq!(ids, ["expression", "word", "any", "words"]);
}

/// P-2: a hook of another event never runs.
#[test]
fn other_events_are_not_touched() {
    let hooks = || vec![hook("a", "PostToolUse"), hook("b", "PreToolUse")];
    assert_eq!(selected(hooks(), &View::default(), &bash()), ["b"]);
    assert_eq!(rules(hooks(), &View::default(), &bash()), ["P-2", "S-1"]);
}

/// P-3: a disarmed hook stays visible with the rule that disarmed it.
#[test]
fn a_disarmed_hook_is_explained_by_its_own_rule() {
    let disarmed = || {
        let arming = Arming::Disarmed { because: "switched off".to_owned(), rule: "C-11" };
        vec![Hook { arming, ..hook("off", "PreToolUse") }]
    };
    assert!(selected(disarmed(), &View::default(), &bash()).is_empty());
    assert_eq!(rules(disarmed(), &View::default(), &bash()), ["C-11"]);
}

/// P-4: once in a session.
#[test]
fn a_claimed_hook_does_not_run_again() {
    let once = || vec![Hook { once: true, ..hook("once", "PreToolUse") }, hook("b", "PreToolUse")];
    assert_eq!(selected(once(), &View::default(), &bash()), ["once", "b"]);
    let view = View::new([HookId::new("once"), HookId::new("b")], 0);
    assert_eq!(selected(once(), &view, &bash()), ["b"], "a claim binds only hooks that run once");
    assert_eq!(rules(once(), &view, &bash()), ["P-4", "S-1"]);
}

/// S-3: a matcher that cannot be compiled selects its hook, so that the failure policy decides.
#[test]
fn a_broken_matcher_selects_its_hook() {
    let broken = || vec![matching("broken", "PreToolUse", MatcherSpec::Regex("(".into()))];
    assert_eq!(selected(broken(), &View::default(), &bash()), ["broken"]);
    assert_eq!(rules(broken(), &View::default(), &bash()), ["S-3"]);
    let ruleset = ruleset(broken());
    let stages = ruleset.stages(&"PreToolUse".into());
    assert!(
        select_steps(&ruleset, &View::default(), &MatchContext::for_event(&bash()), &stages[0])[0]
            .broken
            .is_some()
    );
}

/// P-6: rewrite before decide before observe, whatever the order in the file.
#[test]
fn phases_run_in_their_order() {
    let phase = |id, phase| Hook { phase, ..hook(id, "PreToolUse") };
    let hooks = vec![
        phase("observe", Phase::Observe),
        phase("decide", Phase::Decide),
        phase("rewrite", Phase::Rewrite),
    ];
    assert_eq!(selected(hooks, &View::default(), &bash()), ["rewrite", "decide", "observe"]);
}

/// P-1: the plan is made on the payload as it stands.
#[test]
fn the_payload_decides() {
    let hooks = || {
        vec![
            matching("bash", "PreToolUse", names(&["Bash"])),
            matching("edit", "PreToolUse", names(&["Edit"])),
        ]
    };
    let edit = bash().with("tool_name", "Edit");
    assert_eq!(selected(hooks(), &View::default(), &bash()), ["bash"]);
    assert_eq!(selected(hooks(), &View::default(), &edit), ["edit"]);
}

/// P-7: hooks of other events, and words that do not match, are not even looked at.
#[test]
fn an_event_touches_only_hooks_that_can_match() {
    let mut hooks: Vec<Hook> =
        (0..100).map(|n| hook(&format!("other-{n}"), "PostToolUse")).collect();
    hooks.extend((0..100).map(|n| matching(&format!("edit-{n}"), "PreToolUse", names(&["Edit"]))));
    hooks.push(matching("bash", "PreToolUse", names(&["Bash"])));
    let ruleset = ruleset(hooks);
    let stages = ruleset.stages(&EventName::new("PreToolUse"));
    assert_eq!(stages.len(), 1);
    assert_eq!(stages[0].hooks_for_subjects(&["Bash"]).len(), 1);
    assert!(stages[0].hooks_for_subjects(&["Read"]).is_empty());
    assert!(ruleset.stages(&EventName::new("Stop")).is_empty());
}

/// P-9: a name that is nearly one of a gate denies, one that is nearly another event's is reported, and any other is the host's own.
#[test]
fn unknown_event_is_reported_and_misspelt_gate_denies() {
    let rulesets = [Arc::new(Ruleset::new(Vec::new(), Vec::new()))];
    let finding = |name: &str| {
        let verdict = verdict_on_unknown_event(&rulesets, &name.into())?;
        let fault = verdict.faults.first()?;
        Some((verdict.restraint, fault.code.name(), fault.message.clone()))
    };
    let (restraint, code, message) = finding("pretooluse").unwrap();
    assert_eq!((restraint, code), (Restraint::Deny, "misnamed-event"));
    assert_eq!(
        message,
        "no event is called `pretooluse`, so no hook is for it; `PreToolUse` is one"
    );
    for (name, expected) in [
        ("PreToolUze", (Restraint::Deny, "misnamed-event", "`PreToolUse`")),
        ("tool_call_befor", (Restraint::Deny, "misnamed-event", "`tool_call_before`")),
        ("sessionstart", (Restraint::Silent, "misnamed-event", "`SessionStart`")),
        ("deploy.before", (Restraint::Silent, "custom-event", "`[event.\"deploy.before\"]`")),
    ] {
        let (restraint, code, message) = finding(name).unwrap();
        assert_eq!((restraint, code), (expected.0, expected.1), "{name}");
        assert!(message.contains(expected.2), "{message}");
    }
    assert_eq!(finding("PreToolUse"), None);
}

/// S-6, S-9: a name does not show where that of the server ends, so each division is matched, and
/// none allows.
#[test]
fn server_whose_name_has_an_underscore_is_matched_and_its_hook_cannot_allow() {
    let select_for = |tool: &str, name: &str, compat| {
        let event = Event::new("PreToolUse", Surroundings::default()).with("tool_name", tool);
        let gate = Hook { compat, ..matching("h", "PreToolUse", names(&[name])) };
        let ruleset = Ruleset::new(vec![gate], Vec::new());
        let stage = ruleset.stages(&event.name).first()?;
        let context = MatchContext::for_event(&event);
        let steps = select_steps(&ruleset, &View::default(), &context, stage);
        steps.first().map(|step| step.widened.is_some())
    };
    let select = |name: &str, compat| select_for("mcp__my__server_find", name, compat);
    for (name, widened) in [
        ("mcp__my__server_find", Some(false)),
        ("mcp__my_server__find", Some(true)),
        ("mcp__my_server_find__", None),
        ("mcp__server__find", None),
    ] {
        assert_eq!(select(name, Compat::Guarded), widened, "{name}");
    }
    assert_eq!(select("mcp__my_server__find", Compat::Exact), None);
    let of_copilot = "mcp__github__mcp-server-list_issues";
    let name = "mcp__github-mcp-server__list_issues";
    assert_eq!(select_for(of_copilot, name, Compat::Guarded), Some(true));
}
