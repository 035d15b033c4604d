//! Which files hold secrets, and which texts do? Two tables; both err on the side of restraint (RU-17).

use std::sync::OnceLock;

use super::eval::Stop;
use super::path;
use super::search::{Search, Written};
use crate::Event;

/// Names of files that hold secrets.
const NAMES: &[&str] = &[
    ".env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".vault-token",
    ".htpasswd",
    ".dockercfg",
    ".boto",
    ".s3cfg",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_ecdsa_sk",
    "id_ed25519_sk",
    "shadow",
    "gshadow",
    "sudoers",
    "master.key",
    "credentials.json",
    "secrets.json",
    "secrets.yml",
    "secrets.yaml",
    "service-account.json",
    "application_default_credentials.json",
];

/// Endings of such names.
const EXTENSIONS: &[&str] =
    &["pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "kdb", "ppk", "asc", "gpg", "ovpn"];

/// Ends of paths of such files, from a directory on.
const ENDS: &[&str] = &[
    "/.aws/credentials",
    "/.aws/config",
    "/.docker/config.json",
    "/.kube/config",
    "/.config/gh/hosts.yml",
    "/.cargo/credentials",
    "/.cargo/credentials.toml",
    "/.gem/credentials",
    "/.terraform.d/credentials.tfrc.json",
    "/.claude/.credentials.json",
    "/.codex/auth.json",
    "/proc/self/environ",
];

/// Directories in which everything is a secret but what [`OPEN`] says.
const DIRECTORIES: &[&str] =
    &["/.ssh/", "/.gnupg/", "/.azure/", "/.config/gcloud/", "/.password-store/"];

/// Names that look alike and hold no secret.
const OPEN: &[&str] = &["known_hosts", "authorized_keys", "config"];

/// What names of examples have.
const EXAMPLES: &[&str] = &["example", "sample", "template", "dist", "schema"];

/// Returns true if a file of this path holds secrets.
pub(super) fn is_secret_path(path: &str, event: &Event) -> bool {
    if path.is_empty() {
        return false;
    }
    let whole = path::resolve_path(path, event);
    let name = path::basename(&whole).to_ascii_lowercase();
    let example = name.rsplit('.').next().is_some_and(|part| EXAMPLES.contains(&part));
    if example || name.ends_with(".pub") {
        return false;
    }
    let in_directory = DIRECTORIES.iter().any(|directory| whole.contains(directory));
    NAMES.contains(&name.as_str())
        || name.starts_with(".env.")
        || EXTENSIONS.contains(&path::extension(&name))
        || ENDS.iter().any(|end| whole.ends_with(end))
        || (in_directory && !OPEN.contains(&name.as_str()))
}

/// Secrets that are recognized by their letters.
const TEXTS: &[&str] = &[
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----",
    r"(?-u:\b)(?:AKIA|ASIA)[0-9A-Z]{16}(?-u:\b)",
    r"(?-u:\b)gh[pousr]_[0-9A-Za-z]{36,}",
    r"(?-u:\b)github_pat_[0-9A-Za-z_]{22,}",
    r"(?-u:\b)glpat-[0-9A-Za-z_-]{20,}",
    r"(?-u:\b)sk-ant-[0-9A-Za-z_-]{20,}",
    r"(?-u:\b)sk-(?:proj-)?[0-9A-Za-z_-]{32,}",
    r"(?-u:\b)xox[abeoprs]-[0-9A-Za-z-]{10,}",
    r"(?-u:\b)AIza[0-9A-Za-z_-]{35}",
    r"(?-u:\b)[sr]k_live_[0-9A-Za-z]{16,}",
    r"(?-u:\b)npm_[0-9A-Za-z]{36}(?-u:\b)",
    r"(?-u:\b)pypi-[0-9A-Za-z_-]{50,}",
    r"(?-u:\b)SG\.[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}",
    r"(?-u:\b)hf_[0-9A-Za-z]{30,}",
    r"(?-u:\b)eyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}",
];

/// Returns true if a text contains a secret of a known format.
pub(super) fn contains_secret(
    text: &str,
    spend: &dyn Fn(usize) -> Result<(), Stop>,
) -> Result<bool, Stop> {
    // The table is tested to compile; were it not, every text would be suspect rather than none.
    secret_patterns().map_or(Ok(true), |search| search.is_match(text, spend))
}

fn secret_patterns() -> Option<&'static Search> {
    static ALL: OnceLock<Option<Search>> = OnceLock::new();
    ALL.get_or_init(|| Search::compile(&TEXTS.join("|"), Written::InRule).ok()).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_compiles() {
        assert!(secret_patterns().is_some());
        assert!(!contains_secret("an ordinary text with AKIA in it", &|_| Ok(())).unwrap());
    }
}
