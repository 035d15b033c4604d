//! Copies of approved files, stored by their digest with the whole folder of each file, so that
//! scripts find the files beside them (T-20 to T-22). Hooks run from these copies. Approves
//! nothing.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tenterhook_process as process;

use super::named;
use super::pins::{MOST_BYTES, Pins, Variable};
use super::review::Review;
use super::store::{COPIES, Store, beside, private_directory};
use crate::discover;
use tenterhook_core::entry::digest::Digest;
use tenterhook_core::hook::{Command, Invocation};

/// The variable that tells a hook where the file that it is a copy of lies.
pub(crate) const ORIGIN: &str = "TENTERHOOK_ORIGIN";

/// The variable that moves compiled modules of Python away from the project, where an agent may
/// replace them, and the name of their directory beside the copies (T-105).
const BYTECODE_VARIABLE: &str = "PYTHONPYCACHEPREFIX";
const BYTECODE: &str = "bytecode";

/// The path in its project of a copied file, judged by the path of the copy only; `None` if `path`
/// is not a copy.
pub(crate) fn original(path: &Path) -> Option<PathBuf> {
    let mut parts = path.iter().skip_while(|path| *path != COPIES);
    let digest = parts.nth(1)?.to_str()?;
    let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let rest: PathBuf = parts.collect();
    Some(rest).filter(|rest| is_digest && !rest.as_os_str().is_empty())
}

/// How long to wait until a written file can be executed.
const MOST_WAIT: Duration = Duration::from_millis(500);

/// The directory of the copies of these files, which is created if missing.
fn tree(store: &Store, digest: Digest, pins: &Pins, project: &Path) -> io::Result<PathBuf> {
    let all = store.copies();
    let tree = all.join(digest.to_string());
    if tree.is_dir() {
        return whole(&tree, pins, project).map(|()| tree);
    }
    store.prepared()?;
    private_directory(&all)?;
    let new = beside(&tree);
    let made = fill(&new, pins, project).and_then(|()| match fs::rename(&new, &tree) {
        // Somebody else made the same at the same time.
        Err(_) if tree.is_dir() => fs::remove_dir_all(&new),
        moved => moved,
    });
    if made.is_err() {
        // An incomplete copy is never used, so it may stay if it cannot be removed.
        let _ = fs::remove_dir_all(&new);
    }
    made.map(|()| tree)
}

/// Checks that no byte of a copy changed: any process of the user can write to it.
fn whole(tree: &Path, pins: &Pins, project: &Path) -> io::Result<()> {
    for (path, pin) in pins.in_project(project) {
        let kept = tree.join(path);
        let is_file = kept.symlink_metadata()?.is_file();
        if !is_file || *discover::bytes(&kept, MOST_BYTES)? != *pin.bytes {
            let shown = tree.display();
            return Err(io::Error::other(format!("`{shown}` is not what was kept: remove it")));
        }
    }
    Ok(())
}

fn fill(new: &Path, pins: &Pins, project: &Path) -> io::Result<()> {
    private_directory(new)?;
    for (path, pin) in pins.in_project(project) {
        let place = new.join(path);
        for directory in
            place.strip_prefix(new).into_iter().flat_map(|rest| rest.ancestors().skip(1))
        {
            fs::create_dir_all(new.join(directory))?;
        }
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(if pin.executable { 0o500 } else { 0o400 });
        }
        options.open(&place)?.write_all(&pin.bytes)?;
        let written = fs::File::open(&place)?;
        written.sync_all()?;
        // A process that another thread starts at this moment keeps the file open for writing until
        // it executes its program. If the wait times out, the copy is complete all the same.
        process::internal::await_writers(&written, MOST_WAIT);
    }
    Ok(())
}

/// The copies of one source that are whole: its hooks lie side by side, and have one copy of their
/// folder.
#[derive(Debug, Default)]
pub(super) struct Checked(RefCell<BTreeMap<Digest, PathBuf>>);

/// Keeps what a hook runs.
pub(super) fn keep(store: &Store, digest: Digest, pins: &Pins, project: &Path) -> io::Result<()> {
    if pins.in_project(project).next().is_none() {
        return Ok(());
    }
    tree(store, digest, pins, project).map(drop)
}

/// Why a command cannot run from its copy.
#[derive(Debug, thiserror::Error)]
pub(super) enum CopyError {
    #[error("its files cannot be kept: {0}")]
    Write(#[source] io::Error),
    #[error("`{0}` cannot be found in its line")]
    Mention(String),
}

/// Has a command that is approved run what is kept, and not what lies in the project by then.
///
/// A hook of which a copy would behave differently runs from the project (T-77).
///
/// # Errors
///
/// When there is no copy and none can be made, or a word of the entry that is such a file cannot be
/// told from its text.
pub(super) fn redirect(
    (store, checked): (&Store, &Checked),
    command: &mut Command,
    digest: Digest,
    pins: &Pins,
    project: &Path,
) -> Result<(), CopyError> {
    if pins.bytecode {
        let directory = store.copies().with_file_name(BYTECODE);
        command.env.push((BYTECODE_VARIABLE.to_owned(), directory.to_string_lossy().into_owned()));
    }
    if pins.from_place.is_some() {
        return Ok(());
    }
    let mut inside = pins.mentions.iter().filter(|mention| mention.path.starts_with(project));
    let first = inside.next();
    if first.is_none() && pins.variables.is_empty() {
        return Ok(());
    }
    let known = checked.0.borrow().get(&digest).cloned();
    let tree = match known {
        Some(tree) => tree,
        None => tree(store, digest, pins, project).map_err(CopyError::Write)?,
    };
    checked.0.borrow_mut().insert(digest, tree.clone());
    let copy = pointed(command, pins, (project, &tree));
    command.copy = Some(copy.map_err(|word| CopyError::Mention(word.to_owned()))?);
    point_variables(command, pins, &tree, project);
    command.kept = Some(tree);
    if let Some(first) = first {
        command.env.push((ORIGIN.to_owned(), first.path.to_string_lossy().into_owned()));
    }
    Ok(())
}

/// Has a command that runs from the project name its files by their full paths: the agent stands
/// below the project (C-100). What cannot be found in its line counts from where the agent stands,
/// as without an approval.
pub(super) fn name_in_full(command: &mut Command, pins: &Pins, project: &Path) {
    if pins.from_place.is_some() {
        command.copy = pointed(command, pins, (project, project)).ok();
    }
}

/// The invocation of a command with the words that are files of the project leading into `tree`.
/// The error is a word that cannot be found in it.
fn pointed<'p>(
    command: &Command,
    pins: &'p Pins,
    (project, tree): (&Path, &Path),
) -> Result<Invocation, &'p str> {
    let mut copy = command.invocation.clone();
    if let (Invocation::Shell { text, .. }, Some(known)) = (&mut copy, &pins.text) {
        text.clone_from(known);
    }
    for mention in &pins.mentions {
        let Ok(path) = mention.path.strip_prefix(project) else { continue };
        if !point(&mut copy, &mention.word, &tree.join(path)) {
            return Err(&mention.word);
        }
    }
    Ok(copy)
}

