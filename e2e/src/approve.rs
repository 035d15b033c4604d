//! Says yes to the hooks of a play's project, as a person does who has looked at them. Judges nothing.

use std::path::Path;
use std::process::{Command, Output};

/// Approves what the agents would load from `project`, through the program itself, in this environment.
pub(crate) fn approve(
    tenterhook: &Path,
    project: &Path,
    env: &[(String, String)],
) -> Result<(), String> {
    let run = |args: &[&str]| -> Result<Output, String> {
        let mut command = Command::new(tenterhook);
        command.args(args).current_dir(project).env_clear().envs(env.iter().cloned());
        command
            .output()
            .map_err(|error| format!("`{}` cannot be run: {error}", tenterhook.display()))
    };
    let status = run(&["trust", "status"])?;
    let text = String::from_utf8_lossy(&status.stdout);
    let is_digest =
        |word: &&str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    for digest in text.split_whitespace().filter(is_digest) {
        run(&["trust", "--yes", digest])?;
    }
    Ok(())
}
