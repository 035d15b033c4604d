//! Which aliases, cmdlets and calls does PowerShell have, and what do Windows programs do that have other names elsewhere? Tables.
//!
//! `cmdlets.txt` has a row for each cmdlet: `NAME | RUNS | PARAMETERS | FORM`. A parameter with `=` has a value, one with a number is
//! also known by its place. The form is the command of other systems that does the same: a parameter stands for its values, and
//! `NAME:-x` for an option. `natives.txt` is `PROGRAM [WORD] = FORM`, where a number is an operand and `*` is all of them.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::argument::Argument;

const ALIASES: &str = include_str!("aliases.txt");
const CMDLETS: &str = include_str!("cmdlets.txt");
const CALLS: &str = include_str!("calls.txt");
const NATIVES: &str = include_str!("natives.txt");

/// Parameters that every cmdlet has.
const COMMON: &[&str] = &[
    "WhatIf",
    "Confirm",
    "Verbose",
    "Debug",
    "ErrorAction",
    "ErrorVariable",
    "WarningAction",
    "WarningVariable",
    "InformationAction",
    "InformationVariable",
    "OutVariable",
    "OutBuffer",
    "PipelineVariable",
    "ProgressAction",
];
/// Those of them that have no value.
const COMMON_SWITCHES: &[&str] = &["WhatIf", "Confirm", "Verbose", "Debug"];

/// One cmdlet.
#[derive(Debug)]
pub(super) struct Cmdlet {
    pub(super) name: &'static str,
    pub(super) runs: Runs,
    names: Vec<&'static str>,
    valued: Vec<&'static str>,
    /// The names of those that are known by their place.
    places: Vec<&'static str>,
    /// The command of other systems: its words and the parameters that they come from.
    pub(super) form: Vec<&'static str>,
}

