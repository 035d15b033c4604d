//! The tables of a pack of rules: every attack in every form, and ordinary calls. Judges nothing.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tenterhook_core::answer::Restraint;
use tenterhook_core::rule::{Rule, RuleInput};

use crate::pack::{call, conformance};

/// Ways to put a simple command. `{program}` and `{rest}` are its parts, `{quoted}` is all of it
/// between single quotes.
const COMMAND_FORMS: &[&str] = &[
    "sudo {command}",
    "sudo -u root {command}",
    "doas {command}",
    "env {command}",
    "env -i A=b {command}",
    "A=b {command}",
    "nohup {command} &",
    "timeout 5 {command}",
    "timeout -k 1 5s {command}",
    "time {command}",
    "nice -n 5 {command}",
    "exec {command}",
    "command {command}",
    "builtin {command}",
    "stdbuf -oL {command}",
    "setsid {command}",
    "busybox {command}",
    "\\{command}",
    "\"{program}\" {rest}",
    "'{program}' {rest}",
    "/usr/bin/{command}",
    "~/bin/{command}",
    "P={program}; $P {rest}",
    "echo x | xargs {command}",
    "echo x | xargs -n1 -P4 {command}",
    "find . -maxdepth 1 -name x -exec {command} \\;",
    "find . -name x -execdir {command} +",
    "sudo nohup nice timeout 5 {command}",
    "uv run {command}",
    "uv run --with x -- {command}",
    "poetry run {command}",
    "pipx run {command}",
    "bundle exec {command}",
    "npm exec -- {command}",
    "npx {command}",
    "pnpm dlx {command}",
    "conda run -n x {command}",
    "direnv exec . {command}",
    "parallel {command} ::: x",
    "echo x | parallel {command}",
    "for c in {program}; do $c {rest}; done",
    "for c in ls {program}; do $c {rest}; done",
    "C={quoted}; $C",
    "alias c={quoted}; c",
    "set -- {command}; \"$@\"",
];

/// Ways to put any line.
const LINE_FORMS: &[&str] = &[
    "{line}",
    "{line};",
    "true && {line}",
    "false || {line}",
    "true; {line}",
    "true\n{line}\ntrue",
    "({line})",
    "{ {line}; }",
    "! {line}",
    "# a comment\n{line}",
    "if true; then {line}; fi",
    "for i in 1 2; do {line}; done",
    "while true; do {line}; done",
    "case x in x) {line} ;; esac",
    "f() { {line}; }; f",
    "bash -c {quoted}",
    "sh -c {quoted}",
    "bash -lc {quoted}",
    "/bin/bash -c {quoted}",
    "zsh -c {quoted}",
    "eval {quoted}",
    "sudo bash -c {quoted}",
    "sudo -E env A=b sh -c {quoted}",
    "timeout 5 bash -c {quoted}",
    "xargs -I% bash -c {quoted}",
    "find . -exec sh -c {quoted} \\;",
    "nohup sh -c {quoted} > /dev/null 2>&1 &",
    "env -S {quoted}",
    "trap {quoted} EXIT",
    "watch -n 1 {quoted}",
    "flock /tmp/l -c {quoted}",
    "su -c {quoted} root",
    "script -c {quoted} /dev/null",
    "parallel ::: {quoted}",
    "tmux send-keys -t x {quoted} Enter",
    "nix-shell -p x --run {quoted}",
    "uv run bash -c {quoted}",
    "npm exec -c {quoted}",
    "echo {quoted} > /tmp/x.sh; bash /tmp/x.sh",
];

/// Ways to put a line that has no here-document.
const FLAT_FORMS: &[&str] = &[
    "echo $({line})",
    "x=$({line})",
    "echo \"$({line})\"",
    "cat <({line})",
    "bash <<'EOF'\n{line}\nEOF",
    "cat <<EOF\n$({line})\nEOF",
    "{line} | cat",
    "{line} 2>&1 | tee /tmp/log",
    "cd src; cd ..; {line}",
    "cat > /tmp/x.sh <<'EOF'\n{line}\nEOF\nbash /tmp/x.sh",
    "cat <<'EOF' | sh\n{line}\nEOF",
];

/// One rule of the pack and the table of its cases.
pub(crate) struct Guard {
    pub(crate) name: String,
    pub(crate) rule: Rule,
    pub(crate) table: Value,
}

/// The folder of a pack's tables.
pub(crate) fn tables(pack: &str) -> PathBuf {
    conformance().join(pack)
}

/// The rules of a pack with their tables.
pub(crate) fn guards(pack: &str, rules: Vec<(String, Rule)>) -> Vec<Guard> {
    let guard = |(id, rule): (String, Rule)| {
        let name = id.strip_prefix(&format!("{pack}/")).unwrap().to_owned();
        let file = tables(pack).join(format!("attacks/{name}.toml"));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let table = toml::from_str::<serde_json::Value>(&text).unwrap();
        Guard { name, rule, table }
    };
    rules.into_iter().map(guard).collect()
}

impl Guard {
    pub(crate) fn texts(&self, key: &str) -> Vec<&str> {
        let list = self.table.get(key).and_then(Value::as_array);
        list.into_iter().flatten().map(|value| value.as_str().unwrap()).collect()
    }

    pub(crate) fn calls(&self, key: &str) -> Vec<RuleInput> {
        let list = self.table.get(key).and_then(Value::as_array);
        let call =
            |value: &Value| rule_input(value["tool"].as_str().unwrap(), value["input"].clone());
        list.into_iter().flatten().map(call).collect()
    }

