//! How is a path written as seen from the project? By its letters alone: no link is followed, no file is looked at.

use std::path::Path;

use crate::event::Surroundings;
use crate::protect::{Hold, relation_of_path_to_guards};

/// The places that paths are seen from, as absolute texts; empty where the host did not say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths<'f> {
    pub(super) home: String,
    pub(super) project: String,
    pub(super) cwd: String,
    /// The reader of the files there, if there is one.
    pub(super) files: Option<&'f dyn super::disarm::Files>,
    /// Resolves links: behind one, `..` is not what its letters say. Rules go by letters alone (RU-16).
    pub(super) links: Option<&'f dyn super::disarm::Files>,
    /// Whether a line that changes its directory is followed there.
    pub(super) moves: Moves,
    /// Whether the host is a Windows: a directory that it named begins with a drive.
    pub(super) has_drives: bool,
}

/// Which `cd` of a line counts: one may fail, stand in a subshell or in a branch that is not taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Moves {
    /// Each, one after the other.
    #[default]
    Followed,
    /// The last one alone.
    FromStart,
    /// None.
    Ignored,
}

impl<'f> Paths<'f> {
    pub(crate) fn from_surroundings(within: &Surroundings) -> Self {
        let text = |path: &Path| {
            let path = path.to_string_lossy();
            normalize_drive_path(&path, false).unwrap_or_else(|| normalize_path(&path))
        };
        let cwd = text(&within.cwd);
        let project = match text(&within.project) {
            empty if empty.is_empty() => cwd.clone(),
            project => project,
        };
        let home = text(&within.home);
        let has_drives =
            [&home, &project, &cwd].iter().any(|path| normalize_drive_path(path, false).is_some());
        Self { home, project, cwd, has_drives, ..Self::default() }
    }

    /// Returns the same directories, with links resolved by `links`.
    pub(crate) fn with_link_resolution(
        self,
        links: &'f dyn super::disarm::Files,
        moves: Moves,
    ) -> Self {
        Self { links: Some(links), moves, ..self }
    }

    /// Whether `from` is a guard's file that is copied to `to`, which is not a directory; such a
    /// copy does not change the guard (SP-7).
    pub(super) fn is_harmless_copy_of_guard(&self, from: &str, to: &str, cwd: &str) -> bool {
        let is_plain = !to.ends_with('/')
            && relation_of_path_to_guards(&self.path_seen_from_project(to, cwd)) == Hold::Nothing;
        let is_file = |files: &dyn super::disarm::Files| {
            files.is_directory(&self.to_absolute(to, cwd)) == Some(false)
        };
        is_plain
            && relation_of_path_to_guards(&self.path_seen_from_project(from, cwd)) == Hold::Part
            && self.files.is_some_and(is_file)
    }

    /// Returns a path without `.`, `..` and doubled slashes.
    fn normalize_with_links(&self, path: &str) -> String {
        match self.links {
            Some(links) if path.contains("..") => resolve_parent_parts(path, links),
            _ => normalize_path(path),
        }
    }

    /// Returns `written` as an absolute path, if the base directory is known.
    pub(super) fn to_absolute(&self, written: &str, cwd: &str) -> String {
        if let Some(path) = self.has_drives.then(|| normalize_drive_path(written, true)).flatten() {
            return path;
        }
        let home = |rest: &str| match self.home.as_str() {
            "" => format!("~{rest}"),
            home => self.normalize_with_links(&format!("{home}{rest}")),
        };
        let (name, rest) = match written.strip_prefix('~').map(|rest| rest.split_once('/')) {
            Some(Some((name, _))) => {
                (Some(name), written.get(1 + name.len()..).unwrap_or_default())
            }
            Some(None) => (written.get(1..), ""),
            None => (None, ""),
        };
        match name {
            Some("") => home(rest),
            // `~+` is the working directory.
            Some("+") => self.normalize_with_links(&format!("{cwd}{rest}")),
            Some("root") => self.normalize_with_links(&format!("/root{rest}")),
            Some(name) if is_user_name(name) => {
                self.normalize_with_links(&format!("/home/{name}{rest}"))
            }
            _ if written.starts_with('/') => self.normalize_with_links(written),
            _ => self.normalize_with_links(&format!("{cwd}/{written}")),
        }
    }

    /// Returns `written` as seen from the project: relative inside it, `..` above it, `~/x` in the
    /// home directory, else absolute.
    pub(super) fn path_seen_from_project(&self, written: &str, cwd: &str) -> String {
        let path = self.to_absolute(written, cwd);
        if path == "/" || path.starts_with('~') || path.is_empty() {
            return path;
        }
        let in_project = path_below_directory(&path, &self.project);
        // Where the home is the project, or lies in it, what is in the home is called so.
        let project_is_home = path_below_directory(&self.home, &self.project).is_some();
        if let Some(rest) = in_project.filter(|_| !project_is_home) {
            return if rest.is_empty() { ".".to_owned() } else { rest.to_owned() };
        }
        match path_below_directory(&path, &self.home) {
            Some("") => return "~".to_owned(),
            Some(rest) if path_below_directory(&self.project, &path).is_none() => {
                return format!("~/{rest}");
            }
            _ => {}
        }
        if path_below_directory(&self.project, &path).is_some() { "..".to_owned() } else { path }
    }
}

/// Whether `~name` may stand for a user's home directory: `name` has only characters of user names.
fn is_user_name(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_')
}

