//! Which packages would a command install, from where, and does it say exactly which?

use super::Found;
use super::hosts;
use super::packages::{self, Registry};
use super::view::View;

/// The install command of a package manager.
struct Manager {
    name: &'static str,
    registry: Registry,
    /// The words before the packages; any of these lists.
    verbs: &'static [&'static [&'static str]],
    does: Does,
}

/// Whether the package is only put in place, or fetched and run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Install,
    Run,
}

const fn new_manager(
    name: &'static str,
    registry: Registry,
    verbs: &'static [&'static [&'static str]],
    does: Does,
) -> Manager {
    Manager { name, registry, verbs, does }
}

const MANAGERS: &[Manager] = &[
    new_manager("npm", Registry::Npm, &[&["install"], &["i"], &["add"], &["in"]], Does::Install),
    new_manager("pnpm", Registry::Npm, &[&["install"], &["i"], &["add"]], Does::Install),
    new_manager("yarn", Registry::Npm, &[&["add"], &["global", "add"]], Does::Install),
    new_manager("bun", Registry::Npm, &[&["add"], &["install"], &["i"]], Does::Install),
    new_manager("npx", Registry::Npm, &[&[]], Does::Run),
    new_manager("bunx", Registry::Npm, &[&[]], Does::Run),
    new_manager("npm", Registry::Npm, &[&["exec"], &["x"]], Does::Run),
    new_manager("pnpm", Registry::Npm, &[&["dlx"]], Does::Run),
    new_manager("yarn", Registry::Npm, &[&["dlx"]], Does::Run),
    new_manager("pip", Registry::PyPi, &[&["install"], &["download"]], Does::Install),
    new_manager("pipx", Registry::PyPi, &[&["install"]], Does::Install),
    new_manager("pipx", Registry::PyPi, &[&["run"]], Does::Run),
    new_manager(
        "uv",
        Registry::PyPi,
        &[&["add"], &["pip", "install"], &["tool", "install"]],
        Does::Install,
    ),
    new_manager("uv", Registry::PyPi, &[&["tool", "run"]], Does::Run),
    new_manager("uvx", Registry::PyPi, &[&[]], Does::Run),
    new_manager("poetry", Registry::PyPi, &[&["add"]], Does::Install),
    new_manager("pdm", Registry::PyPi, &[&["add"]], Does::Install),
    new_manager("pipenv", Registry::PyPi, &[&["install"]], Does::Install),
    new_manager("cargo", Registry::Crates, &[&["install"], &["add"], &["binstall"]], Does::Install),
    new_manager("gem", Registry::Gems, &[&["install"]], Does::Install),
];

/// Options that are followed by something that is no package.
const VALUED: &[&str] = &[
    "-r",
    "--requirement",
    "-c",
    "--constraint",
    "-i",
    "--index-url",
    "--extra-index-url",
    "--index",
    "--trusted-host",
    "--registry",
    "-t",
    "--target",
    "--prefix",
    "-C",
    "--cwd",
    "--filter",
    "-F",
    "--features",
    "--version",
    "-v",
    "--rev",
    "--branch",
    "--tag",
    "--bin",
    "--root",
    "--path",
    "--git",
    "-p",
    "--python",
    "--platform",
    "--group",
    "--with",
    "-f",
    "--find-links",
    "--source",
    "-d",
    "--proxy",
    "-w",
    "--workspace",
    "--package",
    "--from",
    "-E",
    "--extra",
    "--dest",
    "--spec",
];

/// Indexes that everybody uses.
const INDEXES: &[&str] = &[
    "pypi.org",
    "files.pythonhosted.org",
    "test.pypi.org",
    "download.pytorch.org",
    "pypi.nvidia.com",
    "pypi.python.org",
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "npm.pkg.github.com",
    "npm.jsr.io",
    "registry.npmmirror.com",
    "rubygems.org",
    "index.crates.io",
    "conda.anaconda.org",
    "pkg.go.dev",
    "proxy.golang.org",
    "storage.googleapis.com",
    "wheels.vllm.ai",
    "data.pyg.org",
];

/// Options and variables that name an index.
const INDEX_OPTIONS: &[&str] = &[
    "-i",
    "--index-url",
    "--extra-index-url",
    "--index",
    "--default-index",
    "--trusted-host",
    "--registry",
    "--source",
    "--find-links",
    "-f",
];
const INDEX_VARIABLES: &[&str] = &[
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_TRUSTED_HOST",
    "UV_INDEX_URL",
    "UV_INDEX",
    "UV_DEFAULT_INDEX",
    "NPM_CONFIG_REGISTRY",
    "npm_config_registry",
    "GOPROXY",
];

/// What it costs to hold a name against all that are well known, in steps.
const A_NAME: usize = 256;

pub(super) fn note_installs(view: &View<'_>, found: &mut Found) {
    for manager in MANAGERS.iter().filter(|manager| manager.name == package_manager_name(view)) {
        let Some(packages) = packages_named_by_command(view, manager) else { continue };
        note_package_indexes(view, found);
        // Each is held against all that are well known.
        for package in packages.into_iter().take_while(|_| view.meter.spend_steps(A_NAME)) {
            note_risky_package(package, manager, view, found);
        }
        if manager.registry == Registry::Crates {
            note_unpinned_cargo_git(view, found);
        }
    }
    if view.name == "go" && view.args.first().is_some_and(|arg| arg == "install" || arg == "get") {
        let floating =
            view.args.iter().filter(|arg| arg.ends_with("@master") || arg.ends_with("@main"));
        found.unpinned.extend(floating.cloned());
    }
    note_configured_index(view, found);
}

/// `python -m pip` is pip, and so is `pip3.12`.
fn package_manager_name<'a>(view: &'a View<'_>) -> &'a str {
    let is_module =
        view.name.starts_with("python") && view.args.windows(2).any(|pair| pair == ["-m", "pip"]);
    let plain = view.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if is_module || plain == "pip" { "pip" } else { view.name.as_str() }
}

/// Returns the packages that a command of a package manager names; `None` if the command has none
/// of the verbs that install or run packages.
fn packages_named_by_command<'a>(view: &'a View<'_>, manager: &Manager) -> Option<Vec<&'a str>> {
    let operands: Vec<&str> =
        view.operands(VALUED).into_iter().filter(|operand| !matches!(*operand, "pip")).collect();
    let all: Vec<&str> = if manager.name == "uv" { view.operands(VALUED) } else { operands };
    manager.verbs.iter().find_map(|verb| {
        let rest = all.strip_prefix(*verb)?;
        // Only the first word that is run is a package; the rest is its own business.
        let most = if manager.does == Does::Run { 1 } else { rest.len() };
        let named = view.option_values(&["--from", "--spec", "--package", "-p"]);
        if manager.does == Does::Run && !named.is_empty() && !manager.name.starts_with("pnpm") {
            return Some(named);
        }
        let from_afar = view.option_values(&["-r", "--requirement", "-c", "--constraint"]);
        let from_afar = from_afar.into_iter().filter(|text| text.contains("://"));
        let lists = from_afar.filter(|_| manager.does == Does::Install);
        Some(lists.chain(rest.iter().take(most).copied()).collect())
    })
}

fn note_risky_package(package: &str, manager: &Manager, view: &View<'_>, found: &mut Found) {
    let package = package.trim_matches(['"', '\'']);
    let is_address = package.contains("://")
        || package.starts_with("git@")
        || package.starts_with("github:")
        || package.contains(" @ ");
    if is_address {
        if !is_pinned_address(package) {
            found.unpinned.insert(package.to_owned());
        }
        return;
    }
    let is_path = package.starts_with(['.', '/', '~', '$'])
        || package.ends_with(".whl")
        || package.ends_with(".tgz");
    if is_path || package.ends_with(".tar.gz") {
        return;
    }
    // `owner/repo` is a GitHub address to npm.
    if manager.registry == Registry::Npm && package.contains('/') && !package.starts_with('@') {
        if !is_pinned_address(package) {
            found.unpinned.insert(package.to_owned());
        }
        return;
    }
    let name = bare_package_name(package);
    if name.is_empty() {
        return;
    }
    if let Some(meant) = packages::similar_known_package(manager.registry, name) {
        found.look_alikes.insert(format!("{name} for {meant}"));
    }
    // Without `-y` npx asks by itself; a tool that is installed already is not fetched.
    let unasked = matches!(view.name.as_str(), "npx" | "npm") && !view.has_option('y', "yes");
    if manager.does == Does::Run && !unasked && !packages::is_known_package(manager.registry, name)
    {
        found.strangers.insert(name.to_owned());
    }
}

/// The name without version, range, extras or platform.
fn bare_package_name(package: &str) -> &str {
    let scope = usize::from(package.starts_with('@'));
    let rest = package.get(scope..).unwrap_or_default();
    let end =
        rest.find(['@', '=', '<', '>', '~', '!', '[', ';', ' ', ':', '^']).unwrap_or(rest.len());
    package.get(..scope + end).unwrap_or_default()
}

/// Whether an address determines its content exactly: a commit, a tag, or a released archive over
/// TLS with its digest.
fn is_pinned_address(address: &str) -> bool {
    if address.starts_with("http://") {
        return false;
    }
    let reference = address.rsplit_once(['@', '#']).map(|(_, tail)| tail).unwrap_or_default();
    let commit = reference.len() >= 7 && reference.chars().all(|c| c.is_ascii_hexdigit());
    let version = reference.trim_start_matches("semver:").trim_start_matches('v');
    let tag = version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.');
    commit || tag || reference.contains("sha256=") || address.contains("#sha256")
}

/// Notes `cargo install --git URL` without `--rev` or `--tag`.
fn note_unpinned_cargo_git(view: &View<'_>, found: &mut Found) {
    if view.option_values(&["--rev", "--tag"]).is_empty() {
        found.unpinned.extend(view.option_values(&["--git"]).into_iter().map(str::to_owned));
    }
}

fn note_package_indexes(view: &View<'_>, found: &mut Found) {
    let named = view.option_values(INDEX_OPTIONS).into_iter();
    let assigned = view
        .command
        .assignments
        .iter()
        .filter(|assignment| INDEX_VARIABLES.contains(&assignment.name.as_str()));
    let all = named.chain(assigned.map(|assignment| assignment.value.text.as_str()));
    found.indexes.extend(all.filter_map(unusual_index_host));
}

/// Notes a package index that a command configures: `npm config set registry`, `pip config set
/// global.index-url`.
fn note_configured_index(view: &View<'_>, found: &mut Found) {
    let sets = matches!(view.name.as_str(), "npm" | "pnpm" | "yarn" | "pip" | "pip3")
        && view.has_argument(&["set"])
        && view.has_argument(&["config"]);
    if sets
        && view.args.iter().any(|arg| {
            arg.contains("registry") || arg.contains("index") || arg.contains("trusted-host")
        })
    {
        found.indexes.extend(
            view.args
                .iter()
                .filter_map(|arg| unusual_index_host(arg.rsplit('=').next().unwrap_or(arg))),
        );
    }
    if view.name == "export" {
        let set = view.args.iter().filter_map(|arg| arg.split_once('='));
        found.indexes.extend(
            set.filter(|(name, _)| INDEX_VARIABLES.contains(name))
                .filter_map(|(_, tail)| unusual_index_host(tail)),
        );
    }
}

/// Returns the host of a package index that is not a common one; the index may also be written as a
/// host alone.
fn unusual_index_host(index: &str) -> Option<String> {
    let bare = || {
        Some(index.to_owned()).filter(|index| {
            index.contains('.')
                && !index.starts_with(['.', '/', '~'])
                && !index.contains(['/', ' '])
        })
    };
    let host = hosts::host_of_url(index).or_else(bare)?;
    let usual = INDEXES.contains(&host.as_str()) || hosts::is_local_host(&host);
    // Over plain HTTP anybody in between is the index.
    (!usual || (index.starts_with("http://") && !hosts::is_local_host(&host))).then_some(host)
}
