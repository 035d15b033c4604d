//! What do the macros over lists give? Walks over no more elements than can decide; one that fails counts only where none does.

use super::ask;
use super::eval::{ELEMENT, Machine, Stop};
use super::expr::{Expr, Loop, LoopKind};
use super::value::{List, Record, Value};

/// So many commands of a line are one step to who asks for some of them by program: the share of one rule in sorting them.
const SORTED: usize = 16;

impl<'a> Machine<'a, '_> {
    /// Those of the commands of a line of which a macro's body can hold, found by their programs.
    fn chosen(&self, looped: &'a Loop) -> Result<Option<Value<'a>>, Stop> {
        let (Expr::Field(field), Expr::Cases(cases)) = (&looped.range, &looped.body) else {
            return Ok(None);
        };
        let chooses =
            matches!(looped.kind, LoopKind::Exists | LoopKind::ExistsOne | LoopKind::Filter);
        let Some(programs) = cases.programs().filter(|_| chooses) else { return Ok(None) };
        ask::prepare(self.rule_input, *field, self.go_on)?;
        let Some((commands, sorted)) = ask::by_program(self.rule_input, *field) else {
            return Ok(None);
        };
        let places = sorted.positions(commands, programs);
        self.spend(1 + commands.len() / SORTED + places.len() * ELEMENT)?;
        let command = |at: usize| Some(Value::Record(Record::Command(commands.get(at)?)));
        let chosen = List::Made(places.into_iter().filter_map(command).collect());
        Ok(Some(chosen.into_value(self.is_open(*field))))
    }

    pub(super) fn looped(&self, looped: &'a Loop) -> Result<Value<'a>, Stop> {
        let range = match self.chosen(looped)? {
            Some(chosen) => chosen,
            None => self.value(&looped.range)?,
        };
        let is_open = range.is_open();
        let range = match range {
            Value::List(list) | Value::Open(list) => list,
            Value::Map(map) => {
                self.spend(map.len() * ELEMENT)?;
                let keys = map.fields().into_iter().map(|(key, _)| Value::Text(key));
                List::Made(keys.collect())
            }
            other => return Err(Stop::needs("an array", &other)),
        };
        self.over(looped, &range, is_open)
    }

    /// The macro over the known elements of a list; where the list is open, the elements that are not known may be any (RU-44).
    fn over(&self, looped: &'a Loop, range: &List<'a>, is_open: bool) -> Result<Value<'a>, Stop> {
        match looped.kind {
            LoopKind::Exists => self.any(looped, range, true, is_open),
            LoopKind::All => self.any(looped, range, false, is_open),
            LoopKind::ExistsOne => {
                let mut found = 0;
                for item in range.iter() {
                    found += usize::from(self.holds(&looped.body, item)?);
                }
                if is_open && found < 2 {
                    return self.unknown();
                }
                Ok(Value::Bool(found == 1))
            }
            LoopKind::Filter => {
                let mut kept = Vec::new();
                for item in range.iter() {
                    if self.holds(&looped.body, item.clone())? {
                        self.spend(ELEMENT)?;
                        kept.push(item);
                    }
                }
                Ok(List::Made(kept.into()).into_value(is_open))
            }
            LoopKind::Map => {
                let mut made = Vec::new();
                for item in range.iter() {
                    let wanted = match &looped.only {
                        Some(only) => self.holds(only, item.clone())?,
                        None => true,
                    };
                    if wanted {
                        self.spend(ELEMENT)?;
                        made.push(self.under(item, |machine| machine.value(&looped.body))?);
                    }
                }
                Ok(List::Made(made.into()).into_value(is_open))
            }
        }
    }

    /// Whether one element decides; an element that fails counts only where none does.
    fn any(
        &self,
        looped: &'a Loop,
        range: &List<'a>,
        decisive: bool,
        is_open: bool,
    ) -> Result<Value<'a>, Stop> {
        let mut failed = None;
        for item in range.iter() {
            match self.holds(&looped.body, item) {
                Ok(flag) if flag == decisive => return Ok(Value::Bool(flag)),
                Ok(_) => {}
                Err(stop) if stop.is_final() => return Err(stop),
                Err(stop) => failed = Some(stop),
            }
        }
        match failed {
            Some(stop) => Err(stop),
            None if is_open => self.unknown(),
            None => Ok(Value::Bool(!decisive)),
        }
    }

    fn holds(&self, expr: &'a Expr, item: Value<'a>) -> Result<bool, Stop> {
        self.under(item, |machine| machine.truth(expr))
    }

    /// Evaluates with one more variable.
    fn under<T>(&self, item: Value<'a>, evaluate: impl Fn(&Self) -> T) -> T {
        self.locals.borrow_mut().push(item);
        let value = evaluate(self);
        self.locals.borrow_mut().pop();
        value
    }
}
