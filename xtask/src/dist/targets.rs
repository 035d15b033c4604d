//! For which machines there are packages: the one table of them. Builds nothing.

use std::fmt;

use super::archive::Effort;
use crate::error::Error;

/// One kind of machine.
#[derive(Debug)]
pub(crate) struct Target {
    /// What Rust calls it.
    pub(crate) triple: &'static str,
    /// What Node calls it: `process.platform` and `process.arch`.
    pub(crate) node: (&'static str, &'static str),
    /// The platforms of its wheel. A static program runs with any C library, so it bears the tags of both.
    pub(crate) wheel: &'static [&'static str],
    /// How far its builds are tested.
    pub(crate) state: State,
}

/// How far the builds of a target are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Packages are installed and run before they are released.
    Tested,
    /// Compiles and links; nothing runs it.
    Built,
    /// A slot: never built and never run.
    NeverRun,
    /// The target of a developer's machine, for trying the packages; never released.
    Trial,
}

pub(crate) const TARGETS: &[Target] = &[
    Target {
        triple: "x86_64-unknown-linux-musl",
        node: ("linux", "x64"),
        wheel: &["manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"],
        state: State::Tested,
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        node: ("linux", "arm64"),
        wheel: &["manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"],
        state: State::Built,
    },
    Target {
        triple: "aarch64-apple-darwin",
        node: ("darwin", "arm64"),
        wheel: &["macosx_11_0_arm64"],
        state: State::NeverRun,
    },
    Target {
        triple: "x86_64-apple-darwin",
        node: ("darwin", "x64"),
        wheel: &["macosx_10_15_x86_64"],
        state: State::NeverRun,
    },
    Target {
        triple: "x86_64-unknown-linux-gnu",
        node: ("linux", "x64"),
        wheel: &["linux_x86_64"],
        state: State::Trial,
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        node: ("linux", "arm64"),
        wheel: &["linux_aarch64"],
        state: State::Trial,
    },
];

impl Target {
    /// Whether its packages are meant for others.
    pub(crate) fn is_released(&self) -> bool {
        self.state != State::Trial
    }

    /// What its archives are worth.
    pub(crate) fn effort(&self) -> Effort {
        if self.is_released() { Effort::Most } else { Effort::Least }
    }

    /// The npm package that has its program.
    pub(crate) fn package(&self) -> String {
        let (platform, arch) = self.node;
        format!("@tenterhook/{platform}-{arch}")
    }
}

/// The one with this name.
pub(crate) fn named(triple: &str) -> Result<&'static Target, Error> {
    TARGETS.iter().find(|target| target.triple == triple).ok_or_else(|| {
        let all: Vec<&str> = TARGETS.iter().map(|target| target.triple).collect();
        Error::Usage(format!("`{triple}` is not a target: there are {}", all.join(", ")))
    })
}

/// The default target: this machine.
pub(crate) fn here() -> Result<&'static Target, Error> {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    named(&match os {
        "macos" => format!("{arch}-apple-darwin"),
        _ => format!("{arch}-unknown-{os}-gnu"),
    })
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tested => "tested",
            Self::Built => "built, never run",
            Self::NeverRun => "never run",
            Self::Trial => "for a try",
        })
    }
}
