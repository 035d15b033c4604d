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
    /// The record about a source; without one, the record about the same file in another checkout
    /// of its repository (T-90).
    pub(super) fn stored(&self, source: &Source) -> Stored {
        match self.store.read(&source.name, source.dialect.as_str()) {
            Stored::Nothing if origin::origin(source) == Origin::Repository => {
                stored(&self.store, source)
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
        let claimants = claimants(&self.store, &review.source, &review.project);
        let elsewhere = review.elsewhere.iter().chain(&claimants).map(String::as_str);
        for name in std::iter::once(&*review.source).chain(elsewhere) {
            found |= self.store.remove(name, review.dialect.as_str())?;
        }
        Ok(found)
    }
}

/// The record about a source in another checkout of its repository: one about the same text, if
/// there is one.
fn stored(store: &Store, source: &Source) -> Stored {
    let claimants = claimants(store, &source.name, &source.project);
    let records: Vec<Record> = others(source)
        .into_iter()
        .chain(claimants)
        .filter_map(|name| match store.read(&name, source.dialect.as_str()) {
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

/// The names that a source has in the other checkouts of its repository.
pub(super) fn others(source: &Source) -> Vec<String> {
    let in_project = matches!(
        source.layer,
        Layer::Project | Layer::Local | Layer::Plugin | Layer::Skill | Layer::Agent
    );
    let name = Path::new(&*source.name);
    let root = repository_round(&source.project);
    let Some(root) = root.filter(|_| in_project) else { return Vec::new() };
    let (Ok(inside), Some(common)) = (name.strip_prefix(root), common_directory(root)) else {
        return Vec::new();
    };
    let own = root.canonicalize().ok();
    checkouts(&common)
        .into_iter()
        .filter(|checkout| checkout.canonicalize().ok() != own)
        .filter(|checkout| common_directory(checkout).as_ref() == Some(&common))
        .filter_map(|checkout| checkout.join(inside).to_str().map(str::to_owned))
        .collect()
}

/// The root of the repository in which a directory lies.
pub(super) fn repository_round(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok())
}

/// The sources in main checkouts of the repository of `project` that it does not name: git keeps a
/// repository apart (`--separate-git-dir`) without a way back. A main checkout that was approved
/// gives its approval to worktrees, and takes none.
fn claimants(store: &Store, source: &str, project: &Path) -> Vec<String> {
    let root = repository_round(project);
    let (Some(root), Some(common)) = (root, root.and_then(common_directory)) else {
        return Vec::new();
    };
    let Ok(inside) = Path::new(source).strip_prefix(root) else { return Vec::new() };
    if main_checkout(&common).is_some() {
        return Vec::new();
    }
    let claims = |name: &String| {
        let path = Path::new(name);
        let main = path.ancestors().nth(inside.components().count());
        let git = main.filter(|_| path.ends_with(inside)).and_then(|main| line(&main.join(".git")));
        let claimed = git.and_then(|text| {
            let directory = main?.join(text.strip_prefix("gitdir: ")?);
            directory.canonicalize().ok()
        });
        claimed.as_ref() == Some(&common)
    };
    store.sources().into_iter().filter(claims).collect()
}

/// The main checkout that a repository names: the directory that holds it, or the one that its
/// configuration names, as of a submodule.
fn main_checkout(common: &Path) -> Option<PathBuf> {
    let holds = common.parent().filter(|_| common.ends_with(".git")).map(Path::to_owned);
    holds.or_else(|| ["config.worktree", "config"].iter().find_map(|name| configured(common, name)))
}

/// `core.worktree` of a repository's configuration.
fn configured(common: &Path, name: &str) -> Option<PathBuf> {
    let text = discover::bytes(&common.join(name), LONGEST_CONFIG).ok()?;
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

/// The checkouts that a repository names, the main one first.
fn checkouts(common: &Path) -> Vec<PathBuf> {
    let main = main_checkout(common);
    let entries = std::fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
    let mut linked: Vec<PathBuf> =
        entries.take(MOST_WORKTREES).filter_map(|entry| checkout(&entry.path())).collect();
    linked.sort();
    main.into_iter().chain(linked).collect()
}

/// The checkout that a directory below `worktrees` is about.
fn checkout(administrative: &Path) -> Option<PathBuf> {
    let file = administrative.join(line(&administrative.join("gitdir"))?);
    file.ends_with(".git").then(|| file.parent().map(Path::to_owned))?
}

/// The directory that all checkouts of the repository at `root` share; `None` where it is not sure
/// that `root` is one of them.
fn common_directory(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    let kind = git.symlink_metadata().ok()?;
    if kind.is_dir() {
        return git.canonicalize().ok();
    }
    let text = kind.is_file().then(|| line(&git))??;
    let own = root.join(text.strip_prefix("gitdir: ")?).canonicalize().ok()?;
    let Some(common) = line(&own.join("commondir")) else {
        // A submodule is a separate repository, which names its main checkout.
        let named = main_checkout(&own)?.canonicalize().ok()?;
        return (!own.ends_with(".git") && Some(named) == root.canonicalize().ok()).then_some(own);
    };
    let common = own.join(common).canonicalize().ok()?;
    let is_registered = own.parent() == Some(&common.join("worktrees"))
        && checkout(&own)?.canonicalize().ok()? == root.canonicalize().ok()?;
    is_registered.then_some(common)
}

/// The one line that such a file holds.
fn line(path: &Path) -> Option<String> {
    let text = String::from_utf8(discover::bytes(path, LONGEST).ok()?).ok()?;
    let text = text.trim_end_matches(['\n', '\r']);
    (!text.is_empty() && !text.contains('\n')).then(|| text.to_owned())
}
