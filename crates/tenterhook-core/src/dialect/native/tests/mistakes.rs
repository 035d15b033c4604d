//! Diagnostics of mistakes in a text, their locations, and whether the hook survives.

use super::*;

/// C-1.
#[test]
fn a_bad_hook_is_rejected_alone() {
    let read = load("[hook.bad]\non = 'Stop'\n[hook.good]\non = 'Stop'\nshell = 'true'\n");
    let runs: Vec<_> = read.hooks.iter().map(|hook| (hook.id.as_str(), unusable(hook))).collect();
    assert_eq!(runs, [("bad", true), ("good", false)]);
    assert_eq!(read.diagnostics.len(), 1);
    assert!(!read.unreadable);
    assert!(load("[hook").unreadable);
}

/// Codes that only a build with rules reports.
const OF_RULES: &[&str] =
    &["bad-rule", "bad-rule-pattern", "empty-rule", "rule-too-costly", "unknown-rule-name"];

/// C-42, C-43, X-14.
#[test]
fn every_bad_sample_has_its_code_on_its_line() {
    let samples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../conformance/check/native");
    let mut count = 0;
    for entry in std::fs::read_dir(samples).expect("the samples are there") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a sample is text");
        // A build without rules cannot say what is wrong with one (C-76).
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if !cfg!(feature = "rule") && OF_RULES.contains(&name) {
            continue;
        }
        let first = text.lines().next().unwrap_or_default();
        let words: Vec<&str> = first.split(' ').collect();
        let ["#", "expect:", code, "at", "line", line] = words.as_slice() else {
            panic!("{}: {first}", path.display());
        };
        let line = line.parse().ok();
        let read = load(&text);
        let found: Vec<_> = read
            .diagnostics
            .iter()
            .map(|diagnostic| {
                (
                    diagnostic.code.name(),
                    diagnostic.place.as_ref().map(|place| place.line),
                    diagnostic.help.is_some(),
                )
            })
            .collect();
        assert_eq!(found, [(*code, line, true)], "{}", path.display());
        assert_eq!(path.file_stem().and_then(|stem| stem.to_str()), Some(*code));
        count += 1;
    }
    assert!(count > 20, "only {count} samples");
}

#[test]
fn a_matcher_without_words_is_an_error() {
    for value in ["[]", "['']", "['Bash', '']", "''", "'//'"] {
        let read = load(&format!("[hook.a]\non = 'PreToolUse'\nshell = 'x'\nmatch = {value}\n"));
        let codes: Vec<_> =
            read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
        assert_eq!(codes, ["bad-matcher"], "{value}");
    }
}

/// C-138: a gate whose `match` names no tool at all is an error; one with a live name, and an observer, is a warning.
#[test]
fn gate_that_can_match_no_tool_is_an_error() {
    let severities = |on: &str, keys: &str| {
        let read = load(&format!("[hook.a]\non = {on}\nshell = 'x'\n{keys}\n"));
        assert_eq!(read.hooks.iter().filter(|hook| unusable(hook)).count(), 0, "{keys}");
        let dead = read.diagnostics.into_iter().filter(|found| found.code.name() == "dead-matcher");
        dead.map(|found| found.severity).collect::<Vec<_>>()
    };
    let both = [Severity::Error, Severity::Error];
    let gate = "'PreToolUse'";
    for (on, keys, expected) in [
        (gate, "match = 'bash'", &both[..1]),
        (gate, "match = 'Bsh'", &both[..1]),
        (gate, "match = ['bash', 'edit']", &both[..]),
        (gate, "match = '/^bash$/'", &both[..1]),
        (gate, "match = 'bash|Edit'", &[Severity::Warning]),
        (gate, "match = 'bash|deploy'", &[Severity::Warning]),
        (gate, "match = 'bash'\nphase = 'observe'", &[Severity::Warning]),
        ("'PostToolUse'", "match = 'bash'", &[Severity::Warning]),
        (gate, "match = 'Bash'", &[]),
        (gate, "match = 'deploy'", &[]),
    ] {
        assert_eq!(severities(on, keys), expected, "{on} {keys}");
    }
}

