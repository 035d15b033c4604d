//! The condition of a hook beside its matcher. Pure.

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::rule::{Call, Covers, PathAnchors, Reading, Rule, RuleFault, Selection};
use crate::compat::Compat;
use crate::event::Event;
use crate::rule::{Expression, Incomplete, RuleInput};

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
    /// The context of `event`.
    #[must_use]
    pub fn for_event(event: &'a Event) -> Self {
        Self::new(event, Arc::new(RuleInput::new(&Arc::new(event.clone()))), &|| true)
    }

    /// The same for what rules see of an event, too; `go_on` is asked now and then whether there is
    /// still time.
    #[must_use]
    pub fn sharing(rule_input: &'a Arc<RuleInput>, go_on: &'a dyn Fn() -> bool) -> Self {
        Self::new(rule_input.event(), Arc::clone(rule_input), go_on)
    }

    /// The event.
    #[must_use]
    pub const fn event(&self) -> &'a Event {
        self.event
    }

    fn new(event: &'a Event, rule_input: Arc<RuleInput>, go_on: &'a dyn Fn() -> bool) -> Self {
        Self { event, call: Call::from_event(event, &rule_input, go_on), rule_input, go_on }
    }
}

impl fmt::Debug for MatchContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MatchContext").field("event", self.event).finish_non_exhaustive()
    }
}

impl Condition {
    /// One permission rule; any other text never holds (S-43).
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

    /// An expression over the event (S-58).
    #[must_use]
    pub fn when(expression: Expression) -> Self {
        Self { text: expression.text().to_owned(), test: Test::When(expression) }
    }

    /// A test that is no permission rule: `text` is what people read of it.
    #[must_use]
    pub fn custom(
        text: impl Into<String>,
        test: impl Fn(&Event) -> Picked + Send + Sync + 'static,
    ) -> Self {
        let custom = Custom { test: Arc::new(test), written: None };
        Self { text: text.into(), test: Test::Custom(custom) }
    }

    /// With the TOML value that a native file gives for it beside `speaks`; without one it stands
    /// in no native file.
    #[must_use]
    pub fn written_as(self, toml: impl Into<String>) -> Self {
        let test = match self.test {
            Test::Custom(custom) => Test::Custom(Custom { written: Some(toml.into()), ..custom }),
            other @ (Test::Rule(_) | Test::When(_) | Test::All(_) | Test::Any(_)) => other,
        };
        Self { test, ..self }
    }

