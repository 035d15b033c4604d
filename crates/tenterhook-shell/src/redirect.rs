//! Reads redirections and here-documents.
//!
//! Adds to the parts of a command; queues the nodes that may hold more commands, and does not walk
//! them.

use tree_sitter::Node;

use super::backtick::find_substitution;
use super::command::{Builder, Parts, SIMPLE};
use super::parse::node_kind;
use super::read::child_nodes;
use super::stream::Flow;
use super::{Construct, Context, Expands, Redirect, Target, word};

impl<'t> Builder<'_, '_, '_, 't> {
    /// Reads a redirection, and the words that the grammar includes in it by mistake.
    pub(super) fn read_redirect(&mut self, node: Node<'t>, parts: &mut Parts<'t>) {
        if node_kind(node) == "heredoc_redirect" {
            return self.read_here_document(node, parts);
        }
        let mut operator = String::new();
        let mut descriptor = None;
        let mut words = Vec::new();
        for child in child_nodes(node) {
            match node_kind(child) {
                "file_descriptor" => {
                    let written = self.source_in_range(&child.byte_range());
                    let number = written.trim_start_matches('-').trim();
                    parts.dash |= written.starts_with('-');
                    descriptor = Some(number.to_owned());
                }
                "ERROR" => self.queue_node(child),
                _ if operator.is_empty() => {
                    self.source_in_range(&child.byte_range()).clone_into(&mut operator)
                }
                _ => words.push(child),
            }
        }
        // The grammar gives a redirection all words after it; Bash gives it one, and the rest to
        // the command.
        let mut groups = self.group_touching_pieces(&words).into_iter();
        let target = match groups.next() {
            Some(group) => Target::Word(self.read_group_as_word(&group)),
            None => Target::Closed,
        };
        parts.pieces.extend(groups.flatten());
        parts.redirects.push(Redirect { operator, descriptor, target });
    }

    fn read_here_document(&mut self, node: Node<'t>, parts: &mut Parts<'t>) {
        self.reader.record_construct(self.code, Construct::HereDocument);
        let (mut start, mut body, mut end) = (None, None, None);
        let mut operator = "";
        let mut descriptor = None;
        for child in child_nodes(node) {
            match node_kind(child) {
                "<<" | "<<-" => operator = self.source_in_range(&child.byte_range()),
                "file_descriptor" => {
                    descriptor = Some(self.source_in_range(&child.byte_range()).to_owned())
                }
                "heredoc_start" => start = Some(child),
                "heredoc_body" => body = Some(child),
                "heredoc_end" => end = Some(child),
                "file_redirect" | "herestring_redirect" => self.read_redirect(child, parts),
                // `cat <<EOF | sh`: the command feeds the next one.
                "pipeline" => {
                    self.item.context = Context::Pipeline;
                    let piped = self.reader.streams.add_empty_stream();
                    let output = std::mem::replace(&mut self.item.flow.output, piped);
                    self.queue_node_with_flow(child, Flow { input: piped, output });
                }
                "ERROR" | "comment" | "&&" | "||" | "|" | "|&" => self.queue_node(child),
                kind if kind == "list"
                    || SIMPLE.contains(&kind)
                    || kind.ends_with("_statement") =>
                {
                    self.queue_node_with_flow(child, self.item.flow);
                }
                _ if body.is_some() => self.queue_node(child),
                _ => parts.pieces.push(child),
            }
        }
        let (Some(start), Some(body)) = (start, body) else {
            return self.reader.record_syntax_doubt(self.code, node.start_byte());
        };
        let written = self.source_in_range(&start.byte_range());
        let delimiter = word::parse_word(written, &[]).map(|word| word.text).unwrap_or_default();
        let text = self.source_in_range(&body.byte_range());
        let ending = end.map(|end| self.source_in_range(&end.byte_range()));
        if !ends_at_delimiter(text, ending, &delimiter, operator) {
            self.reader.record_syntax_doubt(self.code, node.start_byte());
        }
        let expands = if written.contains(['\'', '"', '\\']) { Expands::No } else { Expands::Yes };
        if expands == Expands::Yes {
            self.read_here_document_body(body);
        }
        let target = Target::HereDocument { body: text.to_owned(), expands };
        parts.redirects.push(Redirect { operator: operator.to_owned(), descriptor, target });
    }

    /// Reads the backtick substitutions that were queued.
    pub(super) fn read_queued_backticks(&mut self) {
        for inner in std::mem::take(&mut self.backticks) {
            self.reader.read_backticks(self.code, inner);
        }
    }

    /// Reads the body of a here-document that the shell expands. The grammar finds `$( )` in it,
    /// but no backticks.
    fn read_here_document_body(&mut self, body: Node<'t>) {
        let mut at = body.start_byte();
        let mut plain = String::new();
        for child in child_nodes(body) {
            if node_kind(child) == "heredoc_content" {
                continue;
            }
            plain.push_str(self.source_in_range(&(at..child.start_byte())));
            plain.push_str(&"\u{1}".repeat(child.end_byte() - child.start_byte()));
            at = child.end_byte();
            self.queue_node(child);
        }
        plain.push_str(self.source_in_range(&(at..body.end_byte())));
        let whole = self.source_in_range(&body.byte_range());
        let mut from = 0;
        while let Some(found) = plain.get(from..).and_then(find_substitution) {
            let open = from + found + 1;
            let rest = whole.get(open..).unwrap_or_default();
            let close = plain
                .get(open..)
                .and_then(find_substitution)
                .filter(|_| plain.get(open - 1..open) == Some("`"));
            let Some(close) = close else {
                return self.reader.record_syntax_doubt(self.code, body.start_byte() + open);
            };
            self.backticks.push(rest.get(..close).unwrap_or_default());
            from = open + close + 1;
        }
    }
}

/// Returns whether a here-document ends at the first line that equals its delimiter, and only
/// there.
fn ends_at_delimiter(body: &str, ending: Option<&str>, delimiter: &str, operator: &str) -> bool {
    let plain = |line: &str| {
        let line = line.trim_end_matches(['\n', '\r']);
        if operator == "<<-" { line.trim_start_matches('\t').to_owned() } else { line.to_owned() }
    };
    let ends = ending.is_some_and(|ending| plain(ending).trim_start_matches('\t') == delimiter);
    let early = body.lines().any(|line| plain(line) == delimiter && !delimiter.is_empty());
    ends && !early && !delimiter.is_empty()
}
