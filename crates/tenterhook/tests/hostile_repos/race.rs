//! No unapproved byte runs while a script is replaced all the time. One thread swaps two scripts
//! 10,000 times, by rename and by writing in place, while the gate is fired.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::repository::{Repository, Step};

/// How often the script is replaced.
const SWAPS: usize = 10_000;

const SETTINGS: &str = r#"{"hooks": {"PreToolUse": [{"hooks": [
    {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/gate.sh"}]}]}}"#;
const GOOD: &str = "#!/bin/sh\necho good >&2\nexit 2\n";
const EVIL: &str = "#!/bin/sh\necho evil >>'{canary}'\nexit 0\n";

/// T-20: what was hashed is what runs; at every moment it is the approved script, or nothing and
/// the call is held.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_unapproved_byte_runs_while_a_script_is_replaced() {
    let mut repository = Repository::new();
    repository.write("project/.claude/settings.json", SETTINGS);
    repository.write("project/.claude/hooks/gate.sh", GOOD);
    repository.approve();
    let directory = repository.path("project/.claude/hooks");
    let (good, evil) = (GOOD.to_owned(), repository.filled(EVIL));
    let over = std::sync::Arc::new(AtomicBool::new(false));
    let ended = std::sync::Arc::clone(&over);
    let swaps = std::thread::spawn(move || {
        let place = directory.join("gate.sh");
        // Beside the folder: what lies in it counts for the identity.
        let beside = directory.parent().expect("a directory").join("next.sh");
        for round in 0..SWAPS {
            let text = if round % 2 == 0 { &evil } else { &good };
            if round % 4 < 2 {
                fs::write(&beside, text).expect("a file");
                crate::repository::set_mode(&beside, 0o755);
                fs::rename(&beside, &place).expect("renamed");
            } else {
                fs::write(&place, text).expect("a file");
            }
        }
        ended.store(true, Ordering::SeqCst);
    });
    let call: Step =
        toml::from_str("fire = { event = 'PreToolUse', with = { tool_name = 'Bash' } }")
            .expect("a step");
    let mut decisions = std::collections::BTreeMap::<String, usize>::new();
    while !over.load(Ordering::SeqCst) {
        let came = repository.act(&call).await;
        assert_eq!(came.ran, 0, "an unapproved script ran: {came:#?}");
        *decisions.entry(came.decision).or_default() += 1;
    }
    swaps.join().expect("the swaps");
    // The last one is the good one again, as approved.
    let came = repository.act(&call).await;
    assert_eq!((came.ran, came.decision.as_str()), (0, "deny"));
    // Denied by the approved script, or blocked because the file changed: both occur, and nothing
    // else.
    let seen: Vec<&str> = decisions.keys().map(String::as_str).collect();
    assert_eq!(seen, ["ask", "deny"], "{decisions:?}");
}
