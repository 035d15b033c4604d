//! Rules in tables: what is selected, how surely, and what is covered.

use proptest::prelude::*;
use serde_json::{Value, json};
use tenterhook_shell::Doubt;

use super::*;
use crate::event::tool::ToolCall;

const PLACES: PathAnchors<'static> =
    PathAnchors { cwd: "/home/u/p/sub", base: "/home/u/p", home: Some("/home/u") };

fn select(rule: &str, tool: &str, input: &Value, reading: Reading) -> Selection {
    let call = Call::new(ToolCall { name: tool, input }, PLACES, &[("Task", "Agent")]);
    Rule::parse(rule).unwrap().selection_of_call(&call, reading)
}

fn bash(rule: &str, line: &str, reading: Reading) -> Selection {
    select(rule, "Bash", &json!({ "command": line }), reading)
}

#[track_caller]
fn exact(rule: &str, tool: &str, input: &Value, expected: bool) {
    let expected = if expected { Selection::Exact } else { Selection::Not(Miss::Spec) };
    assert_eq!(select(rule, tool, input, Reading::Native), expected, "`{rule}` on {tool} {input}");
}

/// S-42, S-43.
#[test]
fn a_text_that_is_no_rule_says_why() {
    let fault = |text: &str| Rule::parse(text).unwrap_err();
    assert_eq!(fault("Bash("), RuleFault::Unclosed { tool: "Bash".into() });
    assert_eq!(fault("(git *)"), RuleFault::NoTool);
    assert_eq!(fault("*"), RuleFault::NotATool { text: "*".into() });
    for text in ["Read|Bash", "mcp__db|mcp__web", "mcp__db query"] {
        assert_eq!(fault(text), RuleFault::NotATool { text: text.into() });
    }
    assert_eq!(fault(&"x".repeat(5000)), RuleFault::TooLong);
    assert!(matches!(fault("Read([a)"), RuleFault::Glob { .. }));
    assert!(matches!(fault("Read({{{{{{{{{a}}}}}}}}})"), RuleFault::Glob { .. }));
}

/// S-43: one tool, or none that could be named alone.
#[test]
fn a_rule_names_one_tool_or_none() {
    for (text, tool) in [
        ("Bash(git *)", Some("Bash")),
        ("Bash", Some("Bash")),
        ("", None),
        ("mcp__db", None),
        ("mcp__db__read_*", None),
    ] {
        assert_eq!(Rule::parse(text).unwrap().tool_name(), tool, "`{text}`");
    }
}

/// S-44.
#[test]
fn a_legal_rule_that_looks_wrong_is_remarked() {
    let remarks = |text: &str| Rule::parse(text).unwrap().style_warnings();
    assert_eq!(remarks("Bash(a)|Bash(b)"), [RuleRemark::LooksLikeAList]);
    assert_eq!(remarks("Read(/tmp/**)"), [RuleRemark::OneSlash]);
    assert_eq!(remarks("TodoWrite(x)"), [RuleRemark::UnknownForm]);
    // A field without a name is ignored, and the rule is held against nothing.
    assert_eq!(remarks("TodoWrite( :x)"), [RuleRemark::UnknownForm]);
    assert_eq!(remarks("Read(//tmp/**)"), []);
    assert_eq!(remarks("Bash(cat /tmp)"), []);
}

/// S-45.
#[test]
fn command_patterns_end_at_words() {
    let cases: &[(&str, &str, bool)] = &[
        ("Bash(git *)", "git", true),
        ("Bash(git *)", "git push", true),
        ("Bash(git *)", "gitk", false),
        ("Bash(git*)", "gitk", true),
        ("Bash(git:*)", "git  push", true),
        ("Bash(git)", "git push", false),
        ("Bash( git   push )", "git\tpush", true),
        ("Bash(git * main)", "git push origin main", true),
        ("Bash(git * main)", "git push main x", false),
        ("Bash(*)", "rm -rf /", true),
        ("Bash()", "rm -rf /", true),
        ("Bash", "rm -rf /", true),
        ("Bash(git commit -m \"*\")", "git commit -m \"a b\"", true),
        ("Bash(git push *)", "A=1 git push x > out", true),
        ("Bash(git push *)", "echo 'a; git push x' # git push", false),
        ("Bash(git push *)", "echo \"$(git push x)\"", true),
    ];
    for (rule, line, expected) in cases {
        exact(rule, "Bash", &json!({ "command": line }), *expected);
    }
}

