//! By which programs do scripts run, as their first lines say? A program of the project is pinned as a file, with its own first line.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{Pin, Reading, Step};

/// Most scripts that run by one another: the system follows fewer.
const MOST_ROUNDS: usize = 8;
/// Longest first line that a system reads.
const LONGEST: usize = 4096;

impl Reading<'_> {
    /// Reads the first line of each script, and pins the files of the project that it names.
    pub(super) fn pin_shebang_programs(&mut self, base: &Path) -> Step {
        let mut seen: HashSet<PathBuf> = HashSet::new();
        for _ in 0..MOST_ROUNDS {
            let lines: Vec<(PathBuf, bool, String)> = self
                .files
                .0
                .values()
                .filter(|pin| (pin.named || pin.executable) && !seen.contains(&pin.path))
                .filter_map(|pin| Some((pin.path.clone(), pin.named, shebang_line(pin)?)))
                .collect();
            if lines.is_empty() {
                break;
            }
            for (script, is_named, line) in lines {
                self.pin_shebang_program(&script, &line, base, is_named)?;
                seen.insert(script);
            }
        }
        self.pin_project_programs()
    }

    fn pin_shebang_program(
        &mut self,
        script: &Path,
        line: &str,
        base: &Path,
        is_named: bool,
    ) -> Step {
        let ground = self.finding.ground;
        let named = self.finding.seen.read_shebang(line, script, base, ground);
        for mention in named.files.iter().filter(|mention| mention.path != script) {
            if mention.path.starts_with(ground.project) && mention.path.is_file() {
                self.pin_file_and_folder(&mention.path)?;
            }
        }
        let others = named.counted.into_iter().filter(|candidate| candidate.path != script);
        self.pin_candidates(&others.collect::<Vec<_>>())?;
        named.unpinned.into_iter().for_each(|text| self.report_unpinned_once(text));
        if is_named && line.split_whitespace().next().is_some_and(|first| first.ends_with("/env")) {
            // `env` finds its program by name.
            self.programs.extend(named.programs);
        }
        Ok(())
    }

    /// Pins programs that are found by name and lie in the project, because the search path has a
    /// directory of the project.
    fn pin_project_programs(&mut self) -> Step {
        let search = self.finding.search;
        let found: Vec<PathBuf> = self
            .programs
            .iter()
            .filter_map(|name| self.finding.seen.find_program(name, search))
            .filter(|path| path.starts_with(self.finding.ground.project))
            .collect();
        found.iter().try_for_each(|path| self.pin_file(path, true))
    }
}

/// Returns the text behind `#!`.
fn shebang_line(pin: &Pin) -> Option<String> {
    let line = pin.bytes.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line.get(..line.len().min(LONGEST))?).ok()?;
    Some(line.trim().to_owned()).filter(|line| !line.is_empty())
}
