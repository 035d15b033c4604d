//! How does a sandbox stand in a native file? As `config::sandbox` reads it.

use toml_edit::{InlineTable, Value};

use super::{strings, value};
use crate::hook::{Grants, Peers, Profile, Sandbox, Tier};

/// What is written; nothing where nobody said anything.
pub(super) fn written(sandbox: &Sandbox) -> Option<Value> {
    // What the host adds for a repository, nobody wrote.
    if *sandbox == Sandbox::of_repositories() {
        return None;
    }
    match sandbox {
        Sandbox::Unsaid => None,
        Sandbox::Off => Some("off".into()),
        Sandbox::In(grants) if **grants == Grants::new(grants.profile) => {
            Some(grants.profile.word().into())
        }
        Sandbox::In(grants) => Some(table(grants).into()),
    }
}

fn table(grants: &Grants) -> InlineTable {
    let usual = Grants::new(Profile::Standard);
    let mut table = InlineTable::new();
    let mut put = |key: &str, value: Option<Value>| drop(value.map(|it| table.insert(key, it)));
    let word = grants.profile.word();
    put("profile", (grants.profile != usual.profile).then(|| word.into()));
    for (key, paths) in [("read", &grants.read), ("write", &grants.write)] {
        let paths: Vec<String> = paths.iter().map(|it| it.to_string_lossy().into_owned()).collect();
        put(key, (!paths.is_empty()).then(|| strings(&paths)));
    }
    put("net", peers(&grants.net));
    put("env", (!grants.env.is_empty()).then(|| strings(&grants.env)));
    put("attributes", grants.attributes.then(|| true.into()));
    let number = |it: u64| i64::try_from(it).ok().map(Value::from);
    put("processes", grants.processes.and_then(number));
    put("memory", grants.memory.and_then(number));
    put("cpu", grants.cpu.map(|it| value::duration(it).into()));
    put("isolation_min", (grants.at_least != Tier::T1).then(|| grants.at_least.word().into()));
    table
}

fn peers(peers: &Peers) -> Option<Value> {
    match peers {
        Peers::Nobody => None,
        Peers::Tcp(ports) => {
            let ports: Vec<String> = ports.iter().map(|it| format!("tcp:{it}")).collect();
            Some(strings(&ports))
        }
        Peers::Everybody => Some("open".into()),
    }
}
