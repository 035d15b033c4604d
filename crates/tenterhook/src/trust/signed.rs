//! Arms the entries whose digests a lock file signs, as if the user had approved the file as it was
//! signed. The user's own answer about exactly this content has precedence (T-53).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::key::PublicKey;
use super::lock::{self, LOCK, Signed, Vouched};
use super::origin;
use super::store::{Answer, Record, Stored};
use super::{Identity, Origin};
use tenterhook_core::diagnostic::{Code, Diagnostic, Location, Span};
use tenterhook_core::entry::digest::{Canon, Digest};
use tenterhook_core::hook::Layer;
use tenterhook_core::source::{ReadConfig, Source};

/// The digests of a source that are the same in every checkout; `None` where a program that it runs
/// lies in the project, which no signature covers.
#[derive(Clone, Debug)]
pub(super) struct Portable {
    pub(super) entries: Vec<Option<Digest>>,
    pub(super) rest: Option<Digest>,
    pub(super) review: Option<Digest>,
}

impl Portable {
    pub(super) fn new(
        source: &Source,
        config: &ReadConfig,
        entries: &[Identity],
        servers: &[(Digest, super::Pins)],
    ) -> Self {
        let project = &source.project;
        let entries: Vec<Option<Digest>> =
            entries.iter().map(|identity| portable_entry_digest(identity, project)).collect();
        let may = servers.iter().all(|(_, pins)| programs_lie_outside_project(pins, project));
        let rest = may.then(|| {
            let ground = super::PathRoots::from(source);
            let everywhere =
                |(entry, pins): &(Digest, super::Pins)| format!("{entry}{}", pins.digest(ground));
            super::settings_digest(source, config, servers.iter().map(everywhere))
        });
        let review = portable_review_digest(source, &entries, rest);
        Self { entries, rest, review }
    }
}

/// Returns the digest of an entry and what it runs, independent of where the project and its
/// interpreters lie.
fn portable_entry_digest(identity: &Identity, project: &Path) -> Option<Digest> {
    let own = Canon::new("signed entry").with_field("entry", identity.entry.to_string());
    programs_lie_outside_project(&identity.pins, project)
        .then(|| own.with_field("files", identity.files.to_string()).finish())
}

/// Returns whether every program that is found by name lies outside the project: such programs
/// belong to the machine.
fn programs_lie_outside_project(pins: &super::Pins, project: &Path) -> bool {
    let found = pins.interpreters.iter().filter_map(|(_, path)| path.as_ref());
    found.into_iter().all(|path| path.is_absolute() && !path.starts_with(project))
}

/// Returns the digest of the whole source.
fn portable_review_digest(
    source: &Source,
    entries: &[Option<Digest>],
    rest: Option<Digest>,
) -> Option<Digest> {
    let entries: Option<Vec<String>> =
        entries.iter().map(|entry| entry.as_ref().map(Digest::to_string)).collect();
    let all = Canon::new("signed review").with_field("path", path(source)?);
    let all =
        all.with_field("dialect", source.dialect.as_str()).with_list_field("entries", entries?);
    Some(all.with_field("rest", rest?.to_string()).finish())
}

/// Returns the path of a source in its project, with `/` on every system.
pub(super) fn path(source: &Source) -> Option<String> {
    let inside = Path::new(&*source.name).strip_prefix(&source.project).ok()?;
    let parts: Option<Vec<&str>> =
        inside.components().map(|component| component.as_os_str().to_str()).collect();
    Some(parts?.join("/"))
}

/// The lock files of some projects, read and checked once.
#[derive(Clone, Debug, Default)]
pub(super) struct Locks {
    of: BTreeMap<PathBuf, Vouched>,
}

