//! What the line itself hands from one command to another: through pipes, here-documents, files, braces and aliases.

use super::*;
use crate::guess::{self, Languages};

/// S-67.
#[test]
fn text_on_standard_input_is_read_as_code() {
    check(&[
        ("echo 'git push' | sh", "echo git push | sh | sh>git push"),
        (
            "printf '%s\\n' a 'git push' | bash -s x",
            "printf %s\\n a git push | bash -s x | bash>a | bash>git push",
        ),
        (
            "cat <<'E' | tee x | sudo sh\ngit push\nE",
            "cat [<<] | tee x | sudo sh | sudo>sh | sudo>sh>git push",
        ),
        (
            "(echo git; echo push) | xargs env",
            "echo git | echo push | xargs env | xargs>env git push | xargs>env>git push",
        ),
        ("echo push | xargs git", "echo push | xargs git | xargs>git push"),
        (
            "xargs -I{} sh -c '{}' <<< 'git push'",
            "xargs -I{} sh -c {} [<<<git push] | xargs>sh -c git push [<<<git push] | xargs>sh>git push",
        ),
        ("bash < <(echo git push)", "bash [<<(echo git push)] | bash>git push | echo git push"),
        ("bash <(echo git push)", "bash <(echo git push) | bash>git push | echo git push"),
        ("echo git push | parallel", "echo git push | parallel | parallel>git push"),
        ("echo git push | at now", "echo git push | at now | at>git push"),
        (
            "bash -c 'echo git push' | sh",
            "bash -c echo git push | bash>echo git push | sh | sh>git push",
        ),
        ("a | bash <<E\ngit push\nE", "a | bash | bash>git push"),
        // What the line does not say stays in doubt, and what it says of it is read.
        (
            "(crontab -l; echo git push) | crontab -",
            "crontab -l | echo git push | crontab - | crontab>git push ?",
        ),
        ("cat x | sh", "cat x | sh ?"),
        ("echo \"$X\" | sh", "echo \"$X\" | sh | sh>$X ?"),
        ("echo x > y | sh", "echo x [>y] | sh ?"),
    ]);
}

/// S-100.
#[test]
fn code_is_appended_or_named_by_an_option() {
    for line in [
        "xargs -0 sh -c <<< 'git push'",
        "echo 'git push' | xargs -d '\\n' bash -lc",
        "echo 'git push' > x; at now -f x",
        "sg docker <<< 'git push'",
    ] {
        let found = show(line);
        let guessed = guesses(line);
        assert!(
            found.contains(">git push") || guessed.iter().any(|text| text.contains("git push")),
            "{line}: {found} {guessed:?}"
        );
    }
    assert!(!show("xargs -n1 echo <<< 'git push'").contains(">git push"));
}

/// S-67: a shell inside a group, and code that runs other code.
#[test]
fn here_document_of_a_group_is_that_of_its_commands() {
    for line in [
        "(bash)",
        "{ bash; }",
        "if true; then bash; fi",
        "bash -c bash",
        "bash -c 'source /dev/stdin'",
        "true && sudo sh",
        "for x in 1; do sh; done",
    ] {
        let shown = show(&format!("{line} <<'E'\ngit push\nE"));
        assert!(shown.contains("git push") && !shown.ends_with('?'), "{line}: {shown}");
    }
    for line in [
        "while read l; do eval \"$l\"; done",
        "while read l; do $l; done",
        "{ read x; bash -c \"$x\"; }",
    ] {
        let shown = show(&format!("{line} <<'E'\ngit push\nE"));
        assert!(shown.contains("git push") && shown.ends_with('?'), "{line}: {shown}");
    }
}

