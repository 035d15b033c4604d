//! The name of a hook for people: its own, or the file that it runs. Identifies nothing: two hooks may share one.

use super::{Hook, Run};

/// How many characters of a command line without a file are shown.
const LONGEST: usize = 28;

impl Hook {
    /// The name that its author gave it; an id with a colon was made up and only says where the hook stands.
    #[must_use]
    pub fn own_name(&self) -> Option<&str> {
        Some(self.id.as_str()).filter(|id| !id.contains(':'))
    }

    /// Its own name, or the file that it runs where it has none. It stays the same when hooks are added beside it.
    #[must_use]
    pub fn short_name(&self) -> String {
        if let Some(name) = self.own_name() {
            return name.to_owned();
        }
        // The substitute for an unusable hook runs no program to name it by.
        if matches!(self.run, Run::Unusable { .. }) {
            return self.id.to_string();
        }
        self.program_name().unwrap_or_else(|| cut(&self.run.line()))
    }

    /// The name of the file that it runs, where its command names one outside the system's directories.
    #[must_use]
    pub fn program_name(&self) -> Option<String> {
        // A question to a model may speak of files; it runs none.
        if matches!(self.run, Run::Prompt(_)) {
            return None;
        }
        let text = self.run.line();
        let bare = |word: &str| word.trim_matches(['"', '\'', ';', '(', ')']).to_owned();
        let program = |word: &String| {
            word.contains('/') && !word.starts_with("/bin/") && !word.starts_with("/usr/")
        };
        let path = programs(&text).map(bare).find(program)?;
        let last = path.rsplit('/').find(|part| !part.is_empty())?;
        Some(last.replace('"', ""))
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST - 1) {
        Some((at, _)) if text.chars().count() > LONGEST => {
            text.get(..at).map_or_else(String::new, |start| format!("{start}…"))
        }
        _ => text.to_owned(),
    }
}

/// The words of a command line but those that say where its output goes or its input comes from.
fn programs(line: &str) -> impl Iterator<Item = &str> {
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
