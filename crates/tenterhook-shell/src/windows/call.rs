//! What does a call of .NET or of an object do? A table says which of them run code; the others are listed by their names.

use super::super::{Doubt, SimpleCommand, Via};
use super::Language;
use super::argument::Argument;
use super::equivalent::{derive_command, is_derived_equivalent};
use super::names::{self, Call};
use super::powershell::Walker;

impl Walker<'_, '_, '_> {
    /// Records a call such as `[Type]::Name(words)` or `.Name(words)`. The commands from `first` on
    /// make the object that is called.
    pub(super) fn record_method_call(
        &mut self,
        type_name: Option<&str>,
        name: &str,
        words: Vec<Argument>,
        first: usize,
        is_computed: bool,
    ) {
        if self.is_stopped {
            return;
        }
        let full = match type_name {
            Some(type_name) => format!("{type_name}{name}"),
            None => name.to_owned(),
        };
        let key = full.to_ascii_lowercase().replace("system.", "").replace('?', "");
        let made = match type_name {
            Some(_) => Vec::new(),
            None => self.object_operands(first),
        };
        let mut all = vec![Argument::literal(full.as_str())];
        all.extend(words.iter().cloned());
        let command = self.make_simple_command(&all, Vec::new());
        self.reader.commands.push(command.clone());
        if is_computed {
            self.reader.record_doubt(self.code, Doubt::Program { source: full });
            return;
        }
        let Some(call) = names::find_net_call(&key) else { return };
        match call {
            Call::Code(wrapper) => {
                self.read_called_code(&command, &words, Language::PowerShell, wrapper)
            }
            Call::Line(wrapper) => self.read_called_code(&command, &words, Language::Cmd, wrapper),
            Call::Equivalent(form, name) => {
                let given =
                    if made.is_empty() { words } else { made.into_iter().chain(words).collect() };
                for found in form.split("; ").filter_map(|form| fill_command_template(form, &given))
                {
                    self.reader.commands.push(derive_command(
                        &command,
                        found,
                        Via::Equivalent(name),
                    ));
                }
            }
        }
    }

    /// Reads the code that a call receives. It is a doubt if the code is not on the line.
    fn read_called_code(
        &mut self,
        command: &SimpleCommand,
        words: &[Argument],
        language: Language,
        wrapper: &'static str,
    ) {
        let texts: Option<Vec<&str>> =
            words.iter().map(|word| word.is_value_known().then(|| word.value_text())).collect();
        match texts.filter(|texts| !texts.is_empty()) {
            Some(texts) => {
                let text = texts.join(" ");
                self.read_code_text(&text, language, wrapper);
            }
            // `$process.Start()` and `[scriptblock]::Create($x)`
            None => {
                let words = words.iter().map(|word| word.posix.clone());
                let words = std::iter::once(Argument::literal("eval").posix).chain(words).collect();
                self.reader.commands.push(derive_command(command, words, Via::Equivalent(wrapper)));
                self.reader.record_doubt(self.code, Doubt::Code { wrapper });
            }
        }
    }

    /// Returns the operands of the last command that makes an object: `(Get-Item x).Delete()`.
    fn object_operands(&self, first: usize) -> Vec<Argument> {
        let commands = self.reader.commands.get(first..).unwrap_or_default();
        let Some(command) = commands.iter().rev().find(|command| is_derived_equivalent(command))
        else {
            return Vec::new();
        };
        let operands = command.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
        operands
            .map(|word| Argument { word: word.clone(), posix: word.clone(), is_listed: false })
            .collect()
    }

    /// Records `$env:NAME = value`.
    pub(super) fn record_environment_assignment(&mut self, name: &str, value: &Argument) {
        let command = self.make_simple_command(&[Argument::literal("export")], Vec::new());
        let words = vec![super::equivalent::assignment_word(name, value)];
        let words = [Argument::literal("export").posix].into_iter().chain(words).collect();
        let command: SimpleCommand = derive_command(&command, words, Via::Equivalent("$env:"));
        self.reader.commands.push(command);
    }
}

/// Fills a form such as `cp 0 1` with words in the places of the numbers; `0=1` is an assignment.
/// Returns `None` if one is missing.
fn fill_command_template(form: &str, given: &[Argument]) -> Option<Vec<super::super::word::Word>> {
    form.split(' ')
        .map(|part| match part.split_once('=') {
            Some((name, value)) => {
                let name = given.get(name.parse::<usize>().ok()?)?;
                let value = given.get(value.parse::<usize>().ok()?)?;
                Some(super::equivalent::assignment_word(name.value_text(), value))
            }
            None => match part.parse::<usize>() {
                Ok(at) if at < 10 => given.get(at).map(|word| word.posix.clone()),
                Ok(_) | Err(_) => Some(Argument::literal(part).posix),
            },
        })
        .collect()
}
