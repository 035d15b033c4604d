//! Stores what was found of each agent in a folder (`--resume DIR`), so that an interrupted run goes on at the first agent that it
//! lacks. Compares nothing, and knows no case.

use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};

use super::Found;
use super::cases::Column;

/// A folder with one file for each finished agent and column.
#[derive(Debug)]
pub(super) struct Stored<'a> {
    folder: &'a Path,
    /// The digest of Tenterhook's program: each program has its own results.
    program: u64,
}

impl<'a> Stored<'a> {
    pub(super) fn open(folder: &'a Path, program: Option<&Path>) -> Result<Self, String> {
        let named = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
        std::fs::create_dir_all(folder).map_err(|error| named(folder, error))?;
        let mut hasher = DefaultHasher::new();
        if let Some(program) = program {
            hasher.write(&std::fs::read(program).map_err(|error| named(program, error))?);
        }
        Ok(Self { folder, program: hasher.finish() })
    }

    /// Returns what was found of `name` before; otherwise plays it, and stores what is found.
    pub(super) fn find_or_play(
        &self,
        name: &str,
        column: Column,
        play: impl FnOnce() -> Result<Found, String>,
    ) -> Result<Found, String> {
        let path = self.path(name, column);
        if let Ok(text) = std::fs::read_to_string(&path) {
            let pairs = text.lines().filter_map(|line| line.split_once('\t'));
            return Ok(pairs.map(|(case, fate)| (case.to_owned(), fate.to_owned())).collect());
        }
        let found = play()?;
        let text: String = found.iter().map(|(case, fate)| format!("{case}\t{fate}\n")).collect();
        // Under another name until it is whole.
        let part = path.with_extension("part");
        std::fs::write(&part, text)
            .and_then(|()| std::fs::rename(&part, &path))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(found)
    }

    fn path(&self, name: &str, column: Column) -> PathBuf {
        self.folder.join(match column {
            Column::Without => format!("{name}.tsv"),
            Column::With => format!("{name}, {:016x}.tsv", self.program),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finished_agent_is_not_played_again_and_a_failed_one_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let stored = Stored::open(folder.path(), None).expect("it opens");
        let found = vec![("deny".to_owned(), "stopped, shown".to_owned())];
        let failed =
            stored.find_or_play("x", Column::With, || Err("the model was never asked".to_owned()));
        assert!(failed.is_err(), "a failure is not stored");
        assert_eq!(stored.find_or_play("x", Column::With, || Ok(found.clone())), Ok(found.clone()));
        assert_eq!(
            stored.find_or_play("x", Column::With, || Err("played again".to_owned())),
            Ok(found)
        );
    }

    #[test]
    fn another_program_is_played_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("program");
        std::fs::write(&program, "old").expect("it is written");
        let old = Stored::open(folder.path(), Some(&program)).expect("it opens");
        old.find_or_play("x", Column::With, || Ok(Found::new())).expect("it is played");
        std::fs::write(&program, "new").expect("it is written");
        let new = Stored::open(folder.path(), Some(&program)).expect("it opens");
        assert!(new.find_or_play("x", Column::With, || Err("played".to_owned())).is_err());
    }
}
