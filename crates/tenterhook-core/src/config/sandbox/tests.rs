//! Which setting of a hook's sandbox applies, over whole files.

use crate::config::{Added, Ruleset, load};
use crate::dialect::DialectId;
use crate::hook::{Layer, Tier};
use crate::source::Source;

/// What a hook of a file of `layer` with `own` runs in, where files of others say something of that file.
fn sandbox_of(layer: Layer, own: &str, said: &[(Layer, &str)]) -> String {
    let key =
        |word: &str| if word.is_empty() { String::new() } else { format!("sandbox = {word}\n") };
    let text = format!("[hook.guard]\non = 'Stop'\nrun = ['x']\n{}", key(own));
    let native = |name: &str, layer, text: &str| Source {
        layer,
        ..Source::from_text(name, DialectId::NATIVE, text, "/p")
    };
    let mut sources = vec![native("/p/tenterhook.toml", layer, &text)];
    for (at, (layer, word)) in said.iter().enumerate() {
        let about = format!("[source.'/p/tenterhook.toml']\n{}", key(word));
        sources.push(native(&format!("/{at}/tenterhook.toml"), *layer, &about));
    }
    let loaded = load(&sources, &Added::default(), None);
    let summaries = loaded.ruleset.hooks().iter().map(|hook| hook.sandbox.summary());
    summaries.collect::<Vec<_>>().join(" | ")
}

///
#[test]
fn nearest_sandbox_setting_applies() {
    const STANDARD: &str = "'standard'";
    const STRICT: &str = "'strict'";
    const OFF: &str = "'off'";
    const WIDE: &str = "{ write = ['/'] }";
    for (layer, own, said, expected) in [
        (Layer::Project, "", &[][..], "off"),
        (Layer::Project, "", &[(Layer::User, STRICT)], "strict"),
        (Layer::Project, OFF, &[(Layer::User, STANDARD)], "standard"),
        (Layer::Project, STANDARD, &[(Layer::User, OFF)], "standard"),
        // Its own grants do not widen what its reader grants; those of equals stand before what others say of them.
        (Layer::Project, WIDE, &[(Layer::User, STANDARD)], "standard"),
        (Layer::User, WIDE, &[(Layer::User, STANDARD)], "standard; write /"),
        (Layer::User, "", &[(Layer::User, OFF), (Layer::Managed, STRICT)], "strict"),
        (Layer::User, "", &[(Layer::User, STANDARD), (Layer::Managed, STRICT)], "strict"),
        // A repository says nothing of what is the user's.
        (Layer::User, "", &[(Layer::Project, STRICT)], "off"),
        (Layer::Project, STANDARD, &[(Layer::Project, WIDE)], "standard"),
    ] {
        assert_eq!(sandbox_of(layer, own, said), expected, "{own:?} of {layer:?} under {said:?}");
    }
}

/// what came with a repository, whatever its file is called, where the host asks for it; no hook is blocked where a machine
/// cannot confine.
#[test]
fn repository_program_without_setting_is_confined() {
    let run = |layer, name: &str, home: &str, run: &str| {
        let text = format!("[hook.guard]\non = 'Stop'\n{run}\n");
        let mut source =
            Source { layer, ..Source::from_text(name, DialectId::NATIVE, &text, "/p") };
        source.home = home.into();
        let said = "[source.'/p/said.toml']\nsandbox = 'off'\n";
        let said = Source {
            layer: Layer::User,
            ..Source::from_text("/h/t.toml", DialectId::NATIVE, said, "/p")
        };
        let added = Added { confines_repositories: true, ..Added::default() };
        let loaded = load(&[source, said], &added, None);
        let all: Vec<_> = loaded
            .ruleset
            .hooks()
            .iter()
            .map(|hook| {
                (hook.sandbox.summary(), hook.sandbox.grants().map(|grant| grant.required_tier()))
            })
            .collect();
        all
    };
    let (inside, outside) = ("/p/tenterhook.toml", "/h/tenterhook.toml");
    let confined = [("standard".to_owned(), Some(Tier::T0))];
    let free = [("off".to_owned(), None)];
    let program = "run = ['x']";
    for layer in [Layer::Project, Layer::Local, Layer::Plugin, Layer::Skill, Layer::Agent] {
        assert_eq!(run(layer, inside, "/h", program), confined, "{layer:?}");
    }
    for layer in [Layer::Managed, Layer::Given, Layer::User] {
        assert_eq!(run(layer, inside, "/h", program), free, "{layer:?}");
    }
    for layer in [Layer::Plugin, Layer::Skill, Layer::Agent] {
        assert_eq!(run(layer, outside, "/h", program), free, "{layer:?}");
        assert_eq!(run(layer, inside, "/p", program), free, "{layer:?} in the home");
    }
    assert_eq!(run(Layer::Project, "/p/said.toml", "/h", program), free, "its reader says so");
    assert_eq!(run(Layer::Project, inside, "/h", "run = ['x']\nsandbox = 'off'"), free);
    assert_eq!(run(Layer::Project, inside, "/h", "worker = ['x']"), confined);
    assert_eq!(run(Layer::Project, inside, "/h", "url = 'https://example.com/'"), free);
}

/// MC-19, X-12, X-15: the servers of a file are confined like its hooks.
#[test]
fn repository_server_without_setting_is_confined() {
    let of = |layer, confines_repositories, own: &str, said: &[(Layer, &str)]| {
        let key = if own.is_empty() { String::new() } else { format!("sandbox = '{own}'") };
        let text = format!("[mcp.it]\nrun = ['x']\n{key}\n");
        let mut sources = vec![Source {
            layer,
            ..Source::from_text("/p/tenterhook.toml", DialectId::NATIVE, &text, "/p")
        }];
        for (at, (layer, word)) in said.iter().enumerate() {
            let name = format!("/{at}/tenterhook.toml");
            let about = format!("[source.'/p/tenterhook.toml']\nsandbox = '{word}'\n");
            let layer = *layer;
            sources.push(Source {
                layer,
                ..Source::from_text(&name, DialectId::NATIVE, &about, "/p")
            });
        }
        let loaded = load(&sources, &Added { confines_repositories, ..Added::default() }, None);
        let server = loaded.ruleset.servers().first().cloned().expect("a server");
        // One that is found in an agent's own file is confined by the same settings.
        let found =
            crate::config::settle_servers(&Ruleset::default(), [server.clone()], &mut Vec::new());
        assert_eq!(found, std::slice::from_ref(&server));
        (server.sandbox.summary(), server.sandbox.grants().map(|grant| grant.required_tier()))
    };
    let free = ("off".to_owned(), None);
    let confined = ("standard".to_owned(), Some(Tier::T0));
    let asked = |word: &str| (word.to_owned(), Some(Tier::T1));
    assert_eq!(of(Layer::Project, true, "", &[]), confined);
    assert_eq!(of(Layer::Local, true, "", &[]), confined);
    assert_eq!(of(Layer::User, true, "", &[]), free);
    assert_eq!(of(Layer::Project, false, "", &[]), free);
    assert_eq!(of(Layer::Project, true, "off", &[]), free);
    assert_eq!(of(Layer::Project, true, "", &[(Layer::User, "off")]), free);
    assert_eq!(of(Layer::Project, true, "off", &[(Layer::User, "strict")]), asked("strict"));
    assert_eq!(of(Layer::User, true, "strict", &[]), asked("strict"));
    assert_eq!(of(Layer::User, true, "", &[(Layer::Project, "strict")]), free);
}