/// Returns the rest of `path` below the directory `top`.
pub(super) fn path_below_directory<'a>(path: &'a str, top: &str) -> Option<&'a str> {
    if top.is_empty() {
        return None;
    }
    let top = top.trim_end_matches('/');
    let is_below = |start: &str| match normalize_drive_path(top, false) {
        // Windows compares names without case.
        Some(_) => start.eq_ignore_ascii_case(top),
        None => start == top,
    };
    let (_, rest) = path.split_at_checked(top.len()).filter(|(start, _)| is_below(start))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// Normalizes a path, with each `..` taken from the target of the links before it.
fn resolve_parent_parts(path: &str, links: &dyn super::disarm::Files) -> String {
    let mut found = String::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                let real = links.resolve_links(&found).unwrap_or(found);
                let real = normalize_path(&real);
                found =
                    real.rsplit_once('/').map(|(parent, _)| parent.to_owned()).unwrap_or_default();
            }
            part => {
                found.push('/');
                found.push_str(part);
            }
        }
    }
    if found.is_empty() { "/".to_owned() } else { found }
}

/// Returns the common form of a Windows path that begins with a drive, as `c:/a/b`. With
/// `is_shell`, also for `/c/a/b`, as Git Bash writes it. `None` for other paths.
fn normalize_drive_path(path: &str, is_shell: bool) -> Option<String> {
    let rest = path.strip_prefix(r"\\?\").unwrap_or(path);
    let mut chars = rest.chars();
    let (drive, rest) = match (chars.next()?, chars.next()) {
        (drive, Some(':')) => (drive, chars.as_str()),
        ('/', drive) if is_shell => (drive?, chars.as_str()),
        _ => return None,
    };
    let is_root = rest.starts_with(['/', '\\']) || (rest.is_empty() && is_shell);
    let is_drive = drive.is_ascii_alphabetic() && is_root;
    is_drive.then(|| {
        let rest = normalize_path(&format!("/{}", rest.replace('\\', "/")));
        format!("{}:{rest}", drive.to_ascii_lowercase())
    })
}

/// Returns a path without `.`, `..` and doubled slashes.
pub(crate) fn normalize_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    match (path.starts_with('/'), parts.is_empty()) {
        (true, _) => format!("/{}", parts.join("/")),
        (false, true) => String::new(),
        (false, false) => parts.join("/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_seen_from_the_project() {
        let paths = Paths {
            home: "/home/u".to_owned(),
            project: "/home/u/code/app".to_owned(),
            cwd: "/home/u/code/app/src".to_owned(),
            ..Paths::default()
        };
        for (written, seen) in [
            ("a.rs", "src/a.rs"),
            ("..", "."),
            ("../..", ".."),
            ("../../..", "~"),
            ("~", "~"),
            ("~/.ssh/./id_rsa", "~/.ssh/id_rsa"),
            ("~root", "/root"),
            ("~root/.config", "/root/.config"),
            ("~u/.config", "~/.config"),
            ("~+/a.rs", "src/a.rs"),
            ("~u", "~"),
            ("~$lock.docx", "src/~$lock.docx"),
            ("/home/u/code", ".."),
            ("/home/u/code/other", "~/code/other"),
            ("/home", ".."),
            ("/", "/"),
            ("//etc//x", "/etc/x"),
            ("/../..", "/"),
        ] {
            assert_eq!(paths.path_seen_from_project(written, &paths.cwd), seen, "{written}");
        }
    }

    /// HO-31.
    #[test]
    fn a_path_of_windows_is_one_path_however_it_is_written() {
        let at = |path: &str| std::path::PathBuf::from(path);
        let mut within = Surroundings::at(at(r"C:\code\app"));
        within.home = at(r"C:\Users\me");
        within.project = at(r"C:\code\app");
        let paths = Paths::from_surroundings(&within);
        for (written, seen) in [
            (r"C:\Users\me\.claude\settings.json", "~/.claude/settings.json"),
            ("c:/Users/me/.claude/settings.json", "~/.claude/settings.json"),
            ("c:/users/ME/.claude/settings.json", "~/.claude/settings.json"),
            ("/c/Users/me/.claude/settings.json", "~/.claude/settings.json"),
            (r"\\?\C:\Users\me\.claude\settings.json", "~/.claude/settings.json"),
            (r"C:\code\app\src\..\a.rs", "a.rs"),
            ("a.rs", "a.rs"),
            ("~/.claude", "~/.claude"),
            (r"D:\code\app\a.rs", "d:/code/app/a.rs"),
            ("/cd/a.rs", "/cd/a.rs"),
        ] {
            assert_eq!(paths.path_seen_from_project(written, &paths.cwd), seen, "{written}");
        }
        let unix = Paths { has_drives: false, cwd: "/w".to_owned(), ..Paths::default() };
        assert_eq!(unix.path_seen_from_project("/c/a", "/w"), "/c/a");
        assert_eq!(unix.path_seen_from_project("C:/a", "/w"), "/w/C:/a");
    }

    #[test]
    fn a_home_that_is_the_project_is_the_home() {
        let paths = Paths {
            home: "/root".to_owned(),
            project: "/root".to_owned(),
            cwd: "/root".to_owned(),
            ..Paths::default()
        };
        assert_eq!(paths.path_seen_from_project(".bashrc", "/root"), "~/.bashrc");
        assert_eq!(paths.path_seen_from_project(".", "/root"), "~");
    }
}
