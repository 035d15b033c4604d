//! Approvals of a repository's hooks. Such a hook runs only if the user approved exactly its entry
//! and the bytes of the files that it runs; it then runs from a copy. Prints and asks nothing: a
//! host shows a [`Review`] and passes the user's answer on.
//!
//! Implements `docs/spec/trust.md` (T-). The rule is a table in `decide`; `entry` and `pins`
//! compute an identity; `store` and `copies` store approvals.

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
use copies::ChangedFile;
use key::{PublicKey, SecretKey};
use last_good::LastGood;
use lock::Lock;
use pins::{Finding, Pins, ReadScript, Seen};
use review::Entry;
use signed::{Locks, Portable};
use store::{Answer, Record, Store, Stored};
use tenterhook_core::dialect::{GROUPS, Roots, native};
use tenterhook_core::entry::{self, PathRoots, digest::Canon};
use tenterhook_core::hook::Hook;
use tenterhook_core::source::{Reach, ReadConfig, Server, Source};
use tenterhook_core::syntax::{self, Format};

pub(crate) use copies::original_path_of_copy;
pub use decide::{Origin, State};
pub use review::Review;
pub use tenterhook_core::entry::digest::Digest;

/// What only the programs use (see [`crate::internal`]).
pub(crate) mod internal {
    pub use super::key::SecretKey;
    pub use super::lock::LOCK;
    pub use super::pins::Pin;
    pub use super::review::{Change, Entry};
}

/// The user's approvals, stored in a directory. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Trust {
    store: Store,
    search: Vec<PathBuf>,
    /// The pinned keys whose signatures arm hooks, for reviews.
    keys: Vec<PublicKey>,
    tells_once: bool,
    /// The last good copies of files, for a run that stores them.
    last_good: Option<LastGood>,
}

/// The identity of one entry: its settings, the bytes that it runs, and the programs that run them.
struct Identity {
    entry: Digest,
    files: Digest,
    whole: Digest,
    pins: Pins,
}

/// A source with the identities of all its entries.
struct Assessed {
    stored: Stored,
    /// The identities of the approved entries.
    known: HashSet<String>,
    entries: Vec<Identity>,
    servers: Vec<(Digest, Pins)>,
    /// The folder of the modules that its agent loads for it, with the name of its copy.
    modules: Option<(Digest, Pins)>,
    rest: Digest,
    review: Digest,
    /// The same in every checkout.
    portable: Portable,
    /// The pinned key whose signature approves it, if one does.
    signer: Option<PublicKey>,
    /// The findings in the scripts that the hooks run.
    read: Vec<ReadScript>,
}

impl Identity {
    fn new(hook: &Hook, finding: Finding<'_>) -> Self {
        let pins = pins::pins_of_hook(hook, finding);
        let (entry, files) = (
            entry::hook_digest(hook, finding.ground),
            finding.seen.cached_digest(&pins, finding.ground),
        );
        let whole = Canon::new("identity 1")
            .with_field("entry", entry.to_string())
            .with_field("files", files.to_string())
            .with_field("machine", pins.interpreters_digest().to_string())
            .finish();
        Self { entry, files, whole, pins }
    }
}

/// The digest of an MCP server's settings, and the files that it runs.
fn server_digest_and_pins(server: &Server, finding: Finding<'_>) -> (Digest, Pins) {
    let pins = match &server.reach {
        Reach::Program(command) => pins::pins_of_command(command, finding),
        Reach::Address(_) | Reach::Withheld(_) => Pins::default(),
    };
    (entry::server_digest(server, finding.ground), pins)
}

/// The digest of a source outside its entries, including its plugins and the digests of its
/// `servers`.
fn settings_digest(
    source: &Source,
    config: &ReadConfig,
    servers: impl Iterator<Item = String>,
) -> Digest {
    Canon::new("rest")
        .with_field(
            "said",
            entry::digest_of_non_hook_settings(config, PathRoots::from(source)).to_string(),
        )
        .with_list_field(
            "plugins",
            plugin_and_server_settings(source).iter().map(|(_, text)| text.as_str()),
        )
        .with_list_field("servers", servers)
        .finish()
}

