//! What are the words, assignments and redirections of one simple command, and what stands behind its wrapper?
//!
//! Builds values from nodes and queues the nodes in which more commands may stand; it does not walk them.

use std::ops::Range;

use tree_sitter::Node;

use super::read::{Code, Item, Reader, children, hidden, slice, without_continuations};
use super::word::{self, Word, WordKind};
use super::wrapper::{self, Behind};
use super::{
    Assignment, Construct, Context, Doubt, Expands, Loop, MOST_WRAPPERS, Redirect, SimpleCommand,
    Target, Via,
};

/// Node kinds that stand for something unknown in a word.
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
const SIMPLE: &[&str] = &["command", "declaration_command", "unset_command"];

/// Words after which a command starts, where the grammar took them for a program (`! { git x; }`).
const LEADING: &[&str] = &["!", "{", "then", "do", "else", "elif", "if", "while", "until"];
/// Words that end something, likewise.
const CLOSING: &[&str] = &["}", "done", "fi", "esac"];

/// Builds the commands of one node.
pub(super) struct Builder<'r, 'c, 't> {
    pub(super) reader: &'r mut Reader,
    pub(super) code: &'c Code<'c>,
    pub(super) item: Item<'t>,
    /// What is to be visited next, in order.
    pub(super) next: &'r mut Vec<Item<'t>>,
    /// Backtick substitutions in here-documents: read after the command that they feed, as written.
    pub(super) backticks: Vec<&'c str>,
}

/// The parts of a command as they are collected.
#[derive(Default)]
struct Parts<'t> {
    pieces: Vec<Node<'t>>,
    assignments: Vec<Assignment>,
    redirects: Vec<Redirect>,
    /// A dash stands behind the words, which the grammar lost.
    dash: bool,
}

