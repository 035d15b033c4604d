//! Evaluates a compiled expression on an event. Bounded in steps and in depth, and interruptible (RU-32).
//!
//! An own evaluator instead of the crate's: `docs/design/rule.md` says why.

use std::cell::{Cell, RefCell};
use std::fmt::{self, Write};

use tenterhook_shell::SimpleCommand;

use super::ask;
use super::cases::Cases;
use super::expr::{Constant, Expr, Operator};
use super::functions;
use super::input::{Incomplete, RuleInput};
use super::operate;
use super::value::{List, Map, Record, Text, Value};
use super::vocabulary::{Do, FUNCTIONS, Field, Member, SessionQuestion};
use crate::event::meter::{Cut, MOST_OF_EVENT, Meter};

pub(super) use crate::event::meter::MOST_STEPS;

/// Steps for each element of a list that is put together: so many bound the memory that a rule can ask for, too.
pub(super) const ELEMENT: usize = 4;

/// Why there is no value.
#[derive(Debug)]
pub(super) enum Stop {
    /// The expression has none: what went wrong. Another side of `||`, `&&` and the like may make up for it.
    Failed(String),
    /// It depends on a part of the line that was not read: why it was not. Another side may decide as above (RU-40).
    Unknown(String),
    /// It costs more than it may: why.
    TooCostly(String),
    /// There is no more time.
    OutOfTime,
}

impl Stop {
    pub(super) fn wrong_type(wanted: &str, got: &Value<'_>) -> Self {
        Self::Failed(format!("{wanted} is needed, and this is {}", got.kind_name()))
    }

    pub(super) fn wrong_arguments(does: Do, args: &[Value<'_>]) -> Self {
        let name = FUNCTIONS
            .iter()
            .find(|function| function.does == does)
            .map_or("", |function| function.name);
        let kinds: Vec<&str> = args.iter().map(Value::kind_name).collect();
        Self::Failed(format!("`{name}` does not take {}", kinds.join(" and ")))
    }

    pub(super) fn ends_evaluation(&self) -> bool {
        !matches!(self, Self::Failed(_) | Self::Unknown(_))
    }
}

impl From<Cut> for Stop {
    fn from(cut: Cut) -> Self {
        match cut {
            Cut::TooCostly => Self::TooCostly(format!("it takes more than {MOST_STEPS} steps")),
            Cut::EventTooCostly => Self::TooCostly(format!(
                "everything that is asked of the event takes more than {MOST_OF_EVENT} steps"
            )),
            Cut::OutOfTime => Self::OutOfTime,
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(why) | Self::Unknown(why) | Self::TooCostly(why) => f.write_str(why),
            Self::OutOfTime => f.write_str("its time is up"),
        }
    }
}

/// One evaluation under way.
pub(super) struct Machine<'a, 'g> {
    pub(super) rule_input: &'a RuleInput,
    pub(super) go_on: &'g dyn Fn() -> bool,
    meter: Meter<'g>,
    incomplete: Cell<Incomplete>,
    /// The same for tokens that are not known, which an expression about the line's doubt does not
    /// handle.
    pub(super) unknown_tokens: Cell<Incomplete>,
    /// The variables of the macros around.
    pub(super) locals: RefCell<Vec<Value<'a>>>,
}

impl<'a, 'g> Machine<'a, 'g> {
    pub(super) fn new(rule_input: &'a RuleInput, go_on: &'g dyn Fn() -> bool) -> Self
    where
        'a: 'g,
    {
        Self {
            rule_input,
            go_on,
            meter: Meter::new_with_shared_account(&rule_input.account, go_on),
            incomplete: Cell::new(Incomplete::Ignored),
            unknown_tokens: Cell::new(Incomplete::Ignored),
            locals: RefCell::new(Vec::new()),
        }
    }

    /// Runs `evaluate` with this treatment of a line that cannot be read whole.
    pub(super) fn evaluate_with_incomplete_policy<T>(
        &self,
        incomplete: Incomplete,
        evaluate: impl FnOnce() -> T,
    ) -> T {
        let before = self.incomplete.replace(incomplete);
        let value = evaluate();
        self.incomplete.set(before);
        value
    }

    /// Returns the error that the value depends on an unread part of the line.
    pub(super) fn unread_part_error<T>(&self) -> Result<T, Stop> {
        Err(Stop::Unknown(self.rule_input.lists_incomplete_reason()))
    }

    /// Returns true if an unreadable part of the line makes a value unknown instead of false.
    pub(super) fn treats_doubt_as_unknown(&self) -> bool {
        self.incomplete.get() == Incomplete::Unknown
    }

