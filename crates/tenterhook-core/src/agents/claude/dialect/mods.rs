//! Finds the plugin folders that Claude Code would load and whose hooks file lists modules
//! ("mods"). A module runs inside the agent and can answer for every hook of settings. Pure: the
//! caller passes the disk; module code is not read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::guard::{self, PLUGIN_DIRS};
use super::plugins;
use super::silence::{Settings, source_location};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::dialect::{Scan, Silencer};
use crate::hook::Layer;
use crate::source::{Flaw, Plugin};
use crate::syntax::{Entry, Node, NodeValue, Parsed};

/// The marketplace of plugins in folders of skills.
const SKILLS: &str = "skills-dir";

/// Finds the modules in every folder from which they load; each folder is read once.
pub(super) fn find_module_silencers(scan: Scan<'_>, settings: &[Settings<'_>]) -> Vec<Silencer> {
    let texts: Vec<&str> = scan.settings.iter().map(|source| &*source.text).collect();
    let search = Search {
        scan,
        settings,
        enabled: plugins::plugin_enablement(&texts, |text| {
            plugins::settings_refusal_reason(text).is_none()
        }),
    };
    let (marketplaces, mut found) = search.read_marketplaces();
    let all = search
        .folders_in_plugin_dirs_variable()
        .into_iter()
        .chain(search.marketplace_plugin_folders(&marketplaces))
        .chain(search.installed_plugin_folders())
        .chain(search.skill_folders());
    found.extend(settings.iter().filter_map(silencer_of_passed_hooks_file));
    let mut seen: Vec<PathBuf> = Vec::new();
    for candidate in all {
        if !seen.contains(&candidate.root) {
            found.extend(candidate.find_silencers(scan));
            seen.push(candidate.root);
        }
    }
    found
}

/// The finding for a plugin's hooks file that the caller passed as a file to check.
fn silencer_of_passed_hooks_file(file: &Settings<'_>) -> Option<Silencer> {
    let (source, root) = (file.source, file.root.as_ref()?);
    let folder = source.directory.parent().unwrap_or(&source.directory);
    let by = "the folder that it lies in";
    let finding = listed_modules_finding(&file_name(folder), by, &source.name, &source.text, root)?;
    Some(Silencer { finding, layer: source.layer, plugin: Some(plugin_at_root(folder)) })
}

/// A folder that the agent would load as a plugin.
struct Folder {
    root: PathBuf,
    layer: Layer,
    /// The reason why the agent loads it, as a clause.
    by: String,
    /// Whether it is a plugin only with a manifest.
    needs_manifest: bool,
    /// The additional hooks files that its marketplace names.
    more: Vec<PathBuf>,
}

struct Search<'a> {
    scan: Scan<'a>,
    settings: &'a [Settings<'a>],
    /// Whether settings enable each plugin, by its id.
    enabled: BTreeMap<String, bool>,
}

