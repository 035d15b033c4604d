//! Chooses which tools of servers the model sees, under which name and how long a description. Pure.

use std::borrow::Cow;

use serde_json::Value;

use super::{PREFIX, Served};
use crate::conversation;
use crate::hooks::{self, ServerOffer, ServerTool};
use crate::model::ToolSpec;

/// How many tools of servers a model sees.
const MOST: usize = 128;
/// How long the name of one may be: what the strictest service takes.
const NAME: usize = 64;
/// How long the description of one tool may be.
const ABOUT: usize = 2 << 10;
/// How long the schema of one may be: half of one means something else.
const SCHEMA: usize = 16 << 10;
/// How long all descriptions together may be.
const ALL: usize = 256 << 10;
/// How many names stand in a line.
const NAMED: usize = 5;

/// A line about a server, for the person.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Note {
    Notice(String),
    Warning(String),
}

/// Why a tool is not offered.
#[derive(Debug, thiserror::Error)]
enum ToolRefused {
    #[error("(its name is longer than the {NAME} characters of a tool)")]
    LongName,
    #[error("(another tool is called `{0}` already)")]
    NameTaken(String),
    #[error("(there are {MOST} already)")]
    TooMany,
    #[error("(its arguments are not an object)")]
    NoObject,
    #[error("(its schema is longer than {} KiB)", SCHEMA >> 10)]
    LongSchema,
    #[error("(all of them are longer than {} KiB)", ALL >> 10)]
    Full,
}

/// Returns the tools for the model, and a note for each server.
pub(super) fn choose_server_tools(offers: Vec<(String, ServerOffer)>) -> (Vec<Served>, Vec<Note>) {
    let (mut served, mut notes) = (Vec::new(), Vec::new());
    let mut left = ALL;
    for (server, offer) in offers {
        let (tools, is_cut) = match offer {
            Ok(offer) => offer,
            Err(why) => {
                notes.push(Note::Warning(format!("{why}; none of its tools is offered")));
                continue;
            }
        };
        let before = served.len();
        let mut refused = Vec::new();
        for tool in tools {
            let name = tool.name.clone();
            if let Err(why) = add_server_tool(&server, tool, &mut served, &mut left) {
                refused.push(format!("`{}` {why}", display_name(&name)));
            }
        }
        if is_cut {
            refused.push("what it lists behind that".to_owned());
        }
        notes.push(Note::Notice(match served.len() - before {
            1 => format!("The server `{server}` offers 1 tool."),
            count => format!("The server `{server}` offers {count} tools."),
        }));
        if !refused.is_empty() {
            let more = refused.len().saturating_sub(NAMED);
            refused.truncate(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            notes.push(Note::Warning(format!(
                "not offered of the server `{server}`: {}{more}",
                refused.join(", ")
            )));
        }
    }
    (served, notes)
}

/// Adds one tool, or returns the reason why it is refused.
fn add_server_tool(
    server: &str,
    tool: ServerTool,
    served: &mut Vec<Served>,
    left: &mut usize,
) -> Result<(), ToolRefused> {
    let name = format!("{PREFIX}{}__{}", sanitize_name(server), sanitize_name(&tool.name));
    if tool.name.is_empty() || name.len() > NAME {
        return Err(ToolRefused::LongName);
    }
    if served.iter().any(|s| s.spec.name == name) {
        return Err(ToolRefused::NameTaken(name));
    }
    if served.len() >= MOST {
        return Err(ToolRefused::TooMany);
    }
    let mut schema = Value::Object(tool.schema);
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err(ToolRefused::NoObject);
    }
    clean_schema_texts(&mut schema);
    let mut about = hooks::strip_control_text(&tool.about);
    if about.len() > ABOUT {
        conversation::truncate_text(&mut about, ABOUT);
    }
    let long = schema.to_string().len();
    if long > SCHEMA {
        return Err(ToolRefused::LongSchema);
    }
    let size = name.len() + about.len() + long;
    if size > *left {
        return Err(ToolRefused::Full);
    }
    *left -= size;
    let spec = ToolSpec { name: Cow::Owned(name), about: Cow::Owned(about), schema };
    served.push(Served { spec, server: server.to_owned(), tool: tool.name });
    Ok(())
}

