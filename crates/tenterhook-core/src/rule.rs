//! What does a rule say of an event? A rule is a hook without a process: an expression, and what it says when it holds.
//!
//! Pure: a rule sees the event and nothing else. It is compiled once, at first use; what cannot be compiled, cannot be
//! evaluated or would cost too much is a value, and the hook's failure policy decides (RU-1 to RU-35 of
//! `docs/spec/exec-rule.md`). Without the feature `rule` a rule is text without an evaluator.

mod expression;
mod flaw;
mod input;

#[cfg(feature = "rule")]
mod ask;
#[cfg(feature = "rule")]
mod bad_pattern;
#[cfg(feature = "rule")]
mod cases;
#[cfg(feature = "rule")]
mod compiled;
#[cfg(feature = "rule")]
mod eval;
#[cfg(feature = "rule")]
mod expr;
#[cfg(feature = "rule")]
mod files;
#[cfg(feature = "rule")]
mod functions;
#[cfg(feature = "rule")]
mod history;
#[cfg(feature = "rule")]
mod looped;
#[cfg(feature = "rule")]
mod lower;
#[cfg(feature = "rule")]
mod macros;
#[cfg(feature = "rule")]
mod operate;
#[cfg(feature = "rule")]
mod outline;
#[cfg(feature = "rule")]
mod parse;
#[cfg(feature = "rule")]
mod path;
#[cfg(feature = "rule")]
mod punctuation;
#[cfg(feature = "rule")]
mod quick;
#[cfg(feature = "rule")]
mod search;
#[cfg(feature = "rule")]
mod secret;
#[cfg(feature = "rule")]
mod seen;
#[cfg(feature = "rule")]
mod template;
#[cfg(feature = "rule")]
mod value;
#[cfg(feature = "rule")]
mod vocabulary;

#[cfg(test)]
#[cfg(feature = "rule")]
mod tests;

use std::fmt;
use std::sync::Arc;

#[cfg(feature = "rule")]
use crate::answer::Mark;

pub use expression::Expression;
#[cfg(feature = "rule")]
pub use files::{FilesTouched, Skips, Tree, files_touched};
pub use flaw::{Flaw, Part};
#[cfg(feature = "rule")]
pub use history::call_id;
#[cfg(feature = "rule")]
pub use history::{
    CallEnd, HistoryLines, HistoryReader, LazyHistory, PastCall, SessionHistory, UnusableHistory,
};
#[cfg(feature = "rule")]
pub use input::Files;
pub(crate) use input::SharedLine;
pub use input::{Incomplete, RuleInput};

/// A rule: an expression, and what it says when it holds (RU-1).
#[derive(Clone, Default)]
pub struct Rule {
    texts: Texts,
    #[cfg(feature = "rule")]
    compiled: Arc<std::sync::OnceLock<Result<compiled::Compiled, Vec<Flaw>>>>,
}

/// The texts of a rule.
#[derive(Clone, Default, PartialEq, Eq)]
struct Texts {
    when: Arc<str>,
    deny: Option<Arc<str>>,
    ask: Option<Arc<str>>,
    context: Option<Arc<str>>,
    rewrite: Option<Arc<str>>,
    clear: Option<Arc<str>>,
    label: Option<Arc<str>>,
    count: Option<Arc<str>>,
    doubt: Option<Doubt>,
}

impl Texts {
    /// Returns how such a rule treats a line that cannot be read whole if it does not say so (RU-42).
    const fn default_doubt(&self) -> Doubt {
        match self.deny.is_some() || self.ask.is_some() || self.rewrite.is_some() {
            true => Doubt::Fault,
            false => Doubt::Ignore,
        }
    }

    #[cfg(feature = "rule")]
    fn effective_doubt(&self) -> Doubt {
        self.doubt.unwrap_or_else(|| self.default_doubt())
    }

    fn doubt_setting(&self) -> Option<Doubt> {
        self.doubt.filter(|doubt| *doubt == Doubt::Ignore || *doubt != self.default_doubt())
    }
}

/// What a rule makes of a line that cannot be read whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// What depends on the unread part is unknown: the default of rules that deny, ask or rewrite
    /// (RU-40).
    Fault,
    /// It judges what was read (RU-45).
    Ignore,
}

impl Doubt {
    /// Every setting, the usual one first.
    pub const ALL: [Self; 2] = [Self::Fault, Self::Ignore];
    /// The key of a native file.
    pub const KEY: &str = "doubt";

    /// Returns the value of the key.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Fault => "fault",
            Self::Ignore => "ignore",
        }
    }
}