/// S-50, S-51.
#[test]
fn native_reading_is_exact_where_the_agent_over_fires() {
    for line in [
        "cat <<EOF\ngit push\nEOF",
        "{ git status; }",
        "diff <(git status) x",
        "[ -n \"$(git status)\" ]",
        "echo $HOME",
    ] {
        assert_eq!(
            bash("Bash(git push *)", line, Reading::Native),
            Selection::Not(Miss::Spec),
            "{line}"
        );
        assert!(bash("Bash(git push *)", line, Reading::Claude).is_selected(), "{line}");
    }
    assert_eq!(bash("Bash(git *)", "{ git status; }", Reading::Native), Selection::Exact);
    assert_eq!(bash("Bash(rm *)", "echo $HOME", Reading::Claude), Selection::Not(Miss::Spec));
}

/// S-41, S-46, S-47, S-48, S-49.
#[test]
fn doubt_selects_and_says_so() {
    let widened = |rule: &str, line: &str| match bash(rule, line, Reading::Native) {
        Selection::Widened(widening) => Some(widening),
        Selection::Exact | Selection::Not(_) => None,
    };
    assert_eq!(widened("Bash(git push *)", "git $X"), Some(Widening::Expansion));
    assert_eq!(widened("Bash(git push *)", "git push$X"), Some(Widening::Expansion));
    assert_eq!(widened("Bash(git push *)", "git status $X"), None);
    assert_eq!(widened("Bash(git push origin)", "git $X origin"), Some(Widening::Expansion));
    assert_eq!(widened("Bash(git push origin)", "git $X main"), None);
    assert_eq!(widened("Bash(git push -f origin)", "git $X -f origin"), Some(Widening::Expansion));
    assert_eq!(widened("Bash(git push *)", "npm $X"), None);
    assert!(matches!(
        widened("Bash(rm *)", "$CMD x"),
        Some(Widening::Unread(Doubt::Program { .. }))
    ));
    assert!(matches!(
        widened("Bash(rm *)", "echo ("),
        Some(Widening::Unread(Doubt::Syntax { .. }))
    ));
    assert!(matches!(
        widened("Bash(rm *)", "sh -c \"$X\""),
        Some(Widening::Unread(Doubt::Code { .. }))
    ));
    assert!(matches!(widened("Bash(rm *)", "sudo rm x"), Some(Widening::Wrapper(_))));
    assert!(matches!(widened("Bash(rm *)", "ls | xargs rm"), Some(Widening::Wrapper(_))));
    assert!(matches!(widened("Bash(rm x)", "ls | xargs rm"), Some(Widening::Wrapper(_))));
    assert_eq!(
        select("Bash(rm *)", "Bash", &json!({}), Reading::Native),
        Selection::Widened(Widening::Input)
    );
}

/// S-51: lines for which Claude Code 2.1.332 does not run a hook with this rule; guarded reading
/// selects them all the same.
#[test]
fn expansions_that_the_agent_reads_are_not_selected_by_its_exact_reading() {
    let fires = |rule: &str, line: &str| match bash(rule, line, Reading::Claude) {
        Selection::Widened(widening) => widening.agent_also_fires(),
        Selection::Exact => true,
        Selection::Not(_) => false,
    };
    for (rule, line, expected) in [
        ("Bash(rm *)", "echo $(date)", false),
        ("Bash(rm *)", "echo before $(date) after", false),
        ("Bash(rm *)", "echo `date`", false),
        ("Bash(git commit*)", "echo $(date)", true),
        ("Bash(*rm*)", "echo $(date)", true),
        ("Bash(date)", "echo $(date)", true),
        ("Bash(rm *)", "echo $(rm x)", true),
        ("Bash(rm *)", "echo $(cat x | sort)", true),
        ("Bash(rm *)", "echo $(sh -c 'date')", true),
        ("Bash(rm *)", "echo a && echo $(date)", true),
        ("Bash(git commit*)", "echo $HOME", false),
        ("Bash(git commit*)", "echo \"$HOME\"", false),
        ("Bash(git commit*)", "FOO=1; echo $FOO", false),
        ("Bash(git push *)", "git status $HOME", false),
        ("Bash(git push *)", "git $X", true),
        ("Bash(git commit*)", "echo $PATH", true),
        ("Bash(git commit*)", "echo ${HOME}", true),
        ("Bash(git commit*)", "X=$(date); echo $X", true),
    ] {
        assert_eq!(fires(rule, line), expected, "{rule} on {line}");
    }
    for (rule, line) in [("Bash(rm *)", "echo $(date)"), ("Bash(git commit*)", "echo $HOME")] {
        let found = bash(rule, line, Reading::Claude);
        assert_eq!(found, Selection::Widened(Widening::ReadExpansion), "{rule} on {line}");
    }
}

