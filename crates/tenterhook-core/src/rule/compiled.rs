//! A rule, compiled: all that is wrong with it, or what it says of an event.

use super::eval::{Machine, Stop};
use super::expr::Expr;
use super::lower::{self, Lowered};
use super::parse::{self, NotParsed};
use super::template::{self, Piece};
use super::value::Value;
use super::vocabulary::Shape;
use super::{Flaw, Incomplete, Part, Rule, RuleInput, Unsettled};
use crate::answer::{Answer, Effects, Failure, Mark, Restraint};
use crate::diagnostic::Code;

/// Longest text that a rule says.
const LONGEST_TEXT: usize = 16 * 1024;
/// Longest text as it is written, and most expressions in it: each of them is parsed when the rule is loaded.
const LONGEST_WRITTEN: usize = 16 * 1024;
const MOST_EXPRESSIONS: usize = 32;
/// How much of an expression a message quotes.
const QUOTED: usize = 200;

/// A compiled rule.
#[derive(Debug)]
pub(super) struct Compiled {
    when: Test,
    deny: Option<Source<Text>>,
    ask: Option<Source<Text>>,
    context: Option<Source<Text>>,
    rewrite: Option<Source<Expr>>,
    /// What it changes in the session.
    marks: Vec<Mark>,
}

/// An expression that is true or false.
#[derive(Debug)]
pub(super) struct Test {
    source: Source<Expr>,
    /// Whether it asks itself what of a line was not read (RU-41).
    asks_doubt: bool,
}

/// Something compiled, and what was written.
#[derive(Debug)]
pub(super) struct Source<T> {
    is: T,
    written: String,
}

/// The pieces of a text.
type Text = Vec<Fragment>;

#[derive(Debug)]
enum Fragment {
    Plain(String),
    Value(Expr),
}

/// Compiles a rule, or returns all its problems.
pub(super) fn compile_rule(rule: &Rule) -> Result<Compiled, Vec<Flaw>> {
    let mut flaws = Vec::new();
    let when = ok_or_push_flaw(compile_bool_expression(rule.when_expression()), &mut flaws);
    let mut said = |part| {
        let written = rule.part_text(part)?;
        let is = ok_or_push_flaw(compile_text_template(written, part), &mut flaws)?;
        Some(Source { is, written: shorten_for_quote(written) })
    };
    let (deny, ask, context) = (said(Part::Deny), said(Part::Ask), said(Part::Context));
    let rewrite = rule.part_text(Part::Rewrite).and_then(|written| {
        let is = ok_or_push_flaw(compile_expression(written, Part::Rewrite, 0), &mut flaws)?.expr;
        Some(Source { is, written: shorten_for_quote(written) })
    });
    if Part::ALL.iter().skip(1).all(|part| rule.part_text(*part).is_none()) {
        flaws.push(Flaw {
            part: Part::When,
            code: Code::EmptyRule,
            at: 0..rule.when_expression().len(),
            message: "the rule says nothing when it holds".to_owned(),
            help: "add `deny`, `ask`, `context`, `rewrite`, `label`, `count` or `clear`".to_owned(),
        });
    }
    let is_empty = |part: &Part| rule.part_text(*part).is_some_and(|text| text.trim().is_empty());
    flaws.extend([Part::Deny, Part::Ask, Part::Context].into_iter().filter(is_empty).map(|part| {
        Flaw {
            part,
            code: Code::EmptyRule,
            at: 0..rule.part_text(part).map_or(0, str::len),
            message: format!("`{}` is empty: a model that hears no reason tries again", part.key()),
            help: "say why, and what to do instead".to_owned(),
        }
    }));
    flaws.extend(flaws_of_mark_names(rule));
    let marks = rule.marks();
    match when {
        Some(when) if flaws.is_empty() => Ok(Compiled { when, deny, ask, context, rewrite, marks }),
        _ => Err(flaws),
    }
}

/// Returns a flaw for each name of a label or counter that no session may have (SS-1).
fn flaws_of_mark_names(rule: &Rule) -> impl Iterator<Item = Flaw> {
    let name = |part: Part| Some((part, rule.part_text(part)?));
    let names = Part::MARKS.into_iter().filter_map(name);
    names.filter(|(_, name)| !Mark::is_valid_name(name)).map(|(part, name)| Flaw {
        part,
        code: Code::BadRule,
        at: 0..name.len(),
        message: format!("`{}` is no name: it is empty, longer than 64 bytes or has other characters than letters, digits, inner blanks and `_-./:`", part.key()),
        help: "write a plain name, such as `secret read`; it holds no expressions".to_owned(),
    })
}