impl<'c, 't> Builder<'_, 'c, 't> {
    fn source(&self, range: &Range<usize>) -> &'c str {
        slice(self.code.text, range)
    }

    fn later(&mut self, node: Node<'t>) {
        self.next.push(Item { node, nest: self.item.nest + 1, ..self.item });
    }

    /// A simple command with these children, and redirections that stand after it.
    pub(super) fn simple(&mut self, nodes: &[Node<'t>], redirects: &[Node<'t>]) {
        let mut parts = Parts::default();
        let mut end = None;
        for node in nodes {
            if let Some(end) = end {
                self.reader.check_gap(self.code, &(end..node.start_byte()));
            }
            end = Some(node.end_byte());
            match node.kind() {
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
            // The grammar loses a dash before a descriptor: `x - 2>&1` (S-24).
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

    /// A statement with redirections; those of a simple command are its own.
    pub(super) fn redirected(&mut self, statement: Node<'t>) {
        let mut redirects: Vec<Node<'t>> = Vec::new();
        let mut body = Some(statement);
        while let Some(node) = body.filter(|node| node.kind() == "redirected_statement") {
            body = None;
            let mut own = Vec::new();
            for child in children(node) {
                match child.kind() {
                    "file_redirect" | "heredoc_redirect" | "herestring_redirect" => own.push(child),
                    "comment" | "ERROR" => self.later(child),
                    _ => body = Some(child),
                }
            }
            own.append(&mut redirects);
            redirects = own;
        }
        match body {
            Some(node) if SIMPLE.contains(&node.kind()) => self.simple(&children(node), &redirects),
            None => self.simple(&[], &redirects),
            Some(node) => {
                self.later(node);
                if let Some(first) = redirects.first() {
                    self.reader.check_gap(self.code, &(node.end_byte()..first.start_byte()));
                }
                let mut parts = Parts::default();
                for redirect in redirects {
                    self.redirect(redirect, &mut parts);
                }
                self.reader.redirects.append(&mut parts.redirects);
                // Words after a redirection belong to a command, and here there is none to take them.
                if let Some(word) = parts.pieces.first() {
                    self.reader.syntax(self.code, word.start_byte());
                }
            }
        }
    }

    /// `[ ... ]` is a program with arguments; `[[ ]]` is not, so only what stands in it runs.
    pub(super) fn test(&mut self, test: Node<'t>) {
        let mut parts = Parts::default();
        let mut stack = vec![test];
        while let Some(node) = stack.pop() {
            match node.kind() {
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

    /// `for NAME in WORDS`: its parts are visited as those of every group.
    pub(super) fn looped(&mut self) {
        let node = self.item.node;
        let Some(variable) = node.child_by_field_name("variable") else { return };
        let variable = self.source(&variable.byte_range()).to_owned();
        let words: Vec<Node<'t>> = node.children_by_field_name("value", &mut node.walk()).collect();
        let words = words.iter().map(|word| self.word(&word.byte_range(), &[*word])).collect();
        self.reader.loops.push(Loop { variable, words });
    }

    fn assignment(&mut self, node: Node<'t>) -> Assignment {
        let whole = node.byte_range();
        let mut name = whole.start..whole.end;
        let mut value = whole.end..whole.end;
        for child in children(node) {
            self.later(child);
            if matches!(child.kind(), "=" | "+=") && value.start == whole.end {
                name.end = child.start_byte();
                value.start = child.end_byte();
            }
        }
        let name = self.source(&name).to_owned();
        Assignment { name, value: self.word(&value, &[node]) }
    }

    fn redirect(&mut self, node: Node<'t>, parts: &mut Parts<'t>) {
        if node.kind() == "heredoc_redirect" {
            return self.here_document(node, parts);
        }
        let mut operator = String::new();
        let mut descriptor = None;
        let mut words = Vec::new();
        for child in children(node) {
            match child.kind() {
                "file_descriptor" => {
                    let written = self.source(&child.byte_range());
                    let number = written.trim_start_matches('-').trim();
                    parts.dash |= written.starts_with('-');
                    descriptor = Some(number.to_owned());
                }
                "ERROR" => self.later(child),
                _ if operator.is_empty() => {
                    self.source(&child.byte_range()).clone_into(&mut operator)
                }
                _ => words.push(child),
            }
        }
        // The grammar gives a redirection all words after it; Bash gives it one, and the rest to the command.
        let mut groups = self.groups(&words).into_iter();
        let target = match groups.next() {
            Some(group) => Target::Word(self.group_word(&group)),
            None => Target::Closed,
        };
        parts.pieces.extend(groups.flatten());
        parts.redirects.push(Redirect { operator, descriptor, target });
    }

    fn here_document(&mut self, node: Node<'t>, parts: &mut Parts<'t>) {
        self.reader.construct(self.code, Construct::HereDocument);
        let (mut start, mut body, mut end) = (None, None, None);
        let mut operator = "";
        let mut descriptor = None;
        for child in children(node) {
            match child.kind() {
                "<<" | "<<-" => operator = self.source(&child.byte_range()),
                "file_descriptor" => descriptor = Some(self.source(&child.byte_range()).to_owned()),
                "heredoc_start" => start = Some(child),
                "heredoc_body" => body = Some(child),
                "heredoc_end" => end = Some(child),
                "file_redirect" | "herestring_redirect" => self.redirect(child, parts),
                // `cat <<EOF | sh`: the command feeds what comes behind it.
                "pipeline" => {
                    self.item.context = Context::Pipeline;
                    self.later(child);
                }
                "list" | "ERROR" | "comment" | "&&" | "||" | "|" | "|&" => self.later(child),
                kind if SIMPLE.contains(&kind) || kind.ends_with("_statement") => self.later(child),
                _ if body.is_some() => self.later(child),
                _ => parts.pieces.push(child),
            }
        }
        let (Some(start), Some(body)) = (start, body) else {
            return self.reader.syntax(self.code, node.start_byte());
        };
        let written = self.source(&start.byte_range());
        let delimiter = word::read(written, &[]).map(|word| word.text).unwrap_or_default();
        let text = self.source(&body.byte_range());
        let ending = end.map(|end| self.source(&end.byte_range()));
        if !ends_as_written(text, ending, &delimiter, operator) {
            self.reader.syntax(self.code, node.start_byte());
        }
        let expands = if written.contains(['\'', '"', '\\']) { Expands::No } else { Expands::Yes };
        if expands == Expands::Yes {
            self.body(body);
        }
        let target = Target::HereDocument { body: text.to_owned(), expands };
        parts.redirects.push(Redirect { operator: operator.to_owned(), descriptor, target });
    }

    /// Reads the backtick substitutions that were put off.
    pub(super) fn finish_backticks(&mut self) {
        for inner in std::mem::take(&mut self.backticks) {
            self.reader.backticks(self.code, inner);
        }
    }

    /// The body of a here-document that the shell expands. The grammar finds `$( )` in it, but no backticks.
    fn body(&mut self, body: Node<'t>) {
        let mut at = body.start_byte();
        let mut plain = String::new();
        for child in children(body) {
            if child.kind() == "heredoc_content" {
                continue;
            }
            plain.push_str(self.source(&(at..child.start_byte())));
            plain.push_str(&"\u{1}".repeat(child.end_byte() - child.start_byte()));
            at = child.end_byte();
            self.later(child);
        }
        plain.push_str(self.source(&(at..body.end_byte())));
        let whole = self.source(&body.byte_range());
        let mut from = 0;
        while let Some(found) = plain.get(from..).and_then(hidden) {
            let open = from + found + 1;
            let rest = whole.get(open..).unwrap_or_default();
            let close = plain
                .get(open..)
                .and_then(hidden)
                .filter(|_| plain.get(open - 1..open) == Some("`"));
            let Some(close) = close else {
                return self.reader.syntax(self.code, body.start_byte() + open);
            };
            self.backticks.push(rest.get(..close).unwrap_or_default());
            from = open + close + 1;
        }
    }

    /// Sorts pieces into words: pieces that touch are one word (`$"a"`, `git pu\<newline>sh`).
    fn groups(&self, pieces: &[Node<'t>]) -> Vec<Vec<Node<'t>>> {
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

    fn group_word(&mut self, group: &[Node<'t>]) -> Word {
        for piece in group {
            if piece.kind() == "variable_assignment" {
                // Queued whole it would be taken for a statement of its own.
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

    /// Reads one word; one that its quotes contradict is unknown, and a doubt (S-24).
    fn word(&mut self, range: &Range<usize>, nodes: &[Node<'t>]) -> Word {
        let (holes, is_array) = holes(range, nodes);
        let source = self.source(range);
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
        let via = self.code.via.to_vec();
        let context = self.item.context;
        follow(
            self.reader,
            self.code,
            SimpleCommand { words, assignments, redirects, context, via },
        );
    }

    /// Removes reserved words that the grammar took for a program.
    fn strip_reserved(&mut self, words: &mut Vec<Word>) {
        let leading = words.iter().take_while(|word| is_reserved(word, LEADING)).count();
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

/// Whether the shell would read an unquoted word as one of these reserved words.
fn is_reserved(word: &Word, reserved: &[&str]) -> bool {
    word.source == word.text && reserved.contains(&word.text.as_str())
}

/// Whether a here-document ends at the first line that is its delimiter, and only there.
fn ends_as_written(body: &str, ending: Option<&str>, delimiter: &str, operator: &str) -> bool {
    let plain = |line: &str| {
        let line = line.trim_end_matches(['\n', '\r']);
        if operator == "<<-" { line.trim_start_matches('\t').to_owned() } else { line.to_owned() }
    };
    let ends = ending.is_some_and(|ending| plain(ending).trim_start_matches('\t') == delimiter);
    let early = body.lines().any(|line| plain(line) == delimiter && !delimiter.is_empty());
    ends && !early && !delimiter.is_empty()
}

/// The outermost expansions in some nodes, as ranges of the word, and whether the nodes hold an array.
fn holes(range: &Range<usize>, nodes: &[Node<'_>]) -> (Vec<Range<usize>>, bool) {
    let mut found = Vec::new();
    let mut is_array = false;
    let mut stack = nodes.to_vec();
    while let Some(node) = stack.pop() {
        let inside = node.start_byte() >= range.start && node.end_byte() <= range.end;
        match node.kind() {
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

/// Lists a command and everything behind its wrappers (S-31).
fn follow(reader: &mut Reader, code: &Code<'_>, command: SimpleCommand) {
    let mut queue = vec![command];
    while let Some(command) = queue.pop() {
        reader.commands.push(command.clone());
        let Some(program) = command.words.first() else { continue };
        if command.via.len() < MOST_WRAPPERS {
            let mut behind = Vec::new();
            look_behind(reader, code, &command, program, &mut behind);
            queue.extend(behind.into_iter().rev());
        } else if program.is_dynamic() || wrapper::find(&program.text).is_some() {
            reader.doubt(code, Doubt::TooDeep);
        }
    }
}

/// One step behind a command's program.
fn look_behind(
    reader: &mut Reader,
    code: &Code<'_>,
    command: &SimpleCommand,
    program: &Word,
    found: &mut Vec<SimpleCommand>,
) {
    let via = |step: Via| [command.via.as_slice(), &[step]].concat();
    let derived = |words: Vec<Word>, via: Vec<Via>| SimpleCommand {
        words,
        assignments: command.assignments.clone(),
        redirects: command.redirects.clone(),
        context: command.context,
        via,
    };
    let file_name = match program.kind {
        WordKind::Literal => program.text.rsplit_once('/').map(|(_, name)| name.to_owned()),
        _ => program.file_name.clone(),
    };
    match file_name {
        Some(name) if !name.is_empty() => {
            let mut words = command.words.clone();
            if let Some(first) = words.first_mut() {
                *first = Word::literal(name);
            }
            found.push(derived(words, via(Via::Path(program.source.clone()))));
            return;
        }
        _ => {}
    }
    if program.kind != WordKind::Literal {
        return reader.doubt(code, Doubt::Program { source: program.source.clone() });
    }
    let Some(wrapper) = wrapper::find(&program.text) else { return };
    for behind in wrapper.behind(&command.words) {
        let name = wrapper.name;
        let inner = match behind {
            // `coproc NAME { ...; }`: the group's name is no program.
            Behind::Command(words) if words.get(1).is_some_and(|word| word.source == "{") => None,
            Behind::Command(mut words) => {
                let group = words.iter().take_while(|word| is_reserved(word, LEADING)).count();
                words.drain(..group);
                if words.is_empty() {
                    continue;
                }
                found.push(derived(words, via(Via::Wrapper(name))));
                continue;
            }
            Behind::Code(text) => Some(text),
            Behind::Input => input(command),
            Behind::Unknown => None,
        };
        match inner {
            Some(text) => {
                let via = via(Via::Wrapper(name));
                let depth = code.depth + 1;
                let wrapper = Some(name);
                reader.code(&Code {
                    text: &text,
                    via: &via,
                    context: command.context,
                    depth,
                    wrapper,
                });
            }
            None => reader.doubt(code, Doubt::Code { wrapper: name }),
        }
    }
}

/// The code that a shell reads from its standard input, where the line holds it.
fn input(command: &SimpleCommand) -> Option<String> {
    command.redirects.iter().rev().find_map(|redirect| match &redirect.target {
        Target::Word(word) if redirect.operator == "<<<" && word.kind == WordKind::Literal => {
            Some(word.text.clone())
        }
        Target::HereDocument { body, expands: Expands::No } => Some(body.clone()),
        Target::HereDocument { body, expands: Expands::Yes }
            if !body.contains(['$', '`', '\\']) =>
        {
            Some(body.clone())
        }
        _ => None,
    })
}