/// S-51.
#[test]
fn what_another_program_prints_selects_every_command_rule_of_the_agent() {
    for rule in ["Bash(*rm*)", "Bash(git)", "Bash(npm run x)"] {
        for line in ["echo $(git status)", "echo `git status`", "echo \"a $(git status)\""] {
            assert_eq!(
                bash(rule, line, Reading::Claude),
                Selection::Widened(Widening::Expansion),
                "{rule} on {line}"
            );
        }
        assert!(!bash(rule, "A=$(date)", Reading::Claude).is_selected(), "{rule}");
    }
}

/// S-35.
#[test]
fn options_stand_where_they_like() {
    let spelled = |rule: &str, line: &str| match bash(rule, line, Reading::Native) {
        Selection::Widened(Widening::Options) => true,
        Selection::Not(_) => false,
        other => panic!("{rule} on {line}: {other:?}"),
    };
    for (rule, line) in [
        ("Bash(git push:*)", "git -C . push"),
        ("Bash(git push:*)", "git --no-pager -c a=b push origin"),
        ("Bash(git push:*)", "git --git-dir .git push"),
        ("Bash(git push --force:*)", "git push origin main --force"),
        ("Bash(git push --force:*)", "git push --forc"),
        ("Bash(git push --force)", "git --no-pager push --force"),
        ("Bash(rm -rf *)", "rm -fr x"),
        ("Bash(rm -rf *)", "rm -v -rf x"),
        ("Bash(rm --recursive:*)", "rm --rec x"),
        ("Bash(docker run:*)", "docker --context x run y"),
        ("Bash(docker compose down:*)", "docker compose -f x.yml down -v"),
        ("Bash(kubectl delete:*)", "kubectl -n x delete pod y"),
        ("Bash(npm publish:*)", "npm --prefix x publish"),
        ("Bash(cargo publish:*)", "cargo +nightly publish"),
        ("Bash(helm uninstall:*)", "helm --kube-context x uninstall y"),
        ("Bash(aws s3 rm:*)", "aws --profile x s3 --region y rm s3://z"),
        ("Bash(terraform destroy:*)", "terraform -chdir=x destroy"),
        ("Bash(systemctl stop:*)", "systemctl --user stop x"),
        ("Bash(ip link:*)", "ip -n x link set y"),
        ("Bash(gh pr merge:*)", "gh -R a/b pr merge 1"),
        ("Bash(go install:*)", "go -C x install"),
    ] {
        assert!(spelled(rule, line), "{rule} on {line}");
    }
    for (rule, line) in [
        ("Bash(git push:*)", "git -C push status"),
        ("Bash(git push:*)", "git log push"),
        ("Bash(git push --force:*)", "git push --follow-tags"),
        ("Bash(git push)", "git -C . push origin"),
        ("Bash(rm -rf *)", "rm -f x"),
        ("Bash(git * main)", "git -C . pull"),
        ("Bash(docker run:*)", "docker rm run"),
    ] {
        assert!(!spelled(rule, line), "{rule} on {line}");
    }
}

