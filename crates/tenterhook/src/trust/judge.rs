//! Applies approvals to sources before they become a ruleset: disarms hooks that may not run and
//! removes settings that have no effect. `decide` decides which.

use std::collections::HashSet;

use super::copies::{Checked, CopyError};
use super::decide::{Decision, Origin, Role, State, Unapproved, WrittenFor, decide_hook};
use super::signed::Locks;
use super::store::{Record, Store, Stored};
use super::{Assessed, Identity, Trust, copies, origin, servers};
use tenterhook_core::answer::Power;
use tenterhook_core::diagnostic::{Code, Diagnostic};
use tenterhook_core::dialect::DialectId;
use tenterhook_core::entry::digest::Digest;
use tenterhook_core::entry::{self, PathRoots};
use tenterhook_core::hook::{
    Arming, Hook, HookId, Layer, OnFailure, Phase, Run, Unread, Wait, Worker, row,
};
use tenterhook_core::source::{Reach, ReadConfig, Source, Switch};

const TRUST_COMMAND: &str = "`tenterhook trust`";

impl Trust {
    /// Judges every source as it was read, before its settings are applied.
    pub(crate) fn judge_sources(&self, read: &mut [(Source, ReadConfig)]) -> Vec<Diagnostic> {
        let unapproved = unapproved_policy(read);
        let keys = self.user_pinned_keys(read.iter().map(|(source, config)| (source, config)));
        let locks = Locks::read_lock_files(read.iter().map(|(source, _)| source), &keys);
        let judged = read
            .iter_mut()
            .map(|(source, config)| self.judge_source(source, config, unapproved, &locks));
        let found: Vec<Diagnostic> = judged.flatten().collect();
        locks.diagnostics().chain(found).collect()
    }

    fn judge_source(
        &self,
        source: &Source,
        config: &mut ReadConfig,
        unapproved: Unapproved,
        locks: &Locks,
    ) -> Vec<Diagnostic> {
        let (origin, doubt) = origin::origin_and_doubt(source);
        if origin == Origin::Own && self.is_source_unanswered(source) {
            return Vec::new();
        }
        let assessed = self.assess_source(source, config, locks);
        // A user's file that others can write is not approved either. Its gates hold, or `chmod`
        // would switch them off.
        let unapproved = if source.layer == Layer::User { Unapproved::Hold } else { unapproved };
        let mut count = Count::default();
        let checked = Checked::default();
        for (hook, identity) in config.hooks.iter_mut().zip(&assessed.entries) {
            let state = assessed.state(identity);
            let decision = decide_hook(
                origin,
                state,
                hook_role(hook),
                audience_of_dialect(source.dialect),
                unapproved,
            );
            count.count_hook(hook, state, decision);
            let reason = || not_approved_reason(state, &assessed, Some(identity), doubt.as_deref());
            match decision {
                Decision::Arms if state == State::Approved => {
                    if let Err(why) = self.redirect_hook_to_copies(hook, identity, source, &checked)
                    {
                        count.held += usize::from(hook_role(hook) == Role::Gate);
                        make_gate_hold_or_disarm(hook, why.to_string());
                    }
                }
                Decision::Arms => {}
                Decision::Holds => make_gate_hold_calls(hook, reason()),
                Decision::Off => hook.disarm_unapproved(reason()),
            }
        }
        if let Some(record) = assessed.approval_record() {
            count.held += add_substitute_gates(source, config, &assessed, record);
        }
        let is_foreign = origin == Origin::Repository;
        // Each of the two marks the project as reported: the second is asked only if the first has nothing to report.
        let reported =
            self.idle_hooks_diagnostic((source, doubt), &assessed, &count, locks).or_else(|| {
                is_foreign
                    .then(|| self.inactive_settings_diagnostic(source, config, &assessed))
                    .flatten()
            });
        if is_foreign {
            apply_approved_settings(&self.store, source, config, &assessed);
        }
        reported.into_iter().collect()
    }

