//! What the reader makes of lines, in tables.

mod handed;
mod wrappers;

use super::*;

/// `text` of each command, with its wrappers before it, and the doubt at the end.
fn show(line: &str) -> String {
    let line = parse_line(line);
    let mut shown: Vec<String> = Vec::new();
    for command in &line.commands {
        let via: Vec<_> = command
            .via
            .iter()
            .map(|via| match via {
                Via::Wrapper(name) => format!("{name}>"),
                Via::Path(_) => "path>".to_owned(),
                Via::Equivalent(name) => format!("{name}="),
            })
            .collect();
        let assignments: Vec<_> = command
            .assignments
            .iter()
            .map(|assignment| format!("{}={} ", assignment.name, assignment.value.text))
            .collect();
        let redirects: Vec<_> = command
            .redirects
            .iter()
            .map(|redirect| match &redirect.target {
                Target::Word(word) => format!(" [{}{}]", redirect.operator, word.text),
                Target::HereDocument { .. } => format!(" [{}]", redirect.operator),
                Target::Closed => format!(" [{}-]", redirect.operator),
            })
            .collect();
        shown.push(format!(
            "{}{}{}{}",
            via.concat(),
            assignments.concat(),
            command.unquoted_text(),
            redirects.concat()
        ));
    }
    let doubt = match line.parsed {
        Parsed::Full => "",
        Parsed::Doubtful(_) => " ?",
    };
    shown.join(" | ") + doubt
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(&show(line), expected, "{line}");
    }
}

#[test]
fn everything_that_would_run_is_listed() {
    check(&[
        ("git push origin main", "git push origin main"),
        ("cd /tmp && git status", "cd /tmp | git status"),
        ("a; b & c\nd || e | f |& g", "a | b | c | d | e | f | g"),
        ("(git status)", "git status"),
        ("{ git status; }", "git status"),
        ("! git status", "git status"),
        ("! { git x; }", "git x"),
        ("if a; then b; elif c; then d; else e; fi", "a | b | c | d | e"),
        ("for i in $(a); do b; done", "a | b"),
        ("for ((i=0;i<$(a);i++)); do b; done", "a | b"),
        ("while a; do b; done < <(c)", "a | b | c"),
        ("until a; do b; done", "a | b"),
        ("select x in $(a); do b; done", "a | b"),
        ("case $(a) in x) b;; $(c)) d;; esac", "a | b | c | d"),
        ("f() { git x; }; function g { git y; }", "git x | git y"),
        (
            "echo $(a) `b` \"$(c) `d`\" <(e) >(f)",
            "echo $(a) `b` \"$(c) `d`\" <(e) >(f) | a | b | c | d | e | f",
        ),
        ("echo `a \\`b\\``", "echo `a \\`b\\`` | a `b` | b"),
        ("A=$(git status)", "A=$(git status)  | git status"),
        ("arr=(a $(b)); arr[$(c)]=1", "arr=(a $(b))  | b | arr[$(c)]=1  | c"),
        ("export A=$(b) C; unset D", "export A=$(b) C | b | unset D"),
        ("((a=$(b))); echo $((1+$(c))) $[$(d)]", "b | echo $((1+$(c))) $[$(d)] | c | d"),
        ("[ -n \"$(git status)\" ]", "[ -n \"$(git status)\" ] | git status"),
        ("[[ $(a) == $(b) ]] && c", "a | b | c"),
        ("a <<< \"$(c)\" > $(b) 2>&1", "a [<<<\"$(c)\"] [>$(b)] [>&1] | c | b"),
        ("echo ${x:-$(a)} ${x/$(b)/c}", "echo ${x:-$(a)} ${x/$(b)/c} | a | b"),
        ("git status &", "git status"),
    ]);
}

