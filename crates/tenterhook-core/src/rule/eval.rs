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
use super::value::{Map, Record, Text, Value};
use super::vocabulary::{Do, FUNCTIONS, Field, Member};
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
    pub(super) fn needs(wanted: &str, got: &Value<'_>) -> Self {
        Self::Failed(format!("{wanted} is needed, and this is {}", got.noun()))
    }

    pub(super) fn arguments(does: Do, args: &[Value<'_>]) -> Self {
        let name = FUNCTIONS
            .iter()
            .find(|function| function.does == does)
            .map_or("", |function| function.name);
        let kinds: Vec<&str> = args.iter().map(Value::noun).collect();
        Self::Failed(format!("`{name}` does not take {}", kinds.join(" and ")))
    }

    pub(super) fn is_final(&self) -> bool {
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
            meter: Meter::with_account(&rule_input.account, go_on),
            incomplete: Cell::new(Incomplete::Ignored),
            locals: RefCell::new(Vec::new()),
        }
    }

    /// Evaluates with that meaning of a line that cannot be read whole.
    pub(super) fn with_incomplete<T>(
        &self,
        incomplete: Incomplete,
        evaluate: impl FnOnce() -> T,
    ) -> T {
        let before = self.incomplete.replace(incomplete);
        let value = evaluate();
        self.incomplete.set(before);
        value
    }

    /// The value depends on a part of the line that was not read.
    pub(super) fn unknown<T>(&self) -> Result<T, Stop> {
        Err(Stop::Unknown(self.rule_input.incomplete_because()))
    }

    /// Whether what the line does not say makes a value unknown, instead of false.
    pub(super) fn minds_doubt(&self) -> bool {
        self.incomplete.get() == Incomplete::Unknown
    }

    /// The value depends on a word of a command that the line does not say (RU-60).
    pub(super) fn unknown_word<T>(&self, command: &SimpleCommand) -> Result<T, Stop> {
        let program = command.program().unwrap_or_default();
        Err(Stop::Unknown(format!(
            "the subcommand of `{program}` is computed, so there may be more than the rule sees"
        )))
    }

    /// Whether the list of that name may lack elements, and the expression is to know it.
    pub(super) fn is_open(&self, field: Field) -> bool {
        self.incomplete.get() == Incomplete::Unknown && ask::is_incomplete(self.rule_input, field)
    }

    /// Counts steps; an end of them is an end of the evaluation.
    pub(super) fn spend(&self, steps: usize) -> Result<(), Stop> {
        if self.meter.spend(steps) {
            return Ok(());
        }
        Err(self.meter.cut().unwrap_or(Cut::TooCostly).into())
    }

    /// A value as people read it, or the start of it that is longer than `most`. Paid for as it is written: lists that hold
    /// one list several times are small to keep and endless to write.
    pub(super) fn text(&self, value: &Value<'a>, most: usize) -> Result<String, Stop> {
        let mut said = BoundedText { machine: self, text: String::new(), most, stop: None };
        // It ends with an error where it is long enough, which is no fault, or costs too much, which is in `stop`.
        let _ = value.write(&mut said);
        said.stop.map_or(Ok(said.text), Err)
    }

    /// The value of `expr`. Its depth is bounded by the parser's bounds.
    pub(super) fn value(&self, expr: &'a Expr) -> Result<Value<'a>, Stop> {
        self.spend(1)?;
        match expr {
            Expr::Constant(constant) => Ok(constant.into()),
            Expr::Local(at) => self.local(*at),
            Expr::Field(field) => self.field(*field),
            Expr::Member(of, member) => self.member(of, *member),
            Expr::Get(of, name) => self.get(of, name),
            Expr::Has(of, name) => Ok(Value::Bool(self.has(of, name)?)),
            Expr::Says(field) => match self.field(*field)? {
                Value::Open(list) if list.len() == 0 => self.unknown(),
                value => Ok(Value::Bool(has_content(&value))),
            },
            Expr::Index(sides) => self.index(sides),
            Expr::Not(of) => Ok(Value::Bool(!self.truth(of)?)),
            Expr::Negate(of) => match self.value(of)? {
                Value::Int(number) => {
                    number.checked_neg().map(Value::Int).ok_or_else(operate::overflow)
                }
                Value::Double(number) => Ok(Value::Double(-number)),
                other => Err(Stop::needs("a number", &other)),
            },
            Expr::And(sides) => self.either(sides, false),
            Expr::Or(sides) => self.either(sides, true),
            Expr::If(parts) => {
                let [test, then, other] = &**parts;
                if self.truth(test)? { self.value(then) } else { self.value(other) }
            }
            Expr::Binary(operator, sides) => {
                let [left, right] = &**sides;
                if let (Operator::In, Expr::List(items)) = (operator, right)
                    && items.iter().all(|expr| matches!(expr, Expr::Constant(_)))
                {
                    return self.is_one_of(left, items);
                }
                let (left, right) = (self.value(left)?, self.value(right)?);
                operate::binary(self, *operator, &left, &right)
            }
            Expr::List(items) => items.iter().map(|expr| self.value(expr)).collect(),
            Expr::Map(fields) => self.map(fields),
            Expr::Loop(looped) => self.looped(looped),
            Expr::Call(does, args) => self.call(*does, args),
            Expr::Cases(cases) => self.cases(cases),
            Expr::Pattern(subject, pattern) => {
                functions::pattern(self, pattern, self.value(subject)?)
            }
        }
    }

    /// The value of `expr`, which must be true or false.
    pub(super) fn truth(&self, expr: &'a Expr) -> Result<bool, Stop> {
        match self.value(expr)? {
            Value::Bool(flag) => Ok(flag),
            other => Err(Stop::needs("a boolean", &other)),
        }
    }

    fn field(&self, field: Field) -> Result<Value<'a>, Stop> {
        ask::prepare(self.rule_input, field, self.go_on)?;
        self.spend(ask::field_cost(self.rule_input, field))?;
        Ok(match ask::field(self.rule_input, field) {
            Value::List(list) if self.is_open(field) => Value::Open(list),
            value => value,
        })
    }

    fn member_of(&self, record: Record<'a>, member: Member) -> Result<Value<'a>, Stop> {
        self.spend(ask::member_cost(record, member))?;
        Ok(ask::member(record, member))
    }

    fn local(&self, at: usize) -> Result<Value<'a>, Stop> {
        let found = self.locals.borrow().get(at).cloned();
        found.ok_or_else(|| Stop::Failed("there is no such variable".to_owned()))
    }

    /// `&&` and `||`: a side that decides wins, even where the other one fails.
    fn either(&self, sides: &'a [Expr; 2], decisive: bool) -> Result<Value<'a>, Stop> {
        let [left, right] = sides;
        let first = self.truth(left);
        match first {
            Ok(flag) if flag == decisive => return Ok(Value::Bool(flag)),
            Err(stop) if stop.is_final() => return Err(stop),
            Ok(_) | Err(_) => {}
        }
        match (first, self.truth(right)) {
            (_, Err(stop)) if stop.is_final() => Err(stop),
            (_, Ok(flag)) if flag == decisive => Ok(Value::Bool(flag)),
            (Err(stop), _) | (_, Err(stop)) => Err(stop),
            (Ok(_), Ok(flag)) => Ok(Value::Bool(flag)),
        }
    }

    /// The same for many sides about one command: none but those that can hold of its program.
    fn cases(&self, cases: &'a Cases) -> Result<Value<'a>, Stop> {
        let Value::Record(Record::Command(command)) = self.local(cases.of)? else {
            return Err(Stop::Failed("there is no such command".to_owned()));
        };
        let mut failed = None;
        for side in cases.for_command(command) {
            match self.truth(side) {
                Ok(true) => return Ok(Value::Bool(true)),
                Err(stop) if stop.is_final() => return Err(stop),
                Ok(false) => {}
                Err(stop) => drop(failed.get_or_insert(stop)),
            }
        }
        failed.map_or(Ok(Value::Bool(false)), Err)
    }

    /// `a in ["b", "c"]`, asked of every word of a line: no list is put together for it.
    fn is_one_of(&self, item: &'a Expr, constants: &'a [Expr]) -> Result<Value<'a>, Stop> {
        let item = self.value(item)?;
        for constant in constants {
            if operate::equal(self, &self.value(constant)?, &item)? {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }

    fn map(&self, fields: &'a [(Expr, Expr)]) -> Result<Value<'a>, Stop> {
        let mut made: Vec<(Text<'a>, Value<'a>)> = Vec::with_capacity(fields.len());
        for (key, value) in fields {
            let Value::Text(key) = self.value(key)? else {
                return Err(Stop::Failed("the keys of an object are strings".to_owned()));
            };
            if made.iter().any(|(name, _)| **name == *key) {
                return Err(Stop::Failed(format!("the key `{}` is given twice", &*key)));
            }
            made.push((key, self.value(value)?));
        }
        Ok(Value::Map(Map::Made(made.into())))
    }

    fn call(&self, does: Do, args: &'a [Expr]) -> Result<Value<'a>, Stop> {
        match args {
            [one] => functions::call(self, does, &[self.value(one)?]),
            [one, two] => functions::call(self, does, &[self.value(one)?, self.value(two)?]),
            many => {
                let values: Vec<_> =
                    many.iter().map(|expr| self.value(expr)).collect::<Result<_, _>>()?;
                functions::call(self, does, &values)
            }
        }
    }

    fn index(&self, sides: &'a [Expr; 2]) -> Result<Value<'a>, Stop> {
        let [of, at] = sides;
        match (self.value(of)?, self.value(at)?) {
            (Value::Open(_), Value::Int(_)) => self.unknown(),
            (Value::List(list), Value::Int(at)) => {
                let found = usize::try_from(at).ok().and_then(|at| list.get(at));
                found.ok_or_else(|| {
                    Stop::Failed(format!("the list has {} elements, and no [{at}]", list.len()))
                })
            }
            (Value::Map(map), Value::Text(key)) => {
                self.spend(map.search_cost())?;
                map.get(&key).ok_or_else(|| no_key(&key))
            }
            (of, at) => Err(Stop::Failed(format!("{} has no element by {}", of.noun(), at.noun()))),
        }
    }

    fn get(&self, of: &'a Expr, name: &str) -> Result<Value<'a>, Stop> {
        match self.value(of)? {
            Value::Map(map) => {
                self.spend(map.search_cost())?;
                map.get(name).ok_or_else(|| no_key(name))
            }
            Value::Record(record) => {
                let member = record.kind().members().iter().find(|member| member.name == name);
                member.map_or_else(|| Err(no_key(name)), |member| self.member_of(record, member.is))
            }
            other => Err(Stop::Failed(format!("{} has no field `{name}`", other.noun()))),
        }
    }

    fn member(&self, of: &'a Expr, member: Member) -> Result<Value<'a>, Stop> {
        match self.value(of)? {
            Value::Record(record) => self.member_of(record, member),
            other => Err(Stop::needs("a record of the shell reader", &other)),
        }
    }

    fn has(&self, of: &'a Expr, name: &str) -> Result<bool, Stop> {
        match self.value(of)? {
            Value::Map(map) => {
                self.spend(map.search_cost())?;
                Ok(map.get(name).is_some())
            }
            Value::Record(record) => {
                Ok(record.kind().members().iter().any(|member| member.name == name))
            }
            other => Err(Stop::Failed(format!("{} has no fields", other.noun()))),
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
        if let Err(stop) = self.machine.spend(1 + part.len() / 16) {
            self.stop = Some(stop);
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        if self.text.len() > self.most { Err(fmt::Error) } else { Ok(()) }
    }
}

fn no_key(key: &str) -> Stop {
    let shown: String = key.chars().take(80).collect();
    Stop::Failed(format!("there is no key `{shown}`; ask `has(...)` first"))
}

/// Whether there is anything in what the event says.
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
