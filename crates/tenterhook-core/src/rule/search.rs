//! Is a regular expression found in a text? Its cost is metered: every stretch of text that is walked over, and
//! every state that has to be worked out (RU-33).
//!
//! The `regex` crate is linear in the text, and the factor is the size of the pattern: `(a|b)*a(a|b){500}` takes seconds for a
//! megabyte, and no caller can stop it. So this walks the crate's own lazy automaton a byte at a time.

use std::fmt;
use std::sync::{Arc, OnceLock};

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{self, Cache, DFA};
use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::pool::Pool;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::{Class, Hir, HirKind};

use super::bad_pattern::BadPattern;
use super::eval::Stop;
use super::outline::Outline;

/// Largest compiled pattern, in bytes (RU-33).
const LARGEST: usize = 1 << 20;
/// The same for one that an event says.
const LARGEST_SAID: usize = 1 << 18;
/// What an automaton may keep of what it worked out, in bytes.
const KEPT: usize = 1 << 18;
/// Deepest nest of groups.
const DEEPEST: u32 = 64;

/// How much text is paid for at once, and how much of it is one step.
const STRETCH: usize = 512;
const BYTES_A_STEP: usize = 8;
/// A state is worked out from all states of the pattern: how many of them are one step.
const STATES_A_STEP: usize = 4;

/// The author of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// It stands in the rule.
    InRule,
    /// The rule works it out from the event.
    InEvent,
}

/// A regular expression. A small one is parsed and compiled when it is first asked: most rules never come to their patterns.
pub(super) struct Search {
    text: Box<str>,
    outline: Option<Outline>,
    config: syntax::Config,
    written: Written,
    ahead: OnceLock<Result<Automaton, BadPattern>>,
    /// Finds where a match begins.
    back: OnceLock<Result<Automaton, BadPattern>>,
}

/// A regular expression, compiled for one direction.
struct Automaton {
    dfa: Arc<DFA>,
    /// What it has worked out.
    caches: Pool<Cache, MakeCache>,
}

type MakeCache = Box<dyn Fn() -> Cache + Send + Sync>;

/// The direction in which an automaton reads a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Ahead,
    Back,
}

/// Pays for work before it is done.
type Spend<'s> = &'s dyn Fn(usize) -> Result<(), Stop>;

/// Why a walk came to no end.
enum Lost {
    Stop(Stop),
    /// What a word is beyond ASCII, such an automaton cannot say.
    Unicode,
}

impl Automaton {
    fn new(
        tree: &Hir,
        utf8: bool,
        written: Written,
        direction: Direction,
    ) -> Result<Self, BadPattern> {
        let largest = if written == Written::InRule { LARGEST } else { LARGEST_SAID };
        let (captures, kind) = match direction {
            Direction::Ahead => (WhichCaptures::Implicit, MatchKind::LeftmostFirst),
            Direction::Back => (WhichCaptures::None, MatchKind::All),
        };
        let config = thompson::Config::new().utf8(utf8).reverse(direction == Direction::Back);
        let config = config.which_captures(captures).nfa_size_limit(Some(largest));
        let nfa = thompson::Compiler::new().configure(config).build_from_hir(tree);
        let config = dfa::Config::new().match_kind(kind).unicode_word_boundary(true);
        let config = config.cache_capacity(KEPT).skip_cache_capacity_check(true);
        let nfa = nfa.map_err(|_| BadPattern::TooLarge)?;
        let dfa = Arc::new(dfa::Builder::new().configure(config).build_from_nfa(nfa)?);
        let own = Arc::clone(&dfa);
        let make: MakeCache = Box::new(move || own.create_cache());
        Ok(Self { dfa, caches: Pool::new(make) })
    }
}

/// So many states are never too large, at some thirty bytes each; more are compiled with the rule, to see.
pub(super) const SMALL: usize = 4000;
/// A stretch of characters beyond ASCII is at most so many states.
const BEYOND_ASCII: usize = 64;

/// Returns an upper bound of the number of states of a pattern.
fn estimate_state_count(tree: &Hir) -> usize {
    let stretch = |is_ascii: bool| if is_ascii { 1 } else { BEYOND_ASCII };
    match tree.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Bytes(class)) => 1 + class.ranges().len(),
        HirKind::Class(Class::Unicode(class)) => {
            1 + class.ranges().iter().map(|range| stretch(range.end().is_ascii())).sum::<usize>()
        }
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1).saturating_add(1);
            estimate_state_count(&repetition.sub).saturating_add(2).saturating_mul(times as usize)
        }
        HirKind::Capture(capture) => estimate_state_count(&capture.sub).saturating_add(2),
        HirKind::Concat(trees) | HirKind::Alternation(trees) => {
            trees.iter().map(estimate_state_count).fold(2, usize::saturating_add)
        }
    }
}

impl Search {
    /// Compiles the regular expression `text`.
    pub(super) fn compile(text: &str, written: Written) -> Result<Self, BadPattern> {
        Self::build_with_config(text, syntax::Config::new(), Outline::read(text), written)
    }

