//! Lists the tools that a server offers, page by page and within bounds. Calls none and judges
//! none.

use serde_json::{Map, Value};

use super::peer::{Lost, Peer};

/// How many tools of one server are listed.
const TOOLS: usize = 1000;
/// How many pages are requested: a server may return the address of a next one forever.
const PAGES: usize = 100;
/// How many bytes of JSON are kept in total.
const BYTES: usize = 4 << 20;

/// A tool as its server describes it, unchecked.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// Its name.
    pub name: String,
    /// What it does, for a model; empty if the server gives no description.
    pub about: String,
    /// The JSON Schema of its arguments.
    pub schema: Map<String, Value>,
}

/// The tools of one server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offer {
    /// In the server's order.
    pub tools: Vec<Offered>,
    /// Whether the list was cut: the server has more.
    pub is_cut: bool,
}

impl Offer {
    /// Adds one tool. Returns `false` if the bound is reached.
    fn push_tool_if_fits(&mut self, tool: Offered, left: &mut usize) -> bool {
        let schema = serde_json::to_string(&tool.schema).map_or(0, |text| text.len());
        let size = tool.name.len() + tool.about.len() + schema;
        if self.tools.len() >= TOOLS || size > *left {
            self.is_cut = true;
            return false;
        }
        *left -= size;
        self.tools.push(tool);
        true
    }
}

/// Requests the list of the server's tools, page by page.
pub(super) async fn request_tools(peer: &Peer) -> Result<Offer, Lost> {
    let (mut offer, mut left) = (Offer::default(), BYTES);
    let mut params = Map::new();
    for _ in 0..PAGES {
        let mut page = peer.request_and_wait("tools/list", params).await?;
        let Some(Value::Array(tools)) = page.get_mut("tools").map(Value::take) else {
            return Err(Lost::Odd);
        };
        for tool in tools {
            if !offer.push_tool_if_fits(parse_offered_tool(tool).ok_or(Lost::Odd)?, &mut left) {
                return Ok(offer);
            }
        }
        match page.get_mut("nextCursor").map(Value::take) {
            None | Some(Value::Null) => return Ok(offer),
            Some(cursor) => params = Map::from_iter([("cursor".to_owned(), cursor)]),
        }
    }
    offer.is_cut = true;
    Ok(offer)
}

fn parse_offered_tool(mut tool: Value) -> Option<Offered> {
    let mut field = |name: &str| tool.get_mut(name).map(Value::take);
    let Some(Value::String(name)) = field("name") else { return None };
    let Some(Value::Object(schema)) = field("inputSchema") else { return None };
    let about = match field("description") {
        Some(Value::String(about)) => about,
        None | Some(Value::Null) => String::new(),
        Some(_) => return None,
    };
    Some(Offered { name, about, schema })
}
