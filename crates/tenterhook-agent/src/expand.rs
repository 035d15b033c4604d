//! What a prompt refers to: a command that a file holds, files that it mentions. Works on the final text alone, after hooks.

use std::io;
use std::path::{Path, PathBuf};

use crate::agent::{Agent, Settings};
use crate::prompt::PromptRefused;
use crate::{command, file};

/// How much of a mentioned file goes to the model.
const MENTIONED: u64 = 64 << 10;

/// A prompt with everything that it refers to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expanded {
    /// What the model is asked.
    pub(crate) prompt: String,
    /// The files that it mentions.
    pub(crate) context: Vec<String>,
}

impl Agent {
    /// Replaces a command with the text of its file, and adds the files that the prompt mentions.
    /// Returns an error if a hook objects.
    pub(crate) async fn expand_prompt(&self, text: String) -> Result<Expanded, PromptRefused> {
        let mut expanded = Expanded { prompt: text, context: Vec::new() };
        // What the person mentions is their word; what the file of a command mentions is the word of who wrote that.
        let own: Vec<String> =
            mentioned_files(&expanded.prompt).into_iter().map(str::to_owned).collect();
        if let Some((name, args, body)) = self.load_file_command(&expanded.prompt).await {
            let prompt = body.replace("$ARGUMENTS", &args);
            let verdict = self.hooks.fire_before_prompt_expansion(&name, &args, &prompt).await;
            if let Some(reason) = verdict.blocked.or(verdict.stop) {
                return Err(PromptRefused { reason, event: verdict.event });
            }
            expanded.prompt = verdict.prompt.unwrap_or(prompt);
            expanded.context = verdict.context;
        }
        for name in mentioned_files(&expanded.prompt) {
            match self.read_mentioned_file(name, own.iter().any(|text| text == name)).await {
                Ok((content, all)) => {
                    let cut = if all { "" } else { ", its beginning" };
                    expanded.context.push(format!("The file `{name}`{cut}:\n{content}"));
                }
                // A word without such a file is ordinary text.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    self.updates.warn("prompt", format!("`{name}` is not added: {error}"));
                }
            }
        }
        Ok(expanded)
    }

    /// Reads the beginning of a mentioned file, unless a rule keeps it from the model.
    async fn read_mentioned_file(&self, name: &str, by_person: bool) -> io::Result<(String, bool)> {
        let context = self.permit_context();
        // A word without such a file is ordinary text.
        std::fs::metadata(self.settings.cwd.join(name))?;
        let judged = if by_person {
            self.permissions.resolve_mentioned_file(&context, name)
        } else {
            let path = self.settings.cwd.join(name);
            self.permissions
                .judge_unrequested_read(&context, &path, Some(&self.settings.project))
                .await
        };
        file::read_text_of_open(judged.map_err(io::Error::other)?.open()?, MENTIONED)
    }

    /// Returns the error message if the text calls a command that does not exist.
    pub(crate) fn unknown_command_error(&self, text: &str) -> Option<String> {
        let name = command_name(text)?;
        let Settings { project, home, .. } = &self.settings;
        let known = command_file_candidates(project, home, name).iter().any(|path| path.is_file());
        (!known).then(|| command::unknown_command_message(name))
    }

    /// Reads the file of the command that the text calls, and returns it with the name and the
    /// arguments of the command.
    async fn load_file_command(&self, text: &str) -> Option<(String, String, String)> {
        let name = command_name(text)?;
        let args = text.trim().get(name.len() + 1..).unwrap_or_default();
        let Settings { project, home, .. } = &self.settings;
        let path =
            command_file_candidates(project, home, name).into_iter().find(|path| path.is_file())?;
        let root = path.starts_with(project).then_some(project.as_path());
        let body = match self
            .permissions
            .judge_unrequested_read(&self.permit_context(), &path, root)
            .await
        {
            Ok(judged) => judged.read_whole().ok()?,
            Err(why) => {
                self.updates.warn("prompt", format!("`{}` is not read: {why}", path.display()));
                return None;
            }
        };
        let body = String::from_utf8_lossy(&body);
        Some((name.to_owned(), args.trim().to_owned(), strip_front_matter(&body).to_owned()))
    }
}

/// Returns the name of the command that a text calls, if it looks like a command and not like a
/// path.
fn command_name(text: &str) -> Option<&str> {
    let name = text.trim().strip_prefix('/')?.split(char::is_whitespace).next()?;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
    plain.then_some(name)
}

/// Returns the paths where the file of a command or a skill may be: the project's before the
/// user's.
fn command_file_candidates(project: &Path, home: &Path, name: &str) -> Vec<PathBuf> {
    let roots = [project, home];
    let files = roots.iter().flat_map(|root| {
        let claude = root.join(".claude");
        [
            claude.join("commands").join(format!("{name}.md")),
            claude.join("skills").join(name).join("SKILL.md"),
        ]
    });
    files.collect()
}

fn strip_front_matter(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("---\n") else { return text };
    rest.split_once("\n---\n").map_or(text, |(_, body)| body)
}

/// Returns the words of a text that begin with `@`, without punctuation at the end.
fn mentioned_files(text: &str) -> Vec<&str> {
    let words = text.split_whitespace().filter_map(|word| word.strip_prefix('@'));
    words
        .map(|word| word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']))
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_words_that_begin_with_an_at() {
        assert_eq!(mentioned_files("see @src/a.rs, and (a@b) @x."), ["src/a.rs", "x"]);
        assert_eq!(mentioned_files("nothing @ all"), [""; 0]);
    }

    #[test]
    fn a_command_is_one_plain_word() {
        assert_eq!(command_name(" /deploy prod"), Some("deploy"));
        assert_eq!(command_name("/usr/bin/env is missing"), None);
        assert_eq!((command_name("/"), command_name("deploy")), (None, None));
    }

    #[test]
    fn front_matter_is_not_part_of_a_command() {
        assert_eq!(strip_front_matter("---\na: b\n---\nbody"), "body");
        assert_eq!(strip_front_matter("body"), "body");
    }
}