/// C-48: a text that only resembles a list, a rule or a name is reported, and the help names a
/// valid form.
#[test]
fn matcher_without_a_tool_name_is_reported() {
    let hook = |keys: &str| load(&format!("[hook.a]\non = 'PreToolUse'\nshell = 'x'\n{keys}\n"));
    for (keys, code, help) in [
        ("match = 'Bash,Edit'", "bad-matcher", "write `match = [\"Bash\", \"Edit\"]`"),
        ("match = 'Bash Edit'", "bad-matcher", "write `match = [\"Bash\", \"Edit\"]`"),
        ("match = 'Bash/Edit'", "bad-matcher", "write `match = [\"Bash\", \"Edit\"]`"),
        ("match = ['Bash|Edit']", "bad-matcher", "write `match = [\"Bash\", \"Edit\"]`"),
        ("match = ['Bash(rm *)']", "bad-matcher", "`if = \"Bash(rm *)\"`"),
        ("match = '/Bash/i'", "bad-matcher", "`(?i)`"),
        ("match = '/Bash(rm *)/'", "bad-matcher", "`match = \"Bash\"` and `if = \"Bash(rm *)\"`"),
        ("match = 'Bash(rm *)'", "bad-matcher", "`match = \"Bash\"` and `if = \"Bash(rm *)\"`"),
        ("match = '/^bash$/'", "dead-matcher", "case counts"),
        ("match = 'all'", "dead-matcher", "leave `match` out"),
        ("match = '\u{412}\u{430}sh'", "dead-matcher", "write it anew"),
        ("if = 'Bsh(rm *)'", "dead-condition", "did you mean `Bash`?"),
        ("match = 'Bash'\nif = 'Bsh(rm *)'", "dead-condition", "did you mean `Bash`?"),
        ("if = ['Bash(rm *)', 'Edit(*)']", "dead-condition", "a hook for each"),
        ("if = 'Bash(rm *)|Edit(*)'", "bad-condition", "a hook for each"),
        ("if = 'Bash(rm *), Edit(*)'", "bad-condition", "a hook for each"),
        ("if = 'tool.command.contains(\"rm\")'", "bad-condition", "`if = { when ="),
        ("if = { wen = 'true' }", "bad-condition", "did you mean `when`?"),
        ("if = { expression = 'true' }", "bad-condition", "`{ when = \"...\" }`"),
    ] {
        let read = hook(keys);
        let texts: Vec<_> =
            read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
        assert_eq!(texts, [code], "{keys}: {:?}", read.diagnostics);
        assert!(
            read.diagnostics[0].help.as_ref().is_some_and(|text| text.contains(help)),
            "{keys}"
        );
        let holds = |hook: &crate::hook::Hook| {
            let all = hook.matcher.spec() == &crate::matcher::MatcherSpec::Any;
            unusable(hook) && all && hook.condition.is_none()
        };
        // A gate with a dead matcher is an error, too, but keeps its matcher.
        let is_refused = read.diagnostics[0].severity == Severity::Error && code != "dead-matcher";
        assert_eq!(read.hooks.iter().all(holds), is_refused, "{keys}");
    }
    for keys in [
        "match = 'mcp__a__b'",
        "match = '/^mcp__/'",
        "match = ['Bash', 'Edit']",
        "match = 'run_it|Read'",
        "if = 'Bash(grep -E \"(a)|b\" *)'",
        "if = 'Bash(git commit -m \"fix (x), and (y)\")'",
    ] {
        assert_eq!(hook(keys).diagnostics, [], "{keys}");
    }
}

/// C-53: what was taken over from an agent's own file is as dead here as there, and no more.
/// C-48.
#[test]
fn tool_of_another_agent_is_reported_as_advice() {
    for keys in ["match = 'travel to'", "match = '/Bash(git commit:*)/'", "if = 'Bash(a)|Bash(b)'"]
    {
        let text = format!("[hook.a]\non = 'PreToolUse'\nshell = 'x'\nspeaks = 'claude'\n{keys}\n");
        let read = load(&text);
        assert!(
            read.diagnostics.iter().all(|diagnostic| diagnostic.severity == Severity::Warning),
            "{read:?}"
        );
        assert!(!read.hooks.iter().any(unusable), "{keys}");
    }
}

