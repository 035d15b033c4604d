//! What hooks print that is no clean answer. A table; runs nothing.

use crate::chaos::plays::texts;
use crate::chaos::row::Hook::{Fake, Python};
use crate::chaos::row::{ENGINE, READING_MS, Required, Row, denies, fails, played};

/// A hook that prints these bytes: `\xNN`, `\n`.
const fn prints(
    number: u8,
    name: &'static str,
    words: &'static [&'static str],
    codes: &'static [&'static str],
) -> Row {
    fails(number, name, Fake(words), codes)
}

/// A hook that prints what this program says.
const fn prints_by_python(
    number: u8,
    name: &'static str,
    text: &'static str,
    codes: &'static [&'static str],
) -> Row {
    fails(number, name, Python(text), codes).takes(READING_MS)
}

const UNREADABLE: &[&str] =
    &["unreadable-answer", "invalid-answer", "unclear-answer", "torn-answer"];
const ENCODING: &[&str] = &["answer-encoding"];
/// An undecodable answer is reported with either code.
const UNDECODED: &[&str] = &["answer-encoding", "unreadable-answer"];
const TEXT: &[&str] = &[
    "unreadable-answer",
    "text-before-answer",
    "text-after-answer",
    "text-around-answer",
    "several-answers",
];
const MISSPELT: &[&str] =
    &["misspelt-decision", "misspelt-key", "unclear-answer", "invalid-answer"];

