//! Reads cases: those beside a hook (C-56) and those of a file of cases (TE-2). Fires nothing.

use std::time::Duration;

use super::fields::Fields;
use super::keys::{self, Key};
use super::{Reader, detect_format};
use crate::answer::Restraint;
use crate::diagnostic::{Code, nearest_word};
use crate::dialect::native::cases::{Case, CaseFile, Expectation, Happens};
use crate::dialect::{DIALECTS, DialectId};
use crate::hook::HookId;
use crate::source::Source;
use crate::syntax::{self, Entry, FaultKind, Node};

/// Reads the cases beside the hooks of a native file; a case that cannot be used is left out.
pub(crate) fn read_hook_cases(source: &Source) -> Vec<Case> {
    let Some(root) = syntax::parse_by_format(&source.text, detect_format(source)).root else {
        return Vec::new();
    };
    let mut reader = Reader::new(source);
    let mut cases = Vec::new();
    for hook in root.get("hook").map(Node::entries).unwrap_or_default() {
        let on = hook.node.get("on");
        let first = on.and_then(|on| on.as_str().or_else(|| on.as_array()?.first()?.as_str()));
        for node in hook.node.get("test").into_iter().flat_map(as_node_list) {
            let Some(case) = reader.read_case(node, "a case of `test`", keys::TEST) else {
                continue;
            };
            let hook = Some(HookId::new(hook.key.as_str()));
            cases.push(Case { hook, on: first.map(str::to_owned), ..case });
        }
    }
    cases
}

/// Reads a file of cases.
pub(crate) fn read_case_file(source: &Source) -> CaseFile {
    let mut reader = Reader::new(source);
    let parsed = syntax::parse_by_format(&source.text, detect_format(source));
    for fault in parsed.faults.iter().filter(|fault| fault.kind != FaultKind::Empty) {
        let message = format!("the file is not well formed: {}", fault.message);
        reader.report(Code::BrokenFile, fault.span, message).help = fault.help.clone();
    }
    let mut file = CaseFile::default();
    if let Some(root) = parsed.root.filter(|root| root.as_object().is_some()) {
        let entry = Entry { key: String::new(), key_span: root.span, node: root };
        let _ = reader.read_checked_fields(&entry, "a file of cases", keys::CASE_FILE);
        let fields = Fields { entry: &entry };
        let words =
            |key| fields.strings(key).into_iter().map(|(word, _)| word.to_owned()).collect();
        file.config = words("config");
        file.copy = words("copy");
        file.dialect = reader.read_case_file_dialect(&fields);
        for node in fields.get("case").into_iter().flat_map(as_node_list) {
            let Some(case) = reader.read_case(node, "a case", keys::CASE) else { continue };
            let hook = node.get("hook").and_then(Node::as_str).map(HookId::new);
            file.cases.push(Case { hook, ..case });
        }
    }
    file.diagnostics = reader.out.diagnostics;
    file
}

/// Returns the nodes of a list, or the node itself.
fn as_node_list(test: &Node) -> &[Node] {
    test.as_array().unwrap_or(std::slice::from_ref(test))
}

