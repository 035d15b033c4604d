//! Whether every deviation is named, nothing hidden is lost, and no text takes long.

use proptest::prelude::*;

use super::*;

const DENY: &str = r#"{"decision": "block", "reason": "é"}"#;

/// The names of the deviations, in order.
fn names(reading: &Reading) -> Vec<&'static str> {
    reading.deviations.iter().map(Deviation::name).collect()
}

/// Whether any object or pair of the reading says `"decision": "block"`.
fn denies(reading: &Reading) -> bool {
    let fields = reading.found_objects().iter().flat_map(Object::possible_readings);
    fields
        .into_iter()
        .any(|field| field.get("decision").is_some_and(|decision| decision == "block"))
        || reading.torn_pairs().iter().any(|(key, value)| key == "decision" && value == "block")
}

/// J-1, J-2, J-3.
#[test]
fn empty_plain_and_strict() {
    for text in ["", " \r\n\t", "\u{feff}"] {
        let reading = read_output(text.as_bytes());
        assert_eq!((reading.found.clone(), names(&reading)), (Found::Empty, vec![]), "{text:?}");
    }
    for text in [DENY, "\u{feff}{\"decision\":\"block\"}", "\r\n  {\"decision\":\"block\"}\r\n\n"] {
        let reading = read_output(text.as_bytes());
        assert_eq!(reading.bom, text.starts_with('\u{feff}'));
        assert_eq!(
            reading.as_strict_object().and_then(|object| object.get("decision")),
            Some(&"block".into())
        );
        assert!(reading.begins_with_brace());
    }
    assert!(read_output(b"{}").as_strict_object().is_some_and(Map::is_empty));
}