    /// Returns the error that the value depends on a computed word of a command (RU-60).
    pub(super) fn computed_word_error<T>(&self, command: &SimpleCommand) -> Result<T, Stop> {
        let program = command.program_name().unwrap_or_default();
        Err(Stop::Unknown(format!(
            "the subcommand of `{program}` is computed, so there may be more than the rule sees"
        )))
    }

    /// Returns true if the list of that field may lack elements and the expression must treat it as
    /// unknown.
    pub(super) fn is_field_list_open_ended(&self, field: Field) -> bool {
        self.incomplete.get() == Incomplete::Unknown
            && ask::is_list_field_incomplete(self.rule_input, field)
    }

    /// Counts steps; fails once the limit is reached.
    pub(super) fn spend_steps(&self, steps: usize) -> Result<(), Stop> {
        if self.meter.spend_steps(steps) {
            return Ok(());
        }
        Err(self.meter.why_cut().unwrap_or(Cut::TooCostly).into())
    }

    /// Formats a value for people, up to about `most` bytes. Steps are counted while writing,
    /// because a list that contains another list several times is small in memory and huge as text.
    pub(super) fn format_value(&self, value: &Value<'a>, most: usize) -> Result<String, Stop> {
        let mut said = BoundedText { machine: self, text: String::new(), most, stop: None };
        // It ends with an error where it is long enough, which is no fault, or costs too much, which is in `stop`.
        let _ = value.write_for_people(&mut said);
        said.stop.map_or(Ok(said.text), Err)
    }

    /// Evaluates `expr`. The parser bounds its depth.
    pub(super) fn evaluate(&self, expr: &'a Expr) -> Result<Value<'a>, Stop> {
        self.spend_steps(1)?;
        match expr {
            Expr::Constant(constant) => Ok(constant.into()),
            Expr::Local(at) => self.local_variable(*at),
            Expr::Field(field) => self.evaluate_field(*field),
            Expr::Member(of, member) => self.evaluate_member(of, *member),
            Expr::Get(of, name) => self.evaluate_field_by_name(of, name),
            Expr::Has(of, name) => Ok(Value::Bool(self.evaluate_has_field(of, name)?)),
            Expr::Says(field) => match self.evaluate_field(*field)? {
                Value::Open(list) if list.len() == 0 => self.unread_part_error(),
                value => Ok(Value::Bool(has_content(&value))),
            },
            Expr::Index(sides) => self.evaluate_index(sides),
            Expr::Not(of) => Ok(Value::Bool(!self.evaluate_bool(of)?)),
            Expr::Negate(of) => match self.evaluate(of)? {
                Value::Int(number) => {
                    number.checked_neg().map(Value::Int).ok_or_else(operate::overflow_error)
                }
                Value::Double(number) => Ok(Value::Double(-number)),
                other => Err(Stop::wrong_type("a number", &other)),
            },
            Expr::And(sides) => self.evaluate_and_or(sides, false),
            Expr::Or(sides) => self.evaluate_and_or(sides, true),
            Expr::If(parts) => {
                let [test, then, other] = &**parts;
                if self.evaluate_bool(test)? { self.evaluate(then) } else { self.evaluate(other) }
            }
            Expr::Binary(operator, sides) => {
                let [left, right] = &**sides;
                if let (Operator::In, Expr::List(items)) = (operator, right)
                    && items.iter().all(|expr| matches!(expr, Expr::Constant(_)))
                {
                    return self.evaluate_is_one_of(left, items);
                }
                let (left, right) = (self.evaluate(left)?, self.evaluate(right)?);
                operate::apply_binary(self, *operator, &left, &right)
            }
            Expr::List(items) => items.iter().map(|expr| self.evaluate(expr)).collect(),
            Expr::Map(fields) => self.evaluate_map_literal(fields),
            Expr::Loop(looped) => self.evaluate_loop(looped),
            Expr::Call(does, args) => self.evaluate_function_call(*does, args),
            Expr::Cases(cases) => self.evaluate_or_by_program(cases),
            Expr::Session(question, argument) => {
                let argument = self.evaluate(argument)?;
                self.evaluate_session_question(*question, &argument)
            }
            Expr::Pattern(subject, pattern) => {
                functions::match_pattern(self, pattern, self.evaluate(subject)?)
            }
        }
    }

    /// Evaluates `expr`, which must be true or false.
    pub(super) fn evaluate_bool(&self, expr: &'a Expr) -> Result<bool, Stop> {
        match self.evaluate(expr)? {
            Value::Bool(flag) => Ok(flag),
            other => Err(Stop::wrong_type("a boolean", &other)),
        }
    }

    fn evaluate_field(&self, field: Field) -> Result<Value<'a>, Stop> {
        if let Field::Usage(name) = field
            && self.unknown_tokens.get() == Incomplete::Unknown
            && self.rule_input.usage_number(name).is_none()
        {
            return Err(Stop::Unknown(format!(
                "`usage.{name}` is not known of this session: no transcript of the agent has it; \
                 write `doubt = \"ignore\"` to read 0 then"
            )));
        }
        ask::prepare_field(self.rule_input, field, self.go_on)?;
        self.spend_steps(ask::field_cost(self.rule_input, field))?;
        Ok(match ask::field_value(self.rule_input, field) {
            Value::List(list) if self.is_field_list_open_ended(field) => Value::Open(list),
            value => value,
        })
    }

