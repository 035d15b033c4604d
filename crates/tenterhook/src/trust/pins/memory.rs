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
    /// Whether the disk still answers so.
    fn holds(&self, disk: &dyn Disk) -> bool {
        match self {
            Self::File(path, answer) => disk.is_file(path) == *answer,
            Self::Directory(path, answer) => disk.is_directory(path) == *answer,
            Self::Text(path, answer) => digest(disk.text(path).as_deref()) == *answer,
            Self::Real(path, answer) => disk.real(path) == *answer,
        }
    }
}

fn digest(text: Option<&str>) -> Option<String> {
    text.map(|text| Digest::hash(text.as_bytes()).to_string())
}

/// The scripts that were read for one source, before and now.
#[derive(Debug, Default)]
pub(super) struct Memory {
    before: Vec<ReadScript>,
    now: RefCell<Vec<ReadScript>>,
}

impl Memory {
    /// Starts with the findings at the approval of the source.
    pub(super) fn new(before: Vec<ReadScript>) -> Self {
        Self { before, now: RefCell::default() }
    }

    /// Everything that was read now.
    pub(super) fn into_read(self) -> Vec<ReadScript> {
        self.now.into_inner()
    }

    /// What a text of this language loads.
    pub(super) fn read(&self, language: Language, text: &str, scene: Scene<'_>) -> Loads {
        let key = key(language, text, scene).to_string();
        let known = self.before.iter().find(|script| script.key == key);
        let known = known.filter(|script| script.asked.iter().all(|asked| asked.holds(scene.disk)));
        let script = known.cloned().unwrap_or_else(|| {
            let disk = Recorder { disk: scene.disk, asked: RefCell::default() };
            let loads = loads::read(language, text, Scene { disk: &disk, ..scene });
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

/// Everything that a script is read with, but what the disk answers.
fn key(language: Language, text: &str, scene: Scene<'_>) -> Digest {
    let path = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
    let pairs = scene.env.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]);
    let search = scene
        .search
        .iter()
        .flat_map(|(directory, is_own)| [path(directory), vec![u8::from(*is_own)]]);
    Canon::new(READER)
        .field("language", format!("{language:?}"))
        .field("text", text)
        .maybe("script", scene.script.map(path))
        .field("base", path(scene.base))
        .field("project", path(scene.project))
        .field("home", path(scene.home))
        .field("module", [u8::from(scene.is_module)])
        .maybe("within", scene.within.map(|note| format!("{note:?}")))
        .list("search", search)
        .list("env", pairs)
        .end()
}

/// A disk that writes down what it is asked.
struct Recorder<'a> {
    disk: &'a dyn Disk,
    asked: RefCell<Vec<Answered>>,
}

impl Recorder<'_> {
    fn note(&self, asked: Answered) {
        let mut all = self.asked.borrow_mut();
        if !all.contains(&asked) {
            all.push(asked);
        }
    }
}

impl Disk for Recorder<'_> {
    fn is_file(&self, path: &Path) -> bool {
        let answer = self.disk.is_file(path);
        self.note(Answered::File(path.to_owned(), answer));
        answer
    }

    fn is_directory(&self, path: &Path) -> bool {
        let answer = self.disk.is_directory(path);
        self.note(Answered::Directory(path.to_owned(), answer));
        answer
    }

    fn text(&self, path: &Path) -> Option<String> {
        let answer = self.disk.text(path);
        self.note(Answered::Text(path.to_owned(), digest(answer.as_deref())));
        answer
    }

    fn real(&self, path: &Path) -> PathBuf {
        let answer = self.disk.real(path);
        self.note(Answered::Real(path.to_owned(), answer.clone()));
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

        fn text(&self, path: &Path) -> Option<String> {
            self.is_file(path).then(String::new)
        }

        fn real(&self, path: &Path) -> PathBuf {
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
        memory.read(Language::Python, text, scene)
    }

    /// T-108: what was found at approval stands while text and disk are as they were.
    #[test]
    fn script_is_parsed_again_only_when_its_text_or_an_answer_of_the_disk_changes() {
        let (text, lib) = ("import lib\n", Files(&["/p/hooks/lib.py"]));
        let first = Memory::default();
        let found = read(&first, text, &lib);
        assert!(found.found.iter().any(|load| load.path.ends_with("lib.py")), "{found:?}");
        let mut kept = first.into_read();
        // Marks what is taken from memory.
        kept[0].loads.writes = true;
        assert!(read(&Memory::new(kept.clone()), text, &lib).writes);
        assert!(!read(&Memory::new(kept.clone()), "import lib \n", &lib).writes);
        assert!(!read(&Memory::new(kept.clone()), text, &Files(&[])).writes);
        let text_of_memory = serde_json::to_string(&kept).unwrap();
        assert_eq!(serde_json::from_str::<Vec<ReadScript>>(&text_of_memory).unwrap(), kept);
    }
}
