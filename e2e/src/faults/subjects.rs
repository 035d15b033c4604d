//! The programs that run while their system calls fail, and what must hold. A table; runs nothing.

/// One thing that a person or an agent does.
pub(super) struct Subject {
    pub(super) name: &'static str,
    /// What lies in the place before: a path and a text. Placeholders as in `run`.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// What was done before, with the program; `{digest}` is that of the review of the hooks of the project.
    pub(super) before: &'static [&'static str],
    /// Files of the fixture that are overwritten after that.
    pub(super) changed: &'static [(&'static str, &'static str)],
    /// The line of shell that is played. `{home}`, `{project}`, `{program}` and `{digest}` are filled in, `{entry}` is what `install` writes into Claude Code's settings.
    pub(super) run: &'static str,
    pub(super) must: Must,
}

/// What must hold, whatever fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Must {
    /// Restrain the call: a hook objects.
    Deny,
    /// Let the call pass only if the hook that allows it ran: it leaves `{project}/ran`.
    Hear,
    /// The same where firings must be on record: what passes is.
    HearOnRecord,
    /// Restrain the call, and run nothing: the hook, which would leave `{project}/ran`, is not approved.
    Hold,
    /// A caller that reads "approved" finds it so; stored files are whole.
    Approve,
    /// A caller that reads "forgotten" finds it so.
    Forget,
    /// Say that it is approved only where it is.
    Tell { approved: bool },
    /// Leave each file as it was or as it should be, and lose no hook of the person's (`mine.sh`).
    Write,
}

const NOTHING: Subject =
    Subject { name: "", files: &[], before: &[], changed: &[], run: AGENT, must: Must::Deny };

const AGENT: &str = "{entry}";
const USER: &str = "home/.config/tenterhook/tenterhook.toml";
const PROJECT: &str = "project/tenterhook.toml";
const SETTINGS: &str = "home/.claude/settings.json";

/// A hook of the person's that objects.
const NO: &str = "[hook.no]\non = 'PreToolUse'\ntimeout = '5s'\nshell = 'echo no >&2; exit 2'\nsandbox = 'off'\n";
/// A hook that answers in JSON and exits with 0: its answer takes effect, or nothing does.
const JSON: &str = r#"[hook.no]
on = 'PreToolUse'
timeout = '5s'
shell = '''printf '{"decision":"deny","reason":"no"}' '''
sandbox = 'off'
"#;
const YES: &str = "[hook.yes]\non = 'PreToolUse'\ntimeout = '5s'\nshell = 'cat >/dev/null; echo ran >{project}/ran'\nsandbox = 'off'\n";
/// Where a firing that is not on record may not go on.
const RECORDED: &str = "[record]\nrequired = true\n\n[hook.yes]\non = 'PreToolUse'\ntimeout = '5s'\n\
     shell = 'cat >/dev/null; echo ran >{project}/ran'\nsandbox = 'off'\n";
/// What a confined hook leaves outside of its sandbox is an escape, and its own number says whether it is in namespaces.
const CONFINED: &str = "[hook.no]\non = 'PreToolUse'\ntimeout = '5s'\nsandbox = 'standard'\n\
     shell = '(echo x >{home}/escaped) 2>/dev/null; echo no >&2; exit 2'\n";
const NAMESPACES: &str = "[hook.no]\non = 'PreToolUse'\ntimeout = '5s'\n\
     sandbox = { profile = 'standard', isolation_min = 'T2' }\n\
     shell = '(echo x >{home}/escaped) 2>/dev/null; echo \"no, as process $$.\" >&2; exit 2'\n";
const WORKER: &str = "[hook.no]\non = 'PreToolUse'\ntimeout = '5s'\nsandbox = 'off'\nworker = ['/bin/sh', '{home}/worker.sh']\n";
const WORKER_SCRIPT: &str = "while read -r line; do id=${line#*'\"id\":'}; id=${id%%[,\\}]*}; \
     echo '{\"id\":'\"$id\"',\"answer\":{\"decision\":\"deny\",\"reason\":\"no\"}}'; done\n";
