//! What does a hook's text want that its sandbox keeps from it? One advice for each hook, with the line that grants it. Looks at files; runs
//! nothing.

use std::path::{Path, PathBuf};

use tenterhook::internal::discover;
use tenterhook_core::config::{Ruleset, Source};
use tenterhook_core::diagnostic::{Code, Diagnostic};
use tenterhook_core::dialect::native;
use tenterhook_core::hook::{Arming, Grants, Hook, Sandbox, Want, Wanted};

use crate::grants::{grants_and_source, path_as_written_in_grant};

/// The longest script that is looked into: what is longer is no hook that somebody wrote by hand.
const LONGEST_SCRIPT: u64 = 64 << 10;

/// The shells whose scripts are read.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh"];

pub(crate) fn check_sandbox_needs(
    ruleset: &Ruleset,
    sources: &[Source],
    env: &[(String, String)],
) -> Vec<Diagnostic> {
    let hooks = ruleset.hooks().iter();
    let hooks = hooks.filter(|hook| hook.arming == Arming::Armed);
    hooks.filter_map(|hook| denied_needs_finding(hook, sources, env)).collect()
}

fn denied_needs_finding(
    hook: &Hook,
    sources: &[Source],
    env: &[(String, String)],
) -> Option<Diagnostic> {
    let (grants, source) = grants_and_source(hook, sources)?;
    let (project, home) = (&source.project, &source.home);
    let mut wants = hook.required_access(project, home);
    wants.extend(needs_of_script(hook, source));
    let room = Rights { grants, project, home, env };
    wants.retain(|want| room.refuses_need(want));
    if wants.is_empty() {
        return None;
    }
    let texts: Vec<String> = wants.iter().map(describe_need).fold(Vec::new(), |mut all, text| {
        if !all.contains(&text) {
            all.push(text);
        }
        all
    });
    let message = format!("its sandbox does not let it {}", texts.join(", "));
    let help = format!(
        "{} grants that, should it be needed{}",
        native::sandbox_line(&room.sandbox_with_needs(&wants), Some(&*source.name)),
        room.precondition_note(&wants)
    );
    Some(
        Diagnostic::new(Code::NeedsGrant, message, hook.place.clone()).label("confined").help(help),
    )
}

/// Returns what the shell script that the hook starts needs.
fn needs_of_script(hook: &Hook, source: &Source) -> Vec<Want> {
    let text = hook
        .script_file(&source.project, &source.home)
        .and_then(|script| read_shell_script(&script.path));
    text.map(|text| hook.script_access(&text, &source.project, &source.home)).unwrap_or_default()
}

fn read_shell_script(path: &Path) -> Option<String> {
    let text = String::from_utf8(discover::read_regular_file(path, LONGEST_SCRIPT).ok()?).ok()?;
    let ends = |name: &str| SHELLS.iter().any(|shell| name.trim_end().ends_with(shell));
    let first = text.lines().next().unwrap_or_default();
    let is_shell = match first.strip_prefix("#!") {
        Some(interpreter) => interpreter.split_whitespace().any(ends),
        None => {
            path.extension().is_some_and(|extension| SHELLS.iter().any(|shell| extension == *shell))
        }
    };
    is_shell.then_some(text)
}

fn describe_need(want: &Want) -> String {
    let by = &want.by;
    match &want.what {
        Wanted::Read(_) => format!("read `{by}`"),
        Wanted::Write(_) => format!("write `{by}`"),
        Wanted::Reach(_) => format!("reach anybody with `{by}`"),
        Wanted::Attributes => format!("change what files are with `{by}`"),
    }
}

/// What a hook is left.
struct Rights<'r> {
    grants: &'r Grants,
    project: &'r Path,
    home: &'r Path,
    env: &'r [(String, String)],
}

impl Rights<'_> {
    fn refuses_need(&self, want: &Want) -> bool {
        if want.unless.as_ref().is_some_and(|path| path.exists()) {
            return false;
        }
        match &want.what {
            Wanted::Write(path) => !self.is_path_granted(&self.grants.write, path),
            Wanted::Read(path) => self.is_path_hidden(path),
            Wanted::Reach(port) => self.grants.net.with_port(*port) != self.grants.net,
            Wanted::Attributes => !self.grants.attributes,
        }
    }

    fn is_path_granted(&self, granted: &[PathBuf], path: &Path) -> bool {
        granted.iter().any(|p| path.starts_with(Grants::resolve_granted_path(p, self.project)))
    }

    /// Returns whether the sandbox hides a file: it exists in the home, is not granted, and lies
    /// neither in the project nor in a folder with programs of the `PATH`.
    fn is_path_hidden(&self, path: &Path) -> bool {
        let is_open = self.is_path_granted(&self.grants.read, path)
            || self.is_path_granted(&self.grants.write, path);
        let in_project = path.starts_with(self.project) && self.project != self.home;
        let Ok(below) = path.strip_prefix(self.home) else { return false };
        let first = below.components().next();
        let search = self.env.iter().find(|(name, _)| name == "PATH");
        let mut directories =
            search.into_iter().flat_map(|(_, value)| std::env::split_paths(value));
        let is_found = directories.any(|directory| {
            directory.strip_prefix(self.home).is_ok_and(|rest| rest.components().next() == first)
        });
        !is_open && !in_project && !is_found && path.exists()
    }

    /// Returns the sandbox with everything added that is needed.
    fn sandbox_with_needs(&self, wants: &[Want]) -> Sandbox {
        let add = |paths: &mut Vec<PathBuf>, path: &Path| {
            let path = path_as_written_in_grant(path, self.project, self.home);
            if !paths.contains(&path) {
                paths.push(path);
            }
        };
        self.grants.to_sandbox_with(|grants| {
            for want in wants {
                match &want.what {
                    Wanted::Read(path) => add(&mut grants.read, path),
                    Wanted::Write(path) => add(&mut grants.write, path),
                    Wanted::Reach(port) => grants.net = grants.net.with_port(*port),
                    Wanted::Attributes => grants.attributes = true,
                }
            }
        })
    }

    /// Describes what must be done before the suggested line has an effect.
    fn precondition_note(&self, wants: &[Want]) -> &'static str {
        let missing = |want: &Want| matches!(&want.what, Wanted::Write(path) if !path.exists());
        if wants.iter().any(missing) { "; what is to be written must be there first" } else { "" }
    }
}
