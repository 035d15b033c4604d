//! The tokens that a session has used, added up from the lines of its transcript (UG-1). Opens no
//! file.

use serde_json::Value;

use super::TranscriptAgent;

/// Where an agent's transcript has the tokens of an answer of the model.
#[derive(Debug)]
pub(crate) struct UsageForm {
    /// A text that every line with tokens contains.
    pub(crate) marker: &'static str,
    /// The id of the answer. Several lines may be about one answer: the last one counts.
    pub(crate) id: &'static str,
    /// The tokens that the model wrote; several fields are added.
    pub(crate) output: &'static [&'static str],
    /// Whether these are the tokens of the whole session so far.
    pub(crate) is_total: bool,
    /// The tokens of the request and its answer; several fields are added.
    pub(crate) context: &'static [&'static str],
    /// The size of the model's context window; empty if no line has it.
    pub(crate) window: &'static str,
    /// The sizes to assume without one, ascending: the first that the session fits into.
    pub(crate) windows: &'static [u64],
    /// A flag of lines that another conversation wrote, as a subagent's: its context is not the
    /// session's.
    pub(crate) side: &'static str,
}

/// The tokens of a session, as far as its transcript was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens that the model wrote, without those of the last answer.
    pub settled_output: u64,
    /// Tokens of the last answer, about which a further line may come.
    pub last_output: u64,
    /// A hash of the id of the last answer.
    pub last_id: u64,
    /// Tokens of the last request and its answer.
    pub context: u64,
    /// The largest context so far.
    pub largest_context: u64,
    /// The size of the model's context window; 0 if unknown.
    pub window: u64,
}

impl Usage {
    /// Returns the tokens that the model wrote in the session.
    #[must_use]
    pub const fn output_tokens(&self) -> u64 {
        self.settled_output.saturating_add(self.last_output)
    }

    /// Returns which part of the context window is full, from 0 to 1; `None` if the window's size
    /// is unknown.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share needs three digits")]
    pub fn context_share(&self, agent: TranscriptAgent) -> Option<f64> {
        let assumed = agent.usage_form()?.windows;
        let fits = |window: &&u64| **window >= self.largest_context;
        let window = match self.window {
            0 => *assumed.iter().find(fits).or_else(|| assumed.last())?,
            window => window,
        };
        Some((self.context as f64 / window as f64).min(1.0))
    }

    /// Adds lines of the transcript. `hash` hashes the id of an answer.
    pub fn add_lines(&mut self, agent: TranscriptAgent, lines: &[u8], hash: impl Fn(&str) -> u64) {
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', lines).chain([lines.len()]) {
            self.add_line(agent, lines.get(start..end).unwrap_or_default(), &hash);
            start = end + 1;
        }
    }

    fn add_line(&mut self, agent: TranscriptAgent, line: &[u8], hash: impl Fn(&str) -> u64) {
        let Some(form) = agent.usage_form().filter(|form| contains(line, form.marker)) else {
            return;
        };
        let Ok(value) = serde_json::from_slice::<Value>(line) else { return };
        let number = |pointer: &str| value.pointer(pointer).and_then(Value::as_u64);
        let sum = |pointers: &[&str]| -> u64 {
            pointers.iter().filter_map(|pointer| number(pointer)).fold(0, u64::saturating_add)
        };
        let (output, context) = (sum(form.output), sum(form.context));
        // Messages that the agent writes itself have zeros.
        if context == 0 {
            return;
        }
        if form.is_total {
            (self.settled_output, self.last_output) = (output, 0);
        } else {
            let id = value.pointer(form.id).and_then(Value::as_str).map_or(0, hash);
            if id == 0 || id != self.last_id {
                self.settled_output = self.output_tokens();
                self.last_output = 0;
            }
            (self.last_id, self.last_output) = (id, self.last_output.max(output));
        }
        let is_side = value.pointer(form.side).and_then(Value::as_bool).unwrap_or_default();
        if !is_side {
            self.context = context;
            self.largest_context = self.largest_context.max(context);
            self.window = number(form.window).unwrap_or(self.window);
        }
    }
}

