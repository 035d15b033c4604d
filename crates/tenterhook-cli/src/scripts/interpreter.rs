//! Would `env`, in the first line of a script, find the interpreter? Reads that line; starts nothing.

use tenterhook::internal::executor::shebang_text;
use tenterhook_core::hook::{Program, Script};

use super::programs::Path;

/// Why `env` finds no interpreter.
pub(super) struct Fault {
    /// The name that `env` looks for.
    pub(super) name: String,
    pub(super) message: String,
    pub(super) help: String,
}

/// Returns why `env` does not find the interpreter of a script that is started itself.
pub(super) fn interpreter_fault(script: &Script, path: &Path) -> Option<Fault> {
    if !script.is_program {
        return None;
    }
    let line = shebang_text(&script.path)?;
    let shebang = EnvShebang::parse(&line)?;
    // Linux hands over all that is behind `env` as one argument.
    if shebang.needs_split_option && cfg!(target_os = "linux") {
        let arguments = line.split_once("env ").map_or("", |(_, rest)| rest.trim());
        return Some(Fault {
            name: arguments.to_owned(),
            message: format!("`env` looks for a program called `{arguments}`"),
            help: format!("write `#!/usr/bin/env -S {arguments}` in its first line"),
        });
    }
    let program = Program { name: shebang.program.clone(), by_shell: false, is_alone: true };
    if path.has_program(&program) {
        return None;
    }
    let (name, shown) = (shebang.program, line.trim().escape_debug());
    Some(Fault {
        message: format!(
            "its first line is `#!{shown}`, and `{}` is not found here",
            name.escape_debug()
        ),
        help: match name.ends_with('\r') {
            true => "save it with the line ends of Unix".to_owned(),
            false => format!("install `{name}`, or name an interpreter that is there"),
        },
        name,
    })
}

/// The interpreter of a script that starts with `#!/usr/bin/env`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EnvShebang {
    pub(super) program: String,
    /// Whether it has arguments, but no `-S` that splits them.
    needs_split_option: bool,
}

impl EnvShebang {
    /// Parses a first line without its `#!`; `None` for one without `env`, or whose program is a path or unknown.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split([' ', '\t']).filter(|word| !word.is_empty());
        let env = words.next()?;
        if !env.ends_with("/env") {
            return None;
        }
        let rest: Vec<&str> = words.collect();
        let (splits, rest) = match rest.split_first()? {
            (&("-S" | "-vS" | "--split-string"), rest) => (true, rest),
            (first, _) if first.starts_with('-') => return None,
            _ => (false, rest.as_slice()),
        };
        let program = rest.iter().find(|word| !splits || !word.contains('='))?;
        let is_name = !program.starts_with('-') && !program.contains(['/', '$', '"', '\'']);
        is_name.then(|| Self {
            program: (*program).to_owned(),
            needs_split_option: !splits && rest.len() > 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::EnvShebang;

    #[test]
    fn program_of_an_env_shebang_is_found_behind_its_options() {
        for (line, expected) in [
            ("/usr/bin/env python3", Some(("python3", false))),
            (" /usr/bin/env  python3 ", Some(("python3", false))),
            ("/usr/bin/env -S uv run --script", Some(("uv", false))),
            ("/usr/bin/env -S A=1 node --x", Some(("node", false))),
            ("/usr/bin/env uv run --script", Some(("uv", true))),
            ("/usr/bin/env -i python3", None),
            ("/usr/bin/env ./tools/i", None),
            ("/usr/bin/env", None),
            ("/bin/sh", None),
            ("", None),
        ] {
            let found = EnvShebang::parse(line);
            let expected = expected.map(|(program, needs_split_option)| EnvShebang {
                program: program.to_owned(),
                needs_split_option,
            });
            assert_eq!(found, expected, "{line}");
        }
    }
}
