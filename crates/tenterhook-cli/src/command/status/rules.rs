//! Which files with rules apply here, with their digests, and is each expected one among them? Runs no hook.

use std::sync::Arc;

use tenterhook::engine::Builder;
use tenterhook::internal::record::read;
use tenterhook::trust::{Origin, State as Approval, Trust};
use tenterhook_core::config::{Ruleset, Source, is_tenterhook_entry};
use tenterhook_core::diagnostic::Severity;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::entry::digest::Digest;
use tenterhook_core::hook::{Arming, Hook, Layer};
use tenterhook_core::source::{Completeness, Flaw};

use super::super::hook::canary;
use super::super::log::firing::{Firing, firings_from_entries};
use crate::ambient::Here;
use crate::exit::Exit;
use crate::journal;
use crate::load::{self, Loaded, Whose};
use crate::show::layout::format_count;

/// The rules by which a file of another layer or agent disarms all hooks of a managed file.
const DISARMED_BY_OTHERS: &[&str] = &["C-11", "C-12"];

/// What `status` found, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// Each agent calls, and each expected file applies.
    Good,
    /// A file is expected, and no agent is found that would call.
    NoAgent,
    /// A file is expected, and users can switch off an agent's managed entries.
    NotPinned,
    /// An agent does not call Tenterhook.
    DoesNotCall,
    /// No managed file with an expected digest applies.
    OtherRules,
    /// Users can change the program that managed entries start.
    ProgramExposed,
    /// A file with rules cannot be read completely.
    CannotBeRead,
}

impl State {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::NoAgent => "no-agent",
            Self::NotPinned => "not-pinned",
            Self::DoesNotCall => "does-not-call",
            Self::OtherRules => "other-rules",
            Self::ProgramExposed => "program-exposed",
            Self::CannotBeRead => "cannot-be-read",
        }
    }

    pub(super) const fn exit(self) -> Exit {
        match self {
            Self::Good => Exit::Good,
            Self::NoAgent => Exit::NoAgent,
            Self::NotPinned | Self::DoesNotCall => Exit::Wrong,
            Self::OtherRules => Exit::OtherRules,
            Self::ProgramExposed | Self::CannotBeRead => Exit::Unreadable,
        }
    }
}

/// Whether the rules of a file apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileState {
    Applies,
    /// It came with a repository, and the user did not approve it as it is.
    NotApproved,
    /// Some of it, or all, is rejected.
    CannotBeRead,
}

impl FileState {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Applies => "applies",
            Self::NotApproved => "not-approved",
            Self::CannotBeRead => "cannot-be-read",
        }
    }
}

/// A file with rules.
#[derive(Debug)]
pub(super) struct RuleFile {
    pub(super) path: Arc<str>,
    /// The path as people read it.
    shown: String,
    pub(super) dialect: DialectId,
    pub(super) layer: Layer,
    /// The SHA-256 of its bytes; `None` if they cannot be read.
    pub(super) digest: Option<Digest>,
    pub(super) state: FileState,
    /// Why parts of it are rejected.
    pub(super) problems: Vec<String>,
    /// Its hooks, without Tenterhook's own entries.
    pub(super) hooks: Vec<Arc<Hook>>,
}

impl RuleFile {
    fn new(source: &Source, loaded: &Loaded, ruleset: &Ruleset, trust: &Trust) -> Self {
        let is_here = |hook: &&Arc<Hook>| {
            hook.place.as_ref().is_some_and(|place| place.file == source.name)
                && !is_tenterhook_entry(&hook.run)
                && !hook.is_hold_for_unread_file()
        };
        let problems = file_problems(source, loaded);
        let is_unapproved = || {
            let review = trust.review(source);
            !review.is_empty()
                && match Trust::origin(source) {
                    Origin::Repository => review.state != Approval::Approved,
                    _ => review.state == Approval::Changed,
                }
        };
        let state = match problems.is_empty() {
            _ if flaw_of_unread_part(source).is_some() => FileState::CannotBeRead,
            _ if is_unapproved() => FileState::NotApproved,
            true => FileState::Applies,
            false => FileState::CannotBeRead,
        };
        Self {
            path: Arc::clone(&source.name),
            shown: loaded.texts.display_name(&source.name).to_owned(),
            dialect: source.dialect,
            layer: source.layer,
            digest: file_digest(source),
            state,
            problems,
            hooks: ruleset.hooks().iter().filter(is_here).map(Arc::clone).collect(),
        }
    }