#[test]
fn here_documents_run_what_their_body_substitutes() {
    check(&[
        ("cat <<EOF\ngit status\nEOF", "cat [<<]"),
        ("cat <<EOF\na $(b) `c` \\$(d) \\`e\\`\nEOF\nf", "cat [<<] | c | b | f"),
        ("cat <<'EOF'\n$(b) `c` it's\nEOF\nf", "cat [<<] | f"),
        ("cat <<-EOF | b && c\n\tx\n\tEOF", "cat [<<-] | b | c"),
        ("cat <<EOF foo\nx\nEOF", "cat foo [<<]"),
        (
            "git commit -m \"$(cat <<'EOF'\nit's (b); c\nEOF\n)\"",
            "git commit -m \"$(cat <<'EOF'\nit's (b); c\nEOF\n)\" | cat [<<]",
        ),
        ("cat <<EOF\n`b\nEOF", "cat [<<] ?"),
    ]);
}

/// S-25.
#[test]
fn quotes_and_escapes_are_removed() {
    check(&[
        ("gi't' status", "git status"),
        ("g\\it \"status\" $'-s\\x41' $\"b\"", "git status -sA b"),
        ("git pu\\\nsh", "git push"),
        ("git \\\n push", "git push"),
        ("echo 'a; git status' # git x", "echo a; git status"),
        ("git > out push 2> err -f", "git push -f [>out] [>err]"),
        ("> out git push", "git push [>out]"),
        ("A=1 B='x y' git push", "A=1 B=x y git push"),
        ("echo a#b; git push", "echo a#b | git push"),
        ("echo stash@{0} {} { HEAD^ a~1", "echo stash@{0} {} { HEAD^ a~1"),
    ]);
}

#[test]
fn words_say_how_much_of_them_is_known() {
    let line = parse_line("echo a 'b*' *.ts ~/x $c \"$d\" {e,f} {1..3} {} a=b stash@{0} $");
    let kinds: Vec<_> = line.commands[0].words.iter().map(|word| word.kind).collect();
    use WordKind::{Expansion, Literal, Pattern};
    assert_eq!(
        kinds,
        [
            Literal, Literal, Literal, Pattern, Pattern, Expansion, Expansion, Pattern, Pattern,
            Literal, Literal, Literal, Literal
        ]
    );
}

/// S-33, S-34.
#[test]
fn commands_behind_wrappers_are_found() {
    check(&[
        ("sudo git status", "sudo git status | sudo>git status"),
        ("sudo -nu root -- git x", "sudo -nu root -- git x | sudo>git x"),
        ("sudo -l git", "sudo -l git"),
        ("env -i -u X A=1 git x", "env -i -u X A=1 git x | env>git x"),
        ("env -S 'git x' y", "env -S git x y | env>git x y"),
        ("timeout -k 3 5 git x", "timeout -k 3 5 git x | timeout>git x"),
        ("nice -n 5 git x", "nice -n 5 git x | nice>git x"),
        ("nice -5 git x", "nice -5 git x | nice>git x"),
        ("stdbuf -oL git x", "stdbuf -oL git x | stdbuf>git x"),
        ("nohup git x", "nohup git x | nohup>git x"),
        ("exec -a n git x", "exec -a n git x | exec>git x"),
        ("command -v git", "command -v git"),
        ("time -p git x", "time -p git x | time>git x"),
        ("time { git x; }", "time { git x | time>git x"),
        ("xargs -n 1 git x", "xargs -n 1 git x | xargs>git x $@"),
        ("xargs -I{} git {} x", "xargs -I{} git {} x | xargs>git {} x"),
        (
            "find . -name x -exec git a {} \\; -ok b {} +",
            "find . -name x -exec git a {} ; -ok b {} + | find>git a {} | find>b {}",
        ),
        ("bash -lc 'git x; rm y'", "bash -lc git x; rm y | bash>git x | bash>rm y"),
        ("sh -euo pipefail -c 'git x'", "sh -euo pipefail -c git x | sh>git x"),
        ("bash <<'E'\ngit x\nE", "bash [<<] | bash>git x"),
        ("bash <<< 'git x'", "bash [<<<git x] | bash>git x"),
        ("bash script.sh", "bash script.sh"),
        ("eval git 'x; rm'", "eval git x; rm | eval>git x | eval>rm"),
        ("watch -n 1 git x", "watch -n 1 git x | watch>git x"),
        ("trap 'git x' EXIT", "trap git x EXIT | trap>git x"),
        ("/usr/bin/git x", "/usr/bin/git x | path>git x"),
        ("~/bin/git x", "~/bin/git x | path>git x"),
        ("\"$HOME\"/bin/git x", "\"$HOME\"/bin/git x | path>git x"),
        (
            "/bin/sudo env F=1 bash -c 'timeout 5 git push'",
            "/bin/sudo env F=1 bash -c timeout 5 git push | path>sudo env F=1 bash -c timeout 5 git push \
             | path>sudo>env F=1 bash -c timeout 5 git push | path>sudo>env>bash -c timeout 5 git push \
             | path>sudo>env>bash>timeout 5 git push | path>sudo>env>bash>timeout>git push",
        ),
    ]);
}

