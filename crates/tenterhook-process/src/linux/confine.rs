//! How a confinement becomes what the child enters: what this machine can do, and what is prepared of it in the host.
#![expect(unsafe_code, reason = "only a raw call shows whether the kernel knows filters")]

use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::OnceLock;

use rustix::io::Errno;

use super::clone::Failure;
use super::namespaces::{self, Namespaces};
use super::root::Root;
use super::seccomp::Filter;
use super::watch::Watch;
use super::{landlock, seccomp};
use crate::confine::{Confinement, Means, Net, Tier};
use crate::report::{Step, UNNARROWED_PORTS};

/// All that a child needs to confine itself.
pub(crate) struct Prepared {
    /// What Landlock leaves to it, where the kernel has that.
    pub(crate) ruleset: Option<OwnedFd>,
    pub(crate) filter: Filter,
    /// Whether it can tell by trying that no file but those granted is reached.
    pub(crate) tries_root: bool,
    /// Whether it can tell by trying that no socket is made.
    pub(crate) tries_socket: bool,
    /// What it makes in its namespaces before it is confined.
    pub(crate) namespaces: Option<Namespaces>,
    /// What it hands over before it becomes its program, where it is watched.
    pub(crate) watch: Option<Watch>,
}

/// What this machine offers, found by trying, once.
pub(crate) fn means() -> Means {
    found().unwrap_or_else(|_| cheap_means())
}

/// As much of it as matters to a child that demands `at_least` this much.
pub(crate) fn means_for(at_least: Tier) -> Means {
    found_for(at_least).unwrap_or_else(|_| cheap_means())
}

/// The same, or the failure that kept this from being found out. Namespaces are probed by making
/// some, so this is skipped where they are not needed.
fn found_for(at_least: Tier) -> Result<Means, Errno> {
    let cheap = cheap_means();
    if at_least < Tier::T2 && cheap.tier() == Tier::T1 { Ok(cheap) } else { found() }
}

fn found() -> Result<Means, Errno> {
    let found = namespaces::found()?;
    Ok(Means {
        namespaces: found.makes,
        processes: found.counts,
        roots: found.roots,
        ..cheap_means()
    })
}

/// What it costs nothing to find out.
fn cheap_means() -> Means {
    static MEANS: OnceLock<Means> = OnceLock::new();
    *MEANS.get_or_init(|| Means {
        landlock: landlock::version(),
        seccomp: seccomp::KNOWN && filters_calls(),
        ..Means::default()
    })
}

/// A kernel that knows filters looks for the missing one and says so; an older kernel does not know
/// the request.
fn filters_calls() -> bool {
    let none = std::ptr::null::<libc::sock_fprog>();
    // SAFETY: nothing is at the address, which the kernel says instead of reading it: this thread stays as it is.
    let done = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, none) };
    done != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT)
}

/// Prepares the available means. `None` without any, if none is demanded. A child in a separate
/// root finds the paths of `beside` empty, unless they are granted.
pub(crate) fn prepare(
    confinement: &Confinement,
    beside: &[&Path],
) -> Result<Option<Prepared>, Failure> {
    let failed = |step| move |errno| Failure { step, errno };
    let confine = failed(Step::Confine);
    let least = confinement.demands();
    let means = confinement.pretended.map_or_else(|| found_for(least), Ok).map_err(confine)?;
    let tier = means.tier_for(least);
    if tier < least || confinement.processes.is_some() && !means.processes {
        return Err(confine(Errno::OPNOTSUPP));
    }
    if tier == Tier::T0 {
        return Ok(None);
    }
    // Ports are Landlock's to narrow: without it the grant would be one for all of them.
    if matches!(confinement.net, Net::TcpTo(_)) && !means.narrows_ports() {
        return Err(failed(Step::Grant)(Errno::from_raw_os_error(UNNARROWED_PORTS)));
    }
    let watch = confinement.watched.then(|| Watch::begin(confinement.net != Net::Denied));
    let filter = seccomp::filter(confinement).ok_or(confine(Errno::OPNOTSUPP))?;
    let of_grants = |errno| match errno {
        Errno::TOOBIG | Errno::OPNOTSUPP | Errno::NODEV => Failure { step: Step::Grant, errno },
        errno => confine(errno),
    };
    let ruleset = means.limits_files().then(|| landlock::ruleset(confinement, means.landlock));
    let (ruleset, grants_root) = ruleset.transpose().map_err(of_grants)?.unzip();
    let ruleset = ruleset.map(super::launch::above_moved).transpose().map_err(confine)?;
    let namespaces = (tier == Tier::T2).then(|| match &ruleset {
        Some(_) => Ok(Namespaces::beside_landlock(confinement, means.landlock)),
        None => Root::new(confinement, beside).map(|root| Namespaces::with_root(confinement, root)),
    });
    Ok(Some(Prepared {
        tries_root: grants_root == Some(false),
        ruleset,
        filter,
        tries_socket: confinement.net == Net::Denied,
        watch: watch.transpose().map_err(confine)?,
        namespaces: namespaces.transpose().map_err(of_grants)?,
    }))
}
