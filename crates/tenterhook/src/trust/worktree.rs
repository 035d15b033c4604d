//! In which other checkouts of its repository does a source stand, too? Git's own files say it,
//! read under bounds; git is not run.
//!
//! A checkout belongs to a repository where both say so: its `.git` names a directory below
//! `worktrees` of the repository, and that directory names this checkout. A `.git` that claims
//! another repository alone belongs to none (T-90).

use std::io;
use std::path::{Path, PathBuf};

use super::store::{Answer, Record, Store, Stored};
use super::{Origin, Review, Trust, origin};
use crate::discover;
use tenterhook_core::hook::Layer;
use tenterhook_core::source::Source;

/// Most worktrees of one repository that are looked at.
const MOST_WORKTREES: usize = 256;
/// Longest configuration of a repository that is read.
const LONGEST_CONFIG: u64 = 256 << 10;
/// Longest of git's files that hold one path.
const LONGEST: u64 = 4096;

impl Trust {
    /// Returns the record about a source; without one, the record about the same file in another
    /// checkout of its repository (T-90).
    pub(super) fn answer_here_or_elsewhere(&self, source: &Source) -> Stored {
        match self.store.read_answer(&source.name, source.dialect.as_str()) {
            Stored::Nothing if origin::source_origin(source) == Origin::Repository => {
                answer_in_other_checkout(&self.store, source)
            }
            stored => stored,
        }
    }

    /// Forgets the answer about a source, here and in the other checkouts of its repository;
    /// whether there was one.
    ///
    /// # Errors
    ///
    /// When it cannot be removed.
    pub fn forget(&self, review: &Review) -> io::Result<bool> {
        let mut found = false;
        let claimants = names_in_unlinked_checkouts(&self.store, &review.source, &review.project);
        let elsewhere = review.elsewhere.iter().chain(&claimants).map(String::as_str);
        for name in std::iter::once(&*review.source).chain(elsewhere) {
            found |= self.store.remove_answer(name, review.dialect.as_str())?;
        }
        Ok(found)
    }
}

/// Returns the record about a source in another checkout of its repository, preferably an approval,
/// and of those the one of the same text.
fn answer_in_other_checkout(store: &Store, source: &Source) -> Stored {
    let claimants = names_in_unlinked_checkouts(store, &source.name, &source.project);
    let records: Vec<Record> = names_in_other_checkouts(source)
        .into_iter()
        .chain(claimants)
        .filter_map(|name| match store.read_answer(&name, source.dialect.as_str()) {
            Stored::Record(record) => Some(*record),
            // A record that cannot be believed is no approval.
            Stored::Nothing | Stored::Unusable(_) => None,
        })
        .collect();
    let approved = |record: &&Record| record.answer == Answer::Approved;
    let same = records.iter().filter(approved).find(|record| *record.text == *source.text);
    let found = same.or_else(|| records.iter().find(approved)).or_else(|| records.first());
    found.map_or(Stored::Nothing, |record| Stored::Record(Box::new(record.clone())))
}

/// Returns the names that a source has in the other checkouts of its repository.
pub(super) fn names_in_other_checkouts(source: &Source) -> Vec<String> {
    let in_project = matches!(
        source.layer,
        Layer::Project | Layer::Local | Layer::Plugin | Layer::Skill | Layer::Agent
    );
    let name = Path::new(&*source.name);
    let root = enclosing_repository(&source.project);
    let Some(root) = root.filter(|_| in_project) else { return Vec::new() };
    let (Ok(inside), Some(common)) = (name.strip_prefix(root), git_common_directory(root)) else {
        return Vec::new();
    };
    let own = root.canonicalize().ok();
    all_checkouts(&common)
        .into_iter()
        .filter(|checkout| checkout.canonicalize().ok() != own)
        .filter(|checkout| git_common_directory(checkout).as_ref() == Some(&common))
        .filter_map(|checkout| checkout.join(inside).to_str().map(str::to_owned))
        .collect()
}

/// Returns the root of the repository that contains a directory.
pub(super) fn enclosing_repository(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok())
}

