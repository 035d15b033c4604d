//! Obeys the commands that a person types. Each answers with a page, or does what it says.

use std::path::{Path, PathBuf};

use super::{Exit, Session, from_hook};
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
            Command::Help => self.page("/help", command::help()),
            Command::Hooks(hooks) => self.hooks(hooks).await,
            Command::Permissions(mode) => self.permissions(mode).await,
            Command::RemoveRule(number) => self.remove_rule(number),
            Command::Compact(instructions) => {
                if let Err(why) = self.agent.compact("manual", &instructions).await {
                    self.page("/compact", why.to_string());
                }
            }
            Command::Clear => self.clear().await?,
            Command::Model(model) => self.model(model).await,
            Command::Resume(file) => self.resume(file).await?,
            Command::Fork => self.fork().await?,
            Command::Cd(directory) => self.cd(&directory).await,
            Command::AddDir(directory) => self.add_dir(&directory).await,
            Command::Quit => return Err(Exit::because("prompt_input_exit")),
        }
        Ok(())
    }

    fn page(&self, title: &str, text: impl Into<String>) {
        self.agent.updates.send(Update::Page { title: title.to_owned(), text: text.into() });
    }

    async fn hooks(&self, what: Hooks) {
        let hooks = &self.agent.hooks;
        let text = match what {
            Hooks::List => hooks.list(),
            Hooks::Events(agent) => hooks.events(&agent),
            Hooks::Explain(name) => hooks.explain(&name).unwrap_or_else(|error| error.to_string()),
            Hooks::Reload => hooks.reload(),
            Hooks::Enable(name) => {
                hooks.switch(&name, true).unwrap_or_else(|error| error.to_string())
            }
            Hooks::Disable(name) => {
                hooks.switch(&name, false).unwrap_or_else(|error| error.to_string())
            }
        };
        // Others than before may name files to watch.
        self.watch.look().await;
        self.page("/hooks", text);
    }

    async fn permissions(&self, word: Option<String>) {
        let Some(word) = word else {
            let page = self.agent.permissions.page();
            let sandbox = self.agent.settings.sandbox.line();
            return self.page("/permissions", format!("{sandbox}{page}"));
        };
        let Some(mode) = Mode::find(&word) else {
            let words: Vec<_> = Mode::ALL.iter().map(|(_, word)| *word).collect();
            let text = format!("`{word}` is not a mode: say one of {}", words.join(", "));
            return self.page("/permissions", text);
        };
        let before = self.agent.permissions.mode();
        self.agent.permissions.set_mode(mode);
        let hooks = &self.agent.hooks;
        if mode != before {
            hooks.mode_changed(before.name(), mode.name()).await;
        }
        self.page("/permissions", format!("The mode is `{}`.", mode.name()));
    }

    fn remove_rule(&self, number: usize) {
        let text = match self.agent.permissions.remove(number) {
            Ok(rule) => format!("Not any more: {rule}"),
            Err(why) => why.to_string(),
        };
        self.page("/permissions", text);
    }

    /// Ends the conversation and begins a new one in the same session.
    async fn clear(&mut self) -> Result<(), Exit> {
        self.agent.hooks.session_ended("clear", self.agent.turns).await;
        self.agent.begin_anew();
        self.agent.forget();
        self.agent.updates.send(Update::Cleared);
        self.source = "clear";
        self.begin().await
    }

    async fn model(&mut self, name: Option<String>) {
        let Some(name) = name else {
            let text = format!("The model is `{}`.", self.agent.settings.model);
            return self.page("/model", text);
        };
        let from = self.agent.settings.model.clone();
        let verdict = self.agent.hooks.before_model_switch(&from, &name).await;
        if let Some(reason) = verdict.blocked.or(verdict.ask) {
            return self.page("/model", format!("The model stays `{from}`: {reason}"));
        }
        match crate::model::open(Some(&name), &self.agent.settings.env) {
            Ok(opened) => {
                self.agent.provider = opened.provider;
                self.agent.seen.anew();
                self.agent.settings.model.clone_from(&name);
                self.agent.hooks.fact("model", name.as_str());
                self.agent.hooks.model_switched(&from, &name).await;
                self.page("/model", format!("The model is `{name}`."));
            }
            Err(error) => self.page("/model", error.to_string()),
        }
    }

    /// Leaves this session and goes on with a different one.
    async fn resume(&mut self, file: Option<String>) -> Result<(), Exit> {
        let Some(file) = file else {
            let text = list::page(self.agent.transcript.path());
            self.page("/resume", text);
            return Ok(());
        };
        let listed =
            file.parse::<usize>().ok().and_then(|file| file.checked_sub(1)).and_then(|at| {
                let (_, path) = list::beside(self.agent.transcript.path()).into_iter().nth(at)?;
                Some(path)
            });
        let file = listed.map_or(file, |path| path.display().to_string());
        let path = Path::new(&file);
        let own = &self.agent.transcript;
        let (stored, transcript) = match own.resume_from(path) {
            Ok(read) => read,
            Err(error) => {
                self.page("/resume", format!("`{file}` cannot be read: {error}"));
                return Ok(());
            }
        };
        let note = self.go_over(stored, transcript, "resume").await?;
        self.page("/resume", note);
        Ok(())
    }

    /// Leaves this session as it is and goes on in a copy: a separate session, where once-only
    /// hooks may run again.
    async fn fork(&mut self) -> Result<(), Exit> {
        let name = format!("{}.jsonl", transcript::name());
        let path = self.agent.transcript.path().with_file_name(name);
        let stored = StoredSession::forked(self.agent.messages.clone());
        let Settings { model, cwd, .. } = &self.agent.settings;
        let copied = Transcript::open(&path).and_then(|copy| {
            let (_, begun) = copy.begin(&stored, model, cwd);
            begun.and(copy.take_over(&stored)).map(|()| copy)
        });
        match copied {
            Ok(copy) => {
                let note = self.go_over(stored, copy, "fork").await?;
                self.page("/fork", note);
            }
            Err(error) => {
                let why = format!("`{}` cannot be written: {error}", path.display());
                self.page("/fork", why);
            }
        }
        Ok(())
    }

    /// Ends this session and begins a new one; returns the message about that.
    async fn go_over(
        &mut self,
        stored: StoredSession,
        transcript: Transcript,
        source: &'static str,
    ) -> Result<String, Exit> {
        self.agent.hooks.session_ended("resume", self.agent.turns).await;
        // A copy goes on where the screen stands.
        if source == "resume" {
            self.agent.begin_anew();
            self.agent.updates.send(Update::Cleared);
        }
        let note = self.agent.go_on(stored, transcript);
        self.source = source;
        self.begin().await?;
        Ok(note)
    }

    async fn cd(&mut self, directory: &str) {
        let to = match self.directory(directory) {
            Ok(to) => to,
            Err(error) => return self.page("/cd", error.to_string()),
        };
        let from = std::mem::replace(&mut self.agent.settings.cwd, to.clone());
        self.agent.hooks.update_context(|place| place.cwd.clone_from(&to));
        self.agent.hooks.cwd_changed(&from, &to).await;
        self.watch.look().await;
        self.page("/cd", format!("Working in `{}`.", to.display()));
    }

    async fn add_dir(&mut self, directory: &str) {
        let added = match self.directory(directory) {
            Ok(added) => added,
            Err(error) => return self.page("/add-dir", error.to_string()),
        };
        self.agent.permissions.directories(|all| all.push(added.clone()));
        let verdict = self.agent.hooks.directory_added(&added, "slash_command").await;
        if !verdict.context.is_empty() {
            self.agent.steering.add_later(from_hook(String::new(), verdict.context));
        }
        self.page("/add-dir", format!("`{}` may be changed, too.", added.display()));
    }

    fn directory(&self, name: &str) -> Result<PathBuf, DirectoryError> {
        let path = self.agent.settings.cwd.join(name);
        match path.canonicalize() {
            Ok(path) if path.is_dir() => Ok(path),
            Ok(path) => Err(DirectoryError::NotDirectory(path)),
            Err(source) => Err(DirectoryError::Lookup { path, source }),
        }
    }
}