/// S-36, S-112, S-113.
#[test]
fn unknown_program_may_run_its_arguments() {
    for line in [
        "chronic git push",
        "foo --bar x git push origin",
        "foo -- sudo git push",
        "foo 'cd x && git push'",
        "foo --exec='git push'",
        "ssh host git push",
        "ssh -t host 'cd x; git push'",
        "docker exec -it x git push",
        "docker run --rm x sh -c 'git push'",
        "kubectl exec x -- git push",
        "git submodule foreach 'git push'",
        "git rebase --exec 'git push' main",
        "git -c alias.x='!git push' x",
        "git config alias.p push",
        "git -c core.editor='git push' commit",
        "python3 -c 'import os; os.system(\"git push\")'",
        "node -e 'require(\"child_process\").spawnSync(\"git\", [\"push\"])'",
        "sed '1e git push' x",
        "vim -c ':!git push' -c q",
        "PROMPT_COMMAND='git push'",
        "export PROMPT_COMMAND='git push'",
        "ssh host 'docker exec x git push'",
        "perf stat git push",
        "ld.so /usr/bin/git push",
    ] {
        let selection = bash("Bash(git push *)", line, Reading::Native);
        assert!(
            matches!(&selection, Selection::Widened(Widening::Guess { .. })),
            "{line}: {selection:?}"
        );
    }
    for (rule, line) in [
        ("Bash(git push *)", "echo git push"),
        ("Bash(git push *)", "git commit -m 'git push'"),
        ("Bash(git push *)", "git log --grep 'git push'"),
        ("Bash(git push *)", "gh issue create --title x --body 'git push'"),
        ("Bash(git push *)", "foo --message 'git push'"),
        ("Bash(git push *)", "rg 'git push' docs"),
        ("Bash(git push *)", "python3 -c 'print(\"git push\")'"),
        ("Bash(git *)", "apt install git"),
        ("Bash(git *)", "foo git"),
        ("Bash(git *)", "foo git push"),
        ("Bash(rm *)", "docker rm x"),
        ("Bash(rm *)", "aws s3 rm s3://x"),
        ("Bash(rm *)", "foo rm x"),
        ("Bash(rm *)", "git commit -m 'rm -rf / is bad'"),
        ("Bash(make *)", "man make"),
    ] {
        let selection = bash(rule, line, Reading::Native);
        assert!(!selection.is_selected(), "{rule} on {line}: {selection:?}");
    }
    assert!(bash("Bash(rm *)", "foo rm -rf x", Reading::Native).is_selected());
}

/// S-36: a guess never carries an allow, whatever it is about.
/// S-37.
#[test]
fn a_guess_covers_nothing() {
    let input = json!({"command": "foo git push"});
    let call = Call::new(ToolCall { name: "Bash", input: &input }, PLACES, &[]);
    let rule = Rule::parse("Bash(git push *)").unwrap();
    assert!(rule.selection_of_call(&call, Reading::Native).is_selected());
    assert_ne!(rule.covers_call(&call), Covers::Every);
}

/// S-53, S-114.
#[test]
fn an_allow_counts_only_where_everything_matches_as_written() {
    let covers = |rule: &str, line: &str| {
        let input = json!({ "command": line });
        let call = Call::new(ToolCall { name: "Bash", input: &input }, PLACES, &[]);
        Rule::parse(rule).unwrap().covers_call(&call) == Covers::Every
    };
    let every = [
        ("Bash(git *)", "git status && git push | git x"),
        ("Bash(git *)", "A=1 git status"),
        ("Bash(git *)", "git log $(git rev-parse x)"),
        ("Bash(sudo *)", "sudo git x"),
        ("Bash", "anything ("),
        ("Bash(*)", "a; b"),
    ];
    let not_every = [
        ("Bash(git *)", "git status; rm x"),
        ("Bash(git *)", "git status $(rm x)"),
        ("Bash(git *)", "sudo git x"),
        ("Bash(git *)", "/tmp/git x"),
        ("Bash(git *)", "git x; ("),
        ("Bash(git *)", "PATH=/tmp git x"),
        ("Bash(git *)", "LD_PRELOAD=x git x"),
        ("Bash(git *)", "PATH=/tmp; git x"),
        ("Bash(git *)", "git x; $CMD"),
        ("Bash(git *)", "'git push' x"),
        ("Bash(git *)", "git() { rm x; }; git y"),
        ("Bash(git *)", "cat <<EOF\n`rm x`\nEOF"),
        ("Bash(git *)", "ls"),
        ("Bash(git *)", ""),
    ];
    for (rule, line) in every {
        assert!(covers(rule, line), "{rule} on {line}");
    }
    for (rule, line) in not_every {
        assert!(!covers(rule, line), "{rule} on {line}");
    }
}

