//! `trust sign` and `trust key`: has what a person approved here run unasked where their key is pinned. Runs none of it.

use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use tenterhook::internal::discover::{self, Stat};
use tenterhook::internal::trust::{LOCK, SecretKey};
use tenterhook::trust::{Review, State, Trust};
use tenterhook_core::hook::Layer;

use crate::ambient::Here;
use crate::exit::Exit;
use crate::load::shorten_path;
use crate::person;
use crate::problem::Problem;
use crate::show::layout::format_count;
use crate::term::Term;

/// Longest file of a key.
const MOST_BYTES: u64 = 4 << 10;

/// Writes the lock file, with a signature for each approved source.
pub(super) fn sign_sources(
    key: &Path,
    named: &[PathBuf],
    here: &Here,
    term: Term,
) -> Result<Exit, Problem> {
    person::require_no_calling_agent("tenterhook trust sign", here)?;
    let file = here.roots.cwd.join(key);
    let secret = read_key(&file)?;
    let reviews: Vec<Review> = super::find_reviews(named, &here.trust_store(), here)?
        .into_iter()
        .filter(|review| !named.is_empty() || matches!(review.layer, Layer::Project))
        .collect();
    let Some(first) = reviews.first() else {
        term.print_note("no hooks came with this project: there is nothing to sign");
        return Ok(Exit::Good);
    };
    require_outside_project(&file, &first.project)?;
    // To sign is to answer for others: what one did not answer for oneself is looked at first.
    if let Some(open) = reviews.iter().find(|review| review.state != State::Approved) {
        let shown = shorten_path(&open.source, &here.roots);
        let message = format!(
            "`{shown}` is {} here, and only what is approved is signed",
            open.state.label()
        );
        return Err(
            Problem::new(message).with_help("look at it with `tenterhook trust`, then sign")
        );
    }
    let lock = Trust::sign(&reviews, &secret).map_err(|error| Problem::new(error.to_string()))?;
    let path = first.project.join(LOCK);
    let written = lock.text().and_then(|text| write_atomically(&path, text.as_bytes()));
    let shown = shorten_path(&path.to_string_lossy(), &here.roots);
    written.map_err(|error| Problem::new(format!("`{shown}` cannot be written: {error}")))?;
    for review in &reviews {
        term.print_note(&format!("signed {}", shorten_path(&review.source, &here.roots)));
    }
    let keys = format_count(lock.signers().count(), "key");
    term.print_note(&format!("wrote {shown}, signed by {keys}: commit it with the hooks"));
    Ok(Exit::Good)
}

/// Creates a key, or reads the existing one, and prints the public part that users pin.
pub(super) fn create_or_read_key_and_print(
    file: &Path,
    here: &Here,
    term: Term,
) -> Result<Exit, Problem> {
    person::require_no_calling_agent("tenterhook trust key", here)?;
    let path = here.roots.cwd.join(file);
    let project = here.roots.repository.as_deref().unwrap_or(&here.roots.cwd);
    if project != here.roots.home {
        require_outside_project(&path, project)?;
    }
    let secret = match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => create_key(&path)?,
        _ => read_key(&path)?,
    };
    term.print_data(&format!("{}\n", secret.public_key()))?;
    let pin = format!("[trust]\nkeys = [\"{}\"]", secret.public_key());
    term.print_note(&format!(
        "\nThe secret key lies in {}: keep it private, it can sign in your name.\nTo trust its signatures, add to ~/.config/tenterhook/tenterhook.toml:\n\n{pin}\n",
        shorten_path(&path.to_string_lossy(), &here.roots)
    ));
    Ok(Exit::Good)
}

/// Returns an error if the secret key lies in the project, where it could be committed.
fn require_outside_project(key: &Path, project: &Path) -> Result<(), Problem> {
    // What of the way is there already says where the rest will lie.
    let real = |path: &Path| path.ancestors().find_map(|ancestor| ancestor.canonicalize().ok());
    let real = |path: &Path| real(path).unwrap_or_else(|| path.to_owned());
    let directory = key.parent().map(real).unwrap_or_default();
    if directory.starts_with(real(project)) {
        let message = format!(
            "`{}` lies in the project, where a secret key is soon committed",
            key.display()
        );
        return Err(Problem::new(message).with_help("keep it elsewhere, such as in `~/keys`"));
    }
    Ok(())
}

/// Creates a new key, in a file that only its owner may read.
fn create_key(path: &Path) -> Result<SecretKey, Problem> {
    let cannot = |error: std::io::Error| {
        Problem::new(format!("`{}` cannot be written: {error}", path.display()))
    };
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)
        .map_err(|error| Problem::new(format!("no random number is to be had: {error}")))?;
    let secret = SecretKey::new(&seed);
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(cannot)?;
    }
    let mut options = fs::OpenOptions::new();
    let options = discover::set_owner_only_create_mode(options.write(true).create_new(true))
        .map_err(cannot)?;
    let mut file = options.open(path).map_err(cannot)?;
    file.write_all(secret.to_text().as_bytes()).and_then(|()| file.sync_all()).map_err(cannot)?;
    Ok(secret)
}

/// Reads a key from a file that only its owner may read.
fn read_key(path: &Path) -> Result<SecretKey, Problem> {
    let shown = path.display();
    let cannot = |why: &str| Problem::new(format!("`{shown}` is not a secret key: {why}"));
    let (file, found) = discover::open(path).map_err(|error| cannot(&error.to_string()))?;
    if found.len() > MOST_BYTES {
        return Err(cannot("it is not a file of a key's size"));
    }
    let stat = Stat::from_metadata(&found).map_err(|why| cannot(&format!("it {why}")))?;
    if stat.mode & 0o077 != 0 {
        return Err(cannot("others may read it").with_help(format!("`chmod 600 {shown}`")));
    }
    let mut text = String::new();
    file.take(MOST_BYTES).read_to_string(&mut text).map_err(|error| cannot(&error.to_string()))?;
    SecretKey::parse(&text).ok_or_else(|| {
        cannot("its text has another form").with_help("`tenterhook trust key FILE` makes one")
    })
}

/// Writes a file under a temporary name and moves it to its path.
fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut beside = tempfile::NamedTempFile::new_in(directory)?;
    beside.write_all(bytes)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        beside.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    beside.persist(path)?;
    Ok(())
}
