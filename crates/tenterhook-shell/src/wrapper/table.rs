//! The programs that run their arguments, and the options and operands by which they do. A table;
//! reads no words.

use super::super::windows::CmdCode;
use super::{First, Follows, Runs, Wrapper};

const fn command(name: &'static str, valued: &'static [&'static str]) -> Wrapper {
    let follows = Follows::Command { operands: 0, first: First::Plain };
    Wrapper { name, valued, inert: &[], follows }
}

const fn after(name: &'static str, valued: &'static [&'static str], operands: usize) -> Wrapper {
    let follows = Follows::Command { operands, first: First::Plain };
    Wrapper { name, valued, inert: &[], follows }
}

const fn row(name: &'static str, follows: Follows) -> Wrapper {
    Wrapper { name, valued: &[], inert: &[], follows }
}

const fn shell(name: &'static str) -> Wrapper {
    let valued = &["-o", "+o", "-O", "+O", "--rcfile", "--init-file"];
    Wrapper { name, valued, inert: &["--version", "--help"], follows: Follows::Shell }
}

const fn verb(
    name: &'static str,
    valued: &'static [&'static str],
    verbs: &'static [&'static str],
) -> Wrapper {
    let follows = Follows::Verb { verbs, operands: 0, runs: Runs::Command };
    Wrapper { name, valued, inert: &["--version", "--help"], follows }
}

const fn code_of_option(name: &'static str) -> Wrapper {
    Wrapper { name, valued: &[], inert: &[], follows: Follows::Option { operands: None } }
}

const PARALLEL_VALUED: &[&str] = &[
    "-j",
    "--jobs",
    "-n",
    "-N",
    "-L",
    "-P",
    "--max-procs",
    "-S",
    "-a",
    "--arg-file",
    "-I",
    "-C",
    "--colsep",
    "-d",
    "--delay",
    "--timeout",
    "--joblog",
    "--results",
    "--tmpdir",
    "--wd",
    "--retries",
];
const UV_VALUED: &[&str] = &[
    "--with",
    "--with-requirements",
    "--with-editable",
    "-p",
    "--python",
    "--extra",
    "--group",
    "--env-file",
    "--directory",
    "--project",
    "--index",
    "--index-url",
    "--package",
    "--from",
];
const NPM_VALUED: &[&str] =
    &["-w", "--workspace", "--prefix", "-p", "--package", "-C", "--dir", "-F", "--filter", "--cwd"];
const TMUX_VALUED: &[&str] =
    &["-t", "-s", "-n", "-x", "-y", "-F", "-e", "-l", "-p", "-T", "-L", "-S", "-f", "-N"];

const SUDO_VALUED: &[&str] = &[
    "-u",
    "--user",
    "-g",
    "--group",
    "-h",
    "--host",
    "-p",
    "--prompt",
    "-C",
    "--close-from",
    "-D",
    "--chdir",
    "-R",
    "--chroot",
    "-r",
    "--role",
    "-t",
    "--type",
    "-T",
    "--command-timeout",
    "-U",
    "--other-user",
    "-a",
    "-c",
];
const XARGS_VALUED: &[&str] = &[
    "-I",
    "-n",
    "--max-args",
    "-P",
    "--max-procs",
    "-L",
    "--max-lines",
    "-d",
    "--delimiter",
    "-E",
    "-s",
    "--max-chars",
    "-a",
    "--arg-file",
    "-J",
    "-R",
    "-S",
    "--process-slot-var",
];

