//! Lists the commands in the syntax tree of a line. `windows` reads languages other than Bash.
//!
//! Walks the tree of `tree-sitter-bash` with an explicit stack, so a nest cannot overflow the
//! thread's. It trusts the grammar only as far as it can check it: a gap that is not blank, a
//! comment in the middle of a word, a here-document that ends elsewhere and a substitution inside a
//! leaf all put the line in doubt (S-24).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use tree_sitter::Node;

use super::backtick::{find_substitution, unescape_backticks};
use super::behind::read_arithmetic;
use super::command::Builder;
use super::flow::Flows;
use super::parse::{A_NODE, A_TEXT, Budget, Paid, node_kind, parse_text, unreported_parser_work};
use super::stream::{Flow, Streams};
use super::windows::{Language, read_cmd, read_powershell};
use super::{
    Construct, Context, DEEPEST_NEST, Doubt, Function, LONGEST_LINE, Line, MOST_WRAPPERS, Parsed,
    Redirect, SimpleCommand, Via,
};

/// Most nested readings: code in wrappers, and backticks in backticks (S-22).
const DEEPEST_CODE: usize = 2 * MOST_WRAPPERS;
/// Most texts that are read as code for one line (S-22): each creates a parser. No plain line has a
/// tenth of it.
const MOST_TEXTS: usize = 2048;
/// Most commands of one line: `a|a|...` fills [`LONGEST_LINE`] with half as many (S-22).
const MOST_COMMANDS: usize = 64 * 1024;
/// Most `|` on one line (S-22): the grammar reads a pipeline again at each part, and this many take
/// ten milliseconds.
const MOST_PIPES: usize = 512;

pub(super) fn parse_line(
    language: Language,
    text: &str,
    spend: &dyn Fn(usize) -> bool,
) -> Option<Line> {
    let budget = Budget::new(spend);
    let mut reader = Reader {
        cut: false,
        commands: Vec::new(),
        doubt: None,
        constructs: Vec::new(),
        redirects: Vec::new(),
        loops: Vec::new(),
        functions: Vec::new(),
        streams: Streams::default(),
        aliases: HashMap::new(),
        assigned: HashSet::new(),
        is_printing: false,
        nest: 0,
        texts: 0,
        budget,
    };
    let via = Arc::default();
    let flow = Flow::default();
    reader.read_code(&Code {
        text,
        language,
        via: &via,
        context: Context::TopLevel,
        depth: 0,
        wrapper: None,
        flow,
    });
    if reader.cut {
        return None;
    }
    let parsed = reader.doubt.map_or(Parsed::Full, Parsed::Doubtful);
    Some(Line {
        commands: reader.commands,
        parsed,
        constructs: reader.constructs,
        redirects: reader.redirects,
        loops: reader.loops,
        functions: reader.functions,
    })
}

/// A text to be read as shell code.
#[derive(Clone, Copy)]
pub(super) struct Code<'a> {
    pub(super) text: &'a str,
    pub(super) language: Language,
    pub(super) via: &'a Arc<[Via]>,
    pub(super) context: Context,
    pub(super) depth: usize,
    /// The wrapper that runs it; doubts about the text are then about the wrapper's code.
    pub(super) wrapper: Option<&'static str>,
    /// Where it reads and writes.
    pub(super) flow: Flow,
}

/// The state of reading a line.
pub(super) struct Reader<'s> {
    pub(super) commands: Vec<SimpleCommand>,
    pub(super) doubt: Option<Doubt>,
    pub(super) constructs: Vec<Construct>,
    pub(super) redirects: Vec<Redirect>,
    pub(super) loops: Vec<super::Loop>,
    pub(super) functions: Vec<Function>,
    pub(super) streams: Streams,
    /// The values of the aliases defined so far.
    pub(super) aliases: HashMap<String, String>,
    /// The variables that a command of the line assigns.
    assigned: HashSet<String>,
    /// Whether commands are read only for their output.
    pub(super) is_printing: bool,
    /// The depth of the readers of `windows`.
    pub(super) nest: usize,
    /// How many texts were read as code.
    texts: usize,
    budget: Budget<'s>,
    /// Whether the caller's budget is exhausted.
    cut: bool,
}

