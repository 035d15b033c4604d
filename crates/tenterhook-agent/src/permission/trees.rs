//! Does a directory that a call reads, moves or removes with everything in it hold a file that a rule is about? Walks through it
//! as the program would, and leaves out what that leaves out (AG-15).

use std::path::{Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;

use super::barred::{EDITORS, READ, Rules};
use super::location::Aim;
use super::touched::Touched;
use crate::file::Judged;
use crate::hooks::{Skips, Tree};

/// How many files of a directory are looked at.
const MOST: usize = 50_000;
/// How much is read of the index of a repository.
const INDEX: u64 = 64 << 20;

/// Why a call that reads directories is asked about.
pub(super) fn read(rules: &Rules<'_, '_>, touched: &Touched) -> Option<String> {
    rules.about_some(&[READ])?;
    touched.trees.iter().find_map(|(aim, tree)| {
        let found = search(rules, &[READ], aim, tree)?;
        Some(format!("it reads `{}` with everything in it, {found}", aim.name))
    })
}

/// Why a call that moves or removes directories is asked about.
pub(super) fn removed(rules: &Rules<'_, '_>, touched: &Touched) -> Option<String> {
    rules.about_some(EDITORS)?;
    touched.removes.iter().find_map(|aim| {
        let everything = Tree {
            path: String::new(),
            skips: Skips::Nothing,
            names: Vec::new(),
            excluded: Vec::new(),
        };
        let found = search(rules, EDITORS, aim, &everything)?;
        Some(format!("it moves or removes `{}` with everything in it, {found}", aim.name))
    })
}

/// The first file in a directory that a rule is about, in words.
fn search(rules: &Rules<'_, '_>, tools: &[&str], aim: &Aim, tree: &Tree) -> Option<String> {
    let root = &aim.judged.as_ref()?.path;
    if !root.is_dir() {
        return None;
    }
    let (names, excluded) = (patterns(&tree.names), patterns(&tree.excluded));
    let is_read = |name: &Path| {
        names.as_ref().is_none_or(|names| names.is_match(name))
            && !excluded.as_ref().is_some_and(|excluded| excluded.is_match(name))
    };
    let mut left = MOST;
    let mut directory: Option<(PathBuf, Judged)> = None;
    for entry in walk(root, tree.skips).build().flatten() {
        left = left.saturating_sub(1);
        if left == 0 {
            let rule = rules.about_some(tools)?;
            return Some(format!(
                "which is too much to look through, and there is the rule `{rule}`"
            ));
        }
        let (path, name) = (entry.path(), entry.file_name());
        let is_directory = entry.file_type().is_none_or(|kind| kind.is_dir());
        if is_directory || !is_read(name.as_ref()) {
            continue;
        }
        let Some(parent) = path.parent() else { continue };
        // Links are followed once for all files of a directory.
        if directory.as_ref().is_none_or(|(known, _)| known != parent) {
            directory = Judged::resolve(parent).map(|judged| (parent.to_owned(), judged));
        }
        let Some((_, judged)) = &directory else { continue };
        let file = Aim::beside(judged, name);
        let Some(rule) = tools.iter().find_map(|tool| rules.about(tool, &file)) else { continue };
        if tree.skips == Skips::Untracked && !is_tracked(path) {
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(path).display();
        return Some(format!("and `{name}` in it is what the rule `{rule}` is about"));
    }
    None
}

/// A walk through a directory, by links, too, that leaves out what a program leaves out.
fn walk(root: &Path, skips: Skips) -> WalkBuilder {
    let mut walk = WalkBuilder::new(root);
    walk.standard_filters(false).follow_links(true);
    // What Git keeps there is packed, and may be more than everything else.
    walk.filter_entry(|entry| !entry.path().ends_with(".git/objects"));
    match skips {
        Skips::Nothing | Skips::Untracked => {}
        Skips::Ignored => {
            walk.standard_filters(true).hidden(false);
        }
        Skips::HiddenAndIgnored => {
            walk.standard_filters(true);
        }
    }
    walk
}

/// Patterns of file names; `None` for an empty list. One that cannot be read leaves out nothing.
fn patterns(texts: &[String]) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for text in texts {
        let name = text.rsplit('/').next().unwrap_or(text);
        set.add(Glob::new(name).ok()?);
    }
    (!texts.is_empty()).then(|| set.build().ok()).flatten()
}

/// Whether a file is in the index of its repository; `true` where that is unknown.
fn is_tracked(path: &Path) -> bool {
    let Some(top) =
        path.ancestors().skip(1).find(|top| top.join(".git").symlink_metadata().is_ok())
    else {
        return false;
    };
    let Ok(name) = path.strip_prefix(top) else { return true };
    let read = crate::file::start(&top.join(".git/index"), INDEX);
    let Ok((index, true)) = read else { return true };
    // From version 4 on, names are cut short.
    if index.get(4..8) != Some(&[0, 0, 0, 2]) && index.get(4..8) != Some(&[0, 0, 0, 3]) {
        return true;
    }
    let mut entry = name.as_os_str().as_encoded_bytes().to_vec();
    entry.push(0);
    index.windows(entry.len()).any(|window| window == entry)
}
