//! Which files belong to a module for mutants, and which tests guard it. Data only; `mutants.rs` uses it.

/// A module whose code is changed, line by line, to see whether a test notices.
pub(crate) struct Module {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// The crate that it belongs to.
    pub(crate) package: &'static str,
    /// Its files, below the source of that crate.
    pub(crate) files: &'static [&'static str],
    /// Tests of the library, and of the programs beside it, by parts of their names.
    pub(crate) tests: &'static [&'static str],
    /// The programs beside the library's own tests that guard it.
    pub(crate) programs: &'static [&'static str],
}

impl Module {
    /// The path of one of its files from the root of the repository.
    pub(crate) fn path(&self, file: &str) -> String {
        format!("crates/{}/src/{file}", self.package)
    }
}

const CASES: &str = "every_case_comes_out_as_it_says";

pub(crate) const MODULES: &[Module] = &[
    Module {
        name: "merge",
        package: "tenterhook-core",
        files: &["merge.rs"],
        tests: &["merge::", "engine::tests::laws", CASES],
        programs: &["conformance"],
    },
    Module {
        name: "verdict",
        package: "tenterhook-core",
        files: &["verdict.rs", "verdict/*.rs"],
        tests: &["verdict::", "dialect::claude::tests::answers", CASES],
        programs: &["conformance"],
    },
    Module {
        name: "trust",
        package: "tenterhook",
        files: &["trust.rs", "trust/**/*.rs"],
        tests: &["trust::", "hostile_repository", "no_unapproved_byte"],
        programs: &["hostile_repos"],
    },
    Module {
        name: "matcher",
        package: "tenterhook-core",
        files: &["matcher.rs", "matcher/**/*.rs"],
        tests: &["matcher::", "plan::", CASES],
        programs: &["conformance"],
    },
    Module {
        name: "denial",
        package: "tenterhook-core",
        files: &["dialect/kit/denial.rs", "dialect/kit/denial/**/*.rs"],
        tests: &["dialect::kit::", "::answers::", "near_misses", "::protocol::", CASES],
        programs: &["conformance"],
    },
    Module {
        name: "reply",
        package: "tenterhook-core",
        files: &[
            "dialect/*/reply.rs",
            "dialect/kit/reply.rs",
            "dialect/kit/reply/*.rs",
            "dialect/kit/reply_form.rs",
        ],
        tests: &[
            "reply::",
            "dialect::cline::tests",
            "dialect::codex::tests",
            "dialect::copilot::tests",
            "dialect::gemini::tests",
            "dialect::goose::tests",
            "dialect::qwen::tests",
            "in_its_own_words",
            "told_by_its_form",
            "denial::tests::",
            CASES,
        ],
        programs: &["bridge", "conformance"],
    },
];
