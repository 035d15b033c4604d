//! Which of our own names and commands loosen a guard? Data; decides nothing.

/// Variables that move the home of every agent.
pub(super) const HOMES: &[&str] =
    &["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "USERPROFILE", "APPDATA"];

/// What our packages are called, whatever manager they came by.
pub const PACKAGE: &str = "tenterhook";

/// Our own commands that loosen a guard, by their first words; and the words behind them with which they only look. `hook` is for
/// agents: another caller would report events to the session that did not happen.
pub const OWN_COMMANDS: &[(&[&str], &[&str])] = &[
    (&["trust"], &["status", "diff"]),
    (&["untrust"], &[]),
    (&["allow"], &[]),
    (&["pause"], &["status"]),
    (&["uninstall"], &[]),
    (&["rules", "remove"], &[]),
    (&["hook"], &[]),
];

/// Our own commands that loosen a guard with one of these options alone.
pub const OWN_OVERRIDES: &[(&[&str], &[&str])] = &[(&["rules", "add"], &["--force", "-f"])];
