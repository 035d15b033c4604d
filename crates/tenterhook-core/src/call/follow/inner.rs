//! Which texts would a shell run that the line itself puts together: code in variables, in pipes, in files that it writes?

use tenterhook_shell::{Function, WordKind, is_shell, quote};

use super::super::quoted::line_of;
use super::super::view::View;
use super::{MOST_LINES, Sofar};

/// Most places in which the name of a piece of code is put: it may be as long as the line.
const MOST_NAMED: usize = 4;

/// Most functions that a function which is called brings with it.
const MOST_CALLED: usize = 4;

/// Programs that run the text of their option `-c` as a shell does.
const RUNNERS: &[&str] = &["su", "runuser", "sg"];

/// Programs that read a file as code of this shell.
const READERS: &[&str] = &["source", "."];

/// Most bytes that are kept of what the line writes into files.
const MOST_WRITTEN: usize = 64 * 1024;

impl Sofar<'_> {
    /// Has a text be read as one that a shell runs here.
    pub(super) fn run(&mut self, text: String) {
        if self.filled.len() >= MOST_LINES || !self.meter.read(text.len() + self.cwd().len()) {
            self.too_much = true;
            return;
        }
        let entry = (text, self.cwd().to_owned());
        if !self.filled.contains(&entry) {
            self.filled.push(entry);
        }
    }

    /// The same for one that was put together; of what another program prints nothing is known.
    fn expanded(&mut self, text: String) {
        if !text.trim_start().starts_with("$(") && !text.trim_start().starts_with('`') {
            self.run(text);
        }
    }

    /// A file that the line itself wrote.
    pub(super) fn runs_file(&mut self, path: &str) {
        let path = self.paths.absolute(path, self.cwd());
        if let Some(text) = self.files.get(&path).cloned() {
            self.run(text);
        }
    }

    /// The code that a shell or a function is handed, where it is only known with what the line says before.
    pub(super) fn code(&mut self, view: &View<'_>) {
        let name = view.name.as_str();
        let is_shell = is_shell(name);
        let expands =
            view.command.words.iter().skip(1).any(|word| word.kind == WordKind::Expansion);
        if name == "eval" && expands {
            self.expanded(view.args.join(" "));
        }
        let option = |arg: &String| {
            let cluster = is_shell && arg.starts_with('-') && !arg.starts_with("--");
            arg == "-c" || (cluster && arg.contains('c'))
        };
        let coded = is_shell || RUNNERS.contains(&name);
        match view.args.iter().position(option).filter(|_| coded) {
            Some(at) => self.shell_code(view, at + 1, expands),
            None if is_shell => {
                let from = view.redirects.iter().filter(|(operator, _)| operator == "<");
                let files: Vec<String> = from.map(|(_, file)| file.clone()).collect();
                let script = view.operands(&[]).first().map(|operand| (*operand).to_owned());
                files.iter().chain(script.iter()).for_each(|file| self.runs_file(file));
                // A here-document without variables the reader has read.
                let here = self.here(view.command);
                here.into_iter().filter(|_| script.is_none()).for_each(|text| self.run(text));
            }
            None if READERS.contains(&name) => {
                let script = view.operands(&[]).first().map(|operand| (*operand).to_owned());
                script.iter().for_each(|script| self.runs_file(script));
            }
            None if name == "crontab" => self.jobs(view),
            None => {}
        }
        let called = self.functions.get(name).copied();
        if let Some(function) =
            called.filter(|function| !view.args.is_empty() && function.body.contains('$'))
        {
            let parameters = line_of("set -- ", view.args.iter());
            let called = self.called_by(function);
            self.run(format!("{called}{parameters}; {}", function.body));
        }
        if let Some(alias) = self.aliases.get(name) {
            let rest = line_of("", view.args.iter());
            self.run(format!("{alias} {rest}"));
        }
    }

    /// The functions whose names stand in the body of another, as the line defines them.
    fn called_by(&self, function: &Function) -> String {
        let is_part = |c: char| !(c.is_alphanumeric() || "-_.".contains(c));
        let body = function.body.as_str();
        if !self.meter.read(body.len()) {
            return String::new();
        }
        let names = body.split(is_part).filter(|name| *name != function.name);
        let mut called: Vec<&Function> = Vec::new();
        for other in names.filter_map(|name| self.functions.get(name)) {
            let is_known = called.iter().any(|known| known.name == other.name);
            if called.len() < MOST_CALLED && !is_known && self.meter.read(other.body.len()) {
                called.push(other);
            }
        }
        let defined = called.into_iter().map(|other| format!("{}() {}; ", other.name, other.body));
        defined.collect()
    }

    /// `bash -c 'rm -rf "$1"' _ /`, `xargs -I{} sh -c 'rm -rf {}'`
    fn shell_code(&mut self, view: &View<'_>, at: usize, expands: bool) {
        let Some(code) = view.args.get(at) else { return };
        let rest = view.args.get(at + 2..).unwrap_or_default();
        // `sh -c 'rm -rf "$0"' /`: the first word behind the code is its name.
        let name = view.args.get(at + 1).map_or_else(|| "sh".to_owned(), |arg| quote(arg));
        let code = &code.replacen("\"$0\"", &name, MOST_NAMED).replacen("$0", &name, MOST_NAMED);
        let expands = expands || *code != view.args.get(at).cloned().unwrap_or_default();
        let handed = view.fed.join(" ");
        let code = if view.fed.is_empty() { code.clone() } else { code.replace("{}", &handed) };
        let parameters =
            line_of("set -- ", rest.iter().filter(|rest| *rest != "{}").chain(&view.fed));
        if code.contains('$') && !(rest.is_empty() && view.fed.is_empty()) {
            self.run(format!("{parameters}; {code}"));
        } else if expands {
            self.expanded(code);
        }
    }

    /// What a command prints into a pipe, and a shell that runs it.
    pub(super) fn pipe(&mut self, view: &View<'_>) {
        let only_options = view.operands(&[]).iter().all(|operand| *operand == "-");
        if view.feeds() {
            self.piped.extend(self.printed_by(view));
        }
        if view.feeds() && only_options && is_shell(&view.name) {
            let piped: Vec<String> = self.piped.drain(..).collect();
            piped.into_iter().for_each(|text| self.run(text));
        }
    }

    /// The jobs of a table that `crontab` reads; where the line does not say all of it, those that it prints.
    fn jobs(&mut self, view: &View<'_>) {
        let input = self.input(view.command);
        let printed = self.piped.iter().cloned().chain([self.printed.join(" ")]);
        let tables: Vec<String> = if input.is_empty() { printed.collect() } else { input };
        let jobs: Vec<String> =
            tables.iter().flat_map(|table| table.lines()).filter_map(job).collect();
        jobs.into_iter().for_each(|line| self.run(line));
    }

    /// The output of a command, at its position on the line.
    fn printed_by(&self, view: &View<'_>) -> Vec<String> {
        match view.name.as_str() {
            "echo" | "printf" => vec![view.operands(&[]).join(" ").replace("\\n", "\n")],
            "cat" => self.input(view.command),
            _ => Vec::new(),
        }
    }

    /// What the line writes into files, which it may run.
    pub(super) fn write(&mut self, view: &View<'_>) {
        let mut said = self.printed_by(view);
        if self.written > MOST_WRITTEN || (said.is_empty() && view.name != "tee") {
            return;
        }
        let mut files: Vec<(bool, &str)> = Vec::new();
        // `true && echo x > y`: the file belongs to the list, and to all that it prints.
        let groups = self.of_groups();
        if !self.meter.spend(groups.len()) {
            return;
        }
        let own = || view.redirects.iter().filter(|(operator, _)| operator.starts_with('>'));
        let all = groups.iter().filter(|(operator, _)| operator.starts_with('>'));
        files.extend(own().map(|(operator, file)| (operator == ">>", file.as_str())));
        files.extend(all.filter(|_| own().next().is_none()).map(|(_, file)| (true, file.as_str())));
        if view.name == "tee" {
            files.extend(
                view.operands(&[]).into_iter().map(|operand| (view.has('a', "append"), operand)),
            );
            said = self.input(view.command);
            said.extend(self.piped.iter().take_while(|text| self.meter.read(text.len())).cloned());
        }
        if said.is_empty() {
            return;
        }
        let said = said.join("\n") + "\n";
        for (appends, file) in files {
            // Without a text in them, files cost as well.
            self.written += said.len() + file.len();
            if self.written > MOST_WRITTEN {
                self.too_much = true;
                return;
            }
            let path = self.paths.absolute(file, &self.variables.cwd);
            let text = self.files.entry(path).or_default();
            if !appends {
                text.clear();
            }
            text.push_str(&said);
        }
    }
}

/// How many fields of a line in a table of `crontab` say when it runs.
const FIELDS: usize = 5;

/// The command of a line in a table of `crontab`.
fn job(line: &str) -> Option<String> {
    let line = line.trim();
    let fields = if line.starts_with('@') { 1 } else { FIELDS };
    let is_time = |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || "*@".contains(c));
    let mut words = line.split_whitespace();
    let is_job = words.by_ref().take(fields).all(is_time);
    let command = words.collect::<Vec<_>>().join(" ");
    (is_job && !command.is_empty()).then_some(command)
}