/// S-23.
/// S-34, S-110.
#[test]
fn doubt_is_said() {
    for line in [
        "git push; (",
        "git push )",
        "echo 'open",
        "$CMD push",
        "git${IFS}push",
        "bash -c \"$X\"",
        "eval \"$X\"",
        "curl x | sh",
        "xargs -I% %",
        "echo $'a\\\\'; git push #'",
        "echo a\\\n#b ; git push",
        "echo a \\ git push",
        "echo ${x#$(git a)}",
        "echo ${x:-`git a`}",
        "git\0push",
        "coproc N { git x; }",
        "source <(a)",
        ". /dev/stdin <<< \"$X\"",
        "sh - < x",
        "bash /dev/stdin < x",
        "(crontab -l; echo x) | crontab -",
        "make -f - < x",
        "make --file=/dev/stdin",
        "hash -p /usr/bin/git x; x push",
        "BASH_ENV=<(echo git push) bash -c :",
        "bash5 -c \"$X\"",
        "X=ls; X=git; $X push",
        "X=ls; read X; $X push",
        "false && X=ls; $X push",
        "(X=ls); $X push",
        "X=ls true; $X push",
        "X=ls; . ./x; $X push",
        "X=\"$Y\"; $X push",
        "X=ls; for i in 1; do $X push; X=git; done",
        "$(which $X) push",
        "$(which a b) push",
        "IFS=,; X=git,push; $X",
        "X+=ls; $X push",
        "X=ls & $X push",
        "X=ls; Y=$(cat f); export \"$Y=git\"; $X push",
        "which() { echo git; }; $(which ls) push",
    ] {
        assert!(show(line).ends_with('?'), "{line}: {}", show(line));
    }
}

/// S-67, S-111.
#[test]
fn program_that_the_line_names_is_no_doubt() {
    for (line, command) in [
        ("$(which git) push", "git push"),
        ("\"$(command -v git)\" push", "git push"),
        ("sudo `type -P git` push", "git push"),
        ("X='git push'; $X origin", "git push origin"),
        ("X=git && \"$X\" push", "git push"),
        ("X=$(which git)\n${X} push", "git push"),
    ] {
        let read = parse_line(line);
        assert_eq!(read.parsed, Parsed::Full, "{line}");
        assert!(read.commands.iter().any(|found| found.unquoted_text() == command), "{line}");
    }
}

#[test]
fn constructs_are_named_in_order() {
    use Construct::{BraceGroup, HereDocument, ProcessSubstitution, TestSubstitution};
    let cases: &[(&str, &[Construct])] = &[
        ("cat <<EOF\nx\nEOF", &[HereDocument]),
        ("{ a; } && diff <(b) c", &[BraceGroup, ProcessSubstitution]),
        ("[ -n \"$(a)\" ]", &[TestSubstitution]),
        ("[[ $(a) ]]", &[TestSubstitution]),
        ("[ -n \"$a\" ]", &[]),
        ("A=$(a) (b); if c; then d; fi", &[]),
        ("bash -c '{ a; }'", &[]),
        ("cat <<< a", &[]),
    ];
    for (line, expected) in cases {
        assert_eq!(&parse_line(line).constructs, expected, "{line}");
    }
}

