//! What comes of a hook whose program or script is missing? Tables of how such a start ends; the engine says what that means.

use std::path::Path;
use std::sync::Arc;

use tenterhook_core::answer::Restraint;
use tenterhook_core::config::Ruleset;
use tenterhook_core::dialect::Subject;
use tenterhook_core::hook::{Command, Hook, Invocation, Phase, Program, Run, Script, Wait};
use tenterhook_core::plan;
use tenterhook_core::report::End;

use crate::reach;

/// With what an interpreter ends whose script is missing, as seen by running it.
const WITHOUT_SCRIPT: &[(&str, i32)] = &[
    ("python", 2),
    ("python3", 2),
    ("uv", 2),
    ("node", 1),
    ("tsx", 1),
    ("bun", 1),
    ("deno", 1),
    ("ruby", 1),
    ("php", 1),
    ("perl", 2),
    ("bash", 127),
    ("zsh", 127),
    ("dash", 2),
];

/// With what a shell ends that finds no program, or one that it may not start.
const NOT_FOUND: i32 = 127;
const NOT_EXECUTABLE: i32 = 126;

/// What comes of a hook that cannot start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Consequence {
    restraint: Restraint,
    /// What the hook is asked about.
    noun: &'static str,
    /// Whether the hook can stop anything, so that its absence lets something pass.
    is_gate: bool,
    /// Whether the hook runs after a tool call, which it can no longer block.
    is_after_call: bool,
}

impl Consequence {
    /// Returns whether everything that the hook runs for is blocked.
    pub(crate) fn blocks_everything(self) -> bool {
        !self.is_after_call && self.restraint >= Restraint::Defer
    }

    /// Returns a label such as `blocks every call`.
    pub(crate) fn label(self) -> String {
        let noun = self.noun;
        match self.restraint {
            Restraint::Deny | Restraint::Defer if self.is_after_call => {
                format!("reports an error after every {noun}")
            }
            Restraint::Deny | Restraint::Defer => format!("blocks every {noun}"),
            Restraint::Ask => format!("asks at every {noun}"),
            Restraint::Allow | Restraint::Silent if !self.is_gate => "never runs".to_owned(),
            Restraint::Allow | Restraint::Silent => format!("lets every {noun} pass"),
        }
    }

    /// Returns a clause such as `it blocks every call until then`.
    pub(crate) fn until_mended(self) -> String {
        match self.label() {
            label if label == "never runs" => "it does not run until then".to_owned(),
            label => format!("it {label} until then"),
        }
    }
}

/// How a start ends that fails.
pub(super) struct Ending {
    end: End,
    stderr: String,
}

impl Ending {
    /// Returns how a hook ends that exits with `code` and a line on stderr.
    pub(super) fn with_exit_code(code: i32, what: &str) -> Self {
        Self { end: End::Exited(code), stderr: format!("{what}: not found") }
    }

    /// Returns how the hook ends if the directory that its entry names does not exist.
    pub(super) fn without_directory(directory: &Path) -> Self {
        let why = format!("`{}` does not exist", directory.display());
        Self { end: End::NotStarted { why }, stderr: String::new() }
    }

    /// Returns how the hook ends if `env`, in the first line of its script, does not find a program.
    pub(super) fn without_interpreter(name: &str) -> Self {
        Self::with_exit_code(NOT_FOUND, name)
    }

    /// Returns how the hook ends without `program`; `None` if the hook continues.
    pub(super) fn without_program(program: &Program) -> Option<Self> {
        if !program.is_alone {
            return None;
        }
        Some(match program.by_shell {
            true => Self::with_exit_code(NOT_FOUND, &program.name),
            false => Self {
                end: End::NotStarted { why: format!("`{}` is not found", program.name) },
                stderr: String::new(),
            },
        })
    }

    /// Returns how the hook ends without `script`, which `programs` are to read, or which is the
    /// program itself.
    pub(super) fn without_script(
        hook: &Hook,
        script: &Script,
        programs: &[Program],
    ) -> Option<Self> {
        let path = script.path.display().to_string();
        if script.is_program {
            let is_shell = matches!(
                &hook.run,
                Run::Command(Command { invocation: Invocation::Shell { .. }, .. })
            );
            let code = if script.path.exists() { NOT_EXECUTABLE } else { NOT_FOUND };
            return Some(match is_shell {
                true => Self::with_exit_code(code, &path),
                false => Self { end: End::NotStarted { why: path }, stderr: String::new() },
            });
        }
        let interpreter = programs.first().filter(|program| program.is_alone)?;
        let code = match interpreter.name.rsplit('/').next().unwrap_or_default() {
            "sh" => sh_exit_code_for_missing_script()?,
            name => WITHOUT_SCRIPT.iter().find(|(known, _)| *known == name)?.1,
        };
        Some(Self::with_exit_code(code, &path))
    }
}

/// Returns the exit code of this machine's `sh` for a missing script, according to the shell that
/// `/bin/sh` links to.
fn sh_exit_code_for_missing_script() -> Option<i32> {
    let behind = std::fs::canonicalize("/bin/sh").ok()?;
    let name = behind.file_name()?.to_str()?;
    WITHOUT_SCRIPT.iter().find(|(known, _)| *known == name).map(|(_, code)| *code)
}

/// Returns what the engine does with a hook that ended like that.
pub(super) fn consequence_of_ending(
    ruleset: &Ruleset,
    hook: &Arc<Hook>,
    ending: Ending,
) -> Consequence {
    let restraint = plan::restraint_if_hook_ended_with(ruleset, hook, ending.end, &ending.stderr);
    let row = ruleset.event_row(hook.dialect, &hook.event);
    let is_call = matches!(row.subject, Subject::Tool(_) | Subject::Field("tool_name"));
    let noun = if is_call { "call" } else { "event" };
    let is_before_effect = row.is_before_effect();
    let is_gate = is_before_effect
        && hook.phase != Phase::Observe
        && hook.wait == Wait::Attached
        && reach::why_hook_never_runs(ruleset, hook).is_none();
    Consequence { restraint, noun, is_gate, is_after_call: is_call && !is_before_effect }
}