/// S-68.
#[test]
fn file_that_the_line_writes_is_read_where_it_runs() {
    check(&[
        ("echo 'git push' > x; sh x", "echo git push [>x] | sh x | sh>git push"),
        ("cat > x <<E\ngit push\nE\n. ./x", "cat [>x] [<<] | . ./x | .>git push"),
        ("tee x <<< 'git push' && bash ./x", "tee x [<<<git push] | bash ./x | bash>git push"),
        (
            "printf 'git push' > x && chmod +x x && ./x",
            "printf git push [>x] | chmod +x x | ./x | path>git push | path>x",
        ),
        (
            "echo 'git push' > x; cp x y; mv y z; sh z",
            "echo git push [>x] | cp x y | mv y z | sh z | sh>git push",
        ),
        (
            "install -m755 /dev/stdin x <<< 'git push'; ./x",
            "install -m755 /dev/stdin x [<<<git push] | ./x | path>git push | path>x",
        ),
        ("dd of=x <<< 'git push'; sh x", "dd of=x [<<<git push] | sh x | sh>git push"),
        (
            "echo git > x; echo push >> x; sh < x",
            "echo git [>x] | echo push [>>x] | sh [<x] | sh>git | sh>push",
        ),
        ("{ echo git push; } > x; sh x", "echo git push | sh x | sh>git push"),
        (
            "echo 'git push' > \"$T/x.sh\"; sh \"$T/x.sh\"",
            "echo git push [>\"$T/x.sh\"] | sh \"$T/x.sh\" | sh>git push",
        ),
        ("echo a > x; echo b > x; sh x", "echo a [>x] | echo b [>x] | sh x | sh>b"),
        ("echo 'sh x' > x; sh x", "echo sh x [>x] | sh x | sh>sh x"),
        ("echo x > y; sh z", "echo x [>y] | sh z"),
        ("curl u > x; sh x", "curl u [>x] | sh x"),
    ]);
}

/// S-68: of a script in another language nothing is read as a line of the shell.
#[test]
fn script_of_another_language_is_no_line() {
    let line = parse_line("printf '#!/usr/bin/env python3\\nimport os' > x; ./x");
    let script = line.commands.iter().find(|command| command.program_name() == Some("python3"));
    let script = script.map(|command| (command.unquoted_text(), command.input.as_deref()));
    assert_eq!(script, Some(("python3 ./x".to_owned(), Some("#!/usr/bin/env python3\nimport os"))));
    let line = parse_line("cat > x.py <<'E'\nimport os\nE\npython3 x.py");
    assert_eq!(
        line.commands.last().and_then(|command| command.input.as_deref()),
        Some("import os\n")
    );
}

/// S-67, S-111.
#[test]
fn program_that_a_substitution_prints_is_read() {
    check(&[
        ("$(echo git) push", "$(echo git) push | $( )>git push | echo git"),
        (
            "`printf 'sudo git'` push",
            "`printf 'sudo git'` push | $( )>sudo git push | $( )>sudo>git push | printf sudo git",
        ),
        ("$(which git) push", "$(which git) push | $( )>git push | which git"),
        ("$(echo $X) push", "$(echo $X) push | echo $X ?"),
    ]);
}

/// S-31.
#[test]
fn program_by_another_name_is_listed() {
    check(&[
        ("git.exe push", "git.exe push | path>git push"),
        ("git-push -f", "git-push -f | path>git push -f"),
        ("hub push -f", "hub push -f | path>git push -f"),
    ]);
}

/// S-69.
#[test]
fn braces_are_unfolded() {
    check(&[
        ("git {push,} -f", "git {push,} -f | {a,b}>git push -f"),
        ("r{m,} -rf /x", "r{m,} -rf /x | {a,b}>rm r -rf /x"),
        ("git push {--force,} o", "git push {--force,} o | {a,b}>git push --force o"),
        (
            "sudo terraform destro{y,}",
            "sudo terraform destro{y,} | {a,b}>sudo terraform destroy destro | {a,b}>sudo>terraform destroy destro",
        ),
        (
            "bash -c {'git push',}",
            "bash -c {'git push',} | {a,b}>bash -c git push | {a,b}>bash>git push",
        ),
        ("echo {} a{b}", "echo {} a{b}"),
        ("echo \"{a,b}\"", "echo {a,b}"),
    ]);
}

/// S-70.
#[test]
fn arithmetic_runs_substitutions() {
    for line in [
        "let 'a[$(git push)]=1'",
        "declare -i x='a[$(git push)]'",
        "[[ 'a[$(git push)]' -eq 0 ]]",
        "test -v 'a[`git push`]'",
        "printf -v 'a[$(git push)]' x",
        "[ -v 'a[$(git push)]' ]",
    ] {
        assert!(show(line).contains("[ ]>git push"), "{line}: {}", show(line));
    }
    for line in ["[[ '$(x)' = y ]]", "echo 'a[$(git push)]'", "test -n '$(x)'"] {
        assert!(!show(line).contains("[ ]>"), "{line}: {}", show(line));
    }
}

/// S-71.
#[test]
fn alias_is_read_with_the_words_behind_it() {
    check(&[("alias g=git\ng push -f", "alias g=git | alias>git | g push -f | alias>git push -f")]);
    check(&[("alias a=a; a", "alias a=a | alias>a | a | alias>a")]);
}

