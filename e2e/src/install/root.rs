//! A separate file system: the files that were put into it and no others, and how a program is run in it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How a file system of one's own is entered.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// With the system's devices and processes bound into it, in a user namespace.
    Namespace,
    /// The same as root.
    Mounts,
    /// Without them, as root.
    Chroot,
}

/// What was run in it.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) code: Option<i32>,
    pub(super) said: String,
}

/// A folder that is the whole file system of what runs in it.
#[derive(Debug)]
pub(super) struct Root {
    folder: PathBuf,
    way: Way,
}

const BIND: &str =
    "mount --rbind /dev \"$0/dev\" && mount --rbind /proc \"$0/proc\" && exec chroot \"$0\" \"$@\"";

impl Way {
    const ALL: [Self; 3] = [Self::Namespace, Self::Mounts, Self::Chroot];

    /// One that works here.
    pub(super) fn find() -> Result<Option<Self>, String> {
        let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
        for (at, way) in Self::ALL.into_iter().enumerate() {
            let root = Root::new(&scratch.path().join(at.to_string()), way)?;
            root.programs(&["sh"])?;
            if root.run(&["sh", "-c", ":"]).is_ok_and(|ran| ran.code == Some(0)) {
                return Ok(Some(way));
            }
        }
        Ok(None)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Namespace => "a user namespace",
            Self::Mounts => "a mount namespace, as root",
            Self::Chroot => "`chroot` alone, as root: without /dev and /proc",
        }
    }

    fn command(self, folder: &Path) -> Command {
        let bind = |words: &[&str]| {
            let mut command = Command::new("unshare");
            command.args(words).args(["sh", "-c", BIND]);
            command
        };
        let mut command = match self {
            Self::Namespace => bind(&["--user", "--map-root-user", "--mount"]),
            Self::Mounts => bind(&["--mount"]),
            Self::Chroot => Command::new("chroot"),
        };
        command.arg(folder);
        command
    }
}

impl Root {
    /// An empty one, with the folders that every system has.
    pub(super) fn new(folder: &Path, way: Way) -> Result<Self, String> {
        let root = Self { folder: folder.to_owned(), way };
        for made in ["bin", "dev", "proc", "tmp", "root", "opt", "dist"] {
            std::fs::create_dir_all(folder.join(made)).map_err(|error| error.to_string())?;
        }
        std::fs::create_dir_all(folder.join("usr"))
            // Never an absolute link: from outside, that would lead out of the folder.
            .and_then(|()| std::os::unix::fs::symlink("../bin", folder.join("usr/bin")))
            .map_err(|error| error.to_string())?;
        Ok(root)
    }

    /// Runs a program in it, with nothing of this environment.
    pub(super) fn run(&self, words: &[&str]) -> Result<Ran, String> {
        let mut command = self.way.command(&self.folder);
        let path = command.get_program().to_owned();
        let output = command
            .args(words)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
            .env("HOME", "/root")
            .env("LC_ALL", "C.UTF-8")
            .output()
            .map_err(|error| format!("{} cannot be run: {error}", path.to_string_lossy()))?;
        let said = [output.stdout, output.stderr].concat();
        Ok(Ran { code: output.status.code(), said: String::from_utf8_lossy(&said).into_owned() })
    }

    /// Puts these programs into it, with the libraries that they need.
    pub(super) fn programs(&self, names: &[&str]) -> Result<(), String> {
        for name in names {
            let path = found(name)?;
            self.put(&path, &format!("bin/{name}"))?;
            self.libraries_of(&path)?;
        }
        Ok(())
    }

    /// Node, and npm as it lies on this machine.
    pub(super) fn node(&self) -> Result<(), String> {
        self.programs(&["node", "env"])?;
        let npm = found("npm")?;
        let modules = npm.ancestors().find(|ancestor| {
            ancestor.file_name().is_some_and(|name| name == "node_modules" || name == "nodejs")
        });
        let modules = modules.ok_or("the modules of npm are not where they usually lie")?;
        self.folder(modules)?;
        let folder = npm.parent().unwrap_or(Path::new("/"));
        for name in ["npm", "npx"] {
            self.link(&folder.join(format!("{name}-cli.js")), name)?;
        }
        Ok(())
    }