    /// Compiles the regular expression of a glob: over bytes, and any byte is a character.
    pub(super) fn compile_glob_regex(text: &str, written: Written) -> Result<Self, BadPattern> {
        let config = syntax::Config::new().utf8(false).dot_matches_new_line(true);
        Self::build_with_config(text, config, None, written)
    }

    fn build_with_config(
        text: &str,
        config: syntax::Config,
        outline: Option<Outline>,
        written: Written,
    ) -> Result<Self, BadPattern> {
        let config = config.nest_limit(DEEPEST);
        let (ahead, back) = (OnceLock::new(), OnceLock::new());
        let search = Self { text: text.into(), outline, config, written, ahead, back };
        if search.outline.is_none_or(|outline| outline.states > SMALL) {
            let tree = search.parse()?;
            if estimate_state_count(&tree) > SMALL {
                for direction in [Direction::Ahead, Direction::Back] {
                    let built = search.automaton_of_tree(|| Ok(tree.clone()), direction);
                    built.as_ref().map_err(Clone::clone)?;
                }
            }
        }
        Ok(search)
    }

    fn parse(&self) -> Result<Hir, BadPattern> {
        Ok(syntax::parse_with(&self.text, &self.config)?)
    }

    fn automaton_of_tree(
        &self,
        tree: impl FnOnce() -> Result<Hir, BadPattern>,
        direction: Direction,
    ) -> &Result<Automaton, BadPattern> {
        let built = if direction == Direction::Ahead { &self.ahead } else { &self.back };
        built.get_or_init(|| {
            Automaton::new(&tree()?, self.config.get_utf8(), self.written, direction)
        })
    }

    fn automaton(&self, direction: Direction) -> Result<&Automaton, Stop> {
        let built = self.automaton_of_tree(|| self.parse(), direction);
        built.as_ref().map_err(|why| Stop::Failed(why.to_string()))
    }

    /// Returns true if a short look shows that nothing in the text matches.
    fn is_ruled_out(&self, text: &str, spend: Spend<'_>) -> Result<bool, Stop> {
        let outline = self.outline.as_ref().filter(|_| text.len() <= STRETCH);
        if !outline.is_some_and(|outline| outline.rules_out(text)) {
            return Ok(false);
        }
        spend(1 + text.len() / BYTES_A_STEP)?;
        Ok(true)
    }

    /// Returns true if the pattern matches anywhere in the text.
    pub(super) fn is_match(&self, text: &str, spend: Spend<'_>) -> Result<bool, Stop> {
        if self.is_ruled_out(text, spend)? {
            return Ok(false);
        }
        let ahead = self.automaton(Direction::Ahead)?;
        match ahead.find_match_end(text, Until::First, spend) {
            Ok(end) => Ok(end.is_some()),
            Err(Lost::Stop(stop)) => Err(stop),
            Err(Lost::Unicode) => Ok(ahead.find_with_slow_engine(text, spend)?.is_some()),
        }
    }

    /// Returns the first match.
    pub(super) fn find_first<'t>(
        &self,
        text: &'t str,
        spend: Spend<'_>,
    ) -> Result<Option<&'t str>, Stop> {
        if self.is_ruled_out(text, spend)? {
            return Ok(None);
        }
        let ahead = self.automaton(Direction::Ahead)?;
        let found = match ahead.find_match_end(text, Until::Last, spend) {
            Ok(Some(end)) => {
                let start = self.automaton(Direction::Back)?.find_match_start(text, end, spend);
                start.map(|start| start.map(|start| start..end))
            }
            Ok(None) => return Ok(None),
            Err(lost) => Err(lost),
        };
        match found {
            Ok(place) => Ok(place.and_then(|index| text.get(index))),
            Err(Lost::Stop(stop)) => Err(stop),
            Err(Lost::Unicode) => ahead.find_with_slow_engine(text, spend),
        }
    }
}

impl Automaton {
    /// Returns the end of the first match, or with `Until::First` the first position known to be in
    /// a match.
    fn find_match_end(
        &self,
        text: &str,
        until: Until,
        spend: Spend<'_>,
    ) -> Result<Option<usize>, Lost> {
        let input = Input::new(text);
        let start = |dfa: &DFA, cache: &mut Cache| dfa.start_state_forward(cache, &input).ok();
        let mut cache = self.caches.get();
        let mut walk = Walk::begin_walk(&self.dfa, &mut cache, spend, start)?;
        let mut last = None;
        for (at, stretch) in text.as_bytes().chunks(STRETCH).enumerate() {
            walk.spend_steps_for_bytes(stretch)?;
            for (within, byte) in stretch.iter().enumerate() {
                match walk.advance_by_byte(*byte)? {
                    Seen::Nothing => {}
                    Seen::Match => last = Some(at * STRETCH + within),
                    Seen::End => return Ok(last),
                }
                if last.is_some() && until == Until::First {
                    return Ok(last);
                }
            }
        }
        Ok(if walk.matches_at_text_end()? { Some(text.len()) } else { last })
    }

