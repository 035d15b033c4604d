//! Does a person want these hooks to run? What a repository brings is armed by approval alone, of exactly its entries and the bytes
//! of what they run; what is approved runs from a copy. Prints and asks nothing: a host shows a [`Review`] and says the answer.
//!
//! Implements `docs/spec/trust.md` (T-). The rule is a table in `decide`; `entry` and `pins` say what an identity is; `store` and
//! `copies` keep it.

mod copies;
mod decide;
mod judge;
mod key;
mod last_good;
mod loads;
mod lock;
mod named;
mod origin;
mod pins;
mod rehearse;
mod review;
mod servers;
mod signed;
mod store;
mod suspect;
mod vanished;
mod worktree;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::discover::{self, Found};
use last_good::LastGood;
use pins::{Finding, ReadScript, Seen};
use signed::{Locks, Portable};
use store::{Kept, Record, Said, Store};
use tenterhook_core::dialect::{GROUPS, Roots, native};
use tenterhook_core::entry::{self, PathRoots, digest::Canon};
use tenterhook_core::hook::Hook;
use tenterhook_core::source::{Reach, ReadConfig, Server, Source};
use tenterhook_core::syntax::{self, Format};

pub(crate) use copies::original;
#[doc(hidden)]
pub use copies::{ChangedFile, ORIGIN};
#[doc(hidden)]
pub use decide::{Decision, Role, Unapproved, WrittenFor, decide};
pub use decide::{Origin, State};
#[doc(hidden)]
pub use key::{PublicKey, SecretKey};
#[doc(hidden)]
pub use lock::{LOCK, Lock};
#[doc(hidden)]
pub use pins::{Pin, Pins};
pub use review::Review;
#[doc(hidden)]
pub use review::{Change, Entry};
#[doc(hidden)]
pub use suspect::Suspect;
pub use tenterhook_core::entry::digest::Digest;

/// What a person approved, and where what was approved is kept. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Trust {
    store: Store,
    search: Vec<PathBuf>,
    /// Whose signatures arm what they signed, for what is reviewed.
    keys: Vec<PublicKey>,
    tells_once: bool,
    /// The copies of files that could be read, for a run that keeps some.
    last_good: Option<LastGood>,
}

/// The identity of one entry: what it says, the bytes that it runs, and by which programs.
struct Identity {
    entry: Digest,
    files: Digest,
    whole: Digest,
    pins: Pins,
}

/// A source with the identities of all its entries.
struct Assessed {
    kept: Kept,
    /// The identities of the entries that were approved.
    known: HashSet<String>,
    entries: Vec<Identity>,
    servers: Vec<(Digest, Pins)>,
    /// The folder of the modules that it has its agent load, with the name of its copy.
    modules: Option<(Digest, Pins)>,
    rest: Digest,
    review: Digest,
    /// The same in every checkout.
    portable: Portable,
    /// Whose signature counts as the person's word, if one does.
    signer: Option<PublicKey>,
    /// What was found in the scripts that the hooks run.
    read: Vec<ReadScript>,
}

impl Identity {
    fn of(hook: &Hook, finding: Finding<'_>) -> Self {
        let pins = pins::of_hook(hook, finding);
        let (entry, files) =
            (entry::of_hook(hook, finding.ground), finding.seen.digest(&pins, finding.ground));
        let whole = Canon::new("identity 1")
            .field("entry", entry.to_string())
            .field("files", files.to_string())
            .field("machine", pins.machine().to_string())
            .end();
        Self { entry, files, whole, pins }
    }
}

/// What an MCP server says, and what it runs.
fn of_server(server: &Server, finding: Finding<'_>) -> (Digest, Pins) {
    let pins = match &server.reach {
        Reach::Program(command) => pins::of_command(command, finding),
        Reach::Address(_) | Reach::Withheld(_) => Pins::default(),
    };
    (entry::of_server(server, finding.ground), pins)
}

/// What a source says beside its entries: with its plugins, and its servers as `servers` say which they are.
fn rest(source: &Source, config: &ReadConfig, servers: impl Iterator<Item = String>) -> Digest {
    Canon::new("rest")
        .field("said", entry::of_rest(config, PathRoots::from(source)).to_string())
        .list("plugins", plugins(source).iter().map(|(_, text)| text.as_str()))
        .list("servers", servers)
        .end()
}

impl Trust {
    /// What a person approved, as it is kept in `state`: the directory of state for this program, such as
    /// `~/.local/state/tenterhook`. Opens nothing yet.
    #[must_use]
    pub fn at(state: impl AsRef<Path>) -> Self {
        Self {
            store: Store::at(state.as_ref()),
            search: Vec::new(),
            keys: Vec::new(),
            tells_once: false,
            last_good: None,
        }
    }