    /// Each of its parts as a native file writes it.
    pub(crate) fn written(&self) -> Vec<Written<'_>> {
        match &self.test {
            Test::Rule(_) => vec![Written::Rule(&self.text)],
            Test::When(expression) => vec![Written::When(expression.text())],
            Test::Custom(custom) => {
                vec![custom.written.as_deref().map_or(Written::Lost, Written::Toml)]
            }
            Test::All(conditions) => conditions.iter().flat_map(Self::written).collect(),
            // A native file has a list of rules that must all hold, and none of alternatives.
            Test::Any(_) => vec![Written::Lost],
        }
    }

    /// All of `conditions`: it holds exactly where each does, and widely where one does (S-9).
    #[must_use]
    pub fn all(conditions: Vec<Self>) -> Option<Self> {
        let texts: Vec<&str> = conditions.iter().map(Self::text).collect();
        let text = texts.join(" and ");
        match conditions.len() {
            0 | 1 => conditions.into_iter().next(),
            _ => Some(Self { text, test: Test::All(conditions.into()) }),
        }
    }

    /// One of `conditions`: it holds exactly where one does, and widely where none does and one
    /// holds widely.
    #[must_use]
    pub fn any(text: impl Into<String>, conditions: Vec<Self>) -> Self {
        Self { text: text.into(), test: Test::Any(conditions.into()) }
    }

    /// With the directories that `/` and `~` stand for in a path of a rule (S-55).
    #[must_use]
    pub fn at(self, base: &Path, home: &Path) -> Self {
        self.with(|rule| RuleTest { base: base.to_path_buf(), home: home.to_path_buf(), ..rule })
    }

    /// With pairs of an old tool name and the present one, for a rule.
    #[must_use]
    pub fn with_aliases(self, aliases: &'static [(&'static str, &'static str)]) -> Self {
        self.with(|rule| RuleTest { aliases, ..rule })
    }

    fn with(self, change: impl Fn(RuleTest) -> RuleTest + Copy) -> Self {
        let test = match self.test {
            Test::Rule(rule) => Test::Rule(Arc::new(change(Arc::unwrap_or_clone(rule)))),
            other @ (Test::Custom(_) | Test::When(_) | Test::All(_)) => other,
            Test::Any(conditions) => Test::Any(
                conditions.iter().map(|condition| condition.clone().with(change)).collect(),
            ),
        };
        Self { test, ..self }
    }

    /// The text as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether an expression has a part in it.
    pub(crate) fn asks_an_expression(&self) -> bool {
        match &self.test {
            Test::When(_) => true,
            Test::Rule(_) | Test::Custom(_) => false,
            Test::All(conditions) | Test::Any(conditions) => {
                conditions.iter().any(Self::asks_an_expression)
            }
        }
    }

    /// Why the text is no rule.
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
        self.pick_for(context, compat, Incomplete::Ignored)
    }

    /// The same, with what a line that cannot be read whole means to its expressions.
    #[must_use]
    pub fn pick_for(
        &self,
        context: &MatchContext<'_>,
        compat: Compat,
        incomplete: Incomplete,
    ) -> Picked {
        match &self.test {
            Test::Rule(test) => test.pick(context, compat),
            Test::When(expression) => of_expression(expression, context, incomplete),
            Test::Custom(custom) => (custom.test)(context.event),
            Test::All(conditions) => {
                all(conditions.iter().map(|part| part.pick_for(context, compat, incomplete)))
            }
            Test::Any(conditions) => {
                any(conditions.iter().map(|part| part.pick_for(context, compat, incomplete)))
            }
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

/// The result of an expression. It does not name the command of a line that it matched, so with
/// several commands, an *allow* could apply to the wrong one (S-58).
fn of_expression(
    expression: &Expression,
    context: &MatchContext<'_>,
    incomplete: Incomplete,
) -> Picked {
    match expression.holds(&context.rule_input, incomplete, context.go_on) {
        Ok(true) if context.rule_input.is_one_thing() => Picked::Exactly,
        Ok(true) => Picked::Widely("the line holds more than one command that is known".to_owned()),
        Ok(false) => Picked::No("it is false of this event".to_owned()),
        Err(why) => Picked::Failed(why.to_string()),
    }
}

/// All must hold: one that does not decides, then one whose result is unknown.
fn all(parts: impl Iterator<Item = Picked>) -> Picked {
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

/// One must hold: one that does decides, then one that does widely, then one whose result is
/// unknown.
fn any(parts: impl Iterator<Item = Picked>) -> Picked {
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
    fn pick(&self, context: &MatchContext<'_>, compat: Compat) -> Picked {
        let rule = match &self.rule {
            Ok(rule) => rule,
            Err(fault) => return Picked::No(fault.to_string()),
        };
        let Some(call) = &context.call else {
            return Picked::No("the event is not about a tool call".to_owned());
        };
        let within = &context.event.within;
        let home = if within.home.as_os_str().is_empty() { &self.home } else { &within.home };
        let call = call.placed(
            PathAnchors {
                cwd: within.cwd.to_str().unwrap_or_default(),
                base: self.base.to_str().unwrap_or_default(),
                home: home.to_str().filter(|home| !home.is_empty()),
            },
            self.aliases,
        );
        match (rule.select(&call, self.reading), compat) {
            (Selection::Not(miss), _) => Picked::No(miss.to_string()),
            (Selection::Widened(widening), Compat::Exact) if !widening.is_agents_own() => {
                Picked::No(format!("{widening}, which the agent does not look behind"))
            }
            (_, Compat::Exact) => Picked::Exactly,
            (Selection::Widened(widening), Compat::Guarded) => Picked::Widely(widening.to_string()),
            (Selection::Exact, Compat::Guarded) => match rule.covers(&call) {
                Covers::Every => Picked::Exactly,
                Covers::NotEvery { reason } => Picked::Widely(reason),
            },
        }
    }
}
