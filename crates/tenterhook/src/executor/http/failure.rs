//! Why a request brought no answer: the kinds of failure, with their codes and remedies. Never
//! contains a secret.

use std::error::Error;
use std::io;

use super::resolver::{NotFound, Refused};
use super::wire::Overspoken;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::report::End;

/// A kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Url,
    Header,
    Heavy,
    Secret,
    Client,
    Address,
    Unresolved,
    Connect,
    Tls,
    Broken,
    Redirect,
    Gone,
    Limited,
    Status,
    NotJson,
    Encoding,
    TooLarge,
    Stale,
}

/// Each kind with its code and its remedy.
const KINDS: &[(Kind, Code, &str)] = {
    use Kind::*;
    &[
        (Url, Code::HttpUrl, "write `https://HOST/PATH`"),
        (
            Header,
            Code::HttpHeader,
            "correct the header, or set the variable where the agent is started",
        ),
        (
            Heavy,
            Code::HttpTooHeavy,
            "let the hook match less, or judge such events on this machine",
        ),
        (Secret, Code::HttpSecret, "set the variable to `whsec_` and the secret in Base64"),
        (Client, Code::HttpClient, "install the system's certificates"),
        (
            Address,
            Code::HttpAddress,
            "hooks reach public servers, and this machine only where its name is written as `localhost`",
        ),
        (Unresolved, Code::HttpUnresolved, "check the host's name and the network"),
        (Connect, Code::HttpConnect, "check that the server runs and can be reached"),
        (
            Tls,
            Code::HttpTls,
            "check the server's certificate: its name, its dates and who vouches for it",
        ),
        (
            Broken,
            Code::HttpBroken,
            "look into the server's log; it is not asked again, because it may have acted",
        ),
        (Redirect, Code::HttpRedirect, "write the final URL, redirects are not followed"),
        (Gone, Code::HttpGone, "remove the hook or correct its URL"),
        (
            Limited,
            Code::HttpLimited,
            "ask the server less often or raise its limit; it is not asked again for this event",
        ),
        (
            Status,
            Code::HttpStatus,
            "an answer has a status from 200 to 299; look into the server's log",
        ),
        (
            NotJson,
            Code::HttpNotJson,
            "reply with one JSON object and `content-type: application/json`, or with nothing",
        ),
        (Encoding, Code::HttpEncoding, "reply without `content-encoding`, as the request asks"),
        (TooLarge, Code::HttpTooLarge, "reply with an answer alone"),
        (
            Stale,
            Code::HttpStale,
            "a reply that names a `webhook-id` names that of its request; look for a proxy between",
        ),
    ]
};

/// A failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) kind: Kind,
    what: String,
}

impl Failure {
    pub(super) fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into() }
    }

    /// Adds a fact that may explain the failure.
    pub(super) fn with_note(self, fact: &str) -> Self {
        Self { what: format!("{} ({fact})", self.what), ..self }
    }

    /// Converts the failure into the end of a step.
    pub(super) fn into_step_end(self) -> End {
        let row = KINDS.iter().find(|(kind, _, _)| *kind == self.kind);
        let (code, remedy) =
            row.map_or((Code::HttpBroken, ""), |(_, code, remedy)| (*code, *remedy));
        End::Failed { code, why: format!("{}; {remedy}", self.what) }
    }

    /// Whether the request was never sent, so that it may be sent again (HT-40).
    pub(super) const fn was_not_sent(&self) -> bool {
        matches!(self.kind, Kind::Connect)
    }

    /// The failure to open a connection.
    pub(super) fn from_connect_error(error: &io::Error, origin: &str) -> Self {
        Self::from_error_chain((Kind::Connect, "cannot be reached"), error, origin)
    }

    /// The failure of a request on an open connection.
    pub(super) fn from_exchange_error(error: &hyper::Error, origin: &str) -> Self {
        let what = match error.is_parse() {
            true => "does not reply in HTTP/1.1",
            false => "broke off before its reply was complete",
        };
        Self::from_error_chain((Kind::Broken, what), error, origin)
    }

    /// Reports the innermost cause, with the kind of the first error in the chain that has one,
    /// otherwise with `otherwise`.
    fn from_error_chain(
        otherwise: (Kind, &'static str),
        error: &(dyn Error + 'static),
        origin: &str,
    ) -> Self {
        let (mut classified, mut words) = (None, String::new());
        let mut cause = Some(error);
        while let Some(error) = cause {
            classified = classified.or_else(|| kind_of_error(error));
            words = error.to_string();
            cause = error_inside_io_error(error).or_else(|| error.source());
        }
        let (kind, what) = classified.unwrap_or(otherwise);
        Self::new(kind, format!("`{origin}` {what}: {words}"))
    }
}

/// Returns the kind of failure that an error stands for, if it has one.
fn kind_of_error(error: &(dyn Error + 'static)) -> Option<(Kind, &'static str)> {
    let unreached = |kind| Some((kind, "cannot be reached"));
    if error.is::<Refused>() {
        unreached(Kind::Address)
    } else if error.is::<NotFound>() {
        unreached(Kind::Unresolved)
    } else if error.is::<rustls::Error>() {
        unreached(Kind::Tls)
    } else if error.is::<Overspoken>() {
        Some((Kind::TooLarge, "does not come to an end"))
    } else {
        None
    }
}

/// Returns the error inside an `io::Error`, which its `source` hides.
fn error_inside_io_error<'e>(
    error: &'e (dyn Error + 'static),
) -> Option<&'e (dyn Error + 'static)> {
    let inner = error.downcast_ref::<io::Error>()?.get_ref()?;
    Some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_code_of_its_own_and_a_remedy() {
        for (at, (kind, code, remedy)) in KINDS.iter().enumerate() {
            assert!(code.name().starts_with("http-") && !remedy.is_empty(), "{kind:?}");
            assert!(KINDS.iter().skip(at + 1).all(|(_, other, _)| other != code), "{code}");
            let end = Failure::new(*kind, "it").into_step_end();
            assert_eq!(end, End::Failed { code: *code, why: format!("it; {remedy}") });
        }
    }
}
