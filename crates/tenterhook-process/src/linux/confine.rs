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

/// Returns what this machine offers to confine a child. Probed once, by trying.
pub(crate) fn available_sandbox_means() -> Means {
    probe_sandbox_means().unwrap_or_else(|_| sandbox_means_without_probe())
}

/// Returns the means that matter to a child that requires `at_least` this tier.
pub(crate) fn sandbox_means_for_tier(at_least: Tier) -> Means {
    probe_sandbox_means_for_tier(at_least).unwrap_or_else(|_| sandbox_means_without_probe())
}

/// Returns the means for a tier, or the error of the probe. Probing creates namespaces, so it is
/// skipped if they are not needed.
fn probe_sandbox_means_for_tier(at_least: Tier) -> Result<Means, Errno> {
    let cheap = sandbox_means_without_probe();
    if at_least < Tier::T2 && cheap.highest_tier() == Tier::T1 {
        Ok(cheap)
    } else {
        probe_sandbox_means()
    }
}

fn probe_sandbox_means() -> Result<Means, Errno> {
    let found = namespaces::probe_namespaces()?;
    Ok(Means {
        namespaces: found.makes,
        processes: found.counts,
        roots: found.roots,
        ..sandbox_means_without_probe()
    })
}

/// Returns the means that can be detected without creating namespaces.
fn sandbox_means_without_probe() -> Means {
    static MEANS: OnceLock<Means> = OnceLock::new();
    *MEANS.get_or_init(|| Means {
        landlock: landlock::landlock_version(),
        seccomp: seccomp::KNOWN && has_seccomp(),
        ..Means::default()
    })
}

/// Returns whether the kernel supports system call filters. A kernel with filters reports the
/// missing filter; an older one does not know the request.
fn has_seccomp() -> bool {
    let none = std::ptr::null::<libc::sock_fprog>();
    // SAFETY: nothing is at the address, which the kernel says instead of reading it: this thread stays as it is.
    let done = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, none) };
    done != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT)
}

/// Prepares the available means. Returns `None` if the machine offers no means and none is required. In a
/// separate root the paths of `beside` exist, and are empty unless granted.
pub(crate) fn prepare_confinement(
    confinement: &Confinement,
    beside: &[&Path],
) -> Result<Option<Prepared>, Failure> {
    let failed = |step| move |errno| Failure { step, errno };
    let confine = failed(Step::Confine);
    let least = confinement.required_tier();
    let means = confinement
        .pretended
        .map_or_else(|| probe_sandbox_means_for_tier(least), Ok)
        .map_err(confine)?;
    let tier = means.tier_for_requirement(least);
    if tier < least || confinement.processes.is_some() && !means.processes {
        return Err(confine(Errno::OPNOTSUPP));
    }
    if tier == Tier::T0 {
        return Ok(None);
    }
    // Ports are Landlock's to narrow: without it the grant would be one for all of them.
    if matches!(confinement.net, Net::TcpTo(_)) && !means.can_limit_ports() {
        return Err(failed(Step::Grant)(Errno::from_raw_os_error(UNNARROWED_PORTS)));
    }
    let watch = confinement.watched.then(|| Watch::start(confinement.net != Net::Denied));
    let filter = seccomp::build_filter(confinement).ok_or(confine(Errno::OPNOTSUPP))?;
    let of_grants = |errno| match errno {
        Errno::TOOBIG | Errno::OPNOTSUPP | Errno::NODEV => Failure { step: Step::Grant, errno },
        errno => confine(errno),
    };
    let ruleset =
        means.can_limit_files().then(|| landlock::create_ruleset(confinement, means.landlock));
    let (ruleset, grants_root) = ruleset.transpose().map_err(of_grants)?.unzip();
    let ruleset = ruleset.map(super::launch::move_above_child_fds).transpose().map_err(confine)?;
    let namespaces = (tier == Tier::T2).then(|| match &ruleset {
        Some(_) => Ok(Namespaces::with_landlock(confinement, means.landlock)),
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