    /// Python with its library and pip, where they lie on this machine.
    pub(super) fn python(&self) -> Result<(), String> {
        let places = "import os, pip, sys, sysconfig; p = sysconfig.get_paths(); \
             print(os.path.realpath(sys.executable), p['stdlib'], pip.__path__[0], sep='\\n')";
        let output = Command::new("python3").args(["-c", places]).output();
        let output = output.map_err(|error| format!("python3 cannot be run: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let [program, library, pip] = text.lines().collect::<Vec<_>>()[..] else {
            return Err("python3 has no pip".to_owned());
        };
        self.put(Path::new(program), program.trim_start_matches('/'))?;
        self.link(Path::new(program), "python3")?;
        self.libraries_of(Path::new(program))?;
        self.folder(Path::new(library))?;
        self.folder(Path::new(pip))?;
        let modules = Path::new(library).join("lib-dynload");
        for module in std::fs::read_dir(modules).map_err(|error| error.to_string())?.flatten() {
            self.libraries_of(&module.path())?;
        }
        Ok(())
    }

    /// Puts the libraries into it that a program asks for, where it looks for them. A static one asks for none.
    pub(super) fn libraries_of(&self, program: &Path) -> Result<(), String> {
        let output = Command::new("ldd").arg(program).output();
        let output = output.map_err(|error| format!("ldd cannot be run: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let paths =
            text.split_whitespace().filter(|word| word.starts_with('/') && !word.ends_with(':'));
        for path in paths.collect::<BTreeSet<_>>() {
            self.put(Path::new(path), path.trim_start_matches('/'))?;
        }
        Ok(())
    }

    /// Puts what was delivered into it, as far as its names end so.
    pub(super) fn deliver(&self, dist: &Path, endings: &[&str]) -> Result<(), String> {
        for entry in std::fs::read_dir(dist).map_err(|error| error.to_string())?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if endings.iter().any(|ending| name.ends_with(ending)) {
                self.put(&entry.path(), &format!("dist/{name}"))?;
            }
        }
        Ok(())
    }

    /// Puts the program of the tarball into it, and nothing else.
    pub(super) fn unpack(&self, dist: &Path) -> Result<(), String> {
        let tarball = super::ending(dist, ".tar.gz")?;
        let status = Command::new("tar")
            .args(["--strip-components=1", "--wildcards", "-xzf"])
            .arg(tarball)
            .arg("-C")
            .arg(&self.folder)
            .arg("*/tenterhook")
            .status()
            .map_err(|error| format!("tar cannot be run: {error}"))?;
        if status.success() { Ok(()) } else { Err("the tarball cannot be unpacked".to_owned()) }
    }

    fn put(&self, from: &Path, to: &str) -> Result<(), String> {
        let to = self.folder.join(to);
        let failed = |error: std::io::Error| format!("{}: {error}", from.display());
        if to.exists() {
            return Ok(());
        }
        std::fs::create_dir_all(to.parent().unwrap_or(&self.folder)).map_err(failed)?;
        std::fs::copy(from, &to).map(drop).map_err(failed)
    }

    /// Puts a folder into it, at the same place.
    fn folder(&self, folder: &Path) -> Result<(), String> {
        let to = self.folder.join(folder.strip_prefix("/").unwrap_or(folder));
        std::fs::create_dir_all(&to).map_err(|error| error.to_string())?;
        let status = Command::new("cp").arg("-RL").arg(folder.join(".")).arg(&to).output();
        // A link that leads nowhere cannot be followed, and nothing is missed without it.
        status.map(drop).map_err(|error| format!("cp cannot be run: {error}"))
    }

    fn link(&self, to: &Path, name: &str) -> Result<(), String> {
        let link = self.folder.join("bin").join(name);
        std::os::unix::fs::symlink(to, &link).map_err(|error| format!("{name}: {error}"))
    }
}

/// Where a program lies.
#[expect(clippy::disallowed_methods, reason = "programs are looked for as a shell does")]
fn found(name: &str) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).map(|path| path.join(name)).find(|path| path.is_file());
    let found = found.ok_or_else(|| format!("`{name}` is not installed"))?;
    found.canonicalize().map_err(|error| format!("{name}: {error}"))
}
