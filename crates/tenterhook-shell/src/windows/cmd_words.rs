//! What are the words of a command of cmd, and what does it run? Its quotes, `^`, `%X%` and redirections.

use super::super::behind::record_command_and_wrapped;
use super::super::read::Code;
use super::super::{Doubt, Redirect, SimpleCommand, Target, Via};
use super::A_WORD;
use super::argument::{Argument, Piece};
use super::behind::is_windows_shell;
use super::cmd::CmdWalker;
use super::command::program_name;
use super::equivalent::equivalent_commands;
use super::words::push_char;

/// Commands of cmd itself, and the names that some of them have beside.
const BUILTINS: &[(&str, &str)] = &[
    ("erase", "del"),
    ("rmdir", "rd"),
    ("rename", "ren"),
    ("chdir", "cd"),
    ("del", "del"),
    ("rd", "rd"),
    ("ren", "ren"),
    ("cd", "cd"),
    ("md", "md"),
    ("mkdir", "mkdir"),
    ("copy", "copy"),
    ("move", "move"),
    ("type", "type"),
    ("echo", "echo"),
    ("set", "set"),
    ("dir", "dir"),
    ("pushd", "pushd"),
    ("popd", "popd"),
    ("start", "start"),
    ("call", "call"),
    ("exit", "exit"),
    ("mklink", "mklink"),
    ("title", "title"),
    ("cls", "cls"),
    ("ver", "ver"),
    ("vol", "vol"),
    ("path", "path"),
    ("date", "date"),
    ("time", "time"),
    ("assoc", "assoc"),
    ("ftype", "ftype"),
    ("goto", "goto"),
    ("pause", "pause"),
    ("setlocal", "setlocal"),
    ("endlocal", "endlocal"),
];
/// Those that keep the quotes of their words.
const QUOTED: &[&str] = &["echo", "title"];
/// Files that hold commands of cmd.
const BATCHES: &[&str] = &[".bat", ".cmd"];
/// Options of `start` with a value.
const START_VALUED: &[&str] = &["/d", "/node", "/affinity"];

fn find_builtin(name: &str) -> Option<&'static str> {
    let small = name.to_ascii_lowercase();
    BUILTINS.iter().find(|(known, _)| *known == small).map(|(_, name)| *name)
}

