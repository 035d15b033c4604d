//! Which files does a program read and not show: what a shell sources, what an editor opens, settings, keys? Names only.

use tenterhook_shell::is_shell_name;

use super::super::Found;
use super::super::view::View;
use super::table::PATTERN_FIRST;
use super::{Here, paths_in_argument};

/// Programs that open each of their operands and print little or nothing of it.
const OPENERS: &[&str] = &[
    ".",
    "age",
    "b2sum",
    "cksum",
    "code",
    "codium",
    "cursor",
    "direnv",
    "dotenv",
    "emacs",
    "emacsclient",
    "file",
    "md5",
    "md5sum",
    "micro",
    "nano",
    "open",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shasum",
    "sops",
    "source",
    "ssh-add",
    "ssh-copy-id",
    "ssh-keygen",
    "subl",
    "sum",
    "vi",
    "vim",
    "wc",
    "xdg-open",
    "zed",
];

/// Options whose value is a file that a program reads, whatever the program. So is each long option that ends in `file`.
const READ: &[&str] =
    &["--kubeconfig", "--manifest-path", "--private-key", "--tlscert", "--tlskey", "--tlscacert"];

/// Beginnings of long options that end in `file` and name one that a program writes.
const WRITTEN: &[&str] =
    &["--out", "--log", "--pid", "--result", "--report", "--cid", "--iid", "--trace", "--dump"];

impl Here<'_> {
    /// Notes the files that a program needs to run: its code, and the files that its options name.
    pub(super) fn note_files_needed_to_run(&self, found: &mut Found) {
        let view = self.view;
        let opened = view.args.iter().chain(&view.fed).map(String::as_str);
        let opened = opened.filter(|_| OPENERS.contains(&view.name.as_str()));
        for text in opened.chain(files_read_through_options(view)).chain(script_files(view)) {
            found
                .reads
                .extend(paths_in_argument(text).map(|path| self.path_seen_from_project(path)));
        }
    }
}

/// Returns the file of code that a shell or another program runs, such as `bash x.sh` or `awk -f
/// x.awk`.
fn script_files<'a>(view: &'a View<'_>) -> Vec<&'a str> {
    let has_code = view
        .args
        .iter()
        .any(|arg| arg.starts_with('-') && !arg.starts_with("--") && arg.contains('c'));
    if is_shell_name(&view.name) && !has_code {
        return view
            .operands(&["-o", "-O", "--rcfile", "--init-file"])
            .into_iter()
            .take(1)
            .collect();
    }
    match PATTERN_FIRST.contains(&view.name.as_str()) {
        true => view.option_values(&["-f", "--file", "--from-file"]),
        false => Vec::new(),
    }
}

/// Returns the values of options that name a file to be read: `--env-file .env`, `--from-file=x=y`.
fn files_read_through_options<'a>(view: &'a View<'_>) -> Vec<&'a str> {
    let mut values = Vec::new();
    let mut args = view.args.iter().map(String::as_str).peekable();
    while let Some(arg) = args.next() {
        let (name, value) =
            arg.split_once('=').map_or((arg, None), |(name, value)| (name, Some(value)));
        let ends_so = name.starts_with("--") && name.ends_with("file");
        let is_written = WRITTEN.iter().any(|start| name.starts_with(start));
        if READ.contains(&name) || (ends_so && !is_written) {
            values.extend(value.or_else(|| args.peek().copied()));
        }
    }
    values
}
