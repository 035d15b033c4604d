//! Which hooks are firing round this process, as a variable of its environment says, and may one more fire within them?
//! (P-10 to P-12). Values only.
//!
//! A hook that fires its own configuration, by itself or by an agent that it starts, would do so without end. The mark can only
//! refuse: a forged mark gets denials, and a process that clears it is bounded by the timeout of the hook round it.

use super::{Hook, Run};
use crate::answer::Failure;
use crate::diagnostic::Code;

/// The variable: a word for each hook that is firing, the outermost first.
pub const FIRING: &str = "TENTERHOOK_FIRING";

/// How many hooks may be firing round a hook. Deeper nestings are accidents that change their own name.
const MOST: usize = 8;

/// Why `hook` is not run in a process that was handed `env`, if it is not.
pub fn refuses(hook: &Hook, env: &[(String, String)]) -> Option<Failure> {
    let around: Vec<&str> = marks(env).take(MOST + 1).collect();
    if around.is_empty() {
        return None;
    }
    if around.len() > MOST {
        let message = format!(
            "more than {MOST} hooks are firing round it, each within the one before; so deep none is run"
        );
        return Some(Failure::new(Code::NestedTooDeep, message));
    }
    around.contains(&&*mark(hook)).then(|| Failure::new(Code::AlreadyFiring, "it is firing already, and what it started fires it again, which would have no end: let what it \
                  starts fire another configuration"
            ))
}

/// What a program that `hook` starts is handed: the hooks round it, and itself.
pub fn nested_mark(hook: &Hook, env: &[(String, String)]) -> String {
    add(env, &mark(hook))
}

/// What an MCP server is handed: it serves every hook that calls it, so that its word stands for all of them.
pub fn within_server(server: &str, env: &[(String, String)]) -> String {
    add(env, &word_of_server(server))
}

/// One word of a mark, however it was written; a host that sets a variable twice means the last one.
fn marks(env: &[(String, String)]) -> impl Iterator<Item = &str> {
    let mark = env.iter().rev().find(|(name, _)| name == FIRING).map(|(_, value)| value.as_str());
    mark.unwrap_or_default().split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// A word in an unknown format is treated like a hook and is not passed on as it is: it may be of any length.
fn add(env: &[(String, String)], own: &str) -> String {
    let ours =
        |word: &str| word.len() == own.len() && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let around = marks(env).take(MOST + 1).map(|word| if ours(word) { word } else { "?" });
    around.chain([own]).collect::<Vec<_>>().join(",")
}

fn mark(hook: &Hook) -> String {
    if let Run::McpTool(call) = &hook.run {
        return word_of_server(&call.server);
    }
    let file = hook.place.as_ref().map_or("", |location| &location.file);
    digest(&["hook", file, hook.id.as_str()])
}

fn word_of_server(server: &str) -> String {
    digest(&["server", server])
}

/// FNV-1a: the same in every build, which a hasher of the standard library does not promise. A hook that somebody makes
/// collide with a different hook is refused, and nothing else.
fn digest(parts: &[&str]) -> String {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let mix = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bytes.fold(0xcbf2_9ce4_8422_2325, mix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DialectId;
    use crate::event::EventName;
    use crate::hook::HookId;

    fn hook(id: &str) -> Hook {
        let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
        Hook::new(HookId::new(id), DialectId::NATIVE, EventName::new("PreToolUse"), run)
    }

    fn env(mark: &str) -> Vec<(String, String)> {
        vec![(FIRING.to_owned(), mark.to_owned())]
    }

    fn code(id: &str, mark: &str) -> Option<&'static str> {
        refuses(&hook(id), &env(mark)).map(|failure| failure.code.name())
    }

    /// P-10, P-11.
    #[test]
    fn only_what_fires_is_refused() {
        assert_eq!(refuses(&hook("a"), &[]), None);
        let mark = nested_mark(&hook("b"), &env(&nested_mark(&hook("a"), &[])));
        assert_eq!(mark.split(',').count(), 2, "{mark}");
        assert_eq!(["a", "b"].map(|id| code(id, &mark)), [Some("already-firing"); 2]);
        assert_eq!(code("c", &mark), None);
        let many = ["0123456789abcdef"; MOST].join(",");
        assert_eq!(code("c", &many), None);
        assert_eq!(code("c", &format!("{many},x")), Some("nested-too-deep"));
    }

    /// P-12: a mark that somebody else wrote refuses or does nothing, and does not grow.
    #[test]
    fn a_forged_mark_only_refuses() {
        let own = mark(&hook("a"));
        for mark in ["", ",,,", "x", "\u{1f980}", "=;--format", " , a b ,"] {
            assert_eq!(code("a", mark), None, "{mark}");
        }
        assert_eq!(code("a", &format!("x, {own} ,y")), Some("already-firing"));
        assert_eq!(code("a", &"x,".repeat(100_000)), Some("nested-too-deep"));
        let huge = nested_mark(&hook("a"), &env(&"x".repeat(100_000)));
        assert_eq!(huge, format!("?,{own}"));
        assert!(nested_mark(&hook("a"), &env(&"x,".repeat(100_000))).len() < 256);
    }
}
