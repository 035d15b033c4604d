//! The programs that run their arguments, and the options and operands by which they do. A table;
//! reads no words.

use super::super::windows::CmdCode;
use super::{First, Follows, Runs, Wrapper};

const fn command_wrapper(name: &'static str, valued: &'static [&'static str]) -> Wrapper {
    let follows = Follows::Command { operands: 0, first: First::Plain };
    Wrapper { name, valued, inert: &[], follows }
}

const fn command_wrapper_after_operands(
    name: &'static str,
    valued: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    let follows = Follows::Command { operands, first: First::Plain };
    Wrapper { name, valued, inert: &[], follows }
}

const fn wrapper_without_options(name: &'static str, follows: Follows) -> Wrapper {
    Wrapper { name, valued: &[], inert: &[], follows }
}

const fn shell_wrapper(name: &'static str) -> Wrapper {
    let valued = &["-o", "+o", "-O", "+O", "--rcfile", "--init-file"];
    Wrapper { name, valued, inert: &["--version", "--help"], follows: Follows::Shell }
}

const fn subcommand_wrapper(
    name: &'static str,
    valued: &'static [&'static str],
    verbs: &'static [&'static str],
) -> Wrapper {
    let follows = Follows::Verb { verbs, operands: 0, runs: Runs::Command };
    Wrapper { name, valued, inert: &["--version", "--help"], follows }
}