/// A node that waits to be visited.
#[derive(Clone, Copy)]
pub(super) struct Item<'t> {
    pub(super) node: Node<'t>,
    pub(super) context: Context,
    pub(super) nest: usize,
    /// Where its commands read and write.
    pub(super) flow: Flow,
}

/// Node kinds that put their children in a different context.
const CONTEXTS: &[(&str, Context)] = &[
    ("pipeline", Context::Pipeline),
    ("list", Context::List),
    ("subshell", Context::Subshell),
    ("compound_statement", Context::BraceGroup),
    ("if_statement", Context::Body),
    ("for_statement", Context::Body),
    ("c_style_for_statement", Context::Body),
    ("while_statement", Context::Body),
    ("case_statement", Context::Body),
    ("function_definition", Context::Function),
    ("command_substitution", Context::CommandSubstitution),
    ("process_substitution", Context::ProcessSubstitution),
    ("test_command", Context::Test),
];

/// Leaves with text that the shell does not examine.
///
/// The body of a here-document is one if its delimiter is quoted; its redirection decides this.
const OPAQUE: &[&str] = &[
    "heredoc_body",
    "heredoc_content",
    "raw_string",
    "ansi_c_string",
    "comment",
    "heredoc_start",
    "heredoc_end",
];

impl Reader<'_> {
    /// Counts steps of this reader, in addition to the parser's. Returns `false` if they must not
    /// be taken.
    pub(super) fn spend_steps(&mut self, code: &Code<'_>, steps: usize) -> bool {
        let paid = self.budget.spend_steps(steps);
        if paid == Paid::TooMuch {
            self.record_doubt(code, Doubt::TooDeep);
        }
        self.cut = self.cut || paid == Paid::Cut;
        paid == Paid::Yes
    }

    /// Records that a command of the line assigns a variable.
    pub(super) fn note_assigned_variable(&mut self, name: &str) {
        if !self.assigned.contains(name) {
            self.assigned.insert(name.to_owned());
        }
    }

    pub(super) fn is_variable_assigned(&self, name: &str) -> bool {
        self.assigned.contains(name)
    }

    pub(super) fn record_doubt(&mut self, code: &Code<'_>, doubt: Doubt) {
        let doubt = match code.wrapper {
            Some(wrapper)
                if (doubt.may_hide_commands() || doubt == Doubt::Setup)
                    && !doubt.is_bound_exceeded() =>
            {
                Doubt::Code { wrapper }
            }
            _ => doubt,
        };
        // A doubt about hidden commands is more important, and a bound hides everything after it.
        let says_more = |before: &Doubt| {
            !before.may_hide_commands() || doubt.is_bound_exceeded() && !before.is_bound_exceeded()
        };
        if self.doubt.as_ref().is_none_or(says_more) {
            self.doubt = Some(doubt);
        }
    }

    pub(super) fn record_syntax_doubt(&mut self, code: &Code<'_>, at: usize) {
        self.record_doubt(code, Doubt::Syntax { at });
    }

    pub(super) fn record_construct(&mut self, code: &Code<'_>, construct: Construct) {
        // Agents do not examine wrapped code, so its constructs do not matter to them.
        if code.wrapper.is_none() && !self.constructs.contains(&construct) {
            self.constructs.push(construct);
        }
    }

    pub(super) fn read_code(&mut self, code: &Code<'_>) {
        if code.text.len() > LONGEST_LINE {
            return self.record_doubt(code, Doubt::TooLong);
        }
        self.texts += 1;
        if code.depth > DEEPEST_CODE || self.texts > MOST_TEXTS {
            return self.record_doubt(code, Doubt::TooDeep);
        }
        if let Some(at) = code.text.find('\0') {
            // Some shells skip it and others end there: either may happen.
            return self.record_syntax_doubt(code, at);
        }
        if code.text.matches('|').count() > MOST_PIPES {
            return self.record_doubt(code, Doubt::TooDeep);
        }
        if !self.spend_steps(code, A_TEXT) {
            return;
        }
        if code.text.is_empty() {
            // Every call of a tool other than a shell has such a line, and creating the parser
            // costs more than most lines do.
            return;
        }
        match code.language {
            Language::Posix => {}
            Language::PowerShell => return read_powershell(self, code),
            Language::Cmd => return read_cmd(self, code),
        }
        if !self.spend_steps(code, unreported_parser_work(code.text)) {
            return;
        }
        let Some(tree) = parse_text(code.text, &self.budget) else {
            self.spend_steps(code, 0);
            return self.record_doubt(code, Doubt::TooDeep);
        };
        let (node, context, flow) = (tree.root_node(), code.context, code.flow);
        let mut stack = vec![Item { node, context, nest: 0, flow }];
        while let Some(item) = stack.pop() {
            if item.nest > DEEPEST_NEST || self.commands.len() > MOST_COMMANDS {
                return self.record_doubt(code, Doubt::TooDeep);
            }
            if !self.spend_steps(code, A_NODE) {
                return;
            }
            self.visit_node(code, item, &mut stack);
        }
    }

    fn visit_node<'t>(&mut self, code: &Code<'_>, item: Item<'t>, stack: &mut Vec<Item<'t>>) {
        let node = item.node;
        // A token that ends within a character belongs to the mask, not to the line.
        let is_whole = code.text.get(node.byte_range()).is_some();
        if node.is_error() || node.is_missing() || !is_whole {
            self.record_syntax_doubt(code, node.start_byte());
        }
        self.doubt_if_leaf_has_substitution(code, node);
        if item.context == Context::Test && node_kind(node) == "raw_string" {
            read_arithmetic(self, code, code.via, text_in_range(code.text, &node.byte_range()));
        }
        let mut next = Vec::new();
        let backticks = Vec::new();
        let mut build = Builder { reader: self, code, item, next: &mut next, backticks };
        match node_kind(node) {
            "command" | "declaration_command" | "unset_command" => {
                build.record_simple_command(&child_nodes(node), &[])
            }
            "redirected_statement" => build.record_redirected_statement(node),
            "test_command" if text_in_range(code.text, &node.byte_range()).starts_with("[ ") => {
                build.record_test_command(node)
            }
            // `$(< file)` reads a file without a command.
            "file_redirect" | "herestring_redirect" => build.record_lone_redirect(node),
            "variable_assignment" => build.record_lone_assignments(&[node]),
            "variable_assignments" => build.record_lone_assignments(&child_nodes(node)),
            kind => {
                if kind == "for_statement" {
                    build.record_for_loop();
                }
                self.record_function(code, node);
                self.queue_child_nodes(code, item, &mut next);
                stack.extend(next.into_iter().rev());
                return;
            }
        }
        build.read_queued_backticks();
        // The stack is last in, first out: reversed, commands come in the order of the line.
        stack.extend(next.into_iter().rev());
    }

    /// Queues the children of a node that is no command itself.
    fn queue_child_nodes<'t>(&mut self, code: &Code<'_>, item: Item<'t>, next: &mut Vec<Item<'t>>) {
        let node = item.node;
        self.record_node_construct(code, item);
        if node_kind(node) == "command_substitution" && self.read_escaped_backticks(code, node) {
            return;
        }
        let own = node_kind(node);
        let context = CONTEXTS.iter().find(|(kind, _)| *kind == own).map(|(_, context)| *context);
        let nest = item.nest + usize::from(context.is_some_and(adds_nesting_level));
        let context = context.unwrap_or(item.context);
        let checked = !matches!(node_kind(node), "string" | "expansion" | "heredoc_body" | "ERROR");
        let mut flows = Flows::new(item);
        let mut end = None;
        for child in child_nodes(node) {
            if let Some(end) = end.filter(|_| checked) {
                self.doubt_unless_gap_is_blank(code, &(end..child.start_byte()));
            }
            end = Some(child.end_byte());
            let flow = flows.flow_of_next_child(&mut self.streams, child);
            // `for ((i=0; ...))` assigns, but runs no command to do so: only substitutions in the
            // value run.
            let is_arithmetic = node_kind(node) == "c_style_for_statement"
                && node_kind(child) == "variable_assignment";
            if is_arithmetic {
                let nodes = child_nodes(child).into_iter();
                next.extend(nodes.map(|node| Item { node, context, nest, flow }));
            } else {
                next.push(Item { node: child, context, nest, flow });
            }
        }
    }

    /// Records a function with its body, which a call of it runs.
    fn record_function(&mut self, code: &Code<'_>, node: Node<'_>) {
        let part = |name| {
            let node: Node<'_> = node.child_by_field_name(name)?;
            Some(text_in_range(code.text, &node.byte_range()).to_owned())
        };
        if node_kind(node) == "function_definition"
            && let (Some(name), Some(body)) = (part("name"), part("body"))
        {
            self.functions.push(Function { name, body });
        }
    }

    fn record_node_construct(&mut self, code: &Code<'_>, item: Item<'_>) {
        let source = text_in_range(code.text, &item.node.byte_range());
        let construct = match node_kind(item.node) {
            "process_substitution" => Construct::ProcessSubstitution,
            "command_substitution" if item.context == Context::Test => Construct::TestSubstitution,
            "compound_statement" if source.starts_with('{') => Construct::BraceGroup,
            _ => return,
        };
        self.record_construct(code, construct);
    }

    /// Records a syntax doubt unless only blanks separate two words (S-24).
    pub(super) fn doubt_unless_gap_is_blank(&mut self, code: &Code<'_>, gap: &Range<usize>) {
        let is_blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
        if !remove_line_continuations(text_in_range(code.text, gap)).chars().all(is_blank) {
            self.record_syntax_doubt(code, gap.start);
        }
    }

    /// Reads backticks that contain escaped backticks: the text between them is read again, without
    /// the escapes.
    fn read_escaped_backticks(&mut self, code: &Code<'_>, node: Node<'_>) -> bool {
        let source = text_in_range(code.text, &node.byte_range());
        let inner = source.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
        let Some(inner) = inner.filter(|inner| inner.contains('\\')) else { return false };
        self.read_backticks(code, inner);
        true
    }

    /// Reads the text between two backticks.
    pub(super) fn read_backticks(&mut self, code: &Code<'_>, inner: &str) {
        let text = &unescape_backticks(inner);
        let context = Context::CommandSubstitution;
        self.read_code(&Code { text, context, depth: code.depth + 1, ..*code });
    }

    /// Records a syntax doubt if a leaf contains a substitution that the grammar did not split off:
    /// it would run without being listed.
    fn doubt_if_leaf_has_substitution(&mut self, code: &Code<'_>, node: Node<'_>) {
        let source = text_in_range(code.text, &node.byte_range());
        match node_kind(node) {
            "comment" => {
                let before = code.text.get(..node.start_byte()).unwrap_or_default();
                let continued = before.ends_with("\\\n");
                if continued
                    || before
                        .ends_with(|c: char| !c.is_ascii_whitespace() && !";&|()<>`".contains(c))
                {
                    self.record_syntax_doubt(code, node.start_byte());
                }
            }
            kind if node.is_named()
                && node.child_count() == 0
                && !OPAQUE.contains(&kind)
                && find_substitution(source).is_some() =>
            {
                self.record_syntax_doubt(code, node.start_byte());
            }
            _ => {}
        }
    }
}

/// Returns the children of a node, in order.
pub(super) fn child_nodes<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    node.children(&mut node.walk()).collect()
}

/// Returns the text of a range, or an empty text if the range is outside the text.
pub(super) fn text_in_range<'a>(text: &'a str, range: &Range<usize>) -> &'a str {
    text.get(range.clone()).unwrap_or_default()
}

/// Removes each `\` at the end of a line, as the shell does first.
pub(super) fn remove_line_continuations(text: &str) -> Cow<'_, str> {
    match text.contains('\\') {
        true => text.replace("\\\n", "").replace("\\\r\n", "").into(),
        false => text.into(),
    }
}

/// Returns whether a context adds a nesting level. A group does; a list or a pipeline does not,
/// however long it is.
fn adds_nesting_level(context: Context) -> bool {
    !matches!(context, Context::List | Context::Pipeline)
}
