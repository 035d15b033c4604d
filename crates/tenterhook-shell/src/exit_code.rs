//! Finds the commands of a line whose exit code the line drops: `guard || true`, `guard; exit 0`, `guard | tee log`,
//! `guard &`. Says nothing where it is not sure; judges no command.

use tree_sitter::Node;

use super::DEEPEST_NEST;
use super::parse::{Budget, node_kind, parse_text};

/// A command whose exit code does not become the exit code of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedExitCode {
    /// The command as written, with its redirections.
    pub command: String,
    /// The part of the line that drops the code, such as `|| true`.
    pub by: String,
    /// The exit code of the line instead.
    pub code: i32,
}

/// Texts that save an exit code for later, or change how a shell treats one.
const SAVED: &[&str] = &["$?", "PIPESTATUS", "pipestatus", "pipefail", "set -", "trap ", "wait"];

/// Commands that always end with 0.
const SUCCEED: &[&str] = &["true", ":", "echo", "printf"];

/// Returns the commands whose exit code `line` drops, in order. Conditions, loops and functions are left out: they
/// use the code.
#[must_use]
pub fn find_dropped_exit_codes(line: &str) -> Vec<DroppedExitCode> {
    if SAVED.iter().any(|text| line.contains(text)) || line.len() > super::LONGEST_LINE {
        return Vec::new();
    }
    let Some(tree) = parse_text(line, &Budget::new(&|_| true)) else { return Vec::new() };
    if tree.root_node().has_error() {
        return Vec::new();
    }
    let mut search = Search { line, found: Vec::new() };
    search.visit(tree.root_node(), &Droppers::default(), 0);
    search.found
}

/// What drops the exit code of a part of the line; `None` if it is the exit code of the line.
#[derive(Clone, Default)]
struct Droppers {
    /// For a part that ends and lets the shell go on.
    ended: Option<Dropper>,
    /// For `exit` and `exec`, which end the shell.
    exited: Option<Dropper>,
}

impl Droppers {
    /// Returns what happens to the code of a part that runs in a separate shell.
    fn in_subshell(&self) -> Self {
        Self { ended: self.ended.clone(), exited: self.ended.clone() }
    }

    /// Returns what happens to the code of a part whose code `dropper` drops, unless the part ends the shell.
    fn with_dropper(&self, dropper: Dropper) -> Self {
        Self { ended: Some(dropper), exited: self.exited.clone() }
    }

    /// Returns what happens to the code of a part in a separate shell whose code `dropper` drops.
    fn dropped_subshell(dropper: Dropper) -> Self {
        Self { ended: Some(dropper.clone()), exited: Some(dropper) }
    }
}

#[derive(Clone)]
struct Dropper {
    by: String,
    code: i32,
}

struct Search<'l> {
    line: &'l str,
    found: Vec<DroppedExitCode>,
}

