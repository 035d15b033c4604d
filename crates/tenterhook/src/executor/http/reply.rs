//! Decides whether a reply is an answer. Judges a head, then a body; reads no connection.

use std::time::{Duration, SystemTime};

use hyper::StatusCode;
use hyper::header::{
    AsHeaderName, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, DATE, HeaderMap, LOCATION,
    RETRY_AFTER, TRANSFER_ENCODING,
};

use super::failure::{Failure, Kind};
use super::order::ID;
use tenterhook_core::request::address::Target;

/// The head of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    status: u16,
    headers: HeaderMap,
}

impl Head {
    pub(super) fn new(status: StatusCode, headers: HeaderMap) -> Self {
        Self { status: status.as_u16(), headers }
    }

    /// Returns the value of a header, if it is text.
    fn header_text(&self, name: impl AsHeaderName) -> Option<&str> {
        Some(self.headers.get(name)?.to_str().ok()?.trim())
    }

    /// Returns a failure if the body must not be read at all: it belongs to another request or is
    /// compressed.
    pub(super) fn unreadable_body_failure(&self, id: &str) -> Option<Failure> {
        if self.header_text(ID).is_some_and(|text| text != id) {
            return Some(Failure::new(Kind::Stale, "the reply names another request"));
        }
        let encoding = self.header_text(CONTENT_ENCODING).unwrap_or_default();
        let plain = encoding.is_empty() || encoding.eq_ignore_ascii_case("identity");
        (!plain).then(|| Failure::new(Kind::Encoding, "the reply is compressed"))
    }

    /// Returns a failure if the status means that the reply is no answer, whatever its body
    /// (HT-51).
    pub(super) fn status_failure(&self) -> Option<Failure> {
        let status = self.status;
        let (kind, what) = match status {
            // HTTP allows it no body, so a denial in one would not be read.
            204 if self.declares_body() => {
                (Kind::NotJson, "the reply has a body where none can be".to_owned())
            }
            200..=299 => return None,
            300..=399 => (
                Kind::Redirect,
                format!("the server sends elsewhere{}", self.redirect_target_text()),
            ),
            410 => (Kind::Gone, "the server says that nothing is there any more".to_owned()),
            413 => (Kind::Status, "the server takes no event of this size".to_owned()),
            429 => (
                Kind::Limited,
                format!("the server takes no more requests{}", self.describe_retry_pause()),
            ),
            _ => (Kind::Status, format!("the server refused{}", self.describe_retry_pause())),
        };
        Some(Failure::new(kind, format!("{what} (status {status})")))
    }

    /// Returns a failure if `body` is no JSON object. An empty body is an answer: the server has
    /// nothing to report.
    pub(super) fn non_json_failure(&self, body: &[u8]) -> Option<Failure> {
        let text = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body).trim_ascii_start();
        let kind = self.header_text(CONTENT_TYPE);
        let what = match (kind.is_none_or(is_json_content_type), text.first()) {
            (_, None) | (true, Some(b'{')) => return None,
            (true, _) => "the reply is not a JSON object",
            (false, _) => "the reply does not say that it is JSON",
        };
        Some(Failure::new(Kind::NotJson, what))
    }

    /// Whether `body` only repeats the status in words: "Forbidden" means the same as 403 (HT-51).
    pub(super) fn body_repeats_status(&self, body: &[u8]) -> bool {
        let phrase =
            StatusCode::from_u16(self.status).ok().and_then(|status| status.canonical_reason());
        let text = body.trim_ascii();
        phrase.is_some_and(|phrase| text.eq_ignore_ascii_case(phrase.as_bytes()))
    }

    fn declares_body(&self) -> bool {
        let length = self.header_text(CONTENT_LENGTH);
        self.headers.contains_key(TRANSFER_ENCODING) || length.is_some_and(|length| length != "0")
    }

    /// Returns the target of a redirect, without its path, if it is a URL.
    fn redirect_target_text(&self) -> String {
        let target = self.header_text(LOCATION).and_then(|text| Target::parse_url(text).ok());
        target.map_or_else(String::new, |target| format!(", to `{}`", target.origin))
    }

    /// Returns the pause that a busy server asks for (HT-61): in seconds, or until a time of the
    /// server's clock, which may differ from ours.
    pub(super) fn retry_pause(&self) -> Option<Duration> {
        if !matches!(self.status, 429 | 503) {
            return None;
        }
        if let Ok(seconds) = self.header_text(RETRY_AFTER)?.parse::<u32>() {
            return Some(Duration::from_secs(seconds.into()));
        }
        let moment = |name| httpdate::parse_http_date(self.header_text(name)?).ok();
        let now = moment(DATE).unwrap_or_else(SystemTime::now);
        Some(moment(RETRY_AFTER)?.duration_since(now).unwrap_or_default())
    }

    fn describe_retry_pause(&self) -> String {
        let time = self.retry_pause();
        time.map_or_else(String::new, |time| format!(" for {} seconds", time.as_secs()))
    }
}