const RULE: &str = "[hook.no]\non = 'PreToolUse'\nwhen = 'tool.name == \"Bash\"'\ndeny = 'no'\n";
const GATE: &str = "[hook.gate]\non = 'PreToolUse'\ntimeout = '5s'\nrun = ['./gate.sh']\n";
const GATE_SCRIPT: &str = "#!/bin/sh\necho ran >'{project}/ran'\necho no >&2\nexit 2\n";
const OTHER_SCRIPT: &str = "#!/bin/sh\necho ran >'{project}/ran'\n";
const MINE: &str = r#"{
  "model": "opus",
  "hooks": {
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "{home}/mine.sh"}]}]
  }
}
"#;
const APPROVED: &[&str] = &["trust --yes {digest}"];
const REPOSITORY: &[(&str, &str)] = &[(PROJECT, GATE), ("project/gate.sh", GATE_SCRIPT)];

const INSTALL: &str = "exec {program} install claude --program {program}";
const ADOPT: &str = "exec {program} install claude --adopt --program {program}";
const FIRE: &str = "exec {program} fire --dialect claude";

pub(super) const SUBJECTS: &[Subject] = &[
    Subject { name: "hook-deny", files: &[(USER, NO)], ..NOTHING },
    Subject { name: "hook-json", files: &[(USER, JSON)], ..NOTHING },
    Subject { name: "hook-rule", files: &[(USER, RULE)], ..NOTHING },
    Subject {
        name: "hook-worker",
        files: &[(USER, WORKER), ("home/worker.sh", WORKER_SCRIPT)],
        ..NOTHING
    },
    Subject { name: "hook-confined", files: &[(USER, CONFINED)], ..NOTHING },
    Subject { name: "hook-namespaces", files: &[(USER, NAMESPACES)], ..NOTHING },
    Subject { name: "hook-allow", files: &[(USER, YES)], must: Must::Hear, ..NOTHING },
    Subject {
        name: "hook-recorded",
        files: &[(USER, RECORDED)],
        must: Must::HearOnRecord,
        ..NOTHING
    },
    Subject { name: "hook-approved", files: REPOSITORY, before: APPROVED, ..NOTHING },
    Subject { name: "hook-unapproved", files: REPOSITORY, must: Must::Hold, ..NOTHING },
    Subject {
        name: "hook-changed",
        files: REPOSITORY,
        before: APPROVED,
        changed: &[("project/gate.sh", OTHER_SCRIPT)],
        must: Must::Hold,
        ..NOTHING
    },
    Subject { name: "fire-deny", files: &[(USER, NO)], run: FIRE, ..NOTHING },
    Subject {
        name: "fire-json",
        files: &[(USER, NO)],
        run: "exec {program} fire --dialect claude --format json",
        ..NOTHING
    },
    Subject { name: "fire-allow", files: &[(USER, YES)], run: FIRE, must: Must::Hear, ..NOTHING },
    Subject {
        name: "trust",
        files: REPOSITORY,
        run: "exec {program} trust --yes {digest}",
        must: Must::Approve,
        ..NOTHING
    },
    Subject {
        name: "trust-again",
        files: REPOSITORY,
        before: APPROVED,
        changed: &[("project/gate.sh", OTHER_SCRIPT)],
        run: "exec {program} trust --yes {digest}",
        must: Must::Approve,
    },
    Subject {
        name: "untrust",
        files: REPOSITORY,
        before: APPROVED,
        run: "exec {program} untrust --yes {digest}",
        must: Must::Forget,
        ..NOTHING
    },
    Subject {
        name: "status-approved",
        files: REPOSITORY,
        before: APPROVED,
        run: "exec {program} trust status",
        must: Must::Tell { approved: true },
        ..NOTHING
    },
    Subject {
        name: "status-unapproved",
        files: REPOSITORY,
        run: "exec {program} trust status",
        must: Must::Tell { approved: false },
        ..NOTHING
    },
    Subject {
        name: "install",
        files: &[(SETTINGS, MINE)],
        run: INSTALL,
        must: Must::Write,
        ..NOTHING
    },
    Subject {
        name: "uninstall",
        files: &[(SETTINGS, MINE)],
        before: &["install claude --program {program}"],
        run: "exec {program} uninstall claude",
        must: Must::Write,
        ..NOTHING
    },
    Subject { name: "adopt", files: &[(SETTINGS, MINE)], run: ADOPT, must: Must::Write, ..NOTHING },
    Subject {
        name: "unadopt",
        files: &[(SETTINGS, MINE)],
        before: &["install claude --adopt --program {program}"],
        run: "exec {program} uninstall claude",
        must: Must::Write,
        ..NOTHING
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subject_has_a_name_of_its_own() {
        let mut names: Vec<_> = SUBJECTS.iter().map(|subject| subject.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SUBJECTS.len());
    }
}
