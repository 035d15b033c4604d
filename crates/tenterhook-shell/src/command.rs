//! Builds one simple command: its words, assignments and redirections.
//!
//! Queues the nodes that may hold more commands; does not walk them. `redirect` reads redirections,
//! and `behind` follows wrappers.

use std::ops::Range;
use std::sync::Arc;

use tree_sitter::Node;

use super::behind::record_command_and_wrapped;
use super::parse::node_kind;
use super::read::{Code, Item, Reader, child_nodes, remove_line_continuations, text_in_range};
use super::stream::Flow;
use super::word::{self, Word};
use super::{Assignment, Construct, Context, Loop, Redirect, SimpleCommand};

/// Node kinds of unknown parts of a word.
const HOLES: &[&str] = &[
    "command_substitution",
    "process_substitution",
    "simple_expansion",
    "expansion",
    "arithmetic_expansion",
];

/// Node kinds that are parts of a test, not words of it.
const TEST_PARTS: &[&str] = &[
    "test_command",
    "unary_expression",
    "binary_expression",
    "postfix_expression",
    "parenthesized_expression",
    "ternary_expression",
];

/// Node kinds that are simple commands.
pub(super) const SIMPLE: &[&str] = &["command", "declaration_command", "unset_command"];

/// Words after which a command starts, if the grammar read them as a program (`! { git x; }`).
const LEADING: &[&str] = &["!", "{", "then", "do", "else", "elif", "if", "while", "until"];
/// Words that end a compound command, likewise.
const CLOSING: &[&str] = &["}", "done", "fi", "esac"];

/// Builds the commands of one node.
pub(super) struct Builder<'r, 's, 'c, 't> {
    pub(super) reader: &'r mut Reader<'s>,
    pub(super) code: &'c Code<'c>,
    pub(super) item: Item<'t>,
    /// Nodes to visit next, in order.
    pub(super) next: &'r mut Vec<Item<'t>>,
    /// Backtick substitutions in here-documents: read after the command that they feed, as written.
    pub(super) backticks: Vec<&'c str>,
}

/// The parts of a command as they are collected.
#[derive(Default)]
pub(super) struct Parts<'t> {
    pub(super) pieces: Vec<Node<'t>>,
    assignments: Vec<Assignment>,
    pub(super) redirects: Vec<Redirect>,
    /// Whether a dash follows the words, which the grammar drops.
    pub(super) dash: bool,
}

