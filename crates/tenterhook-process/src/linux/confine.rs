//! How a confinement becomes what the child enters: what this machine can do, and what is prepared of it in the host.
#![expect(unsafe_code, reason = "whether the kernel knows filters is told by a raw call alone")]

use std::os::fd::OwnedFd;
use std::sync::OnceLock;

use rustix::io::Errno;

use super::namespaces::{self, Namespaces};
use super::seccomp::Filter;
use super::watch::Watch;
use super::{landlock, seccomp};
use crate::confine::{Confinement, Means, Net, Tier};

/// All that a child needs to confine itself.
pub(crate) struct Prepared {
    pub(crate) ruleset: OwnedFd,
    pub(crate) filter: Filter,
    /// Whether it can tell by trying that no file but those granted is reached.
    pub(crate) tries_root: bool,
    /// Whether it can tell by trying that no socket is made.
    pub(crate) tries_socket: bool,
    /// What it makes before it is confined, where it is in namespaces of its own.
    pub(crate) namespaces: Option<Namespaces>,
    /// What it hands over before it becomes its program, where it is watched.
    pub(crate) watch: Option<Watch>,
}

/// What this machine offers, found by trying, once.
pub(crate) fn means() -> Means {
    found().unwrap_or_else(|_| cheap_means())
}

/// The same, or what kept this from being found out.
fn found() -> Result<Means, Errno> {
    let namespaces = namespaces::found()?;
    Ok(Means { namespaces: namespaces.makes, processes: namespaces.counts, ..cheap_means() })
}

/// The same as far as it costs nothing to find out: of namespaces one learns by making some.
pub(crate) fn cheap_means() -> Means {
    static MEANS: OnceLock<Means> = OnceLock::new();
    *MEANS.get_or_init(|| Means {
        landlock: landlock::version(),
        seccomp: seccomp::KNOWN && filters_calls(),
        ..Means::default()
    })
}

/// A kernel that knows filters looks for one where there is none, and says so; another does not know the request.
fn filters_calls() -> bool {
    let none = std::ptr::null::<libc::sock_fprog>();
    // SAFETY: nothing is at the address, which the kernel says instead of reading it: this thread stays as it is.
    let done = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, none) };
    done != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT)
}

/// Prepares what can be had. `None` where nothing can, and nothing is demanded.
pub(crate) fn prepare(confinement: &Confinement) -> Result<Option<Prepared>, Errno> {
    let least = confinement.demands();
    let means = match confinement.pretended {
        Some(means) => means,
        None if least < Tier::T2 => cheap_means(),
        None => found()?,
    };
    let tier = means.tier_for(least);
    if tier < least || confinement.processes.is_some() && !means.processes {
        return Err(Errno::OPNOTSUPP);
    }
    if tier == Tier::T0 {
        return Ok(None);
    }
    // Ports are Landlock's to narrow: without it the grant would be one for all of them.
    if matches!(confinement.net, Net::TcpTo(_)) && means.landlock < 4 {
        return Err(Errno::OPNOTSUPP);
    }
    let watch = confinement.watched.then(|| Watch::begin(confinement.net != Net::Denied));
    let filter = seccomp::filter(confinement).ok_or(Errno::OPNOTSUPP)?;
    let grants_root = confinement.read.iter().chain(&confinement.write);
    Ok(Some(Prepared {
        ruleset: super::launch::above_moved(landlock::ruleset(confinement, means.landlock)?)?,
        filter,
        tries_root: !grants_root.into_iter().any(|it| it.parent().is_none()),
        tries_socket: confinement.net == Net::Denied,
        watch: watch.transpose()?,
        namespaces: (tier == Tier::T2).then(|| Namespaces::new(confinement, means.landlock)),
    }))
}
