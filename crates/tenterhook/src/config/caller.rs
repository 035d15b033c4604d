//! Which hooks does the bridge leave alone? Those that the calling agent loads itself, for it runs them or has its reasons not
//! to, and entries that are this program. They stay visible, with the reason.

use tenterhook_shell::{quote, read};

use crate::dialect::DialectId;
use crate::hook::{Arming, Hook, Invocation, Layer, Run};
use crate::source::{ReadConfig, Source};

/// How this program is called.
const OWN: &str = "tenterhook";
/// Its commands that fire hooks.
const FIRES: &[&str] = &["hook", "fire"];

/// Disarms what the bridge never fires for `caller` (BR-30, BR-31). What holds calls while a file is unread stays.
pub(super) fn set_aside(read: &mut [(Source, ReadConfig)], caller: DialectId) {
    let agent = caller.dialect().agent().unwrap_or(caller.as_str());
    for (source, config) in read {
        // A file that was named is nobody's but the caller's of this program.
        let loads = source.layer != Layer::Given && caller.dialect().loads(source);
        for hook in &mut config.hooks {
            hook.caller = Some(caller);
        }
        for hook in config.hooks.iter_mut().filter(|it| !it.is_hold() && it.layer != Layer::BuiltIn)
        {
            if is_own(&hook.run) {
                disarm(hook, "it is Tenterhook itself".to_owned(), "BR-31");
            } else if loads {
                disarm(hook, format!("{agent} loads this file itself"), "BR-30");
            }
        }
    }
}

fn disarm(hook: &mut Hook, because: String, rule: &'static str) {
    if hook.arming == Arming::Armed {
        hook.arming = Arming::Disarmed { because, rule };
    }
}

/// Whether a hook is an entry of ours: its first command is this program, with a command that fires hooks.
#[must_use]
pub fn is_own(run: &Run) -> bool {
    let Run::Command(command) = run else { return false };
    match &command.invocation {
        Invocation::Argv { program, args } => {
            let quoted: Vec<String> =
                std::iter::once(program).chain(args).map(|it| quote(it)).collect();
            quoted.iter().any(|it| it.contains(OWN)) && is_own_line(&quoted.join(" "))
        }
        Invocation::Shell { text, .. } => text.contains(OWN) && is_own_line(text),
    }
}

/// The first command as it is written, and what it runs where it only starts others (`env`, `npx`).
pub(crate) fn is_own_line(line: &str) -> bool {
    let line = read(line);
    let mut commands = line.commands.iter().skip_while(|it| it.words.is_empty());
    let first = commands.next();
    first.into_iter().chain(commands.take_while(|it| !it.via.is_empty())).any(|command| {
        let words: Vec<&str> = command.words.iter().map(|it| it.text.as_str()).collect();
        fires(&words)
    })
}

/// Whether these words start this program with a command that fires hooks; its options may stand before that.
fn fires(words: &[&str]) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let file = program.rsplit(['/', '\\']).next().unwrap_or(program);
    file.strip_suffix(".exe").unwrap_or(file) == OWN && rest.iter().any(|it| FIRES.contains(it))
}
