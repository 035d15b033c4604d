//! Whether every format gives the same tree, with spans that point where a person would look.

#![expect(clippy::string_slice, reason = "a span off a character boundary must fail the test")]

use proptest::prelude::*;

use super::*;

fn json(text: &str) -> Parsed {
    parse_by_format(text, Format::Json)
}

/// The text under the span of the value of `path`.
fn under<'a>(text: &'a str, parsed: &Parsed, path: &[&str]) -> &'a str {
    let mut node = parsed.root.as_ref().expect("a tree");
    for key in path {
        node = match key.parse::<usize>() {
            Ok(index) => &node.as_array().expect("an array")[index],
            Err(_) => node.get(key).expect("the key"),
        };
    }
    &text[node.span.start..node.span.end]
}

/// Kind, text under the span, message and help of every fault.
fn faults(text: &str, format: Format) -> Vec<(FaultKind, String, String, String)> {
    let parsed = parse_by_format(text, format);
    let fatal = parsed.faults.iter().any(|fault| !matches!(fault.kind, FaultKind::NotStrict(_)));
    assert!(!(fatal && parsed.root.is_some()), "{text:?}: a broken text has no tree");
    parsed
        .faults
        .into_iter()
        .map(|fault| {
            let under = text[fault.span.start..fault.span.end].to_owned();
            (fault.kind, under, fault.message, fault.help.unwrap_or_default())
        })
        .collect()
}

#[test]
fn json_keeps_spans_order_and_duplicates() {
    let text = r#"{"b": [1, "é", {"x": null}], "a": true, "b": 2.5}"#;
    let parsed = json(text);
    assert_eq!(parsed.faults, []);
    let root = parsed.root.as_ref().unwrap();
    let keys: Vec<_> = root.entries().iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!(keys, ["b", "a", "b"]);
    assert_eq!(under(text, &parsed, &["b"]), "2.5");
    assert_eq!(under(text, &parsed, &["a"]), "true");
    let first = &root.entries()[0].node;
    assert_eq!(&text[first.span.start..first.span.end], r#"[1, "é", {"x": null}]"#);
    let duplicates = root.duplicate_keys();
    assert_eq!(duplicates.len(), 1);
    assert_eq!(&text[duplicates[0].again.start..duplicates[0].again.end], "\"b\"");
    assert!(duplicates[0].first < duplicates[0].again);
    assert_eq!(root.to_json(), serde_json::json!({"b": 2.5, "a": true}));
    assert_eq!((root.kind_with_article(), first.kind_with_article()), ("an object", "an array"));
}

#[test]
fn json_takes_comments_and_trailing_commas_and_says_so() {
    let text = "\u{feff}{ // why\n \"a\": [1, 2,], /* b */ \"c\": \"// no\",\n}";
    let parsed = json(text);
    assert_eq!(under(text, &parsed, &["c"]), "\"// no\"");
    let found: Vec<_> =
        faults(text, Format::Json).into_iter().map(|(kind, under, ..)| (kind, under)).collect();
    let expected = [
        (NotStrict::ByteOrderMark, "\u{feff}"),
        (NotStrict::Comment, "// why"),
        (NotStrict::TrailingComma, ","),
        (NotStrict::Comment, "/* b */"),
        (NotStrict::TrailingComma, ","),
    ];
    let expected: Vec<_> =
        expected.map(|(what, under)| (FaultKind::NotStrict(what), under.to_owned())).to_vec();
    assert_eq!(found, expected);
}

#[test]
fn json_that_only_a_strict_parser_refuses_is_named() {
    for (text, words) in [
        ("{\"a\": \"x\ny\"}", "control character"),
        ("{\"a\": 1e999}", "out of range"),
        ("{\"a\": \"x\ty\"}", "control character"),
    ] {
        let found = faults(text, Format::Json);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].2.contains(words), "{text}: {found:?}");
    }
}