impl Search<'_> {
    /// The folders of plugins that a variable names, in the environment or in `env` of settings.
    fn folders_in_plugin_dirs_variable(&self) -> Vec<Folder> {
        let of_env = self.scan.env.iter().filter(|(name, _)| name == PLUGIN_DIRS);
        let of_env = of_env.map(|(_, value)| {
            (value.as_str(), Layer::User, format!("`{PLUGIN_DIRS}` in the environment"))
        });
        let obeyed = |file: &&Settings<'_>| {
            matches!(file.source.layer, Layer::User | Layer::Managed | Layer::Given)
        };
        let of_settings = self.settings.iter().filter(obeyed).filter_map(|file| {
            let value = file.find_entry("env")?.node.get(PLUGIN_DIRS)?.as_str()?;
            Some((value, file.source.layer, format!("`{PLUGIN_DIRS}` in {}", file.source.name)))
        });
        let folders = of_env.chain(of_settings).flat_map(|(value, layer, by)| {
            let folders =
                guard::split_path_list(value).map(|path| self.new_folder(path, layer, &by));
            folders.collect::<Vec<_>>()
        });
        folders.collect()
    }

    fn new_folder(&self, path: &str, layer: Layer, by: &str) -> Folder {
        let root = self.resolve_path(path);
        Folder { root, layer, by: by.to_owned(), needs_manifest: true, more: Vec::new() }
    }

    /// Resolves a path as the agent does: `~/` is the home directory, and a relative path is in the
    /// project.
    fn resolve_path(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.scan.roots.home.join(rest),
            None => self.scan.roots.cwd.join(path.strip_prefix("./").unwrap_or(path)),
        }
    }

    /// The folders of skills of the user and the project; symlinks are followed.
    fn skill_folders(&self) -> Vec<Folder> {
        let roots = self.scan.roots;
        let project = [Some(&roots.cwd), roots.repository.as_ref()].into_iter().flatten();
        let places = std::iter::once((plugins::user_config_directory(roots), Layer::User))
            .chain(project.map(|root| (root.join(".claude"), Layer::Project)));
        let folders = places.flat_map(|(directory, layer)| {
            let skills = self.scan.disk.list_directories(&directory.join("skills")).into_iter();
            skills.map(move |root| (root, layer)).collect::<Vec<_>>()
        });
        let folders = folders.filter(|(root, _)| !self.is_skill_plugin_disabled(root));
        folders
            .map(|(root, layer)| {
                let by = "the folder of skills that it lies in".to_owned();
                Folder { root, layer, by, needs_manifest: true, more: Vec::new() }
            })
            .collect()
    }

    /// Whether settings disable a plugin of a folder of skills, by either of its two names.
    fn is_skill_plugin_disabled(&self, root: &Path) -> bool {
        let folder = file_name(root);
        let manifest = self.scan.disk.read_file(&plugins::manifest_path(&plugin_at_root(root)));
        let named = manifest.and_then(|(text, _)| {
            Some(plugins::parse_lenient(&text).root?.get("name")?.as_str()?.to_owned())
        });
        let names = [Some(folder), named].into_iter().flatten();
        names.into_iter().all(|name| self.enabled.get(&format!("{name}@{SKILLS}")) == Some(&false))
    }

    /// The installed plugins that settings enable.
    fn installed_plugin_folders(&self) -> Vec<Folder> {
        let found = plugins::find_plugins(self.scan.settings, self.scan.roots, self.scan.disk);
        let folders = found.active.into_iter().map(|(plugin, _)| Folder {
            root: plugin.root,
            layer: Layer::Plugin,
            by: "`enabledPlugins`".to_owned(),
            needs_manifest: false,
            more: Vec::new(),
        });
        folders.collect()
    }

    /// Reads the marketplaces in a directory, by their names, and returns findings for those that
    /// cannot be read although one of their plugins is enabled.
    fn read_marketplaces(&self) -> (BTreeMap<String, Marketplace>, Vec<Silencer>) {
        let (mut known, mut unread) = (BTreeMap::new(), Vec::new());
        let registry = plugins::plugins_directory(self.scan.roots).join("known_marketplaces.json");
        let mut named: Vec<(String, PathBuf, Layer)> = Vec::new();
        if let Some((text, _)) = self.scan.disk.read_file(&registry) {
            let root = plugins::parse_lenient(&text).root;
            for entry in root.as_ref().map(Node::entries).unwrap_or_default() {
                let place = entry.node.get("installLocation").and_then(Node::as_str);
                named.extend(
                    place.map(|path| (entry.key.clone(), self.resolve_path(path), Layer::User)),
                );
            }
        }
        for file in self.settings {
            let said = file.find_entry("extraKnownMarketplaces").map(|entry| entry.node.entries());
            for entry in said.unwrap_or_default() {
                let place = local_marketplace_path(&entry.node);
                named.extend(
                    place.map(|path| {
                        (entry.key.clone(), self.resolve_path(path), file.source.layer)
                    }),
                );
            }
        }
        for (name, directory, layer) in named {
            if !self.has_enabled_plugin(&name) {
                continue;
            }
            let path = match directory.extension() {
                Some(extension) if extension == "json" => directory,
                _ => directory.join(".claude-plugin/marketplace.json"),
            };
            let Some((text, flaw)) = self.scan.disk.read_file(&path) else { continue };
            let parsed = plugins::parse_lenient(&text);
            let torn = unreadable_file_finding(&path, (&text, &parsed), flaw.as_ref());
            unread.extend(torn.map(|finding| Silencer { finding, layer, plugin: None }));
            known.insert(name, Marketplace { path, layer, parsed });
        }
        (known, unread)
    }

    /// Whether settings enable any plugin of a marketplace.
    fn has_enabled_plugin(&self, marketplace: &str) -> bool {
        let is_of = |id: &str| id.split_once('@').is_some_and(|(_, name)| name == marketplace);
        self.enabled.iter().any(|(id, is_on)| *is_on && is_of(id))
    }

    /// Returns the enabled plugins of marketplaces in a directory, which load without an
    /// installation.
    fn marketplace_plugin_folders(&self, known: &BTreeMap<String, Marketplace>) -> Vec<Folder> {
        let enabled = self.enabled.iter().filter(|(_, is_on)| **is_on);
        let folders = enabled.filter_map(|(id, _)| {
            let (name, marketplace) = id.split_once('@')?;
            Some(known.get(marketplace)?.candidate_folders_of_plugin(name, id))
        });
        folders.flatten().collect()
    }
}

