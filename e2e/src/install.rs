//! `cargo e2e install`: does what `cargo xtask dist` makes run where there is no Rust? Installs the tarball, the npm package
//! and the wheel, each in a file system that holds nothing but what it needs, and plays `check`, `fire` and `demo` there.
//! Packs the program that is built already, with the libraries that it asks for; `TENTERHOOK_DIST=1` builds the
//! released one, and `cargo e2e install DIR` takes released packages that lie in a folder.

mod root;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Report, tree};
use root::{Ran, Root, Way};

/// How a package is installed, and where its program is then.
struct Package {
    name: &'static str,
    /// Fills its file system.
    furnish: fn(&Root) -> Result<(), String>,
    /// The endings of its artefacts.
    artefacts: &'static [&'static str],
    install: &'static str,
    program: &'static str,
    /// Command lines that are tried after the installation, each with its exit code and a part of its output.
    tried: &'static [(&'static str, i32, &'static str)],
}

const PACKAGES: &[Package] = &[
    Package {
        name: "tarball",
        furnish: |root| root.programs(UNPACK),
        artefacts: &[".tar.gz", "SHA256SUMS", "install.sh"],
        install: "sh /dist/install.sh --target $TARGET --to /opt/bin",
        program: "/opt/bin/tenterhook",
        tried: INSTALLER,
    },
    Package {
        name: "npm package",
        furnish: Root::node,
        artefacts: &[".tgz"],
        install: "cd /opt && npm install --offline --no-audit --no-fund --ignore-scripts /dist/*.tgz",
        program: "npx --offline --prefix /opt tenterhook",
        tried: &[],
    },
    Package {
        name: "wheel",
        furnish: Root::python,
        artefacts: &[".whl"],
        install: "python3 -m venv --without-pip /opt/venv &&
            python3 -m pip --python /opt/venv/bin/python install --no-index --quiet /dist/*.whl",
        program: "/opt/venv/bin/tenterhook",
        tried: &[],
    },
];

/// What the installer asks of a system.
const UNPACK: &[&str] = &[
    "chmod",
    "cp",
    "dirname",
    "grep",
    "gzip",
    "head",
    "mkdir",
    "mktemp",
    "mv",
    "rm",
    "sha256sum",
    "tar",
    "uname",
];

/// Downloads that fail. The installed program must go on working.
const INSTALLER: &[(&str, i32, &str)] = &[
    ("sh /dist/install.sh --target $TARGET --to /opt/bin", 0, "in the place of the one that was there"),
    ("sh /dist/install.sh --target pdp11-unknown-unix --to /opt/bin", 1, "has no build for pdp11"),
    ("sh /dist/install.sh --from /nowhere --target $TARGET --to /opt/bin", 1, "cannot be fetched from `/nowhere`"),
    ("sh /dist/install.sh --to", 1, "`--to` needs a value"),
    ("sh /dist/install.sh --too /opt/bin", 1, "`--too` is not an option"),
    ("sh /dist/install.sh --target $TARGET --to /dist/install.sh/bin", 1, "cannot be made"),
    (
        "mkdir /cut && cp /dist/SHA256SUMS /cut/ && cd /dist && for it in *.tar.gz; do head -c 1000 $it > /cut/$it; done
            sh /dist/install.sh --from /cut --target $TARGET --to /opt/bin",
        1,
        "is not the one in SHA256SUMS; nothing was installed",
    ),
    ("/opt/bin/tenterhook --version && ls -A /opt/bin", 0, "tenterhook"),
    // No half of a program is left beside it.
    ("set -- $(ls -A /opt/bin); echo $#:$1", 0, "1:tenterhook"),
];

/// What the hooks of the demo call, and what this suite does.
const EVERYWHERE: &[&str] = &["sh", "cat", "date", "env", "ls", "mkdir"];

/// A command line behind the program, the code with which it must end, and what it must say.
const PLAYS: &[(&str, i32, &str)] = &[
    ("--version", 0, "tenterhook"),
    ("check", 0, "nothing was checked"),
    ("init", 0, "wrote tenterhook.toml"),
    ("check", 0, "no findings in 1 file"),
    ("fire Bash 'git push --force'", 2, "BLOCKED"),
    ("fire Bash 'git status'", 0, "proceed"),
    ("test", 0, "4 cases passed"),
    ("demo", 0, "BLOCKED"),
];

pub(crate) fn run(args: &[&str]) -> Report {
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (dist, target) = match args {
        [made] => (PathBuf::from(made), released()),
        _ => {
            let dist = scratch.path().join("dist");
            let target = pack(&dist)?;
            (dist, target)
        }
    };
    let mut said = format!("packages for {target}\n");
    let Some(way) = Way::find()? else {
        said.push_str("SKIPPED  no clean root can be entered: neither `chroot` nor user namespaces are allowed here\n");
        return Ok((said, true));
    };
    let _ = writeln!(said, "entered by {}", way.name());
    let mut holds = true;
    if is_static(&target) {
        let lone = alone(&scratch.path().join("alone"), &dist, way);
        holds &= lone.is_ok();
        let _ = writeln!(said, "{}", line("the program alone", lone));
    }
    for package in PACKAGES {
        let folder = scratch.path().join(package.name.replace(' ', "-"));
        let played = play(package, &folder, &dist, &target, way);
        holds &= played.is_ok();
        let _ = writeln!(said, "{}", line(package.name, played));
    }
    Ok((said, holds))
}

fn line(name: &str, played: Result<String, String>) -> String {
    match played {
        Ok(how) => format!("ok      {name}: {how}"),
        Err(why) => format!("FAILED  {name}\n{why}"),
    }
}

/// Makes the packages, and says for which target.
#[expect(clippy::disallowed_methods, reason = "set by the user of this suite")]
fn pack(dist: &Path) -> Result<String, String> {
    let builds = std::env::var_os("TENTERHOOK_DIST").is_some();
    let root = tree::root();
    tree::build("xtask")?;
    tree::build("tenterhook-cli")?;
    let mut command = Command::new(root.join("target/debug/xtask"));
    command.arg("dist").arg("--out").arg(dist);
    let target = match builds {
        true => released(),
        false => {
            command.arg("--program").arg(root.join("target/debug/tenterhook"));
            format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
        }
    };
    command.arg(&target);
    let output = command.output().map_err(|error| format!("xtask cannot be run: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(target) } else { Err(format!("{text}`xtask dist` failed")) }
}

/// The released target of this machine.
fn released() -> String {
    format!("{}-unknown-linux-musl", std::env::consts::ARCH)
}

fn is_static(target: &str) -> bool {
    target.ends_with("-musl")
}

/// The program in a file system in which there is nothing else: no shell, no library, no `/proc`.
fn alone(folder: &Path, dist: &Path, way: Way) -> Result<String, String> {
    let root = Root::new(folder, way)?;
    root.unpack(dist)?;
    let asked = |args: &[&str]| root.run(args);
    asked(&["/tenterhook", "check"])?.must("check", 0, "nothing was checked")?;
    asked(&["/tenterhook", "init"])?.must("init", 0, "wrote tenterhook.toml")?;
    asked(&["/tenterhook", "fire", "Bash", "git push --force"])?.must("fire", 2, "BLOCKED")?;
    Ok("runs where there is no other file".to_owned())
}

fn play(
    package: &Package,
    folder: &Path,
    dist: &Path,
    target: &str,
    way: Way,
) -> Result<String, String> {
    let root = Root::new(folder, way)?;
    root.programs(EVERYWHERE)?;
    (package.furnish)(&root)?;
    if !is_static(target) {
        root.libraries_of(&tree::root().join("target/debug/tenterhook"))?;
    }
    root.deliver(dist, package.artefacts)?;
    let shell = |script: &str| root.run(&["sh", "-c", script]);
    shell("command -v cargo || command -v rustc")?.must("a look for Rust", 127, "").or_else(
        |_| shell("command -v cargo || command -v rustc")?.must("a look for Rust", 1, ""),
    )?;
    let install = package.install.replace("$TARGET", target);
    let installed = shell(&install)?;
    installed.must(package.install, 0, "")?;
    for (script, code, words) in package.tried {
        shell(&script.replace("$TARGET", target))?.must(script, *code, words)?;
    }
    for (args, code, words) in PLAYS {
        let script = format!("mkdir -p /project/.git && cd /project && {} {args}", package.program);
        shell(&script)?.must(args, *code, words)?;
    }
    Ok(format!("installed, and {} command lines behave", PLAYS.len() + package.tried.len()))
}

/// The file in a folder whose name ends so.
fn ending(folder: &Path, ending: &str) -> Result<PathBuf, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut paths = entries.flatten().map(|entry| entry.path());
    paths
        .find(|path| path.to_string_lossy().ends_with(ending))
        .ok_or_else(|| format!("{} has no `{ending}`", folder.display()))
}

impl Ran {
    fn must(&self, what: &str, code: i32, words: &str) -> Result<(), String> {
        if self.code == Some(code) && self.said.contains(words) {
            return Ok(());
        }
        Err(format!(
            "`{what}` ended with {:?} instead of {code}, or did not say `{words}`:\n{}",
            self.code, self.said
        ))
    }
}
