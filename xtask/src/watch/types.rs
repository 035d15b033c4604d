//! Reads the types of hooks from the file of TypeScript types of an SDK. Looks at lines, not at the grammar.

use std::sync::LazyLock;

use regex::Regex;

static FIELD: LazyLock<Result<Regex, regex::Error>> =
    LazyLock::new(|| Regex::new(r"^\s*(?:readonly )?'?([A-Za-z_]\w*)'?\??: (.*)$"));
static WORD: LazyLock<Result<Regex, regex::Error>> = LazyLock::new(|| Regex::new("'([^']*)'"));

/// Types of an event, by how their names end, and the kind of their facts.
const KINDS: &[(&str, &str)] =
    &[("HookInput", "input"), ("HookSpecificOutput", "answer"), ("SyncHookJSONOutput", "answer")];

/// Returns the events, and the fields of the input and of the output of each.
pub(super) fn read_hook_types(text: &str) -> Vec<String> {
    let mut facts: Vec<String> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(declared) = line.strip_prefix("export declare ") else { continue };
        if let Some(list) = declared.strip_prefix("const HOOK_EVENTS:") {
            facts.extend(quoted_words(list).map(|event| format!("event {event}")));
        }
        let Some((name, begin)) =
            declared.strip_prefix("type ").and_then(|rest| rest.split_once(" = "))
        else {
            continue;
        };
        let kind = KINDS.iter().find(|(ending, _)| name.ends_with(ending));
        if let Some((ending, kind)) = kind.filter(|_| begin.ends_with('{')) {
            let event = name.strip_suffix(ending).unwrap_or_default();
            let event = if matches!(event, "" | "Base") { "*" } else { event };
            facts.extend(read_fields(&mut lines, kind, event));
        }
    }
    facts
}

/// Reads the fields of a type up to its end; a field of an object inside it follows that object's name.
fn read_fields<'t>(lines: impl Iterator<Item = &'t str>, kind: &str, event: &str) -> Vec<String> {
    let mut facts = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let Ok(field) = &*FIELD else { return facts };
    for line in lines {
        let code = line.trim();
        if line.starts_with("};") {
            break;
        }
        if code.starts_with('*') || code.starts_with("/*") || code.starts_with("//") {
            continue;
        }
        if code == "};" || code == "}[];" {
            path.pop();
        }
        let Some(found) = field.captures(line) else { continue };
        let (name, value) = (&found[1], &found[2]);
        let full = path.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".");
        let is_name = matches!(name, "hook_event_name" | "hookEventName");
        if !is_name {
            facts.push(format!("{kind} {event}.{full}"));
            facts.extend(quoted_words(value).map(|word| format!("value {event}.{full}={word}")));
        }
        if value.ends_with('{') {
            path.push(name.to_owned());
        }
    }
    facts
}

fn quoted_words(text: &str) -> impl Iterator<Item = &str> {
    let words = WORD.as_ref().ok().map(|word| word.captures_iter(text));
    words.into_iter().flatten().filter_map(|found| Some(found.get(1)?.as_str()))
}
