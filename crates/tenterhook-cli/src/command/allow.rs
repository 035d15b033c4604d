//! `allow once` and `pause`: what the person leaves to an agent that self-protection denies.

use std::time::Duration;

use tenterhook::engine::Builder;
use tenterhook::internal::exemptions::{Denied, Exemptions, LONGEST_PAUSE, Trouble};
use tenterhook::internal::record::UserActionKind;
use tenterhook_core::hook::Layer;

use super::recorded;
use crate::ambient::Here;
use crate::args::{Allow, AllowHow, Pause};
use crate::exit::Exit;
use crate::journal;
use crate::load::{self, Whose};
use crate::person;
use crate::problem::Problem;
use crate::show::layout;
use crate::term::Term;

pub(crate) fn run_allow(args: &Allow, here: &Here, term: Term) -> Result<Exit, Problem> {
    let AllowHow::Once { code } = &args.how;
    person::require_person_at_terminal("tenterhook allow", here)?;
    let exemptions = open_exemptions(here);
    let to_problem = |trouble: Trouble| Problem::new(trouble.to_string());
    let calls = exemptions.denied_calls().map_err(to_problem)?;
    // Only what is granted goes on record (RE-6).
    if !calls.iter().any(|call| call.code.eq_ignore_ascii_case(code)) {
        return Err(not_allowable_problem(code, &calls, here));
    }
    journal::record_user_decision((UserActionKind::AllowOnce, code, ""), here, term)?;
    let denied = exemptions.allow_denied_call_once(code).map_err(to_problem)?;
    term.print_data(&format!("allowed once, within 10 minutes: {}\n", denied.call))?;
    Ok(Exit::Good)
}

/// Returns why no call with that code can be allowed: a rule that no user can lift denied it, it was
/// denied too long ago, or the code is mistyped.
fn not_allowable_problem(code: &str, calls: &[Denied], here: &Here) -> Problem {
    let code = &code.to_ascii_uppercase();
    let Ok(Some(firing)) = recorded::find_firing_by_code(&[code.to_owned()], here) else {
        let codes: Vec<&str> = calls.iter().map(|call| &*call.code).collect();
        return recorded::unknown_code_problem(code, &codes);
    };
    let help = format!("`tenterhook explain {code}` shows what denied it");
    let by = |layer: Layer| firing.hook_runs().find(|ran| ran.denied() && ran.is_of_layer(layer));
    if let Some(ran) = by(Layer::Managed) {
        let (hook, file) =
            (layout::to_safe_line(ran.name()), layout::to_safe_line(ran.config_file()));
        let message = format!(
            "no user can let the call {code} pass: `{hook}` of the managed file `{file}` denied it"
        );
        return Problem::new(message).with_help(help);
    }
    if let Some(ran) = by(Layer::BuiltIn).filter(|_| !is_pausing_permitted(here)) {
        let message = format!(
            "no user can let the call {code} pass: `{}` denied it, and a managed file says `pause = false`",
            ran.name()
        );
        return Problem::new(message).with_help(help);
    }
    // Only a built-in rule offers the commands where no agent calls (SP-21).
    if firing.agent().is_none() && by(Layer::BuiltIn).is_none() {
        let message = format!(
            "the call {code} of {} is not an agent's: `tenterhook fire` only tried it, and nothing waits for permission",
            firing.local_end_time()
        );
        return Problem::new(message).with_help(help);
    }
    let message = format!(
        "the call {code} of {} was allowed already, or denied more than 10 minutes ago",
        firing.local_end_time()
    );
    Problem::new(message).with_help("let the agent try again, and allow it then")
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
        let help = "`tenterhook status` names the managed files";
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
