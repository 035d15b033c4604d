//! Reads YAML, the front matter of a Markdown file or a whole file, with spans of the file. Knows no key and no schema.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};

use super::salvage::Saved;
use super::{Entry, FaultKind, MAX_DEPTH, Node, NodeValue, Parsed, Span, SyntaxFault};

/// Front matter that a person wrote is a few hundred bytes.
const MAX_BYTES: usize = 256 * 1024;
/// Aliases copy what they stand for, so a few lines can ask for billions of nodes: the tree is bounded, not the text.
const MAX_NODES: usize = 20_000;

pub(super) fn parse_front_matter(text: &str) -> Parsed {
    match front_matter_span(text) {
        Ok(Some(block)) => parse_block(text, block, &FRONT_MATTER),
        Ok(None) => Parsed::default(),
        Err(fault) => Parsed::from_fatal_fault(fault),
    }
}

/// Parses a whole file, which may begin with a byte order mark and has one document.
pub(super) fn parse_yaml(text: &str) -> Parsed {
    parse_block(text, file_span(text), &FILE)
}

fn parse_block(text: &str, block: Span, kind: &'static Kind) -> Parsed {
    let source = text.get(block.start..block.end).unwrap_or_default();
    if source.len() > MAX_BYTES {
        let message = format!("{} longer than {MAX_BYTES} bytes", kind.name);
        return Parsed::from_fatal_fault(SyntaxFault::new(FaultKind::Limit, block, message));
    }
    let offsets = Offsets::new(source, block.start);
    match Builder::new(&offsets, kind).build_node(source) {
        Ok(Some(root)) => Parsed { root: Some(root), ..Parsed::default() },
        Ok(None) => {
            let message = format!("the {} is empty", kind.name);
            let fault = SyntaxFault::new(FaultKind::Empty, block, message);
            Parsed::from_fatal_fault(fault.with_help(kind.help_if_empty))
        }
        Err(fault) => Parsed::from_fatal_fault(fault),
    }
}

/// Returns the readable beginning of a broken front matter: what its scanner read before the error.
pub(super) fn salvage_front_matter(text: &str) -> Saved {
    let block =
        front_matter_span(text).unwrap_or_else(|fault| Some(Span::new(fault.span.end, text.len())));
    block.map_or_else(Saved::default, |block| salvage_block(text, block, &FRONT_MATTER))
}

/// Returns the readable beginning of a broken file.
pub(super) fn salvage_yaml(text: &str) -> Saved {
    salvage_block(text, file_span(text), &FILE)
}

fn salvage_block(text: &str, block: Span, kind: &'static Kind) -> Saved {
    let end = text.floor_char_boundary(block.end.min(block.start + MAX_BYTES));
    let source = text.get(block.start..end).unwrap_or_default();
    let offsets = Offsets::new(source, block.start);
    let mut builder = Builder::new(&offsets, kind);
    let fault = builder.add_all_parser_events(source).err().map(|fault| fault.span);
    let at = fault.unwrap_or_else(|| Span::new(block.end, block.end));
    let mut torn = Vec::new();
    while !builder.open.is_empty() {
        match builder.close_container(Span::new(at.start, at.start)) {
            Ok(span) => torn.push(span),
            Err(_) => return Saved { lost: vec![at], ..Saved::default() },
        }
    }
    Saved { root: builder.root, lost: vec![at], torn, help: None }
}

/// Where a YAML text stands.
struct Kind {
    /// What it is called in messages.
    name: &'static str,
    help_if_empty: &'static str,
    /// Whether a second document is a fault: front matter ends at its first one.
    has_one_document: bool,
}

static FRONT_MATTER: Kind = Kind {
    name: "front matter",
    help_if_empty: "write `key: value` lines between the `---` lines, or remove them",
    has_one_document: false,
};

static FILE: Kind =
    Kind { name: "file", help_if_empty: "write `key: value` lines", has_one_document: true };

/// Returns the span of a file without its byte order mark.
fn file_span(text: &str) -> Span {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    Span::new(text.len() - body.len(), text.len())
}

