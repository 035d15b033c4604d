//! Which MCP servers of agents' own files may start? Those of the person's own files, and of a
//! repository's the ones that stand as they were approved: from copies, as hooks do (T-23). Starts
//! none.

use std::path::Path;

use super::decide::{Origin, State};
use super::signed::Locks;
use super::store::{Store, Stored};
use super::{Assessed, Pins, Trust, copies, origin};
use crate::discover::{self, FileOfServers};
use tenterhook_core::diagnostic::{Code, Diagnostic};
use tenterhook_core::dialect::Roots;
use tenterhook_core::source::{Reach, ReadConfig, Server, Source};

impl Trust {
    /// Returns the MCP servers that agents would connect from `roots`, without unapproved servers
    /// of a repository, and diagnostics for the user. `sources` are the files with hooks.
    #[must_use]
    pub fn servers(&self, roots: &Roots, sources: &[Source]) -> (Vec<Server>, Vec<Diagnostic>) {
        let (files, mut diagnostics) = self.find_server_files(roots, sources);
        let keys = self.read_pinned_keys(sources);
        let locks = Locks::read_lock_files(files.iter().map(|file| &file.source), &keys);
        let mut found = Vec::new();
        for file in files {
            let mut config = ReadConfig { servers: file.servers, ..ReadConfig::default() };
            diagnostics.extend(file.diagnostics);
            diagnostics.extend(self.judge_servers(&file.source, &mut config, &locks));
            found.extend(config.servers);
        }
        (found, diagnostics)
    }

    /// The files with MCP servers that came with a repository, as sources that can be reviewed.
    #[must_use]
    pub fn server_files(&self, roots: &Roots, sources: &[Source]) -> Vec<Source> {
        let (files, _) = self.find_server_files(roots, sources);
        let files = files.into_iter().map(|file| file.source);
        files.filter(|file| origin::source_origin(file) == Origin::Repository).collect()
    }

    /// Finds the files with MCP servers. The effective versions of the sources decide which plugins
    /// exist and which servers are off (T-15).
    fn find_server_files(
        &self,
        roots: &Roots,
        sources: &[Source],
    ) -> (Vec<FileOfServers>, Vec<Diagnostic>) {
        let locks = Locks::read_lock_files(sources, &self.read_pinned_keys(sources));
        let effective: Vec<Source> =
            sources.iter().filter_map(|source| self.effective_source(source, &locks)).collect();
        discover::find_server_files(roots, &effective)
    }

    fn judge_servers(
        &self,
        source: &Source,
        config: &mut ReadConfig,
        locks: &Locks,
    ) -> Vec<Diagnostic> {
        let is_own = origin::source_origin(source) == Origin::Own;
        if config.servers.is_empty() || is_own && self.is_source_unanswered(source) {
            return Vec::new();
        }
        // Approve the file as it is written, including what settings switch off.
        let written = ReadConfig {
            servers: discover::servers_in_source(source).unwrap_or_default(),
            ..ReadConfig::default()
        };
        let assessed = self.assess_source(source, &written, locks);
        let state = assessed.source_state();
        if state != State::Approved {
            let was_approved =
                state == State::Changed || matches!(assessed.stored, Stored::Unusable(_));
            match was_approved {
                true => withhold_servers(&mut config.servers, "it is not what you approved"),
                false => config.servers.clear(),
            }
            return self.server_diagnostic(source, &assessed, state).into_iter().collect();
        }
        let pins: Vec<(&Server, &Pins)> =
            written.servers.iter().zip(assessed.servers.iter().map(|(_, pins)| pins)).collect();
        let mut diagnostics = Vec::new();
        for server in &mut config.servers {
            let pins = pins.iter().find(|(other, _)| *other == server).map(|(_, pins)| *pins);
            if let Err(why) = redirect_server_to_copies(&self.store, server, pins, source) {
                let why = why.to_string();
                diagnostics.push(not_started_diagnostic(server, &why));
                server.reach = Reach::Withheld(why);
            }
        }
        diagnostics
    }

    fn server_diagnostic(
        &self,
        source: &Source,
        assessed: &Assessed,
        state: State,
    ) -> Option<Diagnostic> {
        let name = &source.name;
        if let Stored::Unusable(why) = &assessed.stored {
            let message = format!(
                "cannot read the approval of `{name}`; its MCP servers do not start: {why}"
            );
            let help = "delete that approval file, then look again with `tenterhook trust`";
            return Some(Diagnostic::new(Code::ApprovalUnusable, message, None).help(help));
        }
        let (code, message, help) = match state {
            State::Approved | State::Refused => return None,
            State::Changed => (
                Code::ChangedSinceApproved,
                format!("`{name}` is not what you approved: its MCP servers do not start"),
                "`tenterhook trust diff` shows what changed, `tenterhook trust` approves it",
            ),
            State::Unknown => {
                if self.tells_once && self.store.mark_repository_reported(Path::new(&**name)) {
                    return None;
                }
                let (which, are) = match assessed.servers.len() {
                    1 => ("1 MCP server".to_owned(), "is"),
                    many => (format!("{many} MCP servers"), "are"),
                };
                let message = format!(
                    "{which} of `{name}` came with this project and {are} not approved: nothing of it starts"
                );
                (
                    Code::NotApproved,
                    message,
                    "`tenterhook trust` shows what would start, and asks you once",
                )
            }
        };
        Some(Diagnostic::new(code, message, None).help(help))
    }
}

/// Withholds approved servers, so that a call of such a server reports `why` instead of an unknown
/// server.
pub(super) fn withhold_servers(servers: &mut [Server], why: &str) {
    for server in servers {
        server.reach = Reach::Withheld(why.to_owned());
    }
}

pub(super) fn not_started_diagnostic(server: &Server, why: &str) -> Diagnostic {
    let message = format!("the MCP server `{}` does not start: {why}", server.name);
    Diagnostic::new(Code::NotApproved, message, server.place.clone())
        .help("`tenterhook trust` shows it")
}

/// Why an approved server does not start.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    #[error("it is not approved")]
    NotApproved,
    /// The reason that its files could not all be read.
    #[error("{0}")]
    NotPinned(String),
    #[error(transparent)]
    Copy(#[from] copies::CopyError),
}

/// Has a server that is approved start from what is kept, and not from what lies in the project by
/// then (T-20).
///
/// # Errors
///
/// When there is no copy and none can be made, or more than can be approved.
pub(super) fn redirect_server_to_copies(
    store: &Store,
    server: &mut Server,
    pins: Option<&Pins>,
    source: &Source,
) -> Result<(), StartError> {
    let Reach::Program(command) = &mut server.reach else { return Ok(()) };
    let Some(pins) = pins else { return Err(StartError::NotApproved) };
    if let Some(why) = &pins.too_much {
        return Err(StartError::NotPinned(why.clone()));
    }
    let once = (store, &copies::Checked::default());
    copies::redirect_command_to_copies(
        once,
        command,
        pins.digest(source.into()),
        pins,
        &source.project,
    )?;
    Ok(())
}
