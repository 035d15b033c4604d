//! What the person does with the questions on the screen, and what becomes of those that are answered elsewhere. Pure.

use super::super::block::Holder;
use super::super::question::{Choice, Question, Read};
use super::Screen;
use crate::update::Decision;

/// What the model reads of a no without words.
const NO: &str = "the user said no";

impl Screen {
    /// The question that keys answer now: it was there to be read.
    pub(in super::super) fn asked(&self) -> Option<&Question> {
        self.questions.front().filter(|question| question.is_read(self.now))
    }

    /// The answer that Enter gives: the number that stands in the box and nothing beside it, else where the arrows stand. Text after a
    /// chosen 3 is the reason, also when it is a number.
    pub(in super::super) fn chosen(&self) -> Option<Choice> {
        self.asked()?;
        if self.has_reason {
            return Some(Choice::No);
        }
        Choice::numbered(self.composer.text()).or(self.choice)
    }

    /// Goes to the next answer.
    pub(in super::super) fn choose(&mut self, down: bool) {
        self.choice = Choice::next(self.chosen(), down);
        self.has_reason = false;
        if Choice::numbered(self.composer.text()).is_some() {
            self.composer.set("");
        }
    }

    /// The person writes: a yes that they stood on is taken back, and a 3 that stood in the box is the answer and no text.
    pub(in super::super) fn typed(&mut self) {
        if self.asked().is_some() && Choice::numbered(self.composer.text()) == Some(Choice::No) {
            (self.choice, self.has_reason) = (Some(Choice::No), true);
            self.composer.set("");
        }
        self.erased();
    }

    /// The person writes or erases: a yes that they stood on is taken back.
    pub(in super::super) fn erased(&mut self) {
        self.choice = self.choice.filter(|choice| !choice.agrees());
    }

    /// Answers the oldest question. The typed text becomes the reason of a no, and else stays (AG-2).
    pub(in super::super) fn decide(&mut self, choice: Choice) {
        if choice.agrees() && !self.read.may_agree {
            return;
        }
        if !self.has_reason && Choice::numbered(self.composer.text()).is_some() {
            self.composer.set("");
        }
        let decision = match choice {
            Choice::Once => Decision::Once,
            Choice::Always => Decision::Always,
            Choice::No => {
                let reason = self.composer.send();
                Decision::No(reason.map_or_else(|| NO.to_owned(), |text| text.trim().to_owned()))
            }
        };
        self.answer(decision);
    }

    /// Refuses the oldest question, and takes nothing from the box.
    pub(in super::super) fn refuse(&mut self) {
        self.answer(Decision::No(NO.to_owned()));
    }

    fn answer(&mut self, decision: Decision) {
        if let Some(question) = self.questions.pop_front() {
            for tool in
                self.blocks.iter_mut().filter_map(|block| block.block.open_call(question.call()))
            {
                tool.release(&Holder::Person);
            }
            question.answer(decision);
        }
        self.next_question();
    }

    /// The question of that call is answered elsewhere, or not at all.
    pub(super) fn void(&mut self, id: &str) {
        let first = self.questions.front().is_some_and(|question| question.is_of(id));
        self.release_call(id, &Holder::Person);
        self.questions.retain(|question| !question.is_of(id));
        if first {
            self.next_question();
        }
    }

    /// The next question was not to be seen until now.
    fn next_question(&mut self) {
        (self.read, self.choice, self.has_reason) = (Read::default(), None, false);
        if let Some(next) = self.questions.front_mut() {
            next.begin(self.now);
        }
    }
}
