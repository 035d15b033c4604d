//! Does a line hide from the eye what it runs? Looks at how it is written, and not at what it brings.

use tenterhook_shell::{Line, Parsed, SimpleCommand, Via, WordKind};

use crate::call::judged::is_judged;
use crate::call::view::View;

pub(super) fn is_hidden(line: &Line, views: &[View<'_>], text: &str) -> bool {
    let commands = line.commands.iter().zip(line.commands.iter().skip(1).map(Some).chain([None]));
    let mut unresolved = commands.filter(|(command, next)| !is_resolved(command, *next));
    unresolved.any(|(command, _)| hides(command, line))
        || parts_itself(line)
        || is_braced(line, text)
        || views.iter().any(|view| encoded_powershell(view))
}

/// `$(echo ls)`: a program whose name stands in plain words in a substitution that prints them, and that no rule asks about. It is listed
/// behind the command.
fn is_resolved(command: &SimpleCommand, next: Option<&SimpleCommand>) -> bool {
    let is_listed = |next: &&SimpleCommand| {
        next.via.len() == command.via.len() + 1
            && next.via.last() == Some(&Via::Wrapper("$( )"))
            && next.program().is_some_and(|name| !is_judged(name))
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " -_./=:,@+%".contains(c);
    let source = command.words.first().map_or("", |word| word.source.as_str());
    let printed = source.strip_prefix("$(echo ").and_then(|rest| rest.strip_suffix(')'));
    printed.is_some_and(|words| words.chars().all(is_plain)) && next.filter(is_listed).is_some()
}

/// Whether the name of a program is put together at run time, so that it is unknown.
fn hides(command: &SimpleCommand, line: &Line) -> bool {
    let Some(program) = command.words.first() else { return false };
    let source = program.source.as_str();
    // `$'\x72\x6d'`, `\162\155`
    if source.contains("$'") && source.contains('\\') {
        return true;
    }
    // `r''m`, `c"u"rl`: quotes around a part of a plain name. Around the whole of it they are nothing to hide.
    let plain = !program.text.contains(['/', ' ', '.', '=']) && program.kind == WordKind::Literal;
    let inner = source.get(1..source.len().saturating_sub(1)).unwrap_or_default();
    let split = inner.contains("''")
        || inner.contains("\"\"")
        || source.starts_with("''")
        || source.starts_with("\"\"");
    if plain && split {
        return true;
    }
    match program.kind {
        WordKind::Literal => false,
        // `/bin/r?`, `{rm,-rf,/}`
        WordKind::Pattern => source.contains(['?', '*', '[']) || source.starts_with('{'),
        WordKind::Expansion => {
            let behind =
                source.rsplit([')', '}', '"']).find(|part| !part.is_empty()).unwrap_or_default();
            let named = program.is_named() || (behind.len() > 1 && behind.starts_with('/'));
            let computed = source.contains("$(") || source.contains('`');
            let cut = source.contains("${!")
                || (source.contains("${") && source.contains(':') && !source.contains(":-"));
            let is_alias = |command: &SimpleCommand| command.program() == Some("alias");
            let redefines = || !line.functions.is_empty() || line.commands.iter().any(is_alias);
            let looks = || is_lookup(source) && !redefines();
            source.contains("IFS") || cut || (computed && !named && !looks())
        }
    }
}

/// Ways to ask where a program lies.
const LOOKUPS: &[&str] = &["which ", "command -v ", "type -P ", "type -p "];

/// Whether a program is named by asking where it lies: `$(which node)` hides nothing from the eye.
fn is_lookup(source: &str) -> bool {
    let bare = source.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(source);
    let inner = bare.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
    let inner = inner.or_else(|| bare.strip_prefix('`')?.strip_suffix('`')).unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    let mut names = LOOKUPS.iter().filter_map(|start| inner.trim().strip_prefix(start));
    names.any(|name| name.trim_start().chars().all(is_plain))
}

fn encoded_powershell(view: &View<'_>) -> bool {
    let shell = matches!(view.name.as_str(), "powershell" | "pwsh" | "powershell.exe" | "pwsh.exe");
    shell
        && view.args.iter().any(|arg| {
            let option = arg.to_ascii_lowercase();
            option.len() > 1 && "-encodedcommand".starts_with(&option) && option.starts_with("-e")
        })
}

/// `IFS=,; $X`: what parts the words of a line is changed, and a program is put together.
fn parts_itself(line: &Line) -> bool {
    let sets = |command: &SimpleCommand| {
        command.words.is_empty()
            && command.assignments.iter().any(|assignment| assignment.name == "IFS")
    };
    let computed = |command: &SimpleCommand| {
        command.words.first().is_some_and(|word| word.kind == WordKind::Expansion)
    };
    line.commands.iter().any(sets) && line.commands.iter().any(computed)
}

/// `{rm,-rf,x}`, which the shell reader does not take for a command.
fn is_braced(line: &Line, text: &str) -> bool {
    let mut words = text.split(|c: char| c.is_whitespace() || "();&|'\"".contains(c));
    line.parsed != Parsed::Full
        && words.any(|word| word.starts_with('{') && word.ends_with('}') && word.contains(",-"))
}
