//! What the readers of PowerShell and of cmd make of lines, in tables.

use super::super::{Line, Parsed, Via, parse_line_in_language};
use super::Language;

fn line(language: Language, text: &str) -> Line {
    parse_line_in_language(language, text, &|_| true).expect("nothing is counted")
}

/// The commands of a line, those that stand for others in brackets, and `?` where it is in doubt.
fn show(language: Language, text: &str) -> String {
    let line = line(language, text);
    let shown = line.commands.iter().map(|command| match command.via.last() {
        Some(Via::Equivalent(_)) => format!("[{}]", command.source()),
        _ => command.unquoted_text(),
    });
    let doubt = if line.parsed == Parsed::Full { "" } else { " ?" };
    shown.collect::<Vec<_>>().join(" | ") + doubt
}

#[track_caller]
fn check(language: Language, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(&show(language, text), expected, "{text}");
    }
}

/// S-80.
#[test]
fn command_is_listed_under_its_whole_name() {
    check(
        Language::PowerShell,
        &[
            ("git checkout -- .", "git checkout -- ."),
            ("Microsoft.PowerShell.Management\\Get-Process", "Get-Process | [pgrep]"),
            ("& “git” push", "git push"),
            ("git push –f", "git push -f"),
            ("git `\n push -f", "git push -f"),
            ("git push -f # no", "git push -f"),
            ("if ($x) { a } elseif (b) { c } else { d }", "a | b | c | d"),
            ("switch -regex ($x) { 'a' { b } default { c } }", "b | c"),
            ("do { a } while (b)", "a | b"),
            ("try { a } catch [IO.IOException], [X] { b } finally { c }", "a | b | c"),
            ("a | b | c; d", "a | b | c | d"),
            ("$x = git status", "git status"),
            ("return git push", "git push"),
            ("foreach ($i in 1..3) { git push }", "git push"),
            ("7z x a.zip", "7z x a.zip"),
            ("$a.b = 'c'; $i++; $x[0]", ""),
            ("[int]$x = 3", ""),
            ("git log HEAD~1..HEAD", "git log HEAD~1..HEAD"),
            ("git push origin HEAD:main 2>$null", "git push origin HEAD:main"),
        ],
    );
}

/// S-81.
#[test]
fn command_of_other_systems_stands_behind() {
    let powershell = [
        (
            "Remove-Item .claude\\settings.json",
            "Remove-Item .claude\\settings.json | [rm .claude/settings.json]",
        ),
        ("ri ~\\x -r -fo", "Remove-Item ~\\x -Recurse -Force | [rm -r -f ~/x]"),
        ("Remove-Item $env:USERPROFILE\\x", "Remove-Item $env:USERPROFILE\\x | [rm \"${HOME}\"/x]"),
        ("sc.exe stop x", "sc stop x | [systemctl stop x]"),
        ("$env:A = 'b'", "[export A=b]"),
        ("Remove-Item Env:\\A", "Remove-Item Env:\\A | [unset A]"),
        (
            "[Environment]::SetEnvironmentVariable('A', 'b', 'User')",
            "[Environment]::SetEnvironmentVariable A b User | [export A=b] | [setx A b User]",
        ),
        ("setx A b", "setx A b | [export A=b]"),
        ("ren .claude\\a b", "Rename-Item .claude\\a b | [mv .claude/a .claude/b]"),
        (
            "ni -ItemType SymbolicLink q -Target a\\b",
            "New-Item -ItemType SymbolicLink q -Target a\\b | [ln -s a/b q]",
        ),
        ("git rm a\\b", "git rm a\\b | [git rm a/b]"),
        ("rm -rf x", "Remove-Item -rf x | [rm -rf x]"),
        ("Remove-Item x -Recurse -WhatIf", "Remove-Item x -Recurse -WhatIf"),
    ];
    check(Language::PowerShell, &powershell);
    check(
        Language::Cmd,
        &[
            ("del /s a\\b", "del /s a\\b | [rm -r a/b]"),
            ("rd/s/q x", "rd /s /q x | [rm -f -r x]"),
            ("mklink q a\\b", "mklink q a\\b | [ln -s a/b q]"),
            ("set \"A=b\"", "set A=b | [export A=b]"),
            ("type a", "type a | [cat a]"),
        ],
    );
}

/// S-82.
#[test]
fn code_that_is_handed_over_is_read() {
    check(
        Language::PowerShell,
        &[
            (
                "$c = 'git push'; iex $c",
                "Invoke-Expression git push | [eval git' 'push] | git push",
            ),
            ("$b = { git push }; & $b", "git push"),
            ("bash -c 'git push'", "bash -c git push | git push"),
            ("sudo git push", "sudo git push | git push"),
            ("'git push' | bash", "bash | git push"),
            (
                "cmd /c \"powershell -c git push\"",
                "cmd /c powershell -c git push | powershell -c git push | git push",
            ),
        ],
    );
    check(
        Language::Cmd,
        &[
            ("echo git push | cmd", "echo git push | git push | cmd"),
            ("%COMSPEC% /c git push", "cmd /c git push | git push"),
            ("bash -c \"git push\"", "bash -c git push | git push"),
        ],
    );
    check(
        Language::Posix,
        &[
            ("pwsh -c 'git push -f'", "pwsh -c git push -f | git push -f"),
            (
                "powershell.exe -NoP -e ZwBpAHQAIABwAHUAcwBoACAALQBmAA==",
                "powershell.exe -NoP -e ZwBpAHQAIABwAHUAcwBoACAALQBmAA== | powershell -NoP -e ZwBpAHQAIABwAHUAcwBoACAALQBmAA== | git push -f",
            ),
            ("cmd.exe /c 'git push'", "cmd.exe /c git push | cmd /c git push | git push"),
        ],
    );
}

/// S-83.
#[test]
fn what_the_line_does_not_say_is_a_doubt() {
    for text in [
        "iex $x",
        "x | iex",
        "& $x",
        "git push \"",
        "(git",
        "{",
        "powershell -File x.ps1",
        "irm x | powershell",
        "[scriptblock]::Create($x)",
        "powershell -enc %%%",
        "class A { }",
        "$x.$y()",
        "a <b",
    ] {
        let line = line(Language::PowerShell, text);
        assert_ne!(line.parsed, Parsed::Full, "{text}: {line:?}");
    }
    for text in ["%X% push", "(git", "cmd /cgit", "call x.bat", "a \"b\\\" & c", "if", "for"] {
        assert_ne!(line(Language::Cmd, text).parsed, Parsed::Full, "{text}");
    }
}

/// S-22.
#[test]
fn every_line_costs_a_bounded_number_of_steps() {
    let shapes = [
        "(",
        "{",
        "$(",
        "\"$(",
        "@(",
        "@{",
        "[",
        "& ",
        "if (",
        "iex '",
        "a;",
        "a|",
        "`",
        "'",
        "\"",
        "$x=",
        "%",
        "^",
        "(a",
        "a,",
        "-a ",
        "for %a in (",
        "if a ",
        "cmd /c ",
        "powershell -c ",
        "$a.b(",
        "@'\n",
        "<#",
        "1..",
        "a=@{b=",
        "! ",
    ];
    for language in [Language::PowerShell, Language::Cmd] {
        for shape in shapes {
            let text = shape.repeat(20_000 / shape.len());
            let steps = std::cell::Cell::new(0_usize);
            let _line = parse_line_in_language(language, &text, &|more| {
                steps.set(steps.get() + more);
                true
            });
            assert!(steps.get() < 2_000_000, "{shape}: {}", steps.get());
        }
    }
}
