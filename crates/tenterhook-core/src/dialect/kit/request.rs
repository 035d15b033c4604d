//! Reads a request of an entry as several agents write it: `url`, `headers`, `allowedEnvVars`.

use super::field::strings_of_array;
use super::file::Reader;
use crate::dialect::requests;
use crate::hook::Http;
use crate::syntax::{Entry, Node};

/// Reads the HTTP request to `url`. Mistakes in it are reported; the hook then fails, and its
/// failure policy decides (HT-16).
pub(crate) fn read_http_request(reader: &mut Reader<'_>, node: &Node, url: String) -> Http {
    let variables = reader.non_null_entry(node, "allowedEnvVars");
    let listed = variables.and_then(|variable| strings_of_array(&variable.node));
    if let (Some(field), None) = (variables, &listed) {
        reader.findings.report_wrong_type(field, "an array of strings");
    }
    let headers = reader.non_null_entry(node, "headers");
    if let Some(field) = headers.filter(|header| header.node.as_object().is_none()) {
        reader.findings.report_wrong_type(field, "an object");
    }
    let entries: &[Entry] = headers.map(|header| header.node.entries()).unwrap_or_default();
    let pair = |entry: &Entry| Some((entry.key.clone(), entry.node.as_str()?.to_owned()));
    let http = Http {
        url,
        headers: entries.iter().filter_map(pair).collect(),
        variables: listed.unwrap_or_default(),
        secret: None,
        interpolation: reader.source.dialect.dialect().interpolation(),
    };
    let span = node.entry("url").map_or(node.span, |entry| entry.node.span);
    for (span, found) in requests::check_http_request(&http, span, entries, "allowedEnvVars") {
        reader.report(span, found);
    }
    http
}
