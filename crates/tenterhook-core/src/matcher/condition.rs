//! The condition of a hook beside its matcher. Pure.

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::MatcherSpec;
use super::rule::{Call, Covers, PathAnchors, Reading, Rule, RuleFault, Selection};
use crate::compat::Compat;
use crate::event::Event;
use crate::rule::{CallQuestions, Expression, Incomplete, RuleInput};

/// A further condition that an event must meet, made once, when its config is read.
#[derive(Clone, Debug)]
pub struct Condition {
    text: String,
    test: Test,
}

/// What a condition tests.
#[derive(Clone, Debug)]
enum Test {
    /// One permission rule.
    Rule(Arc<RuleTest>),
    /// An expression over the event.
    When(Expression),
    /// What only a dialect knows.
    Custom(Custom),
    /// Several conditions that must all hold.
    All(Arc<[Condition]>),
    /// Several conditions of which one must hold.
    Any(Arc<[Condition]>),
}

/// A permission rule with what its paths and names mean.
#[derive(Clone, Debug)]
struct RuleTest {
    rule: Result<Rule, RuleFault>,
    reading: Reading,
    /// What `/` stands for in a path of the rule.
    base: PathBuf,
    /// What `~` stands for, where the event does not say.
    home: PathBuf,
    aliases: &'static [(&'static str, &'static str)],
}

/// A test that a dialect gives.
#[derive(Clone)]
struct Custom {
    test: Arc<dyn Fn(&Event) -> Picked + Send + Sync>,
    written: Option<String>,
    /// The matcher that tests the same.
    matcher: Option<MatcherSpec>,
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Custom")
    }
}

/// What a condition says of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picked {
    /// It does not hold: why.
    No(String),
    /// It holds.
    Exactly,
    /// It holds, but in a way that may only restrain: why an *allow* is ignored (S-9).
    Widely(String),
    /// It is unknown whether it holds: why (S-59).
    Failed(String),
}

/// One event as conditions see it: whatever many hooks ask, its command line is read once, also for
/// its rules.
pub struct MatchContext<'a> {
    event: &'a Event,
    rule_input: Arc<RuleInput>,
    call: Option<Call<'a>>,
    go_on: &'a dyn Fn() -> bool,
}

impl<'a> MatchContext<'a> {
    /// Creates the context of `event`.
    #[must_use]
    pub fn for_event(event: &'a Event) -> Self {
        Self::from_event_and_rule_input(
            event,
            Arc::new(RuleInput::new(&Arc::new(event.clone()))),
            &|| true,
        )
    }

    /// Creates a context that shares what rules see of the event. `go_on` returns false once the
    /// time is used up.
    #[must_use]
    pub fn from_shared_input(rule_input: &'a Arc<RuleInput>, go_on: &'a dyn Fn() -> bool) -> Self {
        Self::from_event_and_rule_input(rule_input.event(), Arc::clone(rule_input), go_on)
    }

    /// The event.
    #[must_use]
    pub const fn event(&self) -> &'a Event {
        self.event
    }

    fn from_event_and_rule_input(
        event: &'a Event,
        rule_input: Arc<RuleInput>,
        go_on: &'a dyn Fn() -> bool,
    ) -> Self {
        Self { event, call: Call::from_event(event, &rule_input, go_on), rule_input, go_on }
    }
}

impl fmt::Debug for MatchContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MatchContext").field("event", self.event).finish_non_exhaustive()
    }
}

impl Condition {
    /// Creates a condition from one permission rule; other text never holds (S-43).
    #[must_use]
    pub fn rule(text: &str, reading: Reading) -> Self {
        let rule = RuleTest {
            rule: Rule::parse(text),
            reading,
            base: PathBuf::new(),
            home: PathBuf::new(),
            aliases: &[],
        };
        Self { text: text.to_owned(), test: Test::Rule(Arc::new(rule)) }
    }

    /// Creates a condition from an expression over the event (S-58).
    #[must_use]
    pub fn when(expression: Expression) -> Self {
        Self { text: expression.text().to_owned(), test: Test::When(expression) }
    }

    /// Returns what it may ask of earlier calls (SS-15).
    pub(crate) fn call_questions(&self) -> CallQuestions {
        match &self.test {
            Test::When(expression) => expression.call_questions(),
            Test::All(inner) | Test::Any(inner) => inner.iter().map(Self::call_questions).collect(),
            Test::Rule(_) | Test::Custom(_) => CallQuestions::default(),
        }
    }

    /// Creates a condition from a function; `text` describes it for people.
    #[must_use]
    pub fn custom(
        text: impl Into<String>,
        test: impl Fn(&Event) -> Picked + Send + Sync + 'static,
    ) -> Self {
        let custom = Custom { test: Arc::new(test), written: None, matcher: None };
        Self { text: text.into(), test: Test::Custom(custom) }
    }