/// S-22.
#[test]
fn a_line_over_the_bound_is_not_read() {
    let line = format!("git {}", "x".repeat(LONGEST_LINE));
    assert_eq!(parse_line(&line).parsed, Parsed::Doubtful(Doubt::TooLong));
    let line = format!("git {}", "x".repeat(LONGEST_LINE - 4));
    assert_eq!(parse_line(&line).parsed, Parsed::Full);
}

/// S-22.
#[test]
fn line_over_a_bound_is_too_deep_behind_any_wrapper() {
    let pipes = "a|".repeat(600);
    let statements = "a;".repeat(LONGEST_LINE / 2 - 64);
    for line in [
        format!("bash -c '{pipes}a'"),
        format!("$X; {pipes}a"),
        format!("bash -c '{statements}git push'"),
        format!("$X; {statements}git push"),
        "a <<E ".repeat(8_000),
        format!("bash <<'E'\n{}\nE", "${".repeat(8_000)),
    ] {
        let start: String = line.chars().take(20).collect();
        assert_eq!(parse_line(&line).parsed, Parsed::Doubtful(Doubt::TooDeep), "{start}");
    }
}

/// S-22: here-documents in separate rows, and parameters that end, cost as much as other text.
#[test]
fn long_text_of_other_languages_is_read_in_full() {
    for (row, times) in [
        ("std::cout << a << \"b\" << std::endl;\n", 1_500),
        ("const a = `${b} ${c.d} <${e}>`;\n", 1_500),
        ("a: ${{ secrets.B }}\n", 2_500),
    ] {
        let line = format!("cat > x <<'E'\n{}E\ngit push", row.repeat(times));
        let line = parse_line(&line);
        assert_eq!(line.parsed, Parsed::Full, "{row}");
        assert_eq!(
            line.commands.last().map(SimpleCommand::unquoted_text).as_deref(),
            Some("git push")
        );
    }
}

/// Each of these took a thread's stack, minutes, or both in one shell reader or another.
#[test]
fn hostile_lines_end_in_doubt() {
    let deep = |piece: &str| piece.repeat(LONGEST_LINE / piece.len());
    for piece in [
        "(",
        "((",
        "$(",
        "`",
        "\"$(",
        "${x:-",
        "$((",
        "$[",
        "<(",
        "{ ",
        "[ ",
        "x=(",
        "a|",
        "<<A\n",
        "((*",
        "'a<<",
        "if a; then ",
        "case a in b) ",
        "f() { ",
        "sudo ",
        "eval ",
    ] {
        let line = parse_line(&deep(piece));
        assert!(matches!(line.parsed, Parsed::Doubtful(_)), "{piece}");
    }
    let nested = format!("{}git{}", "$(".repeat(20_000), ")".repeat(20_000));
    assert!(matches!(parse_line(&nested).parsed, Parsed::Doubtful(_)));
    assert!(matches!(parse_line(&"a | ".repeat(10_000)).parsed, Parsed::Doubtful(_)));
}

/// The grammar's scanner reads out of bounds at these.
#[test]
fn characters_beyond_the_grammars_tables_are_ordinary() {
    check(&[
        (
            "echo {\u{10ffff}..\u{1f600}} 1\u{1f600} \u{e9}; git push",
            "echo {\u{10ffff}..\u{1f600}} 1\u{1f600} \u{e9} | git push",
        ),
        ("git\u{a0}push", "git\u{a0}push"),
        ("\u{e9}=1 git push", "\u{e9}=1 git push"),
        ("cat <<\u{c9}\n\u{ca}\n\u{c9}\ngit push", "cat [<<] | \u{c9} | git push ?"),
    ]);
    for c in ['\u{80}', '\u{ff}', '\u{100}', '\u{fffd}', '\u{10ffff}'] {
        for start in
            ["", "{", "{1", "1", "$", "${", "${x:-", "<<", "[[ a =~ ", "a[", "@(", "(", "\"", "x="]
        {
            let _ = parse_line(&format!("{start}{c}{start}1{c}"));
        }
    }
}

