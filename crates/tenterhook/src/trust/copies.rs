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
use super::store::{COPIES, Store, create_private_directory, temporary_path};
use crate::discover;
use tenterhook_core::entry::digest::Digest;
use tenterhook_core::hook::{Command, Invocation};

/// The variable that tells a hook where the file that it is a copy of lies.
pub(crate) const ORIGIN: &str = "TENTERHOOK_ORIGIN";

/// The variable that moves compiled modules of Python away from the project, where an agent may
/// replace them, and the name of their directory beside the copies (T-105).
const BYTECODE_VARIABLE: &str = "PYTHONPYCACHEPREFIX";
const BYTECODE: &str = "bytecode";

/// Returns the path in the project of a copied file, judged by the path of the copy only; `None` if
/// `path` is not a copy.
pub(crate) fn original_path_of_copy(path: &Path) -> Option<PathBuf> {
    let mut parts = path.iter().skip_while(|path| *path != COPIES);
    let digest = parts.nth(1)?.to_str()?;
    let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let rest: PathBuf = parts.collect();
    Some(rest).filter(|rest| is_digest && !rest.as_os_str().is_empty())
}

/// How long to wait until a written file can be executed.
const MOST_WAIT: Duration = Duration::from_millis(500);

/// Returns the directory with the copies of these files, which is created if missing.
fn ensure_copies(
    store: &Store,
    digest: Digest,
    pins: &Pins,
    project: &Path,
) -> io::Result<PathBuf> {
    let all = store.copies_directory();
    let tree = all.join(digest.to_string());
    if tree.is_dir() {
        return verify_copies(&tree, pins, project).map(|()| tree);
    }
    store.create_directories()?;
    create_private_directory(&all)?;
    let new = temporary_path(&tree);
    let made = write_copies(&new, pins, project).and_then(|()| match fs::rename(&new, &tree) {
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

/// Checks that no byte of a copy changed, because any process of the user can write to it.
fn verify_copies(tree: &Path, pins: &Pins, project: &Path) -> io::Result<()> {
    for (path, pin) in pins.project_files(project) {
        let kept = tree.join(path);
        let is_file = kept.symlink_metadata()?.is_file();
        if !is_file || *discover::read_regular_file(&kept, MOST_BYTES)? != *pin.bytes {
            let shown = tree.display();
            return Err(io::Error::other(format!("`{shown}` is not what was kept: remove it")));
        }
    }
    Ok(())
}

fn write_copies(new: &Path, pins: &Pins, project: &Path) -> io::Result<()> {
    create_private_directory(new)?;
    for (path, pin) in pins.project_files(project) {
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
        process::internal::wait_until_no_writer(&written, MOST_WAIT);
    }
    Ok(())
}

/// The copies of one source that are whole: its hooks lie side by side, and have one copy of their
/// folder.
#[derive(Debug, Default)]
pub(super) struct Checked(RefCell<BTreeMap<Digest, PathBuf>>);

/// Stores copies of the files that a hook runs.
pub(super) fn store_copies(
    store: &Store,
    digest: Digest,
    pins: &Pins,
    project: &Path,
) -> io::Result<()> {
    if pins.project_files(project).next().is_none() {
        return Ok(());
    }
    ensure_copies(store, digest, pins, project).map(drop)
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
pub(super) fn redirect_command_to_copies(
    (store, checked): (&Store, &Checked),
    command: &mut Command,
    digest: Digest,
    pins: &Pins,
    project: &Path,
) -> Result<(), CopyError> {
    if pins.bytecode {
        let directory = store.copies_directory().with_file_name(BYTECODE);
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
        None => ensure_copies(store, digest, pins, project).map_err(CopyError::Write)?,
    };
    checked.0.borrow_mut().insert(digest, tree.clone());
    let copy = redirected_invocation(command, pins, (project, &tree));
    command.copy = Some(copy.map_err(|word| CopyError::Mention(word.to_owned()))?);
    redirect_variables_to_copies(command, pins, &tree, project);
    command.kept = Some(tree);
    if let Some(first) = first {
        command.env.push((ORIGIN.to_owned(), first.path.to_string_lossy().into_owned()));
    }
    Ok(())
}

/// Replaces the names of files by their full paths in a command that runs from the project, because
/// the agent works in a directory below the project (C-100). A name that is not found in its line
/// stays relative to the agent's directory, as without an approval.
pub(super) fn use_full_paths_in_command(command: &mut Command, pins: &Pins, project: &Path) {
    if pins.from_place.is_some() {
        command.copy = redirected_invocation(command, pins, (project, project)).ok();
    }
}

/// Returns the invocation of a command in which the words that are files of the project lead into
/// `tree`. The error is a word that is not found in it.
fn redirected_invocation<'p>(
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
        if !redirect_word(&mut copy, &mention.word, &tree.join(path)) {
            return Err(&mention.word);
        }
    }
    Ok(copy)
}

/// Redirects the variables of an entry to the copies. A path that would be read as several paths in
/// such a list stays as it is written.
fn redirect_variables_to_copies(command: &mut Command, pins: &Pins, tree: &Path, project: &Path) {
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

/// Replaces a word of an invocation by the path of a file. Returns whether the word was found.
fn redirect_word(invocation: &mut Invocation, word: &str, file: &Path) -> bool {
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
                    if is_code && redirect_word_in_line(argument, word, file) {
                        break;
                    }
                    is_code = argument.starts_with('-') && argument.ends_with('c');
                }
            }
            true
        }
        Invocation::Shell { text, .. } => redirect_word_in_line(text, word, file),
    }
}