impl Trust {
    /// Uses the approvals in `state`, the state directory of this program, such as
    /// `~/.local/state/tenterhook`. Opens no file yet.
    #[must_use]
    pub fn at(state: impl AsRef<Path>) -> Self {
        Self {
            store: Store::in_state_directory(state.as_ref()),
            search: Vec::new(),
            keys: Vec::new(),
            tells_once: false,
            last_good: None,
        }
    }

    /// Sets the environment of hooks. Its `PATH` decides which programs run them.
    #[must_use]
    pub fn within(mut self, env: &[(String, String)]) -> Self {
        let path = env.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value);
        self.search = path.map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
        self
    }

    /// Reports unapproved hooks once for each repository instead of every time (T-14).
    #[must_use]
    pub const fn telling_once(mut self) -> Self {
        self.tells_once = true;
        self
    }

    /// Reads every file that the agents would load from `roots`, as [`discover::find`] does, except
    /// that unapproved files do not decide which plugins exist (T-15). An approved file that is
    /// missing is also returned as a source (T-70).
    #[must_use]
    pub fn find(&self, roots: &Roots) -> Found {
        let mut found = discover::find_with_plugin_sources(roots, |found| {
            let locks = Locks::read_lock_files(found, &self.read_pinned_keys(found));
            found.iter().filter_map(|source| self.effective_source(source, &locks)).collect()
        });
        found.sources.extend(self.vanished_sources(roots, &found.sources));
        found
    }

    /// Reads the keys that the organisation's and the user's files among `sources` pin, so that
    /// reviews verify signatures (T-50). An engine reads them itself.
    #[must_use]
    pub fn knowing(mut self, sources: &[Source]) -> Self {
        self.keys = self.read_pinned_keys(sources);
        self
    }

    fn read_pinned_keys(&self, sources: &[Source]) -> Vec<PublicKey> {
        // Parsing is expensive because of hooks, so skip files that cannot pin a key.
        let read: Vec<(&Source, ReadConfig)> = sources
            .iter()
            .filter(|source| source.text.contains("keys") && native::may_pin_signature_keys(source))
            .map(|source| (source, source.dialect.dialect().read_config(source)))
            .collect();
        self.user_pinned_keys(read.iter().map(|(source, config)| (*source, config)))
    }

    /// Returns the keys that the user's files pin. A file that was approved must be unchanged
    /// (T-2).
    fn user_pinned_keys<'a>(
        &self,
        read: impl Iterator<Item = (&'a Source, &'a ReadConfig)>,
    ) -> Vec<PublicKey> {
        let stands = |(source, config): &(&Source, &ReadConfig)| {
            !config.keys.is_empty()
                && match self.store.read_answer(&source.name, source.dialect.as_str()) {
                    Stored::Nothing => true,
                    Stored::Record(record) => {
                        record.answer == Answer::Approved && *record.text == *source.text
                    }
                    Stored::Unusable(_) => false,
                }
        };
        signed::pinned_keys(read.filter(stands))
    }

    /// Returns the effective version of a source: a user's file as it is, a repository's file as it
    /// was approved or signed.
    fn effective_source(&self, source: &Source, locks: &Locks) -> Option<Source> {
        if origin::source_origin(source) == Origin::Own {
            // The text of a file that is being saved may name no plugin yet.
            let last = source.flaw.as_ref().and_then(|_| self.last_good_source(source));
            return Some(last.unwrap_or_else(|| source.clone()));
        }
        if let Some((signed, _)) = locks.signed_version(source) {
            return Some(source.with_text(signed.text.as_str()));
        }
        let Stored::Record(record) = self.answer_here_or_elsewhere(source) else { return None };
        (record.answer == Answer::Approved).then(|| source.with_text(record.text))
    }

    fn assess_source(&self, source: &Source, config: &ReadConfig, locks: &Locks) -> Assessed {
        let ground = PathRoots::from(source);
        let mut stored = self.answer_here_or_elsewhere(source);
        let before = match &mut stored {
            Stored::Record(record) => std::mem::take(&mut record.read),
            Stored::Nothing | Stored::Unusable(_) => Vec::new(),
        };
        let seen = Seen::with_approved_scripts(before);
        let finding =
            Finding { ground, directory: &source.directory, search: &self.search, seen: &seen };
        let entries: Vec<Identity> =
            config.hooks.iter().map(|hook| Identity::new(hook, finding)).collect();
        let servers: Vec<(Digest, Pins)> =
            config.servers.iter().map(|server| server_digest_and_pins(server, finding)).collect();
        let here = |(entry, pins): &(Digest, Pins)| {
            format!("{entry}{}{}", pins.digest(ground), pins.interpreters_digest())
        };
        let modules = pins::pins_of_plugin_modules(source, config, finding)
            .map(|pins| (pins.digest(ground), pins));
        let rest = settings_digest(source, config, servers.iter().chain(&modules).map(here));
        let review_of = |name: &str| {
            Canon::new("review 1")
                .with_field("source", name)
                .with_field("dialect", source.dialect.as_str())
                .with_list_field("entries", entries.iter().map(|entry| entry.whole.to_string()))
                .with_field("rest", rest.to_string())
                .finish()
        };
        let review = review_of(&source.name);
        let portable = Portable::new(source, config, &entries, &servers);
        // The same review of a different checkout is valid for this file.
        if let Stored::Record(record) = &mut stored
            && record.review == review_of(&record.source).to_string()
        {
            record.review = review.to_string();
        }
        let now = (&*entries, rest, review);
        let (stored, signer) = signed::add_signed_approval(stored, source, locks, now, &portable);
        let known = match &stored {
            Stored::Record(record) => record.entries.iter().cloned().collect(),
            Stored::Nothing | Stored::Unusable(_) => HashSet::new(),
        };
        let read = seen.into_scripts();
        Assessed { stored, known, entries, servers, modules, rest, review, portable, signer, read }
    }

    /// Describes a source to the user who may approve it.
    #[must_use]
    pub fn review(&self, source: &Source) -> Review {
        let config = match discover::servers_in_source(source) {
            Some(servers) => ReadConfig { servers, ..ReadConfig::default() },
            None => source.dialect.dialect().read_config(source),
        };
        let locks = Locks::read_lock_files([source], &self.keys);
        let assessed = self.assess_source(source, &config, &locks);
        review::build_review(source, config, assessed)
    }

    /// Makes a lock file with a signature over exactly the content of these reviews, which must be
    /// of files of one project. Keeps earlier signatures over the same content (T-55).
    ///
    /// # Errors
    ///
    /// Fails if a file lies outside of the project, or contains something that cannot be signed.
    pub fn sign(reviews: &[Review], key: &SecretKey) -> io::Result<Lock> {
        let sources: io::Result<Vec<lock::Signed>> =
            reviews.iter().map(Review::signed_part).collect();
        let before =
            reviews.first().and_then(|review| Lock::read_from_project(&review.project)?.ok());
        Ok(Lock::new(sources?).with_signature(key, before))
    }

    /// Approves exactly the content of a review, and copies the files that it runs. Replaces an
    /// earlier answer about the source.
    ///
    /// # Errors
    ///
    /// Fails if the approval cannot be stored, or if the review exceeds a limit.
    pub fn approve(&self, review: &Review) -> io::Result<()> {
        if let Some(why) = review.too_much() {
            return Err(io::Error::other(format!("it cannot be approved: {why}")));
        }
        for (files, pins) in review.pins_with_digests() {
            copies::store_copies(&self.store, files, pins, &review.project)?;
        }
        let record = Record::answered_now(
            &review.source,
            review.dialect.as_str(),
            Answer::Approved,
            review.digest,
        );
        self.store.write(&Record {
            entries: review.entries.iter().map(|entry| entry.identity.to_string()).collect(),
            copies: review.pins_with_digests().map(|(files, _)| files.to_string()).collect(),
            rest: review.rest.to_string(),
            text: review.text.to_string(),
            read: review.read.clone(),
            programs: pins::found_programs(review.pins()),
            ..record
        })
    }

    /// Refuses exactly the content of a review: it is off, and the user is not asked again until it
    /// changes (T-16).
    ///
    /// # Errors
    ///
    /// Fails if the answer cannot be stored.
    pub fn refuse(&self, review: &Review) -> io::Result<()> {
        let answer = Answer::Refused;
        self.store.write(&Record::answered_now(
            &review.source,
            review.dialect.as_str(),
            answer,
            review.digest,
        ))
    }

    /// Returns how the text files that hooks of a source run have changed since it was approved.
    #[must_use]
    pub fn changed_files(&self, review: &Review) -> Vec<ChangedFile> {
        copies::changed_files(&self.store, review)
    }

    /// Returns the origin of a source, which decides whether its hooks need an approval (T-1, T-2).
    #[must_use]
    pub fn origin(source: &Source) -> Origin {
        origin::source_origin(source)
    }
}

