//! What do the macros of expressions mean: those over lists, and `has`? Their nest is bounded here (RU-32).

use cel::common::ast::{CallExpr, Expr as Ast, IdedExpr};

use super::cases;
use super::expr::{Constant, Expr, Loop, LoopKind};
use super::lower::{Lowering, Typed, Wrong};
use super::vocabulary::{Elements, Kind, Shape};
use crate::diagnostic::Code;

/// Deepest nest of macros: the cost of a nest is the product of its lists (RU-32).
pub(super) const DEEPEST_LOOPS: usize = 3;

/// The macros with their names and how many arguments they take.
const LOOPS: &[(&str, LoopKind, usize)] = &[
    ("all", LoopKind::All, 2),
    ("exists", LoopKind::Exists, 2),
    ("exists_one", LoopKind::ExistsOne, 2),
    ("existsOne", LoopKind::ExistsOne, 2),
    ("filter", LoopKind::Filter, 2),
    ("map", LoopKind::Map, 2),
    ("map", LoopKind::Map, 3),
    ("count", LoopKind::Count, 2),
];

/// Returns the kind of list macro that a call is, if it is one.
pub(super) fn loop_kind_of_macro_call(call: &CallExpr) -> Option<LoopKind> {
    let is = |(name, _, takes): &&(&str, LoopKind, usize)| {
        *name == call.func_name && *takes == call.args.len()
    };
    LOOPS.iter().find(is).map(|(_, kind, _)| *kind)
}

impl Lowering<'_> {
    pub(super) fn lower_has_macro(
        &mut self,
        node: &IdedExpr,
        field: &IdedExpr,
    ) -> Result<Typed, Wrong> {
        let Ast::Select(select) = &field.expr else {
            return self.error_at(
                node,
                Code::BadRule,
                "`has` takes a field",
                "write `has(tool.input.path)`",
            );
        };
        if let Some(found) = self.find_group_field(&select.operand, &select.field) {
            let found =
                found.or_else(|fields| self.no_such_field_error(field, &select.field, fields))?;
            return Ok((Expr::Says(found.is), Shape::Bool));
        }
        let operand = self.lower_node(&select.operand)?.0;
        Ok((Expr::Has(operand.into(), select.field.as_str().into()), Shape::Bool))
    }

    pub(super) fn lower_loop_macro(
        &mut self,
        node: &IdedExpr,
        kind: LoopKind,
        range: &IdedExpr,
        args: &[IdedExpr],
    ) -> Result<Typed, Wrong> {
        let (range_expr, range_shape) = self.lower_node(range)?;
        let element = match range_shape {
            Shape::List(of) => of.element_shape(),
            Shape::Map => Shape::Text,
            Shape::Any => Shape::Any,
            other => {
                let message = format!("{} has no elements", other.kind_name());
                return self.error_at(
                    range,
                    Code::BadRule,
                    message,
                    "write an array before the macro",
                );
            }
        };
        let [variable, rest @ ..] = args else {
            return self.error_at(node, Code::BadRule, "a macro needs a variable", "write `x`");
        };
        let Ast::Ident(name) = &variable.expr else {
            return self.error_at(
                variable,
                Code::BadRule,
                "the first argument of a macro is the name of its variable",
                "write a name, such as `x`",
            );
        };
        if self.locals.len() >= DEEPEST_LOOPS {
            let message = format!("macros nest deeper than {DEEPEST_LOOPS}");
            let help = "each level multiplies the cost by the length of its list; write two rules";
            return self.error_at(node, Code::RuleTooCostly, message, help);
        }
        self.locals.push((name.clone(), element));
        let parts = self.lower_loop_filter_and_body(kind, rest);
        self.locals.pop();
        let (only, mut body, body_shape) = parts?;
        if element == Shape::Record(Kind::Command) && body_shape == Shape::Bool {
            body = cases::index_or_sides_by_program(body, self.locals.len());
        }
        let shape = match kind {
            LoopKind::All | LoopKind::Exists | LoopKind::ExistsOne => Shape::Bool,
            LoopKind::Filter if range_shape == Shape::Map => Shape::List(Elements::Text),
            LoopKind::Filter => range_shape,
            LoopKind::Map if body_shape == Shape::Text => Shape::List(Elements::Text),
            LoopKind::Map => Shape::List(Elements::Any),
            LoopKind::Count => Shape::Number,
        };
        Ok((Expr::Loop(Box::new(Loop { kind, range: range_expr, body, only })), shape))
    }

    /// Compiles the arguments of a macro after its variable: the filter of a `map`, if there is
    /// one, and the body with its shape.
    fn lower_loop_filter_and_body(
        &mut self,
        kind: LoopKind,
        rest: &[IdedExpr],
    ) -> Result<(Option<Expr>, Expr, Shape), Wrong> {
        let mut only = None;
        let mut last = (Expr::Constant(Constant::Bool(true)), Shape::Bool);
        for (at, part) in rest.iter().enumerate() {
            if kind == LoopKind::Map && at + 1 == rest.len() {
                last = self.lower_node(part)?;
            } else if kind == LoopKind::Map {
                only = Some(self.lower_with_shape(part, Shape::Bool)?);
            } else {
                last = (self.lower_with_shape(part, Shape::Bool)?, Shape::Bool);
            }
        }
        Ok((only, last.0, last.1))
    }
}
