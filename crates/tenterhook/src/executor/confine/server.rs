//! Confines the program of an MCP server to what its configuration grants, and for a confined hook
//! to what the hook is also granted (MC-19).

use std::path::PathBuf;

use tenterhook_process as process;
use tenterhook_process::internal::resolve_path;
use tenterhook_process::{Confinement, Net};

use super::grant_context::GrantContext;
use super::{Access, Confined, build_confinement, paths_named_by_entry, restrict_to_access};
use tenterhook_core::hook::Grants;
use tenterhook_core::source::{Reach, Server};

/// The confinement of a server. Its scratch directory is removed with it.
#[derive(Debug)]
pub(in crate::executor) struct ConfinedServer {
    confined: Confined,
    project: PathBuf,
    /// Whether a single entry decides its access, so that a line in that entry grants more.
    is_by_one: bool,
}

/// Confines `described` if the server or its caller is confined.
pub(in crate::executor) fn apply_server_sandbox(
    server: &Server,
    grants: &[&Grants],
    context: &GrantContext<'_>,
    described: &mut process::Command,
) -> Option<Box<ConfinedServer>> {
    let (first, rest) = grants.split_first()?;
    let reads = paths_named_by_entry(server.layer, &described.program);
    let copy = match &server.reach {
        Reach::Program(command) => command.kept.as_deref(),
        Reach::Address(_) | Reach::Withheld(_) => None,
    };
    // If its caller confines it, the line belongs into the caller's entry.
    let is_own = server.sandbox.grants() == Some(first);
    let file = server.place.as_ref().map(|location| &location.file).filter(|_| is_own);
    let access = |grants| Access { grants, reads: &reads, writes: &[], copy, own: None, file };
    let mut confined = restrict_to_access(access(first), context, described);
    for other in rest {
        let (mut other_one, _) = build_confinement(access(other), context);
        // It belongs to the server, whichever hook calls.
        let scratch_dir = confined.scratch_dir.as_ref().map(|dir| dir.path().to_path_buf());
        other_one.free.extend(scratch_dir);
        confined.confinement = intersect_confinements(&confined.confinement, &other_one);
        super::apply_resource_limits(other, described);
    }
    described.confine = Some(confined.confinement.clone());
    let project = server.project.clone();
    Some(Box::new(ConfinedServer { confined, project, is_by_one: rest.is_empty() }))
}

impl ConfinedServer {
    /// Returns a message about the refusal that the server reports.
    pub(in crate::executor) fn refusal_from_stderr(&self, stderr: &[u8]) -> Option<String> {
        let reported_denial = self
            .confined
            .refusal_failure_from_stderr(stderr, &self.project)
            .map(|failure| failure.message);
        reported_denial.filter(|_| self.is_by_one)
    }
}

/// Returns the access that both confinements grant.
fn intersect_confinements(one: &Confinement, other: &Confinement) -> Confinement {
    let readable = |confinement: &Confinement| {
        [confinement.read.clone(), confinement.write.clone(), confinement.free.clone()].concat()
    };
    let mut both = Confinement::new(one.at_least.max(other.at_least));
    both.read = intersect_paths(&readable(one), &readable(other));
    both.write = intersect_paths(&one.write, &other.write);
    both.free = intersect_paths(&one.free, &other.free);
    both.never = [one.never.clone(), other.never.clone()].concat();
    both.as_they_stand = one.as_they_stand && other.as_they_stand;
    both.names = one.names.clone();
    both.net = match (&one.net, &other.net) {
        (Net::Open, net) | (net, Net::Open) => net.clone(),
        (Net::TcpTo(one), Net::TcpTo(other)) => {
            Net::TcpTo(one.iter().filter(|n| other.contains(n)).copied().collect())
        }
        (Net::Denied, _) | (_, Net::Denied) => Net::Denied,
    };
    both.attributes = one.attributes && other.attributes;
    both.processes = one.processes.into_iter().chain(other.processes).min();
    both.pretended = one.pretended.or(other.pretended);
    both
}

/// Returns the paths that are inside both lists, each by its real path: a link's name in one list
/// does not grant its target.
fn intersect_paths(one: &[PathBuf], other: &[PathBuf]) -> Vec<PathBuf> {
    let other: Vec<PathBuf> = other.iter().map(|path| resolve_path(path)).collect();
    let mut all = Vec::new();
    for path in one.iter().map(|path| resolve_path(path)) {
        if other.iter().any(|around| path.starts_with(around)) {
            all.push(path);
        } else {
            all.extend(other.iter().filter(|inner| inner.starts_with(&path)).cloned());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MC-44.
    #[cfg(unix)]
    #[test]
    fn what_two_grant_is_what_both_do() {
        let fixture = tempfile::tempdir().expect("a fixture");
        let root = resolve_path(fixture.path());
        let at = |name: &str| root.join(name);
        std::fs::create_dir_all(at("a/in")).expect("a fixture");
        std::fs::create_dir_all(at("b")).expect("a fixture");
        std::os::unix::fs::symlink(at("b"), at("a/link")).expect("a fixture");
        let of = |read: &[&str], write: &[&str]| {
            let mut confinement = Confinement::new(process::Tier::T1);
            confinement.read = read.iter().map(|text| at(text)).collect();
            confinement.write = write.iter().map(|text| at(text)).collect();
            confinement
        };
        let both =
            intersect_confinements(&of(&["a", "b/../a"], &["b"]), &of(&["a/in", "a/link"], &["a"]));
        assert!(both.write.is_empty(), "{both:?}");
        // The second reads the link's target, and the first may write there.
        assert!(
            both.read.iter().all(|path| path.starts_with(at("a")) || *path == at("b")),
            "{both:?}"
        );
        let both = intersect_confinements(&of(&["a"], &[]), &of(&["a/link"], &[]));
        assert!(both.read.is_empty(), "a link leads out of what the first reads: {both:?}");
        let (mut one, mut other) = (of(&[], &[]), of(&[], &[]));
        (one.net, other.net) = (Net::TcpTo(vec![1, 2]), Net::Open);
        assert_eq!(intersect_confinements(&one, &other).net, one.net);
        other.net = Net::Denied;
        assert_eq!(intersect_confinements(&other, &one).net, Net::Denied);
        other.net = Net::TcpTo(vec![2, 3]);
        other.at_least = process::Tier::T2;
        (one.processes, other.attributes) = (Some(3), true);
        let both = intersect_confinements(&one, &other);
        assert_eq!((both.net, both.attributes), (Net::TcpTo(vec![2]), false));
        assert_eq!((both.at_least, both.processes), (process::Tier::T2, Some(3)));
    }
}
