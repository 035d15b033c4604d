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

/// Returns why the user is asked about a call that reads directories.
pub(super) fn why_tree_read_asks(rules: &Rules<'_, '_>, touched: &Touched) -> Option<String> {
    rules.find_rule_about_files(&[READ])?;
    touched.trees.iter().find_map(|(aim, tree)| {
        let found = find_barred_file(rules, &[READ], aim, tree)?;
        Some(format!("it reads `{}` with everything in it, {found}", aim.name))
    })
}

/// Returns why the user is asked about a call that moves or removes directories.
pub(super) fn why_tree_removal_asks(rules: &Rules<'_, '_>, touched: &Touched) -> Option<String> {
    rules.find_rule_about_files(EDITORS)?;
    touched.removes.iter().find_map(|aim| {
        let everything = Tree {
            path: String::new(),
            skips: Skips::Nothing,
            names: Vec::new(),
            excluded: Vec::new(),
        };
        let found = find_barred_file(rules, EDITORS, aim, &everything)?;
        Some(format!("it moves or removes `{}` with everything in it, {found}", aim.name))
    })
}

/// Describes the first file in a directory that a rule is about.
fn find_barred_file(
    rules: &Rules<'_, '_>,
    tools: &[&str],
    aim: &Aim,
    tree: &Tree,
) -> Option<String> {
    let root = &aim.judged.as_ref()?.path;
    if !root.is_dir() {
        return None;
    }
    let (names, excluded) =
        (compile_name_patterns(&tree.names), compile_name_patterns(&tree.excluded));
    let is_read = |name: &Path| {
        names.as_ref().is_none_or(|names| names.is_match(name))
            && !excluded.as_ref().is_some_and(|excluded| excluded.is_match(name))
    };
    let mut left = MOST;
    let mut directory: Option<(PathBuf, Judged)> = None;
    for entry in tree_walk_builder(root, tree.skips).build().flatten() {
        left = left.saturating_sub(1);
        if left == 0 {
            let rule = rules.find_rule_about_files(tools)?;
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
        let file = Aim::in_resolved_directory(judged, name);
        let Some(rule) = tools.iter().find_map(|tool| rules.find_rule_for_file(tool, &file)) else {
            continue;
        };
        if tree.skips == Skips::Untracked && !is_tracked_by_git(path) {
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(path).display();
        return Some(format!("and `{name}` in it is what the rule `{rule}` is about"));
    }
    None
}

/// Builds a walk through a directory that follows links and skips what the program skips.
fn tree_walk_builder(root: &Path, skips: Skips) -> WalkBuilder {
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

/// Compiles patterns of file names. Returns `None` for an empty list or an invalid pattern, and
/// then nothing is left out.
fn compile_name_patterns(texts: &[String]) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for text in texts {
        let name = text.rsplit('/').next().unwrap_or(text);
        set.add(Glob::new(name).ok()?);
    }
    (!texts.is_empty()).then(|| set.build().ok()).flatten()
}

/// Returns whether a file is in the index of its repository; `true` if that is unknown.
fn is_tracked_by_git(path: &Path) -> bool {
    let Some(top) =
        path.ancestors().skip(1).find(|top| top.join(".git").symlink_metadata().is_ok())
    else {
        return false;
    };
    let Ok(name) = path.strip_prefix(top) else { return true };
    let read = crate::file::read_start(&top.join(".git/index"), INDEX);
    let Ok((index, true)) = read else { return true };
    // From version 4 on, names are cut short.
    if index.get(4..8) != Some(&[0, 0, 0, 2]) && index.get(4..8) != Some(&[0, 0, 0, 3]) {
        return true;
    }
    let mut entry = name.as_os_str().as_encoded_bytes().to_vec();
    entry.push(0);
    index.windows(entry.len()).any(|window| window == entry)
}
