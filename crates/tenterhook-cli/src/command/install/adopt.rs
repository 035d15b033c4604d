//! What `install --adopt` changes, and what `uninstall` makes of it again (BR-75). Writes nothing.

use std::path::{Path, PathBuf};

use tenterhook::internal::discover;
use tenterhook_core::agents::{Agent, Form, Scope};
use tenterhook_core::config::Switch;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::hook::Layer;
use tenterhook_core::install::{self, give_back, put_in, take_out};

use super::files::{Change, emptied, file_path, only_new, read_here, refuse};
use crate::ambient::Here;
use crate::load::shorten;
use crate::problem::Problem;

/// The files of an adoption.
struct Files {
    settings: PathBuf,
    /// The entries that were moved.
    moved: PathBuf,
    /// The settings as they were, so that they can be put back to the byte.
    before: PathBuf,
    /// The path of the settings: a person may have several homes of an agent, and the entries go back to theirs.
    from: PathBuf,
}

impl Files {
    /// Which other settings hold their entries where these would be put.
    fn others(&self, here: &Here) -> Result<Option<String>, Problem> {
        if read_here(&self.moved, here)?.is_none() {
            return Ok(None);
        }
        let from = read_here(&self.from, here)?;
        Ok(from.filter(|text| *text != self.name()))
    }

    fn name(&self) -> String {
        self.settings.to_string_lossy().into_owned()
    }
}

/// `None` for an agent whose entries stay.
fn files(agent: &Agent, scope: Scope, here: &Here) -> Option<Files> {
    let id = DialectId::agents().find(|dialect_id| dialect_id.as_str() == agent.name)?;
    let moved = discover::adopted(id, &here.roots).filter(|_| scope == Scope::User)?;
    let before = here.state.join("adopted").join(format!("{}.before", agent.name));
    let from = discover::adopted_origin(&moved);
    Some(Files { settings: file_path(agent, scope, here)?, moved, before, from })
}

/// What `install --adopt` changes; what was moved before comes back first, so that twice is once.
pub(super) fn put(
    agent: &Agent,
    scope: Scope,
    program: &str,
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    if scope != Scope::User {
        return Err(Problem::new("`--adopt` moves your own hooks, and none that others share")
            .help("leave `--scope` out, or `--adopt`"));
    }
    let Some(files) = files(agent, scope, here) else {
        let why = match agent.installation.form {
            Form::Groups => "it cannot be answered by this version",
            _ => "it reads them from files that are each a hook's own: move those yourself",
        };
        return Err(Problem::new(format!("hooks of {} are not moved: {why}", agent.title)));
    };
    if let Some(other) = files.others(here)? {
        let (moved, other) =
            (shorten(&files.moved.to_string_lossy(), &here.roots), shorten(&other, &here.roots));
        return Err(Problem::new(format!("`{moved}` holds the hooks of `{other}`"))
            .help("run `tenterhook uninstall` where that is the agent's home first, or leave `--adopt` out"));
    }
    let settings = read_here(&files.settings, here)?;
    let moved = read_here(&files.moved, here)?;
    let wrong = |error: install::Wrong| refuse(&error, &files.settings, here);
    let own = without(agent, settings.as_deref(), moved.as_deref(), &files, here)?;
    let adopted = match &own {
        Some(text) => install::adopt(agent, text).map_err(wrong)?,
        None => None,
    };
    let (left, now) = match adopted {
        Some(adopted) => (adopted.left, Some(adopted.moved)),
        None => (own.clone(), None),
    };
    let after = put_in(agent, program, left.as_deref()).map_err(wrong)?;
    let (before, from) = (read_here(&files.before, here)?, read_here(&files.from, here)?);
    let kept = own.filter(|_| now.is_some());
    let name = now.is_some().then(|| files.name());
    // A hook that stands in both files for a moment runs twice, and one that stands in none does not run.
    Ok(only_new(vec![
        Change::private(files.from, from, name),
        Change::private(files.before, before, kept),
        Change::private(files.moved, moved, now),
        Change::new(files.settings, settings, Some(after)),
    ]))
}

