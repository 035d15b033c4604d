//! Which bytes does a hook run? Reads every file that its entry names, and the folder that they lie
//! in, once, under bounds.
//!
//! The bytes that are read here are hashed and copied: no file is opened a second time (T-20).

mod counted;
mod declared;
mod files;
mod loads;
mod memory;
mod modules;
mod seen;
mod starters;

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::named::{self, Mention, Named};
use crate::discover;
use files::Files;
use loads::LoadedModules;
pub(super) use memory::ReadScript;
pub(super) use modules::pins_of_plugin_modules;
use seen::Kind;
pub(super) use seen::Seen;
use tenterhook_core::entry::PathRoots;
use tenterhook_core::entry::digest::{Canon, Digest};
use tenterhook_core::hook::files::BadPath;
use tenterhook_core::hook::{Command, Hook, Profile, Run, Sandbox, Worker};

/// Most files of a pinned folder: far more than any folder of hooks in public repositories has.
pub(super) const MOST_FILES: usize = 2_000;
/// Most bytes of all files that one hook pins.
pub(super) const MOST_BYTES: u64 = 64 << 20;
/// Maximum depth of a pinned folder.
pub(super) const DEEPEST: usize = 32;

/// The name of folders of hooks.
const HOOKS: &str = "hooks";

/// A file that a hook runs, or that lies beside one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Its path.
    pub path: PathBuf,
    /// Whether the entry names it; otherwise it lies in the folder of a file that the entry names.
    pub named: bool,
    /// The digest of its bytes; `None` if there is no such file.
    pub digest: Option<Digest>,
    /// Whether it is executable.
    pub executable: bool,
    pub(super) bytes: Arc<[u8]>,
}

/// Everything that a hook runs, as far as that can be known.
#[derive(Clone, Debug, Default)]
pub struct Pins {
    /// Its files, by path.
    pub files: Vec<Pin>,
    /// The programs that are found by name, and their paths.
    pub interpreters: Vec<(String, Option<PathBuf>)>,
    /// What it runs that cannot be known, as text for people.
    pub unpinned: Vec<String>,
    /// Files of the project that its scripts read as data: they may change without a new approval.
    pub reads: Vec<String>,
    /// The limit that it exceeds, so that it cannot be approved.
    pub too_much: Option<String>,
    /// Why it runs from the project and not from its copy: the part of a script that would behave
    /// differently there.
    pub from_place: Option<String>,
    /// Whether modules of Python are loaded from the project itself.
    pub(super) bytecode: bool,
    /// The words of the entry that are such files.
    pub(super) mentions: Vec<Mention>,
    /// The parts of its variables that are such files, or directories of them.
    pub(super) variables: Vec<Variable>,
    /// The text of its line with what is known put in.
    pub(super) text: Option<String>,
}

/// The context in which the files of a hook are found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finding<'a> {
    pub(super) ground: PathRoots<'a>,
    /// The directory of the file that configures the hook. It is never pinned as a folder.
    pub(super) directory: &'a Path,
    /// The directories in which programs are found by name.
    pub(super) search: &'a [PathBuf],
    /// The files that were read for other entries of the same source.
    pub(super) seen: &'a Seen,
}

/// Whether everything was read within the bounds; else why not.
type Step = Result<(), PinError>;

/// Why not everything that a hook runs was read.
#[derive(Debug, thiserror::Error)]
pub(super) enum PinError {
    #[error("it lies among more than {MOST_FILES} files")]
    ManyFiles,
    #[error("`{}` holds more than {MOST_FILES} files", .0.display())]
    LargeFolder(PathBuf),
    #[error("`{}` lies more than {deepest} folders deep", path.display())]
    Deep { path: PathBuf, deepest: usize },
    #[error("`{shown}` is held against more than {most} files: name their folder")]
    WidePattern { shown: String, most: usize },
    #[error(transparent)]
    Pattern(#[from] BadPath),
    #[error("`{}` cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("`{}` cannot be listed: {source}", path.display())]
    List { path: PathBuf, source: io::Error },
}

/// A part of the value of a variable that leads into the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    /// Which of the variables of the entry.
    pub(super) at: usize,
    /// Where the part stands in its value.
    pub(super) place: Range<usize>,
    /// The file or directory that it names.
    pub(super) path: PathBuf,
}

