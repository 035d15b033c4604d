//! Obeys the commands that a person types. Each answers with a page, or does what it says.

use std::path::{Path, PathBuf};

use super::{Exit, Session, hook_message};
use crate::agent::Settings;
use crate::command::{self, Command, Hooks};
use crate::permission::Mode;
use crate::transcript::{self, StoredSession, Transcript, list};
use crate::update::Update;

/// Why the agent cannot work in a directory.
#[derive(Debug, thiserror::Error)]
enum DirectoryError {
    #[error("`{path}` is not a directory", path = .0.display())]
    NotDirectory(PathBuf),
    #[error("`{path}`: {source}", path = .path.display())]
    Lookup { path: PathBuf, source: std::io::Error },
}

impl Session {
    /// Runs one command.
    pub(super) async fn run_command(&mut self, command: Command) -> Result<(), Exit> {
        match command {
            Command::Help => self.show_page("/help", command::help_page()),
            Command::Hooks(hooks) => self.run_hooks_command(hooks).await,
            Command::Permissions(mode) => self.run_permissions_command(mode).await,
            Command::RemoveRule(number) => self.remove_rule(number),
            Command::Compact(instructions) => {
                if let Err(why) = self.agent.compact_conversation("manual", &instructions).await {
                    self.show_page("/compact", why.to_string());
                }
            }
            Command::Clear => self.clear_conversation().await?,
            Command::Model(model) => self.run_model_command(model).await,
            Command::Resume(file) => self.resume_other_session(file).await?,
            Command::Fork => self.fork_session().await?,
            Command::Cd(directory) => self.change_directory(&directory).await,
            Command::AddDir(directory) => self.add_directory(&directory).await,
            Command::Quit => return Err(Exit::with_reason("prompt_input_exit")),
        }
        Ok(())
    }

    fn show_page(&self, title: &str, text: impl Into<String>) {
        self.agent.updates.send(Update::Page { title: title.to_owned(), text: text.into() });
    }

    async fn run_hooks_command(&self, what: Hooks) {
        let hooks = &self.agent.hooks;
        let text = match what {
            Hooks::List => hooks.hooks_page(),
            Hooks::Events(agent) => hooks.events_page(&agent),
            Hooks::Explain(name) => {
                hooks.explanation_page(&name).unwrap_or_else(|error| error.to_string())
            }
            Hooks::Reload => hooks.reload(),
            Hooks::Enable(name) => {
                hooks.set_hook_enabled(&name, true).unwrap_or_else(|error| error.to_string())
            }
            Hooks::Disable(name) => {
                hooks.set_hook_enabled(&name, false).unwrap_or_else(|error| error.to_string())
            }
        };
        // Others than before may name files to watch.
        self.watch.refresh_watched_files().await;
        self.show_page("/hooks", text);
    }

    async fn run_permissions_command(&self, word: Option<String>) {
        let Some(word) = word else {
            let page = self.agent.permissions.rules_page();
            let sandbox = self.agent.settings.sandbox.permissions_line();
            return self.show_page("/permissions", format!("{sandbox}{page}"));
        };
        let Some(mode) = Mode::from_name(&word) else {
            let words: Vec<_> = Mode::ALL.iter().map(|(_, word)| *word).collect();
            let text = format!("`{word}` is not a mode: say one of {}", words.join(", "));
            return self.show_page("/permissions", text);
        };
        let before = self.agent.permissions.mode();
        self.agent.permissions.set_mode(mode);
        let hooks = &self.agent.hooks;
        if mode != before {
            hooks.fire_mode_changed(before.name(), mode.name()).await;
        }
        self.show_page("/permissions", format!("The mode is `{}`.", mode.name()));
    }

    fn remove_rule(&self, number: usize) {
        let text = match self.agent.permissions.remove_rule(number) {
            Ok(rule) => format!("Not any more: {rule}"),
            Err(why) => why.to_string(),
        };
        self.show_page("/permissions", text);
    }

    /// Ends the conversation and begins a new one in the same session.
    async fn clear_conversation(&mut self) -> Result<(), Exit> {
        self.agent.hooks.fire_session_ended("clear", self.agent.turns).await;
        self.agent.drop_pending_messages();
        self.agent.clear_conversation();
        self.agent.updates.send(Update::Cleared);
        self.source = "clear";
        self.start_session().await
    }

