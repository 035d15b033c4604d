//! Where does a path lie, once its links are followed? What is granted is compared by that, and not by how it is written.

use std::path::{Path, PathBuf};

use tenterhook_process::{Links, resolved};

/// Where paths lead, each place looked at once: what is compared is what is granted, whatever somebody changes meanwhile.
pub(super) struct Ways {
    links: Links,
    /// The home, as it is called and as it lies.
    home: [PathBuf; 2],
    /// Where the project lies.
    project: PathBuf,
    /// Places in which somebody else makes links: whoever brings the project, and whoever may change what a grant names.
    shared: Vec<PathBuf>,
}

impl Ways {
    pub(super) fn of(home: &Path, project: &Path) -> Self {
        let mut links = Links::default();
        let home = [home.to_path_buf(), links.end(home)];
        let project = links.end(project);
        Self { links, home, shared: vec![project.clone()], project }
    }

    /// Lets no link in these places lead out of them.
    pub(super) fn share<'p>(&mut self, places: impl IntoIterator<Item = &'p PathBuf>) {
        let links = &mut self.links;
        self.shared.extend(places.into_iter().map(|path| links.end(path)));
    }

    /// Whether `path` is neither the home nor around it, whatever it is called.
    pub(super) fn is_beside_home(&mut self, path: &Path) -> bool {
        let names = [path.to_path_buf(), self.links.end(path)];
        let is_around = |path: &PathBuf| self.home.iter().any(|home| home.starts_with(path));
        path.is_absolute() && !names.iter().any(is_around)
    }

    /// Where the project lies.
    pub(super) fn project(&self) -> &Path {
        &self.project
    }

    /// Where `path` lies, where that is the project or below it.
    pub(super) fn within_project(&mut self, path: &Path) -> Option<PathBuf> {
        let end = self.links.end(path);
        (self.project.is_absolute() && end.starts_with(&self.project)).then_some(end)
    }

    /// Where `path` leads; nothing where a link in a shared place leads it out of that.
    pub(super) fn led(&mut self, path: &Path) -> Option<PathBuf> {
        let mut links = self.links.way(path);
        let end = links.pop()?;
        let leads_out = |place: &PathBuf| {
            !end.starts_with(place) && links.iter().any(|link| link.starts_with(place))
        };
        let is_out = self.shared.iter().any(leads_out);
        (!is_out).then_some(end)
    }
}

/// Where `path` really lies, where that is `directory` or below it.
pub(super) fn within(directory: &Path, path: &Path) -> Option<PathBuf> {
    let real = resolved(path);
    (directory.is_absolute() && real.starts_with(resolved(directory))).then_some(real)
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
            let mut home = Ways::of(&at(home), &at("none"));
            for (path, beside) in [
                ("home", false),
                ("link", false),
                ("home/w/..", false),
                ("home/w", true),
                ("", false),
            ] {
                assert_eq!(home.is_beside_home(&at(path)), beside, "{path}");
            }
        }
        assert!(!Ways::of(&at("home"), &at("none")).is_beside_home(Path::new("home")));
        symlink("data", at("renamed")).expect("a room");
        symlink("../../home/w", at("home/project/w")).expect("a room");
        symlink("out", at("home/project/inner")).expect("a room");
        let mut ways = Ways::of(&at("home"), &at("link/project"));
        ways.share([&at("none")]);
        for (path, leads_out) in [
            ("home/project/out/home", true),
            ("link/project/w/file", true),
            ("home/project/inner", false),
            ("home/project/out", false),
            ("link", false),
            ("renamed", false),
            ("home/project/../w", false),
        ] {
            assert_eq!(ways.led(&at(path)).is_none(), leads_out, "{path}");
        }
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
