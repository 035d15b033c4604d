//! Which files hold sessions: where each agent keeps its own, or what lies below a path. Follows no link to a directory.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use tenterhook_core::agents::Sessions;
use tenterhook_core::transcript::TranscriptAgent;

use super::{Form, Found, Session, open};
use crate::ambient::Here;
use crate::problem::Problem;

/// How deep directories are looked into: Codex has year, month and day.
const DEPTH: usize = 12;

/// Finds sessions in `paths`, or where each agent stores its sessions; only those of `agent` if it is given.
pub(crate) fn find_sessions(
    paths: &[PathBuf],
    agent: Option<TranscriptAgent>,
    here: &Here,
) -> Result<Found, Problem> {
    let mut found = Found::default();
    let mut seen = BTreeSet::new();
    for path in paths {
        let is_there = fs::metadata(path).map_err(|error| {
            Problem::new(format!("`{}` cannot be read: {error}", path.display()))
                .with_help("name a file with a recorded session, or a directory with such files")
        })?;
        match is_there.is_dir() {
            true => collect_sessions(path, 0, &mut seen, &mut found),
            false => add_session(path, true, &mut seen, &mut found),
        }
    }
    if paths.is_empty() {
        for place in session_directories(agent, here) {
            match place.is_dir() {
                true => collect_sessions(&place, 0, &mut seen, &mut found),
                false => add_session(&place, false, &mut seen, &mut found),
            }
        }
        // There, other files of the agents lie beside their sessions.
        found.strange.retain(|(_, why)| why != STRANGE);
    }
    found.sessions.retain(|session| agent.is_none_or(|agent| session.agent == agent));
    found.sessions.sort_by(|a, b| (a.modified, &a.path).cmp(&(b.modified, &b.path)));
    Ok(found)
}

/// Returns the directories and databases in which agents store their sessions.
fn session_directories(agent: Option<TranscriptAgent>, here: &Here) -> Vec<PathBuf> {
    let wanted =
        TranscriptAgent::ALL.into_iter().filter(|other| agent.is_none_or(|agent| *other == agent));
    let paths = |sessions: &'static Sessions| {
        let is_variable = |name: &str| sessions.variable == Some(name);
        let moved = here.env.iter().find(|(name, value)| is_variable(name) && !value.is_empty());
        let base = match moved {
            Some((_, directory)) => PathBuf::from(directory),
            None => here.roots.home.join(sessions.home),
        };
        sessions.directories.iter().map(move |directory| base.join(directory))
    };
    wanted.filter_map(|agent| agent.agent_row().sessions.as_ref()).flat_map(paths).collect()
}

const STRANGE: &str = "its records are of no agent that is known here";

fn collect_sessions(
    directory: &Path,
    depth: usize,
    seen: &mut BTreeSet<PathBuf>,
    found: &mut Found,
) {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => return found.strange.push((directory.to_owned(), error.to_string())),
    };
    for entry in entries.flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEPTH => {
                collect_sessions(&path, depth + 1, seen, found)
            }
            Ok(kind) if !kind.is_dir() => add_session(&path, false, seen, found),
            _ => {}
        }
    }
}

/// The names of databases; `*` matches any text.
const DATABASES: &[(&str, TranscriptAgent)] = &[
    ("opencode*.db", TranscriptAgent::OpenCode),
    ("kilo*.db", TranscriptAgent::Kilo),
    ("openclaw-agent.sqlite", TranscriptAgent::OpenClaw),
    ("state.db", TranscriptAgent::Hermes),
];

fn agent_of_database(name: &str) -> Option<TranscriptAgent> {
    let fits = |pattern: &str| match pattern.split_once('*') {
        Some((start, end)) => name.starts_with(start) && name.ends_with(end),
        None => name == pattern,
    };
    DATABASES.iter().find_map(|(pattern, agent)| fits(pattern).then_some(*agent))
}

fn is_in_store(path: &Path) -> bool {
    path.ancestors().nth(2).is_some_and(|store| store.join("CURRENT").is_file())
}

/// Returns the form of the records in a file, by its name. A file that the user named may have any
/// name.
fn record_form_from_file_name(path: &Path, is_named: bool) -> Option<Form> {
    let name = path.file_name()?.to_string_lossy();
    Some(match &*name {
        // A journal of a store is read with the store.
        name if name.ends_with(".jsonl") && !is_named && is_in_store(path) => return None,
        name if name.ends_with(".jsonl") => Form::Lines,
        name if name.ends_with(".jsonl.zst") => Form::Compressed,
        name if agent_of_database(name).is_some() || is_named && name.ends_with(".db") => {
            Form::Database
        }
        // Databases of other programs have a file of that name, too.
        "CURRENT" if path.with_file_name("generations").is_dir() => Form::Store,
        name if name.ends_with(".json") && (is_named || name.starts_with("session-")) => {
            Form::Whole
        }
        _ if is_named => Form::Lines,
        _ => return None,
    })
}

fn add_session(path: &Path, is_named: bool, seen: &mut BTreeSet<PathBuf>, found: &mut Found) {
    let Some(form) = record_form_from_file_name(path, is_named) else { return };
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if !seen.insert(real) {
        return;
    }
    match recognize_session(path, form) {
        Ok(Some(session)) => found.sessions.push(session),
        Ok(None) => found.strange.push((path.to_owned(), STRANGE.to_owned())),
        // It was removed since it was listed.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => found.strange.push((path.to_owned(), error.to_string())),
    }
}

fn recognize_session(path: &Path, form: Form) -> io::Result<Option<Session>> {
    let about = fs::metadata(path)?;
    if about.len() == 0 {
        return Ok(None);
    }
    let agent = match form {
        Form::Database => {
            let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            Some(agent_of_database(&name).unwrap_or(TranscriptAgent::OpenCode))
        }
        form => open::recognize_agent(path, form)?,
    };
    let Some(agent) = agent else { return Ok(None) };
    let modified = about.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
    let mut session = Session {
        path: path.to_owned(),
        agent,
        form,
        bytes: about.len(),
        modified,
        cwd: None,
        subagent: None,
    };
    match agent {
        TranscriptAgent::Gemini => session.cwd = gemini_project_root(path),
        TranscriptAgent::Tenterhook => session.subagent = subagent_call_id(path),
        _ => {}
    }
    Ok(Some(session))
}

/// Reads the project of a Gemini session, which Gemini stores only in a file beside its sessions.
fn gemini_project_root(path: &Path) -> Option<String> {
    path.ancestors()
        .skip(1)
        .take(4)
        .find_map(|ancestor| open::read_small_text(&ancestor.join(".project_root")))
}

/// Returns the call that started a subagent of the reference agent, whose file is named
/// `SESSION.CALL.jsonl`.
fn subagent_call_id(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let stem = name.strip_suffix(".jsonl")?;
    stem.split_once('.').map(|(_, call)| call.to_owned())
}
