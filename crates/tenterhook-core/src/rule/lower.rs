//! What does a parsed expression mean in the vocabulary? Resolves every name, compiles every
//! constant pattern, and refuses before it runs what is known to fail or to cost too much (RU-30 to
//! RU-34).

use std::ops::Range;
use std::sync::Arc;

use cel::common::ast::{CallExpr, EntryExpr, Expr as Ast, IdedExpr, LiteralValue, SelectExpr};

use super::expr::{Constant, Expr, Operator};
use super::functions::{self, Compiling};
use super::macros;
use super::parse::Parsed;
use super::vocabulary::{self, Elements, Field, Function, Name, Shape};
use crate::diagnostic::{Code, nearest_word};

/// The problem of an expression, and its span.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) code: Code,
    pub(super) at: Range<usize>,
    pub(super) message: String,
    pub(super) help: String,
}

/// An expression and what its value is known to be.
pub(super) type Typed = (Expr, Shape);

/// A compiled expression.
pub(super) struct Lowered {
    pub(super) expr: Expr,
    pub(super) shape: Shape,
    /// Whether it asks itself what of a line was not read (RU-41).
    pub(super) asks_doubt: bool,
}

/// Compiles `parsed`.
pub(super) fn lower_expression(parsed: &Parsed<'_>) -> Result<Lowered, Wrong> {
    let mut lowering = Lowering { parsed, locals: Vec::new(), asks_doubt: false };
    let (expr, shape) = lowering.lower_node(&parsed.root)?;
    Ok(Lowered { expr, shape, asks_doubt: lowering.asks_doubt })
}

pub(super) struct Lowering<'p> {
    parsed: &'p Parsed<'p>,
    /// The variables of the macros around, outermost first.
    pub(super) locals: Vec<(String, Shape)>,
    asks_doubt: bool,
}

/// Each operator with its name in the tree and what it gives.
const BINARY: &[(&str, Operator, Shape)] = &[
    ("_==_", Operator::Equal, Shape::Bool),
    ("_!=_", Operator::NotEqual, Shape::Bool),
    ("_<_", Operator::Less, Shape::Bool),
    ("_<=_", Operator::LessOrEqual, Shape::Bool),
    ("_>_", Operator::Greater, Shape::Bool),
    ("_>=_", Operator::GreaterOrEqual, Shape::Bool),
    ("_+_", Operator::Add, Shape::Any),
    ("_-_", Operator::Subtract, Shape::Number),
    ("_*_", Operator::Multiply, Shape::Number),
    ("_/_", Operator::Divide, Shape::Number),
    ("_%_", Operator::Remainder, Shape::Number),
    ("@in", Operator::In, Shape::Bool),
];

