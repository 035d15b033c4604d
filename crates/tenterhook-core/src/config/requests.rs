//! Which requests do a dialect's settings allow? Reads the lists of all its settings as one, and bars the hooks that stand in
//! none (C-19). Pure.

use std::fmt;

use regex::Regex;

use super::statements::{SETTINGS, Statement, layer_may_bind};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::DialectId;
use crate::hook::{Arming, Hook, Run};
use crate::source::{Requests, Switch};

/// Disarms a hook whose URL is not allowed, and removes the variables that it may not send. Returns
/// a finding for each.
pub(super) fn disarm_forbidden_request_hook(
    statements: &[Statement],
    dialect: DialectId,
    hook: &mut Hook,
) -> Vec<Diagnostic> {
    let (urls, variables) = (
        List::allowlist_for_hook(statements, dialect, hook, Requests::Urls),
        List::allowlist_for_hook(statements, dialect, hook, Requests::Variables),
    );
    let Run::Http(http) = &mut hook.run else { return Vec::new() };
    if hook.arming != Arming::Armed {
        return Vec::new();
    }
    let place = hook.place.clone();
    let finding = |code, message| Diagnostic::new(code, message, place.clone());
    if let Some(list) = urls.filter(|list| !list.allows_url(&http.url)) {
        let because = format!("{list} does not name its URL");
        let found = finding(Code::UrlNotAllowed, format!("the hook never runs: {because}"));
        hook.disarm(because, "C-19");
        return vec![found.help("add the URL there, `*` stands for anything; or remove the hook")];
    }
    let Some(list) = variables else { return Vec::new() };
    let (kept, taken) =
        std::mem::take(&mut http.variables).into_iter().partition(|text| list.contains_item(text));
    http.variables = kept;
    let taken: Vec<String> = taken;
    let found = taken.iter().map(|name| {
        let message = format!("the value of `{name}` is not sent: {list} does not name it");
        finding(Code::VariableNotAllowed, message).help("add the name there, or use no such header")
    });
    found.collect()
}

/// What all lists about one thing say together.
struct List<'s> {
    about: Requests,
    items: Vec<&'s str>,
    /// Where the lists stand.
    places: Vec<String>,
}

impl<'s> List<'s> {
    /// Returns the allowlist that binds `hook`; `None` if no list binds it. Lists of several settings
    /// are merged; for a managed hook they apply only if managed settings have one.
    fn allowlist_for_hook(
        said: &'s [Statement],
        dialect: DialectId,
        hook: &Hook,
        wanted: Requests,
    ) -> Option<Self> {
        let mut list = Self { about: wanted, items: Vec::new(), places: Vec::new() };
        let mut bound = false;
        for statement in said {
            let Switch::Requests { about, allowed, place } = &statement.switch else { continue };
            let counts = *about == wanted && statement.dialect == dialect;
            if !counts || !SETTINGS.contains(&statement.layer) {
                continue;
            }
            bound |= layer_may_bind(statement.layer, hook);
            list.items.extend(allowed.iter().map(String::as_str));
            list.places.extend(place.as_ref().map(ToString::to_string));
        }
        bound.then_some(list)
    }

    fn contains_item(&self, item: &str) -> bool {
        self.items.contains(&item)
    }

    fn allows_url(&self, url: &str) -> bool {
        let url = Url::parse(url).to_canonical_string("/");
        self.items.iter().any(|pattern| url_matches_pattern(pattern, &url))
    }
}

/// `KEY (FILE:LINE)`, for people.
impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({})", self.about.key(), self.places.join(", "))
    }
}

/// A URL or a pattern of one, in the one spelling in which they are compared.
struct Url<'t> {
    /// With its `://`, in small letters; empty if absent.
    scheme: String,
    /// In small letters, without a dot at the end of the name and without the port that goes without saying.
    authority: String,
    /// From its slash on, as written.
    rest: &'t str,
}

