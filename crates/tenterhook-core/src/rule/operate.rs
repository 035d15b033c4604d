//! What do the operators of expressions give? What they walk over is paid for in steps.

use super::eval::{ELEMENT, Machine, Stop};
use super::expr::Operator;
use super::value::{List, Record, Value};

/// Applies an operator to two values.
pub(super) fn apply_binary<'a>(
    machine: &Machine<'a, '_>,
    operator: Operator,
    left: &Value<'a>,
    right: &Value<'a>,
) -> Result<Value<'a>, Stop> {
    let joins = matches!(operator, Operator::In | Operator::Add);
    if !joins && (left.is_open_ended_list() || right.is_open_ended_list()) {
        return machine.unread_part_error();
    }
    match operator {
        Operator::Equal => Ok(Value::Bool(values_equal(machine, left, right)?)),
        Operator::NotEqual => Ok(Value::Bool(!values_equal(machine, left, right)?)),
        Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => {
            machine.spend_steps(left.walk_cost().min(right.walk_cost()) / 16)?;
            compare_values(operator, left, right)
        }
        Operator::In => is_contained(machine, left, right),
        Operator::Add => add_values(machine, left, right),
        Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Remainder => {
            calculate_numbers(operator, left, right)
        }
    }
}

/// Compares two values as CEL does: numbers by value, and values of different kinds are never
/// equal.
pub(super) fn values_equal<'a>(
    machine: &Machine<'a, '_>,
    left: &Value<'a>,
    right: &Value<'a>,
) -> Result<bool, Stop> {
    machine.spend_steps(1 + left.walk_cost().min(right.walk_cost()) / 16)?;
    match (left, right) {
        (Value::Open(_), _) | (_, Value::Open(_)) => machine.unread_part_error(),
        (Value::List(left), Value::List(right)) if left.len() == right.len() => {
            for (left, right) in left.iter().zip(right.iter()) {
                if !values_equal(machine, &left, &right)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Map(left), Value::Map(right)) if left.len() == right.len() => {
            machine.spend_steps(left.len() * ELEMENT)?;
            for (key, value) in left.fields() {
                machine.spend_steps(right.search_cost())?;
                let Some(other) = right.get(&key) else { return Ok(false) };
                if !values_equal(machine, &value, &other)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Record(left), Value::Record(right)) => {
            machine.spend_steps(left.comparison_cost().min(right.comparison_cost()))?;
            Ok(match (left, right) {
                (Record::Command(left), Record::Command(right)) => left == right,
                (Record::Redirect(left), Record::Redirect(right)) => left == right,
                (Record::Assignment(left), Record::Assignment(right)) => left == right,
                _ => false,
            })
        }
        (Value::Null, Value::Null) => Ok(true),
        _ => Ok(left.partial_order(right).is_some_and(std::cmp::Ordering::is_eq)),
    }
}

fn is_contained<'a>(
    machine: &Machine<'a, '_>,
    item: &Value<'a>,
    of: &Value<'a>,
) -> Result<Value<'a>, Stop> {
    match (of, item) {
        (Value::List(list) | Value::Open(list), _) => {
            for element in list.iter() {
                if values_equal(machine, &element, item)? {
                    return Ok(Value::Bool(true));
                }
            }
            if of.is_open_ended_list() {
                machine.unread_part_error()
            } else {
                Ok(Value::Bool(false))
            }
        }
        (Value::Map(map), Value::Text(key)) => {
            machine.spend_steps(map.search_cost())?;
            Ok(Value::Bool(map.get(key).is_some()))
        }
        (Value::Map(_), _) => Ok(Value::Bool(false)),
        (other, _) => Err(Stop::wrong_type("an array or an object behind `in`", other)),
    }
}

fn add_values<'a>(
    machine: &Machine<'a, '_>,
    left: &Value<'a>,
    right: &Value<'a>,
) -> Result<Value<'a>, Stop> {
    match (left, right) {
        (Value::Text(left), Value::Text(right)) => {
            machine.spend_steps((left.len() + right.len()) / 16)?;
            Ok(format!("{}{}", &**left, &**right).into())
        }
        (Value::List(one) | Value::Open(one), Value::List(other) | Value::Open(other)) => {
            machine.spend_steps((one.len() + other.len()) * ELEMENT)?;
            let sum = List::Made(one.iter().chain(other.iter()).collect());
            Ok(sum.into_value(left.is_open_ended_list() || right.is_open_ended_list()))
        }
        _ => calculate_numbers(Operator::Add, left, right),
    }
}

fn compare_values<'a>(
    operator: Operator,
    left: &Value<'a>,
    right: &Value<'a>,
) -> Result<Value<'a>, Stop> {
    let Some(order) = left.partial_order(right) else {
        return Err(Stop::Failed(format!(
            "{} has no order to {}",
            left.kind_name(),
            right.kind_name()
        )));
    };
    Ok(Value::Bool(match operator {
        Operator::Less => order.is_lt(),
        Operator::LessOrEqual => order.is_le(),
        Operator::Greater => order.is_gt(),
        _ => order.is_ge(),
    }))
}

fn calculate_numbers<'a>(
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
            result.map(Value::Int).ok_or_else(overflow_error)
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
            left.kind_name(),
            right.kind_name()
        ))),
    }
}

pub(super) fn overflow_error() -> Stop {
    Stop::Failed("the number is too large".to_owned())
}
