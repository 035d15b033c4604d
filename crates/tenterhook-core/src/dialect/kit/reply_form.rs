//! Reads answers in the form of the replies that an agent accepts: the agent's reply table is read
//! backwards, with the fields that only hooks send. `denial` looks for denials that the agent would
//! lose.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::{Map, Value};

use super::answer;
use super::call::Vocabulary;
use super::denial::{self, Halt, Hearing, Home};
use super::reply::phrases::PowerPhrase;
use super::reply::{Part, Phrase, Replies};
use super::unread::Unread;
use crate::answer::{Answer, Failure, Power, Restraint, Stop};
use crate::diagnostic::Code;
use crate::dialect::EventRow;
use crate::dialect::typed::value_kind;
use crate::event::Event;
use crate::report::{End, Report};
use crate::strict;

/// The answers that one agent reads.
pub(crate) struct ReplyForm {
    pub(crate) words: &'static Vocabulary,
    /// The replies that it accepts.
    pub(crate) replies: &'static Replies,
    /// Phrases that it also accepts, and that our replies never use.
    pub(crate) more: &'static [(&'static str, &'static [PowerPhrase])],
    /// Synonyms: a value, and the value that it stands for.
    pub(crate) same: &'static [(&'static str, &'static str)],
    /// Keys that it reads and that mean nothing here.
    pub(crate) carried: &'static [&'static str],
    /// Which part of the output it parses.
    pub(crate) part: for<'a> fn(&'a [u8], &'a str) -> Cow<'a, [u8]>,
    /// An input that a hook wrote, in neutral words.
    pub(crate) input: fn(&Vocabulary, &Event, &Value) -> Value,
    /// Whether an object is an answer at that exit code; an object that is not an answer is treated
    /// as text.
    pub(crate) counts: fn(&EventRow, i32, &Map<String, Value>) -> bool,
    /// What an end without an object means.
    pub(crate) ended: fn(&Ended<'_>) -> Answer,
    pub(crate) denial: denial::Protocol,
}

impl ReplyForm {
    /// The usual form, for a hook whose whole output is one object.
    pub(crate) const fn new(words: &'static Vocabulary, replies: &'static Replies) -> Self {
        Self {
            words,
            replies,
            more: &[],
            same: &[],
            carried: &[],
            part: whole_stdout,
            input: |words, event, input| words.to_neutral_input(event, input),
            counts: accept_every_object,
            ended: |output| output.answer_by_usual_exit_codes(),
            denial: denial::Protocol {
                halt: Halt::Foreign,
                tells: true,
                ..denial::Protocol::PLAIN
            },
        }
    }
}

/// The exit and output of a hook that printed no answer object.
pub(crate) struct Ended<'a> {
    pub(crate) row: &'a EventRow,
    pub(crate) code: i32,
    /// Standard output, without the space round it.
    pub(crate) stdout: &'a str,
    pub(crate) stderr: &'a str,
}

impl Ended<'_> {
    /// Returns `true` if the event can be denied.
    pub(crate) const fn can_be_denied(&self) -> bool {
        self.row.powers.has(Power::Deny)
    }

    /// Returns a failure with the exit code and the text of stderr.
    pub(crate) fn failed_answer(&self) -> Answer {
        let failure = Some(answer::exit_code_failure(self.code, self.stderr));
        Answer { failure, ..Answer::default() }
    }

    /// Returns what an exit code means to most of these agents: 2 with a text on stderr denies, and
    /// any other nonzero code fails.
    pub(crate) fn answer_by_usual_exit_codes(&self) -> Answer {
        match self.code {
            0 => Answer::default(),
            2 if self.can_be_denied() && !self.stderr.is_empty() => Answer::deny(self.stderr),
            _ => self.failed_answer(),
        }
    }
}

/// Returns `true`: every object is an answer.
pub(crate) const fn accept_every_object(_: &EventRow, _: i32, _: &Map<String, Value>) -> bool {
    true
}

/// Returns all of standard output.
pub(crate) fn whole_stdout<'a>(stdout: &'a [u8], _: &'a str) -> Cow<'a, [u8]> {
    stdout.into()
}

