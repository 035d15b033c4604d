//! Resolves paths by their links. Grants are compared by real paths, not by their spelling (X-4,
//!

use std::path::{Path, PathBuf};

use tenterhook_process::internal::{Links, resolve_path};

/// Resolves paths, each one once: the path that was compared is the one that is granted, even if a
/// link changes meanwhile.
pub(super) struct PathResolver {
    links: Links,
    /// The home, as it is named and its real path.
    home: [PathBuf; 2],
    /// The real path of the project.
    project: PathBuf,
    /// Directories in which others may create links: the project's author, and hooks with write
    /// access.
    shared: Vec<PathBuf>,
}

impl PathResolver {
    pub(super) fn new(home: &Path, project: &Path) -> Self {
        let mut links = Links::default();
        let home = [home.to_path_buf(), links.resolve(home)];
        let project = links.resolve(project);
        Self { links, home, shared: vec![project.clone()], project }
    }

    /// Adds directories in which no link that leads out of them is followed.
    pub(super) fn add_directories_confining_links<'p>(
        &mut self,
        places: impl IntoIterator<Item = &'p PathBuf>,
    ) {
        let links = &mut self.links;
        self.shared.extend(places.into_iter().map(|path| links.resolve(path)));
    }

    /// Whether `path` is neither the home nor a parent of it, whatever its spelling.
    pub(super) fn is_not_home_or_parent(&mut self, path: &Path) -> bool {
        let names = [path.to_path_buf(), self.links.resolve(path)];
        let is_around = |path: &PathBuf| self.home.iter().any(|home| home.starts_with(path));
        path.is_absolute() && !names.iter().any(is_around)
    }

    /// Returns the real path of the project.
    pub(super) fn project_path(&self) -> &Path {
        &self.project
    }

    /// Returns the real path of `path`, if that is the project or below it.
    pub(super) fn resolve_if_in_project(&mut self, path: &Path) -> Option<PathBuf> {
        let end = self.links.resolve(path);
        (self.project.is_absolute() && end.starts_with(&self.project)).then_some(end)
    }

    /// Returns the real path of `path`; `None` if a link in a shared directory leads out of it.
    pub(super) fn resolve_unless_link_escapes(&mut self, path: &Path) -> Option<PathBuf> {
        let mut links = self.links.links_and_target_of(path);
        let end = links.pop()?;
        let leads_out = |place: &PathBuf| {
            !end.starts_with(place) && links.iter().any(|link| link.starts_with(place))
        };
        let is_out = self.shared.iter().any(leads_out);
        (!is_out).then_some(end)
    }
}

/// Returns the real path of `path`, if that is `directory` or below it.
pub(super) fn resolve_if_inside(directory: &Path, path: &Path) -> Option<PathBuf> {
    let real = resolve_path(path);
    (directory.is_absolute() && real.starts_with(resolve_path(directory))).then_some(real)
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

        let fixture = tempfile::tempdir().expect("a fixture");
        let at = |name: &str| fixture.path().join(name);
        fs::create_dir_all(at("home/w")).expect("a fixture");
        fs::create_dir_all(at("home/project/out")).expect("a fixture");
        symlink(at("home"), at("link")).expect("a fixture");
        symlink(at("home"), at("home/project/out/home")).expect("a fixture");
        for home in ["home", "link", "home/project/.."] {
            let mut home = PathResolver::new(&at(home), &at("none"));
            for (path, beside) in [
                ("home", false),
                ("link", false),
                ("home/w/..", false),
                ("home/w", true),
                ("", false),
            ] {
                assert_eq!(home.is_not_home_or_parent(&at(path)), beside, "{path}");
            }
        }
        assert!(
            !PathResolver::new(&at("home"), &at("none")).is_not_home_or_parent(Path::new("home"))
        );
        symlink("data", at("renamed")).expect("a fixture");
        symlink("../../home/w", at("home/project/w")).expect("a fixture");
        symlink("out", at("home/project/inner")).expect("a fixture");
        let mut resolver = PathResolver::new(&at("home"), &at("link/project"));
        resolver.add_directories_confining_links([&at("none")]);
        for (path, leads_out) in [
            ("home/project/out/home", true),
            ("link/project/w/file", true),
            ("home/project/inner", false),
            ("home/project/out", false),
            ("link", false),
            ("renamed", false),
            ("home/project/../w", false),
        ] {
            assert_eq!(
                resolver.resolve_unless_link_escapes(&at(path)).is_none(),
                leads_out,
                "{path}"
            );
        }
        let within = |path: &str| resolve_if_inside(&at("link/project"), &at(path)).is_some();
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