    /// Answers a question to the session (SS-10, SS-11).
    fn evaluate_session_question(
        &self,
        question: SessionQuestion,
        argument: &Value<'a>,
    ) -> Result<Value<'a>, Stop> {
        self.rule_input.check_history_is_readable()?;
        let history = self.rule_input.history();
        match (question, argument) {
            (SessionQuestion::Seen, Value::Text(name)) => Ok(Value::Bool(history.has_label(name))),
            (SessionQuestion::Count, Value::Text(name)) => {
                Ok(Value::Int(i64::try_from(history.count(name)).unwrap_or(i64::MAX)))
            }
            (SessionQuestion::Last, Value::Int(number)) => {
                let number = usize::try_from(*number).unwrap_or(0);
                let calls = self.rule_input.last_calls_of_session(number)?;
                Ok(Value::List(List::PastCalls(calls)))
            }
            (SessionQuestion::Wrote, Value::Text(path)) => {
                self.rule_input.check_past_writes_are_readable()?;
                let past = self.rule_input.past_writes();
                self.spend_steps(past.paths.len() + path.len())?;
                if self.rule_input.has_session_written(path) {
                    return Ok(Value::Bool(true));
                }
                match past.lacks_some && self.treats_doubt_as_unknown() {
                    true => self.unread_part_error(),
                    false => Ok(Value::Bool(false)),
                }
            }
            (SessionQuestion::Last, other) => Err(Stop::wrong_type("a whole number", other)),
            (_, other) => Err(Stop::wrong_type("a string", other)),
        }
    }