impl<'c, 't> Builder<'_, '_, 'c, 't> {
    pub(super) fn source_in_range(&self, range: &Range<usize>) -> &'c str {
        text_in_range(self.code.text, range)
    }

    /// Queues a node that does not share the command's input and output.
    pub(super) fn queue_node(&mut self, node: Node<'t>) {
        self.queue_node_with_flow(node, Flow::default());
    }

    pub(super) fn queue_node_with_flow(&mut self, node: Node<'t>, flow: Flow) {
        self.next.push(Item { node, nest: self.item.nest + 1, flow, ..self.item });
    }

    /// Records a simple command with these children and the redirections after it.
    pub(super) fn record_simple_command(&mut self, nodes: &[Node<'t>], redirects: &[Node<'t>]) {
        let mut parts = Parts::default();
        let mut end = None;
        for node in nodes {
            if let Some(end) = end {
                self.reader.doubt_unless_gap_is_blank(self.code, &(end..node.start_byte()));
            }
            end = Some(node.end_byte());
            match node_kind(*node) {
                "variable_assignment" if parts.pieces.is_empty() => {
                    let assignment = self.read_assignment(*node);
                    parts.assignments.push(assignment);
                }
                "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    self.read_redirect(*node, &mut parts);
                }
                "comment" | "ERROR" | "subshell" => self.queue_node(*node),
                _ => parts.pieces.push(*node),
            }
        }
        if let (Some(end), Some(first)) = (end, redirects.first()) {
            // The grammar drops a dash before a descriptor: `x - 2>&1` (S-24).
            let gap = end..first.start_byte();
            if self.source_in_range(&gap).trim() == "-" {
                parts.dash = true;
            } else {
                self.reader.doubt_unless_gap_is_blank(self.code, &gap);
            }
        }
        for redirect in redirects {
            self.read_redirect(*redirect, &mut parts);
        }
        self.record_command(parts);
    }

    /// Records a statement with redirections. Those of a simple command belong to that command.
    pub(super) fn record_redirected_statement(&mut self, statement: Node<'t>) {
        let mut redirects: Vec<Node<'t>> = Vec::new();
        let mut body = Some(statement);
        while let Some(node) = body.filter(|node| node_kind(*node) == "redirected_statement") {
            body = None;
            let mut own = Vec::new();
            for child in child_nodes(node) {
                match node_kind(child) {
                    "file_redirect" | "heredoc_redirect" | "herestring_redirect" => own.push(child),
                    "comment" | "ERROR" => self.queue_node(child),
                    _ => body = Some(child),
                }
            }
            own.append(&mut redirects);
            redirects = own;
        }
        match body {
            Some(node) if SIMPLE.contains(&node_kind(node)) => {
                self.record_simple_command(&child_nodes(node), &redirects)
            }
            None => self.record_simple_command(&[], &redirects),
            Some(node) => {
                let queued = self.next.len();
                self.queue_node_with_flow(node, self.item.flow);
                if let Some(first) = redirects.first() {
                    self.reader.doubt_unless_gap_is_blank(
                        self.code,
                        &(node.end_byte()..first.start_byte()),
                    );
                }
                let mut parts = Parts::default();
                for redirect in redirects {
                    self.read_redirect(redirect, &mut parts);
                }
                if let Some(group) = self.next.get_mut(queued) {
                    let input = self.reader.group_input(self.code, &parts.redirects);
                    group.flow.input = input.or(group.flow.input);
                    if let Some(output) = self.reader.streams.output_target(&parts.redirects) {
                        group.flow.output = output;
                    }
                }
                self.reader.redirects.append(&mut parts.redirects);
                // Words after a redirection belong to a command, but this statement has none.
                if let Some(word) = parts.pieces.first() {
                    self.reader.record_syntax_doubt(self.code, word.start_byte());
                }
            }
        }
    }

    /// Records `[ ... ]` as a program with arguments. `[[ ]]` is no program, so only the
    /// substitutions in it run.
    pub(super) fn record_test_command(&mut self, test: Node<'t>) {
        let mut parts = Parts::default();
        let mut stack = vec![test];
        while let Some(node) = stack.pop() {
            match node_kind(node) {
                kind if TEST_PARTS.contains(&kind) => {
                    stack.extend(child_nodes(node).into_iter().rev())
                }
                "redirected_statement" | "ERROR" => self.queue_node(node),
                _ => parts.pieces.push(node),
            }
        }
        let first = self.next.len();
        let context = self.item.context;
        self.record_command(parts);
        for item in self.next.iter_mut().skip(first) {
            item.context = Context::Test;
        }
        self.item.context = context;
    }

    /// Records a redirection without a command.
    pub(super) fn record_lone_redirect(&mut self, redirect: Node<'t>) {
        let mut parts = Parts::default();
        self.read_redirect(redirect, &mut parts);
        self.reader.redirects.append(&mut parts.redirects);
    }

    /// Records assignments without a command.
    pub(super) fn record_lone_assignments(&mut self, nodes: &[Node<'t>]) {
        let assignments = nodes.iter().map(|node| self.read_assignment(*node)).collect();
        self.record_command(Parts { assignments, ..Parts::default() });
    }

    /// Records the variable and the words of `for NAME in WORDS`. Its parts are visited like those
    /// of every group.
    pub(super) fn record_for_loop(&mut self) {
        let node = self.item.node;
        let Some(variable) = node.child_by_field_name("variable") else { return };
        let variable = self.source_in_range(&variable.byte_range()).to_owned();
        let words: Vec<Node<'t>> = node.children_by_field_name("value", &mut node.walk()).collect();
        let mut words: Vec<Word> =
            words.iter().map(|word| self.read_word(&word.byte_range(), &[*word])).collect();
        if words.is_empty() {
            // `for x; do`
            words.push(Word::unknown("$@"));
        }
        self.reader.loops.push(Loop { variable, words });
    }

    fn read_assignment(&mut self, node: Node<'t>) -> Assignment {
        let whole = node.byte_range();
        let mut name = whole.start..whole.end;
        let mut value = whole.end..whole.end;
        for child in child_nodes(node) {
            self.queue_node(child);
            if matches!(node_kind(child), "=" | "+=") && value.start == whole.end {
                name.end = child.start_byte();
                value.start = child.end_byte();
            }
        }
        let name = self.source_in_range(&name).to_owned();
        Assignment { name, value: self.read_word(&value, &[node]) }
    }

    /// Groups pieces into words: pieces that touch are one word (`$"a"`, `git pu\<newline>sh`).
    pub(super) fn group_touching_pieces(&self, pieces: &[Node<'t>]) -> Vec<Vec<Node<'t>>> {
        let mut groups: Vec<Vec<Node<'t>>> = Vec::new();
        for piece in pieces {
            let last = groups.last_mut();
            let touches = last.as_ref().and_then(|group| group.last()).is_some_and(|before| {
                let gap = self.source_in_range(&(before.end_byte()..piece.start_byte()));
                before.end_byte() <= piece.start_byte() && remove_line_continuations(gap).is_empty()
            });
            match last {
                Some(group) if touches => group.push(*piece),
                _ => groups.push(vec![*piece]),
            }
        }
        groups
    }

    pub(super) fn read_group_as_word(&mut self, group: &[Node<'t>]) -> Word {
        for piece in group {
            if node_kind(*piece) == "variable_assignment" {
                // As a whole, it would be visited as a separate statement.
                child_nodes(*piece).into_iter().for_each(|child| self.queue_node(child));
            } else {
                self.queue_node(*piece);
            }
        }
        match (group.first(), group.last()) {
            (Some(first), Some(last)) => {
                self.read_word(&(first.start_byte()..last.end_byte()), group)
            }
            _ => Word::literal(""),
        }
    }

    /// Reads one word. A word that contradicts its quotes is unknown and recorded as a doubt
    /// (S-24).
    fn read_word(&mut self, range: &Range<usize>, nodes: &[Node<'t>]) -> Word {
        let source = self.source_in_range(range);
        // In a nest, the text of each level contains all levels below it.
        if !self.reader.spend_steps(self.code, 1 + source.len() / 16) {
            return Word::unknown("");
        }
        let (holes, is_array) = outermost_expansions(range, nodes);
        if is_array {
            return Word::unknown(source);
        }
        word::parse_word(source, &holes).unwrap_or_else(|| {
            self.reader.record_syntax_doubt(self.code, range.start);
            Word::unknown(source)
        })
    }

    fn record_command(&mut self, parts: Parts<'t>) {
        let groups = self.group_touching_pieces(&parts.pieces);
        let mut words: Vec<Word> =
            groups.iter().map(|group| self.read_group_as_word(group)).collect();
        self.remove_reserved_words(&mut words);
        let Parts { assignments, redirects, dash, .. } = parts;
        words.extend(dash.then(|| Word::literal("-")));
        if words.is_empty() && assignments.is_empty() && redirects.is_empty() {
            return;
        }
        let flow = self.item.flow;
        let (input, input_lacks) = self.reader.command_input(self.code, &redirects, flow);
        let output = self.reader.streams.output_target(&redirects).unwrap_or(flow.output);
        let command = SimpleCommand {
            words: words.into(),
            assignments: assignments.into(),
            redirects: redirects.into(),
            context: self.item.context,
            via: Arc::clone(self.code.via),
            input,
            input_lacks,
        };
        record_command_and_wrapped(self.reader, self.code, command, output);
    }

    /// Removes reserved words that the grammar read as a program.
    fn remove_reserved_words(&mut self, words: &mut Vec<Word>) {
        let leading = words.iter().take_while(|word| is_word_before_command(word)).count();
        for word in words.drain(..leading) {
            if word.text == "{" {
                self.reader.record_construct(self.code, Construct::BraceGroup);
            }
        }
        if words.first().is_some_and(|word| is_reserved_word(word, CLOSING)) {
            words.remove(0);
        }
    }
}

/// Returns whether a command starts after this word.
pub(super) fn is_word_before_command(word: &Word) -> bool {
    is_reserved_word(word, LEADING)
}

/// Returns whether the shell would read an unquoted word as one of these reserved words.
fn is_reserved_word(word: &Word, reserved: &[&str]) -> bool {
    word.source == word.text && reserved.contains(&word.text.as_str())
}

/// Returns the outermost expansions in some nodes, as ranges of the word, and whether the nodes
/// contain an array.
fn outermost_expansions(range: &Range<usize>, nodes: &[Node<'_>]) -> (Vec<Range<usize>>, bool) {
    let mut found = Vec::new();
    let mut is_array = false;
    let mut stack = nodes.to_vec();
    while let Some(node) = stack.pop() {
        let inside = node.start_byte() >= range.start && node.end_byte() <= range.end;
        match node_kind(node) {
            kind if HOLES.contains(&kind) && inside => {
                found.push(node.start_byte() - range.start..node.end_byte() - range.start);
            }
            "array" | "subscript" => is_array = true,
            _ => stack.extend(child_nodes(node)),
        }
    }
    found.sort_by_key(|hole| hole.start);
    (found, is_array)
}