/// Returns the span between the first two `---` lines, if the file begins with one.
fn front_matter_span(text: &str) -> Result<Option<Span>, SyntaxFault> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut at = text.len() - body.len();
    let mut start = None;
    for line in body.split_inclusive('\n') {
        let fence = line.trim_end() == "---";
        match start {
            None if fence => start = Some(at + line.len()),
            None => return Ok(None),
            Some(start) if fence => return Ok(Some(Span::new(start, at))),
            Some(_) => {}
        }
        at += line.len();
    }
    match start {
        // Markdown that begins with a rule and never has another is not front matter that somebody forgot to close,
        // unless a key follows at once.
        Some(start) if text.get(start..).is_some_and(begins_with_key) => Err(SyntaxFault::new(
            FaultKind::Broken,
            Span::new(start.saturating_sub(4), start),
            "the front matter is not closed",
        )
        .with_help("end it with a line `---`")),
        _ => Ok(None),
    }
}

fn begins_with_key(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    line.split_once(':').is_some_and(|(key, _)| {
        !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
    })
}

/// Byte offsets in the file of the characters of the YAML text: the scanner counts characters.
struct Offsets {
    bytes: Vec<usize>,
    end: usize,
}

impl Offsets {
    fn new(source: &str, base: usize) -> Self {
        Self {
            bytes: source.char_indices().map(|(at, _)| base + at).collect(),
            end: base + source.len(),
        }
    }

    fn byte_offset(&self, marker: &Marker) -> usize {
        self.bytes.get(marker.index()).copied().unwrap_or(self.end)
    }

    fn to_span(&self, span: &saphyr_parser::Span) -> Span {
        Span::new(self.byte_offset(&span.start), self.byte_offset(&span.end))
    }
}

/// A container that is still open.
struct Open {
    start: usize,
    anchor: usize,
    content: Content,
}

enum Content {
    Sequence(Vec<Node>),
    Mapping { entries: Vec<Entry>, key: Option<(String, Span)> },
}

/// Builds the tree from events, so that depth costs no stack and duplicate keys are kept.
struct Builder<'a> {
    offsets: &'a Offsets,
    kind: &'static Kind,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    root: Option<Node>,
}

impl<'a> Builder<'a> {
    fn new(offsets: &'a Offsets, kind: &'static Kind) -> Self {
        Self { offsets, kind, open: Vec::new(), anchors: HashMap::new(), nodes: 0, root: None }
    }

    fn build_node(mut self, source: &str) -> Result<Option<Node>, SyntaxFault> {
        self.add_all_parser_events(source)?;
        // A document of nothing but comments is one empty scalar.
        Ok(self.root.filter(|root| !root.is_null()))
    }

    fn add_all_parser_events(&mut self, source: &str) -> Result<(), SyntaxFault> {
        for event in Parser::new_from_str(source) {
            let (event, span) = event.map_err(|error| {
                let at = self.offsets.byte_offset(error.marker());
                SyntaxFault::new(FaultKind::Broken, Span::new(at, at), error.info().to_lowercase())
                    .with_help(
                        "quote values that hold `: `, ` #`, or begin with one of `[]{}*&!|>%@`",
                    )
            })?;
            let span = self.offsets.to_span(&span);
            match event {
                Event::DocumentEnd if !self.kind.has_one_document => break,
                Event::DocumentStart(_) if self.root.is_some() => {
                    return Err(broken_fault(span, "a second document begins here"));
                }
                _ => {}
            }
            self.add_parser_event(event, span)?;
        }
        Ok(())
    }