/// Compiles an expression that must be true or false.
pub(super) fn compile_bool_expression(text: &str) -> Result<Test, Flaw> {
    let Lowered { expr, shape, asks_doubt } = compile_expression(text, Part::When, 0)?;
    if shape.is_compatible_with(Shape::Bool) {
        return Ok(Test {
            source: Source { is: expr, written: shorten_for_quote(text) },
            asks_doubt,
        });
    }
    Err(Flaw {
        part: Part::When,
        code: Code::BadRule,
        at: 0..text.len(),
        message: format!(
            "this is {}, and {} is needed",
            shape.kind_name(),
            Shape::Bool.kind_name()
        ),
        help: "compare it with something, such as `tool.name == \"Bash\"`".to_owned(),
    })
}

fn ok_or_push_flaw<T>(result: Result<T, Flaw>, flaws: &mut Vec<Flaw>) -> Option<T> {
    result.map_err(|flaw| flaws.push(flaw)).ok()
}

/// Compiles an expression that begins at byte `from` of a part's text.
fn compile_expression(text: &str, part: Part, from: usize) -> Result<Lowered, Flaw> {
    // Only what is wrong needs a place.
    if let Some(lowered) =
        parse::parse_without_spans(text).and_then(|plain| lower::lower_expression(&plain).ok())
    {
        return Ok(lowered);
    }
    let flaw = |code, at: std::ops::Range<usize>, message, help| Flaw {
        part,
        code,
        at: at.start + from..at.end + from,
        message,
        help,
    };
    let parsed = parse::parse_expression(text).map_err(|error| match error {
        NotParsed::Malformed { at, message } => {
            let help = "write what must hold, such as `tool.name == 'Bash'`; `tenterhook explain RU-1` says more".to_owned();
            flaw(Code::BadRule, at, message, help)
        }
        NotParsed::TooLarge { at, message } => {
            flaw(Code::RuleTooCostly, at, message, "write several rules".to_owned())
        }
    })?;
    lower::lower_expression(&parsed)
        .map_err(|wrong| flaw(wrong.code, wrong.at, wrong.message, wrong.help))
}

fn compile_text_template(text: &str, part: Part) -> Result<Text, Flaw> {
    let too_large = |message: String| Flaw {
        part,
        code: Code::RuleTooCostly,
        at: 0..text.len(),
        message,
        help: "say less, or write several rules".to_owned(),
    };
    if text.len() > LONGEST_WRITTEN {
        return Err(too_large(format!("it is longer than {LONGEST_WRITTEN} bytes")));
    }
    let pieces = template::split_template(text).map_err(|at| Flaw {
        part,
        code: Code::BadRule,
        at: at..at + 1,
        message: "a brace without its other half".to_owned(),
        help: "write `{expression}`, or `{{` and `}}` for the braces themselves".to_owned(),
    })?;
    if pieces.iter().filter(|piece| matches!(piece, Piece::Expression(_))).count()
        > MOST_EXPRESSIONS
    {
        return Err(too_large(format!("it has more than {MOST_EXPRESSIONS} expressions")));
    }
    let compile = |piece| match piece {
        Piece::Plain(plain) => Ok(Fragment::Plain(plain)),
        Piece::Expression(at) => {
            let inner = text.get(at.clone()).unwrap_or_default();
            Ok(Fragment::Value(compile_expression(inner, part, at.start)?.expr))
        }
    };
    pieces.into_iter().map(compile).collect()
}

impl Test {
    /// Returns true if the expression is true of the event.
    pub(super) fn holds_for_event(
        &self,
        rule_input: &RuleInput,
        incomplete: Incomplete,
        go_on: &dyn Fn() -> bool,
    ) -> Result<bool, Unsettled> {
        self.evaluate_bool(&Machine::new(rule_input, go_on), incomplete)
    }

    fn evaluate_bool<'a>(
        &'a self,
        machine: &Machine<'a, '_>,
        incomplete: Incomplete,
    ) -> Result<bool, Unsettled> {
        let before = machine.unknown_tokens.replace(incomplete);
        let incomplete = if self.asks_doubt { Incomplete::Ignored } else { incomplete };
        let value = machine
            .evaluate_with_incomplete_policy(incomplete, || machine.evaluate_bool(&self.source.is));
        machine.unknown_tokens.set(before);
        value.map_err(|stop| unsettled_from_stop(&self.source, stop))
    }
}

impl Compiled {
    /// Evaluates the rule; `None` if its expression is false.
    pub(super) fn evaluate(
        &self,
        rule_input: &RuleInput,
        incomplete: Incomplete,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Option<Answer>, Unsettled> {
        let machine = Machine::new(rule_input, go_on);
        if !self.when.evaluate_bool(&machine, incomplete)? {
            return Ok(None);
        }
        self.build_answer(&machine).map(Some)
    }

    /// Builds the answer of a rule whose expression is true.
    fn build_answer<'a>(&'a self, machine: &Machine<'a, '_>) -> Result<Answer, Unsettled> {
        let mut hole = None;
        let mut answer = match (&self.deny, &self.ask) {
            (Some(deny), _) => {
                Answer::decided(Restraint::Deny, render_text(machine, deny, &mut hole))
            }
            (None, Some(ask)) => {
                Answer::decided(Restraint::Ask, render_text(machine, ask, &mut hole))
            }
            (None, None) => Answer::default(),
        };
        answer.effects.marks.clone_from(&self.marks);
        let whole = hole.map_or(Ok(()), Err);
        match whole.and_then(|()| self.add_context_and_rewrite(machine, &mut answer)) {
            // It holds, so it restrains, whatever has no value in the rest of what it says (RU-6).
            Err(hole) if answer.restraint > Restraint::Allow => {
                let failure = Some(hole.into_failure());
                let effects = Effects { marks: self.marks.clone(), ..Effects::default() };
                Ok(Answer { effects, failure, ..answer })
            }
            other => other.map(|()| answer),
        }
    }

