//! Is code from elsewhere run without a pipe: from a variable, a coprocess, an address?

use std::collections::{BTreeSet, HashMap};

use tenterhook_shell::{Target, Via, WordKind};

use super::super::hosts;
use super::super::view::View;
use super::table::FETCHING;
use super::{
    Kinds, code_kinds_in_word, fetched_code_kind, is_interpreter, is_shell_program, runs_its_input,
    takes_code_arguments,
};

impl Kinds {
    /// Adds fetched code in a variable: `x=$(curl ...); bash -c "$x"`.
    pub(super) fn add_code_in_variables(&mut self, views: &[View<'_>]) {
        let mut fetched: HashMap<&str, BTreeSet<&'static str>> = HashMap::new();
        for view in views {
            let words = view.command.words.iter().skip(1);
            let code = words.filter(|_| takes_code_arguments(view) || is_interpreter(&view.name));
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
                if view.meter.spend_steps_for_bytes(4 * assignment.value.source.len()) {
                    let brought = code_kinds_in_word(&assignment.value.source, view.meter);
                    fetched.entry(assignment.name.as_str()).or_default().extend(brought);
                }
            }
        }
    }

    /// Adds code from a connection that the line keeps open, and that a shell reads: `exec
    /// 5<>/dev/tcp/host/99; cat <&5 | sh`.
    fn add_open_socket_code(&mut self, views: &[View<'_>]) {
        let keeps = |view: &View<'_>| {
            let sockets = view
                .redirects
                .iter()
                .filter(|(_, file)| file.starts_with("/dev/tcp/") || file.starts_with("/dev/udp/"));
            view.command.program_name() == Some("exec") && sockets.count() > 0
        };
        let is_fed = |view: &View<'_>| {
            let duplicates = |redirect: &tenterhook_shell::Redirect| redirect.operator == "<&";
            runs_its_input(view)
                && (view.is_output_consumed() || view.command.redirects.iter().any(duplicates))
        };
        if views.iter().any(keeps) && views.iter().any(is_fed) {
            self.add_kind("downloaded");
        }
    }

    /// Adds code that is fetched and run without a pipe: `coproc curl ...; bash <&${COPROC[0]}`,
    /// and `go run https://...`.
    pub(super) fn add_code_without_pipe(&mut self, views: &[View<'_>]) {
        let coprocess = |view: &View<'_>| view.command.via.contains(&Via::Wrapper("coproc"));
        let fed = |view: &View<'_>| {
            view.command.redirects.iter().any(|redirect| match &redirect.target {
                Target::Word(word) => {
                    redirect.operator.starts_with('<') && word.source.contains("COPROC")
                }
                Target::HereDocument { .. } | Target::Closed => false,
            })
        };
        let runs = views
            .iter()
            .any(|view| (is_shell_program(&view.name) || is_interpreter(&view.name)) && fed(view));
        if runs
            && views
                .iter()
                .any(|view| coprocess(view) && fetched_code_kind(view) == Some("downloaded"))
        {
            self.add_kind("downloaded");
        }
        self.add_open_socket_code(views);
        for view in views {
            // `BASH_ENV=<(curl ...) bash`
            let started = view
                .command
                .assignments
                .iter()
                .filter(|assignment| STARTED.contains(&assignment.name.as_str()));
            started.for_each(|assignment| {
                self.add_substituted_code(&assignment.value.source, view.meter)
            });
            let operands = view.operands(&[]);
            let mut operands = operands.iter().copied();
            let verb = FETCHING.iter().find(|(name, _)| *name == view.name).map(|(_, verb)| *verb);
            let fetches = verb.is_some_and(|verb| verb.is_empty() || operands.next() == Some(verb));
            if fetches && operands.next().is_some_and(is_url_word) {
                self.add_kind("downloaded");
            }
        }
    }
}

/// Variables that name what a shell runs when it starts or prompts.
const STARTED: &[&str] = &["BASH_ENV", "ENV", "PROMPT_COMMAND"];

/// Whether a word is an address, and not code that contains one: `node -e
/// "fetch('http://localhost/')"` does not run what it fetches.
fn is_url_word(word: &str) -> bool {
    let scheme = word.split("://").next().unwrap_or_default();
    scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        && hosts::host_of_url(word).is_some()
}

/// Options of `make` that name its recipes.
const RECIPES: &[&str] = &["-f", "--file", "--makefile"];

/// Whether `make` reads its recipes from its input: `make -f -`.
pub(super) fn reads_makefile_from_stdin(view: &View<'_>) -> bool {
    // The reader may have lost a dash behind the option, and without one nothing is made.
    let bare = view.args.last().is_some_and(|arg| RECIPES.contains(&arg.as_str()));
    bare || view.option_values(RECIPES).iter().any(|text| ["-", "/dev/stdin"].contains(text))
}
