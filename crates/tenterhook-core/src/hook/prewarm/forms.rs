//! Is a command an interpreter with a script, so that the interpreter alone can be started before its event? Reads the command
//! as text, and says yes only where it is certain.

mod language;

use tenterhook_shell::{self as shell, Context, Parsed, Word};

use super::super::{Invocation, Prewarm, Shell};
use language::{Language, NODE, PYTHON};

impl Prewarm {
    /// Returns the interpreter language of the form, if it has one.
    const fn language_of_form(self) -> Option<Language> {
        match self {
            Self::Never | Self::AsItStands => None,
            Self::Python => Some(PYTHON),
            Self::Node => Some(NODE),
        }
    }
}

impl Invocation {
    /// Returns true if the command certainly runs a script with the interpreter of `form`.
    #[must_use]
    pub fn runs_script_of_form(&self, form: Prewarm) -> bool {
        self.insert_interpreter_option(form, "", "").is_some()
    }

    /// Returns the same command with another option and its `value` before the script. `None` if it
    /// is uncertain which word is the script, if `form` has no interpreter, or if `value` has a
    /// single quote in a shell line.
    #[must_use]
    pub fn insert_interpreter_option(
        &self,
        form: Prewarm,
        option: &str,
        value: &str,
    ) -> Option<Self> {
        let language = form.language_of_form()?;
        match self {
            Self::Argv { program, args } => {
                let words: Vec<Word> =
                    std::iter::once(program).chain(args).map(Word::literal).collect();
                let options = language.count_words_before_script(&words)?;
                let (before, after) = args.split_at_checked(options)?;
                let option = [option.to_owned(), value.to_owned()];
                let args = before.iter().chain(&option).chain(after).cloned().collect();
                Some(Self::Argv { program: program.clone(), args })
            }
            Self::Shell { text, shell: shell @ (Shell::Sh | Shell::Bash) } => {
                let at = interpreter_options_end(text, &language)?;
                let (before, after) = text.split_at_checked(at)?;
                // A text without single quotes stands in single quotes as it is.
                let text = (!value.contains('\''))
                    .then(|| format!("{before} {option} '{value}'{after}"))?;
                Some(Self::Shell { text, shell: *shell })
            }
            // The effects of a profile before the line are unknown.
            Self::Shell { shell: Shell::Login | Shell::PowerShell, .. } => None,
        }
    }
}

/// Returns the offset at which the interpreter's options end, if the line is a single command.
fn interpreter_options_end(text: &str, language: &Language) -> Option<usize> {
    let line = shell::parse_line(text);
    let mut written = line.commands_as_written();
    let command = written.next().filter(|command| command.context == Context::TopLevel)?;
    let is_alone = written.next().is_none() && line.parsed == Parsed::Full;
    // Its input must be ours, and it must stand in the foreground, or it has none.
    let reads_elsewhere =
        command.redirects.iter().any(|redirect| redirect.operator.starts_with('<'));
    if !is_alone || reads_elsewhere || !line.constructs.is_empty() || has_background_ampersand(text)
    {
        return None;
    }
    let options = language.count_words_before_script(&command.words)?;
    let mut at = 0;
    let sources = command
        .assignments
        .iter()
        .map(|assignment| format!("{}={}", assignment.name, assignment.value.source))
        .chain(command.words.iter().map(|word| word.source.clone()))
        .take(command.assignments.len() + 1 + options);
    for source in sources {
        let rest = text.get(at..)?;
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\n']).len();
        at += blank;
        // Anything else between two words, such as a redirection: it is not certain what is what.
        at += text.get(at..)?.starts_with(&source).then_some(source.len())?;
    }
    Some(at)
}