impl Lowering<'_> {
    pub(super) fn error_at<T>(
        &self,
        node: &IdedExpr,
        code: Code,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Result<T, Wrong> {
        let at = self.parsed.node_span(node.id);
        Err(Wrong { code, at, message: message.into(), help: help.into() })
    }

    fn unknown_name_error<T>(
        &self,
        node: &IdedExpr,
        name: &str,
        message: String,
        help: String,
    ) -> Result<T, Wrong> {
        let at = self.parsed.name_span(node.id, name);
        Err(Wrong { code: Code::UnknownRuleName, at, message, help })
    }

    pub(super) fn lower_node(&mut self, node: &IdedExpr) -> Result<Typed, Wrong> {
        match &node.expr {
            Ast::Literal(literal) => self.lower_literal(node, literal),
            Ast::Ident(name) => self.lower_identifier(node, name),
            Ast::Select(select) => self.lower_field_access(node, select),
            Ast::Call(call) => self.lower_call_expression(node, call),
            Ast::List(list) => {
                let items: Vec<Typed> = list
                    .elements
                    .iter()
                    .map(|element| self.lower_node(element))
                    .collect::<Result<_, _>>()?;
                let texts = items.iter().all(|(_, shape)| *shape == Shape::Text);
                let of = if texts { Elements::Text } else { Elements::Any };
                let items = items.into_iter().map(|(item, _)| item).collect();
                Ok((Expr::List(items), Shape::List(of)))
            }
            Ast::Map(map) => {
                let mut fields = Vec::with_capacity(map.entries.len());
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else { continue };
                    let key = self.lower_with_shape(&entry.key, Shape::Text)?;
                    fields.push((key, self.lower_node(&entry.value)?.0));
                }
                Ok((Expr::Map(fields), Shape::Map))
            }
            Ast::Struct(_) | Ast::Comprehension(_) | Ast::Unspecified => self.error_at(
                node,
                Code::BadRule,
                "rules have no messages of this kind",
                "write an object: `{\"key\": value}`",
            ),
        }
    }

    /// Compiles an expression and checks that its value can have the shape `wanted`.
    pub(super) fn lower_with_shape(
        &mut self,
        node: &IdedExpr,
        wanted: Shape,
    ) -> Result<Expr, Wrong> {
        let (expr, shape) = self.lower_node(node)?;
        if shape.is_compatible_with(wanted) {
            return Ok(expr);
        }
        let message =
            format!("this is {}, and {} is needed", shape.kind_name(), wanted.kind_name());
        self.error_at(
            node,
            Code::BadRule,
            message,
            format!("write what gives {}", wanted.kind_name()),
        )
    }

    fn lower_literal(&self, node: &IdedExpr, literal: &LiteralValue) -> Result<Typed, Wrong> {
        let (constant, shape) = match literal {
            LiteralValue::Null => (Constant::Null, Shape::Any),
            LiteralValue::Boolean(flag) => (Constant::Bool(*flag.inner()), Shape::Bool),
            LiteralValue::Int(number) => (Constant::Int(*number.inner()), Shape::Number),
            LiteralValue::Double(number) => (Constant::Double(*number.inner()), Shape::Number),
            LiteralValue::String(text) => (Constant::Text(Arc::from(text.inner())), Shape::Text),
            LiteralValue::UInt(_) | LiteralValue::Bytes(_) => {
                return self.error_at(
                    node,
                    Code::BadRule,
                    "rules have neither unsigned numbers nor bytes",
                    "write a plain number or a string",
                );
            }
        };
        Ok((Expr::Constant(constant), shape))
    }

    fn find_local(&self, name: &str) -> Option<Typed> {
        let at = self.locals.iter().rposition(|(local, _)| local == name)?;
        let (_, shape) = self.locals.get(at)?;
        Some((Expr::Local(at), *shape))
    }

    fn lower_identifier(&self, node: &IdedExpr, name: &str) -> Result<Typed, Wrong> {
        if let Some(local) = self.find_local(name) {
            return Ok(local);
        }
        if let Some(root) = vocabulary::ROOTS.iter().find(|root| root.name == name) {
            return Ok((Expr::Field(root.is), root.shape));
        }
        if let Some((group, fields)) = vocabulary::GROUPS.iter().find(|(group, _)| *group == name) {
            let message = format!("`{group}` is not a value");
            return self.error_at(
                node,
                Code::BadRule,
                message,
                format!("ask for {}", list_names(fields)),
            );
        }
        let locals = self.locals.iter().map(|(name, _)| name.as_str());
        let known: Vec<&str> = top_level_names().chain(locals).collect();
        let help = nearest_word(name, known.iter().copied()).map_or_else(
            || format!("rules know {}", quote_and_join(known.iter().copied())),
            |near| format!("did you mean `{near}`?"),
        );
        self.error_at(node, Code::UnknownRuleName, format!("there is no `{name}`"), help)
    }

    fn lower_field_access(&mut self, node: &IdedExpr, select: &SelectExpr) -> Result<Typed, Wrong> {
        if let Some(field) = self.find_group_field(&select.operand, &select.field) {
            let found =
                field.or_else(|fields| self.no_such_field_error(node, &select.field, fields))?;
            return Ok((Expr::Field(found.is), found.shape));
        }
        let (operand, shape) = self.lower_node(&select.operand)?;
        match shape {
            Shape::Record(kind) => {
                let found = kind.record_members().iter().find(|member| member.name == select.field);
                match found {
                    Some(member) => Ok((Expr::Member(operand.into(), member.is), member.shape)),
                    None => self.no_such_field_error(node, &select.field, kind.record_members()),
                }
            }
            Shape::Any | Shape::Map => {
                Ok((Expr::Get(operand.into(), select.field.as_str().into()), Shape::Any))
            }
            other => {
                let message = format!("{} has no field `{}`", other.kind_name(), select.field);
                self.error_at(node, Code::BadRule, message, "only objects and records have fields")
            }
        }
    }

    /// Finds the field after `tool.` or `shell.`; `Err` lists the fields of the group.
    pub(super) fn find_group_field(
        &mut self,
        operand: &IdedExpr,
        field: &str,
    ) -> Option<Result<&'static Name<Field>, &'static [Name<Field>]>> {
        let Ast::Ident(group) = &operand.expr else { return None };
        if self.find_local(group).is_some() {
            return None;
        }
        let (_, fields) = vocabulary::GROUPS.iter().find(|(name, _)| name == group)?;
        let found = fields.iter().find(|name| name.name == field);
        self.asks_doubt |= found.is_some_and(|name| name.is.is_about_unread_parts());
        Some(found.ok_or(fields))
    }

    pub(super) fn no_such_field_error<T, N>(
        &self,
        node: &IdedExpr,
        field: &str,
        known: &[Name<N>],
    ) -> Result<T, Wrong> {
        let help = nearest_word(field, known.iter().map(|name| name.name)).map_or_else(
            || format!("there is {}", list_names(known)),
            |near| format!("did you mean `{near}`?"),
        );
        self.unknown_name_error(node, field, format!("there is no field `{field}`"), help)
    }

    fn lower_call_expression(&mut self, node: &IdedExpr, call: &CallExpr) -> Result<Typed, Wrong> {
        if let Some(target) = &call.target
            && let Some(kind) = macros::loop_kind_of_macro_call(call)
        {
            return self.lower_loop_macro(node, kind, target, &call.args);
        }
        if let Some(asked) = self.lower_session_question(node, call) {
            return asked;
        }
        let args: Vec<&IdedExpr> = call.target.as_deref().into_iter().chain(&call.args).collect();
        match (call.func_name.as_str(), args.as_slice()) {
            ("has", [field]) => self.lower_has_macro(node, field),
            ("!_", [of]) => {
                Ok((Expr::Not(self.lower_with_shape(of, Shape::Bool)?.into()), Shape::Bool))
            }
            ("-_", [of]) => {
                Ok((Expr::Negate(self.lower_with_shape(of, Shape::Number)?.into()), Shape::Number))
            }
            ("_&&_", [left, right]) => {
                let sides = [
                    self.lower_with_shape(left, Shape::Bool)?,
                    self.lower_with_shape(right, Shape::Bool)?,
                ];
                Ok((Expr::And(sides.into()), Shape::Bool))
            }
            ("_||_", [left, right]) => {
                let sides = [
                    self.lower_with_shape(left, Shape::Bool)?,
                    self.lower_with_shape(right, Shape::Bool)?,
                ];
                Ok((Expr::Or(sides.into()), Shape::Bool))
            }
            ("_?_:_", [test, then, other]) => {
                let test = self.lower_with_shape(test, Shape::Bool)?;
                let (then, shape) = self.lower_node(then)?;
                let (other, same) = self.lower_node(other)?;
                let shape = if shape == same { shape } else { Shape::Any };
                Ok((Expr::If([test, then, other].into()), shape))
            }
            ("_[_]", [of, at]) => {
                let (of, shape) = self.lower_node(of)?;
                let at = self.lower_node(at)?.0;
                let shape =
                    if let Shape::List(of) = shape { of.element_shape() } else { Shape::Any };
                Ok((Expr::Index([of, at].into()), shape))
            }
            (name, [left, right]) if BINARY.iter().any(|(key, ..)| *key == name) => {
                self.lower_binary(node, name, left, right)
            }
            (name, args) => self.lower_function_call(node, name, args),
        }
    }

    /// Compiles `session.seen(...)` and the like; `None` if the call asks nothing of the session.
    fn lower_session_question(
        &mut self,
        node: &IdedExpr,
        call: &CallExpr,
    ) -> Option<Result<Typed, Wrong>> {
        let target = &call.target.as_deref()?.expr;
        if !matches!(target, Ast::Ident(name) if name == "session" && self.find_local(name).is_none())
        {
            return None;
        }
        let functions = vocabulary::SESSION_FUNCTIONS;
        let function = functions.iter().find(|function| function.name == call.func_name)?;
        let [argument] = call.args.as_slice() else {
            let message = format!("`session.{}` takes one value", function.name);
            let help = format!("write it with {}", function.takes.kind_name());
            return Some(self.error_at(node, Code::BadRule, message, help));
        };
        let argument = self.lower_with_shape(argument, function.takes);
        Some(
            argument
                .map(|argument| (Expr::Session(function.asks, Box::new(argument)), function.gives)),
        )
    }

    fn lower_binary(
        &mut self,
        node: &IdedExpr,
        name: &str,
        left: &IdedExpr,
        right: &IdedExpr,
    ) -> Result<Typed, Wrong> {
        let Some((_, operator, gives)) = BINARY.iter().find(|(key, ..)| *key == name) else {
            return self.lower_function_call(node, name, &[left, right]);
        };
        let (left, left_shape) = self.lower_node(left)?;
        let (right, right_shape) = self.lower_node(right)?;
        let comparable = left_shape.is_compatible_with(right_shape);
        match operator {
            Operator::In => {}
            // `tool.name == 3` can only be a mistake, and would never hold.
            _ if !comparable => {
                let message = format!(
                    "this sets {} against {}",
                    left_shape.kind_name(),
                    right_shape.kind_name()
                );
                return self.error_at(node, Code::BadRule, message, "both sides are of one kind");
            }
            _ => {}
        }
        // A long pattern is written in pieces: those are one text.
        if let (
            Operator::Add,
            Expr::Constant(Constant::Text(left)),
            Expr::Constant(Constant::Text(right)),
        ) = (operator, &left, &right)
        {
            let whole = format!("{left}{right}");
            return Ok((Expr::Constant(Constant::Text(whole.into())), Shape::Text));
        }
        let shape = match (operator, left_shape) {
            (Operator::Add, Shape::Text | Shape::Number) => left_shape,
            (Operator::Add, Shape::List(_)) => Shape::List(Elements::Any),
            _ => *gives,
        };
        Ok((Expr::Binary(*operator, [left, right].into()), shape))
    }

    fn lower_function_call(
        &mut self,
        node: &IdedExpr,
        name: &str,
        args: &[&IdedExpr],
    ) -> Result<Typed, Wrong> {
        let Some(function) = vocabulary::FUNCTIONS.iter().find(|function| function.name == name)
        else {
            return self.no_such_function_error(node, name);
        };
        if function.takes.len() != args.len() {
            let message = format!(
                "`{name}` takes {} values, and here are {}",
                function.takes.len(),
                args.len()
            );
            return self.error_at(node, Code::BadRule, message, function_usage_help(function));
        }
        let mut values = Vec::with_capacity(args.len());
        for (arg, wanted) in args.iter().zip(function.takes) {
            values.push(self.lower_with_shape(arg, *wanted)?);
        }
        match functions::compile_function_call(function.does, values) {
            Compiling::Done(expr) => Ok((expr, function.gives)),
            Compiling::BadPattern(why) => {
                let pattern = args.last().copied().unwrap_or(node);
                let help = "a string in `r'...'` keeps its backslashes";
                self.error_at(pattern, Code::BadRulePattern, why.to_string(), help)
            }
        }
    }

    fn no_such_function_error<T>(&self, node: &IdedExpr, name: &str) -> Result<T, Wrong> {
        if vocabulary::MACROS.contains(&name) {
            let message = format!("`{name}` is not used like this");
            let help = match name {
                "count" => "write `list.count(x, x == \"a\")`, or `session.count(\"name\")`",
                "has" => {
                    "write `c.flag(\"-f\")` for an option of a command, or `has(tool.input.path)`"
                }
                _ => "write `list.exists(x, x == \"a\")`",
            };
            return self.error_at(node, Code::BadRule, message, help);
        }
        let known = || {
            vocabulary::FUNCTIONS
                .iter()
                .map(|function| function.name)
                .chain(vocabulary::MACROS.iter().copied())
                .chain(vocabulary::SESSION_FUNCTIONS.iter().map(|function| function.name))
        };
        let help = nearest_word(name, known()).map_or_else(
            || format!("rules know {}", quote_and_join(known())),
            |near| format!("did you mean `{near}`?"),
        );
        self.unknown_name_error(node, name, format!("there is no function `{name}`"), help)
    }
}

fn function_usage_help(function: &Function) -> String {
    let takes: Vec<&str> = function.takes.iter().map(|shape| shape.kind_name()).collect();
    format!("write `{}` with {}", function.name, takes.join(", then "))
}

fn top_level_names<'a>() -> impl Iterator<Item = &'a str> {
    vocabulary::ROOTS
        .iter()
        .map(|root| root.name)
        .chain(vocabulary::GROUPS.iter().map(|(name, _)| *name))
}

fn list_names<T>(of: &[Name<T>]) -> String {
    quote_and_join(of.iter().map(|name| name.name))
}

fn quote_and_join<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
