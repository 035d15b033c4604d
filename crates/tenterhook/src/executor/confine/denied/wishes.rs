//! Reports every refused access of a watched hook with the program that asked, and one line that
//! grants all of it.

use std::path::Path;

use tenterhook_process::{self as process, Wish};

use super::super::Confined;
use super::resolved::{Resolved, nearest_existing_ancestor};
use super::{Refused, TERMINAL, to_grant_path};
use tenterhook_core::answer::Failure;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::hook::{Grants, Peers};

/// How many refusals of one run are reported one by one.
const MOST_REPORTED: usize = 24;

/// The grants that would refuse nothing.
struct Sum {
    granted: Grants,
    /// Whether a grant was left out because it would open the whole home.
    opens_home: bool,
}

impl Confined {
    /// Returns failures about what a run was refused: everything if it was watched, otherwise the
    /// first refusal that it printed.
    pub(in crate::executor) fn refusal_failures(
        &self,
        report: &process::Report,
        project: &Path,
    ) -> Vec<Failure> {
        let reported = self.watched_refusal_failures(&report.asked, project);
        if reported.is_empty() {
            self.refusal_failure_from_stderr(&report.stderr.bytes, project).into_iter().collect()
        } else {
            reported
        }
    }

    /// Returns failures about what a watched hook was refused, and the one line that grants all of
    /// it.
    fn watched_refusal_failures(&self, asked: &[process::Asked], project: &Path) -> Vec<Failure> {
        let mut messages: Vec<String> = Vec::new();
        let resolved = Resolved::new(self);
        let mut all = Sum { granted: self.granted.clone(), opens_home: false };
        for asked in asked {
            let Some(message) =
                self.describe_refusal_and_add_grant(asked, &resolved, project, &mut all)
            else {
                continue;
            };
            if !messages.contains(&message) {
                messages.push(message);
            }
        }
        let (count, hidden) = (messages.len(), messages.len().saturating_sub(MOST_REPORTED));
        messages.truncate(MOST_REPORTED);
        if hidden > 0 {
            messages.push(format!("the sandbox refused {hidden} things more"));
        }
        if count > 1 && all.granted != self.granted {
            let line = self.entry_line_granting_more(|grants| *grants = all.granted);
            let but = if all.opens_home { ", but for what opens the whole home" } else { "" };
            messages.push(format!("{line} grants all of it that a key can{but}"));
        }
        let failure = |message| Failure::new(Code::SandboxRefused, message);
        messages.into_iter().map(failure).collect()
    }

    /// Returns a message about one refused access, and adds the grant that it needs to `all`.
    fn describe_refusal_and_add_grant(
        &self,
        process::Asked { program, wish }: &process::Asked,
        resolved: &Resolved<'_>,
        project: &Path,
        all: &mut Sum,
    ) -> Option<String> {
        let who = format!("`{program}`");
        let (path, changes) = match wish {
            Wish::Reach(port) => {
                let wanted = self.peers_to_grant_for_port(*port);
                let narrowed = port.filter(|_| wanted != Peers::Everybody);
                all.granted.net = all.granted.net.with_port(narrowed);
                return (wanted != self.granted.net).then(|| self.no_host_message(&who, wanted));
            }
            Wish::Read(path) | Wish::Execute(path) => (path, false),
            Wish::Change(path) => (path, true),
        };
        let is_read = !changes && resolved.is_readable(&process::internal::resolve_path(path));
        // It has no terminal, whatever it is granted.
        if is_read || path == Path::new(TERMINAL) {
            return None;
        }
        let (refused, how) = resolved.refused_access(path, changes)?;
        let (list, path) = match how {
            Refused::Read => (Some(&mut all.granted.read), &*refused),
            Refused::Write => (Some(&mut all.granted.write), nearest_existing_ancestor(&refused)),
            Refused::Never | Refused::Make | Refused::Passing => (None, &*refused),
        };
        let grant = to_grant_path(path, project);
        let list = list.filter(|paths| !paths.iter().any(|path| grant.starts_with(path)));
        match list {
            Some(_) if self.grant_would_open_home(path) => all.opens_home = true,
            Some(list) => {
                list.retain(|path| !path.starts_with(&grant));
                list.push(grant);
            }
            None => {}
        }
        Some(self.path_refused_message(&who, &refused, &how, project))
    }
}
