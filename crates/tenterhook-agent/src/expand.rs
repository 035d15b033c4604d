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
    /// Puts commands of files in place, and adds the files that the prompt mentions; why not, where a hook objects.
    pub(crate) async fn expand(&self, text: String) -> Result<Expanded, PromptRefused> {
        let mut expanded = Expanded { prompt: text, context: Vec::new() };
        // What the person mentions is their word; what the file of a command mentions is the word of who wrote that.
        let own: Vec<String> = mentions(&expanded.prompt).into_iter().map(str::to_owned).collect();
        if let Some((name, args, body)) = self.command_of(&expanded.prompt).await {
            let prompt = body.replace("$ARGUMENTS", &args);
            let verdict = self.hooks.prompt_expanded(&name, &args, &prompt).await;
            if let Some(reason) = verdict.blocked.or(verdict.stop) {
                return Err(PromptRefused { reason, event: verdict.event });
            }
            expanded.prompt = verdict.prompt.unwrap_or(prompt);
            expanded.context = verdict.context;
        }
        for name in mentions(&expanded.prompt) {
            match self.mentioned(name, own.iter().any(|text| text == name)).await {
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

    /// The beginning of a file that is mentioned. What rules keep from the model no mention shows it.
    async fn mentioned(&self, name: &str, by_person: bool) -> io::Result<(String, bool)> {
        let context = self.permit_context();
        // A word without such a file is ordinary text.
        std::fs::metadata(self.settings.cwd.join(name))?;
        let judged = if by_person {
            self.permissions.mentioned(&context, name)
        } else {
            let path = self.settings.cwd.join(name);
            self.permissions.shown_unasked(&context, &path, Some(&self.settings.project)).await
        };
        file::text_of(judged.map_err(io::Error::other)?.open()?, MENTIONED)
    }

    /// Why the text is neither a prompt nor a command that somebody knows, where it is not.
    pub(crate) fn unknown_command(&self, text: &str) -> Option<String> {
        let name = command_name(text)?;
        let Settings { project, home, .. } = &self.settings;
        let known = candidate_paths(project, home, name).iter().any(|path| path.is_file());
        (!known).then(|| command::unknown(name))
    }

    /// The command that the text calls, with its arguments and what its file says.
    async fn command_of(&self, text: &str) -> Option<(String, String, String)> {
        let name = command_name(text)?;
        let args = text.trim().get(name.len() + 1..).unwrap_or_default();
        let Settings { project, home, .. } = &self.settings;
        let path = candidate_paths(project, home, name).into_iter().find(|path| path.is_file())?;
        let root = path.starts_with(project).then_some(project.as_path());
        let body = match self.permissions.shown_unasked(&self.permit_context(), &path, root).await {
            Ok(judged) => judged.whole().ok()?,
            Err(why) => {
                self.updates.warn("prompt", format!("`{}` is not read: {why}", path.display()));
                return None;
            }
        };
        let body = String::from_utf8_lossy(&body);
        Some((name.to_owned(), args.trim().to_owned(), without_front_matter(&body).to_owned()))
    }
}

/// The name of the command that a text calls, if it looks like one: a path does not.
fn command_name(text: &str) -> Option<&str> {
    let name = text.trim().strip_prefix('/')?.split(char::is_whitespace).next()?;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
    plain.then_some(name)
}

/// Where the file of a command or a skill may be; the project's before the user's.
fn candidate_paths(project: &Path, home: &Path, name: &str) -> Vec<PathBuf> {
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

fn without_front_matter(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("---\n") else { return text };
    rest.split_once("\n---\n").map_or(text, |(_, body)| body)
}

/// The words of a text that begin with `@`, without what ends a sentence.
fn mentions(text: &str) -> Vec<&str> {
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
        assert_eq!(mentions("see @src/a.rs, and (a@b) @x."), ["src/a.rs", "x"]);
        assert_eq!(mentions("nothing @ all"), [""; 0]);
    }

    #[test]
    fn a_command_is_one_plain_word() {
        assert_eq!(command_name(" /deploy prod"), Some("deploy"));
        assert_eq!(command_name("/usr/bin/env is missing"), None);
        assert_eq!((command_name("/"), command_name("deploy")), (None, None));
    }

    #[test]
    fn front_matter_is_not_part_of_a_command() {
        assert_eq!(without_front_matter("---\na: b\n---\nbody"), "body");
        assert_eq!(without_front_matter("body"), "body");
    }
}
