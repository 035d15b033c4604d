//! Where does a path lead, also where nothing is there yet? Looks at links alone, and opens nothing.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// As many links as the kernel follows; more are a circle.
const MOST_LINKS: usize = 40;

/// Resolves links and `..` in an absolute path by the rules of the kernel. A link without a target
/// leads to the path where a file would be created. What the kernel does not follow stays as
/// written.
#[must_use]
pub fn resolve_path(path: &Path) -> PathBuf {
    Links::default().resolve(path)
}

/// Returns each link on the way to a path, and at the end where the path leads. Replacing one of
/// these links changes what the path finds.
#[must_use]
pub fn resolve_path_and_links(path: &Path) -> Vec<PathBuf> {
    Links::default().links_and_target_of(path)
}

/// What a path begins with: on Windows a drive or a share, and everywhere the root. A root without a drive, as in a link to `\x`, is that of the
/// drive before it.
#[derive(Default)]
struct Start {
    prefix: OsString,
}

impl Start {
    /// Stores the prefix of a path, such as a drive, and returns it as a path.
    fn begin_with_prefix(&mut self, part: OsString) -> PathBuf {
        self.prefix = part;
        PathBuf::from(&self.prefix)
    }

    fn root_path_after_prefix(&self, part: OsString) -> PathBuf {
        let mut start = self.prefix.clone();
        start.push(part);
        PathBuf::from(start)
    }
}

/// What lies at a path.
enum Lies {
    /// A link, and where it leads.
    Link(PathBuf),
    /// Something else, or a path without permission to look at it.
    Other,
    /// Nothing, so that nothing lies below it.
    Nothing,
}

/// The links among many paths, each place looked at once: paths share the ways to them, and whatever is changed meanwhile, all are of one moment.
#[derive(Default)]
#[expect(missing_debug_implementations, reason = "it is a memory, and internal")]
pub struct Links {
    seen: HashMap<OsString, Lies>,
}

impl Links {
    /// Returns each link on the way to a path, and at the end where the path leads (see
    /// [`resolve_path_and_links`]).
    #[must_use]
    pub fn links_and_target_of(&mut self, path: &Path) -> Vec<PathBuf> {
        let mut all = Vec::new();
        let end = self.follow_links(path, |link| all.push(link));
        all.push(end);
        all
    }

    /// Returns where a path leads.
    #[must_use]
    pub fn resolve(&mut self, path: &Path) -> PathBuf {
        self.follow_links(path, |_| {})
    }

    /// Returns where a path leads, and calls `passes` for each link on the way.
    fn follow_links(&mut self, path: &Path, mut passes: impl FnMut(PathBuf)) -> PathBuf {
        let mut left: Vec<OsString> = reversed_parts(path).collect();
        let (mut out, mut links, mut start) = (PathBuf::new(), 0, Start::default());
        while let Some(part) = left.pop() {
            match Path::new(&part).components().next() {
                Some(Component::ParentDir) => drop(out.pop()),
                None | Some(Component::CurDir) => {}
                Some(Component::Normal(_)) => {
                    out.push(part);
                    match self.look_up_cached(&out) {
                        Lies::Link(target) if links < MOST_LINKS => {
                            links += 1;
                            left.extend(reversed_parts(target));
                            passes(out.clone());
                            out.pop();
                        }
                        _ => {}
                    }
                }
                Some(Component::RootDir) => out = start.root_path_after_prefix(part),
                Some(Component::Prefix(_)) => out = start.begin_with_prefix(part),
            }
        }
        out
    }

    fn look_up_cached(&mut self, path: &Path) -> &Lies {
        let is_below_nothing = || {
            let parent = path.parent().and_then(|parent| self.seen.get(parent.as_os_str()));
            matches!(parent, Some(Lies::Nothing))
        };
        if !self.seen.contains_key(path.as_os_str()) {
            let lies =
                if is_below_nothing() { Lies::Nothing } else { look_up_directory_entry(path) };
            self.seen.insert(path.as_os_str().to_owned(), lies);
        }
        self.seen.get(path.as_os_str()).unwrap_or(&Lies::Other)
    }
}

fn look_up_directory_entry(path: &Path) -> Lies {
    match path.read_link() {
        Ok(target) => Lies::Link(target),
        Err(error) if error.kind() == ErrorKind::NotFound => Lies::Nothing,
        Err(_) => Lies::Other,
    }
}

/// Returns the parts of a path, the last one first.
fn reversed_parts(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().rev().map(|component| component.as_os_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HO-21: the parts of paths of Windows, one after the other, as `Path::components` has them there.
    #[test]
    fn drive_of_a_path_is_kept() {
        for (parts, expected) in [
            (&["C:", "\\"][..], "C:\\"),
            (&["\\\\server\\share", "\\"], "\\\\server\\share\\"),
            (&["\\\\?\\C:", "\\"], "\\\\?\\C:\\"),
            // A link on `D:` that leads to a place on `C:`, and one that leads to the root of `D:`.
            (&["D:", "\\", "C:", "\\"], "C:\\"),
            (&["D:", "\\", "\\"], "D:\\"),
            (&["/"], "/"),
            (&["/", "/"], "/"),
        ] {
            let mut start = Start::default();
            let mut end = PathBuf::new();
            for part in parts {
                end = match part.trim_matches('\\').trim_matches('/') {
                    "" => start.root_path_after_prefix(part.into()),
                    _ => start.begin_with_prefix(part.into()),
                };
            }
            assert_eq!(end, Path::new(expected), "{parts:?}");
        }
    }

    /// HO-21: the same by the paths of the system.
    #[cfg(windows)]
    #[test]
    fn path_of_windows_leads_to_its_own_drive() {
        for (path, leads) in [
            (r"C:\none\a\..\b", r"C:\none\b"),
            (r"\\?\C:\none\b", r"\\?\C:\none\b"),
            (r"\\server\share\b", r"\\server\share\b"),
        ] {
            assert_eq!(resolved(Path::new(path)), Path::new(leads), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_to_where_nothing_is_yet() {
        use std::os::unix::fs::symlink;
        // The number of a process comes again, and so would what an aborted run left.
        let age = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a clock").as_nanos();
        let name = format!("tenterhook-resolved-{}-{age}", std::process::id());
        let fixture = std::env::temp_dir().join(name);
        let fixture = {
            std::fs::create_dir_all(fixture.join("real/inner")).expect("a fixture");
            fixture.canonicalize().expect("a fixture")
        };
        symlink(fixture.join("real"), fixture.join("whole")).expect("a link");
        symlink("real/none", fixture.join("dangling")).expect("a link");
        symlink("around", fixture.join("around")).expect("a link");
        for (path, leads) in [
            ("real/inner", "real/inner"),
            ("whole/inner/../new", "real/new"),
            ("dangling/file", "real/none/file"),
            ("none/../real", "real"),
            ("around", "around"),
        ] {
            assert_eq!(resolve_path(&fixture.join(path)), fixture.join(leads), "{path}");
        }
        assert_eq!(resolve_path(Path::new("/../..")), Path::new("/"));
        symlink("../../dangling", fixture.join("real/inner/deep")).expect("a link");
        let links = ["whole", "real/inner/deep", "dangling", "real/none"];
        let mut way = Links::default();
        for _ in ["looked at", "remembered"] {
            let found = way.links_and_target_of(&fixture.join("whole/inner/deep"));
            assert_eq!(found, links.map(|link| fixture.join(link)));
        }
        std::fs::remove_dir_all(fixture).expect("a fixture");
    }
}