/// The wrappers (S-33). Read from the manuals of GNU coreutils, findutils, util-linux, procps, sudo, Bash and BusyBox.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "sudo",
        valued: SUDO_VALUED,
        inert: &["-l", "--list", "-v", "--validate", "-V", "--version", "-K", "-e", "--edit"],
        follows: Follows::Command { operands: 0, first: First::Assignments },
    },
    Wrapper {
        name: "env",
        valued: &["-u", "--unset", "-C", "--chdir", "-P", "-a", "--argv0"],
        inert: &["--version", "--help"],
        follows: Follows::Command { operands: 0, first: First::Assignments },
    },
    Wrapper {
        name: "command",
        valued: &[],
        inert: &["-v", "-V"],
        follows: Follows::Command { operands: 0, first: First::Plain },
    },
    command("doas", &["-u", "-C", "-a"]),
    command("pkexec", &["--user"]),
    after("timeout", &["-s", "--signal", "-k", "--kill-after"], 1),
    command("nice", &["-n", "--adjustment"]),
    command("ionice", &["-c", "--class", "-n", "--classdata"]),
    command("nohup", &[]),
    command("stdbuf", &["-i", "--input", "-o", "--output", "-e", "--error"]),
    command("setsid", &[]),
    command("time", &["-f", "--format", "-o", "--output"]),
    command("exec", &["-a"]),
    command("builtin", &[]),
    command("noglob", &[]),
    command("nocorrect", &[]),
    command("coproc", &[]),
    command("busybox", &[]),
    command("toybox", &[]),
    command("unshare", &["-S", "-G", "--setuid", "--setgid", "-R", "--root", "-w", "--wd"]),
    command("strace", &["-e", "-o", "-p", "-s", "-u", "-E", "-P", "-a", "-b", "-I", "-O", "-S"]),
    command("caffeinate", &["-t", "-w"]),
    command(
        "ltrace",
        &["-e", "-o", "-p", "-s", "-u", "-l", "-n", "-a", "-x", "-A", "-D", "-F", "-w"],
    ),
    command(
        "systemd-run",
        &[
            "-u",
            "--unit",
            "-p",
            "--property",
            "-E",
            "--setenv",
            "-M",
            "--machine",
            "-H",
            "--host",
            "--working-directory",
        ],
    ),
    command("fakeroot", &["-l", "--lib", "-s", "-i", "-b", "--faked"]),
    command("unbuffer", &[]),
    after("chroot", &["--userspec", "--groups"], 1),
    command("nsenter", &["-t", "--target", "-S", "--setuid", "-G", "--setgid"]),
    after("taskset", &[], 1),
    after("chrt", &["-T", "-P", "-D"], 1),
    Wrapper {
        name: "xargs",
        valued: XARGS_VALUED,
        inert: &["--version", "--help"],
        follows: Follows::Appended { placeholders: &["-I", "-J", "-i", "--replace"] },
    },
    Wrapper {
        name: "find",
        valued: &[],
        inert: &[],
        follows: Follows::Actions(&["-exec", "-execdir", "-ok", "-okdir"]),
    },
    shell("bash"),
    shell("sh"),
    shell("zsh"),
    shell("dash"),
    shell("ksh"),
    shell("ash"),
    shell("fish"),
    shell("rbash"),
    shell("mksh"),
    shell("lksh"),
    shell("yash"),
    shell("posh"),
    shell("csh"),
    shell("tcsh"),
    shell("rzsh"),
    shell("rksh"),
    shell("osh"),
    shell("xonsh"),
    shell("nu"),
    shell("elvish"),
    shell("hush"),
    Wrapper {
        name: "flock",
        valued: &["-w", "--wait", "--timeout", "-E", "--conflict-exit-code"],
        inert: &[],
        follows: Follows::Option { operands: Some(1) },
    },
    Wrapper {
        name: "runuser",
        valued: &["-u", "--user", "-g", "--group", "-G", "--supp-group", "-s", "--shell", "-w"],
        inert: &[],
        follows: Follows::Option { operands: Some(0) },
    },
    Wrapper { name: "su", valued: &[], inert: &[], follows: Follows::Option { operands: None } },
    Wrapper {
        name: "script",
        valued: &[],
        inert: &[],
        follows: Follows::Option { operands: None },
    },
    Wrapper { name: "eval", valued: &[], inert: &[], follows: Follows::Joined },
    Wrapper {
        name: "watch",
        valued: &["-n", "--interval", "-q", "--equexit"],
        inert: &["-v", "--version", "-h", "--help"],
        follows: Follows::Joined,
    },
    verb("uv", UV_VALUED, &["run"]),
    verb("poetry", &["-C", "--directory", "-P", "--project"], &["run"]),
    verb("pdm", &["-p", "--project"], &["run"]),
    verb("pipenv", &[], &["run"]),
    verb("hatch", &["-e", "--env"], &["run"]),
    verb("rye", &[], &["run"]),
    verb("pixi", &["-e", "--environment", "--manifest-path"], &["run"]),
    verb("conda", &["-n", "--name", "-p", "--prefix", "--cwd"], &["run"]),
    verb("mamba", &["-n", "--name", "-p", "--prefix", "--cwd"], &["run"]),
    verb("micromamba", &["-n", "--name", "-p", "--prefix", "--cwd"], &["run"]),
    verb("pipx", &["--spec", "--python", "--index-url", "--pip-args"], &["run"]),
    verb("bundle", &[], &["exec"]),
    verb("npm", NPM_VALUED, &["exec", "x"]),
    verb("pnpm", NPM_VALUED, &["exec", "dlx"]),
    verb("yarn", NPM_VALUED, &["exec", "dlx"]),
    verb("bun", &[], &["x"]),
    verb("rbenv", &[], &["exec"]),
    verb("pyenv", &[], &["exec"]),
    verb("asdf", &[], &["exec"]),
    verb("op", &["--env-file", "--account"], &["run"]),
    verb("doppler", &["-p", "--project", "-c", "--config"], &["run"]),
    verb("dotenvx", &["-f", "--env-file"], &["run"]),
    verb("npx", NPM_VALUED, &[]),
    verb("bunx", &["-p", "--package"], &[]),
    verb("uvx", UV_VALUED, &[]),
    Wrapper {
        name: "direnv",
        valued: &[],
        inert: &[],
        follows: Follows::Verb { verbs: &["exec"], operands: 1, runs: Runs::Command },
    },
    Wrapper {
        name: "aws-vault",
        valued: &["-d", "--duration"],
        inert: &[],
        follows: Follows::Verb { verbs: &["exec"], operands: 1, runs: Runs::Command },
    },
    Wrapper {
        name: "tmux",
        valued: TMUX_VALUED,
        inert: &["-V"],
        follows: Follows::Verb {
            verbs: &[
                "new",
                "new-session",
                "neww",
                "new-window",
                "splitw",
                "split-window",
                "send",
                "send-keys",
                "run",
                "run-shell",
                "respawn-pane",
            ],
            operands: 0,
            runs: Runs::Code,
        },
    },
    Wrapper {
        name: "parallel",
        valued: PARALLEL_VALUED,
        inert: &["--version"],
        follows: Follows::Parallel,
    },
    Wrapper {
        name: "cross-env",
        valued: &[],
        inert: &[],
        follows: Follows::Command { operands: 0, first: First::Assignments },
    },
    after("gosu", &[], 1),
    after("su-exec", &[], 1),
    command("screen", &["-S", "-c", "-h", "-L", "-p", "-s", "-t", "-T"]),
    command("run0", &["-u", "--user", "-g", "--group", "-D", "--chdir", "--setenv"]),
    command("tini", &["-p", "-e"]),
    command("dumb-init", &["-r", "--rewrite"]),
    command("setpriv", &["--reuid", "--regid", "--groups", "--inh-caps", "--bounding-set"]),
    command("prlimit", &[]),
    command("firejail", &[]),
    command("valgrind", &[]),
    command("dbus-run-session", &[]),
    command("xvfb-run", &["-n", "--server-num", "-s", "--server-args", "-e", "-f", "-w"]),
    command("proxychains", &["-f"]),
    command("proxychains4", &["-f"]),
    command("torsocks", &[]),
    command("rlwrap", &[]),
    command("entr", &[]),
    Wrapper {
        name: "hyperfine",
        valued: &["-w", "-r", "-m", "-M", "-p", "-n"],
        inert: &[],
        follows: Follows::Joined,
    },
    code_of_option("nix-shell"),
    code_of_option("sg"),
    row("alias", Follows::Definitions),
    row("source", Follows::File),
    row(".", Follows::File),
    row("make", Follows::InputOf(&["-f", "--file", "--makefile"])),
    row("gmake", Follows::InputOf(&["-f", "--file", "--makefile"])),
    row("at", Follows::Input { operands: 8 }),
    row("batch", Follows::Input { operands: 0 }),
    row("crontab", Follows::Input { operands: 1 }),
    row("powershell", Follows::PowerShell),
    row("pwsh", Follows::PowerShell),
    row("cmd", Follows::Cmd(CmdCode::Rest(&["/c", "/k", "/r"]))),
    row("wmic", Follows::Cmd(CmdCode::Word(&["create"]))),
    row("forfiles", Follows::Cmd(CmdCode::Word(&["/c"]))),
    row("schtasks", Follows::Cmd(CmdCode::Word(&["/tr"]))),
    row("runas", Follows::Cmd(CmdCode::Operand)),
    row("diskpart", Follows::Computed(&["/s"])),
    Wrapper {
        name: "wsl",
        valued: &["-d", "--distribution", "-u", "--user", "--cd", "--shell-type"],
        inert: &["--list", "-l", "--status", "--help", "--version", "--install", "--shutdown"],
        follows: Follows::Command { operands: 0, first: First::Plain },
    },
    row("hash", Follows::Computed(&["-p"])),
    row("enable", Follows::Computed(&["-f"])),
    Wrapper { name: "trap", valued: &[], inert: &["-l", "-p"], follows: Follows::Operand },
];

/// Wrappers that start a shell if no command is given: it reads its standard input.
pub(super) const SHELLS_WHEN_ALONE: &[&str] =
    &["sudo", "doas", "pkexec", "chroot", "unshare", "nsenter"];
