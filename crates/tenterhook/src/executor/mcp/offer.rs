//! Which tools does a server offer? Asks it page by page and bounds what it says; calls none and judges none.

use rmcp::RoleClient;
use rmcp::model::{ErrorCode, PaginatedRequestParams};
use rmcp::service::{Peer, ServiceError};
use serde_json::{Map, Value};

/// How many tools of one server are listed.
const TOOLS: usize = 1000;
/// How many pages are asked for: a server may hand out the address of a next one for ever.
const PAGES: usize = 100;
/// How much of it all is kept, counted as JSON.
const BYTES: usize = 4 << 20;

/// A tool as its server describes it. These are the server's words, which nobody has judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// What it is called by.
    pub name: String,
    /// What it does, for a model; empty where the server does not say.
    pub about: String,
    /// The JSON Schema of its arguments.
    pub schema: Map<String, Value>,
}

/// The tools of one server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offer {
    /// In the order in which it lists them.
    pub tools: Vec<Offered>,
    /// Whether it goes on: there are more than are taken.
    pub is_cut: bool,
}

impl Offer {
    /// Takes one tool; `false` where there is no more room.
    fn take(&mut self, tool: rmcp::model::Tool, left: &mut usize) -> bool {
        let schema = Map::clone(&tool.input_schema);
        let about = tool.description.unwrap_or_default().into_owned();
        let size =
            tool.name.len() + about.len() + serde_json::to_string(&schema).map_or(0, |it| it.len());
        if self.tools.len() >= TOOLS || size > *left {
            self.is_cut = true;
            return false;
        }
        *left -= size;
        self.tools.push(Offered { name: tool.name.into_owned(), about, schema });
        true
    }
}

/// What the server lists. One that knows no such request has no tools.
pub(super) async fn list(peer: &Peer<RoleClient>) -> Result<Offer, ServiceError> {
    let (mut offer, mut cursor, mut left) = (Offer::default(), None, BYTES);
    for _ in 0..PAGES {
        let mut params = PaginatedRequestParams::default();
        params.cursor = cursor;
        let page = match peer.list_tools(Some(params)).await {
            Ok(page) => page,
            Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                return Ok(offer);
            }
            Err(error) => return Err(error),
        };
        for tool in page.tools {
            if !offer.take(tool, &mut left) {
                return Ok(offer);
            }
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(offer);
        }
    }
    offer.is_cut = true;
    Ok(offer)
}
