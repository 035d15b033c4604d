//! Where the demo's files are: in the repository when it is played there, else in copies of what was built in.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::executable::make_executable;
use crate::problem::Problem;

/// One play: a recorded session, and the hook files that answer it.
#[derive(Debug)]
pub(super) struct Play {
    /// Its directory below `examples/`.
    directory: &'static str,
    /// The recorded session.
    pub(super) session: &'static str,
    /// The hook files, in the order in which they are loaded.
    pub(super) configs: &'static [&'static str],
    /// Every file that it needs.
    files: &'static [(&'static str, &'static str)],
    /// Its first line: `{hooks}` and `{place}` are filled in.
    pub(super) title: &'static str,
    /// What to try next: a command, from the root of the repository.
    pub(super) next: &'static str,
}

/// Two formats, one of them Tenterhook's own.
pub(super) static PLAIN: Play = Play {
    directory: "",
    session: "demo/session.jsonl",
    configs: &["tenterhook.toml", ".claude/settings.json"],
    files: FILES,
    title: "A recorded agent session, played through the {hooks} of {place}",
    next: "tenterhook explain --config examples/tenterhook.toml Bash 'sudo git push -f'",
};

/// Hooks that were written for five agents.
pub(super) static MIXED: Play = Play {
    directory: "mixed",
    session: "session.jsonl",
    configs: &[
        ".claude/settings.json",
        ".gen/settings.json",
        ".ignis/hooks.json",
        ".codewhale/hooks.toml",
        ".reasonix/settings.json",
    ],
    files: MIXED_FILES,
    title: "Hooks written for five agents, answering one: the {hooks} of {place}",
    next: "tenterhook explain --config examples/mixed/.gen/settings.json Bash 'npm publish'",
};

macro_rules! mixed {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../demo/mixed/", $name)))),*]
    };
}

const MIXED_FILES: &[(&str, &str)] = mixed![
    ".claude/settings.json",
    ".codewhale/hooks.toml",
    ".gen/settings.json",
    ".ignis/hooks.json",
    ".reasonix/settings.json",
    "hooks/ask-before-publish.sh",
    "hooks/keep-generated.sh",
    "hooks/name-the-issue.sh",
    "hooks/no-recursive-delete.sh",
    "hooks/nothing-left-to-do.sh",
    "hooks/say-what-to-run.sh",
    "hooks/write-out.sh",
    "session.jsonl",
];

/// Every file of `examples/` that the plain play needs.
const FILES: &[(&str, &str)] = &[
    (".claude/settings.json", include_str!("../../../demo/.claude/settings.json")),
    ("tenterhook.toml", include_str!("../../../demo/tenterhook.toml")),
    ("demo/session.jsonl", include_str!("../../../demo/demo/session.jsonl")),
    ("hooks/no-force-push.sh", include_str!("../../../demo/hooks/no-force-push.sh")),
    ("hooks/no-recursive-delete.sh", include_str!("../../../demo/hooks/no-recursive-delete.sh")),
    ("hooks/protect-secrets.sh", include_str!("../../../demo/hooks/protect-secrets.sh")),
    ("hooks/session-context.sh", include_str!("../../../demo/hooks/session-context.sh")),
    ("hooks/tests-before-done.sh", include_str!("../../../demo/hooks/tests-before-done.sh")),
    ("hooks/whitespace-note.sh", include_str!("../../../demo/hooks/whitespace-note.sh")),
];

impl Play {
    /// Writes the files of the play into a directory.
    pub(super) fn write_files(&self, root: &Path) -> io::Result<()> {
        for (name, text) in self.files {
            let path = root.join(name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&path, text)?;
            if name.ends_with(".sh") {
                make_executable(&path)?;
            }
        }
        Ok(())
    }
}

/// A directory with the demo's files.
#[derive(Debug)]
pub(super) struct Stage {
    /// Where they are.
    pub(super) root: PathBuf,
    /// What they are called on the screen.
    pub(super) name: String,
    /// Copies live as long as this.
    _copies: Option<TempDir>,
}

impl Stage {
    /// The directory that the caller names; else the repository's, when the caller stands in it; else copies.
    ///
    /// The path of the repository is fixed when the program is built. Elsewhere, whatever lies there is not the
    /// repository's, so nothing is run from it unless the caller is there.
    pub(super) fn find_or_copy_directory(
        play: &Play,
        named: Option<&Path>,
        cwd: &Path,
    ) -> Result<Self, Problem> {
        if let Some(root) = named {
            let name = root.components().collect::<PathBuf>().display().to_string();
            return Ok(Self { root: cwd.join(root), name, _copies: None });
        }
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
        let here = repository
            .filter(|repository| cwd.starts_with(repository))
            .map(|repository| repository.join("examples"));
        let here = here.map(|path| path.join(play.directory).components().collect::<PathBuf>());
        match here.filter(|path| path.join(play.session).is_file()) {
            Some(root) => {
                let name = format!("examples/{}", play.directory);
                let name = name.trim_end_matches('/').to_owned();
                Ok(Self { root, name, _copies: None })
            }
            None => Self::copy_to_temp_dir(play).map_err(|error| {
                Problem::new(format!("the built-in examples cannot be written: {error}"))
            }),
        }
    }

    fn copy_to_temp_dir(play: &Play) -> io::Result<Self> {
        let copies = tempfile::Builder::new().prefix("tenterhook-demo-").tempdir()?;
        play.write_files(copies.path())?;
        let root = copies.path().to_owned();
        Ok(Self { root, name: "the built-in examples".to_owned(), _copies: Some(copies) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_hook_is_built_in() {
        for play in [&PLAIN, &MIXED] {
            let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
            let mut known: Vec<_> =
                play.files.iter().filter_map(|(name, _)| name.strip_prefix("hooks/")).collect();
            known.sort_unstable();
            let hooks = examples.join(play.directory).join("hooks");
            let mut there: Vec<_> = fs::read_dir(hooks)
                .expect("the hooks")
                .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
                // The demo needs `sh` and nothing else.
                .filter(|name| name.ends_with(".sh"))
                .collect();
            there.sort_unstable();
            assert_eq!(known, there);
        }
    }

    #[test]
    fn copies_vanish_with_the_stage() {
        let stage = Stage::find_or_copy_directory(&MIXED, None, Path::new("/")).expect("copies");
        assert!(stage.root.join(MIXED.session).is_file());
        assert!(MIXED.configs.iter().all(|config| stage.root.join(config).is_file()));
        let root = stage.root.clone();
        drop(stage);
        assert!(!root.exists());
    }
}