    /// With the environment that hooks are started in, whose `PATH` says which programs run them.
    #[must_use]
    pub fn within(mut self, env: &[(String, String)]) -> Self {
        let path = env.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value);
        self.search = path.map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
        self
    }

    /// Tells of what is off because nobody approved it once for each repository, and not each time (T-14).
    #[must_use]
    pub const fn telling_once(mut self) -> Self {
        self.tells_once = true;
        self
    }

    /// Reads every file that the agents would load from `roots`, as [`discover::find`] does, but has nothing that nobody approved
    /// say which plugins there are (T-15). A file that was approved and is not there is a source, too (T-70).
    #[must_use]
    pub fn find(&self, roots: &Roots) -> Found {
        let mut found = discover::find_by(roots, |found| {
            let locks = Locks::read(found, &self.keys_of(found));
            found.iter().filter_map(|source| self.obeyed(source, &locks)).collect()
        });
        found.sources.extend(self.vanished(roots, &found.sources));
        found
    }

    /// With the keys that the organisation's and the person's own files among these pin, so that reviews know what was signed (T-50).
    /// An engine reads them itself.
    #[must_use]
    pub fn knowing(mut self, sources: &[Source]) -> Self {
        self.keys = self.keys_of(sources);
        self
    }

    fn keys_of(&self, sources: &[Source]) -> Vec<PublicKey> {
        // Most files need not be read for it: what reading costs is their hooks.
        let read: Vec<(&Source, ReadConfig)> = sources
            .iter()
            .filter(|source| source.text.contains("keys") && native::may_pin(source))
            .map(|source| (source, source.dialect.dialect().read_config(source)))
            .collect();
        self.pinned(read.iter().map(|(source, config)| (*source, config)))
    }

    /// The keys that files pin which are a person's own, and stand as they were approved if they were (T-2).
    fn pinned<'a>(
        &self,
        read: impl Iterator<Item = (&'a Source, &'a ReadConfig)>,
    ) -> Vec<PublicKey> {
        let stands = |(source, config): &(&Source, &ReadConfig)| {
            !config.keys.is_empty()
                && match self.store.read(&source.name, source.dialect.as_str()) {
                    Kept::Nothing => true,
                    Kept::Record(record) => {
                        record.answer == Said::Approved && *record.text == *source.text
                    }
                    Kept::Unusable(_) => false,
                }
        };
        signed::keys(read.filter(stands))
    }

    /// What of a source counts: all of what is the person's own; of a repository's the text that was approved or signed, whatever
    /// became of it.
    fn obeyed(&self, source: &Source, locks: &Locks) -> Option<Source> {
        if origin::of(source) == Origin::Own {
            // The text of a file that is being saved may name no plugin yet.
            let last = source.flaw.as_ref().and_then(|_| self.last_good(source));
            return Some(last.unwrap_or_else(|| source.clone()));
        }
        if let Some((signed, _)) = locks.signed(source) {
            return Some(source.with_text(signed.text.as_str()));
        }
        let Kept::Record(record) = self.stored(source) else { return None };
        (record.answer == Said::Approved).then(|| source.with_text(record.text))
    }

    fn assess(&self, source: &Source, config: &ReadConfig, locks: &Locks) -> Assessed {
        let ground = PathRoots::from(source);
        let mut kept = self.stored(source);
        let before = match &mut kept {
            Kept::Record(record) => std::mem::take(&mut record.read),
            Kept::Nothing | Kept::Unusable(_) => Vec::new(),
        };
        let seen = Seen::after(before);
        let finding =
            Finding { ground, directory: &source.directory, search: &self.search, seen: &seen };
        let entries: Vec<Identity> =
            config.hooks.iter().map(|hook| Identity::of(hook, finding)).collect();
        let servers: Vec<(Digest, Pins)> =
            config.servers.iter().map(|server| of_server(server, finding)).collect();
        let here = |(entry, pins): &(Digest, Pins)| {
            format!("{entry}{}{}", pins.digest(ground), pins.machine())
        };
        let modules =
            pins::of_modules(source, config, finding).map(|pins| (pins.digest(ground), pins));
        let rest = rest(source, config, servers.iter().chain(&modules).map(here));
        let review_of = |name: &str| {
            Canon::new("review 1")
                .field("source", name)
                .field("dialect", source.dialect.as_str())
                .list("entries", entries.iter().map(|entry| entry.whole.to_string()))
                .field("rest", rest.to_string())
                .end()
        };
        let review = review_of(&source.name);
        let portable = Portable::of(source, config, &entries, &servers);
        // The same review of another checkout is one of this file.
        if let Kept::Record(record) = &mut kept
            && record.review == review_of(&record.source).to_string()
        {
            record.review = review.to_string();
        }
        let now = (&*entries, rest, review);
        let (kept, signer) = signed::heard(kept, source, locks, now, &portable);
        let known = match &kept {
            Kept::Record(record) => record.entries.iter().cloned().collect(),
            Kept::Nothing | Kept::Unusable(_) => HashSet::new(),
        };
        let read = seen.into_scripts();
        Assessed { kept, known, entries, servers, modules, rest, review, portable, signer, read }
    }

    /// What there is to say about a source before anybody approves it.
    #[must_use]
    pub fn review(&self, source: &Source) -> Review {
        let config = match discover::servers_of(source) {
            Some(servers) => ReadConfig { servers, ..ReadConfig::default() },
            None => source.dialect.dialect().read_config(source),
        };
        let locks = Locks::read([source], &self.keys);
        let assessed = self.assess(source, &config, &locks);
        review::of(source, config, assessed)
    }

    /// Signs exactly what these reviews say, for all who pinned the key, as far as the reviews are of files of one project. Who
    /// signed the same before has signed it still (T-55).
    ///
    /// # Errors
    ///
    /// When a file lies outside of the project, or has more or else than can be signed: which, and why.
    pub fn sign(reviews: &[Review], key: &SecretKey) -> io::Result<Lock> {
        let sources: io::Result<Vec<lock::Signed>> = reviews.iter().map(Review::to_sign).collect();
        let before = reviews.first().and_then(|review| Lock::read(&review.project)?.ok());
        Ok(Lock::of(sources?).signed(key, before))
    }

    /// Approves exactly what a review says, in place of what was said of its source before, and keeps what it runs.
    ///
    /// # Errors
    ///
    /// When it cannot be kept, or when there is more than can be approved.
    pub fn approve(&self, review: &Review) -> io::Result<()> {
        if let Some(why) = review.too_much() {
            return Err(io::Error::other(format!("it cannot be approved: {why}")));
        }
        for (files, pins) in review.trees() {
            copies::keep(&self.store, files, pins, &review.project)?;
        }
        let record =
            Record::now(&review.source, review.dialect.as_str(), Said::Approved, review.digest);
        self.store.write(&Record {
            entries: review.entries.iter().map(|entry| entry.identity.to_string()).collect(),
            copies: review.trees().map(|(files, _)| files.to_string()).collect(),
            rest: review.rest.to_string(),
            text: review.text.to_string(),
            read: review.read.clone(),
            ..record
        })
    }

    /// Refuses exactly what a review says: it is off, and nobody is asked again until it is another (T-16).
    ///
    /// # Errors
    ///
    /// When that cannot be kept.
    pub fn refuse(&self, review: &Review) -> io::Result<()> {
        let answer = Said::Refused;
        self.store.write(&Record::now(
            &review.source,
            review.dialect.as_str(),
            answer,
            review.digest,
        ))
    }

    /// What became of the files that hooks of a source ran when it was approved, as far as they are text.
    #[must_use]
    pub fn changed_files(&self, review: &Review) -> Vec<ChangedFile> {
        copies::changed(&self.store, review)
    }

    /// Whether a source is one whose hooks are armed by approval, or by where it stands until somebody approves it (T-1, T-2).
    #[must_use]
    pub fn origin(source: &Source) -> Origin {
        origin::of(source)
    }
}

