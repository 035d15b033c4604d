//! Neuters gates in the ways that people do, one at a time (TE-30). Changes copies and values; fires nothing.

use std::path::PathBuf;
use std::sync::Arc;

use regex::Regex;
use tenterhook_core::answer::Power;
use tenterhook_core::hook::{Arming, Hook, HookId, Invocation, Prewarm, Run, Shell};
use tenterhook_core::matcher::{Matcher, MatcherSpec};

use super::copies::{Copies, File, scripts_of_hook};
use super::suite::Suite;

/// A hook, neutered in one way.
#[derive(Clone, Debug)]
pub(super) struct Mutant {
    pub(super) hook: HookId,
    pub(super) way: &'static Way,
    /// The files as they are changed, where files are.
    copies: Option<Copies>,
}

/// One way to neuter a gate.
#[derive(Debug)]
pub(super) struct Way {
    /// What people write.
    pub(super) name: &'static str,
    /// What that does.
    pub(super) about: &'static str,
    /// The sign in a hook's text without which it changes nothing; empty where it always does.
    sign: &'static str,
    how: How,
}

#[derive(Debug)]
enum How {
    /// Its matcher matches nothing.
    Unmatched,
    /// Its command stands in such a line, where `{}` is.
    Within(&'static str),
    /// What this expression finds in its text is replaced.
    Replaced(&'static str, &'static str),
}

/// A code that a hook says no with.
const EXITS: &str = r"exit\s*\(?\s*2|exitCode\s*=\s*2";
/// What a hook prints that answers with an object.
const OBJECTS: &str = r#"decision|permissionDecision|hookSpecificOutput|"action""#;

/// Every way to break a gate, in the order of the report.
pub(super) static WAYS: &[Way] = &[
    Way { name: "no match", about: "its matcher matches nothing", sign: "", how: How::Unmatched },
    Way {
        name: "|| true",
        about: "its exit code is swallowed",
        sign: EXITS,
        how: How::Within("( {}\n) || true"),
    },
    Way {
        name: "exit 1",
        about: "it exits with 1 where it exited with 2",
        sign: EXITS,
        how: How::Within("( {}\n); c=$?; [ $c = 2 ] && exit 1; exit $c"),
    },
    Way {
        name: "2>/dev/null",
        about: "what it says on standard error is lost",
        sign: r">&2|/dev/stderr|sys\.stderr|console\.error|process\.stderr|STDERR",
        how: How::Within("( {}\n) 2>/dev/null"),
    },
    Way {
        name: "no jq",
        about: "`jq` is not installed",
        sign: r"\bjq\b",
        how: How::Replaced(r"\bjq\b", "jq-is-not-installed"),
    },
    Way {
        name: "\"DENY\"",
        about: "its decision is written in capitals",
        sign: r#"["'](deny|block|ask)\\?["']"#,
        how: How::Replaced(r#"(["'])(deny|block|ask)(\\?["'])"#, "CAPITALS"),
    },
    Way {
        name: "log line",
        about: "it prints a line before its answer",
        sign: OBJECTS,
        how: How::Within("echo 'checking the call'; ( {}\n)"),
    },
];

/// Returns every mutant of a suite's gates.
pub(super) fn all_mutants(suite: &Suite) -> Vec<Mutant> {
    let mut found: Vec<Mutant> = Vec::new();
    for hook in gate_hooks(suite) {
        // An entry for several events is one gate.
        if found.iter().any(|mutant| mutant.hook == hook.id) {
            continue;
        }
        found.extend(WAYS.iter().filter_map(|way| create_mutant(hook, way, suite)));
    }
    found
}

/// Returns the hooks that can deny or hold something.
pub(super) fn gate_hooks(suite: &Suite) -> impl Iterator<Item = &Hook> {
    let hooks = suite.ruleset.hooks().iter().map(|hook| &**hook);
    hooks.filter(|hook| {
        let powers = suite.ruleset.event_row(hook.dialect, &hook.event).powers;
        let may = powers.has(Power::Deny) || powers.has(Power::Ask);
        may && hook.arming == Arming::Armed && !hook.is_hold_for_unread_file()
    })
}

fn create_mutant(hook: &Hook, way: &'static Way, suite: &Suite) -> Option<Mutant> {
    let files = scripts_of_hook(hook, suite);
    let names: Vec<PathBuf> = files
        .iter()
        .filter_map(|file| file.strip_prefix(&suite.project).ok().map(ToOwned::to_owned))
        .collect();
    let mut text = hook_as_shell_line(hook).unwrap_or_default();
    for file in names.iter().filter_map(|name| suite.copies.files.get(name)) {
        text.push('\n');
        text.push_str(&String::from_utf8_lossy(&file.bytes));
    }
    let fits = way.sign.is_empty() || Regex::new(way.sign).is_ok_and(|regex| regex.is_match(&text));
    if !fits || (!matches!(way.how, How::Unmatched) && hook_as_shell_line(hook).is_none()) {
        return None;
    }
    let copies = match way.how {
        How::Replaced(..) => Some(mutate_files(&suite.copies, &names, way)),
        How::Unmatched | How::Within(_) => None,
    };
    Some(Mutant { hook: hook.id.clone(), way, copies })
}

/// Returns the command of a hook as a shell line, if it can run in a shell of this system.
fn hook_as_shell_line(hook: &Hook) -> Option<String> {
    let Run::Command(command) = &hook.run else { return None };
    match &command.invocation {
        Invocation::Shell { shell: Shell::PowerShell, .. } => None,
        Invocation::Shell { text, .. } => Some(text.clone()),
        Invocation::Argv { program, args } => {
            let words: Vec<String> =
                std::iter::once(program).chain(args).map(|program| shell_quote(program)).collect();
            Some(words.join(" "))
        }
    }
}

/// Quotes a word for the shell.
fn shell_quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-=+,:@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn mutate_files(copies: &Copies, names: &[PathBuf], way: &Way) -> Copies {
    let mut copies = copies.clone();
    for (name, file) in &mut copies.files {
        if let Some(bytes) = names.contains(name).then(|| way.mutate_bytes(&file.bytes)) {
            *file = File { bytes, is_program: file.is_program };
        }
    }
    copies
}

impl Way {
    fn mutate_bytes(&self, bytes: &[u8]) -> Arc<[u8]> {
        let text = String::from_utf8_lossy(bytes);
        self.mutate_text(&text).into_bytes().into()
    }

    fn mutate_text(&self, text: &str) -> String {
        let How::Replaced(pattern, with) = self.how else { return text.to_owned() };
        let Ok(pattern) = Regex::new(pattern) else { return text.to_owned() };
        if with == "CAPITALS" {
            let capitals = |captures: &regex::Captures<'_>| {
                let part =
                    |at| captures.get(at).map_or("", |found: regex::Match<'_>| found.as_str());
                format!("{}{}{}", part(1), part(2).to_uppercase(), part(3))
            };
            return pattern.replace_all(text, capitals).into_owned();
        }
        pattern.replace_all(text, with).into_owned()
    }
}

impl Mutant {
    /// Returns the changed files; `None` if no file is changed.
    pub(super) const fn changed_files(&self) -> Option<&Copies> {
        self.copies.as_ref()
    }

    /// Applies the mutation to its hook among `hooks`.
    pub(super) fn apply_to_hooks(&self, hooks: &mut [Hook]) {
        for hook in hooks.iter_mut().filter(|hook| hook.id == self.hook) {
            match &self.way.how {
                How::Unmatched => {
                    hook.matcher = Matcher::new(MatcherSpec::Never("it was neutered".to_owned()));
                }
                How::Within(template) => {
                    if let Some(line) = hook_as_shell_line(hook) {
                        set_shell_line(hook, template.replace("{}", &line));
                    }
                }
                How::Replaced(..) => {
                    let Some(line) = hook_as_shell_line(hook) else { continue };
                    let changed = self.way.mutate_text(&line);
                    if changed != line {
                        set_shell_line(hook, changed);
                    }
                }
            }
        }
    }
}

fn set_shell_line(hook: &mut Hook, text: String) {
    let Run::Command(command) = &mut hook.run else { return };
    let shell = match &command.invocation {
        Invocation::Shell { shell, .. } => *shell,
        Invocation::Argv { .. } => Shell::Sh,
    };
    command.invocation = Invocation::Shell { text, shell };
    // A process that waits with its script loaded would not be the changed one.
    command.prewarm = Prewarm::Never;
}
