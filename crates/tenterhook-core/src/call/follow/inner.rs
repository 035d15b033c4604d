//! Which texts would a shell run that the line itself puts together: code in variables, in pipes, in files that it writes?

use tenterhook_shell::{Function, WordKind, is_shell_name, quote_word};

use super::super::quoted::quote_command_line;
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
    /// Queues a text to be read as a line that a shell runs here.
    pub(super) fn queue_inner_line(&mut self, text: String) {
        if self.filled.len() >= MOST_LINES
            || !self.meter.spend_steps_for_bytes(text.len() + self.cwd().len())
        {
            self.too_much = true;
            return;
        }
        let entry = (text, self.cwd().to_owned());
        if !self.filled.contains(&entry) {
            self.filled.push(entry);
        }
    }

    /// Queues a line that was put together from variables. The output of an unknown program is
    /// skipped.
    fn queue_expanded_line(&mut self, text: String) {
        if !text.trim_start().starts_with("$(") && !text.trim_start().starts_with('`') {
            self.queue_inner_line(text);
        }
    }

    /// Queues the text of a file that the line itself wrote.
    pub(super) fn queue_written_file(&mut self, path: &str) {
        let path = self.paths.to_absolute(path, self.cwd());
        if let Some(text) = self.files.get(&path).cloned() {
            self.queue_inner_line(text);
        }
    }

    /// Queues the code in the arguments of a shell or a function that depends on variables of the
    /// line.
    pub(super) fn queue_code_arguments(&mut self, view: &View<'_>) {
        let name = view.name.as_str();
        let is_shell = is_shell_name(name);
        let expands =
            view.command.words.iter().skip(1).any(|word| word.kind == WordKind::Expansion);
        if name == "eval" && expands {
            self.queue_expanded_line(view.args.join(" "));
        }
        let option = |arg: &String| {
            let cluster = is_shell && arg.starts_with('-') && !arg.starts_with("--");
            arg == "-c" || (cluster && arg.contains('c'))
        };
        let coded = is_shell || RUNNERS.contains(&name);
        match view.args.iter().position(option).filter(|_| coded) {
            Some(at) => self.queue_shell_code(view, at + 1, expands),
            None if is_shell => {
                let from = view.redirects.iter().filter(|(operator, _)| operator == "<");
                let files: Vec<String> = from.map(|(_, file)| file.clone()).collect();
                let script = view.operands(&[]).first().map(|operand| (*operand).to_owned());
                files.iter().chain(script.iter()).for_each(|file| self.queue_written_file(file));
                // A here-document without variables the reader has read.
                let here = self.here_document_texts(view.command);
                here.into_iter()
                    .filter(|_| script.is_none())
                    .for_each(|text| self.queue_inner_line(text));
            }
            None if READERS.contains(&name) => {
                let script = view.operands(&[]).first().map(|operand| (*operand).to_owned());
                script.iter().for_each(|script| self.queue_written_file(script));
            }
            None if name == "crontab" => self.queue_cron_jobs(view),
            None => {}
        }
        let called = self.functions.get(name).copied();
        if let Some(function) =
            called.filter(|function| !view.args.is_empty() && function.body.contains('$'))
        {
            let parameters = quote_command_line("set -- ", view.args.iter());
            let called = self.definitions_of_called_functions(function);
            self.queue_inner_line(format!("{called}{parameters}; {}", function.body));
        }
        if let Some(alias) = self.aliases.get(name) {
            let rest = quote_command_line("", view.args.iter());
            self.queue_inner_line(format!("{alias} {rest}"));
        }
    }

    /// Returns the definitions of the functions that the body of another function calls.
    fn definitions_of_called_functions(&self, function: &Function) -> String {
        let is_part = |c: char| !(c.is_alphanumeric() || "-_.".contains(c));
        let body = function.body.as_str();
        if !self.meter.spend_steps_for_bytes(body.len()) {
            return String::new();
        }
        let names = body.split(is_part).filter(|name| *name != function.name);
        let mut called: Vec<&Function> = Vec::new();
        for other in names.filter_map(|name| self.functions.get(name)) {
            let is_known = called.iter().any(|known| known.name == other.name);
            if called.len() < MOST_CALLED
                && !is_known
                && self.meter.spend_steps_for_bytes(other.body.len())
            {
                called.push(other);
            }
        }
        let defined = called.into_iter().map(|other| format!("{}() {}; ", other.name, other.body));
        defined.collect()
    }

    /// Queues the code of a shell: `bash -c 'rm -rf "$1"' _ /`, `xargs -I{} sh -c 'rm -rf {}'`.
    fn queue_shell_code(&mut self, view: &View<'_>, at: usize, expands: bool) {
        let Some(code) = view.args.get(at) else { return };
        let rest = view.args.get(at + 2..).unwrap_or_default();
        // `sh -c 'rm -rf "$0"' /`: the first word behind the code is its name.
        let name = view.args.get(at + 1).map_or_else(|| "sh".to_owned(), |arg| quote_word(arg));
        let code = &code.replacen("\"$0\"", &name, MOST_NAMED).replacen("$0", &name, MOST_NAMED);
        let expands = expands || *code != view.args.get(at).cloned().unwrap_or_default();
        let handed = view.fed.join(" ");
        let code = if view.fed.is_empty() { code.clone() } else { code.replace("{}", &handed) };
        let parameters = quote_command_line(
            "set -- ",
            rest.iter().filter(|rest| *rest != "{}").chain(&view.fed),
        );
        if code.contains('$') && !(rest.is_empty() && view.fed.is_empty()) {
            self.queue_inner_line(format!("{parameters}; {code}"));
        } else if expands {
            self.queue_expanded_line(code);
        }
    }

    /// Keeps what a command prints into a pipe, and queues it if a shell at the end of the pipe
    /// runs it.
    pub(super) fn queue_piped_code(&mut self, view: &View<'_>) {
        let only_options = view.operands(&[]).iter().all(|operand| *operand == "-");
        if view.is_output_consumed() {
            self.piped.extend(self.command_output(view));
        }
        if view.is_output_consumed() && only_options && is_shell_name(&view.name) {
            let piped: Vec<String> = self.piped.drain(..).collect();
            piped.into_iter().for_each(|text| self.queue_inner_line(text));
        }
    }

    /// Queues the jobs of a table that `crontab` reads; if its input is unknown, those that the
    /// line prints.
    fn queue_cron_jobs(&mut self, view: &View<'_>) {
        let input = self.input_texts(view.command);
        let printed = self.piped.iter().cloned().chain([self.printed.join(" ")]);
        let tables: Vec<String> = if input.is_empty() { printed.collect() } else { input };
        let jobs: Vec<String> =
            tables.iter().flat_map(|table| table.lines()).filter_map(cron_job_command).collect();
        jobs.into_iter().for_each(|line| self.queue_inner_line(line));
    }

    /// Returns the output of a command, if the line shows it.
    fn command_output(&self, view: &View<'_>) -> Vec<String> {
        match view.name.as_str() {
            "echo" | "printf" => vec![view.operands(&[]).join(" ").replace("\\n", "\n")],
            "cat" => self.input_texts(view.command),
            _ => Vec::new(),
        }
    }

    /// Keeps what the line writes into files, because it may run them.
    pub(super) fn keep_texts_of_written_files(&mut self, view: &View<'_>) {
        let mut said = self.command_output(view);
        if self.written > MOST_WRITTEN || (said.is_empty() && view.name != "tee") {
            return;
        }
        let mut files: Vec<(bool, &str)> = Vec::new();
        // `true && echo x > y`: the file belongs to the list, and to all that it prints.
        let groups = self.group_redirects();
        if !self.meter.spend_steps(groups.len()) {
            return;
        }
        let own = || view.redirects.iter().filter(|(operator, _)| operator.starts_with('>'));
        let all = groups.iter().filter(|(operator, _)| operator.starts_with('>'));
        files.extend(own().map(|(operator, file)| (operator == ">>", file.as_str())));
        files.extend(all.filter(|_| own().next().is_none()).map(|(_, file)| (true, file.as_str())));
        if view.name == "tee" {
            files.extend(
                view.operands(&[])
                    .into_iter()
                    .map(|operand| (view.has_option('a', "append"), operand)),
            );
            said = self.input_texts(view.command);
            said.extend(
                self.piped
                    .iter()
                    .take_while(|text| self.meter.spend_steps_for_bytes(text.len()))
                    .cloned(),
            );
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
            let path = self.paths.to_absolute(file, &self.variables.cwd);
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

/// Returns the command in a line of a `crontab` table.
fn cron_job_command(line: &str) -> Option<String> {
    let line = line.trim();
    let fields = if line.starts_with('@') { 1 } else { FIELDS };
    let is_time = |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || "*@".contains(c));
    let mut words = line.split_whitespace();
    let is_job = words.by_ref().take(fields).all(is_time);
    let command = words.collect::<Vec<_>>().join(" ");
    (is_job && !command.is_empty()).then_some(command)
}