/// C-60, C-120: a hook without its first line holds what it would have held.
#[test]
fn what_stands_in_no_hook_is_held() {
    let keys = "on = 'PreToolUse'\nmatch = 'Bash'\nwhen = 'true'\ndeny = 'no'\n";
    for (head, help) in
        [("", "`[hook.NAME]` in a line above"), ("[hook]\n", "in place of `[hook]`")]
    {
        let read = load(&format!("{head}{keys}"));
        let [diagnostic] = read.diagnostics.as_slice() else { panic!("{:?}", read.diagnostics) };
        assert!(diagnostic.help.as_ref().is_some_and(|text| text.contains(help)), "{diagnostic:?}");
        let [hook] = read.hooks.as_slice() else { panic!("{:?}", read.hooks) };
        assert!(unusable(hook) && hook.event.as_str() == "PreToolUse", "{hook:?}");
    }
}

/// C-56: a case that is wrong fails where cases are run, and its hook is as good as it was.
#[test]
fn a_wrong_case_costs_no_hook() {
    let read = load(
        "[hook.a]\non = 'PreToolUse'\nshell = 'x'\ntest = [{ event = 'Bash ls', expect = 'dney' }]\n",
    );
    assert_eq!(
        read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect::<Vec<_>>(),
        ["unknown-word"]
    );
    assert!(!read.hooks.iter().any(unusable), "{:?}", read.hooks);
}

/// PW-19.
#[cfg(not(feature = "prewarm-forms"))]
#[test]
fn a_form_that_this_build_leaves_out_names_the_feature() {
    for text in [
        "[hook.a]\non = 'Stop'\nrun = ['python3', 'a.py']\nprewarm = 'python'\n",
        "[source.\"settings.json\"]\nprewarm = 'node'\n",
    ] {
        let read = load(text);
        let [found] = read.diagnostics.as_slice() else { panic!("{read:?}") };
        assert_eq!(found.code, crate::diagnostic::Code::PrewarmWithoutEffect);
        assert!(
            found.help.as_ref().is_some_and(|help| help.contains("`prewarm-forms`")),
            "{found:?}"
        );
        let runs_cold = |hook: &crate::hook::Hook| !hook.is_prewarmed();
        assert!(read.hooks.iter().all(runs_cold), "{read:?}");
    }
}

#[test]
fn an_empty_rule_is_an_error() {
    for value in ["' '", "[]"] {
        let read = load(&format!("[hook.a]\non = 'PreToolUse'\nshell = 'x'\nif = {value}\n"));
        assert_eq!(
            read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect::<Vec<_>>(),
            ["bad-condition"]
        );
    }
}

/// RU-30: a mistake in an expression is reported at its location.
#[cfg(feature = "rule")]
#[test]
fn a_mistake_in_an_expression_is_named_where_it_stands() {
    let text = "[hook.a]\non = 'Stop'\nshell = 'x'\nif = { when = \"tol.name == 'x'\" }\n";
    let read = load(text);
    let diagnostic = &read.diagnostics[0];
    assert_eq!(diagnostic.code.name(), "unknown-rule-name");
    let span = diagnostic.place.as_ref().expect("a place").span;
    assert_eq!(text.get(span.start..span.end), Some("tol"));
    assert!(unusable(&read.hooks[0]));
}

#[test]
fn a_wrong_item_is_named_where_it_stands() {
    let read = load("[hook.a]\non = 'PreToolUse'\nrun = [\n  './guard',\n  5,\n]\n");
    let diagnostic = &read.diagnostics[0];
    assert_eq!(
        (diagnostic.code.name(), diagnostic.place.as_ref().map(|place| place.line)),
        ("wrong-type", Some(5))
    );
    assert!(diagnostic.message.ends_with("not one that holds a number"), "{}", diagnostic.message);
}