impl Reader<'_> {
    /// Reports what is wrong with the cases beside a hook.
    pub(super) fn check_cases_beside_hook(&mut self, fields: &Fields<'_>) {
        for node in fields.get("test").into_iter().flat_map(as_node_list) {
            let _ = self.read_case(node, "a case of `test`", keys::TEST);
        }
    }

    fn read_case_file_dialect(&mut self, fields: &Fields<'_>) -> Option<DialectId> {
        let name = fields.text("dialect")?;
        let found = DialectId::from_name(name);
        if found.is_none() {
            let known = || DIALECTS.iter().map(|dialect| dialect.id().as_str());
            let help = nearest_word(name, known()).map_or_else(
                || format!("there are {}", keys::join_quoted(known())),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("no dialect is called `{name}`");
            self.report(Code::UnknownDialect, fields.value_span("dialect"), message).help =
                Some(help);
        }
        found
    }

    /// Reads one case; returns `None` if it cannot be used, which is reported.
    fn read_case(&mut self, node: &Node, of: &str, known: &'static [Key]) -> Option<Case> {
        let before = self.error_count();
        let entry = Entry { key: "test".to_owned(), key_span: node.span, node: node.clone() };
        let fields = self.read_checked_fields(&entry, of, known)?;
        for key in ["event", "expect"].into_iter().filter(|key| !fields.has_key(key)) {
            let message = format!("{of} needs `{key}`");
            self.report(Code::MissingKey, node.span, message).help =
                Some("write `{ event = \"Bash git push -f\", expect = \"deny\" }`".to_owned());
        }
        for key in ["reason", "context"] {
            self.check_expected_regex(&fields, key);
        }
        self.check_expected_fault_names(&fields);
        if self.error_count() != before {
            return None;
        }
        let text = |key| fields.text(key).map(str::to_owned);
        let word = fields.text("expect")?;
        Some(Case {
            hook: None,
            on: None,
            name: text("name").unwrap_or_default(),
            place: self.location_of(node.span),
            event: read_case_event(fields.get("event")?)?,
            expect: Expectation {
                decision: restraint_of_word(word),
                stop: word == STOP,
                reason: text("reason"),
                context: text("context"),
                rewrite: fields.get("rewrite").map(Node::to_json),
                within: fields.duration("within").filter(|time| *time > Duration::ZERO),
                background: fields.flag("background"),
                faults: fields
                    .strings("faults")
                    .into_iter()
                    .map(|(name, _)| name.to_owned())
                    .collect(),
            },
            files: read_files_of_case(&fields),
        })
    }

    /// Reports a pattern of an expectation that is not a valid regular expression.
    fn check_expected_regex(&mut self, fields: &Fields<'_>, key: &str) {
        let Some(Err(error)) = fields.text(key).map(regex::Regex::new) else { return };
        let error = error.to_string();
        let why = error.lines().last().unwrap_or_default().trim();
        let why = why.strip_prefix("error: ").unwrap_or(why).to_owned();
        let message = format!("`{key}` is not a valid regular expression: {why}");
        self.report(Code::BadExpression, fields.value_span(key), message).help =
            Some("put `\\` before a character that is meant literally".to_owned());
    }
}

impl Reader<'_> {
    /// Reports the name of a fault that does not exist.
    fn check_expected_fault_names(&mut self, fields: &Fields<'_>) {
        let known = || Code::ALL.iter().map(|code| code.name());
        for (word, span) in fields.strings("faults") {
            if known().any(|name| name == word) {
                continue;
            }
            let message = format!("no fault is called `{word}`");
            self.report(Code::UnknownWord, span, message).help =
                Some(nearest_word(word, known()).map_or_else(
                    || {
                        "write a fault as `tenterhook fire` prints it, such as `timed-out`"
                            .to_owned()
                    },
                    |near| format!("did you mean `{near}`?"),
                ));
        }
    }
}

fn read_case_event(node: &Node) -> Option<Happens> {
    if let Some(words) = node.as_str() {
        return Some(Happens::Words(words.to_owned()));
    }
    Some(Happens::Form(node.to_json().as_object()?.clone()))
}

fn read_files_of_case(fields: &Fields<'_>) -> Vec<(String, String)> {
    let entries = fields.get("files").map(Node::entries).unwrap_or_default();
    let file = |entry: &Entry| Some((entry.key.clone(), entry.node.as_str()?.to_owned()));
    entries.iter().filter_map(file).collect()
}

/// The word of `expect` for a hook that stops everything.
const STOP: &str = "stop";

/// Returns the restraint that a word of `expect` names.
fn restraint_of_word(word: &str) -> Restraint {
    use Restraint::{Allow, Ask, Defer, Deny, Silent};
    let found =
        [Allow, Ask, Defer, Deny].into_iter().find(|restraint| restraint.name() == Some(word));
    found.unwrap_or(Silent)
}
