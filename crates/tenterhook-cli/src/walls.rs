//! What does a hook's text want that its sandbox keeps from it? One advice for each hook, with the line that grants it. Looks at files; runs
//! nothing.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use tenterhook::config::{Ruleset, Source};
use tenterhook::diagnostic::{Code, Diagnostic};
use tenterhook::hook::{Arming, Grants, Hook, Peers, Profile, Want, Wanted};

/// The longest script that is looked into: what is longer is no hook that somebody wrote by hand.
const LONGEST_SCRIPT: u64 = 64 << 10;

/// The shells whose scripts are read.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh"];

/// What stands for the project in a path of a grant.
const PROJECT: &str = "$PROJECT";

pub(crate) fn check(
    ruleset: &Ruleset,
    sources: &[Source],
    env: &[(String, String)],
) -> Vec<Diagnostic> {
    let hooks = ruleset.hooks().iter();
    let hooks = hooks.filter(|it| it.arming == Arming::Armed || it.is_unapproved());
    hooks.filter_map(|it| of_hook(it, sources, env)).collect()
}

fn of_hook(hook: &Hook, sources: &[Source], env: &[(String, String)]) -> Option<Diagnostic> {
    let grants = hook.sandbox.grants()?;
    let place = hook.place.as_ref()?;
    let source = sources.iter().find(|it| it.name == place.file)?;
    let (project, home) = (&source.project, &source.home);
    let mut wants = hook.wants(project, home);
    wants.extend(of_script(hook, source));
    let room = Room { grants, project, home, env };
    wants.retain(|it| room.refuses(it));
    if wants.is_empty() {
        return None;
    }
    let told: Vec<String> = wants.iter().map(what).fold(Vec::new(), |mut all, it| {
        if !all.contains(&it) {
            all.push(it);
        }
        all
    });
    let message = format!("its sandbox does not let it {}", told.join(", "));
    let help = format!(
        "{} grants that, should it be needed{}",
        room.line(&wants, &place.file),
        room.first(&wants)
    );
    Some(
        Diagnostic::new(Code::NeedsGrant, message, hook.place.clone()).label("confined").help(help),
    )
}

/// What the script of shell wants that the hook starts.
fn of_script(hook: &Hook, source: &Source) -> Vec<Want> {
    let text = hook.script(&source.project, &source.home).and_then(|it| shell_text(&it.path));
    text.map(|it| hook.wants_of_script(&it, &source.project, &source.home)).unwrap_or_default()
}

fn shell_text(path: &Path) -> Option<String> {
    let is_small = fs::metadata(path).is_ok_and(|it| it.is_file() && it.len() <= LONGEST_SCRIPT);
    let mut text = String::new();
    fs::File::open(path).ok().filter(|_| is_small)?.read_to_string(&mut text).ok()?;
    let ends = |name: &str| SHELLS.iter().any(|it| name.trim_end().ends_with(it));
    let first = text.lines().next().unwrap_or_default();
    let is_shell = match first.strip_prefix("#!") {
        Some(interpreter) => interpreter.split_whitespace().any(ends),
        None => path.extension().is_some_and(|it| SHELLS.iter().any(|shell| it == *shell)),
    };
    is_shell.then_some(text)
}

fn what(want: &Want) -> String {
    let by = &want.by;
    match &want.what {
        Wanted::Read(_) => format!("read `{by}`"),
        Wanted::Write(_) => format!("write `{by}`"),
        Wanted::Reach(_) => format!("reach anybody with `{by}`"),
        Wanted::Attributes => format!("change what files are with `{by}`"),
    }
}

/// What a hook is left.
struct Room<'r> {
    grants: &'r Grants,
    project: &'r Path,
    home: &'r Path,
    env: &'r [(String, String)],
}