/// A marketplace in a directory.
struct Marketplace {
    path: PathBuf,
    layer: Layer,
    parsed: Parsed,
}

impl Marketplace {
    /// Returns the possible folders of the plugin `name`: a path with and without `pluginRoot`.
    fn candidate_folders_of_plugin(&self, name: &str, id: &str) -> Vec<Folder> {
        let root = self.parsed.root.as_ref();
        let listed = root.and_then(|root| root.get("plugins")?.as_array()).unwrap_or_default();
        let is_named = |entry: &&Node| entry.get("name").and_then(Node::as_str) == Some(name);
        let moved = root.and_then(|root| root.get("metadata")?.get("pluginRoot")?.as_str());
        let base = self.base_directory();
        let bases = [Some(base.clone()), moved.map(|path| join_path(&base, path))];
        let folders = listed.iter().filter(is_named).flat_map(|entry| {
            let source = entry.get("source");
            let path = source.and_then(|node| node.as_str().or_else(|| node.get("path")?.as_str()));
            let hooks = entry.get("hooks").and_then(Node::as_str);
            let folder = |base: &PathBuf| {
                let root = join_path(base, path?);
                let more = hooks.map(|hooks| join_path(&root, hooks)).into_iter().collect();
                let by = format!("`enabledPlugins` with `{id}`");
                Some(Folder { root, layer: self.layer, by, needs_manifest: false, more })
            };
            bases.iter().flatten().filter_map(folder).collect::<Vec<_>>()
        });
        folders.collect()
    }

    /// The directory of the marketplace, the parent of its file's directory.
    fn base_directory(&self) -> PathBuf {
        let directory = self.path.parent().unwrap_or(&self.path);
        let above = directory.parent().filter(|_| directory.ends_with(".claude-plugin"));
        above.unwrap_or(directory).to_owned()
    }
}

impl Folder {
    /// Finds the modules that the folder's hooks files list, and the files that cannot be read.
    fn find_silencers(&self, scan: Scan<'_>) -> Vec<Silencer> {
        let plugin = plugin_at_root(&self.root);
        let has_manifest = scan.disk.read_file(&plugins::manifest_path(&plugin)).is_some();
        let is_plugin = has_manifest || !self.needs_manifest;
        if !is_plugin || guard::is_guard_folder(&self.root, scan.disk) {
            return Vec::new();
        }
        let files =
            plugins::hook_files(&plugin, scan.disk).into_iter().chain(self.more.iter().cloned());
        let mut seen: Vec<PathBuf> = Vec::new();
        let mut found = Vec::new();
        for file in files {
            if seen.contains(&file) {
                continue;
            }
            if let Some((text, flaw)) = scan.disk.read_file(&file) {
                found.extend(self.hooks_file_silencer(&plugin, &file, &text, flaw.as_ref()));
            }
            seen.push(file);
        }
        found
    }