    fn evaluate_record_member(
        &self,
        record: Record<'a>,
        member: Member,
    ) -> Result<Value<'a>, Stop> {
        self.spend_steps(ask::member_cost(record, member))?;
        Ok(ask::member_value(record, member))
    }

    fn local_variable(&self, at: usize) -> Result<Value<'a>, Stop> {
        let found = self.locals.borrow().get(at).cloned();
        found.ok_or_else(|| Stop::Failed("there is no such variable".to_owned()))
    }

    /// Evaluates `&&` or `||`. A side that decides wins, even if the other side fails.
    fn evaluate_and_or(&self, sides: &'a [Expr; 2], decisive: bool) -> Result<Value<'a>, Stop> {
        let [left, right] = sides;
        let first = self.evaluate_bool(left);
        match first {
            Ok(flag) if flag == decisive => return Ok(Value::Bool(flag)),
            Err(stop) if stop.ends_evaluation() => return Err(stop),
            Ok(_) | Err(_) => {}
        }
        match (first, self.evaluate_bool(right)) {
            (_, Err(stop)) if stop.ends_evaluation() => Err(stop),
            (_, Ok(flag)) if flag == decisive => Ok(Value::Bool(flag)),
            (Err(stop), _) | (_, Err(stop)) => Err(stop),
            (Ok(_), Ok(flag)) => Ok(Value::Bool(flag)),
        }
    }

    /// Evaluates an `||` of many sides about one command, skipping the sides that cannot be true of
    /// its program.
    fn evaluate_or_by_program(&self, cases: &'a Cases) -> Result<Value<'a>, Stop> {
        let Value::Record(Record::Command(command)) = self.local_variable(cases.of)? else {
            return Err(Stop::Failed("there is no such command".to_owned()));
        };
        let mut failed = None;
        for side in cases.possible_sides_for_command(command) {
            match self.evaluate_bool(side) {
                Ok(true) => return Ok(Value::Bool(true)),
                Err(stop) if stop.ends_evaluation() => return Err(stop),
                Ok(false) => {}
                Err(stop) => drop(failed.get_or_insert(stop)),
            }
        }
        failed.map_or(Ok(Value::Bool(false)), Err)
    }

    /// Evaluates `a in ["b", "c"]` without building the list.
    fn evaluate_is_one_of(&self, item: &'a Expr, constants: &'a [Expr]) -> Result<Value<'a>, Stop> {
        let item = self.evaluate(item)?;
        for constant in constants {
            if operate::values_equal(self, &self.evaluate(constant)?, &item)? {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }

    fn evaluate_map_literal(&self, fields: &'a [(Expr, Expr)]) -> Result<Value<'a>, Stop> {
        let mut made: Vec<(Text<'a>, Value<'a>)> = Vec::with_capacity(fields.len());
        for (key, value) in fields {
            let Value::Text(key) = self.evaluate(key)? else {
                return Err(Stop::Failed("the keys of an object are strings".to_owned()));
            };
            if made.iter().any(|(name, _)| **name == *key) {
                return Err(Stop::Failed(format!("the key `{}` is given twice", &*key)));
            }
            made.push((key, self.evaluate(value)?));
        }
        Ok(Value::Map(Map::Made(made.into())))
    }

    fn evaluate_function_call(&self, does: Do, args: &'a [Expr]) -> Result<Value<'a>, Stop> {
        match args {
            [one] => functions::call_function(self, does, &[self.evaluate(one)?]),
            [one, two] => {
                functions::call_function(self, does, &[self.evaluate(one)?, self.evaluate(two)?])
            }
            many => {
                let values: Vec<_> =
                    many.iter().map(|expr| self.evaluate(expr)).collect::<Result<_, _>>()?;
                functions::call_function(self, does, &values)
            }
        }
    }

    fn evaluate_index(&self, sides: &'a [Expr; 2]) -> Result<Value<'a>, Stop> {
        let [of, at] = sides;
        match (self.evaluate(of)?, self.evaluate(at)?) {
            (Value::Open(_), Value::Int(_)) => self.unread_part_error(),
            (Value::List(list), Value::Int(at)) => {
                let found = usize::try_from(at).ok().and_then(|at| list.get(at));
                found.ok_or_else(|| {
                    Stop::Failed(format!("the list has {} elements, and no [{at}]", list.len()))
                })
            }
            (Value::Map(map), Value::Text(key)) => {
                self.spend_steps(map.search_cost())?;
                map.get(&key).ok_or_else(|| missing_key_error(&key))
            }
            (of, at) => Err(Stop::Failed(format!(
                "{} has no element by {}",
                of.kind_name(),
                at.kind_name()
            ))),
        }
    }

    fn evaluate_field_by_name(&self, of: &'a Expr, name: &str) -> Result<Value<'a>, Stop> {
        match self.evaluate(of)? {
            Value::Map(map) => {
                self.spend_steps(map.search_cost())?;
                map.get(name).ok_or_else(|| missing_key_error(name))
            }
            Value::Record(record) => {
                let member =
                    record.record_kind().record_members().iter().find(|member| member.name == name);
                member.map_or_else(
                    || Err(missing_key_error(name)),
                    |member| self.evaluate_record_member(record, member.is),
                )
            }
            other => Err(Stop::Failed(format!("{} has no field `{name}`", other.kind_name()))),
        }
    }

    fn evaluate_member(&self, of: &'a Expr, member: Member) -> Result<Value<'a>, Stop> {
        match self.evaluate(of)? {
            Value::Record(record) => self.evaluate_record_member(record, member),
            other => Err(Stop::wrong_type("a record of the shell reader", &other)),
        }
    }

    fn evaluate_has_field(&self, of: &'a Expr, name: &str) -> Result<bool, Stop> {
        match self.evaluate(of)? {
            Value::Map(map) => {
                self.spend_steps(map.search_cost())?;
                Ok(map.get(name).is_some())
            }
            Value::Record(record) => {
                Ok(record.record_kind().record_members().iter().any(|member| member.name == name))
            }
            other => Err(Stop::Failed(format!("{} has no fields", other.kind_name()))),
        }
    }
}

/// A text that is written at its price, and that ends when it is long enough.
struct BoundedText<'m, 'a, 'g> {
    machine: &'m Machine<'a, 'g>,
    text: String,
    most: usize,
    stop: Option<Stop>,
}

impl Write for BoundedText<'_, '_, '_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if let Err(stop) = self.machine.spend_steps(1 + part.len() / 16) {
            self.stop = Some(stop);
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        if self.text.len() > self.most { Err(fmt::Error) } else { Ok(()) }
    }
}

fn missing_key_error(key: &str) -> Stop {
    let shown: String = key.chars().take(80).collect();
    Stop::Failed(format!("there is no key `{shown}`; ask `has(...)` first"))
}

/// Returns true if the value is not empty.
fn has_content(value: &Value<'_>) -> bool {
    match value {
        Value::Text(text) => !text.is_empty(),
        Value::List(list) | Value::Open(list) => list.len() > 0,
        Value::Map(map) => map.len() > 0,
        _ => true,
    }
}

impl<'a> From<&'a Constant> for Value<'a> {
    fn from(constant: &'a Constant) -> Self {
        match constant {
            Constant::Null => Self::Null,
            Constant::Bool(flag) => Self::Bool(*flag),
            Constant::Int(number) => Self::Int(*number),
            Constant::Double(number) => Self::Double(*number),
            Constant::Text(text) => text.into(),
        }
    }
}
