//! What a look at the text of a pattern promises must hold for the parser and the engine (RU-33).

use proptest::prelude::*;

use crate::rule::outline::Outline;
use crate::rule::search::{SMALL, Search, Written};

/// Parts of patterns, valid and not.
const PIECES: &[&str] = &[
    "a", "B", "k", "_", "-", "/", "^", "$", ".", "(", "(?:", ")", "|", "[", "]", "[^", "a-c", "&&",
    "&", "~", "*", "+", "?", "{2}", "{1,}", "{0,3}", "{", "}", "\\", "\\s", "\\S", "\\w", "\\W",
    "\\d", "\\b", "\\B", "\\.", "\\]", "\\n", "(?i)", "é", "--", "<", "(^|/)", "[.]", "[!@?+*]",
    "[0-9.]*", "(ab|c)", "$)", ":", " ", "\\/", "[a-z_-]+",
];

/// Whether anything in the text matches, by the `regex` crate; `None` for an invalid pattern.
fn matches(pattern: &str, text: &str) -> Option<bool> {
    regex::Regex::new(pattern).ok().map(|regex| regex.is_match(text))
}

fn check(pattern: &str, text: &str) -> Result<(), TestCaseError> {
    let Some(outline) = Outline::read(pattern) else { return Ok(()) };
    let found = matches(pattern, text);
    prop_assert!(found.is_some(), "`{}` is taken for valid", pattern);
    if outline.rules_out(text) {
        prop_assert_eq!(found, Some(false), "`{}` is ruled out in `{}`", pattern, text);
    }
    let search = match Search::compile(pattern, Written::InEvent) {
        Ok(search) => search,
        // Only a pattern that the parser read may be refused for its size.
        Err(error) => {
            prop_assert!(outline.states > SMALL, "`{}`: {}", pattern, error);
            return Ok(());
        }
    };
    prop_assert_eq!(search.is_match(text, &|_| Ok(())).ok(), found, "`{}` in `{}`", pattern, text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn outline_of_pieces_is_what_the_parser_reads(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 1..9),
        text in "[abBckK_/. &\n1-]{0,6}",
    ) {
        check(&pieces.concat(), &text)?;
    }

    #[test]
    fn outline_of_any_text_is_what_the_parser_reads(
        pattern in "[ab\\[\\]()|^$.*+?{}\\\\swdbBnr0-9,&~<>_ :i-]{0,12}",
        text in "[abBs1 .\n-]{0,5}",
    ) {
        check(&pattern, &text)?;
    }
}

/// Each ASCII character, escaped, alone and in a class.
#[test]
fn escapes_that_are_read_are_valid() {
    for byte in 0..128_u8 {
        for pattern in [format!("\\{}", byte as char), format!("[\\{}]", byte as char)] {
            for text in ["", "a", " ", "\n", &char::from(byte).to_string()] {
                check(&pattern, text).expect("the same");
            }
        }
    }
}

#[test]
fn texts_without_what_a_match_needs_are_ruled_out() {
    for (pattern, ruled_out, possible) in [
        ("^(btrfs|zfs|[lv]gremove)\\b", ["ls", ""], "lvs lgremove"),
        ("^(python|perl|lua)[0-9.]*$", ["ls", "prs"], "perl5"),
        ("(?i)^(Vss|wmic) delete", ["x wmic delete", "wm"], "WMIC Delete"),
        ("(^|/)manage[.]py$", ["git", "a/manage.pyc"], "x/manage.py"),
    ] {
        let outline = Outline::read(pattern).expect("an outline");
        for text in ruled_out {
            assert!(outline.rules_out(text), "{pattern} {text:?}");
        }
        assert!(!outline.rules_out(possible), "{pattern} {possible:?}");
    }
    assert!(!Outline::read("^a").expect("an outline").rules_out("é"));
}

/// A pattern that is compiled at its first use must not turn out to be too large then.
#[test]
fn bounds_of_states_hold() {
    let pieces = [
        "a",
        ".",
        "[^a]",
        "\\s",
        "\\S",
        "\\w",
        "\\W",
        "\\d",
        "\\D",
        "[^\\s\\w]",
        "[\\d\\S]",
        "[\\s\\S]",
        "[^\\w\\W]",
        "a{7}",
        "(\\s|\\S){2}",
    ];
    for piece in pieces
        .iter()
        .flat_map(|piece| [(*piece).to_owned(), format!("(?i){piece}"), format!("(?i)k{piece}s")])
    {
        let states = Outline::read(&piece).expect("an outline").states;
        let (flag, bare) = piece.strip_prefix("(?i)").map_or(("", &*piece), |bare| ("(?i)", bare));
        let pattern = format!("{flag}{}", bare.repeat((4000 / states).max(1)));
        let outline = Outline::read(&pattern).expect("an outline");
        let search = Search::compile(&pattern, Written::InEvent).expect(&pattern);
        assert!(
            search.find_first("a é", &|_| Ok(())).is_ok(),
            "{pattern} of {} states",
            outline.states
        );
        assert!(
            search.find_first(&"ak1s ".repeat(900), &|_| Ok(())).is_ok(),
            "{pattern} of {} states",
            outline.states
        );
    }
}
