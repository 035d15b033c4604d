//! Where does each part of a line read and write, and what do the commands of a substitution print?
//!
//! Hands on what `stream` keeps; reads no words (S-67).

use std::sync::Arc;

use tree_sitter::Node;

use super::parse::kind;
use super::read::{Code, Item, Reader};
use super::stream::{Flow, Stream, Streams};
use super::windows::Language;
use super::{Redirect, Target};

impl Reader<'_> {
    /// What redirections put on the standard input of a command, and whether the line lacks something of it.
    pub(super) fn input(
        &mut self,
        code: &Code<'_>,
        redirects: &[Redirect],
        flow: Flow,
    ) -> (Option<Arc<str>>, bool) {
        match self.substituted(code, redirects) {
            Some(mut stream) => stream.share(),
            None => self.streams.input(redirects, flow),
        }
    }

    /// The same for a group.
    pub(super) fn input_of_group(
        &mut self,
        code: &Code<'_>,
        redirects: &[Redirect],
    ) -> Option<usize> {
        match self.substituted(code, redirects) {
            Some(stream) => self.streams.open_with(&stream.text, stream.lacks),
            None => self.streams.of_group(redirects),
        }
    }

    /// `< <(echo x)`
    fn substituted(&mut self, code: &Code<'_>, redirects: &[Redirect]) -> Option<Stream> {
        let source = redirects.iter().rev().find_map(|redirect| match &redirect.target {
            Target::Word(word) if redirect.operator == "<" => inside_process(&word.source),
            Target::Word(_) | Target::HereDocument { .. } | Target::Closed => None,
        })?;
        self.printed(code, source)
    }

    /// What the commands of a substitution print, which are read for that alone.
    pub(super) fn printed(&mut self, code: &Code<'_>, text: &str) -> Option<Stream> {
        if std::mem::replace(&mut self.is_printing, true) {
            // Read again at each depth, a nest would cost twice as much with each of them.
            return None;
        }
        let output = self.streams.open();
        let (commands, doubt) = (std::mem::take(&mut self.commands), self.doubt.take());
        let constructs = self.constructs.len();
        let loops = self.loops.len();
        let (functions, redirects) = (self.functions.len(), self.redirects.len());
        let flow = Flow { input: None, output };
        let language = Language::Posix;
        self.code(&Code { text, language, depth: code.depth + 1, flow, ..*code });
        self.commands = commands;
        self.doubt = doubt;
        self.constructs.truncate(constructs);
        self.loops.truncate(loops);
        self.functions.truncate(functions);
        self.redirects.truncate(redirects);
        self.is_printing = false;
        self.streams.get(output?).cloned()
    }
}

/// The commands in `<(...)`.
pub(super) fn inside_process(source: &str) -> Option<&str> {
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

/// Where the parts of a node read and write, one after the other: each part of a pipeline reads what the part before it prints.
pub(super) struct Flows {
    whole: Flow,
    input: Option<usize>,
    /// How many parts of a pipeline are still to come.
    parts: usize,
}

impl Flows {
    pub(super) fn new(item: Item<'_>) -> Self {
        let own = kind(item.node);
        let flow =
            if GROUPS.contains(&own) || own == "pipeline" { item.flow } else { Flow::default() };
        let parts = if own == "pipeline" { item.node.named_child_count() } else { 0 };
        Self { whole: flow, input: flow.input, parts }
    }

    pub(super) fn next(&mut self, streams: &mut Streams, child: Node<'_>) -> Flow {
        if self.parts == 0 || !child.is_named() {
            return self.whole;
        }
        self.parts -= 1;
        if self.parts > 0 {
            let output = streams.open();
            return Flow { input: std::mem::replace(&mut self.input, output), output };
        }
        // `a | sh <<E`: the here-document is that of the last part.
        let here = self.whole.input.filter(|at| streams.is_here(*at));
        Flow { input: here.or(self.input), output: self.whole.output }
    }
}