/// Replaces a word of a shell line by the path of a file. Leaves the line unchanged and returns
/// `false` if the word is not found.
fn redirect_word_in_line(text: &mut String, word: &str, file: &str) -> bool {
    let quoted = tenterhook_shell::quote_word(file);
    let Some(pointed) = named::replace_word(text, word, &quoted) else { return false };
    // Within quotes of other quotes the word may differ.
    let line = tenterhook_shell::parse_line(&pointed);
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

/// Returns the files of a source that differ from their copies.
pub(super) fn changed_files(store: &Store, review: &Review) -> Vec<ChangedFile> {
    let mut files: BTreeMap<PathBuf, (Vec<u8>, Vec<u8>)> = BTreeMap::new();
    for copy in review.copies.iter().filter(|copy| Digest::parse(copy).is_some()) {
        collect_files(&store.copies_directory().join(copy), Path::new(""), &mut |path, bytes| {
            files.entry(review.project.join(path)).or_default().0 = bytes;
        });
    }
    for pins in review.pins() {
        for pin in pins.files.iter().filter(|pin| pin.path.starts_with(&review.project)) {
            files.entry(pin.path.clone()).or_default().1 = pin.bytes.to_vec();
        }
    }
    let other = files.into_iter().filter(|(_, (then, now))| then != now);
    other.map(|(path, (then, now))| ChangedFile::from_bytes(path, then, now)).collect()
}

impl ChangedFile {
    fn from_bytes(path: PathBuf, then: Vec<u8>, now: Vec<u8>) -> Self {
        let sizes = (then.len(), now.len());
        match (decode_text(then), decode_text(now)) {
            (Some(then), Some(now)) => Self { path, then, now, sizes: None },
            _ => Self { path, then: String::new(), now: String::new(), sizes: Some(sizes) },
        }
    }
}

/// Returns the content of a file if it is text.
fn decode_text(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

fn collect_files(root: &Path, below: &Path, take: &mut impl FnMut(&Path, Vec<u8>)) {
    for entry in fs::read_dir(root.join(below)).into_iter().flatten().flatten() {
        let path = below.join(entry.file_name());
        let full = root.join(&path);
        if full.is_dir() {
            collect_files(root, &path, take);
        } else if let Ok(bytes) = discover::read_regular_file(&full, MOST_BYTES) {
            take(&path, bytes);
        }
    }
}
