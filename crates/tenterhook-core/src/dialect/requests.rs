//! Checks requests before they are sent: the same findings for every format that has `http` hooks.
//!
//! Changes no hook: one whose request cannot be sent stays armed, and its failure policy decides
//! each time (HT-16).

use super::findings::finding_without_location;
use crate::diagnostic::{Code, Diagnostic, Severity, Span};
use crate::hook::{Http, Missing};
use crate::request::address::Target;
use crate::request::headers::{self, BadHeader};
use crate::syntax::Entry;

/// The label of a finding whose hook runs, and fails each time.
const FAILS: &str = "every run fails";

/// Finds mistakes in `http`, whose URL is at `url` and whose headers are `entries`. `list` is the
/// format's key for the variables that headers may name.
pub(crate) fn check_http_request(
    http: &Http,
    url: Span,
    entries: &[Entry],
    list: &str,
) -> Vec<(Span, Diagnostic)> {
    // The value of a variable is known when the request is made.
    let is_whole = !http.interpolation.in_url || !http.url.contains('$');
    let address = Target::parse_url(&http.url).err().filter(|_| is_whole).map(|bad| {
        let found = finding_without_location(
            Code::UnusableUrl,
            format!("nothing can be sent to this URL: {bad}"),
        );
        let help = "write `https://HOST/PATH`, or `http://localhost:PORT/PATH` for this machine";
        (url, found.label(FAILS).help(help))
    });
    let headers = entries.iter().filter_map(|entry| {
        let value = entry.node.as_str()?;
        let (name, span) = (&entry.key, entry.node.span);
        if headers::is_reserved_header(name) {
            let message = format!("the header `{name}` is not the hook's to say and is not sent");
            return Some((
                entry.key_span,
                finding_without_location(Code::HeaderNotSent, message).help(LEAVE_OUT),
            ));
        }
        let bad = headers::find_header_problem(name, value, &http.variables, http.interpolation)?;
        let found = finding_without_location(Code::UnusableHeader, bad.to_string())
            .help(header_fix(&bad, list));
        let is_sent = http.interpolation.missing == Missing::Empty
            && matches!(bad, BadHeader::NotListed { .. });
        Some((
            span,
            match is_sent {
                true => found.with_severity(Severity::Warning).label("sent empty"),
                false => found.label(FAILS),
            },
        ))
    });
    address.into_iter().chain(headers).collect()
}

const LEAVE_OUT: &str = "leave the header out";

fn header_fix(bad: &BadHeader, list: &str) -> String {
    match bad {
        BadHeader::Name(_) => "write letters, digits and hyphens".to_owned(),
        BadHeader::NotListed { variable, .. } => format!("write `{variable}` into `{list}`"),
        BadHeader::Unset { variable, .. } => format!("set `{variable}`"),
        BadHeader::Torn(_) => "write `${NAME}`".to_owned(),
        BadHeader::Value(_) => "write one line of ASCII characters".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::DialectId;
    use crate::hook::{Arming, Run};
    use crate::source::Source;

    fn check(dialect: DialectId, name: &str, text: &str) -> Vec<&'static str> {
        let read = dialect.dialect().read_config(&Source::from_text(name, dialect, text, "/repo"));
        let [hook] = read.hooks.as_slice() else { panic!("{read:?}") };
        // A native entry with a mistake runs nothing, and its policy decides all the same (C-60).
        assert!(matches!(hook.run, Run::Http(_) | Run::Unusable { .. }), "{hook:?}");
        assert!(matches!(hook.arming, Arming::Armed), "{hook:?}");
        let mut codes: Vec<_> =
            read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
        codes.sort_unstable();
        codes
    }

    /// HT-16, in every format that has such hooks.
    #[test]
    fn a_request_that_cannot_be_sent_is_an_error_and_stays_armed() {
        let all = ["header-not-sent", "unusable-header", "unusable-url"];
        let json = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "https://10.0.0.1/",
            "headers": {"Host": "x", "X-Key": "$B $A"}, "allowedEnvVars": ["B"]}]}]}}"#;
        assert_eq!(check(DialectId::CLAUDE, ".claude/settings.json", json), all);
        assert_eq!(check(DialectId::GEN, ".gen/settings.json", json), all);
        let native = "[hook.a]\non = 'PreToolUse'\npass = ['B']\n\
            http = { url = 'https://10.0.0.1/', headers = { Host = 'x', X-Key = '$B $A' } }\n";
        assert_eq!(check(DialectId::NATIVE, "tenterhook.toml", native), all);
    }
}
