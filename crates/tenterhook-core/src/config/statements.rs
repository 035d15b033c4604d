//! Whose word binds which hook? What sources say about hooks that are not their own, and how near each is to the person.

use std::path::PathBuf;
use std::sync::Arc;

use crate::dialect::DialectId;
use crate::hook::{Hook, Layer};
use crate::source::{ReadConfig, Source, Standing, Switch};

/// What one source says about more than one hook.
#[derive(Clone)]
pub(super) struct Statement {
    pub(super) dialect: DialectId,
    pub(super) layer: Layer,
    pub(super) by: Arc<str>,
    pub(super) switch: Switch,
    /// Why its file is read, and from where it was found.
    pub(super) standing: Standing,
    pub(super) seen_from: PathBuf,
}

/// Iterates over the statements of one source, with the layer and the file that they come from.
pub(super) fn statements_of_source(
    (source, config): &(Source, ReadConfig),
) -> impl Iterator<Item = Statement> {
    config.switches.iter().map(|switch| Statement {
        dialect: source.dialect,
        layer: source.layer,
        by: Arc::clone(&source.name),
        switch: switch.clone(),
        standing: source.standing,
        seen_from: source.found_from_directory().to_owned(),
    })
}

/// The layers that are settings, in the order of precedence of what is one value, strongest first.
pub(super) const SETTINGS: &[Layer] =
    &[Layer::Managed, Layer::Given, Layer::Local, Layer::Project, Layer::User];

/// Returns `true` if a statement of layer `by` may bind `hook`: only the managed layer binds a
/// managed or built-in hook.
pub(super) fn layer_may_bind(by: Layer, hook: &Hook) -> bool {
    !hook.is_managed_or_built_in() || by == Layer::Managed
}

/// Returns how far a layer is from the user. A repository's file may disable what the repository
/// brings but not the user's hooks, or it could disarm a guard by its name (C-16).
pub(super) const fn distance_from_user(layer: Layer) -> u8 {
    match layer {
        Layer::Managed | Layer::BuiltIn => 0,
        Layer::Given | Layer::User | Layer::Local => 1,
        Layer::Project | Layer::Plugin | Layer::Skill | Layer::Agent => 2,
    }
}