/// Reads the files that `hook` runs.
pub(super) fn pins_of_hook(hook: &Hook, finding: Finding<'_>) -> Pins {
    let mut pins = match &hook.run {
        Run::Command(command) | Run::Worker(Worker { command }) => {
            pins_of_command(command, finding)
        }
        _ => Pins::default(),
    };
    // The sandbox `strict` has no project to run from.
    if matches!(&hook.sandbox, Sandbox::In(grants) if grants.profile == Profile::Strict) {
        pins.from_place = None;
    }
    pins
}

pub(super) fn pins_of_command(command: &Command, finding: Finding<'_>) -> Pins {
    let PathRoots { project, home } = finding.ground;
    let base = command.cwd.as_deref().unwrap_or(project);
    let Named { text, files, counted, programs, unpinned } =
        named::named_files(command, base, project, home);
    let mut reading = Reading { programs, ..Reading::new(finding, false) };
    unpinned.into_iter().for_each(|text| reading.report_unpinned_once(text));
    let mut mentions = Vec::new();
    let mut read = Ok(());
    for mention in files {
        if read.is_ok() {
            read = reading.pin_mention(&mention);
        }
        if reading.runs_from_copy(&mention.path) {
            mentions.push(mention);
        }
    }
    read = read.and_then(|()| reading.pin_declared_files(command));
    for mention in reading.declared_file_words(command, text.as_deref(), base) {
        if !mentions.iter().any(|known| known.word == mention.word) {
            mentions.push(mention);
        }
    }
    read = read.and_then(|()| reading.pin_candidates(&counted));
    read = read.and_then(|()| reading.pin_script_loads(command, base));
    read = read.and_then(|()| reading.pin_shebang_programs(base));
    let interpreters = reading.locate_interpreters();
    Pins {
        files: reading.files.into_sorted(),
        interpreters,
        unpinned: reading.unpinned,
        reads: reading.reads,
        too_much: read.err().map(|error| error.to_string()),
        bytecode: reading.modules.of_project
            || reading.modules.of_script && reading.from_place.is_some(),
        from_place: reading.from_place,
        mentions: named::keep_unambiguous_mentions(mentions),
        variables: reading.variables,
        text,
    }
}

/// Files on their way from the disk.
struct Reading<'a> {
    finding: Finding<'a>,
    files: Files,
    bytes: u64,
    /// Directories all of which is pinned, and words behind which an interpreter finds a file that
    /// is.
    handed: HashSet<PathBuf>,
    variables: Vec<Variable>,
    programs: Vec<String>,
    unpinned: Vec<String>,
    reads: Vec<String>,
    /// Whether files count, too, that programs write beside themselves.
    keeps_all: bool,
    /// The folders of which everything is pinned.
    whole: Vec<PathBuf>,
    from_place: Option<String>,
    modules: LoadedModules,
}

impl<'a> Reading<'a> {
    /// Starts with nothing read; `keeps_all` says whether to pin files, too, that programs write
    /// beside themselves.
    fn new(finding: Finding<'a>, keeps_all: bool) -> Self {
        Self {
            finding,
            files: Files::default(),
            bytes: 0,
            handed: HashSet::new(),
            variables: Vec::new(),
            programs: Vec::new(),
            unpinned: Vec::new(),
            reads: Vec::new(),
            keeps_all,
            whole: Vec::new(),
            from_place: None,
            modules: LoadedModules::default(),
        }
    }