const fn code_option_wrapper(name: &'static str) -> Wrapper {
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
    command_wrapper("doas", &["-u", "-C", "-a"]),
    command_wrapper("pkexec", &["--user"]),
    command_wrapper_after_operands("timeout", &["-s", "--signal", "-k", "--kill-after"], 1),
    command_wrapper("nice", &["-n", "--adjustment"]),
    command_wrapper("ionice", &["-c", "--class", "-n", "--classdata"]),
    command_wrapper("nohup", &[]),
    command_wrapper("stdbuf", &["-i", "--input", "-o", "--output", "-e", "--error"]),
    command_wrapper("setsid", &[]),
    command_wrapper("time", &["-f", "--format", "-o", "--output"]),
    command_wrapper("exec", &["-a"]),
    command_wrapper("builtin", &[]),
    command_wrapper("noglob", &[]),
    command_wrapper("nocorrect", &[]),
    command_wrapper("coproc", &[]),
    command_wrapper("busybox", &[]),
    command_wrapper("toybox", &[]),
    command_wrapper("unshare", &["-S", "-G", "--setuid", "--setgid", "-R", "--root", "-w", "--wd"]),
    command_wrapper(
        "strace",
        &["-e", "-o", "-p", "-s", "-u", "-E", "-P", "-a", "-b", "-I", "-O", "-S"],
    ),
    command_wrapper("caffeinate", &["-t", "-w"]),
    command_wrapper(
        "ltrace",
        &["-e", "-o", "-p", "-s", "-u", "-l", "-n", "-a", "-x", "-A", "-D", "-F", "-w"],
    ),
    command_wrapper(
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
    command_wrapper("fakeroot", &["-l", "--lib", "-s", "-i", "-b", "--faked"]),
    command_wrapper("unbuffer", &[]),
    command_wrapper_after_operands("chroot", &["--userspec", "--groups"], 1),
    command_wrapper("nsenter", &["-t", "--target", "-S", "--setuid", "-G", "--setgid"]),
    command_wrapper_after_operands("taskset", &[], 1),
    command_wrapper_after_operands("chrt", &["-T", "-P", "-D"], 1),
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
    shell_wrapper("bash"),
    shell_wrapper("sh"),
    shell_wrapper("zsh"),
    shell_wrapper("dash"),
    shell_wrapper("ksh"),
    shell_wrapper("ash"),
    shell_wrapper("fish"),
    shell_wrapper("rbash"),
    shell_wrapper("mksh"),
    shell_wrapper("lksh"),
    shell_wrapper("yash"),
    shell_wrapper("posh"),
    shell_wrapper("csh"),
    shell_wrapper("tcsh"),
    shell_wrapper("rzsh"),
    shell_wrapper("rksh"),
    shell_wrapper("osh"),
    shell_wrapper("xonsh"),
    shell_wrapper("nu"),
    shell_wrapper("elvish"),
    shell_wrapper("hush"),
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
    subcommand_wrapper("uv", UV_VALUED, &["run"]),
    subcommand_wrapper("poetry", &["-C", "--directory", "-P", "--project"], &["run"]),
    subcommand_wrapper("pdm", &["-p", "--project"], &["run"]),
    subcommand_wrapper("pipenv", &[], &["run"]),
    subcommand_wrapper("hatch", &["-e", "--env"], &["run"]),
    subcommand_wrapper("rye", &[], &["run"]),
    subcommand_wrapper("pixi", &["-e", "--environment", "--manifest-path"], &["run"]),
    subcommand_wrapper("conda", &["-n", "--name", "-p", "--prefix", "--cwd"], &["run"]),
    subcommand_wrapper("mamba", &["-n", "--name", "-p", "--prefix", "--cwd"], &["run"]),
    subcommand_wrapper("micromamba", &["-n", "--name", "-p", "--prefix", "--cwd"], &["run"]),
    subcommand_wrapper("pipx", &["--spec", "--python", "--index-url", "--pip-args"], &["run"]),
    subcommand_wrapper("bundle", &[], &["exec"]),
    subcommand_wrapper("npm", NPM_VALUED, &["exec", "x"]),
    subcommand_wrapper("pnpm", NPM_VALUED, &["exec", "dlx"]),
    subcommand_wrapper("yarn", NPM_VALUED, &["exec", "dlx"]),
    subcommand_wrapper("bun", &[], &["x"]),
    subcommand_wrapper("rbenv", &[], &["exec"]),
    subcommand_wrapper("pyenv", &[], &["exec"]),
    subcommand_wrapper("asdf", &[], &["exec"]),
    subcommand_wrapper("op", &["--env-file", "--account"], &["run"]),
    subcommand_wrapper("doppler", &["-p", "--project", "-c", "--config"], &["run"]),
    subcommand_wrapper("dotenvx", &["-f", "--env-file"], &["run"]),
    subcommand_wrapper("npx", NPM_VALUED, &[]),
    subcommand_wrapper("bunx", &["-p", "--package"], &[]),
    subcommand_wrapper("uvx", UV_VALUED, &[]),
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
    command_wrapper_after_operands("gosu", &[], 1),
    command_wrapper_after_operands("su-exec", &[], 1),
    command_wrapper("screen", &["-S", "-c", "-h", "-L", "-p", "-s", "-t", "-T"]),
    command_wrapper("run0", &["-u", "--user", "-g", "--group", "-D", "--chdir", "--setenv"]),
    command_wrapper("tini", &["-p", "-e"]),
    command_wrapper("dumb-init", &["-r", "--rewrite"]),
    command_wrapper("setpriv", &["--reuid", "--regid", "--groups", "--inh-caps", "--bounding-set"]),
    command_wrapper("prlimit", &[]),
    command_wrapper("firejail", &[]),
    command_wrapper("valgrind", &[]),
    command_wrapper("dbus-run-session", &[]),
    command_wrapper("xvfb-run", &["-n", "--server-num", "-s", "--server-args", "-e", "-f", "-w"]),
    command_wrapper("proxychains", &["-f"]),
    command_wrapper("proxychains4", &["-f"]),
    command_wrapper("torsocks", &[]),
    command_wrapper("rlwrap", &[]),
    command_wrapper("entr", &[]),
    Wrapper {
        name: "hyperfine",
        valued: &["-w", "-r", "-m", "-M", "-p", "-n"],
        inert: &[],
        follows: Follows::Joined,
    },
    code_option_wrapper("nix-shell"),
    code_option_wrapper("sg"),
    wrapper_without_options("alias", Follows::Definitions),
    wrapper_without_options("source", Follows::File),
    wrapper_without_options(".", Follows::File),
    wrapper_without_options("make", Follows::InputOf(&["-f", "--file", "--makefile"])),
    wrapper_without_options("gmake", Follows::InputOf(&["-f", "--file", "--makefile"])),
    wrapper_without_options("at", Follows::Input { operands: 8 }),
    wrapper_without_options("batch", Follows::Input { operands: 0 }),
    wrapper_without_options("crontab", Follows::Input { operands: 1 }),
    wrapper_without_options("powershell", Follows::PowerShell),
    wrapper_without_options("pwsh", Follows::PowerShell),
    wrapper_without_options("cmd", Follows::Cmd(CmdCode::Rest(&["/c", "/k", "/r"]))),
    wrapper_without_options("wmic", Follows::Cmd(CmdCode::Word(&["create"]))),
    wrapper_without_options("forfiles", Follows::Cmd(CmdCode::Word(&["/c"]))),
    wrapper_without_options("schtasks", Follows::Cmd(CmdCode::Word(&["/tr"]))),
    wrapper_without_options("runas", Follows::Cmd(CmdCode::Operand)),
    wrapper_without_options("diskpart", Follows::Computed(&["/s"])),
    Wrapper {
        name: "wsl",
        valued: &["-d", "--distribution", "-u", "--user", "--cd", "--shell-type"],
        inert: &["--list", "-l", "--status", "--help", "--version", "--install", "--shutdown"],
        follows: Follows::Command { operands: 0, first: First::Plain },
    },
    wrapper_without_options("hash", Follows::Computed(&["-p"])),
    wrapper_without_options("enable", Follows::Computed(&["-f"])),
    Wrapper { name: "trap", valued: &[], inert: &["-l", "-p"], follows: Follows::Operand },
];

/// Wrappers that start a shell if no command is given: it reads its standard input.
pub(super) const SHELLS_WHEN_ALONE: &[&str] =
    &["sudo", "doas", "pkexec", "chroot", "unshare", "nsenter"];
