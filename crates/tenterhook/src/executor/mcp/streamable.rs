//! Reads the address and the headers of a server from its configuration, as for `http` hooks (HT-10 to HT-23). Sends
//! nothing.

use hyper::Uri;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use super::address::RESERVED;
use super::connection::Env;
use super::program::fill_variables;
use super::unopened::Unopened;
use super::withheld::Withheld;
use tenterhook_core::hook::Http;
use tenterhook_core::request::address::Target;
use tenterhook_core::request::headers;
use tenterhook_core::source::{Server, ServerVariables};

/// The address of a server, the headers of its configuration, and the values to keep out of faults.
///
/// # Errors
///
/// Why no request can be sent there, for people.
pub(super) fn address_of_server(
    server: &Server,
    http: &Http,
    env: &Env,
) -> Result<(Uri, HeaderMap, Withheld), Unopened> {
    let url = fill_variables(server, &http.url, env)?;
    Target::parse_url(&url)?;
    let uri = url.parse().map_err(|_| Unopened::UnsendableUrl)?;
    let own = configured_headers(server, http, env)?;
    let withheld = Withheld::new(own.values().filter_map(|value| value.to_str().ok()));
    Ok((uri, own, withheld))
}

fn configured_headers(server: &Server, http: &Http, env: &Env) -> Result<HeaderMap, Unopened> {
    let own = http.headers.iter().filter(|(name, _)| !headers::is_reserved_header(name));
    own.map(|(name, text)| {
        let value = match server.variables {
            ServerVariables::ListedInHeaders => {
                let lookup = |wanted: &str| {
                    env.iter().rfind(|(own, _)| own == wanted).map(|(_, value)| value.as_str())
                };
                headers::fill_header_value(name, text, &http.variables, http.interpolation, lookup)?
                    .text
            }
            ServerVariables::Everywhere => fill_variables(server, text, env)?,
        };
        let torn = || Unopened::UnsendableHeader(name.clone());
        let named = HeaderName::from_bytes(name.as_bytes()).map_err(|_| torn())?;
        if RESERVED.contains(&named) {
            return Err(Unopened::ReservedHeader(name.clone()));
        }
        let mut value = HeaderValue::from_str(&value).map_err(|_| torn())?;
        value.set_sensitive(true);
        Ok((named, value))
    })
    .collect()
}
