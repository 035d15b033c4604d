//! Lists the simple commands that a line of PowerShell or of cmd would run.
//!
//! Two hand-written readers: no grammar of PowerShell that links with this workspace reads `git
//! checkout -- .`, and a rejected line yields nothing. Both fill the same reader as Bash does, so
//! that nested code (`bash -c` in PowerShell, `cmd /c` in Bash) shares one budget. Unreadable text
//! is a doubt.

mod argument;
mod behind;
mod call;
mod cmd;
mod cmd_words;
mod command;
mod cursor;
mod equivalent;
mod expression;
mod keywords;
mod names;
mod powershell;
mod quotes;
mod tables;
mod words;

#[cfg(test)]
mod tests;

pub(super) use behind::{CmdCode, code_run_by_powershell};
pub(super) use cmd::read_cmd_line as read_cmd;
pub(super) use names::is_cmdlet_or_net_call;
pub(super) use powershell::read_powershell;

/// The language of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// Bash, and the shells like it.
    #[default]
    Posix,
    /// PowerShell, of Windows and of other systems.
    PowerShell,
    /// cmd.exe.
    Cmd,
}

/// Deepest nest of blocks and parentheses: the readers call themselves for each.
const DEEPEST: usize = 64;
/// What a word and a statement cost, in steps.
const A_WORD: usize = 4;
/// Longest text of commands that is put into the word whose value they print.
const LONGEST_PRINTED: usize = 4 * 1024;