/// The keys and texts of settings about plugins and servers, which only the agent understands.
fn plugin_and_server_settings(source: &Source) -> Vec<(String, String)> {
    const KEYS: &[&str] = &["plugin", "marketplace", "mcpjson"];
    let parsed = syntax::parse_or_salvage(&source.text, Format::Json, GROUPS);
    let entries = parsed.root.as_ref().map(syntax::Node::entries).unwrap_or_default();
    let is_about = |key: &str| KEYS.iter().any(|part| key.to_lowercase().contains(part));
    let settings = entries.iter().filter(|entry| is_about(&entry.key)).filter_map(|entry| {
        let text = source.text.get(entry.key_span.start..entry.node.span.end)?;
        Some((entry.key.clone(), text.to_owned()))
    });
    settings.collect()
}

impl Assessed {
    /// Returns the record of the approval, if the source is approved.
    fn approval_record(&self) -> Option<&Record> {
        match &self.stored {
            Stored::Record(record) if record.answer == Answer::Approved => Some(record),
            Stored::Record(_) | Stored::Nothing | Stored::Unusable(_) => None,
        }
    }

    /// Describes each program that an entry names and that is found elsewhere than when the entry
    /// was approved.
    fn moved_programs(&self, pins: &Pins) -> Vec<String> {
        let Some(record) = self.approval_record() else { return Vec::new() };
        let moved = |(name, path): &(String, Option<PathBuf>)| {
            let was = record.programs.get(name).filter(|was| Some(*was) != path.as_ref())?;
            let is = match path {
                Some(path) => format!("is `{}` here", path.display()),
                None => "is not found here".to_owned(),
            };
            Some(format!("`{name}` {is}, and was `{}` when you approved it", was.display()))
        };
        pins.interpreters.iter().filter_map(moved).collect()
    }