    /// Reports once that something is run or read but not pinned. The text is the same in every
    /// checkout.
    fn report_unpinned_once(&mut self, text: String) {
        let project = self.finding.ground.project;
        let text = match project.to_str().filter(|_| project.parent().is_some()) {
            Some(project) => {
                text.replace(&format!("{project}/"), "").replace(&format!("{project}`"), ".`")
            }
            None => text,
        };
        if !self.unpinned.contains(&text) {
            self.unpinned.push(text);
        }
    }

    /// Returns whether the file at this path runs from the copy.
    fn runs_from_copy(&self, path: &Path) -> bool {
        self.handed.contains(path) || self.files.get(path).is_some_and(|pin| pin.digest.is_some())
    }

    /// Returns the paths of the programs that are found by name.
    fn locate_interpreters(&mut self) -> Vec<(String, Option<PathBuf>)> {
        let mut programs = std::mem::take(&mut self.programs);
        programs.sort();
        programs.dedup();
        let Finding { seen, search, .. } = self.finding;
        programs.into_iter().map(|name| (name.clone(), seen.find_program(&name, search))).collect()
    }

    fn pin_mention(&mut self, mention: &Mention) -> Step {
        let path = &mention.path;
        if self.finding.seen.has_file(path) {
            return self.pin_file_and_folder(path);
        }
        if path.is_dir() {
            return self.pin_directory_run_as_program(mention);
        }
        if !mention.certain && path.symlink_metadata().is_err() {
            // A word that may be a file, but does not exist: if the file appears, the identity
            // changes.
            if !mention.if_there {
                self.pin_absent_file(path);
            }
            return self.pin_module_file(mention);
        }
        self.pin_file_and_folder(path)
    }

    /// Pins a file that the entry names, and the files beside it.
    fn pin_file_and_folder(&mut self, path: &Path) -> Step {
        self.pin_file(path, true)?;
        match self.folder_pinned_with_file(path) {
            Some(folder) => self.pin_folder(&folder, &mut Vec::new()),
            None => Ok(()),
        }
    }

    fn pin_absent_file(&mut self, path: &Path) {
        self.files.insert(Pin {
            path: path.to_owned(),
            named: true,
            digest: None,
            executable: false,
            bytes: Arc::default(),
        });
    }

    /// Returns the folder that is pinned with a file: one of the project, but not the project
    /// itself or the folder in which its hooks are configured. If hooks lie in subfolders of a
    /// hooks folder, that folder is pinned, because it may contain files that they share.
    fn folder_pinned_with_file(&self, file: &Path) -> Option<PathBuf> {
        let project = self.finding.ground.project;
        let is_folder = |path: &&Path| {
            path.starts_with(project) && *path != project && *path != self.finding.directory
        };
        let mut above = file.ancestors().skip(1).take_while(is_folder).peekable();
        let own = above.peek().copied();
        above.filter(|path| path.ends_with(HOOKS)).last().or(own).map(Path::to_owned)
    }

