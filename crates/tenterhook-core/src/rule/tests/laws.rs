//! What holds for every rule: it comes to an end and never panics, and where the crate's own
//! interpreter has a value, it is the same one.

use std::cell::Cell;

use cel::common::ast::{Expr as Ast, LiteralValue};
use proptest::prelude::*;

use super::*;

/// Leaves with the vocabulary of rules.
const LEAVES: &[&str] = &[
    "1",
    "0",
    "-7",
    "2.5",
    "true",
    "false",
    "null",
    "''",
    "'git'",
    "r'.+'",
    "[]",
    "{}",
    "tool.name",
    "tool.kind",
    "tool.command",
    "tool.input",
    "tool.path",
    "tool.paths",
    "tool.text",
    "shell.commands",
    "shell.programs",
    "shell.complete",
    "shell.writes",
    "payload",
    "prompt",
    "cwd",
    "project",
    "x",
    "x.program",
    "x.args",
    "nothing",
];

/// Leaves that CEL has by itself.
const PLAIN: &[&str] = &[
    "1",
    "0",
    "-7",
    "3",
    "9223372036854775807",
    "2.5",
    "true",
    "false",
    "null",
    "''",
    "'git'",
    "'it'",
    "[1, 2]",
    "[]",
    "['a', 'git']",
    "{'a': 1}",
    "[[1], [2]]",
];

const OPERATORS: &[&str] =
    &["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "in"];

const CALLS: &[&str] = &["contains", "startsWith", "endsWith"];
const OWN_CALLS: &[&str] =
    &["matches", "find", "inside", "glob", "split", "runs", "flag", "with", "join"];
const MACROS: &[&str] = &["exists", "all", "exists_one", "filter", "map"];

fn expression(leaves: &'static [&str], calls: &'static [&str]) -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(leaves).prop_map(str::to_owned);
    leaf.prop_recursive(5, 24, 3, move |inner| {
        let two = || (inner.clone(), inner.clone());
        let binary = (two(), prop::sample::select(OPERATORS));
        let call = (two(), prop::sample::select(calls));
        let looped = (two(), prop::sample::select(MACROS));
        prop_oneof![
            binary.prop_map(|((left, right), op)| format!("({left} {op} {right})")),
            call.prop_map(|((left, right), name)| format!("{left}.{name}({right})")),
            looped.prop_map(|((list, body), name)| format!("{list}.{name}(x, {body})")),
            (two(), inner.clone()).prop_map(|((test, a), b)| format!("({test} ? {a} : {b})")),
            inner.clone().prop_map(|of| format!("!{of}")),
            inner.clone().prop_map(|of| format!("size({of})")),
            two().prop_map(|(of, at)| format!("{of}[{at}]")),
            two().prop_map(|(one, two)| format!("[{one}, {two}]")),
        ]
    })
}

/// The result of the crate's own interpreter for the text of a rule.
fn crate_result(text: &str) -> Option<bool> {
    let program = cel::Program::compile(text).ok()?;
    match program.execute(&cel::Context::default()) {
        Ok(cel::Value::Bool(flag)) => Some(flag),
        _ => None,
    }
}

/// Tests of a command in rules: of its program, of its other values, and of a missing value.
const OF_COMMANDS: &[&str] = &[
    "c.program == 'git'",
    "'rm' == c.program",
    "c.program in ['git', 'ls']",
    "c.program in ['rm', c.text]",
    "c.program != 'git'",
    "c.runs('git push')",
    "c.flag('-f')",
    "c.words.exists(w, w == 'x')",
    "payload.nothing == 1",
    "c.program == ''",
    "false",
    "true",
];

fn about_a_command() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(OF_COMMANDS).prop_map(str::to_owned);
    leaf.prop_recursive(4, 12, 2, |inner| {
        let sides = (inner.clone(), inner.clone(), prop::sample::select(&["&&", "||"][..]));
        prop_oneof![
            4 => sides.prop_map(|(left, right, op)| format!("({left} {op} {right})")),
            1 => inner.prop_map(|of| format!("!{of}")),
        ]
    })
}

/// The crate's parser numbers what it reads.
fn without_numbers(tree: &cel::IdedExpr) -> String {
    regex::Regex::new(r"id: \d+").unwrap().replace_all(&format!("{tree:?}"), "").into_owned()
}

fn read_the_same(text: &str) -> Result<(), TestCaseError> {
    let Some(quick) = crate::rule::quick::parse_simple_expression(text) else { return Ok(()) };
    let parser = cel::Env::default().parser().enable_optional_syntax(false);
    let whole = parser.parse(text);
    prop_assert!(whole.is_ok(), "only the quick reader takes `{text}`");
    let whole = whole.map(|ided_expr| without_numbers(&ided_expr)).unwrap_or_default();
    prop_assert_eq!(without_numbers(&quick), whole, "{}", text);
    Ok(())
}

/// Every rule of the pack is read quickly, and as the crate reads it.
#[test]
fn the_pack_is_read_quickly() {
    let pack = include_str!("../../../../tenterhook-cli/packs/guardrails.toml");
    let pack: toml_edit::DocumentMut = pack.parse().unwrap();
    let hooks = pack["hook"].as_table().unwrap();
    assert!(hooks.len() > 30);
    for (name, hook) in hooks {
        let when = hook["when"].as_str().unwrap();
        assert!(crate::rule::quick::parse_simple_expression(when).is_some(), "{name}");
        read_the_same(when).unwrap();
    }
}