impl Locks {
    pub(super) fn read_lock_files<'a>(
        sources: impl IntoIterator<Item = &'a Source>,
        keys: &[PublicKey],
    ) -> Self {
        let mut of = BTreeMap::new();
        if keys.is_empty() {
            return Self { of };
        }
        for source in
            sources.into_iter().filter(|source| origin::source_origin(source) == Origin::Repository)
        {
            if !of.contains_key(&source.project) {
                of.insert(source.project.clone(), lock::verify_lock_file(&source.project, keys));
            }
        }
        Self { of }
    }

    /// Returns the signed version of a source, and the key.
    pub(super) fn signed_version(&self, source: &Source) -> Option<(&Signed, PublicKey)> {
        // A project cannot sign the user's own files, even if they lie in it.
        let Some(Vouched::By(lock, key)) =
            self.of.get(&source.project).filter(|_| source.layer != Layer::User)
        else {
            return None;
        };
        let path = path(source)?;
        let is =
            |signed: &&Signed| signed.path == path && signed.dialect == source.dialect.as_str();
        lock.sources.iter().find(is).map(|source| (source, *key))
    }

    /// Returns why the signatures of a source's project cannot be read, if they cannot.
    pub(super) fn unusable_reason(&self, source: &Source) -> Option<&str> {
        match self.of.get(&source.project) {
            Some(Vouched::Unusable(why, _)) if source.layer != Layer::User => Some(why),
            _ => None,
        }
    }

    /// Returns a diagnostic for each lock file that approves nothing.
    pub(super) fn diagnostics(&self) -> impl Iterator<Item = Diagnostic> {
        self.of.iter().filter_map(|(project, vouched)| {
            let file = project.join(LOCK).display().to_string();
            let code = Code::LockIgnored;
            Some(match vouched {
                Vouched::Nothing | Vouched::By(..) => return None,
                Vouched::Unusable(why, at) => {
                    let place = at.map(|(line, column)| {
                        let span = Span { start: 0, end: 0 };
                        Location { file: file.as_str().into(), span, line, column }
                    });
                    let at =
                        at.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
                    let message = format!("`{file}{at}` arms nothing: {why}");
                    Diagnostic::new(code, message, place)
                        .help("sign it again with `tenterhook trust sign`, or remove it")
                }
                Vouched::Strangers(keys) => {
                    let message = if keys.is_empty() {
    format!("`{file}` arms nothing: it has no signature")
                    } else {
    let by = keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>();
    format!(
        "`{file}` arms nothing: it is signed by {}, and by no key that you pinned",
        by.join(", ")
    )
                    };
                    Diagnostic::new(code, message, None).help(
                        "pin the key in `[trust] keys` of your own file, if you know whose it is",
                    )
                }
            })
        })
    }
}

/// Returns the keys that the organisation and the user pinned in their own files.
pub(super) fn pinned_keys<'a>(
    read: impl IntoIterator<Item = (&'a Source, &'a ReadConfig)>,
) -> Vec<PublicKey> {
    let own = read.into_iter().filter(|(source, config)| {
        let may = matches!(source.layer, Layer::Managed | Layer::User);
        may && !config.keys.is_empty() && origin::source_origin(source) == Origin::Own
    });
    own.flat_map(|(_, config)| &config.keys).filter_map(|key| PublicKey::parse(key)).collect()
}

/// Adds what a pinned key signed to the user's answer about a source, and returns that key if the
/// signature applies.
pub(super) fn add_signed_approval(
    stored: Stored,
    source: &Source,
    locks: &Locks,
    now: (&[Identity], Digest, Digest),
    portable: &Portable,
) -> (Stored, Option<PublicKey>) {
    let Some((signed, key)) = locks.signed_version(source) else {
        let stored = match (stored, locks.unusable_reason(source)) {
            (Stored::Nothing, Some(why)) => Stored::Unusable(format!("`{LOCK}`: {why}")),
            (stored, _) => stored,
        };
        return (stored, None);
    };
    let (entries, rest, review) = now;
    let is_all = portable.review.is_some_and(|review| review.to_string() == signed.review);
    match stored {
        // An answer about exactly this content, and an unreadable one, have precedence over
        // signatures.
        Stored::Unusable(_) => (stored, None),
        Stored::Record(ref record) if record.review == review.to_string() => (stored, None),
        Stored::Record(mut record) if record.answer == Answer::Approved && !is_all => {
            let (named, _) = match_signed_entries(signed, entries, portable);
            let key = (!named.is_empty()).then_some(key);
            record.entries.extend(named);
            (Stored::Record(record), key)
        }
        Stored::Record(_) | Stored::Nothing => {
            let (mut named, gone) = match_signed_entries(signed, entries, portable);
            named.extend(gone);
            let rest_stands = portable.rest.is_some_and(|rest| rest.to_string() == signed.rest);
            let record = Record {
                version: 1,
                source: source.name.to_string(),
                dialect: source.dialect.as_str().to_owned(),
                answer: Answer::Approved,
                review: if is_all { review.to_string() } else { signed.review.clone() },
                entries: named,
                copies: Vec::new(),
                rest: if rest_stands { rest.to_string() } else { signed.rest.clone() },
                text: signed.text.clone(),
                at: 0,
                read: Vec::new(),
                programs: BTreeMap::new(),
            };
            (Stored::Record(Box::new(record)), Some(key))
        }
    }
}

/// Returns the signed entries that exist, as identities on this machine, and those that do not
/// exist.
fn match_signed_entries(
    signed: &Signed,
    entries: &[Identity],
    portable: &Portable,
) -> (Vec<String>, Vec<String>) {
    let mut here = Vec::new();
    let mut found = Vec::new();
    for (identity, digest) in entries.iter().zip(&portable.entries) {
        let Some(digest) = digest.map(|digest| digest.to_string()) else { continue };
        if signed.entries.contains(&digest) {
            here.push(identity.whole.to_string());
            found.push(digest);
        }
    }
    let gone = signed.entries.iter().filter(|entry| !found.contains(entry)).cloned().collect();
    (here, gone)
}
