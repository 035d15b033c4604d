//! Which files silence the hooks of an agent's settings? Reads the files that its dialect asks for; judges no file.

use std::path::Path;

use tenterhook_core::agents::CLAUDE;
use tenterhook_core::dialect::{DIALECTS, DialectId, Roots, Scan, Silencer};
use tenterhook_core::hook::Layer;
use tenterhook_core::source::Source;

use super::view::View;
use super::{file, find, new_source};

/// Finds what disables, or could disable, the hooks in an agent's settings when the agent starts
/// from `roots` with the environment `env`. Settings of a repository count without approval,
/// because the agent does not ask for one.
#[must_use]
pub fn find_silencers(
    dialect: DialectId,
    roots: &Roots,
    env: &[(String, String)],
) -> Vec<Silencer> {
    let Some(read) = dialect.dialect().silencing_settings_finder() else { return Vec::new() };
    let sources = find(roots).sources;
    let is_settings = |source: &&Source| source.dialect == dialect && source.plugin.is_none();
    let mut settings: Vec<&Source> = sources.iter().filter(is_settings).collect();
    settings.sort_by_key(|source| source.layer == Layer::Managed);
    let view = View::default();
    read(Scan { settings: &settings, roots, env, disk: &file::Files::new(roots, &view) })
}

/// Returns the settings in these files that disable hooks, or could, wherever the agent starts.
/// Each file is taken to lie where its name says.
#[must_use]
pub fn silencers_in_files(given: &[&Source], roots: &Roots) -> Vec<Silencer> {
    let placed = |source: &&Source| Source {
        layer: layer_by_path(Path::new(&*source.name), roots).unwrap_or(source.layer),
        ..(**source).clone()
    };
    let placed: Vec<Source> = given.iter().map(placed).collect();
    let own = |silencer: &Silencer| {
        let place = silencer.finding.place.as_ref();
        place.is_some_and(|place| given.iter().any(|source| source.name == place.file))
    };
    let (mut found, view) = (Vec::new(), View::default());
    for dialect in DIALECTS {
        let settings: Vec<&Source> =
            placed.iter().filter(|source| source.dialect == dialect.id()).collect();
        let Some(read) = dialect.silencing_settings_finder().filter(|_| !settings.is_empty())
        else {
            continue;
        };
        let disk = file::Files::new(roots, &view);
        let scan = Scan { settings: &settings, roots, env: &[], disk: &disk };
        found.extend(read(scan).into_iter().filter(own));
    }
    found
}

/// Returns the layer of a settings file, by its name and path.
fn layer_by_path(path: &Path, roots: &Roots) -> Option<Layer> {
    let is_managed = roots.managed.as_ref().is_some_and(|managed| path.starts_with(managed));
    let managed = CLAUDE.installation.protection.only_managed.map(|switch| Path::new(switch.file));
    if path.file_name() == managed.and_then(Path::file_name) {
        return Some(Layer::Managed);
    }
    match path.file_name()?.to_str()? {
        "settings.local.json" => Some(Layer::Local),
        _ if is_managed => Some(Layer::Managed),
        "settings.json" if path.parent()?.parent()? == roots.home => Some(Layer::User),
        "settings.json" => Some(Layer::Project),
        _ => None,
    }
}

/// Returns the hooks file of a plugin with a module, as a source that can be reviewed.
#[must_use]
pub fn plugin_hooks_source(
    silencer: &Silencer,
    dialect: DialectId,
    roots: &Roots,
) -> Option<Source> {
    let plugin = silencer.plugin.clone()?;
    let path = Path::new(&*silencer.finding.place.as_ref()?.file);
    let (text, flaw) = file::read_config_if_exists(path)?;
    let source = new_source(path, dialect, silencer.layer, text, roots);
    Some(Source { flaw, plugin: Some(plugin), ..source })
}
