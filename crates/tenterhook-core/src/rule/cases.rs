//! For which programs can an expression about a command be true? Most rules name the few that they are about.
//!
//! `a || b || ...` in a loop over commands is sorted by those programs when it is compiled. A command is then asked only what
//! can hold of its program, and where every side names its programs, all other commands of a line are not looked at. What
//! is left out would have been false, without a fault: `false && x` is false whatever comes of `x` (RU-21).

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use tenterhook_shell::SimpleCommand;

use super::expr::{Constant, Expr, Operator};
use super::vocabulary::{Do, Member};

/// `a || b || ...` about a command, sorted by its program.
#[derive(Debug)]
pub(super) struct Cases {
    /// The variable that holds the command.
    pub(super) of: usize,
    sides: Vec<Expr>,
    /// Which sides can be true of a program that some side names, and which of any other.
    named: HashMap<Arc<str>, Vec<usize>>,
    others: Vec<usize>,
}

/// The programs of which something can be true; `None` where it can be of any.
type Programs = Option<BTreeSet<Arc<str>>>;

/// Turns an `||` expression about the command in the variable `of` into an index by program, if any
/// side depends on the program.
pub(super) fn index_or_sides_by_program(expr: Expr, of: usize) -> Expr {
    let mut sides = Vec::new();
    flatten_or(expr, &mut sides);
    let programs: Vec<Programs> =
        sides.iter().map(|side| programs_required_for_true(side, of)).collect();
    let all: BTreeSet<&Arc<str>> = programs.iter().flatten().flatten().collect();
    if programs.iter().all(Option::is_none) {
        return join_with_or(sides);
    }
    let about = |name: &Arc<str>| {
        let holds =
            |programs: &Programs| programs.as_ref().is_none_or(|names| names.contains(name));
        (Arc::clone(name), positions_of_matching_sides(&programs, holds))
    };
    let named = all.into_iter().map(about).collect();
    let others = positions_of_matching_sides(&programs, Option::is_none);
    Expr::Cases(Box::new(Cases { of, sides, named, others }))
}

fn positions_of_matching_sides(
    programs: &[Programs],
    holds: impl Fn(&Programs) -> bool,
) -> Vec<usize> {
    programs.iter().enumerate().filter(|(_, program)| holds(program)).map(|(at, _)| at).collect()
}

/// Collects the sides of nested `||`, in order.
fn flatten_or(expr: Expr, sides: &mut Vec<Expr>) {
    match expr {
        Expr::Or(both) => both.into_iter().for_each(|side| flatten_or(side, sides)),
        other => sides.push(other),
    }
}

fn join_with_or(sides: Vec<Expr>) -> Expr {
    let or = |left, right| Expr::Or([left, right].into());
    sides.into_iter().reduce(or).unwrap_or(Expr::Constant(Constant::Bool(false)))
}

/// Returns the only programs of the command in the variable `of` for which the expression can be
/// true; `None` if it can be true for any.
fn programs_required_for_true(expr: &Expr, of: usize) -> Programs {
    match expr {
        Expr::Constant(Constant::Bool(false)) => Some(BTreeSet::new()),
        Expr::And(sides) => {
            let [left, right] = &**sides;
            match (programs_required_for_true(left, of), programs_required_for_true(right, of)) {
                (Some(left), Some(right)) => Some(left.intersection(&right).cloned().collect()),
                (one, other) => one.or(other),
            }
        }
        Expr::Or(sides) => {
            let [left, right] = &**sides;
            let mut left = programs_required_for_true(left, of)?;
            left.extend(programs_required_for_true(right, of)?);
            Some(left)
        }
        Expr::Binary(Operator::Equal, sides) => match &**sides {
            [one, Expr::Constant(Constant::Text(name))]
            | [Expr::Constant(Constant::Text(name)), one]
                if is_program_of_variable(one, of) =>
            {
                Some([Arc::clone(name)].into())
            }
            _ => None,
        },
        Expr::Binary(Operator::In, sides) => match &**sides {
            [one, Expr::List(names)] if is_program_of_variable(one, of) => {
                names.iter().map(constant_text).collect()
            }
            _ => None,
        },
        Expr::Call(Do::Runs, args) => match args.as_slice() {
            [Expr::Local(at), Expr::Constant(Constant::Text(words))] if *at == of => {
                words.split_whitespace().next().map(|name| [Arc::from(name)].into())
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_program_of_variable(expr: &Expr, of: usize) -> bool {
    matches!(expr, Expr::Member(receiver, Member::Program) if matches!(**receiver, Expr::Local(at) if at == of))
}

fn constant_text(expr: &Expr) -> Option<Arc<str>> {
    match expr {
        Expr::Constant(Constant::Text(text)) => Some(Arc::clone(text)),
        _ => None,
    }
}

impl Cases {
    /// Returns the sides that can be true of a command, in order.
    pub(super) fn possible_sides_for_command(
        &self,
        command: &SimpleCommand,
    ) -> impl Iterator<Item = &Expr> {
        let program = command.program_name().unwrap_or_default();
        let sides = self.named.get(program).unwrap_or(&self.others);
        sides.iter().filter_map(|at| self.sides.get(*at))
    }

    /// Returns the only programs for which the expression can be true; `None` if it can be true for
    /// any.
    pub(super) fn possible_programs(&self) -> Option<impl Iterator<Item = &str>> {
        self.others.is_empty().then(|| self.named.keys().map(|key| &**key))
    }
}

/// The commands of a line by their programs: worked out once an event, for all its rules.
#[derive(Debug, Default)]
pub(super) struct ByProgram(Vec<usize>);

impl ByProgram {
    pub(super) fn new(commands: &[SimpleCommand]) -> Self {
        let mut places: Vec<usize> = (0..commands.len()).collect();
        places.sort_by_key(|at| program_name_at(commands, *at));
        Self(places)
    }

    /// Returns the positions of the commands that run one of these programs, in the order of the
    /// line.
    pub(super) fn positions_of_programs<'p>(
        &self,
        commands: &[SimpleCommand],
        programs: impl Iterator<Item = &'p str>,
    ) -> Vec<usize> {
        let mut found = Vec::new();
        for program in programs {
            let from = self.0.partition_point(|at| program_name_at(commands, *at) < program);
            let rest = self.0.get(from..).unwrap_or_default().iter().copied();
            found.extend(rest.take_while(|at| program_name_at(commands, *at) == program));
        }
        found.sort_unstable();
        found
    }
}

fn program_name_at(commands: &[SimpleCommand], at: usize) -> &str {
    commands.get(at).and_then(SimpleCommand::program_name).unwrap_or_default()
}
