//! What becomes of the calls on the screen: who holds them, what hooks did to them, how they end. Pure.

use super::super::block::{Block, Holder, State, Tool};
use super::super::did::Did;
use super::Screen;
use crate::conversation::{Call, ToolResult};
use crate::update::{Deed, Hold};

impl Screen {
    /// Returns the block of the call with this id, if the call has not ended.
    pub(super) fn unfinished_call_mut(&mut self, id: &str) -> Option<&mut Tool> {
        let depth = self.depth;
        let own = self.blocks.iter_mut().rev().filter(|block| block.depth == depth);
        own.filter_map(|block| block.block.unfinished_call_mut(id)).next()
    }

    /// Shows that the call runs, with the arguments that hooks left.
    pub(super) fn show_call_running(&mut self, call: &Call) {
        self.set_call_state(call, State::Running);
    }

    /// Shows the result with its call. If subagents did something meanwhile, the result is shown
    /// below that.
    pub(super) fn show_call_result(&mut self, call: &Call, result: &ToolResult) {
        let state = State::from_result(result);
        let steps = self.blocks.back().is_some_and(|block| block.depth > self.depth);
        if steps && self.unfinished_call_mut(&call.id).is_some() {
            self.set_call_state(call, State::Steps);
            let mut tool = Tool::new(call, state, self.now);
            tool.title.push_str(" came to this:");
            self.push_block(Block::Tool(tool));
        } else {
            self.set_call_state(call, state);
        }
    }

    fn set_call_state(&mut self, call: &Call, state: State) {
        let now = self.now;
        match self.unfinished_call_mut(&call.id) {
            Some(open) => open.update_call(call, state, now),
            None => self.push_block(Block::Tool(Tool::new(call, state, now))),
        }
    }

    pub(super) fn add_call_holder(&mut self, id: &str, holder: Holder) {
        let now = self.now;
        if let Some(tool) = self.unfinished_call_mut(id) {
            tool.holds.push((holder, now));
        }
    }

    pub(super) fn remove_call_holder(&mut self, id: &str, holder: &Holder) {
        if let Some(tool) = self.unfinished_call_mut(id) {
            tool.remove_holder(holder);
        }
    }

    pub(super) fn add_hold(&mut self, hold: Hold) {
        match hold.call.clone() {
            Some(id) => self.add_call_holder(&id, Holder::Hooks(hold)),
            None => self.holds.push((hold, self.now)),
        }
    }

    pub(super) fn remove_hold(&mut self, hold: Hold) {
        match hold.call.clone() {
            Some(id) => self.remove_call_holder(&id, &Holder::Hooks(hold)),
            None => {
                let at = self.holds.iter().position(|(other, _)| *other == hold);
                at.map(|at| self.holds.remove(at));
            }
        }
    }

    /// Shows what hooks did to a call with that call while it runs.
    pub(super) fn add_deed(&mut self, deed: &Deed) {
        let did = Did::from_deed(deed);
        match deed.call.as_deref().and_then(|id| self.unfinished_call_mut(id)) {
            Some(tool) => tool.deeds.push(did),
            None => self.push_block(Block::Did(did)),
        }
    }
}
