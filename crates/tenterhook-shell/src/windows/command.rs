//! Which program or cmdlet does a command of PowerShell name, under which parameters, and what does it run?

use super::super::behind::follow;
use super::super::read::Code;
use super::super::{Context, Doubt, Redirect, SimpleCommand, Via};
use super::Language;
use super::argument::Argument;
use super::behind::{complete_powershell, is_foreign_shell};
use super::equivalent::{derived, equivalents};
use super::names::{self, Cmdlet, Runs};
use super::powershell::{Value, Walker};
use super::words::{CommandLine, variable_key};

/// Endings of programs that their names are written without.
const ENDINGS: &[&str] = &[".exe", ".cmd", ".bat", ".com"];
/// Endings of scripts, which keep their directories: what they do stands on the disk.
const SCRIPTS: &[&str] = &[".ps1", ".psm1", ".sh", ".py", ".js", ".vbs", ".rb", ".pl"];

/// The name of a program, without directory and ending.
pub(super) fn program_name(text: &str) -> String {
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    if name.is_empty() || SCRIPTS.iter().any(|ending| name.ends_with(ending)) {
        return text.to_owned();
    }
    let plain = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
    plain.filter(|plain| !plain.is_empty()).unwrap_or(&name).to_owned()
}

impl Walker<'_, '_, '_> {
    /// A command whose name is written plainly.
    pub(super) fn command(&mut self) {
        let CommandLine { words, redirects } = self.words();
        self.finish(words, redirects);
    }

    /// The block, value or command after `&`.
    pub(super) fn invoked(&mut self) {
        match self.cursor.peek() {
            Some('{') => {
                self.block(Context::Body);
                self.words();
            }
            Some('(') => self.invoked_value(),
            Some('$') if self.is_held_block() => drop(self.words()),
            _ => self.command(),
        }
    }

    /// The same after `.`: a script of the disk runs in the same session.
    pub(super) fn sourced(&mut self) {
        let before = self.reader.commands.len();
        self.invoked();
        let script = self.reader.commands.get(before).and_then(SimpleCommand::program);
        if script.is_some_and(|name| {
            SCRIPTS.iter().any(|ending| name.to_ascii_lowercase().ends_with(ending))
        }) {
            self.reader.doubt(self.code, Doubt::Script);
        }
    }

    /// `& (value) words`
    fn invoked_value(&mut self) {
        let start = self.cursor.at();
        self.ran_code = false;
        let value = self.paren(Context::CommandSubstitution);
        let source = self.cursor.since(start);
        let has_run = std::mem::take(&mut self.ran_code) || value.is_block;
        let CommandLine { mut words, redirects } = self.words();
        if has_run {
            return;
        }
        let program = match value.text() {
            Some(text) => Argument::literal(text),
            None => Argument::unknown(source),
        };
        if value.is_computed {
            self.reader.doubt(self.code, Doubt::Program { source: source.to_owned() });
        }
        words.insert(0, program);
        self.finish(words, redirects);
    }

    /// Whether a variable follows that holds a block, which has been read.
    fn is_held_block(&mut self) -> bool {
        let name: String = self
            .cursor
            .rest()
            .chars()
            .skip(1)
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let value = self.variables.get(&variable_key(&name));
        if value.is_some_and(|value| value.is_computed) {
            self.reader.doubt(self.code, Doubt::Program { source: format!("${name}") });
        }
        value.is_some_and(|value: &Value| value.is_block)
    }

    /// Lists a command and what it runs.
    pub(super) fn finish(&mut self, mut words: Vec<Argument>, redirects: Vec<Redirect>) {
        if self.is_stopped {
            return;
        }
        let Some(program) = words.first_mut() else {
            self.reader.redirects.extend(redirects);
            return;
        };
        let (name, is_open) = self.resolved(program.text());
        if program.is_known() {
            if self.functions.contains(&name.to_ascii_lowercase()) {
                return;
            }
            let found = names::cmdlet(&name);
            let plain = found.map_or_else(|| program_name(&name), |cmdlet| cmdlet.name.to_owned());
            program.word.text = plain;
            program.posix = Argument::literal(program.word.text.as_str()).posix;
            if let Some(cmdlet) = found {
                return self.cmdlet(cmdlet, is_open, words, redirects);
            }
        }
        complete_powershell(&mut words);
        let command = self.simple(&words, redirects);
        if self.is_piped
            && words.len() == 1
            && is_foreign_shell(words.first().map_or("", Argument::text))
            && self.input.is_none()
        {
            self.reader.doubt(self.code, Doubt::Code { wrapper: "powershell" });
        }
        let copies = equivalents(&command, None, &words, &[]);
        if words.iter().any(|word| word.word.source.starts_with('{')) {
            // The block has been read.
            self.reader.commands.push(command);
        } else {
            follow(self.reader, self.code, command, None);
        }
        self.reader.commands.extend(copies);
    }

    /// What a name stands for: an alias of the line or of PowerShell, without the name of its module.
    /// Also whether it is a program in another version.
    fn resolved(&mut self, text: &str) -> (String, bool) {
        let name = text.to_ascii_lowercase();
        if let Some(target) = self.aliases.get(&name) {
            return (target.clone(), false);
        }
        let bare = match name.split_once('\\') {
            Some((module, bare)) if module.starts_with("microsoft.powershell") => bare,
            _ => name.as_str(),
        };
        let Some((target, is_open)) = names::alias(bare) else {
            let is_module = bare.len() < name.len();
            return (if is_module { bare.to_owned() } else { text.to_owned() }, false);
        };
        if is_open {
            self.reader.doubt(self.code, Doubt::Alias { name: bare.to_owned() });
        }
        (target.to_owned(), is_open)
    }

    /// The words as a command of the line.
    pub(super) fn simple(&self, words: &[Argument], redirects: Vec<Redirect>) -> SimpleCommand {
        SimpleCommand {
            words: words.iter().map(|word| word.word.clone()).collect(),
            assignments: Vec::new().into(),
            redirects: redirects.into(),
            context: self.context,
            via: std::sync::Arc::clone(self.code.via),
            input: self.input.as_deref().map(Into::into),
            input_lacks: self.is_piped && self.input.is_none(),
        }
    }

    /// A cmdlet, what it is elsewhere, and what it runs.
    fn cmdlet(
        &mut self,
        cmdlet: &'static Cmdlet,
        is_open: bool,
        mut words: Vec<Argument>,
        redirects: Vec<Redirect>,
    ) {
        complete(&mut words, cmdlet.parameters());
        let command = self.simple(&words, redirects);
        let copies = equivalents(&command, Some(cmdlet), &words, &self.piped);
        let program = is_open.then(|| as_program(&command, cmdlet.name, &words));
        // Names that are no parameters of the cmdlet are options of the program.
        let is_form = !is_open || cmdlet.bind(&words).others.is_empty();
        self.reader.commands.push(command);
        self.reader.commands.extend(copies.into_iter().filter(|_| is_form));
        self.reader.commands.extend(program);
        self.run(cmdlet, &words);
    }

    /// What a cmdlet runs of what it is handed.
    fn run(&mut self, cmdlet: &'static Cmdlet, words: &[Argument]) {
        match cmdlet.runs {
            Runs::Nothing => {}
            Runs::Code => self.run_code(cmdlet, words),
            Runs::Program => self.run_program(cmdlet, words),
            Runs::Line(parameter) => {
                if let Some(line) =
                    cmdlet.value(words, parameter).first().filter(|word| word.is_known())
                {
                    self.run_line(line.text(), cmdlet.name);
                }
            }
            Runs::Alias => {
                let name = cmdlet
                    .value(words, "Name")
                    .first()
                    .map(|word| word.text().to_ascii_lowercase());
                let target =
                    cmdlet.value(words, "Value").first().map(|word| word.text().to_owned());
                self.aliases.extend(name.zip(target));
            }
            Runs::File(parameter) => {
                if !cmdlet.value(words, parameter).is_empty() {
                    self.reader.doubt(self.code, Doubt::Code { wrapper: cmdlet.name });
                }
            }
            Runs::Member => {
                // `% Delete`: the member of each object is called.
                let is_name =
                    |word: &&Argument| word.text().chars().all(|c| c.is_ascii_alphabetic());
                let first = cmdlet.value(words, "MemberName").into_iter().next();
                if let Some(member) = first.as_ref().filter(is_name) {
                    self.called(
                        None,
                        &format!(".{}", member.text()),
                        Vec::new(),
                        usize::MAX,
                        false,
                    );
                }
            }
        }
    }

    /// `iex CODE`, `CODE | iex`
    fn run_code(&mut self, cmdlet: &'static Cmdlet, words: &[Argument]) {
        let given = cmdlet.value(words, "Command");
        let text = match given.as_slice() {
            [] => self.input.clone(),
            all => all
                .iter()
                .all(|word| word.is_known())
                .then(|| all.iter().map(|word| word.text()).collect::<Vec<_>>().join(" ")),
        };
        match text {
            Some(text) => self.run_text(&text, Language::PowerShell, cmdlet.name),
            None => self.reader.doubt(self.code, Doubt::Code { wrapper: cmdlet.name }),
        }
    }

    /// `Start-Process PROGRAM -ArgumentList WORDS`
    fn run_program(&mut self, cmdlet: &'static Cmdlet, words: &[Argument]) {
        let Some(program) = cmdlet.value(words, "FilePath").into_iter().next() else { return };
        let mut found = vec![program.clone()];
        let handed = cmdlet.value(words, "ArgumentList");
        match handed.as_slice() {
            // One text is taken apart at its blanks.
            [one] if one.is_known() && !one.text().contains('"') => {
                found.extend(one.text().split_whitespace().map(Argument::literal));
            }
            [one] if one.is_known() => {
                let text = format!("{} {}", program.text(), one.text());
                return self.run_line(&text, cmdlet.name);
            }
            all => found.extend(all.iter().cloned()),
        }
        let via: std::sync::Arc<[Via]> =
            self.code.via.iter().cloned().chain([Via::Wrapper(cmdlet.name)]).collect();
        let code = Code { via: &via, ..*self.code };
        if let Some(first) = found.first_mut().filter(|word| word.is_known()) {
            first.word.text = program_name(first.text());
        }
        complete_powershell(&mut found);
        let command =
            SimpleCommand { via: std::sync::Arc::clone(&via), ..self.simple(&found, Vec::new()) };
        let copies = equivalents(&command, None, &found, &[]);
        follow(self.reader, &code, command, None);
        self.reader.commands.extend(copies);
    }

    /// A command line that Windows takes apart.
    pub(super) fn run_line(&mut self, text: &str, wrapper: &'static str) {
        self.run_text(text, Language::Cmd, wrapper);
    }

    /// Reads code that stands in the line.
    pub(super) fn run_text(&mut self, text: &str, language: Language, wrapper: &'static str) {
        let via = self.code.via.iter().cloned().chain([Via::Wrapper(wrapper)]).collect();
        self.reader.code(&Code {
            text,
            language,
            via: &via,
            context: self.context,
            depth: self.code.depth + 1,
            wrapper: Some(wrapper),
            ..*self.code
        });
        self.ran_code = true;
    }
}

/// A cmdlet as the program that it is in another version of PowerShell.
fn as_program(command: &SimpleCommand, name: &'static str, words: &[Argument]) -> SimpleCommand {
    let program =
        words.first().map(|word| word.word.source.to_ascii_lowercase()).unwrap_or_default();
    let rest = words.iter().skip(1).map(|word| word.posix.clone());
    let words = std::iter::once(Argument::literal(program).posix).chain(rest).collect();
    derived(command, words, Via::Equivalent(name))
}

/// Writes parameters out whose names are cut short: `-fo` is `-Force`.
fn complete(words: &mut [Argument], parameters: &'static [&'static str]) {
    for word in words.iter_mut().skip(1) {
        if !word.is_known() || word.word.source.starts_with(['"', '\'']) {
            continue;
        }
        let Some(name) = word.text().strip_prefix('-') else { continue };
        let (name, value) = name.split_at(name.find(':').unwrap_or(name.len()));
        if let Some(full) = names::completed(name, parameters) {
            let text = format!("-{full}{value}");
            word.word.text = text;
        }
    }
}
