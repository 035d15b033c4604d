//! Keeps answers out of the context that an agent takes from plain output: the model is given their
//! context, not their JSON. Judges no decision.

use serde_json::{Map, Value};

use super::{Answer, Hearing, Slip, SlipKind, is_answer, normalize_key, shapes};
use crate::answer::Effects;

/// Returns the agent's reading with the context of answers among the text in place of their JSON;
/// `None` if there is no such answer. The agent's own reading is kept for sources that follow it
/// exactly.
pub(super) fn with_answers_replaced_by_context(
    hearing: &Hearing<'_>,
    exact: &Answer,
) -> Option<Answer> {
    if !hearing.plain_is_context || hearing.reading.as_lenient_object().is_some() {
        return None;
    }
    let [printed] = &*exact.effects.context else { return None };
    let text = shapes::replace_objects(printed, |object| context_of_answer(hearing.event, object))?;
    let context = if text.is_empty() { Vec::new() } else { vec![text] };
    let mut answer = Answer {
        effects: Effects { context, ..exact.effects.clone() },
        plain: Some(Box::new(exact.clone())),
        ..exact.clone()
    };
    answer.remarks.extend(slips_of_misread_answer(hearing).iter().map(Slip::to_failure));
    Some(answer)
}

/// Returns the context in an answer, which is empty if it has none; `None` for an object that is no
/// answer to `event`.
fn context_of_answer(event: &str, object: &Map<String, Value>) -> Option<String> {
    let output = object.get("hookSpecificOutput").and_then(Value::as_object);
    let named = output.and_then(|output| output.get("hookEventName"));
    if named.is_some_and(|name| name != event) {
        return None;
    }
    let fields = output.into_iter().chain([object]).flatten();
    let mut contexts = fields.filter(|(key, _)| normalize_key(key) == "additionalcontext");
    let context = contexts.find_map(|(_, value)| value.as_str());
    match context {
        Some(context) => Some(context.to_owned()),
        None => is_answer(object).then(String::new),
    }
}

/// Returns what makes the agent take the answer for text.
fn slips_of_misread_answer(hearing: &Hearing<'_>) -> Vec<Slip> {
    let deviations = &hearing.reading.deviations;
    let slips: Vec<_> = deviations.iter().map(super::slip_from_deviation).collect();
    if !slips.is_empty() {
        return slips;
    }
    let detail = "the answer stands among other text".to_owned();
    vec![Slip { kind: SlipKind::TextBefore, detail }]
}