/// Returns the event table, with the powers that the accepted phrases give each event.
pub(crate) fn rows_with_powers(form: &ReplyForm, rows: &[EventRow]) -> Vec<EventRow> {
    let rows = rows.iter().map(|row| {
        let powers =
            form.accepted_phrases(&row.name).fold(row.powers, |all, (power, _)| all.with(*power));
        EventRow { powers, ..row.clone() }
    });
    rows.collect()
}

/// Returns the same table for an agent with one default timeout.
pub(crate) fn rows_with_timeout(
    form: &ReplyForm,
    rows: &[EventRow],
    timeout: Duration,
) -> Vec<EventRow> {
    rows_with_powers(form, rows).into_iter().map(|row| row.timeout(timeout)).collect()
}

/// Reads the report of a hook.
pub(crate) fn read_report(
    form: &'static ReplyForm,
    event: &Event,
    row: &EventRow,
    report: &Report,
) -> Answer {
    let (stdout, stderr) = match answer::output_streams(report) {
        Ok(streams) => streams,
        Err(answer) => return answer.clone(),
    };
    let reading = strict::read_output(&strip_line_prefixes(stdout, form.replies.lead));
    let exact = match (report.failure(), &report.end) {
        (None, End::Exited(code)) => {
            answer_of_exited_hook(form, event, row, *code, (stdout, &stderr))
        }
        (failure, _) => Answer { failure, ..Answer::default() },
    };
    let words = [stderr.as_str(), reading.text.trim()].into_iter().find(|text| !text.is_empty());
    let words = words.unwrap_or("the hook exited with code 2").to_owned();
    let plain_is_context = exact.failure.is_none() && !exact.effects.context.is_empty();
    let hearing = Hearing {
        homes: form.key_paths_of_denials(&row.name),
        input_home: form.key_path_of_new_input(&row.name),
        ignored_objection: (exact.restraint < Restraint::Deny).then_some(words),
        plain_is_context: plain_is_context && !reading.begins_with_brace(),
        ..Hearing::for_report(row, report, &reading, &stderr, &form.denial)
    };
    denial::recover_denial(&hearing, exact)
}

/// Removes the prefix `lead` of an object from each line that begins with it; text after it never
/// undoes a denial (Ruling 39).
fn strip_line_prefixes<'a>(stdout: &'a [u8], lead: &str) -> Cow<'a, [u8]> {
    if lead.is_empty() {
        return stdout.into();
    }
    let text = String::from_utf8_lossy(stdout);
    let lines = text.lines().map(|line| line.strip_prefix(lead).unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n").into_bytes().into()
}

/// Returns the answer of a hook that exited: the object on its output if the agent reads it,
/// otherwise what the exit code means.
fn answer_of_exited_hook(
    form: &ReplyForm,
    event: &Event,
    row: &EventRow,
    code: i32,
    (stdout, stderr): (&[u8], &str),
) -> Answer {
    let part = (form.part)(stdout, stderr);
    let reading = strict::read_output(&part);
    let object = reading.as_lenient_object().filter(|_| code == 0 || form.denial.any_exit);
    if let Some(object) = object.filter(|object| (form.counts)(row, code, object)) {
        return form.read_object(event, row, object);
    }
    let text = String::from_utf8_lossy(stdout);
    let mut answer = (form.ended)(&Ended { row, code, stdout: text.trim(), stderr });
    answer.remarks.extend(object.and_then(|object| form.unread_keys_remark(&row.name, object)));
    answer
}