    /// Sets the matcher that tests the same, for a file in which the entry has a matcher.
    #[must_use]
    pub(crate) fn with_matcher(self, matcher: MatcherSpec) -> Self {
        let test = match self.test {
            Test::Custom(custom) => Test::Custom(Custom { matcher: Some(matcher), ..custom }),
            other @ (Test::Rule(_) | Test::When(_) | Test::All(_) | Test::Any(_)) => other,
        };
        Self { test, ..self }
    }

    /// Returns the matcher that tests the same as the whole condition, if there is one.
    pub(crate) const fn as_matcher(&self) -> Option<&MatcherSpec> {
        match &self.test {
            Test::Custom(custom) => custom.matcher.as_ref(),
            Test::Rule(_) | Test::When(_) | Test::All(_) | Test::Any(_) => None,
        }
    }

    /// Sets the TOML value that stands for the condition in a native file. Without one, it cannot
    /// be written to a native file.
    #[must_use]
    pub fn with_native_toml(self, toml: impl Into<String>) -> Self {
        let test = match self.test {
            Test::Custom(custom) => Test::Custom(Custom { written: Some(toml.into()), ..custom }),
            other @ (Test::Rule(_) | Test::When(_) | Test::All(_) | Test::Any(_)) => other,
        };
        Self { test, ..self }
    }

    /// Returns each part of the condition as a native file writes it.
    pub(crate) fn native_parts(&self) -> Vec<Written<'_>> {
        match &self.test {
            Test::Rule(_) => vec![Written::Rule(&self.text)],
            Test::When(expression) => vec![Written::When(expression.text())],
            Test::Custom(custom) => {
                vec![custom.written.as_deref().map_or(Written::Lost, Written::Toml)]
            }
            Test::All(conditions) => conditions.iter().flat_map(Self::native_parts).collect(),
            // A native file has a list of rules that must all hold, and none of alternatives.
            Test::Any(_) => vec![Written::Lost],
        }
    }

    /// Creates a condition that holds if all of `conditions` hold exactly, and holds widely if one
    /// of them does (S-9).
    #[must_use]
    pub fn all(conditions: Vec<Self>) -> Option<Self> {
        let texts: Vec<&str> = conditions.iter().map(Self::text).collect();
        let text = texts.join(" and ");
        match conditions.len() {
            0 | 1 => conditions.into_iter().next(),
            _ => Some(Self { text, test: Test::All(conditions.into()) }),
        }
    }

    /// Creates a condition that holds if one of `conditions` holds exactly, and holds widely if
    /// none does but one holds widely.
    #[must_use]
    pub fn any(text: impl Into<String>, conditions: Vec<Self>) -> Self {
        Self { text: text.into(), test: Test::Any(conditions.into()) }
    }

    /// Sets the directories that `/` and `~` stand for in the paths of a rule (S-55).
    #[must_use]
    pub fn with_base_and_home(self, base: &Path, home: &Path) -> Self {
        self.map_rules(|rule| RuleTest {
            base: base.to_path_buf(),
            home: home.to_path_buf(),
            ..rule
        })
    }

    /// Sets pairs of an old tool name and its current name, for rules.
    #[must_use]
    pub fn with_aliases(self, aliases: &'static [(&'static str, &'static str)]) -> Self {
        self.map_rules(|rule| RuleTest { aliases, ..rule })
    }

    fn map_rules(self, change: impl Fn(RuleTest) -> RuleTest + Copy) -> Self {
        let test = match self.test {
            Test::Rule(rule) => Test::Rule(Arc::new(change(Arc::unwrap_or_clone(rule)))),
            other @ (Test::Custom(_) | Test::When(_) | Test::All(_)) => other,
            Test::Any(conditions) => Test::Any(
                conditions.iter().map(|condition| condition.clone().map_rules(change)).collect(),
            ),
        };
        Self { test, ..self }
    }

    /// The text as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if some part of the condition is an expression.
    pub(crate) fn contains_expression(&self) -> bool {
        match &self.test {
            Test::When(_) => true,
            Test::Rule(_) | Test::Custom(_) => false,
            Test::All(conditions) | Test::Any(conditions) => {
                conditions.iter().any(Self::contains_expression)
            }
        }
    }

    /// Returns why the text is not a valid rule, if it is not.
    #[must_use]
    pub fn fault(&self) -> Option<&RuleFault> {
        match &self.test {
            Test::Rule(test) => test.rule.as_ref().err(),
            Test::Custom(_) | Test::When(_) => None,
            Test::All(conditions) | Test::Any(conditions) => {
                conditions.iter().find_map(Self::fault)
            }
        }
    }

    /// Whether it holds on `context`.
    ///
    /// Followed exactly, it holds where the agent's own would, and carries what the agent's own
    /// carries (S-52).
    #[must_use]
    pub fn pick(&self, context: &MatchContext<'_>, compat: Compat) -> Picked {
        self.pick_with_incomplete_lists(context, compat, Incomplete::Ignored)
    }

    /// Like [`Self::pick`]; `incomplete` states how expressions treat a line that cannot be read
    /// whole.
    #[must_use]
    pub fn pick_with_incomplete_lists(
        &self,
        context: &MatchContext<'_>,
        compat: Compat,
        incomplete: Incomplete,
    ) -> Picked {
        match &self.test {
            Test::Rule(test) => test.evaluate_rule(context, compat),
            Test::When(expression) => evaluate_expression(expression, context, incomplete),
            Test::Custom(custom) => (custom.test)(context.event),
            Test::All(conditions) => combine_all(
                conditions
                    .iter()
                    .map(|part| part.pick_with_incomplete_lists(context, compat, incomplete)),
            ),
            Test::Any(conditions) => combine_any(
                conditions
                    .iter()
                    .map(|part| part.pick_with_incomplete_lists(context, compat, incomplete)),
            ),
        }
    }
}

