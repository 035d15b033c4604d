//! The private language of this repository as tables: names and phrases that new text must not use, what to write instead, and
//! the exceptions with their reasons. Data only.

/// A name or a phrase, as a regular expression, and what to write instead.
pub(super) struct Word {
    pub(super) pattern: &'static str,
    pub(super) instead: &'static str,
}

const fn word(pattern: &'static str, instead: &'static str) -> Word {
    Word { pattern, instead }
}

/// Items (functions, types, modules, ...) that must not have one of these names, in any case.
pub(super) const ITEMS: &[Word] = &[
    word("ground", "`directory`, `grant`, `reason`"),
    word("held", "`blocked`, `locked`, `owned`"),
    word("hear", "`parse_answer`, `read`, `receive`"),
    word("kept", "`stored`, `retained`, `history`"),
    word("leave", "`exemptions`, `exit`, `write`"),
    word("never", "`protected_paths`, or what is excluded"),
    word("obey", "`apply`"),
    word("of", "`new`, `from_...`, `parse`, or the noun that it returns"),
    word("owe", "`arm`, or what is pending"),
    word("places?", "`position`, `span`, `path`, `location`"),
    word("rooms?", "`module`, `scratch_dir`, `fixture`, `capacity`"),
    word("said", "`message`, `output`, `stated`"),
    word("says?", "`print`, `report`, `message`"),
    word("signs?", "`char`, `placeholder`, `signature`"),
    word("tells?", "`report`, `send`, `describe`"),
    word("words?", "`tokens`, `arguments`, `name`, `label`"),
];

/// Parts of identifiers, wherever one is used. A part ends at an underscore or where the case changes.
pub(super) const PARTS: &[Word] = &[
    word("told", "`reported`, `shown`, `received`"),
    word("heard", "`read`, `parsed`, `received`"),
    word("unheard", "`is_unknown`"),
    word("nobody", "name the actor, or say `no_reader`, `no_caller`"),
    word("whoever", "name the actor"),
];

/// Identifiers that have a better name already.
pub(super) const IDENTIFIERS: &[Word] = &[
    word("Fate", "`Arming`, `Outcome`"),
    word("goes_aside", "`runs_detached`"),
    word("is_meant", "`requires_terminal`"),
    word("obey", "`apply`"),
    word("owe", "`arm`"),
    word("stand_in", "`substitute`"),
];

/// Phrases of comments, texts and pages, in any case. White space stands for any white space.
pub(super) const PHRASES: &[Word] = &[
    word("nobody", "name the actor, or write `no caller`, `no process`"),
    word("whoever", "name the actor: `the caller`, `a process that`"),
    word("(?:is|are) none", "`there is no ...`"),
    word("is another", "`differs from`"),
    word("another one", "`a different ...`"),
    word("as ever", "leave it out"),
    word("not but", "`only`"),
    // `of its` alone is ordinary: `each of its hooks`.
    word("of (?:its|their|his) own", "`its own ...`, `separate`"),
    word("(?:is|are|was|were) said", "`is written`, `is reported`, `the text states`"),
    word("said of", "`reported about`"),
    word("told", "`reported`, `shown`, `passed to`; a hook receives"),
    word("heard", "`read`, `parsed`, `received`"),
    word("no more than", "`at most`, `only`"),
    word("who is", "name the actor"),
    word("does not count", "`is skipped`, `is ignored`"),
    word("count(?:s|ed)? as", "`is treated as`"),
    word("thought of", "`considered`"),
    word("left to (?:it|them|him|her|agents)", "say who does it"),
    word("without a word", "`silently`"),
    word("what stands", "`the content`, `the entry`"),
    word("where (?:it|that|they) stands?", "`its file and line`"),
    word("rooms?", "`module`, `scratch directory`, `fixture`, `capacity`"),
    word("signs?", "`character`, `placeholder`, `signature`"),
    word("time-outs?", "`timeout`"),
];

/// How no sentence begins.
pub(super) const BEGINNINGS: &[&str] = &["Who", "What is", "Of"];

/// Phrases that are the trade's own, and why.
pub(super) const ORDINARY: &[(&str, &str)] = &[
    ("trust sign", "the command"),
    ("to sign", "the verb: a key signs"),
    ("sign in", "the verb: a person logs in"),
    ("signs it", "the verb: a key signs"),
    ("key signs", "the verb: a key signs"),
    ("told apart", "ordinary English for `distinguished`"),
    ("told from", "ordinary English for `distinguished from`"),
    ("room for", "ordinary English for `space for`"),
    ("user nobody", "the Unix user"),
    ("nobody:nogroup", "the Unix user and its group"),
];

/// Files in which a name or a phrase is the trade's own, and why. An empty name stands for all.
pub(super) const FILES: &[(&str, &str, &str)] = &[
    ("xtask/src/tidy/gauges", "", "names the words that it counts"),
    ("docs/spec/coverage.md", "", "names of tests; each counts where it stands"),
    ("crates/tenterhook-shell/", "word", "a word of a shell line, as POSIX calls it"),
    ("crates/tenterhook-shell/", "Word", "a word of a shell line, as POSIX calls it"),
    ("crates/tenterhook-shell/", "words", "the words of a shell line, as POSIX calls them"),
    ("crates/tenterhook/src/trust.rs", "sign", "the verb: a key signs hooks"),
    ("crates/tenterhook/src/trust/", "sign", "the verb: a key signs hooks"),
    ("crates/tenterhook/src/trust/", "signs", "the verb: a key signs hooks"),
    ("crates/tenterhook-cli/src/command/trust/sign.rs", "sign", "the command"),
    ("crates/tenterhook-cli/src/command/trust.rs", "sign", "the command"),
    ("crates/tenterhook-cli/src/args/trust.rs", "sign", "the command"),
    ("crates/tenterhook-agent/src/face/terminal", "leave", "leaves the alternate screen"),
    ("crates/tenterhook-cli/tests/it/lock.rs", "sign", "the command, and the verb"),
    ("crates/tenterhook-cli/tests/it/messy.rs", "NOBODY", "the Unix user"),
    ("crates/tenterhook-cli/tests/it/fixture.rs", "NOBODY", "the Unix user"),
    ("e2e/src/soak.rs", "NOBODY", "the Unix user"),
    ("e2e/src/starved", "NOBODY", "the Unix user"),
];
