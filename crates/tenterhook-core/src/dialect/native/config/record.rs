//! `[record]`: whether, where and for how long firings are recorded (C-77). Opens no file.

use super::{Reader, keys};
use crate::diagnostic::Code;
use crate::hook::Layer;
use crate::source::{Content, RecordTable, SystemLog};
use crate::syntax::Entry;

impl Reader<'_> {
    pub(super) fn read_record_table(&mut self, entry: &Entry) {
        let Some(fields) = self.read_checked_fields(entry, "`[record]`", keys::RECORD) else {
            return;
        };
        // A repository cannot decide whether its sessions are recorded.
        if !matches!(self.source.layer, Layer::User | Layer::Managed) {
            let message = "`[record]` has no effect here: it is read from your own file and from managed files";
            self.report(Code::RecordIgnored, entry.key_span, message).help = Some(
                "write it into `~/.config/tenterhook/tenterhook.toml`, or leave it out".to_owned(),
            );
            return;
        }
        let keys = entry.node.entries().iter();
        self.out.record_places =
            keys.map(|key| (key.key.clone(), self.location_of(key.key_span))).collect();
        self.out.record = RecordTable {
            enabled: fields.flag("enabled"),
            dir: fields.text("dir").map(|text| self.resolve_path(text)),
            content: fields.text("content").and_then(Content::from_word),
            keep_days: fields.positive_number("keep_days").and_then(|n| n.try_into().ok()),
            max_bytes: fields.positive_number("max_bytes"),
            required: fields.flag("required"),
            system_log: fields.text("system_log").and_then(SystemLog::from_word),
            socket: fields.text("socket").map(|text| self.resolve_path(text)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DialectId;
    use crate::source::{ReadConfig, Source};

    fn read(layer: Layer, text: &str) -> ReadConfig {
        let source = Source::from_text("t.toml", DialectId::NATIVE, text, "/p");
        let source = Source { layer, home: "/home/me".into(), ..source };
        DialectId::NATIVE.dialect().read_config(&source)
    }

    const ALL: &str = "[record]\nenabled = true\ndir = '~/audit'\ncontent = 'redacted'\nkeep_days = 7\n\
        max_bytes = 1048576\nrequired = true\nsystem_log = 'journald'\nsocket = '/run/log'";

    /// C-77.
    #[test]
    fn the_table_is_read_from_files_of_ones_own() {
        for layer in [Layer::User, Layer::Managed] {
            let config = read(layer, ALL);
            assert_eq!(config.diagnostics, []);
            let table = RecordTable {
                enabled: Some(true),
                dir: Some("/home/me/audit".into()),
                content: Some(Content::Redacted),
                keep_days: Some(7),
                max_bytes: Some(1 << 20),
                required: Some(true),
                system_log: Some(SystemLog::Journald),
                socket: Some("/run/log".into()),
            };
            assert_eq!(config.record, table);
        }
        for layer in [Layer::Project, Layer::Local, Layer::Given, Layer::Plugin] {
            let config = read(layer, ALL);
            let codes: Vec<_> =
                config.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
            assert_eq!((config.record, codes), (RecordTable::default(), vec!["record-not-heard"]));
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, code) in [
            ("content = 'all'", "unknown-word"),
            ("system_log = 'udp'", "unknown-word"),
            ("keep_days = 0", "wrong-type"),
            ("max_bytes = 10", "wrong-type"),
            ("max_bytes = '64 MiB'", "wrong-type"),
            ("enabled = 'no'", "wrong-type"),
            ("keep = 3", "unknown-key"),
        ] {
            let config = read(Layer::User, &format!("[record]\n{text}"));
            let codes: Vec<_> =
                config.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
            assert_eq!(codes, [code], "{text}");
        }
        let config = read(Layer::User, "record = true");
        assert_eq!(
            config.diagnostics.first().map(|diagnostic| diagnostic.code.name()),
            Some("wrong-type")
        );
    }
}
