//! Writes the `sandbox` setting of a native file, in the form that `config::sandbox` reads, and
//! says where a person adds it.

use std::path::Path;

use toml_edit::{Array, InlineTable, Value};

use super::{string_array, value};
use crate::hook::{Grants, Peers, Profile, Sandbox, Tier};

/// Returns the value of `sandbox` for a file; `None` if it was not set.
pub(super) fn sandbox_value_if_set(sandbox: &Sandbox) -> Option<Value> {
    // The default that the host adds for repositories is not part of a file.
    if *sandbox == Sandbox::repository_default() {
        return None;
    }
    sandbox_value(sandbox)
}

/// The line that sets `sandbox` for a hook of `file`, and its location for people.
///
/// It replaces all earlier settings of the hook's sandbox, also for a file whose agent has no
/// sandbox setting.
#[must_use]
pub fn sandbox_line(sandbox: &Sandbox, file: Option<&str>) -> String {
    let value = sandbox_value(sandbox).map(|value| value.to_string()).unwrap_or_default();
    match file.filter(|file| !has_native_file_name(file)) {
        Some(file) => format!(
            "`sandbox = {value}` below `[source.{}]` in `~/.config/tenterhook/tenterhook.toml`",
            Value::from(file)
        ),
        None => format!("`sandbox = {value}` in its entry"),
    }
}

/// Returns `true` if a file is native by its name. A hook in it may use the dialect of another
/// agent. The settings of a file with another name can be written in a native file, too.
fn has_native_file_name(file: &str) -> bool {
    let name = Path::new(file).file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| name.starts_with("tenterhook.") && name.ends_with(".toml"))
}

fn sandbox_value(sandbox: &Sandbox) -> Option<Value> {
    match sandbox {
        Sandbox::Unsaid => None,
        Sandbox::Off => Some("off".into()),
        Sandbox::In(grants) if **grants == Grants::from_profile(grants.profile) => {
            Some(grants.profile.as_str().into())
        }
        Sandbox::In(grants) => Some(grants_table(grants).into()),
    }
}

fn grants_table(grants: &Grants) -> InlineTable {
    let usual = Grants::from_profile(Profile::Standard);
    let mut table = InlineTable::new();
    let mut put = |key: &str, value: Option<Value>| drop(value.map(|word| table.insert(key, word)));
    let word = grants.profile.as_str();
    put("profile", (grants.profile != usual.profile).then(|| word.into()));
    for (key, paths) in [("read", &grants.read), ("write", &grants.write)] {
        let paths: Vec<String> =
            paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let paths = paths.iter().map(|path| single_line_string(path));
        put(key, (paths.len() > 0).then(|| paths.collect::<Array>().into()));
    }
    put("net", peers_value(&grants.net));
    put("env", (!grants.env.is_empty()).then(|| string_array(&grants.env)));
    put("attributes", grants.attributes.then(|| true.into()));
    let number = |n: u64| i64::try_from(n).ok().map(Value::from);
    put("processes", grants.processes.and_then(number));
    put("memory", grants.memory.and_then(number));
    put("cpu", grants.cpu.map(|cpu| value::duration_text(cpu).into()));
    put("isolation_min", (grants.at_least != Tier::T1).then(|| grants.at_least.as_str().into()));
    table
}

/// Returns a TOML string on one line: control characters are escaped, so that a file name cannot
/// add lines to a message.
fn single_line_string(text: &str) -> Value {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        _ if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        _ => c.to_string(),
    };
    let quoted = || format!("\"{}\"", text.chars().map(escaped).collect::<String>());
    let plain = || Value::from(text);
    if text.contains(char::is_control) {
        quoted().parse().unwrap_or_else(|_| plain())
    } else {
        plain()
    }
}

fn peers_value(peers: &Peers) -> Option<Value> {
    match peers {
        Peers::None => None,
        Peers::Tcp(ports) => {
            let ports: Vec<String> = ports.iter().map(|port| format!("tcp:{port}")).collect();
            Some(string_array(&ports))
        }
        Peers::Everybody => Some("open".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// the name of a file cannot add lines to a message for people.
    #[test]
    fn a_line_is_one_line() {
        let name = "/a/\"b\\\n\u{1b}[31mc";
        let mut grants = Grants::from_profile(Profile::Standard);
        grants.read.push(name.into());
        let output = sandbox_line(&Sandbox::In(grants.into()), None);
        assert!(!output.contains(char::is_control), "{output}");
        let text = output.trim_start_matches('`').split_once("` in its entry").unwrap().0;
        let read: toml_edit::DocumentMut = text.parse().unwrap();
        assert_eq!(read["sandbox"]["read"][0].as_str(), Some(name));
    }
}
