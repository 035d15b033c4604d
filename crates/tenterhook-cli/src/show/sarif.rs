//! SARIF 2.1.0 (OASIS, section 3.13 `sarifLog`): findings in the format that code hosts show beside a change. Decides nothing.

use serde_json::{Value, json};

/// One place in one file, with what is wrong there.
pub(crate) struct Finding {
    /// The rule that was broken: the name of a hook, or a code.
    pub(crate) rule: String,
    pub(crate) level: Level,
    pub(crate) message: String,
    pub(crate) file: String,
    /// Counted from 1.
    pub(crate) line: usize,
}

/// SARIF's `level` of a result.
#[derive(Clone, Copy)]
pub(crate) enum Level {
    Error,
    Warning,
}

/// Returns a log of one run of `tool`. `rules` are pairs of an id and a name.
pub(crate) fn sarif_log(tool: &str, rules: &[(&str, &str)], findings: &[Finding]) -> Value {
    let mut driver = json!({ "name": tool, "version": env!("CARGO_PKG_VERSION") });
    if let (Some(driver), false) = (driver.as_object_mut(), rules.is_empty()) {
        let rules = rules.iter().map(|(id, name)| json!({ "id": id, "name": name })).collect();
        driver.insert("rules".to_owned(), Value::Array(rules));
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "results": findings.iter().map(sarif_result).collect::<Vec<_>>(),
        }],
    })
}

fn sarif_result(finding: &Finding) -> Value {
    json!({
        "ruleId": finding.rule,
        "level": match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
        },
        "message": { "text": finding.message },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": finding.file },
                "region": { "startLine": finding.line.max(1) },
            },
        }],
    })
}