pub(super) const ROWS: &[Row] = &[
    prints(31, "invalid_utf8", &["--raw", r#"{"decision":"allow","reason":"\xff"}"#], UNDECODED),
    prints(31, "invalid_utf8_in_a_denial", &["--raw", r#"{"decision":"deny","reason":"the hook said so \xff"}"#], ENCODING)
        .or(Required::DenyWith(ENCODING)),
    prints(32, "nul_bytes", &["--raw", r#"{"decision":"allow"\x00}"#], UNREADABLE),
    prints(32, "nul_bytes_in_a_text", &["--raw", r#"{"decision":"allow","reason":"a\x00b"}"#], &["relaxed-json", "unreadable-answer"]),
    prints(32, "escaped_nul_bytes", &["--raw", r#"{"decision":"deny","reason":"the hook \\u0000said so"}"#], &[])
        .or(Required::Deny),
    prints(33, "deep_nesting", &["--fill", "91", "1000000"], UNREADABLE).takes(READING_MS),
    prints_by_python(33, "deep_nesting_of_objects", r#"print('{"a":' * 150000)"#, UNREADABLE),
    prints_by_python(33, "deep_nesting_behind_an_allow", r#"print('{"decision":"allow","extra":' + '[' * 500000 + ']' * 500000 + '}')"#, UNREADABLE),
    prints(34, "dup_keys_deny_then_allow", &["--raw", r#"{"decision":"deny","reason":"the hook said so","decision":"allow"}"#], &[])
        .or(Required::DenyWith(&["duplicate-key"])),
    prints(34, "dup_keys_allow_then_deny", &["--raw", r#"{"decision":"allow","reason":"the hook said so","decision":"deny"}"#], &[])
        .or(Required::DenyWith(&["duplicate-key"])),
    prints(34, "dup_keys_allow_twice", &["--raw", r#"{"decision":"allow","decision":"allow"}"#], &["duplicate-key", "invalid-answer", "unreadable-answer"]),
    prints(35, "bom", &["--raw", r#"\xef\xbb\xbf{deny}"#], &[]).or(Required::Deny),
    prints(35, "crlf", &["--raw", r#"{\x0d\n"decision":"deny",\x0d\n"reason":"the hook said so"\x0d\n}\x0d\n"#], &[])
        .or(Required::Deny),
    prints_by_python(35, "utf16", r#"import sys; sys.stdout.buffer.write('{allow}'.encode('utf-16'))"#, UNDECODED),
    prints_by_python(35, "utf16_denial", r#"import sys; sys.stdout.buffer.write('{deny}'.encode('utf-16'))"#, ENCODING)
        .or(Required::DenyWith(ENCODING)),
    prints(36, "two_documents", &["--stdout", "{allow}", "--stdout", "{allow}"], TEXT),
    prints(36, "two_documents_one_denies", &["--stdout", "{allow}", "--stdout", "{deny}"], TEXT),
    prints(36, "log_then_json", &["--stdout", "starting", "--stdout", "{allow}"], &["unreadable-answer", "text-before-answer"]),
    prints(36, "log_then_denial", &["--stdout", "starting", "--stdout", "{deny}"], &[])
        .or(Required::DenyWith(&["text-before-answer"])),
    prints(36, "json_then_log", &["--stdout", "{allow}", "--stdout", "done"], &["unreadable-answer", "text-after-answer"]),
    prints(36, "denial_then_log", &["--stdout", "{deny}", "--stdout", "done"], &[])
        .or(Required::DenyWith(&["text-after-answer"])),
    prints(37, "miscased_key", &["--stdout", r#"{"Decision":"deny"}"#], MISSPELT),
    prints(37, "upper_case_denial", &["--stdout", r#"{"decision":"DENY"}"#], MISSPELT),
    prints(37, "denial_with_a_blank", &["--stdout", r#"{"decision":"deny "}"#], MISSPELT),
    prints(37, "homoglyph_denial", &["--stdout", r#"{"decision":"d\u0435ny"}"#], MISSPELT),
    prints(37, "miscased_consent", &["--stdout", r#"{"Decision":"Allow"}"#], MISSPELT),
    prints(37, "unknown_decision", &["--stdout", r#"{"decision":"permit?"}"#], MISSPELT),
    prints_by_python(38, "huge_string", r#"print('{"decision":"allow","context":"' + 'x' * (2 << 20) + '"}')"#, &["output-too-large"]),
    prints_by_python(38, "huge_string_under_the_cap", r#"print('{"decision":"deny","reason":"the hook said so ' + 'x' * 900000 + '"}')"#, &[])
        .or(Required::Deny),
    prints_by_python(38, "200k_keys", r#"print('{"decision":"allow",' + ','.join('"%x":0' % it for it in range(200000)) + '}')"#, &["output-too-large"]),
    prints_by_python(38, "80k_keys", r#"print('{"decision":"allow","extra":{' + ','.join('"%x":0' % it for it in range(80000)) + '}}')"#, UNREADABLE),
    prints(38, "1e999", &["--stdout", r#"{"decision":"allow","extra":{"a":1e999}}"#], UNREADABLE),
    prints(38, "NaN", &["--stdout", r#"{"decision":"allow","extra":{"a":NaN}}"#], &["relaxed-json", "unreadable-answer"]),
    denies(39, "ansi_in_reason", Python(texts::ANSI)).also(texts::clean).takes(500),
    denies(40, "bidi_and_tags", Python(texts::HIDDEN))
        .or(Required::DenyWith(&["hidden-text"]))
        .also(texts::clean)
        .takes(500),
    denies(41, "fake_system_block", Python(texts::BLOCK)).also(texts::clean).takes(500),
    played(41, "fake_system_block_before_a_model", ENGINE, "escaped, within a block that names its source", texts::block),
    prints_by_python(42, "ten_MB_context", r#"print('{"decision":"allow","context":"' + 'x' * (10 << 20) + '"}')"#, &["output-too-large"]),
    prints_by_python(42, "ten_MB_context_of_a_denial", r#"print('{"decision":"deny","reason":"the hook said so","context":"' + 'x' * (10 << 20) + '"}')"#, &[])
        .or(Required::DenyWith(&["torn-answer", "output-too-large"])),
    prints_by_python(42, "context_under_the_cap", r#"print('{"decision":"deny","reason":"the hook said so","context":"' + 'x' * 500000 + '"}')"#, &[])
        .or(Required::Deny)
        .also(texts::context_is_cut),
];