    fn add_parser_event(&mut self, event: Event<'_>, span: Span) -> Result<(), SyntaxFault> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let tag = tag.as_deref();
                self.attach_node(Node { span, value: scalar_value(&text, style, tag) }, anchor)
            }
            Event::SequenceStart(anchor, _) => {
                self.open_container(span, anchor, Content::Sequence(Vec::new()))
            }
            Event::MappingStart(anchor, _) => self.open_container(
                span,
                anchor,
                Content::Mapping { entries: Vec::new(), key: None },
            ),
            Event::SequenceEnd | Event::MappingEnd => self.close_container(span).map(drop),
            Event::Alias(anchor) => {
                // An alias inside its own anchor has nothing to stand for yet.
                let Some(node) = self.anchors.get(&anchor) else {
                    return Err(broken_fault(span, "an alias that stands for itself"));
                };
                self.nodes += count_nodes(node);
                self.check_node_limit(span)?;
                let node = self.anchors.get(&anchor).cloned();
                node.map_or(Ok(()), |node| self.attach_node(Node { span, ..node }, 0))
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
        }
    }

    fn open_container(
        &mut self,
        span: Span,
        anchor: usize,
        content: Content,
    ) -> Result<(), SyntaxFault> {
        if self.open.len() >= MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(SyntaxFault::new(FaultKind::Limit, span, message));
        }
        self.open.push(Open { start: span.start, anchor, content });
        Ok(())
    }

    /// Closes the innermost container and returns its span.
    fn close_container(&mut self, span: Span) -> Result<Span, SyntaxFault> {
        let Some(open) = self.open.pop() else { return Ok(span) };
        let (value, last) = match open.content {
            Content::Sequence(items) => {
                let last = items.last().map(|item| item.span.end);
                (NodeValue::Array(items), last)
            }
            Content::Mapping { entries, .. } => {
                let last = entries.last().map(|entry| entry.node.span.end);
                (NodeValue::Object(entries), last)
            }
        };
        // A block ends where its last item does; a flow ends with its bracket, which is an event with a length, and may
        // have white space after it.
        let end = if span.start == span.end { last.unwrap_or(span.end) } else { span.start + 1 };
        let span = Span::new(open.start, end.max(open.start));
        self.attach_node(Node { span, value }, open.anchor).map(|()| span)
    }

    fn attach_node(&mut self, node: Node, anchor: usize) -> Result<(), SyntaxFault> {
        self.nodes += 1;
        self.check_node_limit(node.span)?;
        if anchor != 0 {
            // The copy that an alias may need is added as well, or nested anchors cost the square of the text.
            self.nodes += count_nodes(&node);
            self.check_node_limit(node.span)?;
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.root = Some(node),
            Some(Content::Sequence(items)) => items.push(node),
            Some(Content::Mapping { entries, key }) => match key.take() {
                None => *key = Some((mapping_key_text(&node)?, node.span)),
                Some((key, key_span)) => entries.push(Entry { key, key_span, node }),
            },
        }
        Ok(())
    }

    fn check_node_limit(&self, span: Span) -> Result<(), SyntaxFault> {
        if self.nodes <= MAX_NODES {
            return Ok(());
        }
        let name = self.kind.name;
        let message = format!("{name} of more than {MAX_NODES} values, aliases included");
        Err(SyntaxFault::new(FaultKind::Limit, span, message))
    }
}

fn broken_fault(span: Span, message: &str) -> SyntaxFault {
    SyntaxFault::new(FaultKind::Broken, span, message)
}

fn mapping_key_text(node: &Node) -> Result<String, SyntaxFault> {
    match &node.value {
        NodeValue::String(text) => Ok(text.clone()),
        NodeValue::Number(number) => Ok(number.to_string()),
        NodeValue::Bool(truth) => Ok(truth.to_string()),
        NodeValue::Null => Ok("null".to_owned()),
        NodeValue::Array(_) | NodeValue::Object(_) => {
            Err(broken_fault(node.span, "a key that is not a word"))
        }
    }
}

fn count_nodes(node: &Node) -> usize {
    let items = node.as_array().into_iter().flatten();
    let values = node.entries().iter().map(|entry| &entry.node);
    1 + items.chain(values).map(count_nodes).sum::<usize>()
}

/// Converts a scalar by the core schema of YAML 1.2: `yes`, `no`, `on` and `off` are strings.
fn scalar_value(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> NodeValue {
    let forced = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
    if style != ScalarStyle::Plain || forced {
        return NodeValue::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => NodeValue::Null,
        "true" | "True" | "TRUE" => NodeValue::Bool(true),
        "false" | "False" | "FALSE" => NodeValue::Bool(false),
        _ => plain_scalar_value(text),
    }
}

fn plain_scalar_value(text: &str) -> NodeValue {
    let whole = text.strip_prefix('+').unwrap_or(text);
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return NodeValue::String(text.to_owned());
    }
    let radix = [("0x", 16), ("0o", 8)]
        .iter()
        .find_map(|(prefix, radix)| i64::from_str_radix(whole.strip_prefix(prefix)?, *radix).ok());
    let number = radix.or_else(|| whole.parse::<i64>().ok()).map(serde_json::Number::from);
    let float = || {
        // Rust's own grammar takes words such as `infinity`, which the first-digit test has ruled out.
        whole.parse::<f64>().ok().and_then(serde_json::Number::from_f64)
    };
    number.or_else(float).map_or_else(|| NodeValue::String(text.to_owned()), NodeValue::Number)
}
