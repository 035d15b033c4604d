//! Recognizes `eval` of code that a well-known program prints to set up a shell. `eval "$(ssh-agent
//! -s)"` cannot be read, but hides no command of the line's author. Compares words with a table;
//! reads no code.

use super::word::Word;

/// Programs that print such code, each with the words that make it do so.
const SETUPS: &[(&str, &[&str])] = &[
    ("atuin", &["init"]),
    ("brew", &["shellenv"]),
    ("conda", &["shell.bash"]),
    ("conda", &["shell.posix"]),
    ("conda", &["shell.zsh"]),
    ("crc", &["oc-env"]),
    ("devbox", &["shellenv"]),
    ("dircolors", &[]),
    ("direnv", &["hook"]),
    ("docker", &["completion"]),
    ("docker-machine", &["env"]),
    ("fnm", &["env"]),
    ("fzf", &["--bash"]),
    ("fzf", &["--zsh"]),
    ("gh", &["completion"]),
    ("goenv", &["init"]),
    ("helm", &["completion"]),
    ("jenv", &["init"]),
    ("kubectl", &["completion"]),
    ("lesspipe", &[]),
    ("luarocks", &["path"]),
    ("mamba", &["shell"]),
    ("mcfly", &["init"]),
    ("micromamba", &["shell"]),
    ("minikube", &["docker-env"]),
    ("minikube", &["podman-env"]),
    ("mise", &["activate"]),
    ("nodenv", &["init"]),
    ("npm", &["completion"]),
    ("oh-my-posh", &["init"]),
    ("opam", &["env"]),
    ("phpenv", &["init"]),
    ("pixi", &["shell-hook"]),
    ("plenv", &["init"]),
    ("pyenv", &["init"]),
    ("pyenv", &["virtualenv-init"]),
    ("rbenv", &["init"]),
    ("register-python-argcomplete", &[]),
    ("resize", &[]),
    ("rustup", &["completions"]),
    ("ssh-agent", &[]),
    ("starship", &["init"]),
    ("swiftenv", &["init"]),
    ("uv", &["generate-shell-completion"]),
    ("zoxide", &["init"]),
];

/// Directories of such programs, for names given as paths.
const DIRECTORIES: &[&str] =
    &["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin"];

/// Returns whether these words are `eval` and one substitution that prints the setup of a known
/// program.
pub(super) fn is_shell_setup(words: &[Word]) -> bool {
    let [eval, code] = words else { return false };
    let source = code.source.as_str();
    let bare = source.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(source);
    let inner = bare.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
    eval.text == "eval" && inner.is_some_and(is_setup_command)
}

/// Returns whether the line is one plain command of the table of setup programs.
fn is_setup_command(line: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " -_./=".contains(c);
    let mut words = line.split(' ').filter(|word| !word.is_empty());
    let Some(program) = words.next().filter(|_| line.chars().all(is_plain)) else { return false };
    let name = match program.rsplit_once('/') {
        Some((directory, name)) if DIRECTORIES.contains(&directory) => name,
        Some(_) => return false,
        None => program,
    };
    let rest: Vec<&str> = words.collect();
    SETUPS.iter().any(|(known, verbs)| *known == name && rest.starts_with(verbs))
}
