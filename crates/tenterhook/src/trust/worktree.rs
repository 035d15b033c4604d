//! In which other checkouts of its repository does a source stand, too? Git's own files say it, read under bounds; git is not run.
//!
//! A checkout belongs to a repository where both say so: its `.git` names a directory below `worktrees` of the repository, and that
//! directory names this checkout. A `.git` that claims another repository alone belongs to none (T-90).

use std::io;
use std::path::{Path, PathBuf};

use super::store::{Kept, Record, Said, Store};
use super::{Origin, Review, Trust, origin};
use crate::discover;
use crate::hook::Layer;
use crate::source::Source;

/// Most worktrees of one repository that are looked at.
const MOST_WORKTREES: usize = 256;
/// Longest of git's files that hold one path.
const LONGEST: u64 = 4096;

impl Trust {
    /// The record about a source; without one, the record about the same file in another checkout of its repository (T-90).
    pub(super) fn stored(&self, source: &Source) -> Kept {
        match self.store.read(&source.name, source.dialect.as_str()) {
            Kept::Nothing if origin::of(source) == Origin::Repository => {
                stored(&self.store, source)
            }
            kept => kept,
        }
    }

    /// Forgets the answer about a source, here and in the other checkouts of its repository; whether there was one.
    ///
    /// # Errors
    ///
    /// When it cannot be removed.
    pub fn forget(&self, review: &Review) -> io::Result<bool> {
        let mut found = false;
        for name in
            std::iter::once(&*review.source).chain(review.elsewhere.iter().map(String::as_str))
        {
            found |= self.store.remove(name, review.dialect.as_str())?;
        }
        Ok(found)
    }
}

/// The record about a source in another checkout of its repository: one about the same text, if there is one.
fn stored(store: &Store, source: &Source) -> Kept {
    let records: Vec<Record> = others(source)
        .into_iter()
        .filter_map(|name| match store.read(&name, source.dialect.as_str()) {
            Kept::Record(record) => Some(*record),
            // A record that cannot be believed is no approval.
            Kept::Nothing | Kept::Unusable(_) => None,
        })
        .collect();
    let approved = |record: &&Record| record.answer == Said::Approved;
    let same = records.iter().filter(approved).find(|record| *record.text == *source.text);
    let found = same.or_else(|| records.iter().find(approved)).or_else(|| records.first());
    found.map_or(Kept::Nothing, |record| Kept::Record(Box::new(record.clone())))
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

/// The checkouts that a repository names, the main one first.
fn checkouts(common: &Path) -> Vec<PathBuf> {
    let main = common.parent().filter(|_| common.ends_with(".git")).map(Path::to_owned);
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

/// The directory that all checkouts of the repository at `root` share; `None` where it is not sure that `root` is one of them.
fn common_directory(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    let kind = git.symlink_metadata().ok()?;
    if kind.is_dir() {
        return git.canonicalize().ok();
    }
    let text = kind.is_file().then(|| line(&git))??;
    let own = root.join(text.strip_prefix("gitdir: ")?).canonicalize().ok()?;
    // A submodule has no such file: it is a separate repository.
    let common = own.join(line(&own.join("commondir"))?).canonicalize().ok()?;
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
