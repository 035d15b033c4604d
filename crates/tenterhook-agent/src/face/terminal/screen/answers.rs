//! What the person does with the questions on the screen, and what becomes of those that are answered elsewhere. Pure.

use super::super::block::Holder;
use super::super::question::{Choice, Question, Read};
use super::Screen;
use crate::update::Decision;

/// What the model reads of a no without words.
const NO: &str = "the user said no";

impl Screen {
    /// Returns the question that keys answer now, if it was visible long enough to be read.
    pub(in super::super) fn readable_question(&self) -> Option<&Question> {
        self.questions.front().filter(|question| question.was_readable(self.now))
    }

    /// Returns the answer that Enter gives: the number alone in the input box, otherwise the choice
    /// selected with the arrows. Text after a chosen 3 is the reason, even if it is a number.
    pub(in super::super) fn selected_choice(&self) -> Option<Choice> {
        self.readable_question()?;
        if self.has_reason {
            return Some(Choice::No);
        }
        Choice::from_number(self.composer.text()).or(self.choice)
    }

    /// Moves the selection to the next answer.
    pub(in super::super) fn select_next_choice(&mut self, down: bool) {
        self.choice = Choice::next_choice(self.selected_choice(), down);
        self.has_reason = false;
        if Choice::from_number(self.composer.text()).is_some() {
            self.composer.set_text("");
        }
    }

    /// Unselects a selected yes when the user types. A 3 alone in the input box becomes the answer,
    /// and the text after it the reason.
    pub(in super::super) fn on_text_typed(&mut self) {
        if self.readable_question().is_some()
            && Choice::from_number(self.composer.text()) == Some(Choice::No)
        {
            (self.choice, self.has_reason) = (Some(Choice::No), true);
            self.composer.set_text("");
        }
        self.unselect_yes();
    }

    /// Unselects a selected yes, because the user types or deletes.
    pub(in super::super) fn unselect_yes(&mut self) {
        self.choice = self.choice.filter(|choice| !choice.allows_call());
    }

    /// Answers the oldest question. The typed text becomes the reason of a refusal, and otherwise
    /// stays (AG-2).
    pub(in super::super) fn answer_question(&mut self, choice: Choice) {
        if choice.allows_call() && !self.read.may_agree {
            return;
        }
        if !self.has_reason && Choice::from_number(self.composer.text()).is_some() {
            self.composer.set_text("");
        }
        let decision = match choice {
            Choice::Once => Decision::Once,
            Choice::Always => Decision::Always,
            Choice::No => {
                let reason = self.composer.take_text();
                Decision::No(reason.map_or_else(|| NO.to_owned(), |text| text.trim().to_owned()))
            }
        };
        self.decide_oldest_question(decision);
    }

    /// Refuses the oldest question and leaves the typed text in the box.
    pub(in super::super) fn refuse_question(&mut self) {
        self.decide_oldest_question(Decision::No(NO.to_owned()));
    }

    fn decide_oldest_question(&mut self, decision: Decision) {
        if let Some(question) = self.questions.pop_front() {
            for tool in self
                .blocks
                .iter_mut()
                .filter_map(|block| block.block.unfinished_call_mut(question.call_id()))
            {
                tool.remove_holder(&Holder::Person);
            }
            question.send_decision(decision);
        }
        self.reset_for_next_question();
    }

    /// Removes the question about this call, because it was answered elsewhere or is void.
    pub(super) fn remove_question(&mut self, id: &str) {
        let first = self.questions.front().is_some_and(|question| question.is_about_call(id));
        self.remove_call_holder(id, &Holder::Person);
        self.questions.retain(|question| !question.is_about_call(id));
        if first {
            self.reset_for_next_question();
        }
    }

    /// Starts the time that the next question is visible, and resets the selection.
    fn reset_for_next_question(&mut self) {
        (self.read, self.choice, self.has_reason) = (Read::default(), None, false);
        if let Some(next) = self.questions.front_mut() {
            next.mark_shown(self.now);
        }
    }
}