/// Has the variables of an entry lead to what is kept. A path that would be read as several in such
/// a list stays as it is written.
fn point_variables(command: &mut Command, pins: &Pins, tree: &Path, project: &Path) {
    for Variable { at, place, path } in pins.variables.iter().rev() {
        let kept = path.strip_prefix(project).ok().map(|path| tree.join(path));
        let kept = kept.as_deref().and_then(Path::to_str);
        let Some(kept) = kept.filter(|kept| !kept.contains([':', ';', ' ', '\t', '\n'])) else {
            continue;
        };
        if let Some((_, value)) = command.env.get_mut(*at)
            && value.get(place.clone()).is_some()
        {
            value.replace_range(place.clone(), kept);
        }
    }
}

/// Whether a word of what is started stands for another file now.
fn point(invocation: &mut Invocation, word: &str, file: &Path) -> bool {
    let Some(file) = file.to_str() else { return false };
    match invocation {
        Invocation::Argv { program, args } => {
            let words = std::iter::once(program).chain(args.iter_mut());
            let mut found = false;
            for argument in words.filter(|argument| **argument == word) {
                file.clone_into(argument);
                found = true;
            }
            if !found {
                // Code that a word hands to a shell: what cannot be found in it runs where it lies.
                let mut is_code = false;
                for argument in args.iter_mut() {
                    if is_code && point_line(argument, word, file) {
                        break;
                    }
                    is_code = argument.starts_with('-') && argument.ends_with('c');
                }
            }
            true
        }
        Invocation::Shell { text, .. } => point_line(text, word, file),
    }
}

/// The same in a line of a shell, which stays as it is where the word is not found.
fn point_line(text: &mut String, word: &str, file: &str) -> bool {
    let quoted = tenterhook_shell::quote(file);
    let Some(pointed) = named::replaced(text, word, &quoted) else { return false };
    // Within quotes of other quotes the word may differ.
    let line = tenterhook_shell::read(&pointed);
    let mut words = line.commands.iter().flat_map(|command| command.words.iter());
    let stands = words.any(|word| word.text == file);
    if stands {
        *text = pointed;
    }
    stands
}

/// A file that changed since it was approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Its text then; empty where it was not there, or is no text.
    pub then: String,
    /// Its text now; empty where it is not there, or is no text.
    pub now: String,
    /// How many bytes it had and has, where it is no text.
    pub sizes: Option<(usize, usize)>,
}

/// The files of a source that are others than their copies.
pub(super) fn changed(store: &Store, review: &Review) -> Vec<ChangedFile> {
    let mut files: BTreeMap<PathBuf, (Vec<u8>, Vec<u8>)> = BTreeMap::new();
    for copy in review.copies.iter().filter(|copy| Digest::read(copy).is_some()) {
        collect(&store.copies().join(copy), Path::new(""), &mut |path, bytes| {
            files.entry(review.project.join(path)).or_default().0 = bytes;
        });
    }
    for pins in review.pins() {
        for pin in pins.files.iter().filter(|pin| pin.path.starts_with(&review.project)) {
            files.entry(pin.path.clone()).or_default().1 = pin.bytes.to_vec();
        }
    }
    let other = files.into_iter().filter(|(_, (then, now))| then != now);
    other.map(|(path, (then, now))| ChangedFile::of_bytes(path, then, now)).collect()
}

impl ChangedFile {
    fn of_bytes(path: PathBuf, then: Vec<u8>, now: Vec<u8>) -> Self {
        let sizes = (then.len(), now.len());
        match (text(then), text(now)) {
            (Some(then), Some(now)) => Self { path, then, now, sizes: None },
            _ => Self { path, then: String::new(), now: String::new(), sizes: Some(sizes) },
        }
    }
}

/// The text of a file, where it is one.
fn text(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

fn collect(root: &Path, below: &Path, take: &mut impl FnMut(&Path, Vec<u8>)) {
    for entry in fs::read_dir(root.join(below)).into_iter().flatten().flatten() {
        let path = below.join(entry.file_name());
        let full = root.join(&path);
        if full.is_dir() {
            collect(root, &path, take);
        } else if let Ok(bytes) = discover::bytes(&full, MOST_BYTES) {
            take(&path, bytes);
        }
    }
}
