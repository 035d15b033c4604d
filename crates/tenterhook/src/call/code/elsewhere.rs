//! Is code from elsewhere run without a pipe: from a variable, a coprocess, an address?

use std::collections::{BTreeSet, HashMap};

use super::super::hosts;
use super::super::view::View;
use super::table::FETCHING;
use super::{Kinds, brings, inside, is_language, is_shell, takes_code};
use crate::shell::{Target, Via, WordKind};

impl Kinds {
    /// `x=$(curl ...); bash -c "$x"`: what was fetched stands in a variable.
    pub(super) fn variables(&mut self, views: &[View<'_>]) {
        let mut fetched: HashMap<&str, BTreeSet<&'static str>> = HashMap::new();
        for view in views {
            let words = view.command.words.iter().skip(1);
            let code = words.filter(|_| takes_code(view) || is_language(&view.name));
            for word in code.filter(|it| it.kind == WordKind::Expansion && !fetched.is_empty()) {
                for part in word.source.split('$').skip(1) {
                    let part = part.trim_start_matches('{');
                    let end = part.find(|c: char| c != '_' && !c.is_ascii_alphanumeric());
                    let name = part.get(..end.unwrap_or(part.len())).unwrap_or_default();
                    self.0.extend(fetched.get(name).into_iter().flatten());
                }
            }
            let substitutes = |source: &str| source.contains("$(") || source.contains('`');
            for it in view.command.assignments.iter().filter(|it| substitutes(&it.value.source)) {
                if view.meter.read(4 * it.value.source.len()) {
                    let brought = inside(&it.value.source, view.meter);
                    fetched.entry(it.name.as_str()).or_default().extend(brought);
                }
            }
        }
    }

    /// `coproc curl ...; bash <&${COPROC[0]}`, and `go run https://...`: code that is fetched and run without a pipe.
    pub(super) fn direct(&mut self, views: &[View<'_>]) {
        let coprocess = |it: &View<'_>| it.command.via.contains(&Via::Wrapper("coproc"));
        let fed = |it: &View<'_>| {
            it.command.redirects.iter().any(|it| match &it.target {
                Target::Word(word) => {
                    it.operator.starts_with('<') && word.source.contains("COPROC")
                }
                Target::HereDocument { .. } | Target::Closed => false,
            })
        };
        let runs = views.iter().any(|it| (is_shell(&it.name) || is_language(&it.name)) && fed(it));
        if runs && views.iter().any(|it| coprocess(it) && brings(it) == Some("downloaded")) {
            self.add("downloaded");
        }
        for view in views {
            let operands = view.operands(&[]);
            let mut operands = operands.iter().copied();
            let verb = FETCHING.iter().find(|(name, _)| *name == view.name).map(|(_, verb)| *verb);
            let told = verb.is_some_and(|verb| verb.is_empty() || operands.next() == Some(verb));
            if told && operands.next().is_some_and(|it| hosts::of_address(it).is_some()) {
                self.add("downloaded");
            }
        }
    }
}
