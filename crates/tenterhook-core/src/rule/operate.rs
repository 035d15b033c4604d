//! What do the operators of expressions give? What they walk over is paid for in steps.

use super::eval::{ELEMENT, Machine, Stop};
use super::expr::Operator;
use super::value::{List, Record, Value};

/// Applies an operator to two values.
pub(super) fn binary<'a>(
    machine: &Machine<'a, '_>,
    operator: Operator,
    left: &Value<'a>,
    right: &Value<'a>,
) -> Result<Value<'a>, Stop> {
    let joins = matches!(operator, Operator::In | Operator::Add);
    if !joins && (left.is_open() || right.is_open()) {
        return machine.unknown();
    }
    match operator {
        Operator::Equal => Ok(Value::Bool(equal(machine, left, right)?)),
        Operator::NotEqual => Ok(Value::Bool(!equal(machine, left, right)?)),
        Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => {
            machine.spend(left.weight().min(right.weight()) / 16)?;
            compare(operator, left, right)
        }
        Operator::In => contains(machine, left, right),
        Operator::Add => add(machine, left, right),
        Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Remainder => {
            calculate(operator, left, right)
        }
    }
}

/// Equality as CEL has it: numbers by value, values of different kinds are never equal.
pub(super) fn equal<'a>(
    machine: &Machine<'a, '_>,
    left: &Value<'a>,
    right: &Value<'a>,
) -> Result<bool, Stop> {
    machine.spend(1 + left.weight().min(right.weight()) / 16)?;
    match (left, right) {
        (Value::Open(_), _) | (_, Value::Open(_)) => machine.unknown(),
        (Value::List(left), Value::List(right)) if left.len() == right.len() => {
            for (left, right) in left.iter().zip(right.iter()) {
                if !equal(machine, &left, &right)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Map(left), Value::Map(right)) if left.len() == right.len() => {
            machine.spend(left.len() * ELEMENT)?;
            for (key, value) in left.fields() {
                machine.spend(right.search_cost())?;
                let Some(other) = right.get(&key) else { return Ok(false) };
                if !equal(machine, &value, &other)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Record(left), Value::Record(right)) => {
            machine.spend(left.weight().min(right.weight()))?;
            Ok(match (left, right) {
                (Record::Command(left), Record::Command(right)) => left == right,
                (Record::Redirect(left), Record::Redirect(right)) => left == right,
                (Record::Assignment(left), Record::Assignment(right)) => left == right,
                _ => false,
            })
        }
        (Value::Null, Value::Null) => Ok(true),
        _ => Ok(left.order(right).is_some_and(std::cmp::Ordering::is_eq)),
    }
}

fn contains<'a>(
    machine: &Machine<'a, '_>,
    item: &Value<'a>,
    of: &Value<'a>,
) -> Result<Value<'a>, Stop> {
    match (of, item) {
        (Value::List(list) | Value::Open(list), _) => {
            for element in list.iter() {
                if equal(machine, &element, item)? {
                    return Ok(Value::Bool(true));
                }
            }
            if of.is_open() { machine.unknown() } else { Ok(Value::Bool(false)) }
        }
        (Value::Map(map), Value::Text(key)) => {
            machine.spend(map.search_cost())?;
            Ok(Value::Bool(map.get(key).is_some()))
        }
        (Value::Map(_), _) => Ok(Value::Bool(false)),
        (other, _) => Err(Stop::needs("an array or an object behind `in`", other)),
    }
}

fn add<'a>(
    machine: &Machine<'a, '_>,
    left: &Value<'a>,
    right: &Value<'a>,
) -> Result<Value<'a>, Stop> {
    match (left, right) {
        (Value::Text(left), Value::Text(right)) => {
            machine.spend((left.len() + right.len()) / 16)?;
            Ok(format!("{}{}", &**left, &**right).into())
        }
        (Value::List(one) | Value::Open(one), Value::List(other) | Value::Open(other)) => {
            machine.spend((one.len() + other.len()) * ELEMENT)?;
            let sum = List::Made(one.iter().chain(other.iter()).collect());
            Ok(sum.into_value(left.is_open() || right.is_open()))
        }
        _ => calculate(Operator::Add, left, right),
    }
}

fn compare<'a>(operator: Operator, left: &Value<'a>, right: &Value<'a>) -> Result<Value<'a>, Stop> {
    let Some(order) = left.order(right) else {
        return Err(Stop::Failed(format!("{} has no order to {}", left.noun(), right.noun())));
    };
    Ok(Value::Bool(match operator {
        Operator::Less => order.is_lt(),
        Operator::LessOrEqual => order.is_le(),
        Operator::Greater => order.is_gt(),
        _ => order.is_ge(),
    }))
}

fn calculate<'a>(
    operator: Operator,
    left: &Value<'a>,
    right: &Value<'a>,
) -> Result<Value<'a>, Stop> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => {
            let result = match operator {
                Operator::Add => left.checked_add(*right),
                Operator::Subtract => left.checked_sub(*right),
                Operator::Multiply => left.checked_mul(*right),
                _ if *right == 0 => {
                    return Err(Stop::Failed("it divides by zero".to_owned()));
                }
                Operator::Divide => left.checked_div(*right),
                _ => left.checked_rem(*right),
            };
            result.map(Value::Int).ok_or_else(overflow)
        }
        (Value::Double(left), Value::Double(right)) => match operator {
            Operator::Add => Ok(Value::Double(left + right)),
            Operator::Subtract => Ok(Value::Double(left - right)),
            Operator::Multiply => Ok(Value::Double(left * right)),
            Operator::Divide => Ok(Value::Double(left / right)),
            _ => Err(Stop::Failed("`%` takes whole numbers".to_owned())),
        },
        _ => Err(Stop::Failed(format!(
            "there is no calculating with {} and {}",
            left.noun(),
            right.noun()
        ))),
    }
}

pub(super) fn overflow() -> Stop {
    Stop::Failed("the number is too large".to_owned())
}
