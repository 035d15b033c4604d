//! The name of a hook for people: its own, or the file that it runs. Identifies nothing: two hooks may share one.

use super::{Hook, Run};

/// How many characters of a command line without a file are shown.
const LONGEST: usize = 28;

impl Hook {
    /// Returns the name that the author gave the hook. An id with a colon is generated and only
    /// states the hook's position.
    #[must_use]
    pub fn configured_name(&self) -> Option<&str> {
        Some(self.id.as_str()).filter(|id| !id.contains(':'))
    }

    /// Returns the configured name, otherwise the name of the file that the hook runs. It stays the
    /// same if other hooks are added.
    #[must_use]
    pub fn short_name(&self) -> String {
        if let Some(name) = self.configured_name() {
            return name.to_owned();
        }
        // The substitute for an unusable hook runs no program to name it by.
        if matches!(self.run, Run::Unusable { .. }) {
            return self.id.to_string();
        }
        self.program_name().unwrap_or_else(|| truncate_name(&self.run.one_line_description()))
    }

    /// Returns the name of the file that the hook runs, if its command names one outside the
    /// system's directories.
    #[must_use]
    pub fn program_name(&self) -> Option<String> {
        // A question to a model may speak of files; it runs none.
        if matches!(self.run, Run::Prompt(_)) {
            return None;
        }
        let text = self.run.one_line_description();
        let bare = |word: &str| word.trim_matches(['"', '\'', ';', '(', ')']).to_owned();
        let program = |word: &String| {
            word.contains('/') && !word.starts_with("/bin/") && !word.starts_with("/usr/")
        };
        let path = words_without_redirections(&text).map(bare).find(program)?;
        let last = path.rsplit('/').find(|part| !part.is_empty())?;
        Some(last.replace('"', ""))
    }
}

fn truncate_name(text: &str) -> String {
    match text.char_indices().nth(LONGEST - 1) {
        Some((at, _)) if text.chars().count() > LONGEST => {
            text.get(..at).map_or_else(String::new, |start| format!("{start}…"))
        }
        _ => text.to_owned(),
    }
}

/// Returns the words of a command line without its redirections.
fn words_without_redirections(line: &str) -> impl Iterator<Item = &str> {
    let mut after = false;
    line.split_whitespace().filter(move |word| {
        let rest = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
        let is_one = rest.starts_with(['>', '<']);
        let target = std::mem::replace(
            &mut after,
            is_one && rest.trim_matches(['>', '<', '|', '&']).is_empty(),
        );
        !is_one && !target
    })
}