/// One part of a condition as a native file writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written<'c> {
    /// The text of a rule.
    Rule(&'c str),
    /// An expression.
    When(&'c str),
    /// A TOML value that means something beside `speaks`.
    Toml(&'c str),
    /// Not at all.
    Lost,
}

/// Evaluates an expression. The result does not say which command of a line matched, so with
/// several commands, an *allow* could apply to the wrong one (S-58).
fn evaluate_expression(
    expression: &Expression,
    context: &MatchContext<'_>,
    incomplete: Incomplete,
) -> Picked {
    match expression.holds_for_event(&context.rule_input, incomplete, context.go_on) {
        Ok(true) if context.rule_input.is_single_command() => Picked::Exactly,
        Ok(true) => Picked::Widely("the line holds more than one command that is known".to_owned()),
        Ok(false) => Picked::No("it is false of this event".to_owned()),
        Err(why) => Picked::Failed(why.to_string()),
    }
}

/// Combines parts that must all hold. A part that does not hold decides, then one whose result is
/// unknown.
fn combine_all(parts: impl Iterator<Item = Picked>) -> Picked {
    let mut all = Picked::Exactly;
    for part in parts {
        match (part, &all) {
            (no @ Picked::No(_), _) => return no,
            (Picked::Exactly, _) | (Picked::Widely(_), Picked::Failed(_)) => {}
            (part, _) => all = part,
        }
    }
    all
}

/// Combines parts of which one must hold. A part that holds exactly decides, then one that holds
/// widely, then one whose result is unknown.
fn combine_any(parts: impl Iterator<Item = Picked>) -> Picked {
    let mut any = Picked::No("none of its patterns holds".to_owned());
    for part in parts {
        match (part, &any) {
            (Picked::Exactly, _) => return Picked::Exactly,
            (Picked::No(_), _) | (Picked::Failed(_), Picked::Widely(_)) => {}
            (part, _) => any = part,
        }
    }
    any
}

impl RuleTest {
    fn evaluate_rule(&self, context: &MatchContext<'_>, compat: Compat) -> Picked {
        let rule = match &self.rule {
            Ok(rule) => rule,
            Err(fault) => return Picked::No(fault.to_string()),
        };
        let Some(call) = &context.call else {
            return Picked::No("the event is not about a tool call".to_owned());
        };
        let within = &context.event.within;
        let home = if within.home.as_os_str().is_empty() { &self.home } else { &within.home };
        let call = call.with_anchors_and_aliases(
            PathAnchors {
                cwd: within.cwd.to_str().unwrap_or_default(),
                base: self.base.to_str().unwrap_or_default(),
                home: home.to_str().filter(|home| !home.is_empty()),
            },
            self.aliases,
        );
        match (rule.selection_of_call(&call, self.reading), compat) {
            (Selection::Not(miss), _) => Picked::No(miss.to_string()),
            (Selection::Widened(widening), Compat::Exact) if !widening.agent_also_fires() => {
                Picked::No(format!("{widening}, which the agent does not look behind"))
            }
            (_, Compat::Exact) => Picked::Exactly,
            (Selection::Widened(widening), Compat::Guarded) => Picked::Widely(widening.to_string()),
            (Selection::Exact, Compat::Guarded) => match rule.covers_call(&call) {
                Covers::Every => Picked::Exactly,
                Covers::NotEvery { reason } => Picked::Widely(reason),
            },
        }
    }
}
