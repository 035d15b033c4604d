//! The tables of a broken TOML text that are whole, and of the others the lines that are. Knows no schema.

use std::collections::HashSet;

use toml_edit::Key;

use super::Saved;
use crate::syntax::{Entry, Node, NodeValue, Span, toml};

pub(super) fn salvage_toml(text: &str) -> Saved {
    let mut builder = Builder::default();
    for block in split_blocks(text) {
        builder.add_block(text, &block);
    }
    let root = Node { span: Span::new(0, text.len()), value: NodeValue::Object(builder.root) };
    let help = lost_tables_help(text, &builder.named);
    Saved { root: Some(root), lost: builder.lost, torn: builder.torn, help }
}

/// How many tables are named that are lost with a text.
const NAMED: usize = 5;

/// Returns a help text that lists the tables with an unreadable header or unreadable lines.
fn lost_tables_help(text: &str, headers: &[Span]) -> Option<String> {
    let header = |span: &Span| {
        let line = text.get(span.start..)?.lines().next()?;
        let line = line.get(..find_outside_quotes(line, '#').unwrap_or(line.len()))?.trim();
        let at = text.get(..span.start)?.matches('\n').count() + 1;
        Some(format!("`{line}` in line {at}"))
    };
    let named: Vec<String> = headers.iter().take(NAMED).filter_map(header).collect();
    let more = match headers.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = named.join(", ");
    (!named.is_empty()).then(|| format!("mend it; lost until then: {named}{more}"))
}

/// A header and the lines under it.
#[derive(Debug)]
struct Block {
    /// Where the header begins, and the lines under it.
    start: usize,
    body: usize,
    end: usize,
    header: Header,
}

#[derive(Debug)]
enum Header {
    /// The lines before the first one.
    None,
    /// `[a.b]`.
    Table(Vec<String>),
    /// `[[a.b]]`.
    Item(Vec<String>),
    /// A line that began like one: the owner of the lines under it is unknown.
    Broken,
}

impl Header {
    fn parse_header(line: &str) -> Self {
        let end = find_outside_quotes(line, '#').unwrap_or(line.len());
        let line = line.get(..end).unwrap_or_default().trim();
        let inner = line.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
        let single = || line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let keys = |text: &str| {
            let keys = Key::parse(text).ok()?;
            Some(keys.iter().map(|key| key.get().to_owned()).collect())
        };
        match (inner.and_then(keys), single().and_then(keys)) {
            (Some(path), _) => Self::Item(path),
            (None, Some(path)) => Self::Table(path),
            (None, None) => Self::Broken,
        }
    }
}

/// Splits a text at its headers.
fn split_blocks(text: &str) -> Vec<Block> {
    let mut found = vec![Block { start: 0, body: 0, end: text.len(), header: Header::None }];
    let mut at = 0;
    let (mut quotes, mut depth) = (Quotes::default(), 0_isize);
    for line in text.split_inclusive('\n') {
        let begins = !quotes.is_open() && line.trim_start().starts_with('[');
        let header = if begins { Header::parse_header(line) } else { Header::Broken };
        let is_header = begins && (depth <= 0 || !matches!(header, Header::Broken));
        // A list may go on over several lines; a new key or a header says that it ended, or should have.
        if is_header || (!quotes.is_open() && begins_with_key(line)) {
            depth = 0;
        }
        let brackets = quotes.scan_bracket_balance(line);
        if is_header {
            if let Some(last) = found.last_mut() {
                last.end = at;
            }
            let body = at + line.len();
            found.push(Block { start: at, body, end: text.len(), header });
        } else {
            depth += brackets;
        }
        at += line.len();
    }
    found
}

/// Returns true if a line begins a statement: a key and `=`.
fn begins_with_key(line: &str) -> bool {
    find_outside_quotes(line, '=')
        .and_then(|at| line.get(..at))
        .is_some_and(|key| Key::parse(key.trim()).is_ok())
}

/// Returns the position of a character in a line, outside its strings.
fn find_outside_quotes(line: &str, sign: char) -> Option<usize> {
    let (mut quote, mut escaped) = (None, false);
    for (at, c) in line.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(open), _) => {
                if c == open {
                    quote = None;
                }
            }
            (None, _) if c == sign => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (None, _) => {}
        }
    }
    None
}

/// Whether a string over several lines is open.
#[derive(Debug, Default)]
struct Quotes {
    closed_by: Option<&'static str>,
}

impl Quotes {
    const fn is_open(&self) -> bool {
        self.closed_by.is_some()
    }

    /// Scans a line and returns how many more brackets it opens than it closes.
    fn scan_bracket_balance(&mut self, line: &str) -> isize {
        let mut rest = line;
        let mut depth = 0;
        while !rest.is_empty() {
            if let Some(end) = self.closed_by {
                let Some(at) = find_unescaped(rest, end) else { return depth };
                rest = rest.get(at + end.len()..).unwrap_or_default();
                self.closed_by = None;
                continue;
            }
            let long = ["\"\"\"", "'''"].into_iter().find(|prefix| rest.starts_with(prefix));
            if let Some(long) = long {
                self.closed_by = Some(long);
                rest = rest.get(long.len()..).unwrap_or_default();
                continue;
            }
            let mut chars = rest.chars();
            let first = chars.next();
            rest = chars.as_str();
            match first {
                Some('#') => return depth,
                Some('[') => depth += 1,
                Some(']') => depth -= 1,
                Some('"') => {
                    rest = find_unescaped(rest, "\"")
                        .and_then(|n| rest.get(n + 1..))
                        .unwrap_or_default()
                }
                Some('\'') => rest = rest.split_once('\'').map_or("", |(_, rest)| rest),
                _ => {}
            }
        }
        depth
    }
}