#[test]
fn long_plain_lines_are_read_in_full() {
    for (piece, count) in [
        ("git x; ", 1_000),
        ("git x && ", 1_000),
        ("git x\n", 1_000),
        ("git x | ", 500),
        ("git x && a=", 1_000),
    ] {
        let line = parse_line(&format!("{}git x", piece.repeat(count)));
        assert_eq!((line.parsed, line.commands.len()), (Parsed::Full, count + 1), "{piece}");
    }
}

proptest::proptest! {
    #[test]
    fn every_text_has_a_reading(line in "\\PC{0,80}") {
        let _ = parse_line(&line);
    }

    #[test]
    fn every_mix_of_shell_syntax_has_a_reading(
        line in "(git|a|=|'|\"|`|\\$\\(|\\)|\\(|\\{ | \\}|;|\n|\\||&&|<<E\n|E\n|\\$x|\\\\|#|<\\(|> |\\[ | \\]|\\$'| |é|sudo |sh -c ){0,24}"
    ) {
        let line = parse_line(&line);
        for command in &line.commands {
            proptest::prop_assert!(command.via.len() <= MOST_WRAPPERS);
        }
    }

    /// Quoting a word in any way leaves the command what it was.
    #[test]
    fn quoting_hides_no_command(word in "[a-z/ $;|&'\"\\\\*~#\u{e9}-]{1,12}") {
        let single = format!("git '{}'", word.replace('\'', "'\\''"));
        let escaped: String = word.chars().flat_map(|c| ['\\', c]).collect();
        for line in [single, format!("git {escaped}")] {
            let read = parse_line(&line);
            if read.parsed == Parsed::Full {
                proptest::prop_assert_eq!(read.commands.len(), 1, "{}", line);
                proptest::prop_assert_eq!(&read.commands[0].words[1].text, &word, "{}", line);
            }
        }
    }
}