impl Rule {
    /// Creates a rule that holds if the expression `when` is true. It has no effect yet.
    #[must_use]
    pub fn new(when: &str) -> Self {
        Self::from_texts(Texts { when: when.into(), ..Texts::default() })
    }

    /// Sets one part of the rule; the text of [`Part::When`] is the expression itself.
    #[must_use]
    pub fn with_part(self, part: Part, text: &str) -> Self {
        let mut texts = self.texts;
        let text: Arc<str> = text.into();
        match part {
            Part::When => texts.when = text,
            Part::Deny => texts.deny = Some(text),
            Part::Ask => texts.ask = Some(text),
            Part::Context => texts.context = Some(text),
            Part::Rewrite => texts.rewrite = Some(text),
            Part::Clear => texts.clear = Some(text),
            Part::Label => texts.label = Some(text),
            Part::Count => texts.count = Some(text),
        }
        Self::from_texts(texts)
    }

    fn from_texts(texts: Texts) -> Self {
        Self {
            texts,
            #[cfg(feature = "rule")]
            compiled: Arc::default(),
        }
    }

    /// Denies with this reason.
    #[must_use]
    pub fn deny(self, text: &str) -> Self {
        self.with_part(Part::Deny, text)
    }

    /// Asks the user with this reason.
    #[must_use]
    pub fn ask(self, text: &str) -> Self {
        self.with_part(Part::Ask, text)
    }

    /// Adds this text to the context of the model.
    #[must_use]
    pub fn context(self, text: &str) -> Self {
        self.with_part(Part::Context, text)
    }

    /// Replaces the tool output, the tool input or the prompt with the value of this expression.
    #[must_use]
    pub fn rewrite(self, expression: &str) -> Self {
        self.with_part(Part::Rewrite, expression)
    }

    /// Sets how the rule treats a line that cannot be read whole (RU-45).
    #[must_use]
    pub(crate) fn with_doubt(self, doubt: Doubt) -> Self {
        Self::from_texts(Texts { doubt: Some(doubt), ..self.texts })
    }

    /// Returns how the rule treats a line that cannot be read whole, if it sets anything but the
    /// default of such a rule.
    #[must_use]
    pub fn doubt_setting(&self) -> Option<Doubt> {
        self.texts.doubt_setting()
    }

    /// Returns true if a text of the rule contains `name`. Then the rule may use that name.
    #[must_use]
    pub fn mentions(&self, name: &str) -> bool {
        self.evaluated_texts().any(|text| text.contains(name))
    }

    /// Returns the texts that are expressions, or have some.
    fn evaluated_texts(&self) -> impl Iterator<Item = &str> {
        let Texts { when, deny, ask, context, rewrite, .. } = &self.texts;
        [Some(when), deny.as_ref(), ask.as_ref(), context.as_ref(), rewrite.as_ref()]
            .into_iter()
            .flatten()
            .map(|text| &**text)
    }

    /// Returns the expression as written.
    #[must_use]
    pub fn when_expression(&self) -> &str {
        &self.texts.when
    }

    /// Returns the text of `part`, if there is one.
    #[must_use]
    pub fn part_text(&self, part: Part) -> Option<&str> {
        match part {
            Part::When => Some(&self.texts.when),
            Part::Deny => self.texts.deny.as_deref(),
            Part::Ask => self.texts.ask.as_deref(),
            Part::Context => self.texts.context.as_deref(),
            Part::Rewrite => self.texts.rewrite.as_deref(),
            Part::Clear => self.texts.clear.as_deref(),
            Part::Label => self.texts.label.as_deref(),
            Part::Count => self.texts.count.as_deref(),
        }
    }

    /// Returns what the rule changes in the session, in the order in which it applies (SS-3).
    #[cfg(feature = "rule")]
    fn marks(&self) -> Vec<Mark> {
        let Texts { clear, label, count, .. } = &self.texts;
        let clear = clear.iter().map(|name| Mark::Clear(Arc::clone(name)));
        let label = label.iter().map(|name| Mark::Label(Arc::clone(name)));
        let count = count.iter().map(|name| Mark::Count(Arc::clone(name)));
        clear.chain(label).chain(count).collect()
    }

    /// Returns true if the rule sets a label, counts or clears (SS-1).
    #[must_use]
    pub fn changes_session(&self) -> bool {
        Part::MARKS.iter().any(|part| self.part_text(*part).is_some())
    }

    /// Returns what the rule may ask of earlier calls (SS-15).
    #[must_use]
    pub fn call_questions(&self) -> CallQuestions {
        self.evaluated_texts().map(CallQuestions::of_expression).collect()
    }
}