    /// Reports settings of a source outside its hooks that are not in effect as written (T-15).
    fn inactive_settings_diagnostic(
        &self,
        source: &Source,
        config: &ReadConfig,
        assessed: &Assessed,
    ) -> Option<Diagnostic> {
        let name = &source.name;
        if let Some(record) = assessed.approval_record() {
            if source.is_missing_since_approval() || source.is_being_saved() {
                return None;
            }
            let message = format!(
                "`{name}` changed outside its hooks since you approved it; the approved version stays in effect"
            );
            let help = "`tenterhook trust diff` shows what changed, `tenterhook trust` approves it";
            let has_changed = record.rest != assessed.rest.to_string();
            return has_changed
                .then(|| Diagnostic::new(Code::ChangedSinceApproved, message, None).help(help));
        }
        let says_nothing =
            config.switches.is_empty() && config.events.is_empty() && config.servers.is_empty();
        let is_unanswered = assessed.source_state() == State::Unknown && !says_nothing;
        if !is_unanswered || self.tells_once && self.store.mark_repository_reported(&source.project)
        {
            return None;
        }
        let message = format!(
            "the settings of `{name}` outside its hooks came with this project and are not approved: they have no effect"
        );
        let help = "`tenterhook trust` shows these settings, and asks you once";
        Some(Diagnostic::new(Code::NotApproved, message, None).help(help))
    }

    fn redirect_hook_to_copies(
        &self,
        hook: &mut Hook,
        identity: &Identity,
        source: &Source,
        checked: &Checked,
    ) -> Result<(), CopyError> {
        let (Run::Command(command) | Run::Worker(Worker { command })) = &mut hook.run else {
            return Ok(());
        };
        let (pins, project) = (&identity.pins, &source.project);
        if source.found_from.is_some() {
            copies::use_full_paths_in_command(command, pins, project);
        }
        copies::redirect_command_to_copies(
            (&self.store, checked),
            command,
            identity.files,
            pins,
            project,
        )
    }

    pub(super) fn is_source_unanswered(&self, source: &Source) -> bool {
        self.store.read_answer(&source.name, source.dialect.as_str()) == Stored::Nothing
    }

    /// Reports the hooks of a source that do not run.
    fn idle_hooks_diagnostic(
        &self,
        (source, doubt): (&Source, Option<String>),
        assessed: &Assessed,
        count: &Count,
        locks: &Locks,
    ) -> Option<Diagnostic> {
        let name = &source.name;
        if let Stored::Unusable(why) = &assessed.stored {
            // A damaged lock file has its own diagnostic.
            if locks.unusable_reason(source).is_some() && self.is_source_unanswered(source) {
                return None;
            }
            let message = format!("cannot read the approval of `{name}`: {why}");
            let help = "delete that approval file, then look again with `tenterhook trust`";
            return Some(Diagnostic::new(Code::ApprovalUnusable, message, None).help(help));
        }
        if let Some(flaw) = source.flaw.as_ref().filter(|_| source.is_missing_since_approval()) {
            assessed.approval_record()?;
            let then = match count.held {
                0 => "its approved settings stay in effect",
                _ => "the calls that its gates matched are held",
            };
            let message = format!("`{name}` was approved and is not there: {then}");
            let found = Diagnostic::new(Code::ChangedSinceApproved, message, None);
            return Some(found.help(flaw.help.clone()));
        }
        if count.changed > 0 || count.held > 0 && assessed.approval_record().is_some() {
            let then = count.consequence_text("its hooks do not run");
            let message = format!("`{name}` is not what you approved: {then}");
            let help = "`tenterhook trust diff` shows what changed, `tenterhook trust` approves it";
            return Some(Diagnostic::new(Code::ChangedSinceApproved, message, None).help(help));
        }
        if count.unknown == 0 {
            return None;
        }
        let (hooks, are, idle) = match count.unknown {
            1 => ("1 hook".to_owned(), "is", "it does not run"),
            many => (format!("{many} hooks"), "are", "they do not run"),
        };
        let then = count.consequence_text(idle);
        if let Some(why) = doubt {
            let message = format!("{hooks} of `{name}` may not be yours, because {why}: {then}");
            let help = "mend that, or look with `tenterhook trust`, which asks you once";
            return Some(Diagnostic::new(Code::NotApproved, message, None).help(help));
        }
        // A source that blocks nothing is reported once; a source that blocks calls, at every load.
        if self.tells_once
            && count.held == 0
            && self.store.mark_repository_reported(&source.project)
        {
            return None;
        }
        let message =
            format!("{hooks} of `{name}` came with this project and {are} not approved: {then}");
        let help = "`tenterhook trust` shows what runs, and asks you once";
        Some(Diagnostic::new(Code::NotApproved, message, None).help(help))
    }
}

