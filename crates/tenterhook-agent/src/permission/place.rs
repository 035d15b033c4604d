//! Where is the file that a call names: in the project, outside it, or among what decides over the agent? Follows links as
//! the system does; changes nothing.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::Desk;
use crate::conversation::Call;
use crate::tool;

/// What decides over the agent itself, wherever it lies below the project.
const GUARDED: &[&str] = &[
    ".git",
    ".claude",
    ".codewhale",
    ".gen",
    ".gen-plugin",
    ".ignis",
    ".reasonix",
    "tenterhook.toml",
];

/// As many links as Linux follows.
const LINKS: usize = 40;

/// Where a call looks or writes. A name is as the model wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// In the project, in a directory beside it that the user named, or nowhere: the tool has no path.
    Inside,
    /// There, but among what decides over the agent.
    Guarded(&'a str),
    /// Elsewhere.
    Outside(&'a str),
}

impl<'a> Place<'a> {
    /// Where `call` looks or writes.
    pub(super) fn of(call: &'a Call, desk: &Desk<'_>, directories: &[PathBuf]) -> Self {
        let Some(name) = ["file_path", "path"].iter().find_map(|key| tool::text(call, key)) else {
            return Self::Inside;
        };
        let roots = std::iter::once(desk.project).chain(directories.iter().map(PathBuf::as_path));
        Self::find(name, desk.cwd, roots)
    }

    fn find<'r>(name: &'a str, cwd: &Path, roots: impl Iterator<Item = &'r Path>) -> Self {
        let Some(path) = real(&cwd.join(name)) else { return Self::Outside(name) };
        let mut inside = roots.filter_map(real).filter_map(|root| path.strip_prefix(root).ok());
        let Some(below) = inside.next() else { return Self::Outside(name) };
        let decides = |part: Component<'_>| {
            // Some file systems take the letters' case for the same.
            GUARDED.iter().any(|it| part.as_os_str().eq_ignore_ascii_case(it))
        };
        if below.components().any(decides) { Self::Guarded(name) } else { Self::Inside }
    }

    /// Whether it is in the project.
    pub(super) const fn is_inside(self) -> bool {
        !matches!(self, Self::Outside(_))
    }

    /// What makes a write there dangerous, whoever consents.
    pub(super) fn danger(self) -> Option<String> {
        match self {
            Self::Inside => None,
            Self::Guarded(name) => Some(format!("`{name}` decides over the agent itself")),
            Self::Outside(name) => Some(format!("`{name}` is outside the project")),
        }
    }
}

/// The path to which `path` leads, whether or not there is anything yet: a link that dangles is a way to write elsewhere.
/// `None` where links lead in a circle.
fn real(path: &Path) -> Option<PathBuf> {
    let parts = |path: &Path| path.components().map(own).collect::<VecDeque<_>>();
    let (mut left, mut found, mut links) = (parts(path), PathBuf::new(), 0);
    while let Some(part) = left.pop_front() {
        match Path::new(&part).components().next() {
            Some(Component::Normal(name)) => found.push(name),
            Some(Component::ParentDir) => drop(found.pop()),
            Some(Component::CurDir) | None => {}
            Some(root) => found.push(root),
        }
        if let Ok(target) = found.read_link() {
            links += 1;
            if links > LINKS {
                return None;
            }
            found.pop();
            left = parts(&target).into_iter().chain(left).collect();
        }
    }
    Some(found)
}

fn own(part: Component<'_>) -> OsString {
    part.as_os_str().to_owned()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A project with a link to what is outside, a dangling one, and a circle.
    fn ground() -> tempfile::TempDir {
        let ground = tempfile::tempdir().unwrap();
        let at = |name: &str| ground.path().join(name);
        std::fs::create_dir_all(at("project/src")).unwrap();
        std::fs::create_dir_all(at("project/.git/hooks")).unwrap();
        std::fs::create_dir(at("elsewhere")).unwrap();
        symlink(at("elsewhere"), at("project/out")).unwrap();
        symlink("../elsewhere/new", at("project/dangling")).unwrap();
        symlink("circle", at("project/circle")).unwrap();
        symlink("src", at("project/also")).unwrap();
        symlink("../.git/hooks/pre-commit", at("project/src/innocent")).unwrap();
        symlink(at("project"), at("linked")).unwrap();
        ground
    }

    fn find<'a>(ground: &Path, name: &'a str) -> Place<'a> {
        // The project is known by a path that is itself a link.
        let project = ground.join("linked");
        Place::find(name, &ground.join("project"), std::iter::once(project.as_path()))
    }

    #[test]
    fn links_are_followed_before_a_place_is_judged() {
        let ground = ground();
        for name in
            ["src/a.rs", "also/a.rs", "new/deep/a.rs", ".", "./src/../src/a", "out/../project/a"]
        {
            assert_eq!(find(ground.path(), name), Place::Inside, "{name}");
        }
        for name in
            ["..", "../project2/a", "out/a", "out/../a", "dangling", "circle/a", "/etc/passwd"]
        {
            assert_eq!(find(ground.path(), name), Place::Outside(name), "{name}");
        }
        for name in [".git/config", ".GIT/config", "src/innocent", "src/.claude/settings.json"] {
            assert_eq!(find(ground.path(), name), Place::Guarded(name), "{name}");
        }
    }
}
