//! What a hook printed, whatever it is and whatever it speaks, is read and judged in bounded time, and text alone never becomes consent by slipping.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use tenterhook_core::answer::Restraint;
use tenterhook_core::dialect::DIALECTS;
use tenterhook_core::event::{Event, Surroundings};
use tenterhook_core::hook::{Function, Hook, HookId, Run};
use tenterhook_core::report::{End, Output, Report, StepOutput};
use tenterhook_core::verdict::{JudgeContext, judge_answer};

fuzz_target!(|input: (u8, &[u8], &[u8])| {
    let (code, stdout, stderr) = input;
    for dialect in DIALECTS {
        let event = Event::new("PreToolUse", Surroundings::default()).with("tool_name", "Bash");
        let Some(row) = dialect.event_row(&event.name) else { continue };
        let mut report = Report::without_output(End::Exited(i32::from(code)), Duration::ZERO);
        report.said =
            StepOutput::Bytes { stdout: Output::from(stdout), stderr: Output::from(stderr) };
        let answer = dialect.read_answer(&event, row, &report);
        let slipped = !answer.slips.is_empty();
        let run = Run::Function(Function::new("f", |_| async { Default::default() }));
        let hook = Hook::new(HookId::new("h"), dialect.id(), "PreToolUse".into(), run);
        let verdict = judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer);
        assert!(!(slipped && verdict.restraint == Restraint::Allow), "a slip became consent");
    }
});
