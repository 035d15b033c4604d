//! Obeys the commands that a person types. Each answers with a page, or does what it says.

use std::path::Path;

use super::{Leave, Session};
use crate::command::{self, Command, Hooks};
use crate::permission::Mode;
use crate::update::Update;

impl Session {
    /// Obeys one command.
    pub(super) async fn obey(&mut self, command: Command) -> Result<(), Leave> {
        match command {
            Command::Help => self.page("/help", command::help()),
            Command::Hooks(hooks) => self.hooks(hooks),
            Command::Permissions(mode) => self.permissions(mode).await,
            Command::Compact(instructions) => {
                if let Err(why) = self.agent.compact("manual", &instructions).await {
                    self.page("/compact", why);
                }
            }
            Command::Clear => self.clear().await,
            Command::Model(model) => self.model(model).await,
            Command::Resume(file) => self.resume(file).await,
            Command::Cd(directory) => self.cd(&directory).await,
            Command::Quit => return Err(Leave("prompt_input_exit")),
        }
        Ok(())
    }

    fn page(&self, title: &str, text: impl Into<String>) {
        self.agent.updates.tell(Update::Page { title: title.to_owned(), text: text.into() });
    }

    fn hooks(&self, what: Hooks) {
        let hooks = &self.agent.hooks;
        let text = match what {
            Hooks::List => hooks.list(),
            Hooks::Events => hooks.events(),
            Hooks::Explain => hooks.explain_last(),
            Hooks::Reload => hooks.reload(),
            Hooks::Enable(name) => hooks.switch(&name, true).unwrap_or_else(|why| why),
            Hooks::Disable(name) => hooks.switch(&name, false).unwrap_or_else(|why| why),
        };
        self.page("/hooks", text);
    }

    async fn permissions(&self, word: Option<String>) {
        let Some(word) = word else {
            return self.page("/permissions", self.agent.permissions.page());
        };
        let Some(mode) = Mode::find(&word) else {
            let words: Vec<_> = Mode::ALL.iter().map(|(_, word)| *word).collect();
            let text = format!("`{word}` is no mode: say one of {}", words.join(", "));
            return self.page("/permissions", text);
        };
        let before = self.agent.permissions.mode();
        self.agent.permissions.set_mode(mode);
        let hooks = &self.agent.hooks;
        hooks.fact("permission_mode", mode.word());
        if mode != before {
            hooks.mode_changed(before.word(), mode.word()).await;
        }
        self.page("/permissions", format!("The mode is `{}`.", mode.word()));
    }

    /// Ends the conversation and begins another one in the same session.
    async fn clear(&mut self) {
        self.agent.hooks.session_ended("clear", self.agent.turns).await;
        self.agent.forget();
        self.source = "clear";
        self.begin().await;
    }

    async fn model(&mut self, name: Option<String>) {
        let Some(name) = name else {
            let text = format!("The model is `{}`.", self.agent.settings.model);
            return self.page("/model", text);
        };
        let from = self.agent.settings.model.clone();
        let said = self.agent.hooks.before_model_switch(&from, &name).await;
        if let Some(reason) = said.blocked.or(said.ask) {
            return self.page("/model", format!("The model stays `{from}`: {reason}"));
        }
        match crate::model::open(Some(&name), &self.agent.settings.env) {
            Ok(opened) => {
                self.agent.provider = opened.provider;
                self.agent.settings.model.clone_from(&name);
                self.agent.hooks.fact("model", &name);
                self.agent.hooks.model_switched(&from, &name).await;
                self.page("/model", format!("The model is `{name}`."));
            }
            Err(why) => self.page("/model", why),
        }
    }

    async fn resume(&mut self, file: Option<String>) {
        let Some(file) = file else {
            let text = crate::transcript::list(self.agent.transcript.path());
            return self.page("/resume", text);
        };
        match self.agent.resume(Path::new(&file)) {
            Ok(note) => {
                self.source = "resume";
                self.begin().await;
                self.page("/resume", note);
            }
            Err(why) => self.page("/resume", why),
        }
    }

    async fn cd(&mut self, directory: &str) {
        let to = self.agent.settings.cwd.join(directory);
        let to = match to.canonicalize() {
            Ok(to) if to.is_dir() => to,
            Ok(to) => return self.page("/cd", format!("`{}` is no directory", to.display())),
            Err(error) => return self.page("/cd", format!("`{}`: {error}", to.display())),
        };
        let from = std::mem::replace(&mut self.agent.settings.cwd, to.clone());
        self.agent.hooks.place(|place| place.cwd.clone_from(&to));
        self.agent.hooks.cwd_changed(&from, &to).await;
        self.page("/cd", format!("Working in `{}`.", to.display()));
    }
}
