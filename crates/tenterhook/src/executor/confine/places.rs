//! Where does a path lie, once its links are followed? What is granted is compared by that, and not by how it is written.

use std::path::{Path, PathBuf};

use tenterhook_process::resolved;

/// The home, as it is called and as it lies.
pub(super) struct Home {
    names: Vec<PathBuf>,
}

impl Home {
    pub(super) fn of(home: &Path) -> Self {
        Self { names: names(home) }
    }

    /// Whether `path` is neither the home nor around it, whatever it is called.
    pub(super) fn is_beside(&self, path: &Path) -> bool {
        let is_around = |it: &PathBuf| self.names.iter().any(|home| home.starts_with(it));
        path.is_absolute() && !names(path).iter().any(is_around)
    }
}

/// Where `path` really lies, where that is `directory` or below it.
pub(super) fn within(directory: &Path, path: &Path) -> Option<PathBuf> {
    let real = resolved(path);
    (directory.is_absolute() && real.starts_with(resolved(directory))).then_some(real)
}

/// How a path is called, and where it lies.
fn names(path: &Path) -> Vec<PathBuf> {
    let mut names = vec![path.to_path_buf(), resolved(path)];
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    ///
    #[cfg(unix)]
    #[test]
    fn a_path_is_where_it_leads() {
        use std::os::unix::fs::symlink;

        let room = tempfile::tempdir().expect("a room");
        let at = |name: &str| room.path().join(name);
        fs::create_dir_all(at("home/w")).expect("a room");
        fs::create_dir_all(at("home/project/out")).expect("a room");
        symlink(at("home"), at("link")).expect("a room");
        symlink(at("home"), at("home/project/out/home")).expect("a room");
        for home in ["home", "link", "home/project/.."] {
            let home = Home::of(&at(home));
            for (path, beside) in [
                ("home", false),
                ("link", false),
                ("home/w/..", false),
                ("home/w", true),
                ("", false),
            ] {
                assert_eq!(home.is_beside(&at(path)), beside, "{path}");
            }
        }
        assert!(!Home::of(&at("home")).is_beside(Path::new("home")));
        let within = |path: &str| within(&at("link/project"), &at(path)).is_some();
        for (path, inside) in [
            ("home/project/out", true),
            ("link/project/new/file", true),
            ("home/project/out/home", false),
            ("home/project/out/home/w", false),
            ("home/project/new/../../x", false),
            ("home", false),
        ] {
            assert_eq!(within(path), inside, "{path}");
        }
    }
}