    /// Returns whether this is a file of the organisation whose rules all apply as they are
    /// written.
    fn is_managed_and_fully_applied(&self) -> bool {
        let is_disarmed = |hook: &Arc<Hook>| {
            hook.arming
                .disabled_reason()
                .is_some_and(|(_, rule)| DISARMED_BY_OTHERS.contains(&rule))
        };
        self.layer == Layer::Managed
            && self.state == FileState::Applies
            && !self.hooks.iter().any(is_disarmed)
    }

    /// Describes the file for people: path, hooks, and how many of them do not enforce.
    fn description(&self) -> String {
        let mut text = format!("{}, {}", self.shown, format_count(self.hooks.len(), "hook"));
        let off = self.hooks.iter().filter(|hook| hook.arming != Arming::Armed).count();
        let shadows = self.hooks.iter().filter(|hook| hook.enforcement.is_shadow()).count();
        match self.state {
            FileState::NotApproved => text.push_str(", not approved"),
            _ if off > 0 => text.push_str(&format!(", {off} off")),
            _ => {}
        }
        if shadows > 0 {
            text.push_str(&format!(", {shadows} in shadow"));
        }
        text
    }
}

/// Returns the flaw of a file of which something was not read.
fn flaw_of_unread_part(source: &Source) -> Option<&Flaw> {
    let is_whole = |flaw: &&Flaw| {
        matches!(flaw.kept, Completeness::All | Completeness::Saving) && flaw.untrusted.is_none()
    };
    source.flaw.as_ref().filter(|flaw| !is_whole(flaw))
}

/// Returns why the file, or parts of it, are rejected.
fn file_problems(source: &Source, loaded: &Loaded) -> Vec<String> {
    if let Some(flaw) = flaw_of_unread_part(source) {
        return vec![flaw.why.clone()];
    }
    let errors = loaded.diagnostics.iter().filter_map(|diagnostic| {
        let place = diagnostic.place.as_ref().filter(|place| place.file == source.name)?;
        let is_error = diagnostic.severity == Severity::Error;
        is_error.then(|| format!("line {}: {}", place.line, diagnostic.message))
    });
    errors.collect()
}

/// Returns the digest of the file as it was read. A text that was decoded has other bytes than its
/// file.
fn file_digest(source: &Source) -> Option<Digest> {
    match &source.flaw {
        None => Some(Digest::hash(source.text.as_bytes())),
        Some(_) => None,
    }
}

/// An expected digest, and the file that has it.
#[derive(Debug)]
pub(super) struct Expected {
    pub(super) digest: Digest,
    pub(super) file: Option<Match>,
}

/// A file with an expected digest.
#[derive(Debug)]
pub(super) struct Match {
    pub(super) path: Arc<str>,
    shown: String,
    layer: Layer,
    /// Whether its rules bind this user.
    binds: bool,
    state: FileState,
}

impl Match {
    /// Returns why a managed file does not apply as it is written.
    const fn why_not_binding(&self) -> &'static str {
        match self.state {
            FileState::CannotBeRead => {
                "a part of it is rejected: the rest applies, and calls may be held"
            }
            FileState::Applies | FileState::NotApproved => {
                "another managed file switches its hooks off"
            }
        }
    }
}

impl Expected {
    /// Finds the file with the digest. A managed file that binds goes before any other.
    fn find(digest: Digest, files: &[RuleFile]) -> Self {
        let same = || files.iter().filter(|file| file.digest == Some(digest));
        let file =
            same().find(|file| file.is_managed_and_fully_applied()).or_else(|| same().next());
        let file = file.map(|file| Match {
            path: Arc::clone(&file.path),
            shown: file.shown.clone(),
            layer: file.layer,
            binds: file.is_managed_and_fully_applied(),
            state: file.state,
        });
        Self { digest, file }
    }

