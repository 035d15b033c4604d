//! The name of a model, without what a service adds. Pure; knows no list of models.

/// Returns the name of a model without its service, region, date, revision and context window
/// (S-65).
pub(super) fn canonical_model_name(id: &str) -> &str {
    // `arn:aws:bedrock:...:inference-profile/us.anthropic.claude-...`
    let name = id.rsplit('/').next().unwrap_or(id);
    let name = name.rsplit_once("anthropic.").map_or(name, |(_, rest)| rest);
    // What others add to theirs is not known.
    if !name.starts_with("claude-") {
        return id;
    }
    // `...[1m]`, `...@20250929`
    let name = name.split(['[', '@']).next().unwrap_or(name);
    // `...-v1:0`, `...-20250929`, `...-latest`
    let name = strip_last_dash_part_if(name, |last| {
        last.strip_prefix('v').is_some_and(|rest| has_only_digits_or_chars(rest, ":"))
    });
    strip_last_dash_part_if(name, |last| {
        last == "latest" || (last.len() == 8 && has_only_digits_or_chars(last, ""))
    })
}

/// Removes the part after the last dash if `is` is true of it.
fn strip_last_dash_part_if(name: &str, is: impl Fn(&str) -> bool) -> &str {
    name.rsplit_once('-').filter(|(_, last)| is(last)).map_or(name, |(before, _)| before)
}

/// Returns true if the text is not empty and has only ASCII digits and characters of `beside`.
fn has_only_digits_or_chars(text: &str, beside: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || beside.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S-65.
    #[test]
    fn a_model_is_known_by_its_name_wherever_it_runs() {
        for id in [
            "claude-opus-4-5",
            "claude-opus-4-5-20251101",
            "claude-opus-4-5-latest",
            "claude-opus-4-5[1m]",
            "claude-opus-4-5-20251101[1m]",
            "claude-opus-4-5@20251101",
            "us.anthropic.claude-opus-4-5-20251101-v1:0",
            "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-5-20251101-v1:0",
        ] {
            assert_eq!(canonical_model_name(id), "claude-opus-4-5", "{id}");
        }
        for other in ["gpt-5-latest", "deepseek-v3", "openai/o3@1", "llama3:8b", "", "-", "opus"] {
            assert_eq!(canonical_model_name(other), other);
        }
    }
}
