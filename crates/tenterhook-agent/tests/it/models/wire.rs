//! What services say on the wire, as their own documents have it.

use tenterhook_testkit::server::{Reply, Server};

use crate::fixture::Fixture;

pub(super) const KEY: &str = "sk-test-0123456789";

/// One service as this file speaks it.
#[derive(Clone, Copy)]
pub(super) struct Service {
    pub(super) model: &'static str,
    pub(super) key: &'static str,
    pub(super) base: &'static str,
    pub(super) path: &'static str,
    /// The answer "Hello there", in two pieces.
    pub(super) words: &'static str,
    /// A call of `Read` on `notes.txt`.
    pub(super) call: &'static str,
    /// A call whose arguments break off, and the reason that the service gives for the end.
    pub(super) broken: fn(&str) -> String,
    /// Words, and then the end for this reason.
    pub(super) ended: fn(&str) -> String,
    /// Its words for an answer that got too long.
    pub(super) too_long: &'static str,
}

pub(super) const OPENAI: Service = Service {
    model: "openai::some-model",
    key: "OPENAI_API_KEY",
    base: "OPENAI_BASE_URL",
    path: "/v1/chat/completions",
    words: r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hello "}}]}

data: {"choices":[{"index":0,"delta":{"content":"there"}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":2,"total_tokens":13}}

data: [DONE]

"#,
    call: r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c-1","type":"function","function":{"name":"Read","arguments":""}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"file_path\":"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":" \"notes.txt\"}"}}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

"#,
    broken: |why| {
        format!(
            r#"data: {{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,"id":"c-1","type":"function","function":{{"name":"Write","arguments":"{{\"file_path\": \"out"}}}}]}}}}]}}

data: {{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{why}"}}]}}

data: [DONE]

"#
        )
    },
    ended: |why| {
        format!(
            r#"data: {{"choices":[{{"index":0,"delta":{{"content":"Once upon"}}}}]}}

data: {{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{why}"}}]}}

data: [DONE]

"#
        )
    },
    too_long: "length",
};

pub(super) const ANTHROPIC: Service = Service {
    model: "anthropic::some-model",
    key: "ANTHROPIC_API_KEY",
    base: "ANTHROPIC_BASE_URL",
    path: "/v1/messages",
    words: r#"event: message_start
data: {"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":11,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello "}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"there"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}

event: message_stop
data: {"type":"message_stop"}

"#,
    call: r#"event: message_start
data: {"type":"message_start","message":{"id":"m","role":"assistant","content":[]}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"They want notes."}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2lnbmVk"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c-1","name":"Read","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"file_path\": "}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\"notes.txt\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}

event: message_stop
data: {"type":"message_stop"}

"#,
    broken: |why| {
        format!(
            r#"event: content_block_start
data: {{"type":"content_block_start","index":0,"content_block":{{"type":"tool_use","id":"c-1","name":"Write","input":{{}}}}}}

event: content_block_delta
data: {{"type":"content_block_delta","index":0,"delta":{{"type":"input_json_delta","partial_json":"{{\"file_path\": \"out"}}}}

event: content_block_stop
data: {{"type":"content_block_stop","index":0}}

event: message_delta
data: {{"type":"message_delta","delta":{{"stop_reason":"{why}"}}}}

event: message_stop
data: {{"type":"message_stop"}}

"#
        )
    },
    ended: |why| {
        format!(
            r#"event: content_block_start
data: {{"type":"content_block_start","index":0,"content_block":{{"type":"text","text":""}}}}

event: content_block_delta
data: {{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"Once upon"}}}}

event: message_delta
data: {{"type":"message_delta","delta":{{"stop_reason":"{why}"}}}}

event: message_stop
data: {{"type":"message_stop"}}

"#
        )
    },
    too_long: "max_tokens",
};

pub(super) const BOTH: [Service; 2] = [OPENAI, ANTHROPIC];

impl Service {
    pub(super) fn fixture(&self, hooks: &str, server: &Server) -> Fixture {
        Fixture::with_model(hooks, self.model, &[(self.key, KEY), (self.base, &server.url())])
    }

    /// Its answer up to the first word.
    pub(super) fn begun(&self) -> String {
        let mut events = self.words.split_inclusive("\n\n");
        let mut begun = String::new();
        while !begun.contains("Hello") {
            begun.push_str(events.next().unwrap());
        }
        begun
    }

    /// Its word for an answer that ends with calls.
    pub(super) fn calls(&self) -> &'static str {
        if self.path == OPENAI.path { "tool_calls" } else { "tool_use" }
    }
}

/// A stream of events.
pub(super) fn events(body: &str) -> Reply {
    Reply { body: body.to_owned(), ..Reply::default() }.header("content-type", "text/event-stream")
}

/// A service that speaks otherwise, or wants back what the two above do not.
pub(super) struct Other {
    pub(super) name: &'static str,
    pub(super) base: &'static str,
    pub(super) path: &'static str,
    /// A call of `Read` on `notes.txt`.
    pub(super) call: &'static str,
    /// The answer "Hello there", in two pieces.
    pub(super) words: &'static str,
    /// What of the call must be in the request for the answer.
    pub(super) handed_back: &'static [&'static str],
}

pub(super) const OTHERS: [Other; 3] = [
    Other {
        name: "gemini",
        base: "GEMINI_BASE_URL",
        path: "/v1beta/models/some-model:streamGenerateContent?alt=sse",
        call: r#"data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"Read","args":{"file_path":"notes.txt"}},"thoughtSignature":"c2lnbmVk"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":7}}

"#,
        words: r#"data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Hello "}]}}]}

data: {"candidates":[{"content":{"role":"model","parts":[{"text":"there"}]},"finishReason":"STOP"}]}

"#,
        handed_back: &["c2lnbmVk", "functionResponse", "buy milk"],
    },
    Other {
        name: "deepseek",
        base: "DEEPSEEK_BASE_URL",
        path: "/v1/chat/completions",
        call: r#"data: {"choices":[{"index":0,"delta":{"reasoning_content":"They want notes."}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c-1","type":"function","function":{"name":"Read","arguments":"{\"file_path\": \"notes.txt\"}"}}]},"finish_reason":"tool_calls"}]}

data: [DONE]

"#,
        words: OPENAI.words,
        handed_back: &[
            "\"reasoning_content\":\"They want notes.\"",
            "\"tool_call_id\":\"c-1\"",
            "buy milk",
        ],
    },
    Other {
        name: "ollama",
        base: "OLLAMA_HOST",
        path: "/api/chat",
        call: "{\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"Read\",\"arguments\":{\"file_path\":\"notes.txt\"}}}]},\"done\":false}\n{\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":5,\"eval_count\":7}\n",
        words: "{\"message\":{\"role\":\"assistant\",\"content\":\"Hello \"},\"done\":false}\n{\"message\":{\"role\":\"assistant\",\"content\":\"there\"},\"done\":true,\"done_reason\":\"stop\"}\n",
        handed_back: &["\"tool_calls\"", "buy milk"],
    },
];