#[test]
fn every_code_has_an_entry_in_the_book() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let book = std::fs::read_to_string(root.join("docs/spec/diagnostics.md")).expect("the book");
    let ours =
        book.split("\n## ").find(|part| part.starts_with("`tenterhook.toml`")).expect("ours");
    let headings = ours.lines().filter_map(|line| line.strip_prefix("### "));
    let reported: std::collections::BTreeSet<&str> =
        headings.flat_map(|line| line.split('`').skip(1).step_by(2)).collect();
    let samples = std::fs::read_dir(root.join("conformance/check/native")).expect("samples");
    let mut known: std::collections::BTreeSet<String> = samples
        .map(|sample| sample.expect("an entry").path())
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    // Two that TOML cannot show.
    let duplicate =
        r#"{"hook": {"a": {"on": "Stop", "shell": "x"}, "a": {"on": "Stop", "shell": "y"}}}"#;
    for (code, text) in [("duplicate-key", duplicate), ("not-strict-json", "{\"hook\": {},}")] {
        let read = load(text);
        assert_eq!(
            read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect::<Vec<_>>(),
            [code]
        );
        known.insert(code.to_owned());
    }
    assert_eq!(reported, known.iter().map(String::as_str).collect());
}

/// C-42.
#[test]
fn every_diagnostic_of_an_error_costs_the_hook() {
    let read = load("[hook.a]\non = 'Stop'\nshell = 'x'\nmtach = 'y'\n");
    assert!(read.hooks.iter().all(unusable));
    assert_eq!(read.diagnostics[0].severity, Severity::Error);
    assert_eq!(read.diagnostics[0].help.as_deref(), Some("did you mean `match`?"));
}

#[test]
fn a_gate_whose_expression_is_broken_stays() {
    let read = load("[hook.a]\non = 'PreToolUse'\nmatch = '/(/'\nrun = ['x']\n");
    assert_eq!((read.hooks.len(), read.diagnostics[0].code.name()), (1, "bad-expression"));
}

/// C-60: whatever is wrong with what an executor is given, the finding names its line and says what
/// to write.
#[test]
fn a_mistake_in_what_runs_says_what_to_write() {
    for (line, code, help) in [
        ("run = 'x'", "wrong-type", "`shell = \"...\"` for a shell line"),
        ("run = ['']", "empty-run", "write `run = [\"program\", \"argument\"]`"),
        ("shell = ['x']", "wrong-type", "write `shell = \"...\"`"),
        (
            "run = ['x']\nprewarm = 'ruby'",
            "wrong-type",
            "`prewarm = \"python\"` or `prewarm = \"node\"`",
        ),
        ("shell = 'x'\ntimeout = -1", "bad-duration", "`\"5s\"`"),
        ("shell = 'x'\ntimeout = 5", "duration-without-unit", "write `\"5s\"`"),
        ("worker = 'x'", "wrong-type", "write `worker = [\"program\", \"argument\"]`"),
        ("http = 1", "wrong-type", "write `http = \"...\"`, or a table with `url`"),
        ("http = { uri = 'https://e' }", "unknown-key", "did you mean `url`?"),
        ("http = {}", "empty-run", "write `url = \"...\"`"),
        ("http = 'ftp://e'", "unusable-url", "write `https://HOST/PATH`"),
        ("prompt = ['x']", "wrong-type", "write `prompt = \"...\"`, or a table with `text`"),
        ("prompt = { text = 'x', turns = 3 }", "unknown-key", "`prompt` has `text`"),
        ("prompt = { text = 'x', allow = 'yes' }", "wrong-type", "write `allow = true`"),
        ("agent = { text = 'x', turns = 0 }", "wrong-type", "write `turns = 10`"),
        ("agent = { prompt = 'x' }", "unknown-key", "`agent` has `text`"),
        ("mcp = 's/t'", "wrong-type", "give it `server`, `tool` and `input`"),
        ("mcp = { server = 's' }", "empty-run", "write `tool = \"...\"`"),
        ("mcp = { server = 's', tool = 't', args = {} }", "unknown-key", "and `input`"),
        ("mcp = { server = 's', tool = 't', input = { a = '${' } }", "bad-place", "write `${tool"),
        ("when = 1\ndeny = 'x'", "wrong-type", "write `when = \"...\"`"),
        ("when = ''\ndeny = 'x'", "empty-run", "write `when = \"...\"`"),
        ("when = 'true'", "empty-rule", "add `deny`"),
        ("deny = 'x'", "missing-run", "write a rule, `when = \"...\"`, beside `deny`"),
        ("shell = 'x'\nhttp = 'https://e'", "several-runs", "keep `shell`"),
        ("args = ['x']", "unknown-key", "behind the program"),
        ("shell = 'x'\nreason = 'x'", "unknown-key", "did you mean `deny`?"),
        ("shell = 'x'\non_fail = 'block'", "unknown-key", "it is called `on_failure` here"),
        ("status = 'x'", "missing-run", "give it exactly one of `run`"),
    ] {
        if !cfg!(feature = "rule") && OF_RULES.contains(&code) {
            continue;
        }
        let text = format!("[hook.a]\non = 'PreToolUse'\n{line}\n");
        let source = Source::from_text("t.toml", DialectId::NATIVE, &text, "/p");
        let read = DialectId::NATIVE.dialect().read_config(&source);
        let [found] = read.diagnostics.as_slice() else { panic!("{line}: {read:?}") };
        assert_eq!(found.code.name(), code, "{line}: {}", found.message);
        assert!(found.place.is_some(), "{line}");
        let says = found.help.as_deref().unwrap_or_default();
        assert!(says.contains(help), "{line}: {says}");
        let [hook] = read.hooks.as_slice() else { panic!("{line}: {read:?}") };
        assert_eq!(hook.run.executor_name(), "none", "{line}");
    }
}