/// Returns true if the text has an `&` that is not part of a redirection.
fn has_background_ampersand(text: &str) -> bool {
    let plain = text.replace("&>", "").replace(">&", "").replace("<&", "");
    plain.contains('&')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_option(form: Prewarm, option: &str, text: &str) -> Option<String> {
        let line = Invocation::Shell { text: text.to_owned(), shell: Shell::Sh };
        match line.insert_interpreter_option(form, option, "SHIM")? {
            Invocation::Shell { text, .. } => Some(text),
            Invocation::Argv { .. } => None,
        }
    }

    fn shimmed(text: &str) -> Option<String> {
        with_option(Prewarm::Python, "-c", text)
    }

    /// PW-10.
    #[test]
    fn a_line_keeps_all_but_the_place_of_its_script() {
        for (line, expected) in [
            ("python3 a.py x", "python3 -c 'SHIM' a.py x"),
            (
                " A=1 B='x y' python3 -u -W error -Xdev \"$D\"/a.py",
                " A=1 B='x y' python3 -u -W error -Xdev -c 'SHIM' \"$D\"/a.py",
            ),
            ("/usr/bin/python3.12 -uB ./a b 2>&1", "/usr/bin/python3.12 -uB -c 'SHIM' ./a b 2>&1"),
            ("python3 -u\\\n a.py", "python3 -u -c 'SHIM'\\\n a.py"),
            ("python a.py 2>/dev/null", "python -c 'SHIM' a.py 2>/dev/null"),
        ] {
            assert_eq!(shimmed(line).as_deref(), Some(expected), "{line}");
        }
    }

    /// PW-10.
    #[test]
    fn in_every_doubt_there_is_no_place_for_it() {
        for line in [
            "python3",
            "python3 -c 'x'",
            "python3 -m mod",
            "python3 -",
            "python3 -i a.py",
            "python3 -x a.py",
            "python3 a.py < file",
            "python3 a.py &",
            "cat | python3 a.py",
            "python3 a.py; true",
            "python3 a.py && true",
            "./a.py",
            "node a.js",
            "uv run a.py",
            "python2.7 a.py",
            "pythonic a.py",
            "python3 $FLAGS",
            "python3 \"$F\" a.py",
            "2>/dev/null python3 a.py",
            "(python3 a.py)",
            "python3 --version",
            "env python3 a.py",
            "python3 <<E\nE",
        ] {
            assert_eq!(shimmed(line), None, "{line}");
        }
    }

    #[test]
    fn arguments_keep_their_order() {
        let argv = |args: &[&str]| Invocation::Argv {
            program: "python3".into(),
            args: args.iter().map(|text| (*text).to_owned()).collect(),
        };
        let given = argv(&["-W", "error", "-u", "a.py", "-x"]);
        let expected = argv(&["-W", "error", "-u", "-c", "SHIM", "a.py", "-x"]);
        let shimmed = |invocation: Invocation| {
            invocation.insert_interpreter_option(Prewarm::Python, "-c", "SHIM")
        };
        assert_eq!(shimmed(given), Some(expected));
        assert_eq!(shimmed(argv(&["-W"])), None);
        assert_eq!(shimmed(argv(&["-W", "error"])), None);
    }

    /// PW-14.
    #[test]
    fn node_has_options_and_commands_of_its_own() {
        for (line, expected) in [
            ("node a.mjs x", Some("node --require 'SHIM' a.mjs x")),
            ("/opt/n/bin/node \"$D\"/a.js", Some("/opt/n/bin/node --require 'SHIM' \"$D\"/a.js")),
            (
                "A=1 node --no-warnings -r ./b.js --import=tsx --max-old-space-size=64 a.ts 2>&1",
                Some(
                    "A=1 node --no-warnings -r ./b.js --import=tsx --max-old-space-size=64 --require 'SHIM' a.ts 2>&1",
                ),
            ),
            ("node", None),
            ("node -", None),
            ("node -e 1 a.js", None),
            ("node --test a.js", None),
            ("node --cpu-prof a.js", None),
            ("node --inspect=0 a.js", None),
            ("node --max-old-space-size 64 a.js", None),
            ("node -r=x a.js", None),
            ("node inspect a.js", None),
            ("node hook", None),
            ("node \"$HOOK\"", None),
            ("node a.js < file", None),
            ("node a.js | cat", None),
            ("nodemon a.js", None),
            ("npx tsx a.ts", None),
            ("python3 a.py", None),
        ] {
            assert_eq!(
                with_option(Prewarm::Node, "--require", line).as_deref(),
                expected,
                "{line}"
            );
        }
        let line = Invocation::Shell { text: "node a.js".to_owned(), shell: Shell::Sh };
        assert_eq!(line.insert_interpreter_option(Prewarm::Node, "--require", "/it's"), None);
        assert_eq!(line.insert_interpreter_option(Prewarm::AsItStands, "--require", "x"), None);
        assert_eq!(Prewarm::Node.unless_impossible_for(&line), Prewarm::Node);
        assert_eq!(Prewarm::Python.unless_impossible_for(&line), Prewarm::Never);
        assert_eq!(Prewarm::AsItStands.unless_impossible_for(&line), Prewarm::AsItStands);
    }
}