/// What may be run that is about git or `rm`.
fn guesses(line: &str) -> Vec<String> {
    let line = parse_line(line);
    let found =
        guess::guess_commands_in_line(&line, &|name| matches!(name, "git" | "rm"), Languages::Read);
    found.into_iter().map(|guess| guess.text.trim().to_owned()).collect()
}

/// S-71.
#[test]
fn alias_of_git_is_guessed_with_the_words_behind_it() {
    for line in [
        "git -c alias.p=push p -f o",
        "git config alias.p push && git p -f o",
        "git config --global alias.p push; git p -f o",
        "env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p -f o",
        "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push; git p -f o",
        "GIT_CONFIG_PARAMETERS=\"'alias.p=push'\" git p -f o",
        "A=push git --config-env=alias.p=A p -f o",
        "A=push git --config-env alias.p=A p -f o",
    ] {
        assert!(guesses(line).contains(&"git push -f o".to_owned()), "{line}: {:?}", guesses(line));
    }
    assert!(guesses("git -c alias.p='!rm -rf /' p").contains(&"rm -rf /".to_owned()));
}

/// S-67, S-72.
#[test]
fn program_that_starts_a_shell_runs_what_it_reads() {
    for line in [
        "ssh h",
        "ssh -i k -p 22 u@h",
        "ssh h bash",
        "ssh h 'cd x && bash -s'",
        "su - x",
        "docker exec -i c sh",
        "kubectl exec -i p -- bash",
        "nix develop -c bash",
        "sshpass -p x ssh h",
        "fly ssh console",
        "chronic bash",
    ] {
        let line = format!("{line} <<'E'\ngit push\nE");
        assert_eq!(guesses(&line), ["git push"], "{line}");
    }
    for line in [
        "ssh h tee x",
        "ssh h 'cat > x'",
        "chronic bash x.sh",
        "docker run -i x cat",
        "grep bash",
        "gh pr create -F - -t bash",
        "gh issue create -F - -t login",
        "ssh -c aes h ls",
    ] {
        let line = format!("{line} <<'E'\ngit push\nE");
        assert_eq!(guesses(&line), [""; 0], "{line}");
    }
}

/// S-72.
/// S-101.
#[test]
fn words_of_a_program_lead_to_code() {
    for line in [
        "zip x y -T -TT 'git push #'",
        "tar xf x --checkpoint=1 --checkpoint-action=exec='git push'",
        "make --eval='x:;git push' x",
        "make x='$(shell git push)'",
        "cmake -E env A=b git push",
        "docker run --rm --entrypoint git x push",
        "docker run --entrypoint=git x push",
        "tmux if-shell -b 'git push' ''",
        "socat - SYSTEM:'git push'",
        "fzf --preview 'git push'",
        "ed x <<< '!git push'",
        "sort --compress-program 'git push' x",
        "sed 's/x/git push/e' f",
        "deno eval 'new Deno.Command(\"git\",{args:[\"push\"]})'",
        "ruby -e 'system %q(git push)'",
        "perl -e 'exec qw(git push)'",
        "elixir -e 'System.cmd(\"git\",[\"push\"])'",
        "python3 -c 'import os; os.execvp(\"git\",[\"git\",\"push\"])'",
        "m4 <<< 'syscmd(`git push`)'",
        "tclsh <<< 'exec git push'",
        "expect -c 'spawn git push'",
        "awk 'BEGIN { \"git push\" | getline }'",
        "nix run nixpkgs#git -- push",
        "flatpak run --command=git x push",
        "start-stop-daemon --start --exec /usr/bin/git -- push",
        "bazel run --run_under='git push' x",
        "complete -C 'git push' x",
        "sed -n '1!d;e git push' f",
        "ruby -e '%x(git push)'",
        "Rscript -e 'system2(\"git\", c(\"push\"))'",
        "git -c ALIAS.p=push p",
    ] {
        let seen = guesses(line)
            .iter()
            .any(|guess| guess.starts_with("git push") || guess.contains(";git push"));
        assert!(seen, "{line}: {:?}", guesses(line));
    }
    for line in [
        "zip -r git.zip git push",
        "fzf --query 'git push'",
        "sort 'git push'",
        "sed 's/git push/x/' f",
        "python3 -c 'print(1)'",
        "ed x <<< 'a git push'",
    ] {
        assert_eq!(guesses(line), [""; 0], "{line}");
    }
}
