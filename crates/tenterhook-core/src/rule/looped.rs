//! What do the macros over lists give? Walks over no more elements than can decide; one that fails counts only where none does.

use super::ask;
use super::eval::{ELEMENT, Machine, Stop};
use super::expr::{Expr, Loop, LoopKind};
use super::value::{List, Record, Value};

/// So many commands of a line are one step to who asks for some of them by program: the share of one rule in sorting them.
const SORTED: usize = 16;

impl<'a> Machine<'a, '_> {
    /// Returns the commands of the field over which the macro goes, without those whose program
    /// makes its body false; `None` if it cannot be evaluated that way.
    fn select_commands_for_loop(&self, looped: &'a Loop) -> Result<Option<Value<'a>>, Stop> {
        let (Expr::Field(field), Expr::Cases(cases)) = (&looped.range, &looped.body) else {
            return Ok(None);
        };
        let chooses =
            matches!(looped.kind, LoopKind::Exists | LoopKind::ExistsOne | LoopKind::Filter);
        let Some(programs) = cases.possible_programs().filter(|_| chooses) else { return Ok(None) };
        ask::prepare_field(self.rule_input, *field, self.go_on)?;
        let Some((commands, sorted)) = ask::commands_and_program_index(self.rule_input, *field)
        else {
            return Ok(None);
        };
        let places = sorted.positions_of_programs(commands, programs);
        self.spend_steps(1 + commands.len() / SORTED + places.len() * ELEMENT)?;
        let command = |at: usize| Some(Value::Record(Record::Command(commands.get(at)?)));
        let chosen = List::Made(places.into_iter().filter_map(command).collect());
        Ok(Some(chosen.into_value(self.is_field_list_open_ended(*field))))
    }

    pub(super) fn evaluate_loop(&self, looped: &'a Loop) -> Result<Value<'a>, Stop> {
        let range = match self.select_commands_for_loop(looped)? {
            Some(chosen) => chosen,
            None => self.evaluate(&looped.range)?,
        };
        let is_open = range.is_open_ended_list();
        let range = match range {
            Value::List(list) | Value::Open(list) => list,
            Value::Map(map) => {
                self.spend_steps(map.len() * ELEMENT)?;
                let keys = map.fields().into_iter().map(|(key, _)| Value::Text(key));
                List::Made(keys.collect())
            }
            other => return Err(Stop::wrong_type("an array", &other)),
        };
        self.evaluate_loop_over(looped, &range, is_open)
    }

    /// Evaluates the macro over the known elements of a list. In an open list, the unknown elements
    /// may have any value (RU-44).
    fn evaluate_loop_over(
        &self,
        looped: &'a Loop,
        range: &List<'a>,
        is_open: bool,
    ) -> Result<Value<'a>, Stop> {
        match looped.kind {
            LoopKind::Exists => self.evaluate_exists_or_all(looped, range, true, is_open),
            LoopKind::All => self.evaluate_exists_or_all(looped, range, false, is_open),
            LoopKind::ExistsOne => {
                let mut found = 0;
                for item in range.iter() {
                    found += usize::from(self.holds_for_item(&looped.body, item)?);
                }
                if is_open && found < 2 {
                    return self.unread_part_error();
                }
                Ok(Value::Bool(found == 1))
            }
            LoopKind::Filter => {
                let mut kept = Vec::new();
                for item in range.iter() {
                    if self.holds_for_item(&looped.body, item.clone())? {
                        self.spend_steps(ELEMENT)?;
                        kept.push(item);
                    }
                }
                Ok(List::Made(kept.into()).into_value(is_open))
            }
            LoopKind::Count => {
                let mut count = 0_i64;
                for item in range.iter() {
                    count += i64::from(self.holds_for_item(&looped.body, item)?);
                }
                if is_open {
                    return self.unread_part_error();
                }
                Ok(Value::Int(count))
            }
            LoopKind::Map => {
                let mut made = Vec::new();
                for item in range.iter() {
                    let wanted = match &looped.only {
                        Some(only) => self.holds_for_item(only, item.clone())?,
                        None => true,
                    };
                    if wanted {
                        self.spend_steps(ELEMENT)?;
                        made.push(self.evaluate_with_local_variable(item, |machine| {
                            machine.evaluate(&looped.body)
                        })?);
                    }
                }
                Ok(List::Made(made.into()).into_value(is_open))
            }
        }
    }

    /// Returns true if one element decides. An element that fails matters only if no other decides.
    fn evaluate_exists_or_all(
        &self,
        looped: &'a Loop,
        range: &List<'a>,
        decisive: bool,
        is_open: bool,
    ) -> Result<Value<'a>, Stop> {
        let mut failed = None;
        for item in range.iter() {
            match self.holds_for_item(&looped.body, item) {
                Ok(flag) if flag == decisive => return Ok(Value::Bool(flag)),
                Ok(_) => {}
                Err(stop) if stop.ends_evaluation() => return Err(stop),
                Err(stop) => failed = Some(stop),
            }
        }
        match failed {
            Some(stop) => Err(stop),
            None if is_open => self.unread_part_error(),
            None => Ok(Value::Bool(!decisive)),
        }
    }

    fn holds_for_item(&self, expr: &'a Expr, item: Value<'a>) -> Result<bool, Stop> {
        self.evaluate_with_local_variable(item, |machine| machine.evaluate_bool(expr))
    }

    /// Evaluates with one more local variable.
    fn evaluate_with_local_variable<T>(&self, item: Value<'a>, evaluate: impl Fn(&Self) -> T) -> T {
        self.locals.borrow_mut().push(item);
        let value = evaluate(self);
        self.locals.borrow_mut().pop();
        value
    }
}