    fn state_and_moved_programs(&self, identity: &Identity) -> (State, Vec<String>) {
        (self.state(identity), self.moved_programs(&identity.pins))
    }

    /// The state of one entry.
    fn state(&self, identity: &Identity) -> State {
        match &self.stored {
            Stored::Nothing => State::Unknown,
            // There is an answer that cannot be read: treat it as a change (T-32).
            Stored::Unusable(_) => State::Changed,
            Stored::Record(record) => match record.answer {
                Answer::Refused if record.review == self.review.to_string() => State::Refused,
                Answer::Refused => State::Unknown,
                Answer::Approved if identity.pins.too_much.is_some() => State::Changed,
                Answer::Approved if self.known.contains(&identity.whole.to_string()) => {
                    State::Approved
                }
                Answer::Approved => State::Changed,
            },
        }
    }

    /// The state of the source as a whole.
    fn source_state(&self) -> State {
        match &self.stored {
            Stored::Nothing => State::Unknown,
            Stored::Unusable(_) => State::Changed,
            Stored::Record(record) if record.answer == Answer::Refused => {
                if record.review == self.review.to_string() {
                    State::Refused
                } else {
                    State::Unknown
                }
            }
            Stored::Record(record) if record.review == self.review.to_string() => State::Approved,
            Stored::Record(_) => State::Changed,
        }
    }
}
