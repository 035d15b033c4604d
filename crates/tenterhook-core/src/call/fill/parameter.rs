//! Reads `${x:-y}`, `${!x}` and their like: the name, the operator and the values behind it. Runs no substitution itself.

use super::{DEEPEST, Variables};

/// A parameter at the start of what follows `$`.
pub(super) struct Parameter<'t> {
    pub(super) name: &'t str,
    pub(super) is_indirect: bool,
    pub(super) operator: &'t str,
    pub(super) behind: &'t str,
}

pub(super) fn parse_parameter(text: &str) -> Parameter<'_> {
    let is_name = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let plain = |name, behind| Parameter { name, is_indirect: false, operator: "", behind };
    let Some(inner) = text.strip_prefix('{') else {
        if text.starts_with(['@', '*']) {
            return plain(text.get(..1).unwrap_or_default(), text.get(1..).unwrap_or_default());
        }
        let end = text.find(|c: char| !is_name(c)).unwrap_or(text.len());
        let (name, behind) = text.split_at_checked(end).unwrap_or(("", text));
        return plain(name, behind);
    };
    let Some((inner, behind)) = inner.split_once('}') else { return plain("", text) };
    let (is_indirect, inner) = match inner.strip_prefix('!') {
        Some(inner) => (true, inner),
        None => (false, inner),
    };
    let end = inner.find(|c: char| !is_name(c) && !"@*".contains(c)).unwrap_or(inner.len());
    let (name, operator) = inner.split_at_checked(end).unwrap_or((inner, ""));
    // `${x@P}`: the value, read once more.
    let (name, operator) = match name.split_once('@') {
        Some((name, _)) if !name.is_empty() => (name, ""),
        _ => (name, operator),
    };
    Parameter { name, is_indirect, operator, behind }
}

/// Applies an operator to a value: `${x#a}`, `${x%a}`, `${x/a/b}`, `${x,,}`. With a pattern or any
/// other operator, the value is returned unchanged.
fn apply_text_operator(value: &str, operator: &str) -> String {
    let is_literal = !operator.contains(['*', '?', '[', '$', '`', '\\']);
    let stripped = match operator.chars().next().filter(|_| is_literal) {
        Some('#') => value.strip_prefix(operator.trim_start_matches('#')),
        Some('%') => value.strip_suffix(operator.trim_start_matches('%')),
        Some('/') => return apply_replacement(value, operator),
        Some(',') => return value.to_lowercase(),
        Some('^') => return value.to_uppercase(),
        _ => None,
    };
    stripped.unwrap_or(value).to_owned()
}

/// Applies a replacement to a value: `${x/a/b}` and `${x//a/b}`.
fn apply_replacement(value: &str, operator: &str) -> String {
    let (all, parts) = match operator.strip_prefix("//") {
        Some(parts) => (true, parts),
        None => (false, operator.strip_prefix('/').unwrap_or_default()),
    };
    let (from, to) = parts.split_once('/').unwrap_or((parts, ""));
    if from.is_empty() || to.len() > from.len() + LONGEST_GAIN {
        return value.to_owned();
    }
    if all { value.replace(from, to) } else { value.replacen(from, to, 1) }
}

/// Most bytes by which a replacement may be longer than what it replaces.
const LONGEST_GAIN: usize = 16;

impl Variables<'_> {
    /// Returns the values of a parameter after its operator is applied: `${x:-y}`, `${x:+y}`,
    /// `${x:0:2}`.
    pub(super) fn apply_operator(
        &self,
        values: Option<&Vec<String>>,
        operator: &str,
        depth: usize,
    ) -> Option<Vec<String>> {
        let plain = operator.strip_prefix(':').unwrap_or(operator);
        let is_empty = values.is_some_and(|values| values.iter().all(String::is_empty));
        let text = |text: &str| {
            (depth < DEEPEST).then(|| self.expand_source_text(text, depth + 1).into_first_text())
        };
        if let Some(default) = plain.strip_prefix(['-', '=']) {
            return match values.filter(|_| !is_empty) {
                Some(values) => Some(values.clone()),
                None => Some(vec![text(default)?]),
            };
        }
        if let Some(other) = plain.strip_prefix('+') {
            // Whether a variable from elsewhere is set is not known: it may be either.
            let other = text(other)?;
            return Some(match values {
                Some(_) if is_empty => vec![String::new()],
                Some(_) => vec![other],
                None => vec![String::new(), other],
            });
        }
        let values = values?;
        let is_part = |c: char| c.is_ascii_digit() || " -".contains(c);
        if !operator.starts_with(':') || !plain.starts_with(is_part) {
            let bytes = values.iter().map(|value| value.len() + operator.len()).sum::<usize>();
            let changed = values.iter().map(|value| apply_text_operator(value, operator));
            return self.meter.spend_steps_for_bytes(bytes).then(|| changed.collect());
        }
        let mut numbers = plain.split(':').map(|number| number.trim().parse::<usize>());
        let from = numbers.next()?.ok()?;
        let most = numbers.next().map_or(Some(usize::MAX), Result::ok)?;
        self.meter.spend_steps_for_bytes(values.iter().map(String::len).sum::<usize>()).then(|| {
            values.iter().map(|value| value.chars().skip(from).take(most).collect()).collect()
        })
    }
}
