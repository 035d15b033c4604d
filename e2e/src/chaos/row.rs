//! One row of the zoo: the values that its tables are made of; plays nothing.

use super::judge::Seen;
use super::scene::Scene;

/// What holds a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// Nothing but its supervision: `sandbox = "off"`.
    Off,
    /// Landlock and the filter of system calls: `sandbox = "standard"`.
    Landlock,
    /// The same on a machine without Landlock, so that namespaces confine it, with a separate root.
    Namespaces,
    /// Landlock, in separate namespaces: `isolation_min = "T2"`.
    Both,
    /// It has no process that could be held.
    Engine,
}

impl Cell {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Off => "none",
            Self::Landlock => "L",
            Self::Namespaces => "N",
            Self::Both => "LN",
            Self::Engine => "-",
        }
    }

    /// The tier that must be on record of a hook in it.
    pub(super) const fn tier(self) -> &'static str {
        match self {
            Self::Off | Self::Engine => "T0",
            Self::Landlock => "T1",
            Self::Namespaces | Self::Both => "T2",
        }
    }

    pub(super) const fn confines(self) -> bool {
        matches!(self, Self::Landlock | Self::Namespaces | Self::Both)
    }

    /// Whether nothing outlives the hook.
    pub(super) const fn isolates(self) -> bool {
        matches!(self, Self::Namespaces | Self::Both)
    }
}

/// What the hook runs. `{fake}` is the program that misbehaves, `{deny}` and `{allow}` its answers; the other names in braces
/// are paths: `project`, `room`, `program`, `home` and `event`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hook {
    /// The program that misbehaves, with these words.
    Fake(&'static [&'static str]),
    /// The same, as a worker.
    Worker(&'static [&'static str]),
    Shell(&'static str),
    Python(&'static str),
    /// Python that must be refused what it tries; where it is, the hook denies.
    Refused(&'static str),
    /// Lines of its entry.
    Entry(&'static str),
}

/// What must come of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Required {
    /// The hook's own denial, and nothing is wrong with it.
    Deny,
    /// The hook's own denial, and one of these faults beside it, and no other one.
    DenyWith(&'static [&'static str]),
    /// A denial by its policy, because of one of these faults.
    Policy(&'static [&'static str]),
    /// A denial, by its word or because of one of these faults.
    DenyOr(&'static [&'static str]),
    /// Nothing is held up.
    Passes,
    /// Its play says whether it is so.
    Played(&'static str),
}

/// Limits that the caller of the engine sets, so that an escaped process is limited all the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// None: as many as a play ever needs.
    pub(super) processes: Option<u32>,
    pub(super) address_space_kib: u64,
    pub(super) file_kib: u64,
    pub(super) cpu_s: u32,
}

pub(super) const LIMITS: Limits =
    Limits { processes: None, address_space_kib: 8 << 20, file_kib: 256 << 10, cpu_s: 30 };

/// Looks at what else must be so, after the firing.
pub(super) type Also = fn(&Scene, &super::scene::Ended) -> Result<(), String>;

/// Plays a row that is more than one firing.
pub(super) type Play = fn(&Scene) -> Result<Seen, String>;

#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Its number in the zoo; 0: it stands for input of the engine that is bad.
    pub(super) number: u8,
    pub(super) name: &'static str,
    pub(super) cells: &'static [Cell],
    pub(super) required: Required,
    pub(super) hook: Hook,
    /// How many bytes stand in the event beside what it needs.
    pub(super) padding: usize,
    /// The command of the tool call.
    pub(super) command: &'static str,
    /// How long the hook has.
    pub(super) timeout_ms: u64,
    /// How long it may take where it does not run out of time.
    pub(super) work_ms: u64,
    /// Keys of its sandbox, where it has one: `, write = [...]`.
    pub(super) grants: &'static str,
    /// Shell that the line of the engine stands behind.
    pub(super) before: &'static str,
    pub(super) limits: Limits,
    /// The engine's memory must stay as it is for a hook that says nothing.
    pub(super) flat: bool,
    pub(super) also: Option<Also>,
    pub(super) play: Option<Play>,
}

/// What it costs to read as much as is kept of an output, for a program that is not optimised on a machine that has other things to do:
/// that is behind the hook's end, and no deadline holds it up.
pub(super) const READING_MS: u64 = 8_000;

/// What a hook has that ends by itself: no machine is so busy that one runs out of it. What would wait for a survivor is over before.
const UNHURRIED_MS: u64 = 40_000;