#[cfg(feature = "rule")]
impl Rule {
    /// Returns every problem of the rule that can be found without an event; empty if the rule can
    /// be used.
    #[must_use]
    pub fn check(&self) -> &[Flaw] {
        match self.compiled_rule() {
            Ok(_) => &[],
            Err(flaws) => flaws,
        }
    }

    /// What the rule says of what it sees. `go_on` is asked now and then whether there is still time.
    ///
    /// A rule that holds and restrains does so even where the rest of what it says has no value; the answer's `failure` tells of
    /// that (RU-6).
    ///
    /// # Errors
    ///
    /// A rule that cannot be compiled or evaluated, or costs too much, gives no answer.
    pub fn evaluate_or_silent(
        &self,
        rule_input: &RuleInput,
        go_on: &dyn Fn() -> bool,
    ) -> Result<crate::answer::Answer, Unsettled> {
        self.evaluate(rule_input, Incomplete::Ignored, go_on).map(Option::unwrap_or_default)
    }

    /// The answer of the rule; `None` where its expression is false. `incomplete` is what a line that cannot be read whole means.
    ///
    /// # Errors
    ///
    /// As [`Self::evaluate_or_silent`]; with [`Incomplete::Unknown`] also where the expression depends on what was not read (RU-40).
    pub fn evaluate(
        &self,
        rule_input: &RuleInput,
        incomplete: Incomplete,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Option<crate::answer::Answer>, Unsettled> {
        // To compile it takes time, too.
        if !go_on() {
            return Err(Unsettled::OutOfTime);
        }
        match self.compiled_rule() {
            Ok(compiled) => {
                let incomplete = match self.texts.effective_doubt() {
                    Doubt::Fault => incomplete,
                    Doubt::Ignore => Incomplete::Ignored,
                };
                compiled.evaluate(rule_input, incomplete, go_on)
            }
            Err(flaws) => Err(Unsettled::Broken(flaws.first().map_or_else(
                || "it cannot be compiled".to_owned(),
                |flaw| format!("`{}`: {}", flaw.part.key(), flaw.message),
            ))),
        }
    }

    fn compiled_rule(&self) -> &Result<compiled::Compiled, Vec<Flaw>> {
        self.compiled.get_or_init(|| compiled::compile_rule(self))
    }
}

/// What rules and conditions ask of earlier calls of the session (SS-15).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallQuestions {
    /// Whether they ask for calls or written files at all.
    pub calls: bool,
    /// Whether they ask for the programs of calls.
    pub programs: bool,
    /// Whether they ask for written files.
    pub writes: bool,
}

impl CallQuestions {
    /// Returns what an expression may ask, by its words. It may ask less: then more is noted of calls
    /// than a rule asks for.
    fn of_expression(expression: &str) -> Self {
        let asks = |word: &str| expression.contains(word);
        if !asks("session") {
            return Self::default();
        }
        let writes = asks("writes") || asks("wrote");
        Self { calls: writes || asks("calls") || asks("last"), programs: asks("programs"), writes }
    }
}

impl FromIterator<Self> for CallQuestions {
    fn from_iter<I: IntoIterator<Item = Self>>(questions: I) -> Self {
        questions.into_iter().fold(Self::default(), |all, more| Self {
            calls: all.calls || more.calls,
            programs: all.programs || more.programs,
            writes: all.writes || more.writes,
        })
    }
}

/// Why a rule or an expression gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsettled {
    /// It cannot be compiled.
    Broken(String),
    /// It could not be evaluated on this event: the expression and what went wrong.
    Failed(String),
    /// It would take more steps than a rule may.
    TooCostly(String),
    /// There was no more time.
    OutOfTime,
}

impl fmt::Display for Unsettled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(why) | Self::Failed(why) | Self::TooCostly(why) => f.write_str(why),
            Self::OutOfTime => f.write_str("its time is up"),
        }
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

/// Approvals of a repository's rules are of this text: a part that a rule does not have must not show.
impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { when, deny, ask, context, rewrite, clear, label, count, doubt: _ } = self;
        let mut texts = f.debug_struct("Texts");
        texts.field("when", when).field("deny", deny).field("ask", ask).field("context", context);
        texts.field("rewrite", rewrite).field("doubt", &self.doubt_setting());
        for (key, text) in [("clear", clear), ("label", label), ("count", count)] {
            if let Some(text) = text {
                texts.field(key, text);
            }
        }
        texts.finish()
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.texts.fmt(f)
    }
}