/// S-54, S-55, S-56.
#[test]
fn path_patterns_have_anchors() {
    let cases: &[(&str, &str, bool)] = &[
        ("Read(//etc/**)", "/etc/passwd", true),
        ("Read(//etc/**)", "/etcetera/passwd", false),
        ("Read(//etc)", "/etc/passwd", true),
        ("Read(~/.ssh/**)", "/home/u/.ssh/id", true),
        ("Read(~/.ssh/**)", "~/.ssh/id", true),
        ("Read(/src/**)", "/home/u/p/src/a", true),
        ("Read(/src/**)", "/home/u/p/sub/src/a", false),
        ("Read(src/**)", "src/a", true),
        ("Read(src/**)", "/home/u/p/src/a", false),
        ("Read(./src/**)", "x/../src/a", true),
        ("Read(../src/**)", "/home/u/p/src/a", true),
        ("Read(**/src/**)", "/x/y/src/a", true),
        ("Read(*.ts)", "/x/y/a.ts", true),
        ("Read(*.ts)", "/x/y/a.tsx", false),
        ("Read(*.{ts,js})", "a.js", true),
        ("Read(.env)", "/home/u/p/sub/.env", true),
        ("Read(.env)", "/home/u/p/sub/.env.local", false),
        ("Read(src/)", "src/a/b", true),
        ("Read(src/)", "src", false),
        ("Read(src/*.ts)", "src/x/a.ts", false),
        ("Read(//c/x/**)", "C:\\x\\y", true),
        ("Read(//1/x/**)", "1:\\x\\y", false),
        // The home of a different user is unknown.
        ("Read(//home/uroot/**)", "~root/a", false),
        ("Read(./**/src/**)", "/x/y/src/a", false),
    ];
    for (rule, path, expected) in cases {
        exact(rule, "Read", &json!({ "file_path": path }), *expected);
    }
    exact("Edit(src/**)", "Edit", &json!({ "file_path": "src/a" }), true);
    exact("NotebookEdit(src/**)", "NotebookEdit", &json!({ "notebook_path": "src/a" }), true);
    exact("Grep(/sub/**)", "Grep", &json!({ "path": "x" }), true);
    exact("Glob(//home/**)", "Glob", &json!({ "pattern": "*" }), true);
    assert_eq!(
        select("Read(a)", "Read", &json!({}), Reading::Native),
        Selection::Widened(Widening::Input)
    );
    assert_eq!(
        select("Edit(a)", "Write", &json!({ "file_path": "a" }), Reading::Native),
        Selection::Not(Miss::Tool)
    );
}

/// S-57.
#[test]
fn other_tools_are_matched_by_their_field() {
    let url = |url: &str| json!({ "url": url });
    exact("WebFetch(domain:example.com)", "WebFetch", &url("https://Example.com:8/x"), true);
    exact("WebFetch(domain:example.com)", "WebFetch", &url("https://example.com@evil.org/"), false);
    exact("WebFetch(domain:example.com)", "WebFetch", &url("https://www.example.com"), false);
    exact("WebFetch(domain:*.example.com)", "WebFetch", &url("https://www.example.com"), true);
    exact("Skill(commit)", "Skill", &json!({ "skill": "commit" }), true);
    exact("Skill(git:commit)", "Skill", &json!({ "skill": "git:commit" }), true);
    exact("Agent(Explore)", "Agent", &json!({ "subagent_type": "Explore" }), true);
    exact("Task(Explore)", "Agent", &json!({ "subagent_type": "Plan" }), false);
    exact("Agent(model:opus)", "Agent", &json!({ "model": "opus" }), true);
    exact("mcp__db__query(table:users)", "mcp__db__query", &json!({ "table": "users" }), true);
    exact("mcp__db", "mcp__db__query", &json!({}), true);
    exact("mcp__db__*", "mcp__db__query", &json!({}), true);
    exact("", "Anything", &json!(null), true);
    let miss = Selection::Not(Miss::Tool);
    assert_eq!(select("mcp__db", "mcp__dbx__query", &json!({}), Reading::Native), miss);
    assert_eq!(select("bash", "Bash", &json!({}), Reading::Native), miss);
    exact("PowerShell(git *)", "PowerShell", &json!({ "command": "GIT push" }), true);
}

/// S-86.
#[test]
fn powershell_pattern_selects_its_commands() {
    let selects = |rule: &str, line: &str| {
        select(rule, "PowerShell", &json!({ "command": line }), Reading::Native).is_selected()
    };
    for (rule, line) in [
        ("PowerShell(git push *)", "npm test; git push -f"),
        ("PowerShell(remove-item *)", "ri -r x"),
        ("PowerShell(rm *)", "Remove-Item x"),
        ("PowerShell(Remove-Item *)", "if (a) { rm x }"),
        ("PowerShell(git *)", "iex $x"),
    ] {
        assert!(selects(rule, line), "{rule}: {line}");
    }
    for (rule, line) in [
        ("PowerShell(git *)", "Remove-Item x; Get-Item"),
        ("PowerShell(git *)", "Write-Host 'git push'"),
        ("PowerShell(git push *)", "git pull; . .\\a.ps1"),
    ] {
        assert!(!selects(rule, line), "{rule}: {line}");
    }
}

