//! `doctor --report`: one text for a bug report. It holds no event content and no likely secret, and its size is limited (BR-144).

use std::collections::BTreeMap;

use serde_json::Value;
use tenterhook::internal::record::redacted;

use super::{Report, page};
use crate::ambient::Here;
use crate::command::log;
use crate::load::{self, Whose};
use crate::show::layout::{format_count, truncate_to_width};

/// How many lines each section has at most.
const LINES: usize = 120;
/// How long a line is at most.
const LONGEST: usize = 200;
/// How many firings are listed.
const FIRINGS: usize = 20;
/// For how wide a screen the findings are set.
const WIDTH: usize = 100;

/// Renders the report as Markdown.
pub(super) fn render_report_as_markdown(report: &Report, here: &Here) -> String {
    let mut out = format!(
        "## Tenterhook report\n\ntenterhook {}, {} {}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH
    );
    push_section("doctor", &page::report_text(report, WIDTH), here, &mut out);
    push_section("Files with hooks", &file_list(here), here, &mut out);
    push_section("Last firings", &last_firings(here), here, &mut out);
    out
}

/// Adds a section whose lines are cleaned and limited.
fn push_section(title: &str, text: &str, here: &Here, out: &mut String) {
    let plain = anstream::adapter::strip_str(text).to_string();
    let lines: Vec<&str> = plain.trim_end().lines().collect();
    out.push_str(&format!("\n### {title}\n\n````text\n"));
    for line in lines.iter().take(LINES) {
        out.push_str(&format!("{}\n", clean_line(line, here)));
    }
    if let Some(more) = lines.len().checked_sub(LINES).filter(|more| *more > 0) {
        out.push_str(&format!("... and {}\n", format_count(more, "more line")));
    }
    out.push_str("````\n");
}

/// Returns a line without the paths of the project and the home, and without what looks like a
/// secret.
fn clean_line(line: &str, here: &Here) -> String {
    let mut line = line.to_owned();
    for (directory, short) in [(&here.roots.cwd, "."), (&here.roots.home, "~")] {
        if directory.parent().is_some() {
            line = line.replace(&*directory.to_string_lossy(), short);
        }
    }
    match redacted(line.into()) {
        Value::String(line) => truncate_to_width(&line, LONGEST),
        _ => String::new(),
    }
}

/// Lists the files that are read from here: dialect, layer and number of hooks.
fn file_list(here: &Here) -> String {
    let mut loaded = load::read_sources(&[], Whose::Unsaid, here);
    let ruleset = loaded.build_engine(|builder| builder).ruleset();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for place in ruleset.hooks().iter().filter_map(|hook| hook.place.as_ref()) {
        *counts.entry(&place.file).or_default() += 1;
    }
    let lines = loaded.sources.iter().map(|source| {
        let hooks = counts.get(&*source.name).copied().unwrap_or_default();
        let shown = loaded.texts.display_name(&source.name);
        let (dialect, layer) = (source.dialect.as_str(), source.layer.as_str());
        format!("{shown} ({dialect}, {layer}): {}", format_count(hooks, "hook"))
    });
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() { "none is found from here".to_owned() } else { lines.join("\n") }
}

/// Lists the last recorded firings, without the content of their events.
fn last_firings(here: &Here) -> String {
    match log::lines_of_last_firings(FIRINGS, here) {
        Ok(lines) if lines.is_empty() => "nothing is on record".to_owned(),
        Ok(lines) => lines.join("\n"),
        Err(problem) => problem.message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook_core::dialect::Roots;

    /// BR-144.
    #[test]
    fn section_is_limited_and_has_no_path_or_secret() {
        let roots = Roots {
            cwd: "/home/ann/secret-project".into(),
            home: "/home/ann".into(),
            ..Roots::default()
        };
        let here = Here {
            roots,
            beside: Vec::new(),
            left: Vec::new(),
            env: Vec::new(),
            state: "/s".into(),
        };
        let mut text = "/home/ann/secret-project/a /home/ann/b GITHUB_TOKEN=hunter22\n".to_owned();
        text.push_str(&format!("{}\n", "x".repeat(1000)));
        text.push_str(&"more\n".repeat(1000));
        let mut out = String::new();
        push_section("title", &text, &here, &mut out);
        assert!(out.contains("\n./a ~/b GITHUB_TOKEN=[redacted]\n"), "{out}");
        assert!(out.contains("... and 882 more lines"), "{out}");
        assert!(
            out.lines().count() < LINES + 8
                && out.lines().all(|line| line.chars().count() <= LONGEST)
        );
    }
}