    async fn run_model_command(&mut self, name: Option<String>) {
        let Some(name) = name else {
            let text = format!("The model is `{}`.", self.agent.settings.model);
            return self.show_page("/model", text);
        };
        let from = self.agent.settings.model.clone();
        let verdict = self.agent.hooks.fire_before_model_switch(&from, &name).await;
        if let Some(reason) = verdict.blocked.or(verdict.ask) {
            return self.show_page("/model", format!("The model stays `{from}`: {reason}"));
        }
        match crate::model::open(Some(&name), &self.agent.settings.env) {
            Ok(opened) => {
                self.agent.provider = opened.provider;
                self.agent.seen.require_rejudging();
                self.agent.settings.model.clone_from(&name);
                self.agent.hooks.set_session_fact("model", name.as_str());
                self.agent.hooks.fire_model_switched(&from, &name).await;
                self.show_page("/model", format!("The model is `{name}`."));
            }
            Err(error) => self.show_page("/model", error.to_string()),
        }
    }

    /// Leaves this session and continues a different one.
    async fn resume_other_session(&mut self, file: Option<String>) -> Result<(), Exit> {
        let Some(file) = file else {
            let text = list::transcripts_page(self.agent.transcript.path());
            self.show_page("/resume", text);
            return Ok(());
        };
        let listed =
            file.parse::<usize>().ok().and_then(|file| file.checked_sub(1)).and_then(|at| {
                let (_, path) =
                    list::sibling_transcripts(self.agent.transcript.path()).into_iter().nth(at)?;
                Some(path)
            });
        let file = listed.map_or(file, |path| path.display().to_string());
        let path = Path::new(&file);
        let own = &self.agent.transcript;
        let (stored, transcript) = match own.resume_other_transcript(path) {
            Ok(read) => read,
            Err(error) => {
                self.show_page("/resume", format!("`{file}` cannot be read: {error}"));
                return Ok(());
            }
        };
        let note = self.switch_session(stored, transcript, "resume").await?;
        self.show_page("/resume", note);
        Ok(())
    }

    /// Leaves this session as it is and continues in a copy: a separate session, where once-only
    /// hooks may run again.
    async fn fork_session(&mut self) -> Result<(), Exit> {
        let name = format!("{}.jsonl", transcript::new_session_id());
        let path = self.agent.transcript.path().with_file_name(name);
        let stored = StoredSession::forked_from(self.agent.messages.clone());
        let Settings { model, cwd, .. } = &self.agent.settings;
        let copied = Transcript::open(&path).and_then(|copy| {
            let (_, begun) = copy.write_session_start(&stored, model, cwd);
            begun.and(copy.copy_messages(&stored)).map(|()| copy)
        });
        match copied {
            Ok(copy) => {
                let note = self.switch_session(stored, copy, "fork").await?;
                self.show_page("/fork", note);
            }
            Err(error) => {
                let why = format!("`{}` cannot be written: {error}", path.display());
                self.show_page("/fork", why);
            }
        }
        Ok(())
    }

    /// Ends this session and begins the stored one. Returns a message for the user.
    async fn switch_session(
        &mut self,
        stored: StoredSession,
        transcript: Transcript,
        source: &'static str,
    ) -> Result<String, Exit> {
        self.agent.hooks.fire_session_ended("resume", self.agent.turns).await;
        // A copy goes on where the screen stands.
        if source == "resume" {
            self.agent.drop_pending_messages();
            self.agent.updates.send(Update::Cleared);
        }
        let note = self.agent.resume_session(stored, transcript);
        self.source = source;
        self.start_session().await?;
        Ok(note)
    }

    async fn change_directory(&mut self, directory: &str) {
        let to = match self.resolve_directory(directory) {
            Ok(to) => to,
            Err(error) => return self.show_page("/cd", error.to_string()),
        };
        let from = std::mem::replace(&mut self.agent.settings.cwd, to.clone());
        self.agent.hooks.update_context(|place| place.cwd.clone_from(&to));
        self.agent.hooks.fire_cwd_changed(&from, &to).await;
        self.watch.refresh_watched_files().await;
        self.show_page("/cd", format!("Working in `{}`.", to.display()));
    }

    async fn add_directory(&mut self, directory: &str) {
        let added = match self.resolve_directory(directory) {
            Ok(added) => added,
            Err(error) => return self.show_page("/add-dir", error.to_string()),
        };
        self.agent.permissions.read_or_change_added_directories(|all| all.push(added.clone()));
        let verdict = self.agent.hooks.fire_directory_added(&added, "slash_command").await;
        if !verdict.context.is_empty() {
            self.agent
                .steering
                .add_message_without_model_call(hook_message(String::new(), verdict.context));
        }
        self.show_page("/add-dir", format!("`{}` may be changed, too.", added.display()));
    }

    fn resolve_directory(&self, name: &str) -> Result<PathBuf, DirectoryError> {
        let path = self.agent.settings.cwd.join(name);
        match path.canonicalize() {
            Ok(path) if path.is_dir() => Ok(path),
            Ok(path) => Err(DirectoryError::NotDirectory(path)),
            Err(source) => Err(DirectoryError::Lookup { path, source }),
        }
    }
}