/// J-6, J-7, J-8, J-9, J-10, J-11, J-12, J-13, J-14, J-15, J-18: samples of each.
#[test]
fn each_deviation_is_named_and_the_denial_in_it_is_seen() {
    let cases: &[(&str, &[&str])] = &[
        ("checking...\n{D}", &["text-before"]),
        ("Checking command:\n{D}\n", &["text-before"]),
        ("log\r\n{D}\r\n", &["text-before"]),
        ("a\n\nb\n{\n  \"decision\": \"block\"\n}\n", &["text-before"]),
        ("{D}\ndone", &["text-after"]),
        ("{D} done", &["text-after"]),
        ("{D}\u{0}", &["text-after"]),
        ("log\n{\"decision\": \"block\", \"reason\": \"\u{9d}\"}", &["text-before"]),
        ("\u{0}{D}", &["control-characters"]),
        ("\u{1b}[32m{D}\u{1b}[0m\n", &["control-characters"]),
        (
            "\u{1b}[1;39m{\u{1b}[0m\u{1b}[34;1m\"decision\"\u{1b}[0m: \u{1b}[0;32m\"block\"\u{1b}[1;39m}\u{1b}[0m",
            &["control-characters"],
        ),
        ("\u{1b}[2mlog\u{1b}[0m\n{D}", &["text-before"]),
        ("\u{1b}[2mlog\n\u{1b}[0m{D}", &["control-characters", "text-before"]),
        ("start\n{D}\nend", &["text-around"]),
        ("```sh\nls\n```\n{D}\nend", &["text-around"]),
        ("{D}{\"a\": 1}", &["several-objects"]),
        ("{\"a\": 1}\n{D}\n", &["several-objects"]),
        ("{\"a\": 1}\nlog\n{D}", &["text-after", "several-objects"]),
        ("log\n{\"a\": 1}\n{D}", &["text-before", "several-objects"]),
        ("{\"decision\": \"block\", \"decision\": \"approve\"}", &["duplicate-key"]),
        ("{\"decision\": \"approve\", \"decision\": \"block\"}", &["duplicate-key"]),
        ("```json\n{D}\n```", &["fenced"]),
        ("~~~json\n{D}\n~~~", &["fenced"]),
        ("```\r\n{D}\r\n```\r\n", &["fenced"]),
        ("[{D}]", &["in-array"]),
        ("[ {D} ]\n", &["in-array"]),
        ("'{D}'", &["in-string"]),
        (r#""{\"decision\": \"block\"}""#, &["in-string"]),
        (r#"{\"decision\": \"block\"}"#, &["in-string"]),
        ("{\"decision\": \"block\",}", &["relaxed-json"]),
        ("{\"decision\": \"block\" /* no */}", &["relaxed-json"]),
        ("{\"decision\": \"block\" // no\n}", &["relaxed-json"]),
        ("{'decision': 'block', 'x': [True, False, None,]}", &["relaxed-json"]),
        ("{'reason': 'it\\'s \"x\" \\x41', 'decision': 'block'}", &["relaxed-json"]),
        ("{decision: \"block\"}", &["relaxed-json"]),
        ("log\n{'decision': 'block'}", &["text-before", "relaxed-json"]),
        ("{\"decision\": \"block\", \"reason\": \"bad", &["torn-json"]),
        ("{\"decision\": \"block\"", &["torn-json"]),
        ("{\"decision\": \"block\", \"reason\": \"use \"rg\" instead\"}", &["torn-json"]),
        ("{\"reason\": \"it's 5\" wide\", \"decision\": \"block\"}", &["torn-json"]),
        ("{\"reason\": \"line\nbreak\", \"decision\": \"block\"}", &["torn-json"]),
        ("{\"reason\": \"C:\\path\", \"decision\": \"block\"}", &["torn-json"]),
        ("{\"x\": {\"y\": 1e999}, \"decision\": \"block\"}", &["torn-json"]),
        ("{\"x\": NaN, \"decision\": \"block\"}", &["torn-json"]),
        ("{\"reason\": \"a\u{0}b\", \"decision\": \"block\"}", &["control-characters"]),
        ("log\n{\"decision\": \"block\", \"reason\": \"bad", &["text-before", "torn-json"]),
        (
            "log\n{\"decision\": \"block\", \"reason\": \"a \"b\" c\"}",
            &["text-before", "torn-json"],
        ),
    ];
    for (text, expected) in cases {
        let text = text.replace("{D}", DENY);
        let reading = read_output(text.as_bytes());
        assert_eq!(names(&reading), *expected, "{text:?}");
        assert!(denies(&reading), "{text:?}: {reading:?}");
        assert_eq!(reading.as_strict_object(), None, "{text:?}");
        for deviation in &reading.deviations {
            assert!(!deviation.to_string().is_empty() && !deviation.help().is_empty());
            assert!(deviation.spec_rule_number().starts_with("J-"));
        }
    }
}

#[test]
fn text_that_only_shows_an_object_holds_none() {
    let innocents = [
        "all good",
        "To block, print {D} on stdout.",
        "To block, print {D}",
        "[info] {D}",
        "  {D}",
        "Docs\n  {D}\n",
        "Docs\n\t{D}\nmore",
        "Example:\n\n    {D}\n\nThat blocks.",
        "Example:\n{D}\nThat blocks.",
        "Example:\n\n{D}\nThat blocks.",
        "Use this:\n```json\n{D}\n```\n",
        "Use this\n```json\n{D}\n```",
        "Use this\n~~~\n{D}\n~~~\nor not",
        "```json\n{D}\n```\nis what a hook prints",
        "```\n{D}\n```\ntext\n```\n{D}\n```",
        "- {D}\n- {D}",
        "> {D}",
        "`{D}`",
        "log\n{D} is what you print\nend",
        "[1, 2]",
        "[{D}, {D}]",
        "[\"{\"]",
        "\"just a string\"",
        "'quoted'",
        "42",
        "\u{1b}[31mred\u{1b}[0m {D}",
        "null",
        "true",
        "function f()\n{\n  return 1;\n}\n",
        "a {\n b\n}\n",
        "log\n{not json}\nend",
        "+{D}",
        "diff\n-{D}\n",
    ];
    for text in innocents {
        // An innocent that begins with a brace would not be one: it promises JSON.
        let text = text.replace("{D}", DENY);
        if text.trim_start().starts_with('{') {
            assert!(read_output(text.as_bytes()).as_strict_object().is_some(), "{text:?}");
            continue;
        }
        let reading = read_output(text.as_bytes());
        assert_eq!((&reading.found, names(&reading)), (&Found::Text, vec![]), "{text:?}");
    }
}

/// J-6.
#[test]
fn every_hidden_duplicate_has_its_reading() {
    let text = r#"{"h": {"d": "a", "d": "b"}, "h": {"d": "c", "d": "d", "e": [{"x": 1, "x": 2}]}, "k": 1}"#;
    let reading = read_output(text.as_bytes());
    let [object] = reading.found_objects() else { panic!("one object") };
    let last = serde_json::json!({"h": {"d": "d", "e": [{"x": 2}]}, "k": 1});
    assert_eq!(Value::Object(object.fields.clone()), last);
    let shadowed: Vec<_> = object.shadowed.iter().cloned().map(Value::Object).collect();
    assert_eq!(
        shadowed,
        [
            serde_json::json!({"h": {"d": "b"}, "k": 1}),
            serde_json::json!({"h": {"d": "a"}, "k": 1}),
            serde_json::json!({"h": {"d": "c", "e": [{"x": 2}]}, "k": 1}),
            serde_json::json!({"h": {"d": "d", "e": [{"x": 1}]}, "k": 1}),
        ]
    );
    let paths: Vec<_> = reading.deviations.iter().map(ToString::to_string).collect();
    assert_eq!(
        paths,
        ["h", "h.d", "h.e[].x"].map(|path| format!("the key `{path}` is written twice"))
    );
}

/// J-16, J-17.
#[test]
fn encodings_are_read_and_named() {
    let le: Vec<u8> = DENY.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let be: Vec<u8> = DENY.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (mark, body, bom) in [
        (&[0xff, 0xfe][..], &le, true),
        (&[0xfe, 0xff][..], &be, true),
        (&[][..], &le, false),
        (&[][..], &be, false),
    ] {
        let reading = read_output(&[mark, body].concat());
        assert_eq!((names(&reading), reading.bom), (vec!["utf-16"], bom));
        assert!(denies(&reading), "{reading:?}");
        assert_eq!(reading.text, DENY);
    }
    let reading = read_output(b"{\"decision\": \"block\", \"reason\": \"\xff\"}");
    assert_eq!(names(&reading), ["invalid-utf-8"]);
    assert!(
        denies(&reading)
            && reading.as_strict_object().is_none()
            && reading.text.contains('\u{fffd}')
    );
    let reading = read_output(b"caf\xe9");
    assert_eq!((names(&reading), reading.found), (vec!["invalid-utf-8"], Found::Text));
}

/// J-4, J-15.
#[test]
fn limits_hold_and_a_denial_beyond_them_is_still_seen() {
    let nest = |depth: usize| {
        format!("{{\"decision\": \"block\", \"x\": {}{}}}", "[".repeat(depth), "]".repeat(depth))
    };
    assert!(read_output(nest(MAX_DEPTH - 1).as_bytes()).as_strict_object().is_some());
    let keys = |count: usize| {
        let keys: String = (0..count).map(|key| format!("\"k{key}\": 0, ")).collect();
        format!("{{{keys}\"decision\": \"block\"}}")
    };
    assert!(read_output(keys(MAX_NODES - 2).as_bytes()).as_strict_object().is_some());
    let twice = format!("{{{} \"b\": 2}}", "\"decision\": \"block\", ".repeat(MAX_SHADOWED + 2));
    for (text, name) in [
        (nest(MAX_DEPTH), "too-deep"),
        (nest(1_000_000), "too-deep"),
        (keys(MAX_NODES - 1), "too-big"),
        (keys(200_000), "too-big"),
        (twice, "too-big"),
        (format!("{DENY}\n").repeat(MAX_OBJECTS + 2), "too-big"),
    ] {
        let reading = read_output(text.as_bytes());
        assert!(names(&reading).contains(&name), "{:?}", names(&reading));
        assert!(reading.found_objects().is_empty() && denies(&reading));
    }
}

/// J-5.
#[test]
fn hostile_texts_come_to_an_end() {
    let million = 1_000_000;
    let texts = [
        "[".repeat(million),
        "{".repeat(million),
        "{\"a\":".repeat(million / 4),
        "{\n".repeat(million / 2),
        "x\n{/*\n".repeat(million / 8),
        "x\n{\"a\":[\n".repeat(million / 8),
        "x\n{\"a\":\"\n".repeat(million / 8),
        "x\n{'a':{'b':[\n".repeat(million / 8),
        "x\n{\"a\": 1, /* \n".repeat(million / 8),
        "\"".repeat(million),
        "'".repeat(million),
        "```\n".repeat(million / 4),
        "\"a\":".repeat(million / 4),
        "{\"a\":\"b\"".repeat(million / 8),
        format!("{{{}", "\"a\": \"b\", ".repeat(million / 10)),
        "\u{0}".repeat(million),
        "{\\\"".repeat(million / 4),
    ];
    // No clock is looked at. A quadratic walk takes minutes here, and the person who runs the tests gives up.
    for text in &texts {
        assert_eq!(read_output(text.as_bytes()).as_strict_object(), None);
    }
    assert_eq!(read_output(texts[0].as_bytes()).found, Found::Text);
}

#[test]
fn every_prefix_of_every_shape_is_survived() {
    let text =
        format!("log\n{{'a': [1, \"x\\u00e9\", /* c */ {{b: None}},],}}\n{DENY}\n```\n'[\"{{");
    for from in 0..text.len() {
        for to in from..text.len() {
            let reading = read_output(&text.as_bytes()[from..to]);
            assert!(
                reading.as_strict_object().is_none_or(|object| !object.is_empty()),
                "{from}..{to}"
            );
        }
    }
}

/// Any value of JSON, a few levels deep.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::btree_map(any::<String>(), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_printed_is_read_strictly_and_behind_a_log_line_too(inner in value(), pretty in any::<bool>()) {
        let object = serde_json::json!({"decision": "block", "x": inner});
        let text = if pretty { serde_json::to_string_pretty(&object) } else { serde_json::to_string(&object) }.unwrap();
        let expected = object.as_object().unwrap();
        let alone = read_output(text.as_bytes());
        prop_assert_eq!(alone.as_strict_object(), Some(expected));
        let behind = read_output(format!("a log line\n{text}\n").as_bytes());
        prop_assert_eq!(&behind.deviations, &[Deviation::TextBefore]);
        prop_assert_eq!(behind.found_objects().iter().map(|object| &object.fields).collect::<Vec<_>>(), vec![expected]);
        for to in (1..text.len()).step_by(1 + text.len() / 20) {
            let torn = read_output(&text.as_bytes()[..to]);
            prop_assert!(torn.as_strict_object().is_none());
        }
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200), json in "[\\[\\]{}:,'\"\\\\a`\n/*# ]{0,80}") {
        prop_assert!(read_output(&bytes).deviations.len() < 50);
        prop_assert!(read_output(json.as_bytes()).deviations.len() < 50);
    }
}