impl Search<'_> {
    fn text(&self, node: Node<'_>) -> &str {
        self.line.get(node.byte_range()).unwrap_or_default()
    }

    fn visit(&mut self, node: Node<'_>, droppers: &Droppers, depth: usize) {
        if depth > DEEPEST_NEST {
            return;
        }
        let depth = depth + 1;
        match node_kind(node) {
            "program" | "compound_statement" | "else_clause" => {
                self.visit_sequence(node, droppers, depth);
            }
            "subshell" => self.visit_sequence(node, &droppers.in_subshell(), depth),
            "if_statement" | "elif_clause" => self.visit_branches(node, droppers, depth),
            "list" => self.visit_list(node, droppers, depth),
            "pipeline" => self.visit_pipeline(node, droppers, depth),
            "negated_command" => {
                let droppers = droppers.with_dropper(Dropper { by: "!".to_owned(), code: 0 });
                self.visit_named_children(node, &droppers, depth);
            }
            "redirected_statement" => match node.child_by_field_name("body") {
                Some(body) if node_kind(body) == "command" => {
                    self.visit_command(node, body, droppers)
                }
                Some(body) => self.visit(body, droppers, depth),
                None => {}
            },
            "command" => self.visit_command(node, node, droppers),
            _ => {}
        }
    }

    fn visit_named_children(&mut self, node: Node<'_>, droppers: &Droppers, depth: usize) {
        for child in node.named_children(&mut node.walk()) {
            self.visit(child, droppers, depth);
        }
    }

    fn visit_command(&mut self, whole: Node<'_>, command: Node<'_>, droppers: &Droppers) {
        let name = command.child_by_field_name("name").map(|name| self.text(name));
        let ends_shell = matches!(name, Some("exit" | "exec"));
        if !ends_shell && self.constant_exit_code(command).is_some() {
            return;
        }
        let Some(dropper) = (if ends_shell { &droppers.exited } else { &droppers.ended }) else {
            return;
        };
        self.found.push(DroppedExitCode {
            command: self.text(whole).to_owned(),
            by: dropper.by.clone(),
            code: dropper.code,
        });
    }

    /// Visits statements one after another: the last one decides, and `&` drops a code.
    fn visit_sequence(&mut self, node: Node<'_>, droppers: &Droppers, depth: usize) {
        let children: Vec<Node<'_>> = node.children(&mut node.walk()).collect();
        let is_statement = |child: &&Node<'_>| child.is_named() && node_kind(**child) != "comment";
        let statements: Vec<Node<'_>> = children.iter().filter(is_statement).copied().collect();
        let last = statements.last().copied();
        self.visit_statements(&children, last, droppers, depth);
    }

    fn visit_statements(
        &mut self,
        children: &[Node<'_>],
        last: Option<Node<'_>>,
        droppers: &Droppers,
        depth: usize,
    ) {
        for (at, child) in children.iter().enumerate().filter(|(_, child)| child.is_named()) {
            let next = children.get(at + 1).map(|next| node_kind(*next));
            let droppers = match last {
                _ if next == Some("&") => {
                    Droppers::dropped_subshell(Dropper { by: "&".to_owned(), code: 0 })
                }
                Some(last) if last != *child && !self.keeps_previous_exit_code(last) => {
                    let by = format!("; {}", self.text(last));
                    droppers.with_dropper(Dropper {
                        by,
                        code: self.constant_exit_code(last).unwrap_or(0),
                    })
                }
                _ => droppers.clone(),
            };
            self.visit(*child, &droppers, depth);
        }
    }

    /// Visits the bodies of an `if`: its condition uses the code.
    fn visit_branches(&mut self, node: Node<'_>, droppers: &Droppers, depth: usize) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let then = children.iter().position(|child| node_kind(*child) == "then");
        let body = children.get(then.map_or(children.len(), |at| at + 1)..).unwrap_or_default();
        let is_clause =
            |child: &&Node<'_>| matches!(node_kind(**child), "elif_clause" | "else_clause");
        let is_statement = |child: &&Node<'_>| {
            child.is_named() && !is_clause(child) && node_kind(**child) != "comment"
        };
        let clauses: Vec<Node<'_>> = body.iter().filter(is_clause).copied().collect();
        let last = body.iter().rfind(is_statement).copied();
        let end = body.iter().position(|child| is_clause(&child)).unwrap_or(body.len());
        self.visit_statements(body.get(..end).unwrap_or_default(), last, droppers, depth);
        for clause in clauses {
            self.visit(clause, droppers, depth);
        }
    }

    fn visit_list(&mut self, node: Node<'_>, droppers: &Droppers, depth: usize) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let [left, operator, right] = children.as_slice() else { return };
        let on_left = match node_kind(*operator) {
            "||" => match self.constant_exit_code(*right) {
                Some(code) => {
                    droppers.with_dropper(Dropper { by: format!("|| {}", self.text(*right)), code })
                }
                // The other command decides, and may well know the code.
                None => Droppers { ended: None, exited: droppers.exited.clone() },
            },
            _ => droppers.clone(),
        };
        self.visit(*left, &on_left, depth);
        self.visit(*right, droppers, depth);
    }

    fn visit_pipeline(&mut self, node: Node<'_>, droppers: &Droppers, depth: usize) {
        let parts: Vec<Node<'_>> = node.named_children(&mut node.walk()).collect();
        let Some((last, others)) = parts.split_last() else { return };
        for part in others {
            let rest = self.line.get(part.end_byte()..node.end_byte()).unwrap_or_default();
            let by = rest.trim().to_owned();
            self.visit(*part, &Droppers::dropped_subshell(Dropper { by, code: 0 }), depth);
        }
        self.visit(*last, &droppers.in_subshell(), depth);
    }

    /// Returns `true` for `exit` without a number, which ends with the code of the command before it.
    fn keeps_previous_exit_code(&self, node: Node<'_>) -> bool {
        node_kind(node) == "command" && self.text(node).trim() == "exit"
    }

    /// Returns the exit code of a part that always ends with the same one.
    fn constant_exit_code(&self, node: Node<'_>) -> Option<i32> {
        let children: Vec<Node<'_>> = node.named_children(&mut node.walk()).collect();
        match node_kind(node) {
            "compound_statement" | "subshell" => self.constant_exit_code(*children.last()?),
            "redirected_statement" => self.constant_exit_code(node.child_by_field_name("body")?),
            "command" => {
                let mut words = self.text(node).split_whitespace();
                match words.next()? {
                    name if SUCCEED.contains(&name) => Some(0),
                    "false" => Some(1),
                    "exit" => words.next()?.parse().ok(),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::find_dropped_exit_codes;

    /// C-135: a command whose exit code the line drops is found, with what drops it.
    #[test]
    fn dropped_exit_code_is_found_with_its_cause() {
        for (line, expected) in [
            ("./g || true", &[("./g", "|| true", 0)][..]),
            ("./g || :", &[("./g", "|| :", 0)]),
            ("./g || exit 1", &[("./g", "|| exit 1", 1)]),
            ("./g || exit 2", &[("./g", "|| exit 2", 2)]),
            ("./g || { echo no; exit 0; }", &[("./g", "|| { echo no; exit 0; }", 0)]),
            ("./g > /dev/null 2>&1 || true", &[("./g > /dev/null 2>&1", "|| true", 0)]),
            ("test -x g && ./g || true", &[("test -x g", "|| true", 0), ("./g", "|| true", 0)]),
            ("./g; exit 0", &[("./g", "; exit 0", 0)]),
            ("./g\ntrue", &[("./g", "; true", 0)]),
            ("./g; ./h", &[("./g", "; ./h", 0)]),
            ("./g | tee -a log", &[("./g", "| tee -a log", 0)]),
            (
                "./g 2>&1 | tee log | cat",
                &[("./g 2>&1", "| tee log | cat", 0), ("tee log", "| cat", 0)],
            ),
            ("./g &", &[("./g", "&", 0)]),
            ("(./g) &", &[("./g", "&", 0)]),
            ("! ./g", &[("./g", "!", 0)]),
            ("if [ -x g ]; then ./g; fi; exit 0", &[("./g", "; exit 0", 0)]),
            ("(exit 2) || true", &[("exit 2", "|| true", 0)]),
            ("exit 2 | cat", &[("exit 2", "| cat", 0)]),
        ] {
            let found = find_dropped_exit_codes(line);
            let found: Vec<_> =
                found.iter().map(|d| (d.command.as_str(), d.by.as_str(), d.code)).collect();
            assert_eq!(found, expected, "{line}");
        }
    }

    /// C-135: a line that passes the exit code on, or uses it, has nothing to report.
    #[test]
    fn exit_code_that_reaches_the_agent_is_not_reported() {
        for line in [
            "./g",
            "cd /x && ./g",
            "[ -f x ] && exec ./g || exit 0",
            "exit 2 || true",
            "./g || ./h",
            "echo x; ./g",
            "./g; exit",
            "./g; code=$?; exit $code",
            "set -e; ./g; echo done",
            "set -o pipefail; ./g | tee log",
            "trap 'exit 0' EXIT; ./g",
            "if ./g; then exit 0; else exit 2; fi",
            "if ! ./g; then exit 2; fi",
            "x=$(./g || true)",
            "f() { ./g || true; }",
            "cat | ./g",
            "./g <<< x",
            "((",
            "",
        ] {
            let found = find_dropped_exit_codes(line);
            let found: Vec<_> = found.iter().map(|dropped| &*dropped.command).collect();
            let expected: &[&str] = if line == "cat | ./g" { &["cat"] } else { &[] };
            assert_eq!(found, expected, "{line}");
        }
    }
}
