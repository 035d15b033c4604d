//! Does every link between pages lead somewhere?

use std::path::Path;

use regex::Regex;

use super::Findings;
use crate::tree::{self, File};

pub(super) fn check(files: &[File], findings: &mut Findings) {
    let Ok(link) = Regex::new(r"\]\(([^)\s]+)\)") else { return };
    let root = tree::root();
    for file in files.iter().filter(|it| it.path.ends_with(".md")) {
        let folder = root.join(Path::new(&file.path).parent().unwrap_or(Path::new("")));
        for to in link.captures_iter(&file.text).filter_map(|it| it.get(1)) {
            let to = to.as_str();
            let elsewhere = to.contains("://") || to.starts_with('#') || to.starts_with("mailto:");
            let path = to.split('#').next().unwrap_or_default();
            if !elsewhere && !folder.join(path).exists() {
                findings.error(&file.path, format!("links to `{to}`, which does not exist"));
            }
        }
    }
}
