//! Builds a review: everything about a source that the user should know before they approve it.
//! Values only; a host escapes and shows them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::decide::{Role, State, WrittenFor};
use super::key::PublicKey;
use super::lock::Signed;
use super::pins::{Pins, ReadScript};
use super::suspect::{self, Suspect};
use super::{Assessed, Identity, judge, signed, store, worktree};
use tenterhook_core::config;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::entry::{self as entries, digest::Digest, shown};
use tenterhook_core::hook::{Hook, Layer, Sandbox};
use tenterhook_core::source::{Reach, ReadConfig, Source, Switch};

/// Everything about a source that a person should know before they approve it.
#[derive(Clone, Debug)]
pub struct Review {
    /// The file.
    pub source: Arc<str>,
    /// The dialect of its format.
    pub dialect: DialectId,
    /// The layer that it configures.
    pub layer: Layer,
    /// The user's answer about it.
    pub state: State,
    /// Its hooks.
    pub entries: Vec<Entry>,
    /// Its settings outside of hooks, a line each.
    pub beside: Vec<String>,
    /// Approved entries that are gone, a line each.
    pub gone: Vec<String>,
    /// The digest that identifies the review, for scripts that approve it.
    pub digest: Digest,
    /// The text that was approved last, if any was.
    pub approved_text: Option<String>,
    /// The current text.
    pub text: Arc<str>,
    /// Why its text could not be read, if so: its settings are unknown then, not empty.
    pub unread: Option<String>,
    /// Why the user's answer cannot be read, if it cannot.
    pub unknown: Option<String>,
    /// The project that it is for.
    pub project: PathBuf,
    /// The pinned key whose signature in the lock file approves it, if one does.
    pub signer: Option<PublicKey>,
    /// The content to sign; `None` if it cannot be signed.
    pub(super) signable: Option<Signed>,
    /// The findings in the scripts that its hooks run.
    pub(super) read: Vec<ReadScript>,
    pub(super) rest: Digest,
    /// The files of its MCP servers, with the names of their copies.
    pub(super) servers: Vec<(Digest, Pins)>,
    /// The folder of its modules, with the name of its copy.
    pub(super) modules: Option<(Digest, Pins)>,
    /// The copies that were made at its last approval.
    pub(super) copies: Vec<String>,
    /// The names of the same file in other checkouts of the repository.
    pub(super) elsewhere: Vec<String>,
}

/// One hook of a review.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The hook as configured.
    pub hook: Hook,
    /// The user's answer about it.
    pub state: State,
    /// How it differs from what was approved.
    pub change: Change,
    /// Its abilities, a few words each.
    pub can: Vec<&'static str>,
    /// Its settings in reading order: a label, and a text of any length that is not escaped.
    pub says: Vec<(&'static str, String)>,
    /// The files that it runs.
    pub pins: Pins,
    /// The programs that it names and that are found elsewhere than when it was approved.
    pub moved_programs: Vec<String>,
    /// Suspicious lines: the row or file, and the finding.
    pub suspects: Vec<(String, Suspect)>,
    /// Its identity in an approval.
    pub identity: Digest,
    pub(super) files: Digest,
}

/// How an entry differs from what was approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// There is no approval of the source.
    New,
    /// The entry is unchanged.
    Same,
    /// The entry is the same, but a file that it runs or the program that runs it changed.
    Files,
    /// The entry was not there.
    Entry,
}

pub(super) fn build_review(source: &Source, config: ReadConfig, assessed: Assessed) -> Review {
    let then = assessed.approval_record().map(|record| judge::approved_config(source, record));
    let ground = super::PathRoots::from(source);
    let entries_then: Vec<Digest> = then
        .iter()
        .flat_map(|config| &config.hooks)
        .map(|hook| entries::hook_digest(hook, ground))
        .collect();
    let now: std::collections::HashSet<Digest> =
        assessed.entries.iter().map(|entry| entry.entry).collect();
    let gone = then.iter().flat_map(|config| &config.hooks).zip(&entries_then);
    let gone =
        gone.filter(|(_, entry)| !now.contains(entry)).map(|(hook, _)| hook_line(hook)).collect();
    let state = assessed.source_state();
    let unknown = match &assessed.stored {
        store::Stored::Unusable(why) => Some(why.clone()),
        store::Stored::Nothing | store::Stored::Record(_) => None,
    };
    let signer = assessed.signer;
    // What a module's folder holds is not part of what is signed.
    let signable = portable_signed_part(source, &assessed).filter(|_| assessed.modules.is_none());
    let approved = assessed.approval_record().cloned();
    let states: Vec<(State, Vec<String>)> =
        assessed.entries.iter().map(|entry| assessed.state_and_moved_programs(entry)).collect();
    let unread = unreadable_reason(source).or_else(|| lost_whole_reason(source, &config));
    let mut beside = other_settings(&config, &assessed, &source.project);
    beside.extend(describe_plugin_settings(source));
    let servers = assessed.servers.into_iter().map(|(_, pins)| (pins.digest(ground), pins));
    let entries = config.hooks.into_iter().zip(assessed.entries).zip(states);
    let entries = entries.filter(|((hook, _), _)| !hook.is_hold_for_unread_file()).map(
        |((hook, identity), state)| {
            let was = entries_then.contains(&identity.entry);
            build_entry(source, hook, identity, (state, was))
        },
    );
    Review {
        source: Arc::clone(&source.name),
        dialect: source.dialect,
        layer: source.layer,
        state,
        entries: entries.collect(),
        beside,
        gone,
        digest: assessed.review,
        signer,
        signable,
        read: assessed.read,
        copies: approved.as_ref().map(|record| record.copies.clone()).unwrap_or_default(),
        approved_text: approved.map(|record| record.text),
        text: Arc::clone(&source.text),
        unread,
        unknown,
        project: source.project.clone(),
        rest: assessed.rest,
        servers: servers.collect(),
        modules: assessed.modules,
        elsewhere: worktree::names_in_other_checkouts(source),
    }
}