/// C-87: its spans are those of the text as it is written.
#[test]
fn json_that_only_javascript_takes_is_read_and_named() {
    let text = r#"{"a": "\ud800", "b": [1e999, -1e999], "c": "x"}"#;
    let parsed = json(text);
    assert_eq!(under(text, &parsed, &["a"]), r#""\ud800""#);
    assert_eq!(under(text, &parsed, &["c"]), r#""x""#);
    assert_eq!(parsed.root.as_ref().unwrap().get("a").unwrap().as_str(), Some("\u{fffd}"));
    let found: Vec<_> =
        faults(text, Format::Json).into_iter().map(|(kind, under, ..)| (kind, under)).collect();
    let kind = FaultKind::NotStrict(NotStrict::Javascript);
    let expected = [r"\ud800", "1e999", "-1e999"].map(|text| (kind, text.to_owned()));
    assert_eq!(found, expected);
}

/// OC-2: what JSON5 allows beside JSON is no fault.
#[test]
fn json5_is_read_with_spans() {
    let text = "\u{feff}// a\n{ $a: 'it\\'s {', \"b\": [+0x1F, .5, Infinity,], /* c */ }";
    let parsed = parse_by_format(text, Format::Json5);
    assert_eq!(parsed.faults, []);
    assert_eq!(under(text, &parsed, &["$a"]), r"'it\'s {'");
    assert_eq!(parsed.root.as_ref().unwrap().get("$a").unwrap().as_str(), Some("it's {"));
    assert_eq!(parsed.root.unwrap().get("b").unwrap().as_array().unwrap().len(), 3);
    let deep = format!("['\"',{}", "[".repeat(100_000));
    let kind = |text: &str| parse_by_format(text, Format::Json5).faults[0].kind;
    assert_eq!(
        [kind(&deep), kind("// a"), kind("{a: }")],
        [FaultKind::Limit, FaultKind::Empty, FaultKind::Broken]
    );
}

#[test]
fn json_errors_say_what_and_where() {
    // text, kind, text under the span, part of the message, part of the help
    let broken = [
        (r#"{"a": 1 "b": 2}"#, "", "comma is missing", "between two entries"),
        ("[1 2]", "", "comma is missing", ""),
        (r#"{"a": "say "hi" now"}"#, "", "its text goes on", "as `\\\""),
        (r#"{"a": "\u12"}"#, r"\u12", "an escape that JSON does not have", "a backslash"),
        (r#"{"a": "x" y}"#, "y", "neither", "double quotes"),
        ("{\"hooks\": [\n  {\"a\": 1}", "[", "before this `[` is closed", "line 1, column 11"),
        ("{\"hooks\": [\n  {\"a\": 1\n]}", "]", "`]` where `}`", "line 2, column 3 is still open"),
        ("{\"a\": 1,\n \"b\": {\"c\": 2}", "{", "before this `{` is closed", "line 1, column 1"),
        ("{\"a\": 1}}", "}", "closes nothing", "remove"),
        ("}", "}", "closes nothing", "remove"),
        ("{'a': 1}", "'", "single quotes", "double quotes"),
        ("{a: 1}", "a", "key has no quotes", "double quotes"),
        ("{\"a\" 1}", "1", "`:` is missing", ""),
        ("{\"a\": }", "}", "`}`", ""),
        ("{\"a\": True}", "True", "neither", ""),
        ("{\"a\": [1,,2]}", ",", "missing before the comma", ""),
        ("{\"a\": \"x}\n{\"b\": \"y\"}", "\"x}", "not closed on its line", "`\\n`"),
        ("{\"a\": \"C:\\path\"}", "\\", "escape", "`\\\\`"),
        ("{\"a\": 1} {\"b\": 2}", "{", "more text after", "one JSON value"),
        ("{ /* x", "/* x", "comment is not closed", ""),
        ("hello", "hello", "neither", ""),
    ];
    for (text, under, message, help) in broken {
        let found = faults(text, Format::Json);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        let (kind, found_under, found_message, found_help) = &found[0];
        assert_eq!(*kind, FaultKind::Broken, "{text}");
        assert!(found_under.starts_with(under), "{text}: {found:?}");
        assert!(found_message.contains(message), "{text}: {found:?}");
        assert!(found_help.contains(help), "{text}: {found:?}");
    }
}

#[test]
fn json_without_a_value_is_empty() {
    for (text, message) in [
        ("", "is empty"),
        (" \n\t", "is empty"),
        ("\u{feff}", "byte order mark"),
        ("// {\"hooks\": {}}\n// x", "nothing but comments"),
        ("/* {} */", "nothing but comments"),
    ] {
        let parsed = json(text);
        assert!(parsed.root.is_none());
        assert_eq!(parsed.fatal_fault().unwrap().kind, FaultKind::Empty, "{text}");
        assert!(parsed.faults[0].message.contains(message), "{text}");
    }
}

#[test]
fn toml_gives_the_same_tree() {
    let text = "top = 'é'\n[hook.fmt]\nrun = [\"a\", \"b\"]\ntimeout = 1.5\nwhen.tool = \"Bash\"\nat = 1979-05-27\n\
                [[step]]\nn = 1\n[[step]]\nn = 2\nx = { y = true, z = inf }\n";
    let parsed = parse_by_format(text, Format::Toml);
    assert_eq!(parsed.faults, []);
    assert_eq!(
        parsed.root.as_ref().unwrap().to_json(),
        serde_json::json!({
            "top": "é",
            "hook": {"fmt": {"run": ["a", "b"], "timeout": 1.5, "when": {"tool": "Bash"}, "at": "1979-05-27"}},
            "step": [{"n": 1}, {"n": 2, "x": {"y": true, "z": "inf"}}],
        })
    );
    assert_eq!(under(text, &parsed, &["top"]), "'é'");
    assert_eq!(under(text, &parsed, &["hook", "fmt"]), "[hook.fmt]");
    assert_eq!(under(text, &parsed, &["hook", "fmt", "run", "1"]), "\"b\"");
    assert_eq!(under(text, &parsed, &["hook", "fmt", "when", "tool"]), "\"Bash\"");
    assert_eq!(under(text, &parsed, &["step", "1", "x", "y"]), "true");
    let hook = &parsed.root.as_ref().unwrap().entries()[1];
    assert_eq!(&text[hook.key_span.start..hook.key_span.end], "hook");
}

#[test]
fn toml_errors_have_spans() {
    for (text, under) in
        [("a = 1\nb = \n", ""), ("a = 1\na = 2\n", "a"), ("[x\ny = 1", ""), ("a = [1, 2", "")]
    {
        let found = faults(text, Format::Toml);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].0, FaultKind::Broken, "{text}");
        assert!(found[0].1.starts_with(under), "{text}: {found:?}");
        assert!(found[0].2.chars().next().is_some_and(char::is_lowercase), "{found:?}");
    }
}

const SKILL: &str = "---\r\nname: größe\r\nhooks:\r\n  PreToolUse:\r\n    - matcher: \"Bash|Édit\"\r\n      hooks:\r\n\
    \x20       - {type: command, command: 'é x', timeout: 0x10, once: yes, async: true}\r\n  Stop: []\r\nnone:\r\n---\r\nbody: [\r\n";

#[test]
fn front_matter_gives_the_same_tree_with_spans_of_the_file() {
    let text = SKILL;
    let parsed = parse_by_format(text, Format::FrontMatter);
    assert_eq!(parsed.faults, []);
    let hook = serde_json::json!({"type": "command", "command": "é x", "timeout": 16, "once": "yes", "async": true});
    assert_eq!(
        parsed.root.as_ref().unwrap().to_json(),
        serde_json::json!({
            "name": "größe",
            "hooks": {"PreToolUse": [{"matcher": "Bash|Édit", "hooks": [hook]}], "Stop": []},
            "none": null,
        })
    );
    let path = ["hooks", "PreToolUse", "0", "matcher"];
    assert_eq!(under(text, &parsed, &path), "\"Bash|Édit\"");
    let path = ["hooks", "PreToolUse", "0", "hooks", "0"];
    assert!(under(text, &parsed, &path).starts_with("{type:"), "{}", under(text, &parsed, &path));
    assert!(under(text, &parsed, &path).ends_with("async: true}"));
    assert_eq!(under(text, &parsed, &["hooks", "Stop"]), "[]");
}

#[test]
fn text_without_front_matter_is_no_fault() {
    for text in ["", "# Title\n---\na: 1\n---\n", "---\n\nprose after a rule\n", "--- x\n---\n"] {
        assert_eq!(parse_by_format(text, Format::FrontMatter), Parsed::default(), "{text:?}");
    }
}

#[test]
fn front_matter_faults() {
    let cases = [
        ("---\na: 1\nb: 2\n", FaultKind::Broken, "not closed"),
        ("---\na: [1, 2\n---\n", FaultKind::Broken, ""),
        ("---\na: b: c\n---\n", FaultKind::Broken, ""),
        ("---\n? [x]\n: 1\n---\n", FaultKind::Broken, "not a word"),
        ("---\na: &a [*a]\n---\n", FaultKind::Broken, ""),
        ("---\n---\n", FaultKind::Empty, "empty"),
        ("---\n# only words\n---\n", FaultKind::Empty, "empty"),
    ];
    for (text, kind, message) in cases {
        let found = faults(text, Format::FrontMatter);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].0, kind, "{text}: {found:?}");
        assert!(found[0].2.contains(message), "{text}: {found:?}");
    }
    let twice = parse_by_format("---\na: 1\na: 2\n---\n", Format::FrontMatter).root.unwrap();
    assert_eq!(twice.duplicate_keys().len(), 1);
    assert_eq!(twice.get("a").and_then(Node::as_u64), Some(2));
}

#[test]
fn anchors_work_and_bombs_do_not() {
    let parsed = parse_by_format("---\na: &x {k: 1}\nb: [*x, *x]\n---\n", Format::FrontMatter);
    assert_eq!(
        parsed.root.unwrap().to_json(),
        serde_json::json!({"a": {"k": 1}, "b": [{"k": 1}, {"k": 1}]})
    );
    let mut bomb = String::from("---\na0: &a0 [x, x]\n");
    for level in 1..40 {
        let last = level - 1;
        bomb.push_str(&format!("a{level}: &a{level} [*a{last}, *a{last}, *a{last}, *a{last}]\n"));
    }
    bomb.push_str("---\n");
    assert_eq!(faults(&bomb, Format::FrontMatter)[0].0, FaultKind::Limit);
}

#[test]
fn hostile_texts_end_without_a_stack_overflow() {
    let million = 1_000_000;
    let texts = [
        "[".repeat(million),
        "{\"a\":".repeat(million),
        "{".repeat(million),
        "]".repeat(million),
        "\"".repeat(million),
        "// x\n".repeat(million),
        format!("a = {}", "[".repeat(million)),
        format!("a = {}", "{a=".repeat(million)),
        format!("{} = 1", "a.".repeat(100_000)),
        format!("[{}", "a.".repeat(100_000)),
        format!("---\n{}\n---\n", "[".repeat(100_000)),
        format!("---\n{}\n---\n", "- ".repeat(100_000)),
        format!("---\n{}\n---\n", "? ".repeat(100_000)),
        format!("---\n{}\n---\n", "{a: ".repeat(50_000)),
        format!("---\n{}\n---\n", "&a ".repeat(80_000)),
        format!("---\n{}\n---\n", "\"".repeat(200_000)),
        format!("---\n{}\n---\n", "a: 1\n".repeat(50_000)),
        format!("---\n{}\n---\n", "a\n".repeat(120_000)),
        format!("---\n{}\n---\n", "- [a: {b: [c".repeat(20_000)),
        format!("---\n{}---\n", "&a [*a, ".repeat(20_000)),
        "\u{0}".repeat(1000),
        "---\n\u{0}\u{fffe}\u{2028}\n---".to_owned(),
    ];
    // No clock is looked at. A quadratic walk takes minutes here, and the person who runs the tests gives up.
    for text in &texts {
        for format in [Format::Json, Format::Toml, Format::FrontMatter] {
            let parsed = parse_by_format(text, format);
            assert!(parsed.faults.len() <= text.len());
        }
    }
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(json(&deep(MAX_DEPTH)).root.is_some());
    assert_eq!(json(&deep(MAX_DEPTH + 1)).faults[0].kind, FaultKind::Limit);
}

#[test]
fn every_prefix_and_every_broken_byte_is_survived() {
    let json_text = "\u{feff}{\"a\": [1, \"é\\u00e9\", // c\n {\"b\": null},], 'x': \"\\q\"}";
    let toml_text = "a = 'é'\n[b.c]\nd = { e = [1, 2979-05-27] }\n[[f]]\n";
    for text in [json_text, toml_text, SKILL] {
        for (at, _) in text.char_indices() {
            for junk in ["", "\"", "}", "]", ":", "\n", "\u{0}", "é", "---\n", "*", "&", "/*"] {
                let broken = format!("{}{junk}{}", &text[..at], &text[at..]);
                for format in [Format::Json, Format::Toml, Format::FrontMatter] {
                    let found = faults(&broken, format).len() + faults(&text[..at], format).len();
                    assert!(found < 100);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_is_what_serde_json_reads(text in "[\\[\\]{}:,\"\\\\atrue0-9. \n/é]{0,40}") {
        let parsed = json(&text);
        match serde_json::from_str::<serde_json::Value>(&text) {
            Ok(value) => {
                prop_assert_eq!(parsed.root.map(|root| root.to_json()), Some(value));
                prop_assert_eq!(parsed.faults, vec![]);
            }
            Err(_) => prop_assert!(!parsed.faults.is_empty()),
        }
    }
}

/// Each way in which people break a TOML file is found in its line; what never ends, where the reader lost it.
#[test]
fn broken_toml_is_found_in_its_line() {
    for (text, line, column) in [
        ("[hook.a]\non = \"Stop\nshell = \"true\"\n", 2, 11),
        ("[hook.a]\non = 'Stop\nshell = \"true\"\n", 2, 11),
        ("[hook.a]\non =\nshell = \"true\"\n", 2, 5),
        ("[hook.a]\non \"Stop\"\n", 2, 4),
        ("[hook.a]\non: \"Stop\"\n", 2, 5),
        ("[hook.a]\non = Stop\n", 2, 6),
        ("[hook.a]\non = \"Stop\"\nonce = yes\n", 3, 8),
        ("[hook.a]\r\non = \"Stop\"\r\nonce = yes\r\n", 3, 8),
        ("[hook.a]\non = \"Stop\";\n", 2, 12),
        ("[hook.a]\non = \"Stop\",\nonce = true\n", 2, 12),
        ("[hook.a]\non = \"Stop\"\non = \"Stop\"\n", 3, 1),
        ("[hook.a]\non = \"Stop\"\n\n[hook.a]\n", 4, 7),
        ("[hook.a]\non = \"Stop\"\n\n[[hook.a]]\n", 4, 8),
        ("[hook.a\non = \"Stop\"\n", 1, 8),
        ("[hook.a]\nrun = [\"a\" \"b\"]\n", 2, 12),
        ("[hook.a]\nrun = [\"a\",\n\n[hook.b]\non = \"Stop\"\n", 5, 1),
        ("[hook.a]\nhttp = { url = \"x\"\non = \"Stop\"\n", 3, 1),
        ("[hook.a]\nhttp = \"x\"\nhttp.url = \"y\"\n", 3, 1),
        ("[hook.a]\nwhen = \"a\\.b\"\n", 2, 11),
        ("[hook.a]\nwhen = '''\ntrue\n[hook.b]\n", 5, 1),
        ("[hook.a]\non = \"St\u{1}op\"\n", 2, 9),
        ("# \u{e9}\n[hook.a]\non = \"\u{e9}\" \u{e9}\n", 3, 10),
        ("\u{feff}[hook.a]\nonce = yes\n", 2, 8),
    ] {
        let parsed = parse_by_format(text, Format::Toml);
        let [fault] = parsed.faults.as_slice() else { panic!("{text:?}: {parsed:?}") };
        let before = &text[..fault.span.start];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let found = (before.matches('\n').count() + 1, before[start..].chars().count() + 1);
        assert_eq!(found, (line, column), "{text:?}: {}", fault.message);
    }
}

/// The part lost with a broken file is named, and nothing else is.
#[test]
fn broken_toml_says_what_is_lost() {
    let lists = Lists { inner: "hooks", known_by: "matcher" };
    let help = |text: &str| parse_or_salvage(text, Format::Toml, lists).faults[0].help.clone();
    let lost = "mend it; lost until then: ";
    let text = "[hook.a] # one\non = Stop\nrun = [\n [1, 2]\n]\n\n  [[hooks]]\n[b\nx = 1\n";
    assert_eq!(help(text).unwrap(), format!("{lost}`[hook.a]` in line 1, `[b` in line 8"));
    let many = (0..7).fold("x = y\n".to_owned(), |text, at| format!("{text}[hook.h{at}]\n!\n"));
    assert!(help(&many).unwrap().ends_with("`[hook.h4]` in line 10 and 2 more"));
    assert_eq!(help("x = y\n"), None);
}

/// C-71: what is whole is kept, and what is not is named; a comma too few costs nothing.
#[test]
fn json_is_salvaged_by_its_brackets() {
    let lists = Lists { inner: "hooks", known_by: "matcher" };
    let saved = |text: &str| {
        let parsed = parse_or_salvage(text, Format::Json, lists);
        let root = parsed.root.as_ref().map(|root| root.to_json().to_string());
        (root.unwrap_or_default(), parsed.lost.is_empty())
    };
    for (text, root, whole) in [
        (r#"{"a": 1 "b": 2}"#, r#"{"a":1,"b":2}"#, true),
        (r#"{"a": [1 2]}}"#, r#"{"a":[1,2]}"#, true),
        (r#"{"a": 1} {"b": 2}"#, r#"{"a":1}"#, false),
        (r#"{"a": 1, 'b': 2, "c": 3}"#, r#"{"a":1,"c":3}"#, false),
        (r#"{"a": [{"b": 1}, {"c": 2"#, r#"{"a":[{"b":1}]}"#, false),
        (r#"{"a": [{"b": 1}, {"c": 2, oops}]}"#, r#"{"a":[{"b":1}]}"#, false),
        (r#"{"a": {"b": 1"#, r#"{"a":{}}"#, false),
        (r#"{"a": {"b": 1, "#, r#"{"a":{"b":1}}"#, false),
        (r#"{"a": [{"x": 1]}, "b": 2}"#, r#"{"a":[]}"#, false),
        (
            r#"{"a": "x
             "b": 2}"#,
            r#"{"b":2}"#,
            false,
        ),
        (r#"{"a": [], "b": ["#, r#"{"a":[]}"#, false),
        (r#"{"a": [{"hooks": [{"b": 1}, {"c"#, r#"{"a":[]}"#, false),
        (
            r#"{"a": [{"matcher": "m", "hooks": [{"b": 1}, {"c"#,
            r#"{"a":[{"matcher":"m","hooks":[{"b":1}]}]}"#,
            false,
        ),
        (r#"{"a": [{"hooks": [{"b": 1}, {"c"}]}]}"#, r#"{"a":[{"hooks":[{"b":1}]}]}"#, false),
        ("\u{feff}oops {\"a\": 1}", r#"{"a":1}"#, false),
        ("{\"a\": 1}\n/* the end", r#"{"a":1}"#, false),
        ("\0\0\0", "", false),
        ("", "", true),
    ] {
        assert_eq!(saved(text), (root.to_owned(), whole), "{text}");
    }
    for hostile in ["{\"a\":".repeat(10_000), "[{".repeat(10_000), "{\"a\" ".repeat(50_000)] {
        assert!(!saved(&hostile).1);
    }
}

/// What Python's `tomllib` (3.12) refuses, and what it takes.
#[test]
fn values_that_only_toml_1_1_permits_are_found() {
    for (text, is_newer) in [
        ("a = {\n b = 1 }", true),
        ("a = { b = 1,\n c = 2 }", true),
        ("a = { b = 1, }", true),
        ("a = [{ b = 1 }, { b = 1, }]", true),
        ("a = \"\\e\"", true),
        ("[[a]]\nb = \"\\x41\"", true),
        ("a = 07:32", true),
        ("a = 1979-05-27T07:32Z", true),
        ("a = { b = \"\"\"x,\ny\"\"\", c.d = 1, c.e = 2 }", false),
        ("a = { b = [1,\n2,] }", false),
        ("a = {}", false),
        ("a = \"\\\\e \\u0041\"", false),
        ("a = '\\e'", false),
        ("a = 1979-05-27T07:32:00Z", false),
        ("a = 1979-05-27", false),
        ("a = 07:32:00.5", false),
        ("a = 1.5", false),
    ] {
        let root = parse_by_format(text, Format::Toml).root.expect("a tree");
        assert_eq!(find_value_of_toml_1_1(&root, text).is_some(), is_newer, "{text}");
    }
}