/// What a cmdlet runs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Runs {
    Nothing,
    /// Code that it is handed.
    Code,
    /// A program with words.
    Program,
    /// A command line in a parameter.
    Line(&'static str),
    /// Nothing, but it gives a command another name.
    Alias,
    /// Code of a file that this parameter names.
    File(&'static str),
    /// A member of each object.
    Member,
}

/// What a call of .NET does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Call {
    /// Runs code of PowerShell.
    Code(&'static str),
    /// Runs a command line.
    Line(&'static str),
    /// Does what this command does elsewhere; the name of the call.
    Equivalent(&'static str, &'static str),
}

/// Words of a cmdlet by its parameters.
pub(super) struct Bound {
    pub(super) named: Vec<(&'static str, Vec<Argument>)>,
    /// Options that no parameter has: a program of that name may have them.
    pub(super) others: Vec<Argument>,
}

impl Bound {
    /// Returns the values of a parameter, or `None` if it is not written.
    pub(super) fn parameter_values(&self, name: &str) -> Option<&[Argument]> {
        let found = self.named.iter().find(|(known, _)| *known == name);
        found.map(|(_, values)| values.as_slice())
    }
}

impl Cmdlet {
    pub(super) fn parameter_names(&self) -> &[&'static str] {
        &self.names
    }

    /// The values of a parameter.
    pub(super) fn parameter_values(&self, words: &[Argument], name: &str) -> Vec<Argument> {
        self.bind_parameters(words)
            .parameter_values(name)
            .map(<[Argument]>::to_vec)
            .unwrap_or_default()
    }

    /// Assigns words to parameters.
    pub(super) fn bind_parameters(&self, words: &[Argument]) -> Bound {
        let mut bound = Bound { named: Vec::new(), others: Vec::new() };
        let mut free: Vec<Vec<Argument>> = Vec::new();
        let mut words = words.iter().skip(1).peekable();
        while let Some(word) = words.next() {
            let parameter = split_parameter_value(word);
            let Some((name, attached)) = parameter else {
                match free.last_mut().filter(|_| word.is_listed) {
                    Some(list) => list.push(word.clone()),
                    None => free.push(vec![word.clone()]),
                }
                continue;
            };
            let known =
                self.names.iter().chain(COMMON).find(|known| known.eq_ignore_ascii_case(name));
            let Some(known) = known else {
                bound.others.push(word.clone());
                continue;
            };
            let is_common = COMMON.contains(known) && !COMMON_SWITCHES.contains(known);
            let mut values = Vec::new();
            if !attached.is_empty() {
                values.push(Argument::literal(attached));
            } else if self.valued.contains(known) || is_common {
                values.extend(words.next().cloned());
            }
            while let Some(more) = words.next_if(|word| word.is_listed) {
                values.push(more.clone());
            }
            bound.named.push((known, values));
        }
        self.bind_by_position(free, &mut bound);
        bound
    }

    /// Assigns words without a parameter name to parameters by their positions.
    fn bind_by_position(&self, free: Vec<Vec<Argument>>, bound: &mut Bound) {
        let mut places = self
            .places
            .iter()
            .filter(|name| bound.parameter_values(name).is_none())
            .copied()
            .collect::<Vec<_>>();
        if bound.parameter_values("LiteralPath").is_some() {
            places.retain(|name| *name != "Path");
        }
        let mut places = places.into_iter();
        let mut first: Option<&'static str> = None;
        for values in free {
            match places.next() {
                Some(name) => {
                    first = first.or(Some(name));
                    bound.named.push((name, values));
                }
                // `rm a b` of other systems.
                None => {
                    let slot = bound.named.iter_mut().find(|(name, _)| Some(*name) == first);
                    if let Some((_, all)) = slot {
                        all.extend(values);
                    }
                }
            }
        }
    }
}

/// Returns the name of a parameter, and the value that is attached to it.
fn split_parameter_value(word: &Argument) -> Option<(&str, &str)> {
    if word.is_listed || word.word.source.starts_with(['"', '\'']) {
        return None;
    }
    let name = word.value_text().strip_prefix('-').filter(|name| !name.is_empty())?;
    Some(name.split_once(':').unwrap_or((name, "")))
}

/// Returns the full name of an abbreviated parameter, or `None` if several start like it.
pub(super) fn complete_parameter_name(name: &str, own: &[&'static str]) -> Option<&'static str> {
    let same = |known: &&&str| known.eq_ignore_ascii_case(name);
    let starts = |known: &&&str| {
        known.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    if name.is_empty() {
        return None;
    }
    if let Some(known) = own.iter().find(same).or_else(|| COMMON.iter().find(same)) {
        return Some(known);
    }
    for list in [own, COMMON] {
        let mut found = list.iter().filter(starts);
        match (found.next(), found.next()) {
            (Some(known), None) => return Some(known),
            (Some(_), Some(_)) => return None,
            (None, _) => {}
        }
    }
    None
}

/// Returns the cmdlet of a name, in any case.
pub(super) fn find_cmdlet(name: &str) -> Option<&'static Cmdlet> {
    static ROWS: LazyLock<HashMap<String, Cmdlet>> = LazyLock::new(|| {
        let rows = CMDLETS.lines().filter_map(parse_row);
        rows.map(|cmdlet| (cmdlet.name.to_ascii_lowercase(), cmdlet)).collect()
    });
    // To read the table takes longer than to read a line, and most lines have no such name.
    if !name.contains('-') {
        return None;
    }
    ROWS.get(&name.to_ascii_lowercase())
}

/// Returns whether a name is that of a cmdlet or of a .NET call.
pub(in super::super) fn is_cmdlet_or_net_call(name: &str) -> bool {
    let is_call = name.contains("::") || name.len() > 1 && name.starts_with('.');
    is_call || find_cmdlet(name).is_some()
}

fn parse_row(line: &'static str) -> Option<Cmdlet> {
    let mut parts = line.split('|').map(str::trim);
    let (name, runs, parameters) = (parts.next()?, parts.next()?, parts.next()?);
    let form = parts.next().unwrap_or_default();
    let mut cmdlet = Cmdlet {
        name,
        runs: parse_what_cmdlet_runs(runs),
        names: Vec::new(),
        valued: Vec::new(),
        places: Vec::new(),
        form: form.split_whitespace().collect(),
    };
    for parameter in parameters.split_whitespace() {
        let (place, parameter) = match parameter.split_once(':') {
            Some((_, parameter)) => (true, parameter),
            None => (false, parameter),
        };
        let name = parameter.trim_end_matches('=');
        cmdlet.names.push(name);
        cmdlet.valued.extend((name != parameter).then_some(name));
        cmdlet.places.extend(place.then_some(name));
    }
    Some(cmdlet)
}

fn parse_what_cmdlet_runs(word: &'static str) -> Runs {
    match word.split_once(':') {
        Some(("line", parameter)) => Runs::Line(parameter),
        Some((_, parameter)) => Runs::File(parameter),
        None => match word {
            "code" => Runs::Code,
            "program" => Runs::Program,
            "alias" => Runs::Alias,
            "member" => Runs::Member,
            _ => Runs::Nothing,
        },
    }
}

/// Returns the target of an alias, and whether the alias is a program in another version of
/// PowerShell.
pub(super) fn find_alias(name: &str) -> Option<(&'static str, bool)> {
    static ROWS: LazyLock<HashMap<&str, (&str, bool)>> = LazyLock::new(|| {
        let rows = ALIASES.lines().filter_map(|row| row.split_once(": "));
        let pairs =
            rows.flat_map(|(target, names)| names.split(' ').map(move |name| (target, name)));
        let pairs = pairs.map(|(target, name)| {
            match name.strip_suffix('?').filter(|name| !name.is_empty()) {
                Some(name) => (name, (target, true)),
                None => (name, (target, false)),
            }
        });
        pairs.collect()
    });
    ROWS.get(name).copied()
}

/// Returns what a .NET call does, by its name in lower case.
pub(super) fn find_net_call(key: &str) -> Option<Call> {
    let (name, does) =
        CALLS.lines().filter_map(|row| row.split_once(" = ")).find(|(name, _)| *name == key)?;
    Some(match does {
        "code" => Call::Code(name),
        "line" => Call::Line(name),
        form => Call::Equivalent(form, name),
    })
}

/// Returns the form and the name of a program of Windows, if its words match the row.
pub(super) fn find_native_program(
    name: &str,
    words: &[Argument],
) -> Option<(&'static str, &'static str)> {
    static ROWS: LazyLock<HashMap<&str, Vec<(&str, &str)>>> = LazyLock::new(|| {
        let mut rows: HashMap<&str, Vec<(&str, &str)>> = HashMap::new();
        for (key, form) in NATIVES.lines().filter_map(|row| row.split_once(" = ")) {
            let (name, wanted) = key.split_once(' ').unwrap_or((key, ""));
            rows.entry(name).or_default().push((wanted, form));
        }
        rows
    });
    let (name, rows) = ROWS.get_key_value(name)?;
    let has = |wanted: &str| {
        words.iter().skip(1).any(|word| word.value_text().eq_ignore_ascii_case(wanted))
    };
    let row = rows.iter().find(|(wanted, _)| wanted.is_empty() || has(wanted));
    row.map(|(_, form)| (*name, *form))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cmdlets_have_hyphens_and_are_found() {
        for row in CMDLETS.lines().filter_map(parse_row) {
            assert!(find_cmdlet(row.name).is_some(), "{}", row.name);
        }
        assert!(find_cmdlet("ls").is_none());
    }
}
