//! Does a line hide from the eye what it runs? Looks at how it is written, and not at what it brings.

use tenterhook_shell::{Line, Parsed, SimpleCommand, Via, WordKind};

use crate::call::judged::is_program_named_by_rules;
use crate::call::view::View;

pub(super) fn has_hidden_code(line: &Line, views: &[View<'_>], text: &str) -> bool {
    let commands = line.commands.iter().zip(line.commands.iter().skip(1).map(Some).chain([None]));
    let mut unresolved =
        commands.filter(|(command, next)| !is_resolved_program_name(command, *next));
    unresolved.any(|(command, _)| has_computed_program_name(command, line))
        || splits_words_by_ifs(line)
        || has_braced_command(line, text)
        || views.iter().any(|view| is_encoded_powershell(view))
}

/// Whether a program's name is plain text in a substitution that prints it, such as `$(echo ls)`,
/// and no rule asks about that program. The resolved command is listed after this one.
fn is_resolved_program_name(command: &SimpleCommand, next: Option<&SimpleCommand>) -> bool {
    let is_listed = |next: &&SimpleCommand| {
        next.via.len() == command.via.len() + 1
            && next.via.last() == Some(&Via::Wrapper("$( )"))
            && next.program_name().is_some_and(|name| !is_program_named_by_rules(name))
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " -_./=:,@+%".contains(c);
    let source = command.words.first().map_or("", |word| word.source.as_str());
    let printed = source.strip_prefix("$(echo ").and_then(|rest| rest.strip_suffix(')'));
    printed.is_some_and(|words| words.chars().all(is_plain)) && next.filter(is_listed).is_some()
}

/// Whether the name of a program is put together at run time, so that it is unknown.
fn has_computed_program_name(command: &SimpleCommand, line: &Line) -> bool {
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
            let named =
                program.has_known_file_name() || (behind.len() > 1 && behind.starts_with('/'));
            let computed = source.contains("$(") || source.contains('`');
            let cut = source.contains("${!")
                || (source.contains("${") && source.contains(':') && !source.contains(":-"));
            let is_alias = |command: &SimpleCommand| command.program_name() == Some("alias");
            let redefines = || !line.functions.is_empty() || line.commands.iter().any(is_alias);
            let looks = || is_program_lookup(source) && !redefines();
            source.contains("IFS") || cut || (computed && !named && !looks())
        }
    }
}

/// Ways to ask where a program lies.
const LOOKUPS: &[&str] = &["which ", "command -v ", "type -P ", "type -p "];

/// Whether a substitution looks up the path of a program, such as `$(which node)`, which hides
/// nothing.
fn is_program_lookup(source: &str) -> bool {
    let bare = source.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(source);
    let inner = bare.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
    let inner = inner.or_else(|| bare.strip_prefix('`')?.strip_suffix('`')).unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    let mut names = LOOKUPS.iter().filter_map(|start| inner.trim().strip_prefix(start));
    names.any(|name| name.trim_start().chars().all(is_plain))
}

fn is_encoded_powershell(view: &View<'_>) -> bool {
    let shell = matches!(view.name.as_str(), "powershell" | "pwsh" | "powershell.exe" | "pwsh.exe");
    shell
        && view.args.iter().any(|arg| {
            let option = arg.to_ascii_lowercase();
            option.len() > 1 && "-encodedcommand".starts_with(&option) && option.starts_with("-e")
        })
}

/// Whether a line sets `IFS`, which changes how its words are split, and computes the name of a
/// program: `IFS=,; $X`.
fn splits_words_by_ifs(line: &Line) -> bool {
    let sets = |command: &SimpleCommand| {
        command.words.is_empty()
            && command.assignments.iter().any(|assignment| assignment.name == "IFS")
    };
    let computed = |command: &SimpleCommand| {
        command.words.first().is_some_and(|word| word.kind == WordKind::Expansion)
    };
    line.commands.iter().any(sets) && line.commands.iter().any(computed)
}

/// Whether a line has a command in braces, such as `{rm,-rf,x}`, that the shell parser does not
/// recognize.
fn has_braced_command(line: &Line, text: &str) -> bool {
    let mut words = text.split(|c: char| c.is_whitespace() || "();&|'\"".contains(c));
    line.parsed != Parsed::Full
        && words.any(|word| word.starts_with('{') && word.ends_with('}') && word.contains(",-"))
}
