//! Any text is a pattern or a rule, and comes to an end on any subject: within bounded steps, whatever it looks back at.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenterhook_core::matcher::rule::Rule;
use tenterhook_core::matcher::{Matcher, MatcherSpec};

fuzz_target!(|input: (&str, &str)| {
    let (pattern, subject) = input;
    let _ = Matcher::new(MatcherSpec::Regex(pattern.to_owned())).matches(Some(subject));
    let words = pattern.split('|').map(str::to_owned).collect();
    let _ = Matcher::new(MatcherSpec::Words(words)).matches(Some(subject));
    if let Ok(rule) = Rule::parse(pattern) {
        let _ = (rule.text().len(), rule.tool_name(), rule.style_warnings());
    }
});
