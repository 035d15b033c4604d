//! The programs that take their arguments as text, and the words and options after which others run
//! code. Names only.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Programs that take their operands as text, names or files, and run none of them. A program in
/// neither this table nor that of wrappers, and without subcommands, may run its arguments (S-36).
const TEXT: &str = include_str!("text.txt");

/// Words of a program with subcommands after which it takes code or a command (S-36).
const RUNNING: &str = "\
    exec run x dlx foreach ssh rsh shell develop watch console debug attach enter sudo run-command \
    invoke guestcontrol unshare start with-env command runner session forall remote local:run run:detached";

/// Options whose value is code, for any program (S-36). `-c` of git is a setting, which may be
/// code, too.
const CODE_OPTIONS: &str = "\
    --exec -x --extcmd --command -c --cmd --scripts --script --parameters --tree-filter --index-filter \
    --msg-filter --env-filter --commit-filter --tag-name-filter --parent-filter --eval --upload-pack \
    --receive-pack --open-files-in-pager --pager --editor --rsh --post-render --on-change --run --call \
    --execute --exec-batch --to-command --use-compress-program --sh-exec --startup-script \
    --container-command --entrypoint --init-command --wrapper --runner --test-cmd --config";

/// Options whose value is text for people or for a search, for any program (S-36).
const TEXT_OPTIONS: &str = "\
    -m --message --body --title --description --desc --notes --note --comment --label --name --reason \
    --subject --summary --prompt --grep --pattern --regex --regexp --query --search --match --author \
    --text --format --header --data --json --input --msg --subtitle";

/// Programs that start containers, and their options whose value is a variable or a label: `docker
/// run -e NAME=VALUE`.
const CONTAINERS: &str = "docker podman nerdctl kubectl oc container docker-compose";
const SETTING_OPTIONS: &str = "-e --env -l --label --annotation --build-arg";

/// Variables whose value is run by a program that starts, such as a shell or git (S-36).
const VARIABLES: &str = "\
    PROMPT_COMMAND BASH_ENV ENV PS0 PS1 PS2 PS4 PROMPT PAGER MANPAGER GIT_PAGER SYSTEMD_PAGER AWS_PAGER \
    BAT_PAGER EDITOR VISUAL FCEDIT SUDO_EDITOR KUBE_EDITOR GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH \
    GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_PROXY_COMMAND SSH_ASKPASS SUDO_ASKPASS BROWSER \
    LESSOPEN LESSCLOSE RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTC_WRAPPER CC CXX MAKEFLAGS \
    RSYNC_RSH CVS_RSH SVN_SSH SVN_EDITOR HGEDITOR TAR_OPTIONS FZF_DEFAULT_COMMAND NPM_CONFIG_SHELL \
    npm_config_script_shell GIT_CONFIG_VALUE_0 GIT_CONFIG_VALUE_1 GIT_CONFIG_PARAMETERS PERL5DB \
    PYTHONBREAKPOINT DEBUGGER SHELL";

/// The prefixes of a shell line in the commands of an editor, a debugger or a database, in lower
/// case (S-36).
pub(super) const MARKS: &[&str] = &[
    "!",
    ".shell ",
    ".system ",
    "shell ",
    "system ",
    "platform shell ",
    "exec:",
    "system:",
    "-exec ",
    "command=",
    "commands=",
    "proxycommand=",
    "proxycommand ",
    "localcommand=",
    "exec=",
    "$(shell ",
    "shell:",
    "system(",
    "systemlist(",
    "termopen(",
    "jobstart(",
];

/// Options and words after which a program takes code or a command: `KIND NAME, NAME: LEAD LEAD`
/// (S-36, S-72).
const LEADS: &str = include_str!("leads.txt");

/// The kind of text after a lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    /// A shell line, attached or as the next word.
    Code,
    /// A command, from the next word that is no option and no assignment.
    Command,
    /// Shell lines, in each of the next words.
    Lines,
    /// A shell line that begins within a word.
    Within,
    /// The program of an image, whose name comes before the program's arguments.
    Image,
    /// A package or a path whose last part is a program, with its arguments: `nix run nixpkgs#git
    /// -- push`.
    Packed,
    /// A shell line in the program's input.
    Input,
}

/// Returns the leads of a program: words and options after which a command or code follows.
pub(super) fn leads_of_program(program: &str) -> impl Iterator<Item = (&'static str, Lead)> {
    type Rows = HashMap<&'static str, Vec<(&'static str, Lead)>>;
    static ROWS: LazyLock<Rows> = LazyLock::new(|| {
        let mut rows = Rows::new();
        for row in LEADS.lines().filter(|row| !row.starts_with('#')) {
            let Some((names, leads)) = row.split_once(": ") else { continue };
            let Some((kind, names)) = names.split_once(' ') else { continue };
            let kind = match kind {
                "code" => Lead::Code,
                "lines" => Lead::Lines,
                "within" => Lead::Within,
                "image" => Lead::Image,
                "packed" => Lead::Packed,
                "input" => Lead::Input,
                _ => Lead::Command,
            };
            for name in names.split(", ") {
                let leads = leads.split_whitespace().map(|lead| (lead, kind));
                rows.entry(name).or_default().extend(leads);
            }
        }
        rows
    });
    ROWS.get(program).into_iter().flatten().copied()
}

/// A set of words: a line needs thousands of look-ups.
type WordSet = LazyLock<HashSet<&'static str>>;

/// Returns whether a program takes its operands as text.
pub(super) fn takes_text_operands(program: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| {
        let lines = TEXT.lines().filter(|line| !line.starts_with("# "));
        lines.flat_map(str::split_whitespace).collect()
    });
    WORDS.contains(program)
}

/// Returns whether the words after this subcommand are run.
pub(super) fn is_subcommand_running_words(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| RUNNING.split_whitespace().collect());
    WORDS.contains(word)
}

/// Returns whether an option takes code.
pub(super) fn is_code_option(option: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| CODE_OPTIONS.split_whitespace().collect());
    WORDS.contains(option)
}

/// Returns whether an option takes text.
pub(super) fn is_text_option(option: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| TEXT_OPTIONS.split_whitespace().collect());
    WORDS.contains(option)
}

/// Returns whether an option of a program that starts containers sets this variable or label, and
/// nothing runs its value.
pub(super) fn sets_container_variable(program: &str, option: &str, text: &str) -> bool {
    let is = |words: &str, word: &str| words.split(' ').any(|known| known == word);
    let is_name =
        |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-/".contains(c));
    is(CONTAINERS, program)
        && is(SETTING_OPTIONS, option)
        && text
            .split_once('=')
            .is_some_and(|(name, _)| is_name(name) && !is_variable_run_as_code(name))
}

/// Returns whether a program runs the value of this variable.
pub(super) fn is_variable_run_as_code(variable: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| VARIABLES.split_whitespace().collect());
    WORDS.contains(variable)
}