/// What a source says of plugins and servers to its agent, which only its agent's reader understands: key and text.
fn plugins(source: &Source) -> Vec<(String, String)> {
    const WORDS: &[&str] = &["plugin", "marketplace", "mcpjson"];
    let parsed = syntax::salvage(&source.text, Format::Json, GROUPS);
    let entries = parsed.root.as_ref().map(syntax::Node::entries).unwrap_or_default();
    let speaks = |key: &str| WORDS.iter().any(|word| key.to_lowercase().contains(word));
    let said = entries.iter().filter(|entry| speaks(&entry.key)).filter_map(|entry| {
        let text = source.text.get(entry.key_span.start..entry.node.span.end)?;
        Some((entry.key.clone(), text.to_owned()))
    });
    said.collect()
}

impl Assessed {
    /// What was approved of it, if anything.
    fn approved(&self) -> Option<&Record> {
        match &self.kept {
            Kept::Record(record) if record.answer == Said::Approved => Some(record),
            Kept::Record(_) | Kept::Nothing | Kept::Unusable(_) => None,
        }
    }

    /// The state of one entry.
    fn state(&self, identity: &Identity) -> State {
        match &self.kept {
            Kept::Nothing => State::Unknown,
            // Something was said, and nobody knows what: doubt restrains (T-32).
            Kept::Unusable(_) => State::Changed,
            Kept::Record(record) => match record.answer {
                Said::Refused if record.review == self.review.to_string() => State::Refused,
                Said::Refused => State::Unknown,
                Said::Approved if identity.pins.too_much.is_some() => State::Changed,
                Said::Approved if self.known.contains(&identity.whole.to_string()) => {
                    State::Approved
                }
                Said::Approved => State::Changed,
            },
        }
    }

    /// What was said of the source as a whole.
    fn said(&self) -> State {
        match &self.kept {
            Kept::Nothing => State::Unknown,
            Kept::Unusable(_) => State::Changed,
            Kept::Record(record) if record.answer == Said::Refused => {
                if record.review == self.review.to_string() {
                    State::Refused
                } else {
                    State::Unknown
                }
            }
            Kept::Record(record) if record.review == self.review.to_string() => State::Approved,
            Kept::Record(_) => State::Changed,
        }
    }
}
