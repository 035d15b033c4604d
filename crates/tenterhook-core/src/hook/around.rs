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

/// Returns the failure if `hook` must not run in a process with the environment `env`, because it
/// already fires around it or too many hooks do.
pub fn failure_of_nested_hook(hook: &Hook, env: &[(String, String)]) -> Option<Failure> {
    let around: Vec<&str> = parse_firing_marks(env).take(MOST + 1).collect();
    if around.is_empty() {
        return None;
    }
    if around.len() > MOST {
        let message = format!(
            "more than {MOST} hooks are firing round it, each within the one before; so deep none is run"
        );
        return Some(Failure::new(Code::NestedTooDeep, message));
    }
    around.contains(&&*firing_mark_of_hook(hook)).then(|| Failure::new(Code::AlreadyFiring, "it is firing already, and what it started fires it again, which would have no end: let what it \
                  starts fire another configuration"
            ))
}

/// Returns the value of [`FIRING`] for a program that `hook` starts: the marks of the hooks around
/// it, then its own.
pub fn firing_marks_for_program(hook: &Hook, env: &[(String, String)]) -> String {
    append_firing_mark(env, &firing_mark_of_hook(hook))
}

/// Returns the value of [`FIRING`] for an MCP server: the marks of the hooks around it, then the
/// server's own mark. The server has its own mark because it serves every hook that calls it.
pub fn firing_marks_for_server(server: &str, env: &[(String, String)]) -> String {
    append_firing_mark(env, &firing_mark_of_server(server))
}

/// Returns the marks in `env`, the outermost first. If the variable is set twice, the last one
/// applies.
fn parse_firing_marks(env: &[(String, String)]) -> impl Iterator<Item = &str> {
    let mark = env.iter().rev().find(|(name, _)| name == FIRING).map(|(_, value)| value.as_str());
    mark.unwrap_or_default().split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// Appends a mark to those in `env`. A mark of an unknown format becomes `?`, because it may have
/// any length.
fn append_firing_mark(env: &[(String, String)], own: &str) -> String {
    let ours =
        |word: &str| word.len() == own.len() && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let around =
        parse_firing_marks(env).take(MOST + 1).map(|word| if ours(word) { word } else { "?" });
    around.chain([own]).collect::<Vec<_>>().join(",")
}

/// Returns the mark of a hook; all hooks that call the same MCP server share one.
fn firing_mark_of_hook(hook: &Hook) -> String {
    if let Run::McpTool(call) = &hook.run {
        return firing_mark_of_server(&call.server);
    }
    let file = hook.place.as_ref().map_or("", |location| &location.file);
    fnv1a_hex(&["hook", file, hook.id.as_str()])
}

/// Returns the mark of an MCP server.
fn firing_mark_of_server(server: &str) -> String {
    fnv1a_hex(&["server", server])
}

/// Returns the FNV-1a hash as hex digits, equal in every build, unlike the hasher of the standard
/// library. A collision only causes a refusal.
fn fnv1a_hex(parts: &[&str]) -> String {
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
        failure_of_nested_hook(&hook(id), &env(mark)).map(|failure| failure.code.name())
    }

    /// P-10, P-11.
    #[test]
    fn only_what_fires_is_refused() {
        assert_eq!(failure_of_nested_hook(&hook("a"), &[]), None);
        let mark =
            firing_marks_for_program(&hook("b"), &env(&firing_marks_for_program(&hook("a"), &[])));
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
        let own = firing_mark_of_hook(&hook("a"));
        for mark in ["", ",,,", "x", "\u{1f980}", "=;--format", " , a b ,"] {
            assert_eq!(code("a", mark), None, "{mark}");
        }
        assert_eq!(code("a", &format!("x, {own} ,y")), Some("already-firing"));
        assert_eq!(code("a", &"x,".repeat(100_000)), Some("nested-too-deep"));
        let huge = firing_marks_for_program(&hook("a"), &env(&"x".repeat(100_000)));
        assert_eq!(huge, format!("?,{own}"));
        assert!(firing_marks_for_program(&hook("a"), &env(&"x,".repeat(100_000))).len() < 256);
    }
}
