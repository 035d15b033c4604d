//! How little of the machine a child may touch: plain values, for every system.

use std::path::PathBuf;

/// What a child may do. The kernel refuses everything that is not granted.
///
/// ```
/// use tenterhook_process::{Confinement, Net, Tier};
///
/// let mut confinement = Confinement::new(Tier::T1);
/// confinement.read.push("/usr".into());
/// assert_eq!(confinement.net, Net::Denied);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// What may be read and executed, each with all below it. A path that is not there grants nothing. In [`Tier::T2`] without Landlock
    /// `/proc` is granted as a whole or not at all.
    pub read: Vec<PathBuf>,
    /// What may be read, executed and changed, each with all below it. A path that is not there grants nothing.
    pub write: Vec<PathBuf>,
    /// The same for what holds nothing of `never`, where that is not looked for: devices, and what was made for this child alone. No link is
    /// followed: a path with one in it grants nothing.
    pub free: Vec<PathBuf>,
    /// Paths that are never changed, also below a path of `write`, and that cannot be made where
    /// they are missing. A grant includes everything below it, but in a directory above such a path
    /// nothing can be made, removed or renamed; its other entries are granted one by one.
    pub never: Vec<PathBuf>,
    /// Whether `read` and `write` are used unresolved, as `free` is. Their links must be resolved
    /// already; a link that is put into the way later grants nothing.
    pub as_they_stand: bool,
    /// Further names of granted paths, which grant nothing: a child in a separate root finds the
    /// host's links to them.
    pub names: Vec<PathBuf>,
    /// Whom it may talk to.
    pub net: Net,
    /// Whether it may change modes, owners, times and extended attributes: of every file that is its user's, for nothing here tells
    /// them apart.
    pub attributes: bool,
    /// How many processes it may have at a time, itself among them. Only [`Tier::T2`] counts them, so that it is demanded, too.
    pub processes: Option<u64>,
    /// Whether its requests are recorded ([`Report::asked`](crate::Report::asked)): for looking at a program, because each such call then
    /// takes two changes of process more.
    pub watched: bool,
    /// The least with which the child may run. Where less is reached it is not started.
    pub at_least: Tier,
    /// In place of what this machine can do: for tests of machines that can do less.
    // Hidden because only tests and benches of Tenterhook set it.
    #[doc(hidden)]
    pub pretended: Option<Means>,
}

impl Confinement {
    /// Makes a confinement that grants nothing: no file, no peer.
    #[must_use]
    pub const fn new(at_least: Tier) -> Self {
        Self {
            read: Vec::new(),
            write: Vec::new(),
            free: Vec::new(),
            never: Vec::new(),
            as_they_stand: false,
            names: Vec::new(),
            net: Net::Denied,
            attributes: false,
            processes: None,
            watched: false,
            at_least,
            pretended: None,
        }
    }

    /// Returns the lowest tier that the child may run with, given everything that is required.
    #[must_use]
    pub const fn required_tier(&self) -> Tier {
        if self.processes.is_some() { Tier::T2 } else { self.at_least }
    }
}

/// Whom a child may talk to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Net {
    /// Nothing: no socket of any family can be made. Pairs of connected sockets can.
    #[default]
    Denied,
    /// TCP connections to these ports, of any host. Nothing else: no UDP, hence no name is looked up over it, and no server.
    TcpTo(Vec<u16>),
    /// Everybody.
    Open,
}

/// How far a child is confined. A higher tier holds all that a lower one does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Not at all: it has the rights of its user.
    #[default]
    T0,
    /// Files, peers, privileges and signals are limited by Landlock and a filter of system calls.
    T1,
    /// The same, in separate namespaces: nothing outlives it, and it sees no process but its own. Files are limited by Landlock or, where
    /// the kernel has none, by a root in which nothing lies but what is granted.
    T2,
}

impl Tier {
    /// Returns the name in config files and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::T0 => "T0",
            Self::T1 => "T1",
            Self::T2 => "T2",
        }
    }
}

/// What a machine offers to confine a child with, found by trying.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Means {
    /// The version of Landlock; 0 without it.
    pub landlock: u32,
    /// Whether system calls can be filtered, on a processor that this crate knows.
    pub seccomp: bool,
    /// Whether namespaces can be made, by this user and this build.
    pub namespaces: bool,
    /// Whether a child can have a separate root in them that contains only granted paths. Before
    /// Linux 5.12 it cannot.
    pub roots: bool,
    /// Whether the number of processes in them can be bounded: the kernel holds root to no such number.
    pub processes: bool,
}

impl Means {
    /// Before version 3 a file could be cut short that may not be written.
    pub const LEAST_LANDLOCK: u32 = 3;

    /// Returns whether Landlock can limit a child's access to files.
    #[must_use]
    pub const fn can_limit_files(self) -> bool {
        self.landlock >= Self::LEAST_LANDLOCK
    }

    /// Returns whether single TCP ports can be granted, which requires Landlock version 4.
    #[must_use]
    pub const fn can_limit_ports(self) -> bool {
        self.landlock >= 4
    }

    /// Returns the highest tier that these means reach. Landlock and namespaces work without each
    /// other, but both need the system call filter.
    #[must_use]
    pub const fn highest_tier(self) -> Tier {
        match (self.seccomp, self.can_limit_files(), self.namespaces) {
            (true, true, true) => Tier::T2,
            (true, true, false) => Tier::T1,
            (true, false, true) if self.roots => Tier::T2,
            _ => Tier::T0,
        }
    }

    /// Returns the tier of a child that requires `at_least` this tier. Namespaces are used only if
    /// the child requires them or Landlock is not enough: starting in them is slower, and they kill
    /// daemons that a program leaves behind. No other code decides this.
    #[must_use]
    pub const fn tier_for_requirement(self, at_least: Tier) -> Tier {
        match (self.highest_tier(), at_least) {
            (Tier::T2, Tier::T0 | Tier::T1) if self.can_limit_files() => Tier::T1,
            (reached, _) => reached,
        }
    }
}
