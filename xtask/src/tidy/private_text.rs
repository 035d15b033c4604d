//! Does any file name a machine, a person or a suppressed lint?

use regex::Regex;

use super::Findings;
use crate::tree::File;

/// Folders whose files are records of others and stay as they were.
const RECORDS: &[(&str, &str)] = &[
    ("conformance/observed/", "what real agents did, unmodified"),
    ("conformance/guardrails/", "ordinary commands and attacks, which hold addresses and versions"),
];

/// Addresses that belong to no person.
const IMPERSONAL: &[&str] =
    &["git@github.com", "example.com", "example.org", ".example", "evil.org"];

/// Where this clone lies: no file says so, or it would mean one machine.
const THIS_CLONE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/");

/// In two parts, so that this file does not hold what it looks for.
const SUPPRESSION: &str = concat!("#[", "allow(");

pub(super) fn check(files: &[File], findings: &mut Findings) {
    let Ok(mail) = Regex::new(r"[A-Za-z0-9._-]+@[A-Za-z0-9-]+\.[A-Za-z.]+") else { return };
    let this_clone = THIS_CLONE.trim_end_matches("xtask/");
    for file in files {
        if RECORDS.iter().any(|(prefix, _)| file.path.starts_with(prefix)) {
            continue;
        }
        for line in file.text.lines() {
            if line.contains(this_clone) {
                findings.error(&file.path, format!("names a path of one machine: {}", line.trim()));
            }
            for found in mail.find_iter(line) {
                if !IMPERSONAL.iter().any(|suffix| found.as_str().ends_with(suffix)) {
                    findings.error(&file.path, format!("names an address: {}", found.as_str()));
                }
            }
            if file.is_rust() && line.trim_start().starts_with(SUPPRESSION) {
                findings.error(&file.path, "suppresses a lint without `expect` and a reason");
            }
        }
    }
}
