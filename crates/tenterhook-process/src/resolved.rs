//! Where does a path lead, also where nothing is there yet? Looks at links alone, and opens nothing.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// As many links as the kernel follows; more are a circle.
const MOST_LINKS: usize = 40;

/// A whole path without links and `..`, by the rules of the kernel: a link that leads to nothing leads there all the same, which is where
/// a file would be made. What the kernel follows no further stays as it is written.
#[must_use]
#[doc(hidden)]
pub fn resolved(path: &Path) -> PathBuf {
    follow(path, |_| {})
}

/// Where a path leads, and each link on the way to it, as it lies: who replaces one of them replaces what is found there.
#[must_use]
#[doc(hidden)]
pub fn way(path: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let end = follow(path, |link| all.push(link));
    all.push(end);
    all
}

/// Where a path leads; `passes` is told of each link.
fn follow(path: &Path, mut passes: impl FnMut(PathBuf)) -> PathBuf {
    let mut left: Vec<OsString> = parts(path).collect();
    let (mut out, mut links) = (PathBuf::new(), 0);
    while let Some(part) = left.pop() {
        match Path::new(&part).components().next() {
            Some(Component::ParentDir) => drop(out.pop()),
            None | Some(Component::CurDir) => {}
            Some(Component::Normal(_)) => match out.join(&part).read_link() {
                Ok(target) if links < MOST_LINKS => {
                    links += 1;
                    passes(out.join(&part));
                    left.extend(parts(&target));
                }
                _ => out.push(part),
            },
            Some(Component::RootDir | Component::Prefix(_)) => out = PathBuf::from(part),
        }
    }
    out
}

/// The parts of a path, the last one first.
fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().rev().map(|it| it.as_os_str().to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_to_where_nothing_is_yet() {
        let room = std::env::temp_dir().join(format!("tenterhook-resolved-{}", std::process::id()));
        let room = {
            std::fs::create_dir_all(room.join("real/inner")).expect("a room");
            room.canonicalize().expect("a room")
        };
        symlink(room.join("real"), room.join("whole")).expect("a link");
        symlink("real/none", room.join("dangling")).expect("a link");
        symlink("around", room.join("around")).expect("a link");
        for (path, leads) in [
            ("real/inner", "real/inner"),
            ("whole/inner/../new", "real/new"),
            ("dangling/file", "real/none/file"),
            ("none/../real", "real"),
            ("around", "around"),
        ] {
            assert_eq!(resolved(&room.join(path)), room.join(leads), "{path}");
        }
        assert_eq!(resolved(Path::new("/../..")), Path::new("/"));
        symlink("../../dangling", room.join("real/inner/deep")).expect("a link");
        let links = ["whole", "real/inner/deep", "dangling", "real/none"];
        assert_eq!(way(&room.join("whole/inner/deep")), links.map(|it| room.join(it)));
        std::fs::remove_dir_all(room).expect("a room");
    }
}
