//! What a repository brings counts for nothing where the host does not say that it trusts it (T-97). Pure; approvals are judged in
//! `trust`.

use std::path::Path;

use crate::diagnostic::{Code, Diagnostic};
use crate::hook::Layer;
use crate::source::{Reach, ReadConfig, Server, Source};

/// Why such a hook does not run, or such a server does not start.
const WHY: &str =
    "it came with a repository, and the program that runs hooks does not say that it trusts it";

/// What a host writes instead.
const HELP: &str = "in the host, build with `Engine::discover` or call `Builder::trust`; `Builder::trust_repositories_unasked` runs \
                    them without approval";

/// Disarms the hooks of repositories, and drops everything else that their files say.
pub fn disarm_repository_hooks(read: &mut [(Source, ReadConfig)]) -> Vec<Diagnostic> {
    let theirs = read.iter_mut().filter(|(source, _)| came_with_repository(source));
    theirs.filter_map(|(source, config)| disarm_and_empty_source(source, config)).collect()
}

/// Disarms the hooks of one source, drops everything else in it, and returns a finding unless it
/// was empty.
fn disarm_and_empty_source(source: &Source, config: &mut ReadConfig) -> Option<Diagnostic> {
    let hooks = config.hooks.len();
    let is_empty = hooks == 0 && config.switches.is_empty() && config.servers.is_empty();
    *config = ReadConfig {
        hooks: std::mem::take(&mut config.hooks),
        diagnostics: std::mem::take(&mut config.diagnostics),
        unreadable: config.unreadable,
        ..ReadConfig::default()
    };
    for hook in &mut config.hooks {
        hook.disarm(WHY.to_owned(), "T-97");
    }
    let what = match hooks {
        1 => "its hook does not run".to_owned(),
        many => format!("its {many} hooks do not run"),
    };
    let message =
        format!("`{}` came with a repository, which this host does not trust: {what}", source.name);
    (!is_empty).then(|| Diagnostic::new(Code::NotApproved, message, None).help(HELP))
}

/// Returns the server, marked so that it does not start if it came with a repository.
pub fn withhold_if_repository_server(server: Server) -> Server {
    let file = server.place.as_ref().map(|place| Path::new(&*place.file));
    let is_inside = file.is_some_and(|file| file.starts_with(&server.project));
    if is_repository_layer(server.layer, is_inside && server.project != server.home) {
        return Server { reach: Reach::Withheld(WHY.to_owned()), ..server };
    }
    server
}

fn came_with_repository(source: &Source) -> bool {
    let is_inside = Path::new(&*source.name).starts_with(&source.project);
    is_repository_layer(source.layer, is_inside && source.project != source.home)
}

/// Returns `true` if a file of this layer came with the repository. Files of plugins, skills and
/// subagents did if they lie in the project.
const fn is_repository_layer(layer: Layer, is_in_project: bool) -> bool {
    match layer {
        Layer::Project | Layer::Local => true,
        Layer::Plugin | Layer::Skill | Layer::Agent => is_in_project,
        Layer::Managed | Layer::BuiltIn | Layer::Given | Layer::User => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DialectId;
    use crate::hook::Arming;

    fn source(layer: Layer, text: &str) -> Source {
        let given = Source::from_text("/p/.x/tenterhook.toml", DialectId::NATIVE, text, "/p/.x");
        Source { layer, project: "/p".into(), home: "/h".into(), ..given }
    }

    /// Whether a hook of this layer is armed, and what is reported, where the host says nothing.
    fn armed(layer: Layer) -> (bool, Vec<Diagnostic>) {
        let source = source(layer, "[hook.a]\non = 'Stop'\nshell = 'true'\n");
        let config = source.dialect.dialect().read_config(&source);
        let mut read = [(source, config)];
        let diagnostics = disarm_repository_hooks(&mut read);
        let [(_, config)] = read;
        (config.hooks.iter().all(|hook| hook.arming == Arming::Armed), diagnostics)
    }

    /// T-97
    #[test]
    fn hooks_of_repository_are_off_and_reported_where_host_says_nothing() {
        for layer in [Layer::Project, Layer::Local, Layer::Plugin, Layer::Skill, Layer::Agent] {
            let (is_armed, diagnostics) = armed(layer);
            assert!(!is_armed, "{layer:?}");
            let [diagnostic] = &diagnostics[..] else { panic!("{diagnostics:?}") };
            assert_eq!(diagnostic.code, Code::NotApproved);
            assert!(diagnostic.message.ends_with("its hook does not run"), "{diagnostic:?}");
        }
        for layer in [Layer::Managed, Layer::BuiltIn, Layer::Given, Layer::User] {
            assert_eq!(armed(layer), (true, Vec::new()), "{layer:?}");
        }
    }

    /// T-97: a repository's words about other hooks are not obeyed either.
    #[test]
    fn statements_of_repository_are_dropped() {
        let text = "[source.\"*\"]\nenabled = false\n[hook.other]\nenabled = false\n";
        let source = source(Layer::Project, text);
        let config = source.dialect.dialect().read_config(&source);
        assert!(!config.switches.is_empty(), "{config:?}");
        let mut read = [(source, config)];
        assert_eq!(disarm_repository_hooks(&mut read).len(), 1);
        assert!(read.iter().all(|(_, config)| config.switches.is_empty()));
    }
}
