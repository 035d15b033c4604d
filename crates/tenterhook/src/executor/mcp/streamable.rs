//! Reaches a server at its address, by streamable HTTP. Where a request may go, and what its headers say, is decided as for
//! `http` hooks (HT-10 to HT-23).

use std::collections::HashMap;
use std::sync::Arc;

use hyper::header::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::NeverRetry;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::client::McpClient;
use super::connection::Env;
use super::program::fill;
use super::withheld::Withheld;
use crate::dialect::ServerVariables;
use crate::executor::http::Network;
use crate::hook::Http;
use crate::request::address::Target;
use crate::request::headers;
use crate::source::Server;

/// The longest event that is taken, as of a program's line.
const EVENT: usize = 4 << 20;

/// A transport to the address, and what is handed to whoever answers there; nothing is sent yet.
///
/// # Errors
///
/// What keeps requests from being sent there, for people.
pub(super) fn open(
    server: &Server,
    http: &Http,
    env: &Env,
    network: &Network,
) -> Result<(StreamableHttpClientTransport<McpClient>, Withheld), String> {
    let url = fill(server, &http.url, env)?;
    Target::read(&url).map_err(|error| format!("its URL cannot be used: {error}"))?;
    let own = own_headers(server, http, env)?;
    let withheld = Withheld::of(own.values().filter_map(|it| it.to_str().ok()));
    let mut config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(own)
        .max_sse_event_size(EVENT)
        // A call that was sent is not sent again (MC-1).
        .reinit_on_expired_session(false);
    config.retry_config = Arc::new(NeverRetry::default());
    Ok((StreamableHttpClientTransport::with_client(network.mcp(), config), withheld))
}

fn own_headers(
    server: &Server,
    http: &Http,
    env: &Env,
) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let own = http.headers.iter().filter(|(name, _)| !headers::is_reserved(name));
    own.map(|(name, text)| {
        let value = match server.dialect.dialect().server_variables() {
            ServerVariables::ListedInHeaders => {
                let lookup = |it: &str| {
                    env.iter().rfind(|(own, _)| own == it).map(|(_, value)| value.as_str())
                };
                let filled = headers::fill(name, text, &http.variables, http.interpolation, lookup);
                filled.map_err(|error| error.to_string())?.text
            }
            ServerVariables::Everywhere => fill(server, text, env)?,
        };
        let torn = || format!("the header `{name}` cannot be sent");
        let named = HeaderName::from_bytes(name.as_bytes()).map_err(|_| torn())?;
        let mut value = HeaderValue::from_str(&value).map_err(|_| torn())?;
        value.set_sensitive(true);
        Ok((named, value))
    })
    .collect()
}