fn is_json_content_type(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || kind == "text/json" || kind.ends_with("+json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(status: u16, headers: &[(&'static str, &'static str)]) -> Head {
        let headers = headers.iter().map(|(name, value)| {
            let name = hyper::header::HeaderName::from_static(name);
            (name, hyper::header::HeaderValue::from_static(value))
        });
        Head::new(StatusCode::from_u16(status).unwrap(), headers.collect())
    }

    /// HT-50
    #[test]
    fn an_object_is_an_answer_and_nothing_is_silence() {
        let json = head(200, &[("content-type", "application/json; charset=utf-8")]);
        let html = head(200, &[("content-type", "text/html")]);
        for (head, body) in [
            (&json, "{}"),
            (&json, " {\"a\": 1}"),
            (&json, "\u{feff}{}"),
            (&json, ""),
            (&json, " \n"),
            (&head(200, &[]), "{}"),
            (&html, ""),
        ] {
            assert_eq!(head.non_json_failure(body.as_bytes()), None, "{body}");
        }
        let unlike = |head: &Head, body: &str| {
            head.non_json_failure(body.as_bytes()).map(|answer| answer.kind)
        };
        for body in ["[]", "<html>", "true", "\"deny\""] {
            assert_eq!(unlike(&json, body), Some(Kind::NotJson), "{body}");
        }
        assert_eq!(unlike(&html, "{}"), Some(Kind::NotJson));
    }

    /// HT-51
    #[test]
    fn status_alone_decides_nothing_and_is_reported() {
        let kind = |status| head(status, &[]).status_failure().map(|refusal| refusal.kind);
        for (status, expected) in [
            (200, None),
            (204, None),
            (299, None),
            (301, Some(Kind::Redirect)),
            (304, Some(Kind::Redirect)),
            (403, Some(Kind::Status)),
            (410, Some(Kind::Gone)),
            (429, Some(Kind::Limited)),
            (500, Some(Kind::Status)),
        ] {
            assert_eq!(kind(status), expected, "{status}");
        }
        let with =
            |name, value| head(204, &[(name, value)]).status_failure().map(|refusal| refusal.kind);
        assert_eq!(with("content-length", "0"), None);
        assert_eq!(with("content-length", "45"), Some(Kind::NotJson));
        assert_eq!(with("transfer-encoding", "chunked"), Some(Kind::NotJson));
        let end =
            head(429, &[("retry-after", "31536000")]).status_failure().unwrap().into_step_end();
        assert!(format!("{end:?}").contains("for 31536000 seconds"), "{end:?}");
        let moved = |to| format!("{:?}", head(301, &[("location", to)]).status_failure().unwrap());
        assert!(moved("https://new.example/a?token=b").contains("to `https://new.example`"));
        assert!(!moved("http://169.254.169.254/latest").contains("169"));
    }

    /// HT-61
    #[test]
    fn a_server_that_is_busy_says_how_long() {
        let wants = |status, value| head(status, &[("retry-after", value)]).retry_pause();
        assert_eq!(wants(429, "7"), Some(Duration::from_secs(7)));
        assert_eq!(wants(503, "0"), Some(Duration::ZERO));
        for (status, value) in [(200, "7"), (500, "7"), (429, "-7"), (429, "soon"), (429, "")] {
            assert_eq!(wants(status, value), None, "{status} {value}");
        }
        let date = |value| {
            let now = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
            head(503, &[now, ("retry-after", value)]).retry_pause()
        };
        let minutes = |n: u64| Some(Duration::from_secs(60 * n));
        assert_eq!(date("Sun, 06 Nov 1994 08:51:37 GMT"), minutes(2));
        assert_eq!(date("Sunday, 06-Nov-94 08:50:37 GMT"), minutes(1));
        assert_eq!(date("Sun, 06 Nov 1994 08:00:00 GMT"), minutes(0));
        // Without the server's clock, ours is used: that time is past.
        assert_eq!(wants(429, "Sun, 06 Nov 1994 08:51:37 GMT"), minutes(0));
        assert!(wants(429, "Fri, 31 Dec 9999 23:59:59 GMT") > minutes(60));
    }

    /// HT-52
    #[test]
    fn what_is_compressed_or_belongs_to_another_request_is_not_looked_at() {
        let kind = |name, value| {
            head(200, &[(name, value)]).unreadable_body_failure("msg_1").map(|failure| failure.kind)
        };
        assert_eq!(kind("content-encoding", "gzip"), Some(Kind::Encoding));
        assert_eq!(kind("content-encoding", "identity"), None);
        assert_eq!(kind("webhook-id", "msg_2"), Some(Kind::Stale));
        assert_eq!(kind("webhook-id", "msg_1"), None);
    }
}
