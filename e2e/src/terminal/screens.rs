//! Are the screens of `docs/screens` what a person sees today? Times are masked; everything else counts, each column.

use std::sync::LazyLock;

use regex::Regex;

use super::Stage;
use crate::tree;

/// What differs from run to run: times, and how far the spinner has turned.
static DIFFERS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("[0-9]+ ms|\\([0-9]+ s\\)|[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]").ok());

/// Compares a screen with the one of that name, or writes it.
pub(crate) fn keep(stage: &Stage, name: &str, screen: &str) -> Result<(), String> {
    let path = tree::root().join("docs/screens").join(format!("{name}.txt"));
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let screen = tidied(screen);
    if masked(&kept) == masked(&screen) {
        return Ok(());
    }
    if stage.bless {
        let parent = path.parent().unwrap_or(&path);
        return std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, screen))
            .map_err(|error| format!("{}: {error}", path.display()));
    }
    Err(format!(
        "docs/screens/{name}.txt shows\n{kept}\nbut a person sees\n{screen}\n`--bless` writes it anew"
    ))
}

/// Without blanks at the ends of lines, which are invisible.
fn tidied(screen: &str) -> String {
    let lines = screen.trim_end().lines().map(str::trim_end);
    lines.map(|line| format!("{line}\n")).collect()
}

/// Without what differs. A time in the column of times ends where others end, so blanks in place of its digits keep columns.
fn masked(screen: &str) -> String {
    let Some(differs) = &*DIFFERS else { return screen.to_owned() };
    let mask = |found: &regex::Captures<'_>| -> String {
        let found = found.get(0).map_or("", |found| found.as_str());
        let same = |c: char| if c.is_ascii() && !c.is_ascii_digit() { c } else { ' ' };
        found.chars().map(same).collect()
    };
    differs.replace_all(screen, mask).into_owned()
}
