//! Where is the file that a call names: in the project, outside it, or among what decides over the agent? Links are followed
//! first, as the system does; changes nothing.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{PermitContext, by_itself};
use crate::conversation::Call;
use crate::file::Judged;
use crate::tool;

/// What decides over an agent with everything that lies in it, wherever it lies.
const GUARDED: &[&str] = &[
    ".git",
    ".agents",
    ".claude",
    ".codewhale",
    ".codex",
    ".gen",
    ".gen-plugin",
    ".ignis",
    ".reasonix",
    ".tenterhook",
];

/// The arguments in which a call names a file.
pub(super) const KEYS: &[&str] = &["file_path", "path"];
/// Tools that look at the directory where the agent works when they name none.
const SEARCHES: &[&str] = &["Glob", "Grep"];

/// What a call looks at or writes.
#[derive(Clone, Debug)]
pub(super) struct Aim {
    /// As the model wrote it.
    pub(super) name: String,
    /// The path that this is, with its links.
    path: PathBuf,
    /// Where that leads. Nothing: in a circle.
    pub(super) judged: Option<Judged>,
}

impl Aim {
    /// Returns the file that `call` names, if it names one.
    pub(super) fn from_call(call: &Call, cwd: &Path) -> Option<Self> {
        let named = KEYS.iter().find_map(|key| tool::text_argument(call, key));
        let name = named.or_else(|| SEARCHES.contains(&call.tool.as_str()).then_some("."))?;
        Some(Self::from_path(name, cwd.join(name)))
    }

    /// Resolves a path that the call names `name`.
    pub(super) fn from_path(name: &str, path: PathBuf) -> Self {
        let judged = Judged::resolve(&path);
        Self { name: name.to_owned(), path, judged }
    }

    /// Resolves an entry of a directory whose path contains no link.
    pub(super) fn in_resolved_directory(directory: &Judged, name: &OsStr) -> Self {
        let path = directory.path.join(name);
        let judged = Judged::resolve_in_real_directory(&path);
        Self { name: String::new(), path, judged }
    }

    /// Describes the file for a person. Includes the path that it leads to, if the name does not
    /// show that.
    fn describe(&self) -> String {
        let Self { name, path, judged } = self;
        match judged {
            Some(judged) if judged.path != normalize_dots(path) => {
                format!("`{name}` leads to `{}`, which", judged.path.display())
            }
            _ => format!("`{name}`"),
        }
    }
}

/// Resolves `..` and `.` in the path by text alone, so that only a link is reported to lead
/// elsewhere.
fn normalize_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

/// Where a call looks or writes, with the words for what is wrong with that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// In the project, in a directory beside it that the user named, or nowhere: the tool has no path.
    Inside,
    /// There, but among what decides over the agent or runs by itself, or a file that has other names.
    Guarded(String),
    /// Elsewhere.
    Outside(String),
}

/// What a call does with a file.
#[derive(Clone, Copy)]
pub(super) enum Use<'c> {
    /// It looks at it.
    Look,
    /// It changes it, to this text where the call says it.
    Write(by_itself::Change<'c>),
    /// It moves or removes it with everything in it.
    Remove,
}

impl Location {
    /// Returns the location of the file: in the project, guarded, or outside.
    pub(super) fn classify(
        aim: &Aim,
        is_used: Use<'_>,
        context: &PermitContext<'_>,
        directories: &[PathBuf],
    ) -> Self {
        let roots =
            std::iter::once(context.project).chain(directories.iter().map(PathBuf::as_path));
        Self::classify_in_roots(aim, is_used, roots, |file| context.hooks.why_guarded(file))
    }