/// Describes one entry. `was` is whether the approved version of the file contains the same entry.
fn build_entry(
    source: &Source,
    hook: Hook,
    identity: Identity,
    ((state, moved_programs), was): ((State, Vec<String>), bool),
) -> Entry {
    let change = match state {
        State::Approved => Change::Same,
        State::Changed if was => Change::Files,
        State::Changed => Change::Entry,
        State::Unknown | State::Refused => Change::New,
    };
    let unsaid = shown::Unsaid::sandbox_default_for_hook(source, &hook);
    let says = shown::review_rows_of_hook(&hook, unsaid);
    Entry {
        can: shown::abilities_of_hook(&hook, judge::hook_role(&hook) == Role::Gate, unsaid),
        suspects: find_suspects(&says, &identity.pins),
        says,
        hook,
        state,
        change,
        pins: identity.pins,
        moved_programs,
        identity: identity.whole,
        files: identity.files,
    }
}

fn unreadable_reason(source: &Source) -> Option<String> {
    let lost = source.flaw.as_ref().filter(|_| source.is_unreadable())?;
    Some(format!("`{}` cannot be read: {}", source.name, lost.why))
}

/// Returns why a native file that is not well formed leaves nothing to approve, if it does: what
/// was lost may be a gate, and calls are held for it (T-15).
fn lost_whole_reason(source: &Source, config: &ReadConfig) -> Option<String> {
    let is_ours = judge::audience_of_dialect(source.dialect) == WrittenFor::Us;
    let lost = config.lost.as_ref().filter(|_| is_ours)?;
    let is_whole = config.hooks.iter().all(Hook::is_hold_for_unread_file);
    let line = lost.place.line;
    is_whole.then(|| format!("nothing in it can be read: line {line}: {}", lost.why))
}

impl Review {
    /// Returns why the source cannot be approved, if it cannot.
    #[must_use]
    pub fn too_much(&self) -> Option<String> {
        self.unread.clone().or_else(|| self.pins().find_map(|pin| pin.too_much.clone()))
    }

    /// Returns what its hooks and servers run.
    pub(super) fn pins(&self) -> impl Iterator<Item = &Pins> {
        self.pins_with_digests().map(|(_, pins)| pins)
    }

    /// Returns what its hooks and servers run, with the digests that name the copies.
    pub(super) fn pins_with_digests(&self) -> impl Iterator<Item = (Digest, &Pins)> {
        let entries = self.entries.iter().map(|entry| (entry.files, &entry.pins));
        let others = self.servers.iter().chain(&self.modules);
        entries.chain(others.map(|(files, pins)| (*files, pins)))
    }

    /// Returns how many MCP servers the source has.
    #[must_use]
    pub fn servers(&self) -> usize {
        self.servers.len()
    }

    /// Returns the part of the review that is signed.
    pub(super) fn signed_part(&self) -> io::Result<Signed> {
        let source = &self.source;
        let refused = |why: &str| io::Error::other(format!("`{source}` cannot be signed: {why}"));
        if let Some(why) = self.too_much() {
            return Err(refused(&why));
        }
        let why = "it does not lie in the project, or a program that it runs by name does";
        self.signable.clone().ok_or_else(|| refused(why))
    }

    /// Returns whether there is nothing to approve.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let says_nothing =
            self.entries.is_empty() && self.beside.is_empty() && self.gone.is_empty();
        says_nothing && self.unread.is_none()
    }
}

/// Returns the part that is the same in every checkout; `None` if some part is not.
fn portable_signed_part(source: &Source, assessed: &Assessed) -> Option<Signed> {
    let entries: Option<Vec<String>> = assessed
        .portable
        .entries
        .iter()
        .map(|entry| entry.as_ref().map(Digest::to_string))
        .collect();
    Some(Signed {
        path: signed::path(source)?,
        dialect: source.dialect.as_str().to_owned(),
        review: assessed.portable.review?.to_string(),
        entries: entries?,
        rest: assessed.portable.rest?.to_string(),
        text: source.text.to_string(),
    })
}

