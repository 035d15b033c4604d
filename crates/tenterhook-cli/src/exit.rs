//! What the exit codes mean: the one table of them. Decides nothing else.

use std::process::ExitCode;

use tenterhook::Outcome;
use tenterhook_core::outcome::Decision;

/// How a run of the program ends. Any code but 0 means: do not proceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well: the event may proceed, or no error was found.
    Good,
    /// The call or its input is wrong, or `check` found an error.
    Wrong,
    /// The event is blocked, or a hook stops everything.
    Blocked,
    /// Somebody must be asked first, or the action put off.
    Asks,
    /// An expected managed file does not apply here.
    OtherRules,
    /// A file with rules cannot be read completely, or others can change a managed file or program.
    Unreadable,
    /// A managed file is expected, and no agent is here to apply it.
    NoAgent,
    /// The run was cancelled by this signal.
    Cancelled(u8),
    /// The agent got a reply, and reads this code.
    Replied(u8),
}

/// The table of `--help` and `docs/guide/cli.md`.
pub(crate) const TABLE: &str = "\
Exit codes:
  0    proceed; for `check`: no errors; for `test`: every case holds
  1    wrong usage, or a file that cannot be read; for `check`: errors;
       for `test`: a case that does not hold, or no case at all;
       for `log verify`: records that were changed, moved or cut;
       for `status`: an agent that does not call Tenterhook
  2    blocked, or a hook stops everything, or no hook could see the event,
       or `fire` itself could not go on
  3    somebody must be asked first (`ask`), or the action put off (`defer`)
  4    for `status --expect`: other rules apply here
  5    for `status`: a file with rules that cannot be read completely
  6    for `status --expect`: no agent is found here
  130  cancelled by Ctrl-C (143: by SIGTERM); the hooks were ended
Any code but 0 means: do not proceed.";

/// The exit codes and examples of `status --help`.
pub(crate) const STATUS: &str = "\
Exit codes of status (the first that applies):
  5  a file with rules cannot be read completely, or others may write a
     managed file or the program of managed entries
  4  other rules: no managed file with an expected digest applies
  1  an agent does not call Tenterhook; with --expect: users can switch its
     managed hooks off (not pinned); or wrong usage
  6  with --expect: no agent is found here, so no call proves the rules
  0  each agent here calls Tenterhook, and each expected file applies

Examples:
  tenterhook status
  tenterhook status --format json
  tenterhook status --expect e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

impl Exit {
    /// Returns the numeric exit code.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::Wrong => 1,
            Self::Blocked => 2,
            Self::Asks => 3,
            Self::OtherRules => 4,
            Self::Unreadable => 5,
            Self::NoAgent => 6,
            // The shell's convention for a program that a signal ended.
            Self::Cancelled(signal) => 128 + signal,
            Self::Replied(code) => code,
        }
    }

    /// Returns the exit code of an outcome.
    pub(crate) fn from_outcome(outcome: &Outcome) -> Self {
        match outcome.decision() {
            Decision::Proceed { .. } => Self::Good,
            Decision::Ask { .. } | Decision::Deferred { .. } => Self::Asks,
            Decision::Denied { .. } | Decision::Stopped { .. } => Self::Blocked,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook_core::answer::Restraint;

    #[test]
    fn only_silence_and_consent_are_zero() {
        for (restraint, code) in [
            (Restraint::Silent, 0),
            (Restraint::Allow, 0),
            (Restraint::Ask, 3),
            (Restraint::Defer, 3),
            (Restraint::Deny, 2),
        ] {
            let mut outcome = Outcome::without_answer();
            outcome.restraint = restraint;
            assert_eq!(Exit::from_outcome(&outcome).code(), code, "{restraint:?}");
            outcome.effects.stop = Some(tenterhook_core::answer::Stop::default());
            assert_eq!(Exit::from_outcome(&outcome).code(), 2, "{restraint:?} and stop");
        }
    }

    #[test]
    fn the_table_names_every_code() {
        let all = [
            Exit::Good,
            Exit::Wrong,
            Exit::Blocked,
            Exit::Asks,
            Exit::OtherRules,
            Exit::Unreadable,
            Exit::NoAgent,
            Exit::Cancelled(2),
        ];
        for exit in all {
            let start = format!("  {:<5}", exit.code());
            assert!(TABLE.lines().any(|line| line.starts_with(&start)), "{exit:?}");
        }
    }
}