/// No pattern of the pack is parsed before it is asked for.
#[test]
fn patterns_of_the_pack_have_outlines() {
    let pack = include_str!("../../../../tenterhook-cli/packs/guardrails.toml");
    let pack: toml_edit::DocumentMut = pack.parse().unwrap();
    let (mut patterns, mut eager) = (0, Vec::<String>::new());
    for (name, hook) in pack["hook"].as_table().unwrap() {
        let when = crate::rule::quick::parse_simple_expression(hook["when"].as_str().unwrap());
        let mut left = vec![when.unwrap()];
        while let Some(node) = left.pop() {
            match node.expr {
                Ast::Call(call) => {
                    if let ("matches", Some(Ast::Literal(LiteralValue::String(text)))) =
                        (call.func_name.as_str(), call.args.first().map(|arg| &arg.expr))
                    {
                        let outline = crate::rule::outline::Outline::read(text.inner());
                        if outline.is_none_or(|outline| outline.states > 4000) {
                            eager.push(format!("{name}: {} {outline:?}", text.inner()));
                        }
                        patterns += 1;
                    }
                    left.extend(call.args);
                    left.extend(call.target.map(|target| *target));
                }
                Ast::Select(select) => left.push(*select.operand),
                Ast::List(list) => left.extend(list.elements),
                _ => {}
            }
        }
    }
    assert!(patterns > 100, "{patterns}");
    assert!(eager.is_empty(), "{eager:#?}");
}

fn no_files() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(no_files())]

    /// RU-32: bounded, whatever is asked of whatever event.
    #[test]
    fn every_expression_comes_to_an_end(
        when in expression(LEAVES, OWN_CALLS),
        said in "[a-z ]{0,12}",
        line in "(sudo |git |rm |-rf |> |'|x|\\$\\(|\\)|;){0,12}",
    ) {
        let rule = Rule::new(&when).deny(&said).context(&format!("{{{when}}}"));
        let looks = Cell::new(0_u32);
        let go_on = || { looks.set(looks.get() + 1); true };
        let _ = rule.evaluate_or_silent(&RuleInput::new(&Arc::new(bash(&line))), &go_on);
        prop_assert!(looks.get() < 200);
    }

    /// RU-31: any text is refused or read, and flaws stand inside it.
    #[test]
    fn every_text_is_read_or_refused(text in "[ -~é\n]{0,60}") {
        let rule = Rule::new(&text).deny(&text).rewrite(&text);
        for flaw in rule.check() {
            prop_assert!(flaw.at.start <= text.len() && flaw.at.start <= flaw.at.end, "{flaw:?}");
        }
    }

    /// An expression that CEL has a truth value for has the same one here, or none that is known
    /// before it runs.
    #[test]
    fn what_cel_says_is_said_here(text in expression(PLAIN, CALLS)) {
        if let Some(expected) = crate_result(&text) {
            let rule = Rule::new(&text).deny("no");
            match rule.evaluate_or_silent(&RuleInput::new(&Arc::new(bash("ls"))), &|| true) {
                Ok(answer) => prop_assert_eq!(answer.restraint == Restraint::Deny, expected, "{}", text),
                Err(Unsettled::Broken(_)) => {}
                Err(other) => prop_assert!(false, "{text}: {other:?}, and CEL says {expected}"),
            }
        }
    }

    /// What the quick reader takes for an expression is one, and the same.
    #[test]
    fn what_is_read_quickly_is_read_the_same(
        text in prop_oneof![
            expression(LEAVES, OWN_CALLS),
            expression(PLAIN, CALLS),
            about_a_command(),
            "(a|in|\\.|!|-|\\(|\\)|\\[|\\]|,|\\?|:|=|<|&&|\\|\\||'|\"|\\\\|r|1|1\\.5|0x1|u| |/|\\{|\\}|true|if|\n){0,9}",
        ],
    ) {
        read_the_same(&text)?;
    }

    /// RU-22: a command that is not asked what cannot hold of its program makes no difference.
    /// Behind `!!` nothing is sorted.
    #[test]
    fn what_is_sorted_by_program_says_the_same(
        body in about_a_command(),
        line in "(git push|git -f x|rm x|ls|\\$x y|A=1)(; (git push|rm -f|\\$x|ls x)){0,3}",
        macro_ in prop::sample::select(&["exists", "all", "exists_one"][..]),
    ) {
        let judged = |when: String| {
            let judged = Rule::new(&when).deny("no").evaluate_or_silent(&RuleInput::new(&Arc::new(bash(&line))), &|| true);
            judged.map(|answer| answer.restraint).map_err(|error| matches!(error, Unsettled::Failed(_)))
        };
        let sorted = judged(format!("shell.commands.{macro_}(c, {body})"));
        prop_assert_eq!(sorted, judged(format!("shell.commands.{macro_}(c, !(!({body})))")), "{}", body);
    }
}