/// Describes a hook in one line.
fn hook_line(hook: &Hook) -> String {
    format!("{} on {}: {}", hook.id, hook.event_label(), hook.run.one_line_description())
}

/// Finds suspicious text: in the entry by the name of its row, in its files by their paths.
fn find_suspects(rows: &[shown::Row], pins: &Pins) -> Vec<(String, Suspect)> {
    let own = rows.iter().flat_map(|(lead, text)| {
        suspect::find_suspicious_text(text)
            .into_iter()
            .map(move |suspect| (format!("`{lead}`"), suspect))
    });
    let files = pins.files.iter().filter_map(|pin| {
        let text = std::str::from_utf8(&pin.bytes).ok()?;
        Some(
            suspect::find_suspicious_text(text)
                .into_iter()
                .map(|suspect| (pin.path.display().to_string(), suspect)),
        )
    });
    own.chain(files.flatten()).collect()
}

/// Describes the settings of a source about plugins and servers of its agent.
fn describe_plugin_settings(source: &Source) -> impl Iterator<Item = String> + use<> {
    let settings = super::plugin_and_server_settings(source).into_iter();
    settings.map(|(key, _)| format!("says to its agent which plugins or servers count (`{key}`)"))
}

/// Describes the settings of a source outside its hooks.
fn other_settings(config: &ReadConfig, assessed: &Assessed, project: &Path) -> Vec<String> {
    let switches = config.switches.iter().map(|switch| match switch {
        Switch::DisableAll => "switches all hooks off".to_owned(),
        Switch::EnableAll => "switches all hooks on".to_owned(),
        Switch::ManagedOnly(_) => "lets only managed hooks run".to_owned(),
        Switch::HoldUnapproved => "blocks the calls that unapproved gates match".to_owned(),
        Switch::NoShadow => "lets no hook of others be put into shadow".to_owned(),
        Switch::DisableHook { name, .. } => format!("switches hook `{name}` off"),
        Switch::AdjustHook { name, keys, .. } => {
            format!("sets {keys} for hook `{name}` of another file, without effect")
        }
        Switch::Govern(govern) => format!("says how hooks of `{}` run", govern.file.display()),
        Switch::Requests { about, .. } => format!("says what requests may do (`{}`)", about.key()),
    });
    let events = config.events.iter().map(|event| format!("declares the event `{}`", event.name));
    let servers = config.servers.iter().zip(&assessed.servers).map(|(server, (_, pins))| {
        let is_pinned = pins.unpinned.is_empty() && pins.reads.is_empty();
        let unpinned = if is_pinned { "" } else { " (unpinned)" };
        let files = pins.files.iter().filter_map(|pin| Some((pin.digest?, &pin.path)));
        let files: String = files
            .map(|(digest, path)| (digest, path.strip_prefix(project).unwrap_or(path)))
            .map(|(digest, path)| format!("\n{}  {}", digest.short_text(), path.display()))
            .collect();
        // How it is reached stands in the line itself.
        let rows =
            shown::review_rows_of_server(server).into_iter().filter(|(lead, _)| *lead != "runs");
        let rows: String = rows.map(|(lead, text)| format!("\n{lead}  {text}")).collect();
        let runs = match server.reach {
            Reach::Program(_) => match &server.sandbox {
                Sandbox::Unsaid if config::is_server_of_repository(server) => {
                    ", which runs in the sandbox `standard` under `tenterhook`".to_owned()
                }
                Sandbox::Unsaid | Sandbox::Off => ", which runs with your rights".to_owned(),
                Sandbox::In(grants) => {
                    let least = grants.required_tier().as_str();
                    format!(
                        ", which runs in the sandbox `{}; isolation_min {least}`",
                        server.sandbox.summary()
                    )
                }
            },
            Reach::Address(_) | Reach::Withheld(_) => String::new(),
        };
        let line = server.reach.one_line_description();
        format!("has the MCP server `{}`{runs}: {line}{unpinned}{rows}{files}", server.name)
    });
    let modules = assessed.modules.iter().map(|(_, pins)| {
        let files = pins.files.iter().filter_map(|pin| Some((pin.digest?, &pin.path)));
        let files: String = files
            .map(|(digest, path)| (digest, path.strip_prefix(project).unwrap_or(path)))
            .map(|(digest, path)| format!("\n{}  {}", digest.short_text(), path.display()))
            .collect();
        let unpinned: String = pins.unpinned.iter().map(|what| format!("\nunpinned  {what}")).collect();
        let names = config.modules.join("`, `");
        format!(
            "loads `{names}` into its agent, which could silence every hook; an approval is of the whole folder:{files}{unpinned}"
        )
    });
    switches.chain(events).chain(servers).chain(modules).collect()
}