    /// Returns whether the expected file was found and all its rules apply as they are written.
    pub(super) fn has_fully_applied_file(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.binds)
    }

    fn description(&self) -> String {
        let short = self.digest.short_text();
        match &self.file {
            Some(file) if file.binds => format!("{short}: {} applies", file.shown),
            Some(file) if file.layer == Layer::Managed => {
                format!("{short}: {} has this digest, but {}", file.shown, file.why_not_binding())
            }
            Some(file) => format!(
                "{short}: {} has this digest, but only a managed file binds (layer `{}`)",
                file.shown,
                file.layer.as_str()
            ),
            None => format!("{short}: no file with rules here has this digest"),
        }
    }
}

/// All rules that apply here.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) files: Vec<RuleFile>,
    pub(super) built_in: Vec<Arc<Hook>>,
    pub(super) expected: Vec<Expected>,
    pub(super) last_firing: Option<Firing>,
    /// Why records are missing in the log of the system.
    unsent: Option<String>,
    /// How many of the last records are missing there.
    pub(super) unsent_count: u64,
}

impl Rules {
    /// Reads the files that apply here, and looks for each expected digest.
    pub(super) fn read(expect: &[Digest], here: &Here) -> Self {
        let mut loaded = load::read_sources(&[], Whose::Unsaid, here);
        let ruleset = loaded.build_engine(Builder::self_protection).ruleset();
        let trust = here.trust_store();
        let files = loaded.sources.iter();
        let mut files: Vec<RuleFile> =
            files.map(|source| RuleFile::new(source, &loaded, &ruleset, &trust)).collect();
        files.retain(|file| {
            file.layer == Layer::Managed || !file.hooks.is_empty() || !file.problems.is_empty()
        });
        let built_in = ruleset.hooks().iter().filter(|hook| hook.layer == Layer::BuiltIn);
        Self {
            built_in: built_in.map(Arc::clone).collect(),
            expected: expect.iter().map(|digest| Expected::find(*digest, &files)).collect(),
            last_firing: last_firing(here),
            unsent: journal::unsent_records_message(here),
            unsent_count: read::count_unsent_records(&journal::journal_location(here)),
            files,
        }
    }

    /// Returns the state of all rules: whether a file cannot be read, or an expected file does not
    /// apply.
    pub(super) fn overall_state(&self) -> State {
        if self.files.iter().any(|file| file.state == FileState::CannotBeRead) {
            return State::CannotBeRead;
        }
        match self.expected.iter().all(Expected::has_fully_applied_file) {
            true => State::Good,
            false => State::OtherRules,
        }
    }

    /// Returns the rows for people: a label and a text.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        for file in &self.files {
            rows.push((file.layer.as_str(), file.description()));
            rows.extend(file.problems.iter().map(|problem| ("", problem.clone())));
            if let (Layer::Managed, Some(digest)) = (file.layer, file.digest) {
                rows.push(("", format!("sha256 {digest}")));
            }
        }
        let armed = self.built_in.iter().filter(|hook| hook.arming == Arming::Armed).count();
        rows.push(("built in", format!("self-protection, {}", format_count(armed, "hook"))));
        rows.extend(self.expected.iter().map(|expected| ("expected", expected.description())));
        let last = self.last_firing.as_ref().map(|firing| {
            format!(
                "{}, {}, {}",
                firing.local_end_time(),
                firing.event_name(),
                firing.display_decision()
            )
        });
        rows.push(("last firing", last.unwrap_or_else(|| "none on record".to_owned())));
        rows.extend(self.unsent.iter().map(|message| ("not sent", message.clone())));
        rows
    }
}

/// Returns the last firing on record, except calls of `doctor`. A record that cannot be read has none.
fn last_firing(here: &Here) -> Option<Firing> {
    let files = read::list_record_files(&journal::journal_location(here)).ok()?;
    files.iter().rev().find_map(|path| {
        let (entries, _) = read::read_entries(path, 0).ok()?;
        let is_call = |firing: &Firing| {
            let is_trial = firing.session_id().is_some_and(canary::is_session_of_doctor);
            !firing.is_late_step() && !is_trial
        };
        firings_from_entries(entries).into_iter().rfind(is_call)
    })
}