/// A guard on `git push` must see each of these, by name or as a doubt (S-21, S-31).
/// S-34.
#[test]
fn no_spelling_hides_a_command() {
    for line in [
        "\\git push",
        "g''it push",
        "$'\\x67it' push",
        "$'\\147it' push",
        "\"git\" 'push'",
        "git\tpush",
        "command -p git push",
        "env - git push",
        "env -- A=1 git push",
        "sudo -uroot git push",
        "sudo --user root -E git push",
        "sudo --user=root git push",
        "sudo A=1 git push",
        "timeout -s9 5 git push",
        "timeout --signal KILL --preserve-status 5s git push",
        "nice -n5 git push",
        "nice --adjustment 5 git push",
        "ionice -c2 -n 7 git push",
        "setsid -w git push",
        "xargs -0 -n1 git push",
        "xargs -I % git push %",
        "xargs --no-run-if-empty git push",
        "bash --noprofile -c 'git push'",
        "bash -O extglob -o pipefail -c 'git push'",
        "sh -c -- 'git push'",
        "zsh -ic 'git push' name",
        "find . -exec sh -c 'git push' \\;",
        "nohup sh -c 'git push' &",
        "exec -cl git push",
        "time -p git push",
        "! time git push",
        "coproc git push",
        "a | (git push)",
        "cat <(git push)",
        "tee >(git push) < x",
        "while read -r x; do git push; done <<< \"$(a)\"",
        "ls\r\ngit push",
        "{ git push; } 2>&1 | tee x",
        "(git push) > x",
        "if ! git push; then a; fi",
        "[[ -f x ]] && git push",
        "a &&\n  git push",
        "a # b\ngit push",
        "case x in (a) git push;; esac",
        "/usr/bin/env git push",
        "/usr/bin/env -S bash -c 'git push'",
        "./git push",
        "../bin/git push",
        "busybox sh -c 'git push'",
        "doas -u x git push",
        "eval 'git' push",
        "builtin eval git push",
        "trap 'git push' EXIT",
        "stdbuf -o L git push",
        "stdbuf --output=L git push",
        "A=git; $A push",
        "{git,} push",
        "sh <<EOF\ngit push\nEOF",
        "echo git push | sh",
        "sudo bash <<'EOF'\ngit push\nEOF",
        "sudo -s <<< 'git push'",
        "sh -s x <<< 'git push'",
        "eval \"$(a)\"",
        "flock x git push",
        "env -u A -C /tmp git push",
        "chroot / git push",
        "f() { git push; }; f",
        "a & git push",
        "time { git push; }",
        "! { git push; }",
        "echo ${x:=$(git push)}",
        "x[$(git push)]=1",
        "declare x=$(git push)",
        "git>out push",
        "git push>out",
        ">out git push",
        "2>&1 git push",
        "a <<E; git push\nE",
        "a <<E && git push\nE",
        "a <<A <<B\nA\nB\ngit push",
        "a <<-E\n\tE\ngit push",
        "a <<E\n\tE\ngit push\nE\ngit push",
        "sudo sudo sudo sudo sudo sudo sudo sudo sudo git push",
        "watch -n1 'git push'",
        "time -- git push",
        "su -c 'git push'",
        "script -c 'git push' x",
        "nsenter -t 1 git push",
        "nocorrect git push",
        "bash5 -c 'git push'",
        "rbash -c 'git push'",
        "csh -c 'git push'",
        "script -qec 'git push' x",
        "su -lc 'git push'",
        "su -c'git push'",
        "runuser -l x -c 'git push'",
        "runuser -u x -- git push",
        "alias gp='git push'; gp",
        ". /dev/stdin <<< 'git push'",
        "source /dev/stdin <<< 'git push'",
        "sh - <<< 'git push'",
    ] {
        let shown = show(line);
        let seen = shown.split(" | ").any(|part| {
            part.rsplit('>').next().is_some_and(|part| part.trim_start().starts_with("git push"))
                || part.starts_with("git push")
        });
        assert!(seen || shown.ends_with('?'), "{line}: {shown}");
    }
}

/// S-26.
#[test]
fn a_redirection_behind_a_group_is_kept() {
    for line in ["a && b > f", "{ a; } > f", "(a) > f", "if a; then b; fi > f"] {
        let found = parse_line(line);
        assert!(matches!(&found.redirects[..], [one] if one.operator == ">"), "{line}: {found:?}");
    }
    assert_eq!(parse_line("a > f").redirects, []);
}

/// S-24: the grammar loses a dash before a redirection with a descriptor.
#[test]
fn a_dash_before_a_redirection_is_a_word() {
    for (line, words) in [
        ("x run - 2>&1", "x run -"),
        ("x - 2> f | y", "x -"),
        ("x - > f", "x -"),
        ("x -- 2>&1", "x --"),
    ] {
        let read = parse_line(line);
        assert_eq!(read.commands[0].unquoted_text(), words, "{line}");
        assert_eq!(read.parsed, Parsed::Full, "{line}");
    }
}

/// S-27.
#[test]
fn loops_and_functions_are_kept() {
    let line =
        parse_line("f() { rm \"$1\"; }; for d in a \"b c\" $X; do (for e in 1; do f; done); done");
    let of = |at: usize| -> Vec<&str> {
        line.loops[at].words.iter().map(|word| word.text.as_str()).collect()
    };
    assert_eq!((line.loops[0].variable.as_str(), of(0)), ("d", vec!["a", "b c", "$X"]));
    assert_eq!((line.loops[1].variable.as_str(), of(1)), ("e", vec!["1"]));
    let functions: Vec<_> =
        line.functions.iter().map(|function| (&*function.name, &*function.body)).collect();
    assert_eq!(functions, [("f", "{ rm \"$1\"; }")]);
    assert_eq!(line.parsed, Parsed::Full);
}
