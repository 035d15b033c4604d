//! The canary of `doctor --prove`: a call that one rule denies, which exists for this call alone. Decides about no other call.

use tenterhook::Event;
use tenterhook_core::config::Source;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::hook::Layer;

/// How the session of each other call of `doctor` begins.
pub(in crate::command) const DOCTOR: &str = "tenterhook-doctor-";
/// The name of the canary rule, and of the source that it comes from.
const HOOK: &str = "tenterhook/canary";

/// How the command of a canary call begins; the rest is its nonce.
const MARKER: &str = "tenterhook-canary-";

/// Returns the shell command of a canary call.
pub(in crate::command) fn command_line(nonce: &str) -> String {
    format!("{MARKER}{nonce}")
}

/// Returns the session of a canary call.
pub(in crate::command) fn session_id(nonce: &str) -> String {
    format!("{MARKER}{nonce}")
}

/// Returns whether a session is one of `doctor`, and none of an agent.
pub(in crate::command) fn is_session_of_doctor(session: &str) -> bool {
    [MARKER, DOCTOR].iter().any(|prefix| session.starts_with(prefix))
}

/// Returns the reason with which the rule denies the call.
pub(in crate::command) fn denial_reason(nonce: &str) -> String {
    format!("canary {nonce} of `tenterhook doctor --prove`")
}

/// Returns the canary rule for an event; `None` if the event is no canary call.
pub(super) fn rule_for_canary_event(event: &Event) -> Option<Source> {
    let call = event.tool()?;
    let nonce = call.input.get("command")?.as_str()?.strip_prefix(MARKER)?;
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_plain(nonce) || !is_plain(event.name.as_str()) {
        return None;
    }
    let text = format!(
        "[hook.\"{HOOK}\"]\non = \"{}\"\nwhen = \"true\"\ndeny = \"{}\"\n",
        event.name,
        denial_reason(nonce)
    );
    let source = Source::from_text(HOOK, DialectId::NATIVE, &text, "/");
    // No switch, pause or allowance of a user lifts it.
    Some(Source { layer: Layer::Managed, ..source })
}
