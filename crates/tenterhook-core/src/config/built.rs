//! Which hooks can this build not run, because what runs them was left out of it? Changes no hook: each stays armed, and its
//! failure policy decides each time (C-76).

use crate::diagnostic::{Code, Diagnostic};
use crate::hook::{Arming, Hook, Run};

/// What a build may leave out, and whether this one has it.
#[derive(Clone, Copy)]
struct Built {
    http: bool,
    rules: bool,
}

const HERE: Built = Built { http: cfg!(feature = "http"), rules: cfg!(feature = "rule") };

/// Reports each hook that this build cannot run, with the feature that it needs.
pub(super) fn missing_feature_findings(hooks: &[Hook]) -> impl Iterator<Item = Diagnostic> {
    hooks.iter().filter_map(|hook| HERE.finding_if_missing(hook))
}

impl Built {
    /// Reports a hook that needs this feature, if the build lacks it.
    fn finding_if_missing(self, hook: &Hook) -> Option<Diagnostic> {
        let asks = hook.condition.as_ref().is_some_and(|condition| condition.contains_expression());
        let (what, feature) = match &hook.run {
            Run::Http(_) if !self.http => ("executor for `http` hooks", "http"),
            Run::Rule(_) if !self.rules => ("executor for rules", "rule"),
            _ if asks && !self.rules => ("evaluator for its condition", "rule"),
            _ => return None,
        };
        if hook.arming != Arming::Armed {
            return None;
        }
        let message = format!("the hook cannot run: this build has no {what}");
        let found = Diagnostic::new(Code::LeftOut, message, hook.place.clone());
        let found = found.label("its failure policy decides, each time");
        Some(found.help(format!("build the program with the feature `{feature}` of `tenterhook`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DialectId;
    use crate::source::Source;

    /// C-76.
    #[test]
    fn a_hook_that_this_build_cannot_run_names_the_feature_that_it_needs() {
        let text = "[hook.a]\non = 'Stop'\nhttp = 'https://e.example/x'\n\
            [hook.b]\non = 'Stop'\nwhen = 'true'\ncontext = 'x'\n\
            [hook.c]\non = 'Stop'\nrun = ['x']\nif = { when = 'true' }\n\
            [hook.d]\non = 'Stop'\nrun = ['x']\n";
        let source = Source::from_text("t.toml", DialectId::NATIVE, text, "/p");
        let read = DialectId::NATIVE.dialect().read_config(&source);
        let findings = |built: Built| -> Vec<_> {
            let found = read.hooks.iter().filter_map(|hook| built.finding_if_missing(hook));
            found
                .map(|diagnostic| {
                    (
                        diagnostic.place.map(|location| location.line),
                        diagnostic.help.unwrap_or_default(),
                    )
                })
                .collect()
        };
        let helps = |features: [&str; 3]| {
            let help =
                |text| format!("build the program with the feature `{text}` of `tenterhook`");
            vec![
                (Some(1), help(features[0])),
                (Some(4), help(features[1])),
                (Some(8), help(features[2])),
            ]
        };
        let nothing = Built { http: false, rules: false };
        assert_eq!(findings(nothing), helps(["http", "rule", "rule"]));
        assert_eq!(findings(Built { http: true, ..nothing }), helps(["", "rule", "rule"])[1..]);
        assert!(findings(Built { http: true, rules: true }).is_empty());
    }
}
