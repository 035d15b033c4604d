//! Which hooks are skipped because something else runs them already? Entries of Tenterhook itself, for every host, and behind an
//! agent the hooks that this agent loads itself. They stay visible, with the reason. Pure.

use tenterhook_shell::{parse_line, quote_word};

use crate::dialect::DialectId;
use crate::hook::{Arming, Hook, Invocation, Layer, Run};
use crate::source::{ReadConfig, Source};

/// The name of this program.
const OWN: &str = "tenterhook";
/// The command with which an agent calls it.
const BRIDGE: &str = "hook";
/// Options of this program that take a value and may stand before its command.
const WITH_VALUE: &[&str] = &["--color"];

/// Disarms the entries that call Tenterhook itself (BR-31): each would fire the whole configuration
/// once more.
pub(super) fn disarm_tenterhook_entries(read: &mut [(Source, ReadConfig)]) {
    for hook in read.iter_mut().flat_map(|(_, config)| &mut config.hooks) {
        if comes_from_file(hook) && is_tenterhook_entry(&hook.run) {
            disarm_if_armed(hook, "it is Tenterhook itself".to_owned(), "BR-31");
        }
    }
}

/// Disarms the hooks that `caller` loads from its own files (BR-30). A hold for a file that cannot
/// be read stays armed.
pub(super) fn disarm_caller_hooks(read: &mut [(Source, ReadConfig)], caller: DialectId) {
    let agent = caller.dialect().calling_agent_title().unwrap_or(caller.as_str());
    for (source, config) in read {
        // A file that `--config` names is read for this call only, whatever the agent loads.
        let loads = source.layer != Layer::Given && caller.dialect().loads_source(source);
        for hook in &mut config.hooks {
            hook.caller = Some(caller);
            if loads && comes_from_file(hook) {
                disarm_if_armed(hook, format!("{agent} loads this file itself"), "BR-30");
            }
        }
    }
}

/// Returns `true` if a hook comes from a file. Built-in rules and holds for unreadable files are
/// never skipped.
fn comes_from_file(hook: &Hook) -> bool {
    !hook.is_hold_for_unread_file() && hook.layer != Layer::BuiltIn
}

fn disarm_if_armed(hook: &mut Hook, because: String, rule: &'static str) {
    if hook.arming == Arming::Armed {
        hook.arming = Arming::Disarmed { because, rule };
    }
}

/// Returns `true` if a hook is an entry of Tenterhook: its first command is this program, called as
/// an agent calls it.
#[must_use]
pub fn is_tenterhook_entry(run: &Run) -> bool {
    let Run::Command(command) = run else { return false };
    match &command.invocation {
        Invocation::Argv { program, args } => {
            let quoted: Vec<String> =
                std::iter::once(program).chain(args).map(|word| quote_word(word)).collect();
            quoted.iter().any(|word| word.contains(OWN))
                && is_tenterhook_entry_line(&quoted.join(" "))
        }
        Invocation::Shell { text, .. } => text.contains(OWN) && is_tenterhook_entry_line(text),
    }
}

/// Returns `true` if a shell line is an entry of Tenterhook. A first command that only starts
/// another (`env`, `npx`, `sh -c`) is judged by what it starts.
pub(crate) fn is_tenterhook_entry_line(line: &str) -> bool {
    let line = parse_line(line);
    let mut commands = line.commands.iter().skip_while(|command| command.words.is_empty());
    let first = commands.next();
    let started = commands.take_while(|command| !command.via.is_empty());
    first.into_iter().chain(started).any(|command| {
        let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        calls_tenterhook_hook(&words)
    })
}

/// Returns `true` if these words call this program with the command `hook`; options may precede the
/// command.
fn calls_tenterhook_hook(words: &[&str]) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let file = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let mut previous = "";
    let mut command = rest.iter().filter(|word| {
        let is_value = WITH_VALUE.contains(&std::mem::replace(&mut previous, word));
        !is_value && !word.starts_with('-')
    });
    file.strip_suffix(".exe").unwrap_or(file) == OWN && command.next() == Some(&BRIDGE)
}
