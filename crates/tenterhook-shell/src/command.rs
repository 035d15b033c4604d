//! Builds one simple command: its words, assignments and redirections.
//!
//! Queues the nodes that may hold more commands; does not walk them. `redirect` reads redirections,
//! and `behind` follows wrappers.

use std::ops::Range;
use std::sync::Arc;

use tree_sitter::Node;

use super::behind::follow;
use super::parse::kind;
use super::read::{Code, Item, Reader, children, slice, without_continuations};
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
    pub(super) fn source(&self, range: &Range<usize>) -> &'c str {
        slice(self.code.text, range)
    }

    /// Queues a node that does not read and write where the command does.
    pub(super) fn later(&mut self, node: Node<'t>) {
        self.later_in(node, Flow::default());
    }

    pub(super) fn later_in(&mut self, node: Node<'t>, flow: Flow) {
        self.next.push(Item { node, nest: self.item.nest + 1, flow, ..self.item });
    }

    /// A simple command with these children, and the redirections after it.
    pub(super) fn simple(&mut self, nodes: &[Node<'t>], redirects: &[Node<'t>]) {
        let mut parts = Parts::default();
        let mut end = None;
        for node in nodes {
            if let Some(end) = end {
                self.reader.check_gap(self.code, &(end..node.start_byte()));
            }
            end = Some(node.end_byte());
            match kind(*node) {
                "variable_assignment" if parts.pieces.is_empty() => {
                    let assignment = self.assignment(*node);
                    parts.assignments.push(assignment);
                }
                "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    self.redirect(*node, &mut parts);
                }
                "comment" | "ERROR" | "subshell" => self.later(*node),
                _ => parts.pieces.push(*node),
            }
        }
        if let (Some(end), Some(first)) = (end, redirects.first()) {
            // The grammar drops a dash before a descriptor: `x - 2>&1` (S-24).
            let gap = end..first.start_byte();
            if self.source(&gap).trim() == "-" {
                parts.dash = true;
            } else {
                self.reader.check_gap(self.code, &gap);
            }
        }
        for redirect in redirects {
            self.redirect(*redirect, &mut parts);
        }
        self.finish(parts);
    }

    /// A statement with redirections. Those of a simple command belong to it.
    pub(super) fn redirected(&mut self, statement: Node<'t>) {
        let mut redirects: Vec<Node<'t>> = Vec::new();
        let mut body = Some(statement);
        while let Some(node) = body.filter(|node| kind(*node) == "redirected_statement") {
            body = None;
            let mut own = Vec::new();
            for child in children(node) {
                match kind(child) {
                    "file_redirect" | "heredoc_redirect" | "herestring_redirect" => own.push(child),
                    "comment" | "ERROR" => self.later(child),
                    _ => body = Some(child),
                }
            }
            own.append(&mut redirects);
            redirects = own;
        }
        match body {
            Some(node) if SIMPLE.contains(&kind(node)) => self.simple(&children(node), &redirects),
            None => self.simple(&[], &redirects),
            Some(node) => {
                let queued = self.next.len();
                self.later_in(node, self.item.flow);
                if let Some(first) = redirects.first() {
                    self.reader.check_gap(self.code, &(node.end_byte()..first.start_byte()));
                }
                let mut parts = Parts::default();
                for redirect in redirects {
                    self.redirect(redirect, &mut parts);
                }
                if let Some(group) = self.next.get_mut(queued) {
                    let input = self.reader.input_of_group(self.code, &parts.redirects);
                    group.flow.input = input.or(group.flow.input);
                    if let Some(output) = self.reader.streams.written(&parts.redirects) {
                        group.flow.output = output;
                    }
                }
                self.reader.redirects.append(&mut parts.redirects);
                // Words after a redirection belong to a command, but this statement has none.
                if let Some(word) = parts.pieces.first() {
                    self.reader.syntax(self.code, word.start_byte());
                }
            }
        }
    }

    /// `[ ... ]` is a program with arguments; `[[ ]]` is not, so only the substitutions in it run.
    pub(super) fn test(&mut self, test: Node<'t>) {
        let mut parts = Parts::default();
        let mut stack = vec![test];
        while let Some(node) = stack.pop() {
            match kind(node) {
                kind if TEST_PARTS.contains(&kind) => {
                    stack.extend(children(node).into_iter().rev())
                }
                "redirected_statement" | "ERROR" => self.later(node),
                _ => parts.pieces.push(node),
            }
        }
        let first = self.next.len();
        let context = self.item.context;
        self.finish(parts);
        for item in self.next.iter_mut().skip(first) {
            item.context = Context::Test;
        }
        self.item.context = context;
    }

    /// A redirection without a command.
    pub(super) fn stray(&mut self, redirect: Node<'t>) {
        let mut parts = Parts::default();
        self.redirect(redirect, &mut parts);
        self.reader.redirects.append(&mut parts.redirects);
    }

    /// Assignments without a command.
    pub(super) fn alone(&mut self, nodes: &[Node<'t>]) {
        let assignments = nodes.iter().map(|node| self.assignment(*node)).collect();
        self.finish(Parts { assignments, ..Parts::default() });
    }

    /// `for NAME in WORDS`: its parts are visited like those of every group.
    pub(super) fn looped(&mut self) {
        let node = self.item.node;
        let Some(variable) = node.child_by_field_name("variable") else { return };
        let variable = self.source(&variable.byte_range()).to_owned();
        let words: Vec<Node<'t>> = node.children_by_field_name("value", &mut node.walk()).collect();
        let mut words: Vec<Word> =
            words.iter().map(|word| self.word(&word.byte_range(), &[*word])).collect();
        if words.is_empty() {
            // `for x; do`
            words.push(Word::unknown("$@"));
        }
        self.reader.loops.push(Loop { variable, words });
    }

    fn assignment(&mut self, node: Node<'t>) -> Assignment {
        let whole = node.byte_range();
        let mut name = whole.start..whole.end;
        let mut value = whole.end..whole.end;
        for child in children(node) {
            self.later(child);
            if matches!(kind(child), "=" | "+=") && value.start == whole.end {
                name.end = child.start_byte();
                value.start = child.end_byte();
            }
        }
        let name = self.source(&name).to_owned();
        Assignment { name, value: self.word(&value, &[node]) }
    }

    /// Sorts pieces into words: pieces that touch are one word (`$"a"`, `git pu\<newline>sh`).
    pub(super) fn groups(&self, pieces: &[Node<'t>]) -> Vec<Vec<Node<'t>>> {
        let mut groups: Vec<Vec<Node<'t>>> = Vec::new();
        for piece in pieces {
            let last = groups.last_mut();
            let touches = last.as_ref().and_then(|group| group.last()).is_some_and(|before| {
                let gap = self.source(&(before.end_byte()..piece.start_byte()));
                before.end_byte() <= piece.start_byte() && without_continuations(gap).is_empty()
            });
            match last {
                Some(group) if touches => group.push(*piece),
                _ => groups.push(vec![*piece]),
            }
        }
        groups
    }

    pub(super) fn group_word(&mut self, group: &[Node<'t>]) -> Word {
        for piece in group {
            if kind(*piece) == "variable_assignment" {
                // As a whole, it would be visited as a separate statement.
                children(*piece).into_iter().for_each(|child| self.later(child));
            } else {
                self.later(*piece);
            }
        }
        match (group.first(), group.last()) {
            (Some(first), Some(last)) => self.word(&(first.start_byte()..last.end_byte()), group),
            _ => Word::literal(""),
        }
    }

    /// Reads one word. One that contradicts its quotes is unknown, and a doubt (S-24).
    fn word(&mut self, range: &Range<usize>, nodes: &[Node<'t>]) -> Word {
        let source = self.source(range);
        // In a nest, the text of each level contains all levels below it.
        if !self.reader.pay(self.code, 1 + source.len() / 16) {
            return Word::unknown("");
        }
        let (holes, is_array) = holes(range, nodes);
        if is_array {
            return Word::unknown(source);
        }
        word::read(source, &holes).unwrap_or_else(|| {
            self.reader.syntax(self.code, range.start);
            Word::unknown(source)
        })
    }

    fn finish(&mut self, parts: Parts<'t>) {
        let groups = self.groups(&parts.pieces);
        let mut words: Vec<Word> = groups.iter().map(|group| self.group_word(group)).collect();
        self.strip_reserved(&mut words);
        let Parts { assignments, redirects, dash, .. } = parts;
        words.extend(dash.then(|| Word::literal("-")));
        if words.is_empty() && assignments.is_empty() && redirects.is_empty() {
            return;
        }
        let flow = self.item.flow;
        let (input, input_lacks) = self.reader.input(self.code, &redirects, flow);
        let output = self.reader.streams.written(&redirects).unwrap_or(flow.output);
        let command = SimpleCommand {
            words: words.into(),
            assignments: assignments.into(),
            redirects: redirects.into(),
            context: self.item.context,
            via: Arc::clone(self.code.via),
            input,
            input_lacks,
        };
        follow(self.reader, self.code, command, output);
    }

    /// Removes reserved words that the grammar read as a program.
    fn strip_reserved(&mut self, words: &mut Vec<Word>) {
        let leading = words.iter().take_while(|word| is_leading(word)).count();
        for word in words.drain(..leading) {
            if word.text == "{" {
                self.reader.construct(self.code, Construct::BraceGroup);
            }
        }
        if words.first().is_some_and(|word| is_reserved(word, CLOSING)) {
            words.remove(0);
        }
    }
}

/// Whether a word is one after which a command starts.
pub(super) fn is_leading(word: &Word) -> bool {
    is_reserved(word, LEADING)
}

/// Whether the shell would read an unquoted word as one of these reserved words.
fn is_reserved(word: &Word, reserved: &[&str]) -> bool {
    word.source == word.text && reserved.contains(&word.text.as_str())
}

/// The outermost expansions in some nodes, as ranges of the word, and whether the nodes contain an
/// array.
fn holes(range: &Range<usize>, nodes: &[Node<'_>]) -> (Vec<Range<usize>>, bool) {
    let mut found = Vec::new();
    let mut is_array = false;
    let mut stack = nodes.to_vec();
    while let Some(node) = stack.pop() {
        let inside = node.start_byte() >= range.start && node.end_byte() <= range.end;
        match kind(node) {
            kind if HOLES.contains(&kind) && inside => {
                found.push(node.start_byte() - range.start..node.end_byte() - range.start);
            }
            "array" | "subscript" => is_array = true,
            _ => stack.extend(children(node)),
        }
    }
    found.sort_by_key(|hole| hole.start);
    (found, is_array)
}