/// Replaces each character that some service does not accept with `_`, as the agents do for which
/// servers are written.
fn sanitize_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    name.chars().map(plain).collect()
}

fn display_name(name: &str) -> String {
    hooks::strip_control_text(name).chars().take(NAME).collect()
}

/// Removes invisible characters from the descriptions and titles of a schema. Values that a tool is
/// called with stay as they are.
fn clean_schema_texts(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == "description" || key == "title" => {
                        *text = hooks::strip_control_text(text);
                    }
                    value => clean_schema_texts(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(clean_schema_texts),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hooks::ServerError;

    fn tool(name: &str, about: &str, schema: Value) -> ServerTool {
        let schema = schema.as_object().cloned().unwrap_or_default();
        ServerTool { name: name.to_owned(), about: about.to_owned(), schema }
    }

    fn names(served: &[Served]) -> Vec<&str> {
        served.iter().map(|s| &*s.spec.name).collect()
    }

    /// AG-52.
    #[test]
    fn tool_descriptions_are_named_bounded_and_clean() {
        let plain = || json!({"type": "object"});
        let padded = json!({"type": "object", "description": "x".repeat(SCHEMA)});
        let hidden = json!({"type": "object", "properties": {"a\u{200b}": {"description": "b\u{1b}[2Jc", "enum": ["\u{200b}"]}}});
        let tools = vec![
            tool("say", &"é".repeat(ABOUT), plain()),
            tool("say it", "a\u{1b}[2Jb", hidden),
            tool("say.it", "", plain()),
            tool("list", "", json!({"type": "array"})),
            tool("padded", "", padded),
            tool(&"n".repeat(60), "", plain()),
        ];
        let (served, notes) =
            choose_server_tools(vec![("plugin:a:b".to_owned(), Ok((tools, true)))]);
        assert_eq!(names(&served), ["mcp__plugin_a_b__say", "mcp__plugin_a_b__say_it"]);
        assert!(served[0].spec.about.len() <= ABOUT && served[0].spec.about.ends_with("[cut]"));
        assert!(!served[1].model_text().contains('\u{1b}'), "{:?}", served[1]);
        assert_eq!(served[1].spec.schema["properties"]["a\u{200b}"]["enum"][0], "\u{200b}");
        assert_eq!(served[1].tool, "say it");
        assert_eq!(notes[0], Note::Notice("The server `plugin:a:b` offers 2 tools.".to_owned()));
        let Note::Warning(refused) = &notes[1] else { panic!("{notes:?}") };
        for word in [
            "`say.it`",
            "not an object",
            "longer than 16 KiB",
            "longer than the 64 characters",
            "what it lists behind that",
        ] {
            assert!(refused.contains(word), "{word}: {refused}");
        }
    }

    /// AG-52.
    #[test]
    fn a_server_that_fails_or_offers_too_much_costs_no_other() {
        let many = (0..300).map(|i| tool(&format!("t{i}"), "", json!({"type": "object"})));
        let big = json!({"type": "object", "description": "x".repeat(SCHEMA / 2)});
        let offers = vec![
            (
                "gone".to_owned(),
                Err(ServerError::Tool { text: "the server `gone`: it ended".to_owned() }),
            ),
            (
                "big".to_owned(),
                Ok(((0..99).map(|i| tool(&format!("b{i}"), "", big.clone())).collect(), false)),
            ),
            ("many".to_owned(), Ok((many.collect(), false))),
        ];
        let (served, notes) = choose_server_tools(offers);
        assert_eq!(served.len(), MOST);
        let size: usize = served.iter().map(|s| s.model_text().len()).sum();
        assert!(size <= ALL + MOST * 4, "{size}");
        let text = |note| match note {
            Note::Notice(text) | Note::Warning(text) => text,
        };
        let words: Vec<String> = notes.into_iter().map(text).collect();
        assert!(words[0].contains("it ended; none of its tools is offered"), "{words:?}");
        assert!(
            words
                .iter()
                .any(|text| text.contains("there are 128 already") && text.ends_with("more")),
            "{words:?}"
        );
    }
}