impl<'t> Url<'t> {
    fn parse(text: &'t str) -> Self {
        let at = text.find("://").map_or(0, |index| index + 3);
        let (scheme, rest) = text.split_at_checked(at).unwrap_or(("", text));
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let (scheme, authority) = (scheme.to_ascii_lowercase(), authority.to_ascii_lowercase());
        let unsaid = if scheme == "https://" { ":443" } else { ":80" };
        let authority = authority.strip_suffix(unsaid).unwrap_or(&authority);
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, format!(":{port}")),
            _ => (authority, String::new()),
        };
        let host = host.strip_suffix('.').unwrap_or(host);
        Self { authority: format!("{host}{port}"), scheme, rest }
    }

    /// Returns the canonical spelling of the URL, with `path` if it has none.
    fn to_canonical_string(&self, path: &str) -> String {
        let path = if self.rest.starts_with('/') { "" } else { path };
        format!("{}{}{path}{}", self.scheme, self.authority, self.rest)
    }
}

/// Returns `true` if `url` matches `pattern`. A `*` in the host does not match beyond it, or
/// `https://*.example.com/*` would match `https://elsewhere/.example.com/`; a `*` at the very end
/// matches anything.
fn url_matches_pattern(pattern: &str, url: &str) -> bool {
    let read = Url::parse(pattern);
    let open = pattern.ends_with('*');
    let host = regex::escape(&format!("{}{}", read.scheme, read.authority));
    let path = if read.rest.starts_with('/') || (read.rest.is_empty() && open) { "" } else { "/" };
    let rest = regex::escape(&format!("{path}{}", read.rest));
    let mut pattern = format!("{}{}", host.replace(r"\*", "[^/?#]*"), rest.replace(r"\*", ".*"));
    if open && read.rest.is_empty() {
        pattern =
            pattern.strip_suffix("[^/?#]*").map(|rest| format!("{rest}.*")).unwrap_or(pattern);
    }
    // A pattern too large to be compiled names nothing.
    Regex::new(&format!("^{pattern}$")).is_ok_and(|regex| regex.is_match(url))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C-19, C-114
    #[test]
    fn a_pattern_names_what_it_says_and_no_other_host() {
        let names = |pattern: &str, url: &str| {
            url_matches_pattern(pattern, &Url::parse(url).to_canonical_string("/"))
        };
        for (pattern, url) in [
            ("https://hooks.example.com/*", "https://Hooks.Example.COM/a/b?c"),
            ("https://HOOKS.example.com./*", "https://hooks.example.com:443/a"),
            ("https://hooks.example.com:443/*", "https://hooks.example.com./a"),
            ("https://*.example.com/*", "https://a.b.example.com/x"),
            ("http://localhost:*", "http://localhost:8000/x/y"),
            ("http://localhost:*/*", "http://localhost:8000/"),
            ("http://[::1]:*/x", "http://[::1]:8000/x"),
            ("https://example.com", "https://example.com/"),
            ("https://example.com?*", "https://example.com/?a"),
            ("*", "https://example.com/x"),
            ("https://example.com/a?b=*", "https://example.com/a?b=c"),
        ] {
            assert!(names(pattern, url), "{pattern} {url}");
        }
        for (pattern, url) in [
            ("https://hooks.example.com/*", "http://hooks.example.com/a"),
            ("https://hooks.example.com/*", "https://hooks.example.com.evil.example/a"),
            ("https://hooks.example.com/*", "https://hooks.example.com:8443/a"),
            ("https://*.example.com/*", "https://evil.example/.example.com/"),
            ("https://*.example.com/*", "https://evil.example?.example.com/"),
            ("https://*.example.com/*", "https://example.com/"),
            ("https://example.com/a", "https://example.com/A"),
            ("https://example.com/a", "https://example.com/ab"),
            ("https://example.com", "https://example.com/x"),
            ("https://exampleXcom/*", "https://example.com/x"),
            ("", "https://example.com/"),
        ] {
            assert!(!names(pattern, url), "{pattern} {url}");
        }
    }
}
