//! What `doctor` can find, and how much each kind weighs: the one table of it. Looks at nothing.

use std::path::Path;

use crate::ambient::Here;
use crate::load::shorten_path;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// A hook does not run, or may fail when it is needed.
    Error,
    /// Somebody should look.
    Warning,
}

impl Weight {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

macro_rules! kinds {
    ($($name:ident = $word:literal, $weight:ident;)*) => {
        /// A kind of finding. Its word is what programs read, and never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Kind { $($name),* }

        impl Kind {
            #[cfg(test)]
            pub(super) const ALL: &[Self] = &[$(Self::$name),*];

            pub(super) const fn name(self) -> &'static str {
                match self { $(Self::$name => $word),* }
            }

            pub(super) const fn weight(self) -> Weight {
                match self { $(Self::$name => Weight::$weight),* }
            }
        }
    };
}

kinds! {
    NotInstalled = "not-installed", Error;
    FileUnreadable = "file-unreadable", Error;
    GateMissing = "gate-missing", Error;
    EventMissing = "event-missing", Warning;
    EntryAltered = "entry-altered", Error;
    CalledTwice = "called-twice", Warning;
    SwitchedOff = "switched-off", Error;
    OnlyManaged = "only-managed", Error;
    Silenced = "silenced", Error;
    SilencerKnown = "silencer-known", Warning;
    NotApproved = "not-approved", Error;
    ProgramMissing = "program-missing", Error;
    ProgramForeign = "program-foreign", Error;
    ProgramOlder = "program-older", Warning;
    EntryNotTried = "entry-not-tried", Warning;
    NotAnswered = "not-answered", Error;
    HarmlessDenied = "harmless-denied", Warning;
    NotProven = "not-proven", Error;
    VersionNotMeasured = "version-not-measured", Warning;
    VersionNotProbed = "version-not-probed", Warning;
    SeveralVersions = "several-versions", Warning;
    DenialOpen = "denial-does-not-block", Error;
    RunsTwice = "hook-runs-twice", Warning;
    ConfigBroken = "config-broken", Error;
    SourceNotApproved = "source-not-approved", Error;
    SourceUnread = "source-unread", Warning;
    StateNotWritable = "state-not-writable", Error;
    StateOpen = "state-open-to-others", Error;
    NoPidfd = "no-pidfd", Error;
    NoLandlock = "no-landlock", Warning;
}

/// What mends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mend {
    /// A command line to type.
    Run(String),
    /// What no command does, in words.
    Do(String),
}

impl Mend {
    /// Makes a remedy that is a command line to type.
    pub(super) fn from_command(line: impl Into<String>) -> Self {
        Self::Run(line.into())
    }

    /// Makes a remedy that no command provides, in words.
    pub(super) fn from_advice(words: impl Into<String>) -> Self {
        Self::Do(words.into())
    }
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) kind: Kind,
    /// In one sentence, lower case.
    pub(super) what: String,
    /// The file, as people say it, and the line in it where one is to blame.
    pub(super) place: Option<(String, Option<usize>)>,
    pub(super) mend: Mend,
}

impl Finding {
    pub(super) fn new(kind: Kind, what: impl Into<String>, mend: Mend) -> Self {
        Self { kind, what: what.into(), place: None, mend }
    }

    pub(super) fn with_location(mut self, path: &Path, line: Option<usize>, here: &Here) -> Self {
        self.place = Some((shorten_path(&path.to_string_lossy(), &here.roots), line));
        self
    }
}

/// Returns a path as a user types it: shortened if a shell accepts that, otherwise complete and
/// quoted.
pub(super) fn path_for_shell(path: &Path, here: &Here) -> String {
    let short = shorten_path(&path.to_string_lossy(), &here.roots);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-~+@:,=".contains(c);
    match short.chars().all(is_plain) {
        true => short,
        false => format!("'{}'", path.display().to_string().replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BR-71: programs that read the words can tell all of them, and the specification tells what each means.
    #[test]
    fn every_kind_is_in_the_schema_and_the_specification() {
        let schema = include_str!("../schema/doctor.json");
        let spec = include_str!("../../../../../docs/spec/bridge.md");
        for (at, kind) in Kind::ALL.iter().enumerate() {
            let word = kind.name();
            assert!(schema.contains(&format!("\"{word}\"")), "{word}");
            let heading = match kind.weight() {
                Weight::Error => "\nErrors:\n\n",
                Weight::Warning => "\nWarnings:\n\n",
            };
            let list = spec.split(heading).nth(1).expect(heading);
            let mut items = list.lines().take_while(|line| line.starts_with("- `"));
            let code = format!("`{word}`");
            let is_entry =
                |item: &str| item.split_once(": ").is_some_and(|(codes, _)| codes.contains(&code));
            assert!(items.any(is_entry), "{word}");
            assert!(Kind::ALL.iter().skip(at + 1).all(|kind| kind.name() != word), "{word} twice");
        }
    }
}