/// Returns the sources in main checkouts of the repository of `project` that the repository does
/// not name: with `--separate-git-dir`, git stores no path back to the main checkout. A main
/// checkout that was approved passes its approval to worktrees, and takes none from them.
fn names_in_unlinked_checkouts(store: &Store, source: &str, project: &Path) -> Vec<String> {
    let root = enclosing_repository(project);
    let (Some(root), Some(common)) = (root, root.and_then(git_common_directory)) else {
        return Vec::new();
    };
    let Ok(inside) = Path::new(source).strip_prefix(root) else { return Vec::new() };
    if main_checkout(&common).is_some() {
        return Vec::new();
    }
    let claims = |name: &String| {
        let path = Path::new(name);
        let main = path.ancestors().nth(inside.components().count());
        let git = main
            .filter(|_| path.ends_with(inside))
            .and_then(|main| read_single_line(&main.join(".git")));
        let claimed = git.and_then(|text| {
            let directory = main?.join(text.strip_prefix("gitdir: ")?);
            directory.canonicalize().ok()
        });
        claimed.as_ref() == Some(&common)
    };
    store.answered_source_names().into_iter().filter(claims).collect()
}

/// Returns the main checkout that a repository names: the directory that contains it, or the one in
/// its configuration, as for a submodule.
fn main_checkout(common: &Path) -> Option<PathBuf> {
    let holds = common.parent().filter(|_| common.ends_with(".git")).map(Path::to_owned);
    holds.or_else(|| {
        ["config.worktree", "config"].iter().find_map(|name| configured_worktree(common, name))
    })
}

/// Returns `core.worktree` of a repository's configuration.
fn configured_worktree(common: &Path, name: &str) -> Option<PathBuf> {
    let text = discover::read_regular_file(&common.join(name), LONGEST_CONFIG).ok()?;
    let text = String::from_utf8(text).ok()?;
    let (mut is_core, mut found) = (false, None);
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            is_core = line.eq_ignore_ascii_case("[core]");
            continue;
        }
        let pair = line.split_once('=').filter(|_| is_core);
        if let Some((key, value)) = pair
            && key.trim().eq_ignore_ascii_case("worktree")
        {
            found = Some(common.join(value.trim().trim_matches('"')));
        }
    }
    found
}

/// Returns the checkouts that a repository names, the main one first.
fn all_checkouts(common: &Path) -> Vec<PathBuf> {
    let main = main_checkout(common);
    let entries = std::fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
    let mut linked: Vec<PathBuf> =
        entries.take(MOST_WORKTREES).filter_map(|entry| linked_checkout(&entry.path())).collect();
    linked.sort();
    main.into_iter().chain(linked).collect()
}

/// Returns the checkout to which a directory below `worktrees` belongs.
fn linked_checkout(administrative: &Path) -> Option<PathBuf> {
    let file = administrative.join(read_single_line(&administrative.join("gitdir"))?);
    file.ends_with(".git").then(|| file.parent().map(Path::to_owned))?
}

/// Returns the directory that all checkouts of the repository at `root` share; `None` if it is
/// uncertain whether `root` is one of them.
fn git_common_directory(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    let kind = git.symlink_metadata().ok()?;
    if kind.is_dir() {
        return git.canonicalize().ok();
    }
    let text = kind.is_file().then(|| read_single_line(&git))??;
    let own = root.join(text.strip_prefix("gitdir: ")?).canonicalize().ok()?;
    let Some(common) = read_single_line(&own.join("commondir")) else {
        // A submodule is a separate repository, which names its main checkout.
        let named = main_checkout(&own)?.canonicalize().ok()?;
        return (!own.ends_with(".git") && Some(named) == root.canonicalize().ok()).then_some(own);
    };
    let common = own.join(common).canonicalize().ok()?;
    let is_registered = own.parent() == Some(&common.join("worktrees"))
        && linked_checkout(&own)?.canonicalize().ok()? == root.canonicalize().ok()?;
    is_registered.then_some(common)
}

/// Returns the text of a file that has one line.
fn read_single_line(path: &Path) -> Option<String> {
    let text = String::from_utf8(discover::read_regular_file(path, LONGEST).ok()?).ok()?;
    let text = text.trim_end_matches(['\n', '\r']);
    (!text.is_empty() && !text.contains('\n')).then(|| text.to_owned())
}
