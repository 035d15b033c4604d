//! Decides whether a hook runs, by its origin, the user's answer, what it can do and the agent that
//! it was written for. One table, which is the rule (T-10). Pure.

/// The party that configured a hook (T-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The organisation, the user, or the caller that named its file for this run: armed without
    /// an approval.
    Own,
    /// A repository: its hooks are armed by an approval only.
    Repository,
}

/// The user's answer about a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// Yes, to exactly this.
    Approved,
    /// Yes to its file, but since then this entry, or a file that it runs, has changed.
    Changed,
    /// Nothing yet.
    Unknown,
    /// No, to exactly this.
    Refused,
}

impl State {
    /// Returns the word that users see.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Changed => "changed",
            Self::Unknown => "not approved",
            Self::Refused => "refused",
        }
    }
}

/// What a hook can do about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    /// It can deny a call of a tool, a permission or a call of a model.
    Gate,
    /// Anything else: an observer, or a hook that can deny only other events, such as prompts,
    /// which are never held (C-72).
    Other,
}

/// For whom a hook was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum WrittenFor {
    /// For Tenterhook, in its own format.
    Us,
    /// For an agent. That the agent trusts it is no approval for Tenterhook.
    Agent,
}

/// The organisation's setting for gates without an approval (T-13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Unapproved {
    /// Gates that were written for an agent are off.
    #[default]
    Off,
    /// Gates hold the calls that they match until the user approves them (T-11).
    Hold,
}

/// Whether a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Decision {
    /// It runs.
    Arms,
    /// It does not run, and every call that it matches is held: denied, or asked about (T-11).
    Holds,
    /// It does not run, and holds nothing.
    Off,
}

/// The conditions of a row, and its decision. A condition `None` always fits.
type Row = (State, Option<Role>, Option<WrittenFor>, Option<Unapproved>, Decision);

/// The rule for hooks of a repository, and for own hooks about which the user has answered: the
/// first row that fits decides.
const TABLE: &[Row] = {
    use {Decision as F, Role as R, State as S, Unapproved as U, WrittenFor as W};
    &[
        (S::Approved, None, None, None, F::Arms),
        (S::Changed, Some(R::Gate), None, None, F::Holds),
        (S::Changed, Some(R::Other), None, None, F::Off),
        (S::Unknown, Some(R::Gate), Some(W::Us), None, F::Holds),
        (S::Unknown, Some(R::Gate), None, Some(U::Hold), F::Holds),
        (S::Refused, Some(R::Gate), None, Some(U::Hold), F::Holds),
        (S::Unknown, None, None, None, F::Off),
        (S::Refused, None, None, None, F::Off),
    ]
};

/// Decides about one hook (T-10).
#[must_use]
pub(super) fn decide_hook(
    origin: Origin,
    state: State,
    role: Role,
    written_for: WrittenFor,
    unapproved: Unapproved,
) -> Decision {
    // The user's own hooks need no approval; but if they have one, they must match it (T-2).
    if origin == Origin::Own && state == State::Unknown {
        return Decision::Arms;
    }
    let fits = |row: &&Row| {
        row.0 == state
            && row.1.is_none_or(|expected| expected == role)
            && row.2.is_none_or(|expected| expected == written_for)
            && row.3.is_none_or(|expected| expected == unapproved)
    };
    // Every state has a row; if one were missing, its gates would hold.
    TABLE.iter().find(fits).map_or(Decision::Holds, |row| row.4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Decision::{Arms, Holds, Off};
    use Role::{Gate, Other};
    use WrittenFor::{Agent, Us};

    const STATES: [State; 4] = [State::Approved, State::Changed, State::Unknown, State::Refused];

    /// T-1, T-10: an approved hook of a repository runs, whatever the other arguments are; no other
    /// hook of a repository runs.
    #[test]
    fn of_a_repository_only_what_is_approved_runs() {
        for state in STATES {
            for role in [Gate, Other] {
                for written_for in [Us, Agent] {
                    for unapproved in [Unapproved::Off, Unapproved::Hold] {
                        let decision =
                            decide_hook(Origin::Repository, state, role, written_for, unapproved);
                        assert_eq!(
                            decision == Arms,
                            state == State::Approved,
                            "{state:?} {role:?}"
                        );
                        assert!(role == Gate || decision != Holds, "{state:?} {role:?}");
                    }
                }
            }
        }
    }

    /// T-10 to T-13.
    #[test]
    fn what_does_not_run_holds_or_is_off() {
        let fates = |state, unapproved| {
            [(Gate, Us), (Gate, Agent), (Other, Us), (Other, Agent)]
                .map(|(role, by)| decide_hook(Origin::Repository, state, role, by, unapproved))
        };
        assert_eq!(fates(State::Changed, Unapproved::Off), [Holds, Holds, Off, Off]);
        assert_eq!(fates(State::Unknown, Unapproved::Off), [Holds, Off, Off, Off]);
        assert_eq!(fates(State::Unknown, Unapproved::Hold), [Holds, Holds, Off, Off]);
        assert_eq!(fates(State::Refused, Unapproved::Off), [Off; 4]);
        assert_eq!(fates(State::Refused, Unapproved::Hold), [Holds, Holds, Off, Off]);
    }

    /// T-2: a hook of the user's own runs if the user did not answer, or approved exactly this.
    #[test]
    fn what_is_the_persons_own_runs_until_it_was_approved_and_changed() {
        let decision = |state| decide_hook(Origin::Own, state, Gate, Agent, Unapproved::Hold);
        assert_eq!(STATES.map(decision), [Arms, Holds, Arms, Holds]);
    }

    /// T-40.
    #[test]
    fn each_state_has_its_word() {
        assert_eq!(STATES.map(State::label), ["approved", "changed", "not approved", "refused"]);
    }
}
