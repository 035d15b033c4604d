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

pub(super) fn statements(
    (source, config): &(Source, ReadConfig),
) -> impl Iterator<Item = Statement> {
    config.switches.iter().map(|switch| Statement {
        dialect: source.dialect,
        layer: source.layer,
        by: Arc::clone(&source.name),
        switch: switch.clone(),
        standing: source.standing,
        seen_from: source.seen_from().to_owned(),
    })
}

/// The layers that are settings, in the order of precedence of what is one value, strongest first.
pub(super) const SETTINGS: &[Layer] =
    &[Layer::Managed, Layer::Given, Layer::Local, Layer::Project, Layer::User];

/// Whether a statement of `by` may bind a hook of `hook`: no layer binds a managed or built-in hook but the managed one.
pub(super) fn binds(by: Layer, hook: &Hook) -> bool {
    !hook.is_settled() || by == Layer::Managed
}

/// How near a layer is to the person at the keyboard. A repository's file may switch off what the repository brings, not
/// what the user did, or it could disarm a guard by its name (C-16).
pub(super) const fn distance(layer: Layer) -> u8 {
    match layer {
        Layer::Managed | Layer::BuiltIn => 0,
        Layer::Given | Layer::User | Layer::Local => 1,
        Layer::Project | Layer::Plugin | Layer::Skill | Layer::Agent => 2,
    }
}