impl ReplyForm {
    /// Iterates over the phrases that the event of that name accepts.
    fn accepted_phrases(
        &self,
        event: &str,
    ) -> impl Iterator<Item = &'static (Power, Phrase)> + use<> {
        let replies = self.replies.event_replies(event).map_or(&[][..], |row| row.can);
        let more = self.more.iter().find(|(name, _)| *name == event).map_or(&[][..], |pair| pair.1);
        more.iter().chain(replies)
    }

    /// Iterates over the phrases of an event; an event of the host accepts those of the first event
    /// that can be denied.
    fn phrases_for_event(
        &self,
        event: &str,
    ) -> impl Iterator<Item = &'static (Power, Phrase)> + use<> {
        let is_own = (self.words.rows)().iter().any(|row| row.name == event);
        let denied = self.replies.events.iter().find(|event| event.powers().has(Power::Deny));
        let other = denied.filter(|_| !is_own).map_or(event, |row| row.event);
        self.accepted_phrases(other)
    }

    /// Reads the answer in an object.
    fn read_object(&self, event: &Event, row: &EventRow, object: &Map<String, Value>) -> Answer {
        let mut answer = Answer::default();
        for (power, phrase) in self.phrases_for_event(&row.name) {
            if self.object_matches_phrase(phrase, row, object, *power == Power::Allow) {
                self.apply_phrase(*power, phrase, event, object, &mut answer);
            }
        }
        answer.remarks.extend(self.unread_keys_remark(&row.name, object));
        answer
    }

    /// Returns `true` if the object has all fixed parts of a phrase; a phrase without fixed parts
    /// always matches. A missing event name only invalidates consent; the name of another event
    /// makes the object an answer of another hook.
    fn object_matches_phrase(
        &self,
        phrase: Phrase,
        row: &EventRow,
        object: &Map<String, Value>,
        consents: bool,
    ) -> bool {
        let is_there = |(path, part): &(&[&str], Part)| {
            let value = value_at_path(object, path);
            match part {
                Part::Word(word) => {
                    value.and_then(Value::as_str).is_some_and(|text| self.reads_word_as(text, word))
                }
                Part::Flag(flag) => value.and_then(Value::as_bool) == Some(*flag),
                Part::Event => value.map_or(!consents, |value| *value == *row.name),
                Part::Given | Part::GivenText | Part::GivenTexts => {
                    value.is_some_and(|value| !value.is_null())
                }
                Part::GivenInList(key) => !values_in_list(value, key).is_empty(),
                Part::Reason => true,
            }
        };
        !phrase.is_empty() && phrase.iter().all(is_there)
    }

    /// Returns `true` if the agent reads `word` as `this`.
    fn reads_word_as(&self, word: &str, this: &str) -> bool {
        word == this || self.same.contains(&(word, this))
    }

    fn apply_phrase(
        &self,
        power: Power,
        phrase: Phrase,
        event: &Event,
        object: &Map<String, Value>,
        answer: &mut Answer,
    ) {
        let part = |wanted: &[Part]| {
            let (path, _) = phrase.iter().find(|(_, part)| wanted.contains(part))?;
            value_at_path(object, path)
        };
        let reason = part(&[Part::Reason]).and_then(Value::as_str).filter(|part| !part.is_empty());
        let restraint = match power {
            Power::Deny => Restraint::Deny,
            Power::Ask => Restraint::Ask,
            Power::Allow => Restraint::Allow,
            _ => Restraint::Silent,
        };
        // The first of equal ones counts, with its reason, or that of a later one.
        if restraint > answer.restraint {
            answer.restraint = restraint;
            answer.reason = reason.map(str::to_owned);
        } else if power == Power::Deny && restraint == answer.restraint && answer.reason.is_none() {
            answer.reason = reason.map(str::to_owned);
        }
        // Where one object says both, it is about the action: that the agent ends its run for it is
        // its own affair.
        let denies = self
            .accepted_phrases(&self.own_event_name(event))
            .any(|(power, own)| *power == Power::Deny && *own == phrase);
        if power == Power::Stop && !denies {
            answer.effects.stop = Some(Stop { reason: reason.map(str::to_owned) });
        }
        if let Some(given) = part(&[Part::Given, Part::GivenText]) {
            self.add_effect_to_answer(power, given, event, answer);
        }
        for (path, part) in phrase {
            let value = value_at_path(object, path);
            let texts = match (part, value) {
                (Part::GivenInList(key), _) => values_in_list(value, key),
                (Part::GivenTexts, Some(Value::Array(texts))) => texts.iter().collect(),
                (Part::GivenTexts, Some(text)) => vec![text],
                _ => continue,
            };
            for given in texts {
                self.add_effect_to_answer(power, given, event, answer);
            }
        }
    }

    /// Returns the agent's name of the event.
    fn own_event_name(&self, event: &Event) -> String {
        let row = (self.words.rows)().iter().find(|row| row.event == event.name.as_str());
        row.map_or(event.name.as_str(), |row| &row.name).to_owned()
    }

    /// Adds a value that the object gives to the effects of the answer. A value of the wrong type
    /// makes the answer invalid.
    fn add_effect_to_answer(
        &self,
        power: Power,
        given: &Value,
        event: &Event,
        answer: &mut Answer,
    ) {
        let effects = &mut answer.effects;
        match (power, given) {
            (Power::Input, Value::Object(_)) => {
                effects.updated_input = Some((self.input)(self.words, event, given));
            }
            (Power::Output, _) => effects.updated_output = Some(given.clone()),
            (Power::Prompt, Value::String(text)) => effects.updated_prompt = Some(text.clone()),
            (Power::Context, Value::String(text)) => effects.context.push(text.clone()),
            (Power::Message, Value::String(text)) => effects.messages.push(text.clone()),
            (Power::Env, Value::Object(env)) => effects.env = env.clone(),
            _ => {
                let message =
                    format!("what it gives to {} is {}", power.as_str(), value_kind(given));
                answer.failure = Some(Failure::new(Code::InvalidAnswer, message));
            }
        }
    }

    /// Returns a remark about keys that the agent does not read: a hook written for another agent
    /// may use them.
    fn unread_keys_remark(&self, event: &str, object: &Map<String, Value>) -> Option<Failure> {
        let paths: Vec<&[&str]> = self
            .phrases_for_event(event)
            .flat_map(|(_, phrase)| phrase.iter().map(|(path, _)| *path))
            .collect();
        let read = paths.iter().map(|path| path.join(".")).collect();
        let mut unread = Unread::new_for_read_fields(read);
        for (key, value) in object {
            let below = paths.iter().filter(|path| path.first() == Some(&key.as_str()));
            let inner: Vec<&str> = below.clone().filter_map(|row| row.get(1)).copied().collect();
            if below.count() == 0 {
                if !self.carried.contains(&key.as_str()) {
                    unread.add_unread_key(
                        "",
                        (key, value),
                        paths.iter().filter_map(|path| path.first()).copied(),
                    );
                }
                continue;
            }
            for (name, value) in value.as_object().into_iter().flatten() {
                let known = inner.contains(&name.as_str()) || self.carried.contains(&name.as_str());
                if !inner.is_empty() && !known {
                    unread.add_unread_key(&format!("{key}."), (name, value), inner.iter().copied());
                }
            }
        }
        unread.into_remark()
    }

    /// Returns the key path at which an event looks for a new input, if it takes one.
    fn key_path_of_new_input(&self, event: &str) -> Option<String> {
        let rewrites = self.phrases_for_event(event).filter(|(power, _)| *power == Power::Input);
        let mut parts = rewrites.flat_map(|(_, phrase)| phrase.iter());
        parts.find(|(_, part)| *part == Part::Given).map(|(path, _)| path.join("."))
    }

    /// Returns the key paths at which an event looks for a denial, each with the words of a
    /// decision there.
    fn key_paths_of_denials(&self, event: &str) -> Vec<Home> {
        let denials = self.phrases_for_event(event).filter(|(power, _)| *power == Power::Deny);
        let words = denials.flat_map(|(_, phrase)| phrase.iter()).filter_map(|(path, part)| {
            let Part::Word(word) = part else { return None };
            Some((*path, *word))
        });
        words
            .map(|(path, word)| Home { path: path.to_vec(), words: decision_words(word) })
            .collect()
    }
}

/// Returns the words of a decision for the word by which these agents deny.
fn decision_words(word: &str) -> &'static [&'static str] {
    match word {
        "block" => &["block", "allow", "ask"],
        _ => &["deny", "allow", "ask"],
    }
}

/// Returns the values of a key in the objects of a list.
fn values_in_list<'a>(list: Option<&'a Value>, key: &str) -> Vec<&'a Value> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.get(key)).filter(|value| !value.is_null()).collect()
}

/// Returns the value at a path.
fn value_at_path<'a>(object: &'a Map<String, Value>, path: &[&str]) -> Option<&'a Value> {
    let (last, way) = path.split_last()?;
    let object = way.iter().try_fold(object, |object, key| object.get(*key)?.as_object())?;
    object.get(*last)
}