    /// Adds the context and the rewrite of the rule to the answer.
    fn add_context_and_rewrite<'a>(
        &'a self,
        machine: &Machine<'a, '_>,
        answer: &mut Answer,
    ) -> Result<(), Unsettled> {
        if let Some(context) = &self.context {
            let mut hole = None;
            answer.effects.context.push(render_text(machine, context, &mut hole));
            hole.map_or(Ok(()), Err)?;
        }
        self.rewrite
            .as_ref()
            .map_or(Ok(()), |rewrite| add_rewrite_to_answer(machine, rewrite, answer))
    }
}

/// Renders a text of the rule. `...` replaces an expression without a value, and `hole` receives
/// the first such error.
fn render_text<'a>(
    machine: &Machine<'a, '_>,
    text: &'a Source<Text>,
    hole: &mut Option<Unsettled>,
) -> String {
    let mut said = String::new();
    for piece in &text.is {
        let room = LONGEST_TEXT.saturating_sub(said.len());
        match piece {
            Fragment::Plain(plain) => said.push_str(plain),
            Fragment::Value(expr) => {
                let value =
                    machine.evaluate(expr).and_then(|value| machine.format_value(&value, room));
                match value {
                    Ok(value) => said.push_str(&value),
                    Err(stop) => {
                        hole.get_or_insert_with(|| unsettled_from_stop(text, stop));
                        said.push_str("...");
                    }
                }
            }
        }
        if said.len() > LONGEST_TEXT {
            said.truncate(said.floor_char_boundary(LONGEST_TEXT));
            break;
        }
    }
    said
}

/// Puts the rewrite into the answer: as the tool output if there is one, else as the tool input,
/// else as the prompt (RU-5).
fn add_rewrite_to_answer<'a>(
    machine: &Machine<'a, '_>,
    rewrite: &'a Source<Expr>,
    answer: &mut Answer,
) -> Result<(), Unsettled> {
    let value = machine.evaluate(&rewrite.is).map_err(|stop| unsettled_from_stop(rewrite, stop))?;
    let event = machine.rule_input.event();
    let json = |value: &Value<'a>| {
        value.to_json(machine).map_err(|stop| unsettled_from_stop(rewrite, stop))
    };
    let wrong = |wanted: &str, got: &Value<'_>| {
        Err(unsettled_from_stop(rewrite, Stop::wrong_type(wanted, got)))
    };
    if event.payload.contains_key("tool_response") {
        answer.effects.updated_output = Some(json(&value)?);
    } else if event.tool().is_some() {
        let Value::Map(_) = &value else { return wrong("an object", &value) };
        answer.effects.updated_input = Some(json(&value)?);
    } else {
        let Value::Text(prompt) = &value else { return wrong("a string", &value) };
        answer.effects.updated_prompt = Some(prompt.to_string());
    }
    Ok(())
}

impl Unsettled {
    /// Returns the failure with its fault code and a message for people.
    #[must_use]
    pub fn into_failure(self) -> Failure {
        let (code, message) = match self {
            Self::Broken(why) => (
                Code::BrokenRule,
                format!("the rule cannot be used: {why}; `tenterhook check` shows where"),
            ),
            Self::Failed(why) => (Code::RuleFailed, format!("the rule has no value: {why}")),
            Self::TooCostly(why) => (
                Code::RuleTooCostly,
                format!("the rule was given up: {why}; ask for less of a large text or list"),
            ),
            Self::OutOfTime => (Code::TimedOut, "it took longer than it may".to_owned()),
        };
        Failure::new(code, message)
    }
}

fn unsettled_from_stop<T>(of: &Source<T>, stop: Stop) -> Unsettled {
    let message = format!("`{}`: {stop}", of.written);
    match stop {
        Stop::Failed(_) | Stop::Unknown(_) => Unsettled::Failed(message),
        Stop::TooCostly(_) => Unsettled::TooCostly(message),
        Stop::OutOfTime => Unsettled::OutOfTime,
    }
}

fn shorten_for_quote(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= QUOTED {
        return line;
    }
    line.chars().take(QUOTED).chain("...".chars()).collect()
}
