//! `allow once` and `pause`: what the person leaves to an agent that self-protection denies.

use std::time::Duration;

use tenterhook::engine::Builder;
use tenterhook::internal::exemptions::{Exemptions, LONGEST_PAUSE, Trouble};
use tenterhook::internal::record::UserActionKind;
use tenterhook_core::hook::Layer;

use crate::ambient::Here;
use crate::args::{Allow, AllowHow, Pause};
use crate::exit::Exit;
use crate::journal;
use crate::load::{self, Whose};
use crate::person;
use crate::problem::Problem;
use crate::term::Term;

pub(crate) fn run_allow(args: &Allow, here: &Here, term: Term) -> Result<Exit, Problem> {
    let AllowHow::Once { code } = &args.how;
    person::require_person_at_terminal("tenterhook allow", here)?;
    journal::record_user_decision((UserActionKind::AllowOnce, code, ""), here, term)?;
    let denied = open_exemptions(here).allow_denied_call_once(code).map_err(|trouble| {
        let unknown = matches!(trouble, Trouble::Unknown(_));
        let problem = Problem::new(trouble.to_string());
        match unknown {
            true => problem.with_help("the denial names the code; let the agent try again"),
            false => problem,
        }
    })?;
    term.print_data(&format!("allowed once, within 10 minutes: {}\n", denied.call))?;
    Ok(Exit::Good)
}

pub(crate) fn run_pause(args: &Pause, here: &Here, term: Term) -> Result<Exit, Problem> {
    person::require_person_at_terminal("tenterhook pause", here)?;
    let length = if args.end { Duration::ZERO } else { args.length };
    if length > LONGEST_PAUSE || (length < Duration::from_secs(1) && !args.end) {
        let message = "a pause lasts at least a second and at most an hour";
        return Err(Problem::new(message).with_help("write `10m` or `1h`; it ends by itself"));
    }
    if !args.end && !is_pausing_permitted(here) {
        let message = "a managed file forbids pausing self-protection";
        let help = "`tenterhook allow once CODE` lets one denied call pass";
        return Err(Problem::new(message).with_help(help));
    }
    let seconds = length.as_secs().to_string();
    let kind = if args.end {
        (UserActionKind::PauseEnd, "", "")
    } else {
        (UserActionKind::Pause, &*seconds, "")
    };
    journal::record_user_decision(kind, here, term)?;
    open_exemptions(here)
        .pause_builtin_rules(length)
        .map_err(|trouble| Problem::new(trouble.to_string()))?;
    let text = match args.end {
        true => "self-protection is on again\n".to_owned(),
        false => format!(
            "self-protection rests for {seconds} s and comes back by itself; `tenterhook pause --end` brings it back now\n"
        ),
    };
    term.print_data(&text)?;
    Ok(Exit::Good)
}

fn open_exemptions(here: &Here) -> Exemptions {
    Exemptions::in_directory(&here.state)
}

/// Returns whether no managed file forbids pausing.
fn is_pausing_permitted(here: &Here) -> bool {
    let mut loaded = load::read_sources(&[], Whose::Unsaid, here);
    let ruleset = loaded.build_engine(Builder::self_protection).ruleset();
    ruleset.hooks().iter().all(|hook| hook.layer != Layer::BuiltIn || hook.pausable)
}