impl TranscriptAgent {
    /// Returns the agent that has this name, if its transcripts have tokens.
    #[must_use]
    pub fn with_usage(name: &str) -> Option<Self> {
        let named = |agent: &Self| *agent != Self::Tenterhook && agent.key() == name;
        Self::ALL.into_iter().find(named).filter(|agent| agent.usage_form().is_some())
    }

    const fn usage_form(self) -> Option<&'static UsageForm> {
        match self {
            Self::Claude => Some(&super::claude::USAGE),
            Self::Codex => Some(&super::codex::USAGE),
            Self::Gemini => Some(&super::gemini::USAGE),
            Self::Qwen => Some(&super::qwen::USAGE),
            _ => None,
        }
    }
}

/// Returns whether a line contains a text.
fn contains(line: &[u8], text: &str) -> bool {
    memchr::memmem::find(line, text.as_bytes()).is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn usage_of(agent: TranscriptAgent, lines: &[Value]) -> Usage {
        let mut usage = Usage::default();
        for line in lines {
            usage.add_line(agent, line.to_string().as_bytes(), |id| id.len() as u64);
        }
        usage
    }

    fn claude(id: &str, input: u64, output: u64, side: bool) -> Value {
        json!({ "type": "assistant", "isSidechain": side, "message": { "id": id, "usage": {
            "input_tokens": 1, "cache_creation_input_tokens": 2, "cache_read_input_tokens": input - 3,
            "output_tokens": output } } })
    }

    /// UG-1: lines of one answer count once, a subagent's lines are no context, and messages that
    /// the agent writes itself do not count.
    #[test]
    fn claude_lines_of_one_answer_count_once() {
        let lines = [
            claude("a", 1_000, 2, false),
            claude("a", 1_000, 40, false),
            claude("bb", 50_000, 10, false),
            claude("ccc", 90_000, 5, true),
            json!({ "type": "user", "message": { "content": "\"usage\": {\"output_tokens\": 9}" } }),
            json!({ "message": { "id": "dddd", "usage": { "input_tokens": 0, "output_tokens": 0 } } }),
        ];
        let usage = usage_of(TranscriptAgent::Claude, &lines);
        assert_eq!((usage.output_tokens(), usage.context), (55, 50_010));
        let share = usage.context_share(TranscriptAgent::Claude).unwrap();
        assert!((share - 0.250_05).abs() < 1e-9, "{share}");
        let large = usage_of(TranscriptAgent::Claude, &[claude("a", 250_000, 0, false)]);
        assert_eq!(large.context_share(TranscriptAgent::Claude), Some(0.25));
    }

    /// UG-1.
    #[test]
    fn codex_lines_have_the_sum_and_the_window() {
        let line = |total: u64| {
            json!({ "type": "event_msg", "payload": { "type": "token_count", "info": {
                "total_token_usage": { "output_tokens": total },
                "last_token_usage": { "total_tokens": 500 }, "model_context_window": 1_000 } } })
        };
        let usage = usage_of(TranscriptAgent::Codex, &[line(7), line(14)]);
        assert_eq!((usage.output_tokens(), usage.context), (14, 500));
        assert_eq!(usage.context_share(TranscriptAgent::Codex), Some(0.5));
    }

    /// UG-1: an answer that is written again has the same id.
    #[test]
    fn gemini_and_qwen_lines_are_read() {
        let line = |id: &str| {
            json!({ "id": id, "type": "gemini",
            "tokens": { "input": 11, "output": 7, "thoughts": 2, "total": 20 } })
        };
        let usage = usage_of(TranscriptAgent::Gemini, &[line("a"), line("a"), line("bb")]);
        assert_eq!((usage.output_tokens(), usage.context), (18, 20));
        let line = |id: &str| {
            json!({ "uuid": id, "type": "assistant", "usageMetadata": {
            "promptTokenCount": 11, "candidatesTokenCount": 7, "thoughtsTokenCount": 0, "totalTokenCount": 18 } })
        };
        let usage = usage_of(TranscriptAgent::Qwen, &[line("a"), line("bb")]);
        assert_eq!((usage.output_tokens(), usage.context), (14, 18));
        assert_eq!(usage.context_share(TranscriptAgent::Qwen), None);
        assert_eq!(TranscriptAgent::with_usage("goose"), None);
    }
}