    fn classify_in_roots<'r>(
        aim: &Aim,
        is_used: Use<'_>,
        roots: impl Iterator<Item = &'r Path>,
        decides: impl Fn(&Path) -> Option<String>,
    ) -> Self {
        let outside = || Self::Outside(format!("{} is outside the project", aim.describe()));
        let Some(judged) = &aim.judged else { return outside() };
        let mut inside = roots.filter_map(|root| path_below_root(&judged.path, root));
        let Some(below) = inside.next() else { return outside() };
        if below.components().any(|part| is_guarded_name(part.as_os_str())) {
            return Self::Guarded(format!("{} decides over the agent itself", aim.describe()));
        }
        match is_used {
            Use::Look => Self::Inside,
            Use::Remove => match find_guarded_entry(&judged.path) {
                Some(name) => Self::Guarded(format!(
                    "{} holds `{name}`, which decides over the agent itself",
                    aim.describe()
                )),
                None => Self::Inside,
            },
            Use::Write(change) => {
                let by_itself = || {
                    let why = by_itself::why_runs_by_itself(&below, change)?;
                    Some(format!("takes effect by itself later: {why}"))
                };
                let others = "has other names, which a write would change, too".to_owned();
                let danger = decides(&judged.path)
                    .or_else(by_itself)
                    .or_else(|| judged.has_other_names().then_some(others));
                danger
                    .map_or(Self::Inside, |why| Self::Guarded(format!("{} {why}", aim.describe())))
            }
        }
    }

    /// Returns whether the location is in the project.
    pub(super) const fn is_inside_project(&self) -> bool {
        !matches!(self, Self::Outside(_))
    }

    /// Returns why a write there is dangerous, even with consent.
    pub(super) fn why_write_is_dangerous(self) -> Option<String> {
        match self {
            Self::Inside => None,
            Self::Guarded(why) | Self::Outside(why) => Some(why),
        }
    }
}

/// Returns whether every file of that name configures an agent. Case is ignored, as in some file
/// systems.
fn is_guarded_name(name: &OsStr) -> bool {
    GUARDED.iter().any(|guarded| name.eq_ignore_ascii_case(guarded))
}

/// Returns the name of an entry of the directory that configures an agent.
fn find_guarded_entry(directory: &Path) -> Option<String> {
    let mut entries = std::fs::read_dir(directory).ok()?.flatten().map(|entry| entry.file_name());
    entries.find(|name| is_guarded_name(name)).map(|name| name.to_string_lossy().into_owned())
}

/// Returns the path relative to `root`, with links in `root` resolved, or `None` if it is not in
/// it.
pub(super) fn path_below_root(path: &Path, root: &Path) -> Option<PathBuf> {
    path.strip_prefix(Judged::resolve(root)?.path).ok().map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A project with a link to what is outside, a dangling one, and a circle.
    fn project_with_links() -> tempfile::TempDir {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        std::fs::create_dir_all(at("project/src")).unwrap();
        std::fs::create_dir_all(at("project/.git/hooks")).unwrap();
        std::fs::create_dir(at("elsewhere")).unwrap();
        symlink(at("elsewhere"), at("project/out")).unwrap();
        symlink("../elsewhere/new", at("project/dangling")).unwrap();
        symlink("circle", at("project/circle")).unwrap();
        symlink("src", at("project/also")).unwrap();
        symlink("../.git/hooks/pre-commit", at("project/src/innocent")).unwrap();
        symlink(at("project"), at("linked")).unwrap();
        scratch
    }

    fn find(scratch: &Path, name: &str) -> Location {
        // The project is known by a path that is itself a link.
        let (project, cwd) = (scratch.join("linked"), scratch.join("project"));
        let aim = Aim::from_path(name, cwd.join(name));
        let decides = |file: &Path| file.ends_with("hooks.toml").then(|| "decides".to_owned());
        Location::classify_in_roots(
            &aim,
            Use::Write(&|| None),
            std::iter::once(project.as_path()),
            decides,
        )
    }

    #[test]
    fn links_are_followed_before_a_place_is_judged() {
        let scratch = project_with_links();
        for name in
            ["src/a.rs", "also/a.rs", "new/deep/a.rs", ".", "./src/../src/a", "out/../project/a"]
        {
            assert_eq!(find(scratch.path(), name), Location::Inside, "{name}");
        }
        for name in
            ["..", "../project2/a", "out/a", "out/../a", "dangling", "circle/a", "/etc/passwd"]
        {
            assert!(matches!(find(scratch.path(), name), Location::Outside(_)), "{name}");
        }
        std::fs::write(scratch.path().join("project/one"), "").unwrap();
        std::fs::hard_link(scratch.path().join("project/one"), scratch.path().join("other"))
            .unwrap();
        for name in
            [".git/config", ".GIT/config", "src/innocent", "a/.claude/x", "src/hooks.toml", "one"]
        {
            assert!(matches!(find(scratch.path(), name), Location::Guarded(_)), "{name}");
        }
    }
}
