//! Commands behind the words of a wrapper.

use super::*;

/// S-33: code after a verb of a wrapper, after `:::`, and in a pane of `tmux`.
#[test]
fn verbs_lead_to_a_command() {
    for (line, program) in [
        ("uv run --with x rm y", "rm"),
        ("uv --directory d run -- rm y", "rm"),
        ("poetry run rm y", "rm"),
        ("npm exec --package=x -- rm y", "rm"),
        ("npm exec -c 'rm y'", "rm"),
        ("npx -y rm y", "rm"),
        ("direnv exec . rm y", "rm"),
        ("aws-vault exec p -- rm y", "rm"),
        ("parallel -j 4 rm {} ::: y", "rm"),
        ("parallel ::: 'rm y'", "rm"),
        ("tmux send-keys -t x 'rm y' Enter", "rm"),
        ("nix-shell -p x --run 'rm y'", "rm"),
    ] {
        assert!(
            parse_line(line).commands.iter().any(|command| command.program_name() == Some(program)),
            "{line}"
        );
    }
    for line in ["uv pip install rm", "npm run rm", "uv run -", "tmux ls", "poetry add rm", "npx"] {
        let found = parse_line(line);
        assert!(found.commands.iter().all(|command| command.via.is_empty()), "{line}: {found:?}");
        assert_eq!(found.parsed, Parsed::Full, "{line}");
    }
}

/// S-32.
#[test]
fn ninth_nested_wrapper_is_in_doubt() {
    let behind = |wrappers: usize| parse_line(&format!("{}rm y", "sudo ".repeat(wrappers)));
    let eight = behind(8);
    assert_eq!(eight.parsed, Parsed::Full);
    assert!(eight.commands.iter().any(|command| command.program_name() == Some("rm")), "{eight:?}");
    assert!(matches!(behind(9).parsed, Parsed::Doubtful(_)));
}

/// S-66.
#[test]
fn set_up_of_a_shell_is_a_separate_doubt() {
    let doubt = |line: &str| match parse_line(line).parsed {
        Parsed::Doubtful(doubt) => doubt,
        Parsed::Full => panic!("{line} is read whole"),
    };
    for line in [
        "eval \"$(ssh-agent -s)\"",
        "eval $(opam env)",
        "eval \"$(/opt/homebrew/bin/brew shellenv)\" && eval \"$(pyenv init - bash)\"",
    ] {
        assert_eq!(doubt(line), Doubt::Setup, "{line}");
    }
    for line in [
        "eval \"$(./ssh-agent -s)\"",
        "eval \"$(/tmp/ssh-agent)\"",
        "eval \"$(pyenv exec x)\"",
        "eval \"$(ssh-agent; cat x)\"",
        "eval \"$(ssh-agent $X)\"",
        "eval \"$(ssh-agent)$(cat x)\"",
        "eval \"$(ssh-agent)\" \"$X\"",
        "eval \"$(ssh-agent)\"; $X push",
        "$X push; eval \"$(ssh-agent)\"",
        "bash -c 'eval \"$(ssh-agent)\"'",
        "bash -c \"$(ssh-agent)\"",
        "PATH=. eval \"$(ssh-agent)\"; eval \"$X\"",
    ] {
        assert_ne!(doubt(line), Doubt::Setup, "{line}");
    }
}
