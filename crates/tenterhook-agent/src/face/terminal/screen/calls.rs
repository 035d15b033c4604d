//! What becomes of the calls on the screen: who holds them, what hooks did to them, how they end. Pure.

use super::super::block::{Block, Holder, State, Tool};
use super::super::did::Did;
use super::Screen;
use crate::conversation::{Call, ToolResult};
use crate::update::{Deed, Hold};

impl Screen {
    /// The call of that name that has not ended.
    pub(super) fn open_call(&mut self, id: &str) -> Option<&mut Tool> {
        let depth = self.depth;
        let own = self.blocks.iter_mut().rev().filter(|block| block.depth == depth);
        own.filter_map(|block| block.block.open_call(id)).next()
    }

    /// It runs, as hooks have left it.
    pub(super) fn started(&mut self, call: &Call) {
        self.on(call, State::Running);
    }

    /// What came of it stands with it; where subagents did something meanwhile, below that.
    pub(super) fn ended(&mut self, call: &Call, result: &ToolResult) {
        let state = State::from_result(result);
        let steps = self.blocks.back().is_some_and(|block| block.depth > self.depth);
        if steps && self.open_call(&call.id).is_some() {
            self.on(call, State::Steps);
            let mut tool = Tool::new(call, state, self.now);
            tool.title.push_str(" came to this:");
            self.push(Block::Tool(tool));
        } else {
            self.on(call, state);
        }
    }

    fn on(&mut self, call: &Call, state: State) {
        let now = self.now;
        match self.open_call(&call.id) {
            Some(open) => open.goes_on(call, state, now),
            None => self.push(Block::Tool(Tool::new(call, state, now))),
        }
    }

    pub(super) fn hold_call(&mut self, id: &str, holder: Holder) {
        let now = self.now;
        if let Some(tool) = self.open_call(id) {
            tool.holds.push((holder, now));
        }
    }

    pub(super) fn release_call(&mut self, id: &str, holder: &Holder) {
        if let Some(tool) = self.open_call(id) {
            tool.release(holder);
        }
    }

    pub(super) fn add_hold(&mut self, hold: Hold) {
        match hold.call.clone() {
            Some(id) => self.hold_call(&id, Holder::Hooks(hold)),
            None => self.holds.push((hold, self.now)),
        }
    }

    pub(super) fn released(&mut self, hold: Hold) {
        match hold.call.clone() {
            Some(id) => self.release_call(&id, &Holder::Hooks(hold)),
            None => {
                let at = self.holds.iter().position(|(other, _)| *other == hold);
                at.map(|at| self.holds.remove(at));
            }
        }
    }

    /// What hooks did to a call that is under way stands with it.
    pub(super) fn did(&mut self, deed: &Deed) {
        let did = Did::from_deed(deed);
        match deed.call.as_deref().and_then(|id| self.open_call(id)) {
            Some(tool) => tool.deeds.push(did),
            None => self.push(Block::Did(did)),
        }
    }
}