/// Returns the position of `end` in a text. In strings with `"`, an escaped one is skipped.
fn find_unescaped(text: &str, end: &str) -> Option<usize> {
    let escapes = end.starts_with('"');
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if escapes && c == '\\' {
            escaped = true;
        } else if text.get(at..).is_some_and(|text| text.starts_with(end)) {
            return Some(at);
        }
    }
    None
}

#[derive(Default)]
struct Builder {
    root: Vec<Entry>,
    lost: Vec<Span>,
    torn: Vec<Span>,
    /// The headers of what is lost, whole or in part.
    named: Vec<Span>,
    /// The tables that had a header: a second one is a separate table.
    defined: HashSet<Vec<String>>,
}

impl Builder {
    fn add_block(&mut self, text: &str, block: &Block) {
        let body = text.get(block.body..block.end).unwrap_or_default();
        let header = Span::new(
            block.start,
            text.get(..block.body).unwrap_or_default().trim_end().len().max(block.start),
        );
        let (entries, whole) = match &block.header {
            Header::Broken => {
                self.named.push(header);
                return self.lost.push(header);
            }
            _ => self.parse_statements(body, block.body),
        };
        let (path, is_item) = match &block.header {
            Header::Table(path) => (path.as_slice(), false),
            Header::Item(path) => (path.as_slice(), true),
            Header::None | Header::Broken => return self.root.extend(entries),
        };
        if !whole {
            self.named.push(header);
            self.torn.push(header);
        }
        self.insert_table(path, is_item, header, entries);
    }

    /// Parses the readable statements of a block; the flag is true if all are readable.
    fn parse_statements(&mut self, body: &str, base: usize) -> (Vec<Entry>, bool) {
        if let Some(entries) = toml::parse_entries(body, base) {
            return (entries, true);
        }
        let (mut entries, mut whole) = (Vec::new(), true);
        for (start, statement) in split_statements(body) {
            match toml::parse_entries(statement, base + start) {
                Some(more) => entries.extend(more),
                None => {
                    whole = false;
                    let blank = statement.len() - statement.trim_start().len();
                    let at = base + start + blank;
                    self.lost.push(Span::new(at, at));
                }
            }
        }
        (entries, whole)
    }

    /// Inserts a table at the path of its header. A repeated table becomes a sibling of the same
    /// name, but a top-level table is extended instead.
    fn insert_table(&mut self, path: &[String], is_item: bool, span: Span, entries: Vec<Entry>) {
        let again = !is_item && path.len() > 1 && !self.defined.insert(path.to_vec());
        if is_item || again {
            self.defined.retain(|table_path| {
                table_path.len() <= path.len() || !table_path.starts_with(path)
            });
        }
        let mut level = &mut self.root;
        let Some((last, parents)) = path.split_last() else { return };
        for key in parents {
            let known =
                level.iter().rposition(|entry| entry.key == *key && can_hold_tables(&entry.node));
            let at = known.unwrap_or_else(|| {
                level.push(table_entry(key, span, Vec::new()));
                level.len() - 1
            });
            let Some(entry) = level.get_mut(at) else { return };
            let Some(next) = table_entries_mut(&mut entry.node) else { return };
            level = next;
        }
        let known = level.iter().rposition(|entry| entry.key == *last).filter(|_| !again);
        match known.and_then(|at| level.get_mut(at)).map(|entry| (&mut entry.node.value, is_item)) {
            Some((NodeValue::Array(items), true)) => {
                items.push(Node { span, value: NodeValue::Object(entries) });
            }
            Some((NodeValue::Object(there), false)) => there.extend(entries),
            _ if is_item => {
                let item = Node { span, value: NodeValue::Object(entries) };
                let node = Node { span, value: NodeValue::Array(vec![item]) };
                level.push(Entry { key: last.clone(), key_span: span, node });
            }
            _ => level.push(table_entry(last, span, entries)),
        }
    }
}

fn table_entry(key: &str, span: Span, entries: Vec<Entry>) -> Entry {
    let node = Node { span, value: NodeValue::Object(entries) };
    Entry { key: key.to_owned(), key_span: span, node }
}

fn can_hold_tables(node: &Node) -> bool {
    match &node.value {
        NodeValue::Object(_) => true,
        NodeValue::Array(items) => items.last().is_some_and(|node| node.as_object().is_some()),
        _ => false,
    }
}

/// Returns the entries of a table, or of the last table in a list.
fn table_entries_mut(node: &mut Node) -> Option<&mut Vec<Entry>> {
    match &mut node.value {
        NodeValue::Object(entries) => Some(entries),
        NodeValue::Array(items) => match &mut items.last_mut()?.value {
            NodeValue::Object(entries) => Some(entries),
            _ => None,
        },
        _ => None,
    }
}

/// Splits a block into statements, each with its offset: a line with a key and the lines that
/// continue it.
fn split_statements(body: &str) -> Vec<(usize, &str)> {
    let mut starts = vec![0];
    let mut quotes = Quotes::default();
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        // A line that is neither blank nor a key goes on from the line before, and costs it what it cannot be.
        if !quotes.is_open() && at > 0 && begins_with_key(line) {
            starts.push(at);
        }
        quotes.scan_bracket_balance(line);
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([body.len()]);
    let cuts = starts.iter().copied().zip(ends);
    cuts.filter_map(|(start, end)| Some((start, body.get(start..end)?))).collect()
}