    pub(crate) fn judge(&self, rule_input: &RuleInput) -> Restraint {
        judge(&self.rule, rule_input).unwrap_or_else(|why| panic!("{}: {why}", self.name))
    }

    pub(crate) fn wanted(&self) -> Restraint {
        match self.table["decision"].as_str().unwrap() {
            "deny" => Restraint::Deny,
            "ask" => Restraint::Ask,
            other => panic!("{}: {other} is not a decision", self.name),
        }
    }

    /// Every form of every attack.
    pub(crate) fn attacks(&self) -> Vec<String> {
        let mut found = Vec::new();
        let commands = self.texts("commands");
        for command in &commands {
            let (program, rest) = command.split_once(' ').unwrap_or((command, ""));
            let put = |form: &&str| {
                let form = form.replace("{program}", program).replace("{rest}", rest);
                form.replace("{command}", command).replace("{quoted}", &quote(command))
            };
            // What parts a text at its blanks parts the words between quotes, too.
            let plain = !command.contains(['\'', '"', '\\', '{', '*', '~', '$']);
            let fits = |form: &&&str| {
                plain || !(form.contains("$C") || form.contains("$@") || form.contains("parallel"))
            };
            found.extend(COMMAND_FORMS.iter().filter(fits).map(put));
        }
        for line in commands.into_iter().chain(self.texts("lines")) {
            let quoted = quote(line);
            let put = |form: &&str| form.replace("{line}", line).replace("{quoted}", &quoted);
            let many = line.contains('\n');
            let background = line.ends_with('&');
            let fits = |form: &&&str| {
                let embeds = form.contains("{line}") && **form != "{line}";
                // No parser can know what these forms insert; and `((` is arithmetic.
                let replaced = (form.starts_with("find ") && line.contains("{}"))
                    || (form.starts_with("xargs -I%") && line.contains('%'));
                let arithmetic = line.starts_with('(') && form.contains("({line}");
                // The grammar reads `! for` and `! f()` not at all.
                let negated = form.starts_with("! ")
                    && ["for ", "f()", "function "].iter().any(|prefix| line.starts_with(prefix));
                !negated
                    && !(many && (embeds || **form == "env -S {quoted}"))
                    && !(background && embeds)
                    && !replaced
                    && !arithmetic
            };
            found.extend(LINE_FORMS.iter().filter(fits).map(put));
            found.extend(FLAT_FORMS.iter().filter(fits).map(put));
        }
        found
    }
}

/// The text between single quotes.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn rule_input(tool: &str, input: Value) -> RuleInput {
    RuleInput::new(&Arc::new(call(tool, input)))
}

/// A line for the shell.
pub(crate) fn bash(line: &str) -> RuleInput {
    RuleInput::new(&Arc::new(crate::pack::bash(line)))
}

/// The restraint that a rule answers to a call.
pub(crate) fn judge(rule: &Rule, rule_input: &RuleInput) -> Result<Restraint, String> {
    let answer = rule.evaluate_or_silent(rule_input, &|| true).map_err(|why| format!("{why:?}"))?;
    Ok(answer.restraint)
}

/// The ordinary calls: a line for the shell, or `Tool {input}`.
pub(crate) fn ordinary(pack: &str) -> Vec<(String, RuleInput)> {
    let mut found = Vec::new();
    let mut files: Vec<PathBuf> = tables(pack)
        .join("ordinary")
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        for (at, line) in std::fs::read_to_string(&file).unwrap().lines().enumerate() {
            let place = format!("{name}:{}: {line}", at + 1);
            let call = line.split_once(" {").and_then(|(tool, rest)| {
                let is_tool =
                    tool.starts_with(|c: char| c.is_ascii_uppercase()) || tool.starts_with("mcp__");
                let input = serde_json::from_str(&format!("{{{rest}")).ok();
                input
                    .filter(|_| is_tool && !tool.contains(' '))
                    .map(|input| rule_input(tool, input))
            });
            found.push((place, call.unwrap_or_else(|| bash(line))));
        }
    }
    found
}

/// Holds the rules to their attacks: what is lost, and how many there are.
pub(crate) fn lost(guards: &[Guard]) -> (Vec<String>, usize) {
    let (mut lost, mut count) = (Vec::new(), 0);
    for guard in guards {
        let wanted = guard.wanted();
        assert!(guard.texts("commands").len() + guard.texts("lines").len() >= 3, "{}", guard.name);
        for attack in guard.attacks() {
            count += 1;
            if guard.judge(&bash(&attack)) != wanted {
                lost.push(format!("{}: {attack}", guard.name));
            }
        }
        for (at, call) in guard.calls("calls").iter().enumerate() {
            count += 1;
            if guard.judge(call) != wanted {
                lost.push(format!("{}: call {at}", guard.name));
            }
        }
    }
    (lost, count)
}

/// The innocent neighbours that their rule denies anyway.
pub(crate) fn false_denials(guards: &[Guard]) -> Vec<String> {
    let mut denied: Vec<String> = Vec::new();
    for guard in guards {
        assert!(guard.texts("misses").len() >= 4, "{}", guard.name);
        for miss in guard.texts("misses") {
            if guard.judge(&bash(miss)) != Restraint::Silent {
                denied.push(format!("{}: {miss}", guard.name));
            }
        }
        for (at, call) in guard.calls("miss_calls").iter().enumerate() {
            if guard.judge(call) != Restraint::Silent {
                denied.push(format!("{}: miss call {at}", guard.name));
            }
        }
    }
    denied
}