/// What `uninstall` changes, where entries were moved; `None` where none were.
pub(super) fn take(
    agent: &Agent,
    scope: Scope,
    here: &Here,
) -> Result<Option<Vec<Change>>, Problem> {
    let Some(files) = files(agent, scope, here) else { return Ok(None) };
    let Some(moved) = read_here(&files.moved, here)? else { return Ok(None) };
    if files.others(here)?.is_some() {
        return Ok(None);
    }
    let settings = read_here(&files.settings, here)?;
    let after = without(agent, settings.as_deref(), Some(&moved), &files, here)?;
    let after = after.or_else(|| emptied(&files.settings));
    let (before, from) = (read_here(&files.before, here)?, read_here(&files.from, here)?);
    Ok(Some(only_new(vec![
        Change::new(files.settings, settings, after),
        Change::new(files.moved, Some(moved), None),
        Change::new(files.before, before, None),
        Change::new(files.from, from, None),
    ])))
}

/// Whether a file is only kept so that an adoption can be taken back: people have nothing to see in it.
pub(super) fn is_kept(path: &Path, here: &Here) -> bool {
    let is_origin = |moved: PathBuf| discover::adopted_origin(&moved) == path;
    let mut origins = DialectId::agents().filter_map(|id| discover::adopted(id, &here.roots));
    path.starts_with(&here.state) || origins.any(is_origin)
}

/// What the user's and the organisation's files say of the settings that entries were moved from, a line a file (BR-78).
pub(super) fn policies(agent: &Agent, here: &Here) -> Vec<String> {
    let Some(files) = files(agent, Scope::User, here) else { return Vec::new() };
    let (Ok(Some(_)), Ok(Some(from))) =
        (read_here(&files.moved, here), read_here(&files.from, here))
    else {
        return Vec::new();
    };
    let shown = |path: &str| shorten(path, &here.roots);
    let mut found = Vec::new();
    for source in discover::find(&here.roots).sources {
        let governs = matches!(source.layer, Layer::Managed | Layer::User);
        if !governs || source.dialect != DialectId::NATIVE {
            continue;
        }
        for switch in source.dialect.dialect().read_config(&source).switches {
            let Switch::Govern(govern) = switch else { continue };
            let words = govern.settings();
            if govern.file == Path::new(&from) && !words.is_empty() {
                let (by, of, words) = (shown(&source.name), shown(&from), words.join(", "));
                found.push(format!(
                    "what `{by}` says of `{of}` holds for the moved hooks, too: {words}"
                ));
            }
        }
    }
    found
}

/// The settings as they would be without our changes: identical to the original if nothing else was edited.
fn without(
    agent: &Agent,
    settings: Option<&str>,
    moved: Option<&str>,
    files: &Files,
    here: &Here,
) -> Result<Option<String>, Problem> {
    let wrong = |error: install::Wrong| refuse(&error, &files.settings, here);
    let left = match settings {
        Some(text) => take_out(agent, text).map_err(wrong)?,
        None => None,
    };
    let Some(moved) = moved else { return Ok(left) };
    let before = read_here(&files.before, here)?;
    let is_unedited = |before: &String| {
        let again = install::adopt(agent, before).ok().flatten();
        // What was cut off between two files left the settings as they were: to give back what still stands there would double it.
        let is_cut_off = left.as_ref() == Some(before);
        again.is_some_and(|adopted| (adopted.left == left || is_cut_off) && adopted.moved == *moved)
    };
    if let Some(before) = before.filter(is_unedited) {
        return Ok(Some(before));
    }
    let back = give_back(agent, left.as_deref(), moved);
    back.map(Some).map_err(|error| refuse(&error, &files.moved, here))
}
