//! Which program or cmdlet does a command of PowerShell name, under which parameters, and what does it run?

use super::super::behind::record_command_and_wrapped;
use super::super::read::Code;
use super::super::{Context, Doubt, Redirect, SimpleCommand, Via};
use super::Language;
use super::argument::Argument;
use super::behind::{complete_powershell_options, is_windows_shell};
use super::equivalent::{derive_command, equivalent_commands};
use super::names::{self, Cmdlet, Runs};
use super::powershell::{Value, Walker};
use super::words::{CommandLine, variable_key};

/// Endings of programs that their names are written without.
const ENDINGS: &[&str] = &[".exe", ".cmd", ".bat", ".com"];
/// Endings of scripts, which keep their directories: what they do stands on the disk.
const SCRIPTS: &[&str] = &[".ps1", ".psm1", ".sh", ".py", ".js", ".vbs", ".rb", ".pl"];

/// Returns the name of a program without its directory and extension.
pub(super) fn program_name(text: &str) -> String {
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    if name.is_empty() || SCRIPTS.iter().any(|ending| name.ends_with(ending)) {
        return text.to_owned();
    }
    let plain = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
    plain.filter(|plain| !plain.is_empty()).unwrap_or(&name).to_owned()
}

impl Walker<'_, '_, '_> {
    /// Reads a command whose name is written plainly.
    pub(super) fn read_named_command(&mut self) {
        let CommandLine { words, redirects } = self.read_command_words();
        self.record_command(words, redirects);
    }

    /// Reads the block, value or command after `&`.
    pub(super) fn read_invocation(&mut self) {
        match self.cursor.peek() {
            Some('{') => {
                self.read_block(Context::Body);
                self.read_command_words();
            }
            Some('(') => self.read_invoked_value(),
            Some('$') if self.is_at_block_variable() => drop(self.read_command_words()),
            _ => self.read_named_command(),
        }
    }

    /// Reads the block, value or command after `.`: a script file runs in the same session.
    pub(super) fn read_dot_sourcing(&mut self) {
        let before = self.reader.commands.len();
        self.read_invocation();
        let script = self.reader.commands.get(before).and_then(SimpleCommand::program_name);
        if script.is_some_and(|name| {
            SCRIPTS.iter().any(|ending| name.to_ascii_lowercase().ends_with(ending))
        }) {
            self.reader.record_doubt(self.code, Doubt::Script);
        }
    }

    /// Reads `& (value) words`.
    fn read_invoked_value(&mut self) {
        let start = self.cursor.position();
        self.ran_code = false;
        let value = self.read_parens(Context::CommandSubstitution);
        let source = self.cursor.text_since(start);
        let has_run = std::mem::take(&mut self.ran_code) || value.is_block;
        let CommandLine { mut words, redirects } = self.read_command_words();
        if has_run {
            return;
        }
        let program = match value.known_text() {
            Some(text) => Argument::literal(text),
            None => Argument::unknown(source),
        };
        if value.is_computed {
            self.reader.record_doubt(self.code, Doubt::Program { source: source.to_owned() });
        }
        words.insert(0, program);
        self.record_command(words, redirects);
    }

    /// Returns whether a variable follows that holds a block, which has been read already.
    fn is_at_block_variable(&mut self) -> bool {
        let name: String = self
            .cursor
            .rest()
            .chars()
            .skip(1)
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let value = self.variables.get(&variable_key(&name));
        if value.is_some_and(|value| value.is_computed) {
            self.reader.record_doubt(self.code, Doubt::Program { source: format!("${name}") });
        }
        value.is_some_and(|value: &Value| value.is_block)
    }

    /// Lists a command and what it runs.
    pub(super) fn record_command(&mut self, mut words: Vec<Argument>, redirects: Vec<Redirect>) {
        if self.is_stopped {
            return;
        }
        let Some(program) = words.first_mut() else {
            self.reader.redirects.extend(redirects);
            return;
        };
        let (name, is_open) = self.resolve_command_name(program.value_text());
        if program.is_value_known() {
            if self.functions.contains(&name.to_ascii_lowercase()) {
                return;
            }
            let found = names::find_cmdlet(&name);
            let plain = found.map_or_else(|| program_name(&name), |cmdlet| cmdlet.name.to_owned());
            program.word.text = plain;
            program.posix = Argument::literal(program.word.text.as_str()).posix;
            if let Some(cmdlet) = found {
                return self.record_cmdlet(cmdlet, is_open, words, redirects);
            }
        }
        complete_powershell_options(&mut words);
        let command = self.make_simple_command(&words, redirects);
        if self.is_piped
            && words.len() == 1
            && is_windows_shell(words.first().map_or("", Argument::value_text))
            && self.input.is_none()
        {
            self.reader.record_doubt(self.code, Doubt::Code { wrapper: "powershell" });
        }
        let copies = equivalent_commands(&command, None, &words, &[]);
        if words.iter().any(|word| word.word.source.starts_with('{')) {
            // The block has been read.
            self.reader.commands.push(command);
        } else {
            record_command_and_wrapped(self.reader, self.code, command, None);
        }
        self.reader.commands.extend(copies);
    }

    /// Resolves a name: an alias of the line or of PowerShell, without the name of its module. Also
    /// returns whether it is a program in another version.
    fn resolve_command_name(&mut self, text: &str) -> (String, bool) {
        let name = text.to_ascii_lowercase();
        if let Some(target) = self.aliases.get(&name) {
            return (target.clone(), false);
        }
        let bare = match name.split_once('\\') {
            Some((module, bare)) if module.starts_with("microsoft.powershell") => bare,
            _ => name.as_str(),
        };
        let Some((target, is_open)) = names::find_alias(bare) else {
            let is_module = bare.len() < name.len();
            return (if is_module { bare.to_owned() } else { text.to_owned() }, false);
        };
        if is_open {
            self.reader.record_doubt(self.code, Doubt::Alias { name: bare.to_owned() });
        }
        (target.to_owned(), is_open)
    }

    /// Makes a command of the line from words.
    pub(super) fn make_simple_command(
        &self,
        words: &[Argument],
        redirects: Vec<Redirect>,
    ) -> SimpleCommand {
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

    /// Records a cmdlet, its equivalent on other systems, and what it runs.
    fn record_cmdlet(
        &mut self,
        cmdlet: &'static Cmdlet,
        is_open: bool,
        mut words: Vec<Argument>,
        redirects: Vec<Redirect>,
    ) {
        complete_parameter_names(&mut words, cmdlet.parameter_names());
        let command = self.make_simple_command(&words, redirects);
        let copies = equivalent_commands(&command, Some(cmdlet), &words, &self.piped);
        let program = is_open.then(|| cmdlet_as_program(&command, cmdlet.name, &words));
        // Names that are no parameters of the cmdlet are options of the program.
        let is_form = !is_open || cmdlet.bind_parameters(&words).others.is_empty();
        self.reader.commands.push(command);
        self.reader.commands.extend(copies.into_iter().filter(|_| is_form));
        self.reader.commands.extend(program);
        self.record_commands_of_cmdlet(cmdlet, &words);
    }

    /// Records what a cmdlet runs of its arguments.
    fn record_commands_of_cmdlet(&mut self, cmdlet: &'static Cmdlet, words: &[Argument]) {
        match cmdlet.runs {
            Runs::Nothing => {}
            Runs::Code => self.read_code_of_cmdlet(cmdlet, words),
            Runs::Program => self.record_started_program(cmdlet, words),
            Runs::Line(parameter) => {
                if let Some(line) = cmdlet
                    .parameter_values(words, parameter)
                    .first()
                    .filter(|word| word.is_value_known())
                {
                    self.read_windows_command_line(line.value_text(), cmdlet.name);
                }
            }
            Runs::Alias => {
                let name = cmdlet
                    .parameter_values(words, "Name")
                    .first()
                    .map(|word| word.value_text().to_ascii_lowercase());
                let target = cmdlet
                    .parameter_values(words, "Value")
                    .first()
                    .map(|word| word.value_text().to_owned());
                self.aliases.extend(name.zip(target));
            }
            Runs::File(parameter) => {
                if !cmdlet.parameter_values(words, parameter).is_empty() {
                    self.reader.record_doubt(self.code, Doubt::Code { wrapper: cmdlet.name });
                }
            }
            Runs::Member => {
                // `% Delete`: the member of each object is called.
                let is_name =
                    |word: &&Argument| word.value_text().chars().all(|c| c.is_ascii_alphabetic());
                let first = cmdlet.parameter_values(words, "MemberName").into_iter().next();
                if let Some(member) = first.as_ref().filter(is_name) {
                    self.record_method_call(
                        None,
                        &format!(".{}", member.value_text()),
                        Vec::new(),
                        usize::MAX,
                        false,
                    );
                }
            }
        }
    }

    /// Reads the code that a cmdlet runs: `iex CODE`, `CODE | iex`.
    fn read_code_of_cmdlet(&mut self, cmdlet: &'static Cmdlet, words: &[Argument]) {
        let given = cmdlet.parameter_values(words, "Command");
        let text = match given.as_slice() {
            [] => self.input.clone(),
            all => all
                .iter()
                .all(|word| word.is_value_known())
                .then(|| all.iter().map(|word| word.value_text()).collect::<Vec<_>>().join(" ")),
        };
        match text {
            Some(text) => self.read_code_text(&text, Language::PowerShell, cmdlet.name),
            None => self.reader.record_doubt(self.code, Doubt::Code { wrapper: cmdlet.name }),
        }
    }

    /// Records the program of `Start-Process PROGRAM -ArgumentList WORDS`.
    fn record_started_program(&mut self, cmdlet: &'static Cmdlet, words: &[Argument]) {
        let Some(program) = cmdlet.parameter_values(words, "FilePath").into_iter().next() else {
            return;
        };
        let mut found = vec![program.clone()];
        let handed = cmdlet.parameter_values(words, "ArgumentList");
        match handed.as_slice() {
            // One text is taken apart at its blanks.
            [one] if one.is_value_known() && !one.value_text().contains('"') => {
                found.extend(one.value_text().split_whitespace().map(Argument::literal));
            }
            [one] if one.is_value_known() => {
                let text = format!("{} {}", program.value_text(), one.value_text());
                return self.read_windows_command_line(&text, cmdlet.name);
            }
            all => found.extend(all.iter().cloned()),
        }
        let via: std::sync::Arc<[Via]> =
            self.code.via.iter().cloned().chain([Via::Wrapper(cmdlet.name)]).collect();
        let code = Code { via: &via, ..*self.code };
        if let Some(first) = found.first_mut().filter(|word| word.is_value_known()) {
            first.word.text = program_name(first.value_text());
        }
        complete_powershell_options(&mut found);
        let command = SimpleCommand {
            via: std::sync::Arc::clone(&via),
            ..self.make_simple_command(&found, Vec::new())
        };
        let copies = equivalent_commands(&command, None, &found, &[]);
        record_command_and_wrapped(self.reader, &code, command, None);
        self.reader.commands.extend(copies);
    }

    /// Reads a command line that Windows splits into words.
    pub(super) fn read_windows_command_line(&mut self, text: &str, wrapper: &'static str) {
        self.read_code_text(text, Language::Cmd, wrapper);
    }

    /// Reads code that is part of the line.
    pub(super) fn read_code_text(&mut self, text: &str, language: Language, wrapper: &'static str) {
        let via = self.code.via.iter().cloned().chain([Via::Wrapper(wrapper)]).collect();
        self.reader.read_code(&Code {
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

/// Returns the command with its name as written: it is a program instead of a cmdlet in another
/// version of PowerShell.
fn cmdlet_as_program(
    command: &SimpleCommand,
    name: &'static str,
    words: &[Argument],
) -> SimpleCommand {
    let program =
        words.first().map(|word| word.word.source.to_ascii_lowercase()).unwrap_or_default();
    let rest = words.iter().skip(1).map(|word| word.posix.clone());
    let words = std::iter::once(Argument::literal(program).posix).chain(rest).collect();
    derive_command(command, words, Via::Equivalent(name))
}

/// Completes abbreviated parameter names: `-fo` is `-Force`.
fn complete_parameter_names(words: &mut [Argument], parameters: &'static [&'static str]) {
    for word in words.iter_mut().skip(1) {
        if !word.is_value_known() || word.word.source.starts_with(['"', '\'']) {
            continue;
        }
        let Some(name) = word.value_text().strip_prefix('-') else { continue };
        let (name, value) = name.split_at(name.find(':').unwrap_or(name.len()));
        if let Some(full) = names::complete_parameter_name(name, parameters) {
            let text = format!("-{full}{value}");
            word.word.text = text;
        }
    }
}