/// T-8.
#[test]
fn what_is_declared_names_files() {
    for (value, codes) in [
        ("['a', '*.json', '~/x', '{a,b}/**']", &[][..]),
        ("['a', '[']", &["bad-path"]),
        ("['']", &["bad-path"]),
        ("'a'", &["wrong-type"]),
    ] {
        let read = load(&format!("[hook.a]\non = 'Stop'\nshell = 'x'\nfiles = {value}\n"));
        let found: Vec<_> =
            read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
        assert_eq!(found, codes, "{value}");
    }
    let rule = load("[hook.a]\non = 'PreToolUse'\nwhen = 'true'\ndeny = 'no'\nfiles = ['a']\n");
    assert_eq!(
        rule.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect::<Vec<_>>(),
        ["no-effect"]
    );
}

/// X-1: what cannot be read grants nothing, because its hook would run with all rights otherwise.
#[test]
fn a_sandbox_that_cannot_be_read_grants_nothing() {
    for (sandbox, code) in [
        ("\"standart\"", "unknown-word"),
        ("true", "wrong-type"),
        ("{ profile = \"tight\" }", "unknown-word"),
        ("{ read = [\"$HOME/notes\"] }", "bad-path"),
        ("{ write = [\"~/*\"] }", "bad-path"),
        ("{ net = [\"tcp:70000\"] }", "bad-grant"),
        ("{ net = [\"none\", \"tcp:1\"] }", "bad-grant"),
        ("{ cpu = \"soon\" }", "bad-duration"),
    ] {
        let hook = format!("[hook.h]\non = \"Stop\"\nrun = [\"x\"]\nsandbox = {sandbox}\n");
        let about = format!("[source.\"/p/other.toml\"]\nsandbox = {sandbox}\n");
        for text in [hook, about] {
            let read = load(&text);
            let codes: Vec<_> =
                read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
            assert_eq!(codes, [code], "{text}");
            assert!(read.diagnostics.iter().all(|diagnostic| diagnostic.help.is_some()), "{text}");
            assert!(
                read.hooks.iter().all(|hook| matches!(hook.run, Run::Unusable { .. })),
                "{text}"
            );
            for switch in &read.switches {
                let Switch::Govern(govern) = switch else { panic!("{switch:?}") };
                assert_eq!(govern.sandbox.summary(), "strict", "{text}");
            }
        }
    }
}
