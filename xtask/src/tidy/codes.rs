//! Has every code of a diagnostic its entry in `docs/spec/diagnostics.md`, and of a fault in `docs/spec/faults.md`?

use std::collections::BTreeMap;

use regex::Regex;

use super::Findings;
use crate::tree::File;

const PAGES: &[&str] = &["docs/spec/diagnostics.md", "docs/spec/faults.md"];

/// How a code stands in the source: the first text of the values that carry one.
const CARRIERS: &[&str] = &[
    r#"Diagnostic::new\(\s*"([a-z][a-z0-9-]+)""#,
    r#"Answer::failed\(\s*"([a-z][a-z0-9-]+)""#,
    r#"Fault::of\([^",]+,\s*"([a-z][a-z0-9-]+)""#,
    r#"\bcode: "([a-z][a-z0-9-]+)""#,
    r#"\(Self::[A-Za-z]+,\s*"([a-z]+-[a-z-]+)","#,
];

pub(super) fn check(files: &[File], findings: &mut Findings) {
    let pages = files.iter().filter(|it| PAGES.contains(&it.path.as_str()));
    let page: String = pages.map(|it| it.text.as_str()).collect();
    let mut codes: BTreeMap<&str, &str> = BTreeMap::new();
    let sources =
        files.iter().filter(|it| it.is_rust() && it.path.starts_with("crates/tenterhook"));
    for file in sources {
        for carrier in CARRIERS.iter().filter_map(|it| Regex::new(it).ok()) {
            let found = carrier.captures_iter(file.source()).filter_map(|it| it.get(1));
            codes.extend(found.map(|it| (it.as_str(), file.path.as_str())));
        }
    }
    for (code, path) in codes {
        if !page.contains(&format!("`{code}`")) {
            findings.error(path, format!("`{code}` has no entry in {}", PAGES.join(" or ")));
        }
    }
}