#[test]
fn a_pattern_of_stars_agrees_with_a_slow_reading_of_it() {
    fn slow(pattern: &[u8], text: &[u8]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some((b'*', rest)) => (0..=text.len()).any(|at| slow(rest, &text[at..])),
            Some((c, rest)) => text.first() == Some(c) && slow(rest, &text[1..]),
        }
    }
    proptest!(|(pattern in "[ab*]{0,7}", text in "[ab]{0,9}")| {
        let stars = Stars::new(&pattern);
        let expected = slow(pattern.as_bytes(), text.as_bytes());
        prop_assert_eq!(stars.matches(&text), expected);
        prop_assert_eq!(stars.may_match_with_unknown_parts(&[Some(&text)]), expected);
        prop_assert!(stars.may_match_with_unknown_parts(&[None]));
    });
}

proptest! {
    #[test]
    fn no_rule_and_no_input_panics(rule in "(Bash|Read|WebFetch|Skill|mcp__a|X)?\\(?.{0,40}\\)?", text in ".{0,60}") {
        let input = json!({ "command": text, "file_path": text, "url": text, "skill": text });
        if let Ok(rule) = Rule::parse(&rule) {
            for tool in ["Bash", "Read", "WebFetch", "Skill", "PowerShell"] {
                let call = Call::new(ToolCall { name: tool, input: &input }, PLACES, &[]);
                let claude = rule.selection_of_call(&call, Reading::Claude);
                let native = rule.selection_of_call(&call, Reading::Native);
                // The agent's reading only ever selects more, and what is covered is selected.
                prop_assert!(claude.is_selected() || !native.is_selected());
                prop_assert!(native.is_selected() || rule.covers_call(&call) != Covers::Every);
            }
        }
    }
}

/// S-45: however long a pattern is, a star in it stands for nothing and for anything.
#[test]
fn a_star_stands_anywhere_in_a_long_pattern() {
    for length in 58..=70 {
        let (before, rule) = ("a".repeat(length), format!("Bash({}*b)", "a".repeat(length)));
        let holds = |end: &str| bash(&rule, &format!("{before}{end}"), Reading::Native);
        assert_eq!(holds("b"), Selection::Exact, "{length}");
        assert_eq!(holds("xxb"), Selection::Exact, "{length}");
        assert_eq!(holds("xx"), Selection::Not(Miss::Spec), "{length}");
        let late = format!("Bash(a*{}b)", "c".repeat(length));
        let line = format!("axx{}b", "c".repeat(length));
        assert_eq!(bash(&late, &line, Reading::Native), Selection::Exact, "{length}");
        let short = format!("axx{}b", "c".repeat(length - 1));
        assert_eq!(bash(&late, &short, Reading::Native), Selection::Not(Miss::Spec), "{length}");
    }
}

/// S-48: a command in the words of a command, three deep.
#[test]
fn a_guess_goes_so_deep_and_no_deeper() {
    let mut line = "git push x".to_owned();
    for (depth, is_guessed) in [(1, true), (2, true), (3, true), (4, false)] {
        line = format!("ssh host '{}'", line.replace('\'', r"'\''"));
        let selection = bash("Bash(git push *)", &line, Reading::Native);
        let is_guess = matches!(&selection, Selection::Widened(Widening::Guess { .. }));
        assert_eq!(is_guess, is_guessed, "{depth} {line}: {selection:?}");
    }
}

/// S-35: more than three letters, or another character among them, are one option and no cluster.
#[test]
fn only_a_few_letters_are_several_options() {
    let holds = |line: &str| bash("Bash(rm -rf *)", line, Reading::Native).is_selected();
    for (line, expected) in
        [("rm -fr x", true), ("rm -vrf x", true), ("rm -vrfd x", false), ("rm -r1f x", false)]
    {
        assert_eq!(holds(line), expected, "{line}");
    }
}

/// S-42: the text of a rule is what was written, and so long and no longer.
#[test]
fn a_rule_keeps_its_text_up_to_its_longest() {
    let of = |length: usize| format!("Bash({})", "a".repeat(length - 6));
    let longest = of(LONGEST_RULE);
    assert_eq!(Rule::parse(&longest).map(|rule| rule.text().to_owned()), Ok(longest));
    assert_eq!(Rule::parse(&of(LONGEST_RULE + 1)).err(), Some(RuleFault::TooLong));
}