    fn pin_file(&mut self, path: &Path, named: bool) -> Step {
        if let Some(known) = self.files.0.get_mut(path.as_os_str()) {
            known.named |= named;
            return Ok(());
        }
        if self.files.0.len() >= MOST_FILES {
            return Err(PinError::ManyFiles);
        }
        let left = MOST_BYTES.saturating_sub(self.bytes);
        let seen = self.finding.seen.get_file(path);
        // A file that exceeds the limit beside the entry's other files is an error, cached or not.
        if let Some(pin) = seen.filter(|pin| pin.bytes.len() as u64 <= left) {
            self.bytes += pin.bytes.len() as u64;
            self.files.insert(Pin { named, ..pin });
            return Ok(());
        }
        let (bytes, metadata) = match discover::read_regular_file_with_metadata(path, left) {
            Ok(contents) => contents,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                self.pin_absent_file(path);
                return Ok(());
            }
            Err(source) => return Err(PinError::Read { path: path.to_owned(), source }),
        };
        self.bytes += bytes.len() as u64;
        let pin = Pin {
            path: path.to_owned(),
            named,
            digest: Some(Digest::hash(&bytes)),
            executable: is_executable(&metadata),
            bytes: bytes.into(),
        };
        self.finding.seen.insert_file(&pin);
        self.files.insert(pin);
        Ok(())
    }

    /// Pins everything in a folder and below, also behind links, because what runs may load it.
    /// `round` are the folders that contain it.
    fn pin_folder(&mut self, folder: &Path, round: &mut Vec<PathBuf>) -> Step {
        if round.len() > DEEPEST {
            return Err(PinError::Deep { path: folder.to_owned(), deepest: DEEPEST });
        }
        let Some(listing) = self.finding.seen.list_folder(folder)? else { return Ok(()) };
        if round.contains(&listing.real) {
            // A link to a folder that it lies in: everything there is pinned by its own path.
            self.report_unpinned_once(format!(
                "what the link `{}` leads back to",
                folder.display()
            ));
            return Ok(());
        }
        if round.is_empty() {
            self.whole.push(folder.to_owned());
        }
        round.push(listing.real.clone());
        for (name, kind) in &listing.entries {
            let text = name.to_string_lossy();
            let path = folder.join(name);
            // What the entry itself names is never left out.
            let is_left_out = !self.keeps_all && files::is_ignored_name(&text);
            if is_left_out && self.files.get(&path).is_none() {
                continue;
            }
            match kind {
                Kind::Folder => self.pin_folder(&path, round)?,
                Kind::File => self.pin_file(&path, false)?,
            }
        }
        round.pop();
        Ok(())
    }
}

#[cfg(unix)]
fn is_executable(file: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_file: &std::fs::Metadata) -> bool {
    true
}

/// Returns where the programs were found that hooks and servers name.
pub(super) fn found_programs<'p>(all: impl Iterator<Item = &'p Pins>) -> BTreeMap<String, PathBuf> {
    let programs = all.flat_map(|pins| &pins.interpreters);
    programs.filter_map(|(name, path)| Some((name.clone(), path.clone()?))).collect()
}

impl Pins {
    /// Returns the digest of the files and of what cannot be named. It is the same in every
    /// checkout.
    pub(super) fn digest(&self, ground: PathRoots<'_>) -> Digest {
        let mut canon = Canon::new("files 1");
        for pin in &self.files {
            canon = canon
                .with_field("path", ground.path(&pin.path))
                .with_field("executable", pin.executable.to_string())
                .with_optional_field("bytes", pin.digest.map(|digest| digest.to_string()));
        }
        canon
            .with_list_field("unpinned", &self.unpinned)
            .with_optional_field("too much", self.too_much.as_ref())
            .finish()
    }

    /// Returns whether both have the same digest, by comparing the fields that it covers.
    fn has_same_digest(&self, other: &Self) -> bool {
        let is = |one: &Pin, other: &Pin| {
            one.path.as_os_str() == other.path.as_os_str()
                && (one.digest, one.executable) == (other.digest, other.executable)
        };
        self.files.len() == other.files.len()
            && self.files.iter().zip(&other.files).all(|(one, other)| is(one, other))
            && (&self.unpinned, &self.too_much) == (&other.unpinned, &other.too_much)
    }

    /// Returns the digest of where the interpreters are on this machine.
    pub(super) fn interpreters_digest(&self) -> Digest {
        let found = self.interpreters.iter().flat_map(|(name, path)| {
            let path = path.as_ref().map(|path| path.to_string_lossy().into_owned());
            [name.clone(), path.unwrap_or_default()]
        });
        Canon::new("interpreters 1").with_list_field("programs", found).finish()
    }

    /// Returns the files in the project, which are copied and run from the copy.
    pub(super) fn project_files<'a>(
        &'a self,
        project: &'a Path,
    ) -> impl Iterator<Item = (&'a Path, &'a Pin)> {
        self.files
            .iter()
            .filter(|file| file.digest.is_some())
            .filter_map(move |pin| Some((pin.path.strip_prefix(project).ok()?, pin)))
    }
}
