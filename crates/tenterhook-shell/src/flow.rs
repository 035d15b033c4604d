//! Tracks where each part of a line reads and writes, and what the commands of a substitution
//! print.
//!
//! Passes on the texts that `stream` stores; reads no words (S-67).

use std::sync::Arc;

use tree_sitter::Node;

use super::parse::node_kind;
use super::read::{Code, Item, Reader};
use super::stream::{Flow, Stream, Streams};
use super::windows::Language;
use super::{Redirect, Target};

impl Reader<'_> {
    /// Returns the standard input of a command according to its redirections, and whether part of
    /// it is not on the line.
    pub(super) fn command_input(
        &mut self,
        code: &Code<'_>,
        redirects: &[Redirect],
        flow: Flow,
    ) -> (Option<Arc<str>>, bool) {
        match self.process_substitution_input(code, redirects) {
            Some(mut stream) => stream.shared_text_and_gaps(),
            None => self.streams.command_input(redirects, flow),
        }
    }

    /// Returns the standard input of a group according to its redirections.
    pub(super) fn group_input(&mut self, code: &Code<'_>, redirects: &[Redirect]) -> Option<usize> {
        match self.process_substitution_input(code, redirects) {
            Some(stream) => self.streams.add_stream_with_text(&stream.text, stream.lacks),
            None => self.streams.group_input(redirects),
        }
    }

    /// Returns the input that a process substitution prints: `< <(echo x)`.
    fn process_substitution_input(
        &mut self,
        code: &Code<'_>,
        redirects: &[Redirect],
    ) -> Option<Stream> {
        let source = redirects.iter().rev().find_map(|redirect| match &redirect.target {
            Target::Word(word) if redirect.operator == "<" => {
                process_substitution_code(&word.source)
            }
            Target::Word(_) | Target::HereDocument { .. } | Target::Closed => None,
        })?;
        self.substitution_output(code, source)
    }

    /// Returns the output of a substitution's commands, which are read only for that.
    pub(super) fn substitution_output(&mut self, code: &Code<'_>, text: &str) -> Option<Stream> {
        if std::mem::replace(&mut self.is_printing, true) {
            // Reading a nest again at each level would double the cost with each level.
            return None;
        }
        let output = self.streams.add_empty_stream();
        let (commands, doubt) = (std::mem::take(&mut self.commands), self.doubt.take());
        let constructs = self.constructs.len();
        let loops = self.loops.len();
        let (functions, redirects) = (self.functions.len(), self.redirects.len());
        let flow = Flow { input: None, output };
        let language = Language::Posix;
        self.read_code(&Code { text, language, depth: code.depth + 1, flow, ..*code });
        self.commands = commands;
        self.doubt = doubt;
        self.constructs.truncate(constructs);
        self.loops.truncate(loops);
        self.functions.truncate(functions);
        self.redirects.truncate(redirects);
        self.is_printing = false;
        self.streams.get_stream(output?).cloned()
    }
}

/// Returns the commands in `<(...)`.
pub(super) fn process_substitution_code(source: &str) -> Option<&str> {
    source.strip_prefix("<(")?.strip_suffix(')')
}

/// Node kinds whose parts read and write where the whole does.
const GROUPS: &[&str] = &[
    "program",
    "list",
    "subshell",
    "compound_statement",
    "if_statement",
    "elif_clause",
    "else_clause",
    "for_statement",
    "c_style_for_statement",
    "while_statement",
    "do_group",
    "case_statement",
    "case_item",
    "negated_command",
];

/// Where the parts of a node read and write, in order: each part of a pipeline reads the output of
/// the part before it.
pub(super) struct Flows {
    whole: Flow,
    input: Option<usize>,
    /// How many parts of a pipeline are left.
    parts: usize,
}

impl Flows {
    pub(super) fn new(item: Item<'_>) -> Self {
        let own = node_kind(item.node);
        let flow =
            if GROUPS.contains(&own) || own == "pipeline" { item.flow } else { Flow::default() };
        let parts = if own == "pipeline" { item.node.named_child_count() } else { 0 };
        Self { whole: flow, input: flow.input, parts }
    }

    pub(super) fn flow_of_next_child(&mut self, streams: &mut Streams, child: Node<'_>) -> Flow {
        if self.parts == 0 || !child.is_named() {
            return self.whole;
        }
        self.parts -= 1;
        if self.parts > 0 {
            let output = streams.add_empty_stream();
            return Flow { input: std::mem::replace(&mut self.input, output), output };
        }
        // `a | sh <<E`: the here-document belongs to the last part.
        let here = self.whole.input.filter(|at| streams.is_group_here_document(*at));
        Flow { input: here.or(self.input), output: self.whole.output }
    }
}
