//! `cargo xtask dist [--out DIR] [TARGET]...`: everything that somebody without Rust installs: tarballs with their checksums
//! and installer, npm packages, wheels. Publishes nothing.
//! `--program FILE` packs a program that is built already, for the target of this machine: for trying the packages.

mod archive;
mod build;
mod npm;
mod tarball;
mod targets;
mod third_party;
mod wheel;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::{Report, tree};
use archive::Entry;
use targets::{TARGETS, Target};

/// How large the program may be: what is downloaded at each `npx` and `uvx`.
const MOST: usize = 13 * 1024 * 1024;

const MIB: f64 = 1024.0 * 1024.0;

/// The file with the checksums; also how a folder is known to be one that this wrote.
const SUMS: &str = "SHA256SUMS";

/// What was asked for.
#[derive(Debug, Default)]
struct Asked<'a> {
    out: Option<&'a str>,
    program: Option<&'a str>,
    targets: Vec<&'static Target>,
}

/// What every package says of itself.
#[derive(Debug)]
pub(crate) struct About {
    version: &'static str,
    license: &'static str,
    repository: &'static str,
    description: String,
}

/// What goes into the packages of one target.
#[derive(Debug)]
pub(crate) struct Program {
    target: &'static Target,
    bytes: Vec<u8>,
    /// Licences, ours and those of what is compiled in.
    licences: Vec<Entry>,
}

/// One file that is delivered.
pub(crate) type Artefact = (String, Vec<u8>);

pub(crate) fn run(args: &[&str]) -> Report {
    let asked = read(args)?;
    let out = asked.out.map_or_else(|| tree::root().join("target/packages"), PathBuf::from);
    let about = About::read()?;
    let (mut artefacts, mut report, mut small): (Vec<Artefact>, _, _) =
        (Vec::new(), String::new(), true);
    tree::build("tenterhook-cli")?;
    for target in &asked.targets {
        let path = match asked.program {
            Some(path) => PathBuf::from(path),
            None => build::program(target)?,
        };
        let bytes = std::fs::read(&path).map_err(Error::file(&path))?;
        let fits = bytes.len() <= MOST;
        // A trial package has no size limit.
        small &= fits || asked.program.is_some();
        let size = bytes.len() as f64 / MIB;
        let _ = writeln!(report, "{}: {size:.1} MiB, {}", target.triple, target.state);
        if !fits {
            let _ = writeln!(report, "  more than {} MiB", MOST / 1024 / 1024);
        }
        let program = Program { target, bytes, licences: third_party::licences(target)? };
        artefacts.push(tarball::make(&about, &program)?);
        artefacts.push(npm::platform(&about, &program)?);
        artefacts.push(wheel::make(&about, &program)?);
    }
    artefacts.push(npm::launcher(&about)?);
    write(&out, &about, &artefacts)?;
    for (name, bytes) in &artefacts {
        let _ = writeln!(report, "  {name}  {:.1} MiB", bytes.len() as f64 / MIB);
    }
    let _ = writeln!(
        report,
        "in {}, with SHA256SUMS and install.sh; nothing is published",
        out.display()
    );
    Ok((report, small))
}

fn read<'a>(args: &[&'a str]) -> Result<Asked<'a>, Error> {
    let mut asked = Asked::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value =
            || args.next().copied().ok_or_else(|| Error::Usage(format!("`{arg}` needs a value")));
        match *arg {
            "--out" => asked.out = Some(value()?),
            "--program" => asked.program = Some(value()?),
            triple => asked.targets.push(targets::named(triple)?),
        }
    }
    if asked.targets.is_empty() {
        asked.targets = match asked.program {
            Some(_) => vec![targets::here()?],
            None => {
                TARGETS.iter().filter(|target| target.is_released() && build::can(target)).collect()
            }
        };
    }
    if asked.targets.is_empty() {
        return Err(Error::Usage(build::MISSING.to_owned()));
    }
    Ok(asked)
}

/// Writes the artefacts into a folder without other files: files of an older version would be installed by mistake.
fn write(out: &Path, about: &About, artefacts: &[Artefact]) -> Result<(), Error> {
    let failed = Error::file(out);
    if out.exists() {
        // Nothing is taken away that this did not write.
        if !out.join(SUMS).exists() && out.read_dir().map_err(&failed)?.next().is_some() {
            return Err(Error::Invalid(format!(
                "{} holds other files: name another folder",
                out.display()
            )));
        }
        std::fs::remove_dir_all(out).map_err(&failed)?;
    }
    std::fs::create_dir_all(out).map_err(&failed)?;
    let mut sums = String::new();
    for (name, bytes) in artefacts {
        std::fs::write(out.join(name), bytes).map_err(&failed)?;
        let _ = writeln!(sums, "{}  {name}", hex(&Sha256::digest(bytes)));
    }
    std::fs::write(out.join(SUMS), sums).map_err(&failed)?;
    let installer = about.fill(&text("integrations/install/install.sh")?);
    std::fs::write(out.join("install.sh"), installer).map_err(&failed)
}

impl About {
    fn read() -> Result<Self, Error> {
        let manifest = text("crates/tenterhook-cli/Cargo.toml")?;
        let description = manifest
            .lines()
            .find_map(|line| line.strip_prefix("description = \"")?.strip_suffix('"'))
            .ok_or_else(|| Error::Invalid("the command line has no description".to_owned()))?;
        Ok(Self {
            version: env!("CARGO_PKG_VERSION"),
            license: env!("CARGO_PKG_LICENSE"),
            repository: env!("CARGO_PKG_REPOSITORY"),
            description: description.to_owned(),
        })
    }

    /// A template with its `@WORDS@` replaced.
    fn fill(&self, template: &str) -> String {
        template
            .replace("@VERSION@", self.version)
            .replace("@LICENSE@", self.license)
            .replace("@REPOSITORY@", self.repository)
            .replace("@DESCRIPTION@", &self.description)
    }
}

/// A file of the repository.
pub(crate) fn text(path: &str) -> Result<String, Error> {
    std::fs::read_to_string(tree::root().join(path)).map_err(Error::file(path))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
