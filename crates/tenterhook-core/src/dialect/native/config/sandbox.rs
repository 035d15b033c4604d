//! `sandbox`: what of the machine a hook may touch.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::fields::Fields;
use super::keys::{PROFILES, SANDBOX};
use super::{Reader, keys};
use crate::diagnostic::{Code, Span, nearest_word};
use crate::hook::{Grants, Peers, Profile, Sandbox, Tier};

/// Returns the sandbox for a setting that cannot be read: it grants nothing, because the hook would
/// otherwise run with all rights.
fn strictest_sandbox() -> Sandbox {
    Sandbox::In(Arc::new(Grants::from_profile(Profile::Strict)))
}

impl Reader<'_> {
    /// Reads the key `sandbox`; returns `Unsaid` if it is absent.
    pub(super) fn read_sandbox(&mut self, fields: &Fields<'_>) -> Sandbox {
        let Some(entry) = fields.entry.node.entry("sandbox") else { return Sandbox::Unsaid };
        if let Some(word) = entry.node.as_str() {
            return self.sandbox_from_profile(word, entry.node.span);
        }
        let before = self.error_count();
        // Its keys and shapes were checked with the table around it.
        let Some(fields) = Fields::read_checked(self, entry, "`sandbox`", SANDBOX) else {
            return strictest_sandbox();
        };
        let mut grants = match fields.text("profile") {
            Some("off") => {
                if let Some(other) =
                    entry.node.entries().iter().find(|entry| entry.key != "profile")
                {
                    let message =
                        format!("`{}` grants nothing where `profile` is `off`", other.key);
                    self.report(Code::NoEffect, other.key_span, message).help =
                        Some("remove it, or take another profile".to_owned());
                }
                return Sandbox::Off;
            }
            Some("strict") => Grants::from_profile(Profile::Strict),
            _ => Grants::from_profile(Profile::Standard),
        };
        grants.read = self.read_granted_paths(&fields, "read");
        grants.write = self.read_granted_paths(&fields, "write");
        grants.net = self.read_net_peers(&fields);
        grants.env = fields.strings("env").into_iter().map(|(name, _)| name.to_owned()).collect();
        grants.attributes = fields.flag("attributes").unwrap_or_default();
        grants.processes = fields.positive_number("processes");
        grants.memory = fields.positive_number("memory");
        grants.cpu = fields.duration("cpu");
        let named = |word: &str| Tier::ALL.into_iter().find(|tier| tier.as_str() == word);
        grants.at_least = fields.text("isolation_min").and_then(named).unwrap_or(grants.at_least);
        if self.error_count() > before {
            strictest_sandbox()
        } else {
            Sandbox::In(Arc::new(grants))
        }
    }

    fn sandbox_from_profile(&mut self, word: &str, span: Span) -> Sandbox {
        match word {
            "off" => Sandbox::Off,
            "standard" => Sandbox::standard(),
            "strict" => Sandbox::In(Arc::new(Grants::from_profile(Profile::Strict))),
            other => {
                let words = || PROFILES.iter().copied();
                let message = format!("`sandbox` cannot be `{}`", other.escape_default());
                self.report(Code::UnknownWord, span, message).help =
                    Some(nearest_word(other, words()).map_or_else(
                        || format!("write one of {}", keys::join_quoted(words())),
                        |near| format!("did you mean `{near}`?"),
                    ));
                strictest_sandbox()
            }
        }
    }

    /// Reads the paths of a grant; a path that begins with `$PROJECT` is resolved when the hook
    /// runs.
    fn read_granted_paths(&mut self, fields: &Fields<'_>, key: &str) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        for (text, span) in fields.strings(key) {
            let is_of_project = Path::new(text).starts_with(Grants::PROJECT);
            if text.is_empty() || (text.starts_with('$') && !is_of_project) || text.contains('*') {
                let message = format!("`{}` cannot be granted", text.escape_default());
                let help = match text.strip_prefix("$HOME") {
                    Some(rest) if !text.contains('*') => {
                        format!("write `~{}`", rest.escape_default())
                    }
                    _ => "name a file or a directory, such as `$PROJECT/target` or `~/.cargo`"
                        .to_owned(),
                };
                self.report(Code::BadPath, span, message).help = Some(help);
                continue;
            }
            paths.push(if is_of_project { PathBuf::from(text) } else { self.resolve_path(text) });
        }
        paths
    }

    /// Reads `net`: `none`, `open`, or `tcp:PORT` for each port.
    fn read_net_peers(&mut self, fields: &Fields<'_>) -> Peers {
        let words = fields.strings("net");
        match words.as_slice() {
            [] | [("none", _)] => return Peers::None,
            [("open", _)] => return Peers::Everybody,
            _ => {}
        }
        let mut ports = Vec::new();
        for (word, span) in words {
            match word.strip_prefix("tcp:").and_then(|rest| rest.parse::<u16>().ok()) {
                Some(port) => ports.push(port),
                None => {
                    let message = format!("`net` cannot be `{}`", word.escape_default());
                    let hosts = if word.contains(['.', ':', '/']) {
                        "; hosts cannot be granted one by one"
                    } else {
                        ""
                    };
                    self.report(Code::BadGrant, span, message).help = Some(format!(
                        "write `\"none\"`, `\"open\"` or ports, `[\"tcp:443\"]`{hosts}"
                    ));
                }
            }
        }
        Peers::Tcp(ports)
    }
}
