//! The page that lists the cases and tests that prove each rule, drawn from the numbers that they cite.

use std::fmt::Write as _;

use crate::tidy::rules;
use crate::tree;

const HEAD: &str = "\
<!-- Written by `cargo xtask gen`; cite the number of a rule in a case or a test instead. -->

# What proves each rule

Cases lie in `conformance`; a name without a slash is a test.
";

pub(super) fn page() -> String {
    let mut page = HEAD.to_owned();
    let files = tree::files().unwrap_or_default();
    for (path, rules) in rules::proofs(&files) {
        if rules.is_empty() {
            continue;
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let _ = write!(page, "\n## [{name}]({name})\n\n| rule | cases and tests |\n|---|---|\n");
        for (number, names) in rules {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let _ = writeln!(page, "| {number} | {} |", names.join(", "));
        }
    }
    page
}
