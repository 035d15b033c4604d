//! A cache of the findings in approved scripts. A script with the same text and path is not parsed
//! again while the files that it depends on are unchanged. Returns what parsing would find.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::trust::loads::{self, Disk, Language, Loads, Scene};
use tenterhook_core::entry::digest::{Canon, Digest};

/// Names the reader, which may find something else in another version of this program.
const READER: &str = concat!("script 1 ", env!("CARGO_PKG_VERSION"));

/// One script that was read, and everything that its reader asked the disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::trust) struct ReadScript {
    /// The digest of its text, its place and everything else that it was read with.
    key: String,
    asked: Vec<Answered>,
    loads: Loads,
}

/// A question to the disk, with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Answered {
    File(PathBuf, bool),
    Directory(PathBuf, bool),
    /// The digest of the text.
    Text(PathBuf, Option<String>),
    Real(PathBuf, PathBuf),
}

impl Answered {
    /// Returns whether the disk still gives this answer.
    fn is_still_true(&self, disk: &dyn Disk) -> bool {
        match self {
            Self::File(path, answer) => disk.is_file(path) == *answer,
            Self::Directory(path, answer) => disk.is_directory(path) == *answer,
            Self::Text(path, answer) => text_digest(disk.read_text(path).as_deref()) == *answer,
            Self::Real(path, answer) => disk.real_path(path) == *answer,
        }
    }
}

fn text_digest(text: Option<&str>) -> Option<String> {
    text.map(|text| Digest::hash(text.as_bytes()).to_string())
}

/// The scripts that were read for one source, before and now.
#[derive(Debug, Default)]
pub(super) struct Memory {
    before: Vec<ReadScript>,
    now: RefCell<Vec<ReadScript>>,
}

impl Memory {
    /// Starts with the scripts that were read when the source was approved.
    pub(super) fn new(before: Vec<ReadScript>) -> Self {
        Self { before, now: RefCell::default() }
    }

    /// Returns all scripts that were read now.
    pub(super) fn into_scripts(self) -> Vec<ReadScript> {
        self.now.into_inner()
    }

    /// Returns what a script in this language loads. Uses the earlier result if the disk still
    /// gives the same answers.
    pub(super) fn find_loads(&self, language: Language, text: &str, scene: Scene<'_>) -> Loads {
        let key = script_key(language, text, scene).to_string();
        let known = self.before.iter().find(|script| script.key == key);
        let known =
            known.filter(|script| script.asked.iter().all(|asked| asked.is_still_true(scene.disk)));
        let script = known.cloned().unwrap_or_else(|| {
            let disk = Recorder { disk: scene.disk, asked: RefCell::default() };
            let loads = loads::find_loads(language, text, Scene { disk: &disk, ..scene });
            ReadScript { key: key.clone(), asked: disk.asked.into_inner(), loads }
        });
        let loads = script.loads.clone();
        let mut now = self.now.borrow_mut();
        // Entries of one source share scripts.
        if !now.iter().any(|other| other.key == key) {
            now.push(script);
        }
        loads
    }
}

/// Returns a digest of everything that affects how a script is read, except for the answers of the
/// disk.
fn script_key(language: Language, text: &str, scene: Scene<'_>) -> Digest {
    let path = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
    let pairs = scene.env.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]);
    let search = scene
        .search
        .iter()
        .flat_map(|(directory, is_own)| [path(directory), vec![u8::from(*is_own)]]);
    Canon::new(READER)
        .with_field("language", format!("{language:?}"))
        .with_field("text", text)
        .with_optional_field("script", scene.script.map(path))
        .with_field("base", path(scene.base))
        .with_field("project", path(scene.project))
        .with_field("home", path(scene.home))
        .with_field("module", [u8::from(scene.is_module)])
        .with_optional_field("within", scene.within.map(|note| format!("{note:?}")))
        .with_list_field("search", search)
        .with_list_field("env", pairs)
        .finish()
}

/// A disk that writes down what it is asked.
struct Recorder<'a> {
    disk: &'a dyn Disk,
    asked: RefCell<Vec<Answered>>,
}

impl Recorder<'_> {
    fn record_answer(&self, asked: Answered) {
        let mut all = self.asked.borrow_mut();
        if !all.contains(&asked) {
            all.push(asked);
        }
    }
}

impl Disk for Recorder<'_> {
    fn is_file(&self, path: &Path) -> bool {
        let answer = self.disk.is_file(path);
        self.record_answer(Answered::File(path.to_owned(), answer));
        answer
    }

    fn is_directory(&self, path: &Path) -> bool {
        let answer = self.disk.is_directory(path);
        self.record_answer(Answered::Directory(path.to_owned(), answer));
        answer
    }

    fn read_text(&self, path: &Path) -> Option<String> {
        let answer = self.disk.read_text(path);
        self.record_answer(Answered::Text(path.to_owned(), text_digest(answer.as_deref())));
        answer
    }

    fn real_path(&self, path: &Path) -> PathBuf {
        let answer = self.disk.real_path(path);
        self.record_answer(Answered::Real(path.to_owned(), answer.clone()));
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A project in which these files are.
    struct Files(&'static [&'static str]);

    impl Disk for Files {
        fn is_file(&self, path: &Path) -> bool {
            self.0.iter().any(|file| Path::new(file) == path)
        }

        fn is_directory(&self, _: &Path) -> bool {
            false
        }

        fn read_text(&self, path: &Path) -> Option<String> {
            self.is_file(path).then(String::new)
        }

        fn real_path(&self, path: &Path) -> PathBuf {
            path.to_owned()
        }
    }

    fn read(memory: &Memory, text: &str, disk: &dyn Disk) -> Loads {
        let scene = Scene {
            script: Some(Path::new("/p/hooks/g.py")),
            base: Path::new("/p"),
            project: Path::new("/p"),
            home: Path::new("/h"),
            search: &[],
            is_module: false,
            within: None,
            env: &[],
            disk,
        };
        memory.find_loads(Language::Python, text, scene)
    }

    /// T-108: what was found at approval stands while text and disk are as they were.
    #[test]
    fn script_is_parsed_again_only_when_its_text_or_an_answer_of_the_disk_changes() {
        let (text, lib) = ("import lib\n", Files(&["/p/hooks/lib.py"]));
        let first = Memory::default();
        let found = read(&first, text, &lib);
        assert!(found.found.iter().any(|load| load.path.ends_with("lib.py")), "{found:?}");
        let mut kept = first.into_scripts();
        // Marks what is taken from memory.
        kept[0].loads.writes = true;
        assert!(read(&Memory::new(kept.clone()), text, &lib).writes);
        assert!(!read(&Memory::new(kept.clone()), "import lib \n", &lib).writes);
        assert!(!read(&Memory::new(kept.clone()), text, &Files(&[])).writes);
        let text_of_memory = serde_json::to_string(&kept).unwrap();
        assert_eq!(serde_json::from_str::<Vec<ReadScript>>(&text_of_memory).unwrap(), kept);
    }
}
