//! Which keys of the user's `[record]` have no effect, because a managed file says otherwise (C-77)? Pure.

use crate::diagnostic::{Code, Diagnostic};
use crate::hook::Layer;
use crate::source::{ReadConfig, RecordTable, Source};

/// Returns a finding for each key of the user's `[record]` that a managed file overrides.
pub(super) fn overridden_record_key_findings(read: &[(Source, ReadConfig)]) -> Vec<Diagnostic> {
    let of = |layer: Layer| read.iter().filter(move |(source, _)| source.layer == layer);
    let managed = of(Layer::Managed)
        .fold(RecordTable::default(), |all, (_, config)| all.with_fallback(config.record.clone()));
    let found = of(Layer::User).flat_map(|(source, config)| {
        // Each file by itself: of two of the user's own the first counts, which is no managed word.
        let held = config.record.clone().with_managed(managed.clone());
        let keys = config.record.overridden_keys(&held);
        keys.into_iter()
            .map(|key| overridden_record_key_finding(key, source, config))
            .collect::<Vec<_>>()
    });
    found.collect()
}

fn overridden_record_key_finding(key: &str, source: &Source, config: &ReadConfig) -> Diagnostic {
    let message = format!(
        "`{key}` of `[record]` in {} has no effect: a managed file sets it, or requires records",
        source.name
    );
    let place = config.record_places.iter().find(|(name, _)| name == key);
    let place = place.map(|(_, place)| place.clone());
    Diagnostic::new(Code::RecordIgnored, message, place).help(super::bound::HELP)
}
