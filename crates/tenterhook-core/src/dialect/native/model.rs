//! Models that serve as native hooks: the instructions on the form of their answer, and their
//! timeouts (MO-13). Also used for agents that have no such hooks.

use std::time::Duration;

use super::{answer, table};
use crate::answer::{Answer, Power};
use crate::diagnostic::Code;
use crate::dialect::EventRow;
use crate::hook::{Prompt, Run};
use crate::report::{End, Report};

/// How long a model may take, with tools and without: a question to a model takes seconds where a
/// check takes milliseconds.
const TIMEOUTS: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(30));

/// The keys in the instructions, each with its description and the power that it requires.
const KEYS: &[(Power, &str)] = &[
    (Power::Context, r#""context": a string for the model that does the work"#),
    (Power::Message, r#""message": a string for the user"#),
    (Power::Input, r#""input": the whole new input of the tool, an object, to replace it"#),
    (Power::Prompt, r#""prompt": the whole new prompt, to replace it"#),
    (Power::Output, r#""output": the whole new output, to replace it"#),
    (Power::Stop, r#""stop": a string, the reason, where everything must end"#),
];

/// The decisions, with the power that each needs.
const DECISIONS: &[(Power, &str)] =
    &[(Power::Deny, "deny"), (Power::Ask, "ask"), (Power::Allow, "allow")];

/// Returns the timeout of `run` on an event if the hook sets none; an event with less time than
/// others keeps its own.
pub(super) fn default_timeout(run: &Run, row: &EventRow) -> Duration {
    match run {
        Run::Prompt(_) if row.timeout != table::TIMEOUT => row.timeout,
        Run::Prompt(Prompt { turns: Some(_), .. }) => TIMEOUTS.0,
        Run::Prompt(Prompt { turns: None, .. }) => TIMEOUTS.1,
        _ => row.timeout,
    }
}

/// Returns the instructions for a model on the form of its answer.
pub(super) fn answer_instructions(prompt: &Prompt, row: &EventRow) -> String {
    let may =
        |power: &Power| row.powers.has(*power) && (*power != Power::Allow || prompt.may_allow);
    let words: Vec<_> =
        DECISIONS.iter().filter(|(power, _)| may(power)).map(|(_, value)| *value).collect();
    let mut text = "Answer with exactly one JSON object and nothing else, without a code fence.\n\
         If there is nothing to say against the event, answer {}. Otherwise the object has one or more of these keys:\n"
        .to_owned();
    if !words.is_empty() {
        text.push_str(&format!("\"decision\": \"{}\"\n", words.join("\" or \"")));
        text.push_str(
            "\"reason\": a string, why, and what to do instead; always beside a decision\n",
        );
    }
    for (_, line) in KEYS.iter().filter(|(power, _)| may(power)) {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// Reads the output as a native answer; an empty output is invalid, because a model must print an
/// object.
pub(super) fn read_model_answer(row: &EventRow, report: &Report) -> Answer {
    let mute = report.end == End::Exited(0) && report.stdout().trim_ascii().is_empty();
    if mute {
        return Answer::failed(Code::NoAnswer, "the model said nothing");
    }
    Answer { detached: false, ..answer::read_answer(row, report, true) }
}