impl Room<'_> {
    fn refuses(&self, want: &Want) -> bool {
        if want.unless.as_ref().is_some_and(|it| it.exists()) {
            return false;
        }
        match &want.what {
            Wanted::Write(path) => !self.holds(&self.grants.write, path),
            Wanted::Read(path) => self.keeps_closed(path),
            Wanted::Reach(port) => match (&self.grants.net, port) {
                (Peers::Everybody, _) => false,
                (Peers::Tcp(ports), Some(port)) => !ports.contains(port),
                (Peers::Nobody, _) | (Peers::Tcp(_), None) => true,
            },
            Wanted::Attributes => !self.grants.attributes,
        }
    }

    fn holds(&self, granted: &[PathBuf], path: &Path) -> bool {
        granted.iter().any(|it| {
            let it = it
                .strip_prefix(PROJECT)
                .map_or_else(|_| it.clone(), |rest| self.project.join(rest));
            path.starts_with(it)
        })
    }

    /// Whether a file is there and lies in the home, but neither in the project nor beside what is found by its name.
    fn keeps_closed(&self, path: &Path) -> bool {
        let is_open = self.holds(&self.grants.read, path) || self.holds(&self.grants.write, path);
        let in_project = path.starts_with(self.project) && self.project != self.home;
        let Ok(below) = path.strip_prefix(self.home) else { return false };
        let first = below.components().next();
        let search = self.env.iter().find(|(name, _)| name == "PATH");
        let mut directories = search.into_iter().flat_map(|(_, it)| std::env::split_paths(it));
        let is_found = directories
            .any(|it| it.strip_prefix(self.home).is_ok_and(|it| it.components().next() == first));
        !is_open && !in_project && !is_found && path.exists()
    }

    /// The line that grants it all, and where it stands.
    fn line(&self, wants: &[Want], file: &str) -> String {
        let keys = self.keys(wants).join(", ");
        let plain = Grants { at_least: self.grants.at_least, ..Grants::new(Profile::Standard) };
        if *self.grants != plain {
            return format!("`{keys}` in its `sandbox`");
        }
        let is_ours = Path::new(file).file_name().is_some_and(|it| {
            let name = it.to_string_lossy();
            name.starts_with("tenterhook.") && name.ends_with(".toml")
        });
        let at = match is_ours {
            true => "in its entry".to_owned(),
            false => format!("below `[source.\"{file}\"]` of a `tenterhook.toml`"),
        };
        format!("`sandbox = {{ {keys} }}` {at}")
    }

    fn keys(&self, wants: &[Want]) -> Vec<String> {
        let paths = |key: &str, granted: &[PathBuf], of: fn(&Wanted) -> Option<&PathBuf>| {
            let new = wants.iter().filter_map(|it| of(&it.what)).map(|it| self.as_grant(it));
            let mut all: Vec<String> =
                granted.iter().map(|it| it.display().to_string()).chain(new).collect();
            let is_new = all.len() > granted.len();
            all.dedup();
            is_new.then(|| format!("{key} = {all:?}"))
        };
        let mut keys: Vec<String> = [
            paths("read", &self.grants.read, |it| {
                if let Wanted::Read(path) = it { Some(path) } else { None }
            }),
            paths("write", &self.grants.write, |it| {
                if let Wanted::Write(path) = it { Some(path) } else { None }
            }),
        ]
        .into_iter()
        .flatten()
        .collect();
        let ports: Vec<Option<u16>> = wants
            .iter()
            .filter_map(|it| if let Wanted::Reach(port) = it.what { Some(port) } else { None })
            .collect();
        keys.extend(self.net(&ports));
        if wants.iter().any(|it| it.what == Wanted::Attributes) {
            keys.push("attributes = true".to_owned());
        }
        keys
    }

    fn net(&self, wanted: &[Option<u16>]) -> Option<String> {
        if wanted.is_empty() {
            return None;
        }
        let Some(wanted) = wanted.iter().copied().collect::<Option<Vec<u16>>>() else {
            return Some("net = \"open\"".to_owned());
        };
        let granted = match &self.grants.net {
            Peers::Tcp(ports) => ports.as_slice(),
            Peers::Nobody | Peers::Everybody => &[],
        };
        let mut all: Vec<String> =
            granted.iter().chain(&wanted).map(|it| format!("tcp:{it}")).collect();
        all.dedup();
        Some(format!("net = {all:?}"))
    }

    /// A path as a grant names it.
    fn as_grant(&self, path: &Path) -> String {
        let written = |sign: &str, rest: &Path| Path::new(sign).join(rest).display().to_string();
        let in_project = path.strip_prefix(self.project).ok().filter(|_| self.project != self.home);
        match (in_project, path.strip_prefix(self.home)) {
            (Some(rest), _) => written(PROJECT, rest),
            (None, Ok(rest)) => written("~", rest),
            (None, Err(_)) => path.display().to_string(),
        }
    }

    /// What must be done before the line is of use.
    fn first(&self, wants: &[Want]) -> &'static str {
        let missing = |it: &Want| matches!(&it.what, Wanted::Write(path) if !path.exists());
        if wants.iter().any(missing) { "; what is to be written must be there first" } else { "" }
    }
}