impl CmdWalker<'_, '_, '_> {
    /// Reads and lists a command.
    pub(super) fn read_simple_command(&mut self) {
        let mut words: Vec<Argument> = Vec::new();
        let mut redirects = Vec::new();
        let mut keeps_quotes = false;
        while !self.is_stopped && self.spend_steps(A_WORD) {
            self.skip_blanks();
            if let Some(redirect) = self.read_redirect() {
                redirects.extend(redirect);
                continue;
            }
            let Some(word) = self.read_word(keeps_quotes) else { break };
            if words.is_empty() {
                let (name, rest) = split_attached_text(&word);
                keeps_quotes = QUOTED.contains(&name.value_text());
                words.push(name);
                words.extend(rest);
            } else {
                words.push(word);
            }
        }
        if self.is_stopped {
            return;
        }
        if words.is_empty() {
            return self.reader.redirects.extend(redirects);
        }
        let command = self.record_command(words, redirects, None);
        self.input = command.and_then(|words| echo_output(&words));
    }

    /// Reads a redirection. Returns `Some(None)` if its target is no file.
    pub(super) fn read_redirect(&mut self) -> Option<Option<Redirect>> {
        let mut ahead = self.cursor;
        let stream = ahead.take_while(|c| c.is_ascii_digit());
        let operator = [">>", ">", "<"].into_iter().find(|operator| ahead.eat_text(operator))?;
        if stream.len() > 1 {
            return None;
        }
        self.cursor = ahead;
        if self.cursor.eat_text("&") {
            self.cursor.take_while(|c| c.is_ascii_digit());
            return Some(None);
        }
        self.skip_blanks();
        let Some(file) = self.read_word(false) else {
            self.stop_with_syntax_doubt();
            return Some(None);
        };
        let is_null = file.value_text().eq_ignore_ascii_case("nul");
        let target = if is_null { Argument::literal("/dev/null").posix } else { file.posix };
        Some(Some(Redirect {
            operator: operator.to_owned(),
            descriptor: Some(stream).filter(|stream| !stream.is_empty()).map(str::to_owned),
            target: Target::Word(target),
        }))
    }

    /// Reads one word. Returns `None` if the command ends.
    pub(super) fn read_word(&mut self, keeps_quotes: bool) -> Option<Argument> {
        let start = self.cursor.position();
        let mut pieces = vec![Piece::Text(String::new())];
        // Whether the program takes what follows for quoted, and whether cmd does.
        let (mut is_quoted, mut is_quoted_by_cmd) = (false, false);
        while let Some(c) = self.cursor.peek() {
            match c {
                '"' => {
                    let escaped = is_quoted && self.cursor.previous_char() == Some('\\');
                    is_quoted_by_cmd = !is_quoted_by_cmd;
                    is_quoted ^= !escaped;
                    if let Some(Piece::Text(text)) = pieces.last_mut().filter(|_| escaped) {
                        text.pop();
                    }
                    if keeps_quotes || escaped {
                        push_char(&mut pieces, c);
                    }
                    self.cursor.next_char();
                }
                '%' | '!' => self.read_variable(&mut pieces, c),
                '\r' | '\n' => break,
                '^' if !is_quoted_by_cmd => {
                    self.cursor.next_char();
                    if let Some(next) = self.cursor.next_char().filter(|c| *c != '\r' && *c != '\n')
                    {
                        push_char(&mut pieces, next);
                    }
                }
                '&' | '|' | '<' | '>' if is_quoted && !is_quoted_by_cmd => {
                    // What the program takes for quoted, cmd does not.
                    self.stop_with_syntax_doubt();
                    return None;
                }
                ' ' | '\t' | '&' | '|' | '<' | '>' | ')' if !is_quoted => break,
                c => {
                    self.cursor.next_char();
                    push_char(&mut pieces, c);
                }
            }
        }
        let source = self.cursor.text_since(start);
        if source.is_empty() || !self.spend_steps(source.len() / 16) {
            return None;
        }
        Some(Argument::new(&pieces, source))
    }

    /// Reads a variable: `%NAME%`, `%%`, `%f`, `!NAME!`.
    fn read_variable(&mut self, pieces: &mut Vec<Piece>, quote: char) {
        self.cursor.next_char();
        let rest = self.cursor.rest();
        let name = rest.find(|c: char| c == quote || c.is_whitespace() || "&|<>\"".contains(c));
        let name = name.filter(|end| rest.get(*end..).is_some_and(|rest| rest.starts_with(quote)));
        match name.and_then(|end| rest.get(..end)) {
            Some("") => {
                self.cursor.next_char();
                pieces.push(Piece::Unknown);
            }
            Some(name) if !name.starts_with(' ') => {
                self.cursor.take_while(|c| c != quote);
                self.cursor.next_char();
                pieces.push(match quote {
                    '%' => Piece::Variable(name.to_owned()),
                    _ => Piece::Unknown,
                });
            }
            _ if quote == '%'
                && rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "~*".contains(c)) =>
            {
                self.cursor.take_while(|c| c == '~' || c == '*');
                self.cursor.take_while(|c| c.is_ascii_alphanumeric());
                pieces.push(Piece::Unknown);
            }
            _ => push_char(pieces, quote),
        }
    }

    /// Records a command and what it runs, and returns its words. `wrapper` is the command that
    /// runs it.
    fn record_command(
        &mut self,
        mut words: Vec<Argument>,
        redirects: Vec<Redirect>,
        wrapper: Option<&'static str>,
    ) -> Option<Vec<Argument>> {
        let program = words.first_mut()?;
        let found = find_builtin(program.value_text()).filter(|_| program.is_value_known());
        let name = match found {
            Some(name) => Some(name.to_owned()),
            None => program_name_of(program),
        };
        if let Some(name) = name {
            *program = Argument { is_listed: false, ..Argument::literal(name) };
        }
        if found.is_some() {
            words = words.into_iter().flat_map(split_attached_options).collect();
        }
        let via = self.code.via.iter().cloned().chain(wrapper.map(Via::Wrapper)).collect();
        let code = Code { via: &via, ..*self.code };
        let command = SimpleCommand {
            words: words.iter().map(|word| word.word.clone()).collect(),
            assignments: Vec::new().into(),
            redirects: redirects.into(),
            context: self.context,
            via: std::sync::Arc::clone(&via),
            input: self.input.as_deref().map(Into::into),
            input_lacks: self.is_piped && self.input.is_none(),
        };
        let copies = equivalent_commands(&command, None, &words, &[]);
        match found {
            Some(name) => {
                self.reader.commands.push(command);
                self.reader.commands.extend(copies);
                self.record_command_of_builtin(name, &words);
            }
            None => {
                let is_shell = words.len() == 1
                    && is_windows_shell(words.first().map_or("", Argument::value_text));
                if is_shell && self.is_piped {
                    self.read_piped_code();
                }
                record_command_and_wrapped(self.reader, &code, command, None);
                self.reader.commands.extend(copies);
            }
        }
        Some(words)
    }

    /// Reads code that is piped into a shell: `echo git push | cmd`.
    fn read_piped_code(&mut self) {
        match self.input.take() {
            Some(text) => self.read_code_text(&text, "cmd"),
            None => self.reader.record_doubt(self.code, Doubt::Code { wrapper: "cmd" }),
        }
    }

    /// Records the command that `start` or `call` runs.
    fn record_command_of_builtin(&mut self, name: &'static str, words: &[Argument]) {
        let mut rest = words.iter().skip(1).peekable();
        match name {
            "start" => {
                let _title = rest.next_if(|word| word.word.source.starts_with('"'));
                while let Some(option) = rest.next_if(|word| word.value_text().starts_with('/')) {
                    if START_VALUED.contains(&option.value_text().to_ascii_lowercase().as_str()) {
                        rest.next();
                    }
                }
            }
            "call" => {
                let text = rest.peek().map_or("", |word| word.value_text()).to_ascii_lowercase();
                if text.starts_with(':') {
                    return;
                }
                if BATCHES.iter().any(|ending| text.ends_with(ending)) {
                    return self.reader.record_doubt(self.code, Doubt::Script);
                }
            }
            _ => return,
        }
        let rest: Vec<Argument> = rest.cloned().collect();
        if !rest.is_empty() {
            self.record_command(rest, Vec::new(), Some(name));
        }
    }
}