    fn hooks_file_silencer(
        &self,
        plugin: &Plugin,
        file: &Path,
        text: &str,
        flaw: Option<&Flaw>,
    ) -> Option<Silencer> {
        let parsed = plugins::parse_lenient(text);
        let silencer = |finding: Diagnostic| Silencer {
            finding,
            layer: self.layer,
            plugin: Some(plugin.clone()),
        };
        // Modules that the manifest itself lists do not load.
        let is_manifest = file == plugins::manifest_path(plugin);
        match parsed.root.as_ref().filter(|_| !is_manifest) {
            Some(root) if module_list_entry(root).is_some() => {
                listed_modules_finding(&plugin.name, &self.by, &file.to_string_lossy(), text, root)
                    .map(silencer)
            }
            _ => unreadable_file_finding(file, (text, &parsed), flaw).map(silencer),
        }
    }
}

/// The finding for a hooks file that lists modules.
fn listed_modules_finding(
    plugin: &str,
    by: &str,
    file: &str,
    text: &str,
    root: &Node,
) -> Option<Diagnostic> {
    let span = module_list_entry(root)?.key_span;
    let listed: Vec<String> = listed_modules(root).iter().map(|name| format!("`{name}`")).collect();
    let message = format!(
        "the plugin `{plugin}` has a module ({}) that runs inside Claude Code and could silence every hook of its settings; {by} loads it",
        listed.join(", ")
    );
    let finding = Diagnostic::new(
        Code::ModCouldSilence,
        message,
        Some(source_location(&file.into(), text, span)),
    );
    Some(finding.help("remove it, or look at its folder and approve that with `tenterhook trust`"))
}

/// Returns the entry in which a hooks file lists modules. Each occurrence of a repeated key has an
/// effect.
fn module_list_entry(root: &Node) -> Option<&Entry> {
    let announces = |node: &Node| match &node.value {
        NodeValue::Array(items) => !items.is_empty(),
        NodeValue::Null => false,
        _ => true,
    };
    root.entries().iter().find(|entry| entry.key == "modules" && announces(&entry.node))
}

/// The modules that a hooks file lists, as written.
pub(super) fn listed_modules(root: &Node) -> Vec<String> {
    let Some(entry) = module_list_entry(root) else { return Vec::new() };
    let items = entry.node.as_array().unwrap_or(std::slice::from_ref(&entry.node));
    let name = |item: &Node| item.as_str().unwrap_or("a value that is no path").to_owned();
    items.iter().map(name).collect()
}

/// The finding for an unreadable file that decides which modules load.
fn unreadable_file_finding(
    file: &Path,
    (text, parsed): (&str, &Parsed),
    flaw: Option<&Flaw>,
) -> Option<Diagnostic> {
    let (why, span) = match (flaw, parsed.fatal_fault()) {
        (Some(flaw), _) => (flaw.why.clone(), Span::new(0, 0)),
        (None, Some(fault)) => (fault.message.clone(), fault.span),
        (None, None) => return None,
    };
    let name: Arc<str> = file.to_string_lossy().into();
    let message =
        format!("`{name}` cannot be read, and may announce a module that silences hooks: {why}");
    let place = source_location(&name, text, span);
    Some(Diagnostic::new(Code::ModUnread, message, Some(place)).help("mend or remove the file"))
}

/// The path of a marketplace on this machine.
fn local_marketplace_path(node: &Node) -> Option<&str> {
    let source = node.get("source")?;
    source.get("path").and_then(Node::as_str).or_else(|| source.as_str())
}

fn plugin_at_root(root: &Path) -> Plugin {
    Plugin { name: file_name(root), root: root.to_owned(), data: PathBuf::new() }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn join_path(base: &Path, path: &str) -> PathBuf {
    base.join(path.strip_prefix("./").unwrap_or(path))
}
