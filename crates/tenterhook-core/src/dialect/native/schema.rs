//! The JSON Schemas of the dialect's forms. Checked in, so that they can be linked to; tests hold
//! them to the code.

use serde_json::Value;

/// Which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `tenterhook.toml`.
    Config,
    /// What a hook finds on standard input.
    Event,
    /// What a hook prints.
    Answer,
    /// What a host gets.
    Outcome,
    /// `tenterhook.test.toml`.
    Cases,
}

impl Kind {
    /// Every form with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("config", Self::Config),
        ("event", Self::Event),
        ("answer", Self::Answer),
        ("outcome", Self::Outcome),
        ("cases", Self::Cases),
    ];

    /// Finds the schema of that name.
    #[must_use]
    pub fn find_by_schema_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(word, _)| *word == name).map(|(_, kind)| *kind)
    }
}

/// Returns the text of a JSON schema, as it is checked in.
#[must_use]
pub const fn schema_text(kind: Kind) -> &'static str {
    match kind {
        Kind::Config => include_str!("schema/config.json"),
        Kind::Event => include_str!("schema/event.json"),
        Kind::Answer => include_str!("schema/answer.json"),
        Kind::Outcome => include_str!("schema/outcome.json"),
        Kind::Cases => include_str!("schema/cases.json"),
    }
}

/// Returns a JSON schema as a value.
#[must_use]
pub fn parse_schema(kind: Kind) -> Value {
    // A test parses every one of them.
    serde_json::from_str(schema_text(kind)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