    /// Returns the start of the match that ends at `end`.
    fn find_match_start(
        &self,
        text: &str,
        end: usize,
        spend: Spend<'_>,
    ) -> Result<Option<usize>, Lost> {
        let input = Input::new(text).range(..end).anchored(Anchored::Yes);
        let start = |dfa: &DFA, cache: &mut Cache| dfa.start_state_reverse(cache, &input).ok();
        let mut cache = self.caches.get();
        let mut walk = Walk::begin_walk(&self.dfa, &mut cache, spend, start)?;
        let mut last = None;
        let mut at = end;
        for stretch in text.as_bytes().get(..end).unwrap_or_default().rchunks(STRETCH) {
            walk.spend_steps_for_bytes(stretch)?;
            for byte in stretch.iter().rev() {
                match walk.advance_by_byte(*byte)? {
                    Seen::Nothing => {}
                    Seen::Match => last = Some(at),
                    Seen::End => return Ok(last),
                }
                at -= 1;
            }
        }
        Ok(if walk.matches_at_text_end()? { Some(0) } else { last })
    }

    /// Finds the first match with an engine that knows Unicode words, but may visit every state for
    /// every byte.
    fn find_with_slow_engine<'t>(
        &self,
        text: &'t str,
        spend: Spend<'_>,
    ) -> Result<Option<&'t str>, Stop> {
        let nfa = self.dfa.get_nfa().clone();
        spend(nfa.states().len().saturating_mul(text.len()) / BYTES_A_STEP)?;
        let Ok(slow) = PikeVM::new_from_nfa(nfa) else { return Ok(None) };
        let found = slow.find(&mut slow.create_cache(), text);
        Ok(found.and_then(|found| text.get(found.range())))
    }
}

/// How far a search goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// To the first place that is in a match.
    First,
    /// To the end of the match.
    Last,
}

/// What one byte shows. An automaton says that there is a match when it sees the byte behind it.
enum Seen {
    Nothing,
    Match,
    End,
}

/// One automaton on its way over a text.
struct Walk<'w> {
    dfa: &'w DFA,
    cache: &'w mut Cache,
    spend: Spend<'w>,
    state: LazyStateID,
}

impl<'w> Walk<'w> {
    fn begin_walk(
        dfa: &'w DFA,
        cache: &'w mut Cache,
        spend: Spend<'w>,
        start: impl Fn(&DFA, &mut Cache) -> Option<LazyStateID>,
    ) -> Result<Self, Lost> {
        spend(state_cost(dfa)).map_err(Lost::Stop)?;
        let state = start(dfa, cache).ok_or(Lost::Unicode)?;
        Ok(Self { dfa, cache, spend, state })
    }

    fn spend_steps_for_bytes(&self, stretch: &[u8]) -> Result<(), Lost> {
        (self.spend)(stretch.len() / BYTES_A_STEP).map_err(Lost::Stop)
    }

    fn advance_by_byte(&mut self, byte: u8) -> Result<Seen, Lost> {
        let next = if self.state.is_tagged() {
            self.advance_from_match(byte)?
        } else {
            match self.dfa.next_state_untagged(self.cache, self.state, byte) {
                next if next.is_unknown() => {
                    (self.spend)(state_cost(self.dfa)).map_err(Lost::Stop)?;
                    self.next_state(byte)?
                }
                next => next,
            }
        };
        self.state = next;
        match next {
            state if state.is_match() => Ok(Seen::Match),
            state if state.is_dead() => Ok(Seen::End),
            state if state.is_quit() => Err(Lost::Unicode),
            _ => Ok(Seen::Nothing),
        }
    }

    /// Steps from a matching state. There the crate does not report whether the next state is
    /// cached, so its cost is counted afterwards.
    fn advance_from_match(&mut self, byte: u8) -> Result<LazyStateID, Lost> {
        let before = self.cache.memory_usage();
        let next = self.next_state(byte)?;
        let steps = if self.cache.memory_usage() == before { 1 } else { state_cost(self.dfa) };
        (self.spend)(steps).map_err(Lost::Stop)?;
        Ok(next)
    }

    fn next_state(&mut self, byte: u8) -> Result<LazyStateID, Lost> {
        self.dfa.next_state(self.cache, self.state, byte).map_err(|_| Lost::Unicode)
    }

    /// Returns true if a match ends at the end of the text.
    fn matches_at_text_end(&mut self) -> Result<bool, Lost> {
        (self.spend)(state_cost(self.dfa)).map_err(Lost::Stop)?;
        let state = self.dfa.next_eoi_state(self.cache, self.state).map_err(|_| Lost::Unicode)?;
        Ok(state.is_match())
    }
}

/// Returns the maximum cost of computing one state.
fn state_cost(dfa: &DFA) -> usize {
    1 + dfa.get_nfa().states().len() / STATES_A_STEP
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Search({})", self.text)
    }
}
