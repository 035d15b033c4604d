//! What are the words of a command of cmd, and what does it run? Its quotes, `^`, `%X%` and redirections.

use super::super::behind::follow;
use super::super::read::Code;
use super::super::{Doubt, Redirect, SimpleCommand, Target, Via};
use super::A_WORD;
use super::argument::{Argument, Piece};
use super::behind::is_foreign_shell;
use super::cmd::CmdWalker;
use super::command::program_name;
use super::equivalent::equivalents;
use super::words::push;

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

fn builtin(name: &str) -> Option<&'static str> {
    let small = name.to_ascii_lowercase();
    BUILTINS.iter().find(|(known, _)| *known == small).map(|(_, name)| *name)
}

impl CmdWalker<'_, '_, '_> {
    /// Reads and lists a command.
    pub(super) fn simple_command(&mut self) {
        let mut words: Vec<Argument> = Vec::new();
        let mut redirects = Vec::new();
        let mut keeps_quotes = false;
        while !self.is_stopped && self.pay(A_WORD) {
            self.blanks();
            if let Some(redirect) = self.redirect() {
                redirects.extend(redirect);
                continue;
            }
            let Some(word) = self.cmd_word(keeps_quotes) else { break };
            if words.is_empty() {
                let (name, rest) = glued(&word);
                keeps_quotes = QUOTED.contains(&name.text());
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
        let command = self.finish(words, redirects, None);
        self.input = command.and_then(|words| printed(&words));
    }

    /// A redirection: `Some(None)` where it leads to no file.
    pub(super) fn redirect(&mut self) -> Option<Option<Redirect>> {
        let mut ahead = self.cursor;
        let stream = ahead.take_while(|c| c.is_ascii_digit());
        let operator = [">>", ">", "<"].into_iter().find(|operator| ahead.eat(operator))?;
        if stream.len() > 1 {
            return None;
        }
        self.cursor = ahead;
        if self.cursor.eat("&") {
            self.cursor.take_while(|c| c.is_ascii_digit());
            return Some(None);
        }
        self.blanks();
        let Some(file) = self.cmd_word(false) else {
            self.fail();
            return Some(None);
        };
        let is_null = file.text().eq_ignore_ascii_case("nul");
        let target = if is_null { Argument::literal("/dev/null").posix } else { file.posix };
        Some(Some(Redirect {
            operator: operator.to_owned(),
            descriptor: Some(stream).filter(|stream| !stream.is_empty()).map(str::to_owned),
            target: Target::Word(target),
        }))
    }

    /// One word; `None` where the command ends.
    pub(super) fn cmd_word(&mut self, keeps_quotes: bool) -> Option<Argument> {
        let start = self.cursor.at();
        let mut pieces = vec![Piece::Text(String::new())];
        // Whether the program takes what follows for quoted, and whether cmd does.
        let (mut is_quoted, mut is_quoted_by_cmd) = (false, false);
        while let Some(c) = self.cursor.peek() {
            match c {
                '"' => {
                    let escaped = is_quoted && self.cursor.before() == Some('\\');
                    is_quoted_by_cmd = !is_quoted_by_cmd;
                    is_quoted ^= !escaped;
                    if let Some(Piece::Text(text)) = pieces.last_mut().filter(|_| escaped) {
                        text.pop();
                    }
                    if keeps_quotes || escaped {
                        push(&mut pieces, c);
                    }
                    self.cursor.take();
                }
                '%' | '!' => self.cmd_variable(&mut pieces, c),
                '\r' | '\n' => break,
                '^' if !is_quoted_by_cmd => {
                    self.cursor.take();
                    if let Some(next) = self.cursor.take().filter(|c| *c != '\r' && *c != '\n') {
                        push(&mut pieces, next);
                    }
                }
                '&' | '|' | '<' | '>' if is_quoted && !is_quoted_by_cmd => {
                    // What the program takes for quoted, cmd does not.
                    self.fail();
                    return None;
                }
                ' ' | '\t' | '&' | '|' | '<' | '>' | ')' if !is_quoted => break,
                c => {
                    self.cursor.take();
                    push(&mut pieces, c);
                }
            }
        }
        let source = self.cursor.since(start);
        if source.is_empty() || !self.pay(source.len() / 16) {
            return None;
        }
        Some(Argument::new(&pieces, source))
    }

    /// `%NAME%`, `%%`, `%f`, `!NAME!`
    fn cmd_variable(&mut self, pieces: &mut Vec<Piece>, quote: char) {
        self.cursor.take();
        let rest = self.cursor.rest();
        let name = rest.find(|c: char| c == quote || c.is_whitespace() || "&|<>\"".contains(c));
        let name = name.filter(|end| rest.get(*end..).is_some_and(|rest| rest.starts_with(quote)));
        match name.and_then(|end| rest.get(..end)) {
            Some("") => {
                self.cursor.take();
                pieces.push(Piece::Unknown);
            }
            Some(name) if !name.starts_with(' ') => {
                self.cursor.take_while(|c| c != quote);
                self.cursor.take();
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
            _ => push(pieces, quote),
        }
    }

    /// Lists a command and what it runs; its words. `wrapper` is the command that runs it.
    fn finish(
        &mut self,
        mut words: Vec<Argument>,
        redirects: Vec<Redirect>,
        wrapper: Option<&'static str>,
    ) -> Option<Vec<Argument>> {
        let program = words.first_mut()?;
        let found = builtin(program.text()).filter(|_| program.is_known());
        let name = match found {
            Some(name) => Some(name.to_owned()),
            None => program_of(program),
        };
        if let Some(name) = name {
            *program = Argument { is_listed: false, ..Argument::literal(name) };
        }
        if found.is_some() {
            words = words.into_iter().flat_map(parted).collect();
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
        let copies = equivalents(&command, None, &words, &[]);
        match found {
            Some(name) => {
                self.reader.commands.push(command);
                self.reader.commands.extend(copies);
                self.run_builtin(name, &words);
            }
            None => {
                let is_shell =
                    words.len() == 1 && is_foreign_shell(words.first().map_or("", Argument::text));
                if is_shell && self.is_piped {
                    self.piped_code();
                }
                follow(self.reader, &code, command, None);
                self.reader.commands.extend(copies);
            }
        }
        Some(words)
    }

    /// `echo git push | cmd`
    fn piped_code(&mut self) {
        match self.input.take() {
            Some(text) => self.run_text(&text, "cmd"),
            None => self.reader.doubt(self.code, Doubt::Code { wrapper: "cmd" }),
        }
    }

    /// What `start` and `call` run.
    fn run_builtin(&mut self, name: &'static str, words: &[Argument]) {
        let mut rest = words.iter().skip(1).peekable();
        match name {
            "start" => {
                let _title = rest.next_if(|word| word.word.source.starts_with('"'));
                while let Some(option) = rest.next_if(|word| word.text().starts_with('/')) {
                    if START_VALUED.contains(&option.text().to_ascii_lowercase().as_str()) {
                        rest.next();
                    }
                }
            }
            "call" => {
                let text = rest.peek().map_or("", |word| word.text()).to_ascii_lowercase();
                if text.starts_with(':') {
                    return;
                }
                if BATCHES.iter().any(|ending| text.ends_with(ending)) {
                    return self.reader.doubt(self.code, Doubt::Script);
                }
            }
            _ => return,
        }
        let rest: Vec<Argument> = rest.cloned().collect();
        if !rest.is_empty() {
            self.finish(rest, Vec::new(), Some(name));
        }
    }
}

/// The name of a program, also where its directory is in a variable.
fn program_of(program: &Argument) -> Option<String> {
    let source = program.word.source.trim_matches('"');
    if program.is_known() {
        return Some(program_name(program.text()));
    }
    if source.eq_ignore_ascii_case("%comspec%") {
        return Some("cmd".to_owned());
    }
    let name = source.rsplit(['\\', '/']).next().filter(|name| !name.contains(['%', '!']))?;
    Some(program_name(name)).filter(|name| !name.is_empty())
}

/// `rd/s/q`, `echo.`: the name of a command of cmd, and the text that follows without a blank.
fn glued(word: &Argument) -> (Argument, Option<Argument>) {
    let text = word.text();
    let at = text.find(['/', '.', ':', '(']).unwrap_or(text.len());
    let (name, rest) = text.split_at(at);
    match builtin(name) {
        Some(name)
            if word.is_known() && !rest.is_empty() && (rest.starts_with('/') || name == "echo") =>
        {
            let rest = if name == "echo" { rest.get(1..).unwrap_or_default() } else { rest };
            (Argument::literal(name), Some(Argument::literal(rest)).filter(|_| !rest.is_empty()))
        }
        Some(name) if word.is_known() && rest.is_empty() => (Argument::literal(name), None),
        _ => (word.clone(), None),
    }
}

/// `/s/q`: two options in one word.
fn parted(word: Argument) -> Vec<Argument> {
    let text = word.text();
    let is_options = text.starts_with('/') && text.split('/').skip(1).all(|part| part.len() == 1);
    if !is_options || !word.is_known() || text.len() < 4 {
        return vec![word];
    }
    text.split('/').skip(1).map(|part| Argument::literal(format!("/{part}"))).collect()
}

/// What `echo` prints.
fn printed(words: &[Argument]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    let is_known = first.text() == "echo" && rest.iter().all(Argument::is_known);
    is_known.then(|| rest.iter().map(Argument::text).collect::<Vec<_>>().join(" "))
}