/// How many hooks of a source do not run: `unknown` and `changed` by the reason, `held` how many of
/// all these make calls wait, substitutes included.
#[derive(Debug, Default)]
struct Count {
    unknown: usize,
    changed: usize,
    held: usize,
}

impl Count {
    fn count_hook(&mut self, hook: &Hook, state: State, decision: Decision) {
        if hook.arming != Arming::Armed || decision == Decision::Arms {
            return;
        }
        self.unknown += usize::from(state == State::Unknown);
        self.changed += usize::from(state == State::Changed);
        self.held += usize::from(decision == Decision::Holds);
    }

    fn consequence_text(&self, idle: &'static str) -> &'static str {
        if self.held > 0 { "the calls that its gates match are held" } else { idle }
    }
}

/// Returns the organisation's setting for gates without an approval (T-13).
fn unapproved_policy(read: &[(Source, ReadConfig)]) -> Unapproved {
    let managed = read.iter().filter(|(source, _)| source.layer == Layer::Managed);
    let holds = managed
        .flat_map(|(_, config)| &config.switches)
        .any(|switch| *switch == Switch::HoldUnapproved);
    if holds { Unapproved::Hold } else { Unapproved::Off }
}

pub(super) fn audience_of_dialect(dialect: DialectId) -> WrittenFor {
    // Only the native dialect has no `while_unread`: no agent reads its files (C-72).
    match dialect.dialect().policy_for_unreadable_file() {
        None => WrittenFor::Us,
        Some(_) => WrittenFor::Agent,
    }
}

/// Returns what a hook can do about a call. A hook on a prompt or on the end of a turn is `Other`:
/// if it held those, the user could not repair anything from within the session (C-72).
pub(super) fn hook_role(hook: &Hook) -> Role {
    let is_held =
        row::events_gated_if_config_unreadable().any(|(event, _)| event == hook.event.as_str());
    let waits = hook.phase != Phase::Observe && hook.wait == Wait::Attached;
    let row = hook.dialect.dialect().event_row(&hook.event);
    let denies = row.is_some_and(|row| row.powers.has(Power::Deny));
    if is_held && waits && denies { Role::Gate } else { Role::Other }
}

fn not_approved_reason(
    state: State,
    assessed: &Assessed,
    identity: Option<&Identity>,
    doubt: Option<&str>,
) -> String {
    // A file that cannot be read is reported as unreadable, not as changed.
    let unread = identity.and_then(|identity| identity.pins.too_much.as_ref());
    match (state, &assessed.stored) {
        (_, Stored::Unusable(why)) => {
            format!("the approval of its file cannot be read ({why}): {TRUST_COMMAND} asks again")
        }
        (State::Changed, _) if unread.is_some() => {
            let unread = unread.map_or("", |text| text);
            format!("whether it is what you approved is not known: {unread}")
        }
        (State::Changed, _) => {
            let moved = identity.map(|identity| assessed.moved_programs(&identity.pins));
            match moved.unwrap_or_default().first() {
                Some(moved) => format!("{moved}: {TRUST_COMMAND} shows it"),
                None => format!("it is not what you approved: {TRUST_COMMAND} shows the change"),
            }
        }
        (State::Refused, _) => format!("you refused its file; {TRUST_COMMAND} asks again"),
        (State::Unknown | State::Approved, _) if doubt.is_some() => {
            format!(
                "its file may not be yours, because {}: {TRUST_COMMAND} shows it",
                doubt.unwrap_or_default()
            )
        }
        (State::Unknown | State::Approved, _) => {
            format!("its file came with this project and is not approved: {TRUST_COMMAND} shows it")
        }
    }
}

/// Makes a gate hold the calls that it matches: a native gate blocks, one from an agent's file
/// asks. Its own failure policy may be stricter than `ask`, but not laxer, because it is not
/// approved.
fn make_gate_hold_calls(hook: &mut Hook, why: String) {
    let own = match audience_of_dialect(hook.dialect) {
        WrittenFor::Us => OnFailure::Block,
        WrittenFor::Agent => OnFailure::Ask,
    };
    hook.on_failure = Some(hook.on_failure.unwrap_or(own).max(OnFailure::Ask));
    hook.run = Run::Unusable { part: Unread::Approval, why };
    hook.once = false;
}

/// Holds the calls that the hook matches if it is a gate, disarms it otherwise.
fn make_gate_hold_or_disarm(hook: &mut Hook, why: String) {
    match hook_role(hook) {
        Role::Gate => make_gate_hold_calls(hook, why),
        Role::Other => hook.disarm(why, "T-22"),
    }
}

/// Adds substitutes for gates that were approved and are now missing or match something else. They
/// hold what the approved gates matched, because the changed file must not decide what is guarded
/// (T-17). Returns their number.
fn add_substitute_gates(
    source: &Source,
    config: &mut ReadConfig,
    assessed: &Assessed,
    record: &Record,
) -> usize {
    let all: HashSet<String> =
        assessed.entries.iter().map(|entry| entry.whole.to_string()).collect();
    if record.entries.iter().all(|entry| all.contains(entry)) {
        return 0;
    }
    let missing = source.flaw.as_ref().filter(|_| source.is_missing_since_approval());
    let changed = match missing {
        Some(flaw) => format!("{}: {}", flaw.why, flaw.help),
        None => not_approved_reason(State::Changed, assessed, None, None),
    };
    let ground = PathRoots { project: &source.project, home: &source.home };
    let stand: HashSet<Digest> = assessed.entries.iter().map(|entry| entry.entry).collect();
    let then = approved_config(source, record);
    let gone = then.hooks.into_iter().filter(|hook| {
        let entry = entry::hook_digest(hook, ground);
        !stand.contains(&entry) && hook.arming == Arming::Armed && hook_role(hook) == Role::Gate
    });
    // It is not known what an unreadable file contains.
    let is_whole = source.flaw.is_none() && config.lost.is_none() && !config.unreadable;
    let gone: Vec<Hook> = gone
        .map(|mut hook| {
            let is_removed = is_whole && config.hooks.iter().all(|other| other.id != hook.id);
            let reason = if is_removed {
                format!("you approved it, and its file lacks it: {TRUST_COMMAND} shows the change")
            } else {
                changed.clone()
            };
            hook.id = HookId::new(format!("{}:approved", hook.id));
            make_gate_hold_calls(&mut hook, reason);
            hook
        })
        .collect();
    let count = gone.len();
    config.hooks.extend(gone);
    count
}

/// The approved version of a source, parsed.
pub(super) fn approved_config(source: &Source, record: &Record) -> ReadConfig {
    let then = Source { text: record.text.as_str().into(), flaw: None, ..source.clone() };
    source.dialect.dialect().read_config(&then)
}

/// Applies the settings of a repository outside its hooks, as far as they were approved (T-15).
fn apply_approved_settings(
    store: &Store,
    source: &Source,
    config: &mut ReadConfig,
    assessed: &Assessed,
) {
    let Some(record) = assessed.approval_record() else {
        let unanswered = ReadConfig {
            hooks: std::mem::take(&mut config.hooks),
            diagnostics: std::mem::take(&mut config.diagnostics),
            // A damaged file of a repository holds no calls, with three exceptions that may contain
            // gates: a file of the user, a file whose approval cannot be read, and a native file
            // that was not refused as it is.
            lost: config.lost.take().filter(|_| {
                source.layer == Layer::User
                    || matches!(assessed.stored, Stored::Unusable(_))
                    || audience_of_dialect(source.dialect) == WrittenFor::Us
                        && assessed.source_state() != State::Refused
            }),
            unreadable: config.unreadable,
            ..ReadConfig::default()
        };
        *config = unanswered;
        return;
    };
    if record.rest != assessed.rest.to_string() {
        let then = approved_config(source, record);
        config.switches = then.switches;
        config.mentions = then.mentions;
        config.events = then.events;
        // The programs of these servers may have changed since.
        config.servers = then.servers;
        servers::withhold_servers(&mut config.servers, "its file is not what you approved");
        return;
    }
    let mut pins = assessed.servers.iter().map(|(_, pins)| pins);
    let diagnostics = &mut config.diagnostics;
    for server in &mut config.servers {
        if let Err(why) = servers::redirect_server_to_copies(store, server, pins.next(), source) {
            let why = why.to_string();
            diagnostics.push(servers::not_started_diagnostic(server, &why));
            server.reach = Reach::Withheld(why);
        }
    }
}