/// Returns the name of a program, even if its directory is in a variable.
fn program_name_of(program: &Argument) -> Option<String> {
    let source = program.word.source.trim_matches('"');
    if program.is_value_known() {
        return Some(program_name(program.value_text()));
    }
    if source.eq_ignore_ascii_case("%comspec%") {
        return Some("cmd".to_owned());
    }
    let name = source.rsplit(['\\', '/']).next().filter(|name| !name.contains(['%', '!']))?;
    Some(program_name(name)).filter(|name| !name.is_empty())
}

/// Splits a command of cmd from the text that follows without a blank: `rd/s/q`, `echo.`.
fn split_attached_text(word: &Argument) -> (Argument, Option<Argument>) {
    let text = word.value_text();
    let at = text.find(['/', '.', ':', '(']).unwrap_or(text.len());
    let (name, rest) = text.split_at(at);
    match find_builtin(name) {
        Some(name)
            if word.is_value_known()
                && !rest.is_empty()
                && (rest.starts_with('/') || name == "echo") =>
        {
            let rest = if name == "echo" { rest.get(1..).unwrap_or_default() } else { rest };
            (Argument::literal(name), Some(Argument::literal(rest)).filter(|_| !rest.is_empty()))
        }
        Some(name) if word.is_value_known() && rest.is_empty() => (Argument::literal(name), None),
        _ => (word.clone(), None),
    }
}

/// Splits options in one word: `/s/q`.
fn split_attached_options(word: Argument) -> Vec<Argument> {
    let text = word.value_text();
    let is_options = text.starts_with('/') && text.split('/').skip(1).all(|part| part.len() == 1);
    if !is_options || !word.is_value_known() || text.len() < 4 {
        return vec![word];
    }
    text.split('/').skip(1).map(|part| Argument::literal(format!("/{part}"))).collect()
}

/// Returns what `echo` prints.
fn echo_output(words: &[Argument]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    let is_known = first.value_text() == "echo" && rest.iter().all(Argument::is_value_known);
    is_known.then(|| rest.iter().map(Argument::value_text).collect::<Vec<_>>().join(" "))
}