pub(super) const ALL: &[Cell] = &[Cell::Off, Cell::Landlock, Cell::Namespaces, Cell::Both];
pub(super) const CONFINED: &[Cell] = &[Cell::Landlock, Cell::Namespaces, Cell::Both];
/// Those in which ports are told apart.
pub(super) const PORTS: &[Cell] = &[Cell::Landlock, Cell::Both];
/// Those in which a hook sees the processes of its host.
pub(super) const SHARED: &[Cell] = &[Cell::Off, Cell::Landlock];
pub(super) const ISOLATED: &[Cell] = &[Cell::Namespaces, Cell::Both];
pub(super) const BOTH: &[Cell] = &[Cell::Both];
pub(super) const OPEN: &[Cell] = &[Cell::Off];
pub(super) const ENGINE: &[Cell] = &[Cell::Engine];

const PLAIN: Row = Row {
    number: 0,
    name: "",
    cells: ALL,
    required: Required::Deny,
    hook: Hook::Fake(&[]),
    padding: 0,
    command: "ls",
    timeout_ms: UNHURRIED_MS,
    work_ms: 250,
    grants: "",
    before: "",
    limits: LIMITS,
    flat: false,
    also: None,
    play: None,
};

/// A hook that says no in its way.
pub(super) const fn denies(number: u8, name: &'static str, hook: Hook) -> Row {
    Row { number, name, hook, ..PLAIN }
}

/// A hook whose policy must decide, for one of these reasons.
pub(super) const fn fails(
    number: u8,
    name: &'static str,
    hook: Hook,
    codes: &'static [&'static str],
) -> Row {
    Row { number, name, hook, required: Required::Policy(codes), ..PLAIN }
}

/// A hook that would never end.
pub(super) const fn hangs(number: u8, name: &'static str, hook: Hook) -> Row {
    Row { timeout_ms: 1_000, work_ms: 0, ..fails(number, name, hook, &["timed-out"]) }
}

/// A row that is more than one firing.
pub(super) const fn played(
    number: u8,
    name: &'static str,
    cells: &'static [Cell],
    required: &'static str,
    play: Play,
) -> Row {
    Row { number, name, cells, required: Required::Played(required), play: Some(play), ..PLAIN }
}

impl Row {
    pub(super) const fn padded(self, padding: usize) -> Self {
        Self { padding, ..self }
    }

    pub(super) const fn in_cells(self, cells: &'static [Cell]) -> Self {
        Self { cells, ..self }
    }

    pub(super) const fn or(self, required: Required) -> Self {
        Self { required, ..self }
    }

    pub(super) const fn on(self, command: &'static str) -> Self {
        Self { command, ..self }
    }

    pub(super) const fn granting(self, grants: &'static str) -> Self {
        Self { grants, ..self }
    }

    pub(super) const fn behind(self, before: &'static str) -> Self {
        Self { before, ..self }
    }

    pub(super) const fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    pub(super) const fn takes(self, work_ms: u64) -> Self {
        Self { work_ms, ..self }
    }

    pub(super) const fn given(self, timeout_ms: u64) -> Self {
        Self { timeout_ms, ..self }
    }

    pub(super) const fn flat(self) -> Self {
        Self { flat: true, ..self }
    }

    pub(super) const fn also(self, also: Also) -> Self {
        Self { also: Some(also), ..self }
    }

    /// How long it may take on an idle machine.
    pub(super) fn bound_ms(&self) -> u64 {
        let deadline = if self.hangs() { self.timeout_ms + 250 } else { 0 };
        deadline + self.work_ms + 250
    }

    fn hangs(&self) -> bool {
        let codes = match self.required {
            Required::Policy(codes) | Required::DenyWith(codes) | Required::DenyOr(codes) => codes,
            _ => &[],
        };
        codes.contains(&"timed-out")
    }

    /// How the table says what is required.
    pub(super) fn requires(&self) -> String {
        match self.required {
            Required::Deny => "deny".to_owned(),
            Required::DenyWith(codes) => format!("deny + {}", codes.join("|")),
            Required::Policy(codes) => format!("{} -> deny", codes.join("|")),
            Required::DenyOr(codes) => format!("deny, or {} -> deny", codes.join("|")),
            Required::Passes => "proceeds".to_owned(),
            Required::Played(text) => text.to_owned(),
        }
    }
}
