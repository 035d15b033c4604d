//! Does every link between pages lead somewhere, down to the heading that it names?

use std::path::Path;

use regex::Regex;

use super::Findings;
use crate::tree::{self, File};

pub(super) fn check(files: &[File], findings: &mut Findings) {
    let Ok(link) = Regex::new(r"\]\(([^)\s]+)\)") else { return };
    let root = tree::root();
    for file in files.iter().filter(|file| file.path.ends_with(".md")) {
        let folder = root.join(Path::new(&file.path).parent().unwrap_or(Path::new("")));
        for to in link.captures_iter(&file.text).filter_map(|captures| captures.get(1)) {
            let to = to.as_str();
            if to.contains("://") || to.starts_with("mailto:") {
                continue;
            }
            let (path, heading) = to.split_once('#').unwrap_or((to, ""));
            let target = folder.join(path);
            if !path.is_empty() && !target.exists() {
                findings.error(&file.path, format!("links to `{to}`, which does not exist"));
            } else if !heading.is_empty() && !has(&file.text, path, &target, heading) {
                findings
                    .error(&file.path, format!("links to `{to}`, which is not a heading there"));
            }
        }
    }
}

/// Whether a page has a heading. An empty path means the page with the link; a file of another kind has no headings.
fn has(own: &str, path: &str, target: &Path, heading: &str) -> bool {
    if path.is_empty() {
        return anchors(own).any(|anchor| anchor == heading);
    }
    let text = std::fs::read_to_string(target).unwrap_or_default();
    path.ends_with(".md") && anchors(&text).any(|anchor| anchor == heading)
}

/// The anchors of the headings of a page: in lower case, with a hyphen for each space and without punctuation.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let mut fenced = false;
    let headings = text.lines().filter(move |line| {
        fenced ^= line.trim_start().starts_with("```");
        !fenced && line.starts_with('#')
    });
    headings.map(|line| {
        let name = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        name.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_called_as_links_call_them() {
        let page =
            "# One\n\n```sh\n# no heading\n```\n## What it `costs`, and why: 2 ms\n#### ok_it-is\n";
        let found: Vec<String> = anchors(page).collect();
        assert_eq!(found, ["one", "what-it-costs-and-why-2-ms", "ok_it-is"]);
        assert!(has(page, "", Path::new(""), "one"));
        assert!(!has(page, "", Path::new(""), "no-heading"));
        assert!(!has(page, "x.rs", Path::new("x.rs"), "one"));
    }
}
