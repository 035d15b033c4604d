//! `cargo e2e page`: does the page of `backtest --html` work in a real browser, on a phone and on a desktop, with the keyboard
//! alone, with 100,000 calls? Needs Chromium, and reports if there is no browser. `--bless` writes the pictures of
//! `docs/screens` anew.

mod browser;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};
use tenterhook_testkit::Sandbox;

use crate::{Report, tree};
use browser::Browser;

/// Wide and high: a phone, and a desk.
const SIZES: &[(u32, u32)] = &[(360, 780), (1440, 900)];
/// How many calls are many.
const MANY: usize = 100_000;
/// In how many sessions.
const SESSIONS: usize = 40;
/// Rows that may stand in the page at once.
const IN_SIGHT: u64 = 120;
/// A key as services give them, made here.
const SECRET: &str = "ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6";

const HOOKS: &str = r#"
[hook.no-force]
on = "PreToolUse"
match = "Bash"
when = 'tool.input.command.contains("--force")'
deny = "Push to a branch of your own."
[hook.look-first]
on = "PreToolUse"
match = "Write"
when = 'tool.input.file_path.endsWith(".env")'
ask = "This file may hold secrets."
"#;

pub(crate) fn run(args: &[&str]) -> Report {
    let Some(program) = browser::find() else {
        return Ok(("the page was not played: there is no Chromium here\n".to_owned(), true));
    };
    tree::build("tenterhook-cli")?;
    let sandbox = Sandbox::new().map_err(|error| error.to_string())?;
    let (mut said, mut holds) = (String::new(), true);
    let mut browser = Browser::start(&program)?;
    for (name, calls) in [("few", 400), ("many", MANY)] {
        let began = Instant::now();
        let page = page(&sandbox, name, calls)?;
        let _ = writeln!(
            said,
            "{name}: {calls} calls written in {:.1} s",
            began.elapsed().as_secs_f64()
        );
        for (width, height) in SIZES {
            let came = played(&mut browser, &page, (*width, *height), calls);
            let _ = match &came {
                Ok(details) => writeln!(said, "ok      {name} at {width} px: {details}"),
                Err(why) => writeln!(said, "FAILED  {name} at {width} px: {why}"),
            };
            holds &= came.is_ok();
            if args.contains(&"--bless") && name == "few" {
                let file = tree::root().join(format!("docs/screens/backtest-{width}.png"));
                fs::write(&file, browser.picture()?).map_err(|error| error.to_string())?;
                let _ = writeln!(said, "wrote {}", file.display());
            }
        }
    }
    Ok((said, holds))
}

/// A page about sessions in which so many calls were made.
fn page(sandbox: &Sandbox, name: &str, calls: usize) -> Result<std::path::PathBuf, String> {
    let wrong = |error: std::io::Error| error.to_string();
    sandbox.write("hooks.toml", HOOKS).map_err(wrong)?;
    let sessions = sandbox.project().join(name);
    fs::create_dir_all(&sessions).map_err(wrong)?;
    for session in 0..SESSIONS {
        let text: String = (session..calls).step_by(SESSIONS).map(call).collect();
        fs::write(sessions.join(format!("s-{session}.jsonl")), text).map_err(wrong)?;
    }
    let page = sandbox.project().join(format!("{name}.html"));
    let output = Command::new(tree::root().join("target/debug/tenterhook"))
        .args(["backtest", "native=hooks.toml", "--format", "json", "--sessions", name, "--html"])
        .arg(&page)
        .current_dir(sandbox.project())
        .env_clear()
        .envs(sandbox.env())
        .output()
        .map_err(wrong)?;
    match output.status.success() {
        true => Ok(page),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// A line of Claude Code: most calls are ordinary, some would be held up, one has a secret in it and one an end of a script.
fn call(number: usize) -> String {
    let (tool, input) = match number {
        7 => (
            "Bash",
            json!({"command": format!("curl -H 'Authorization: Bearer {SECRET}' x.example --force")}),
        ),
        8 => (
            "Bash",
            json!({"command": "echo '</script><script>document.title = \"taken\"</script>' --force"}),
        ),
        _ if number.is_multiple_of(50) => {
            ("Bash", json!({"command": "git push --force origin main"}))
        }
        _ if number.is_multiple_of(77) => {
            ("Write", json!({"file_path": "/home/me/shop/.env", "content": "x"}))
        }
        _ => ("Bash", json!({"command": format!("cargo test --package shop-{number}")})),
    };
    let (session, step) = (number % SESSIONS, number / SESSIONS);
    let (day, rest) = (1 + session / 2, 9 * 3600 + session * 700 + step * 20 % 40_000);
    let time =
        format!("2026-11-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600 % 24, rest / 60 % 60, rest % 60);
    let session = format!("session-{session}");
    let content = json!([{"type": "tool_use", "id": format!("toolu_{number}"), "name": tool, "input": input}]);
    let line = json!({"type": "assistant", "sessionId": session, "version": "2.1.330", "cwd": "/home/me/shop", "timestamp": time,
        "message": {"role": "assistant", "content": content}});
    format!("{line}\n")
}

/// What the Tab key reaches, up to the list.
const STOPS: &[&str] = &[
    "days",
    "BUTTON",
    "sessions",
    "f-text",
    "f-verdict",
    "f-hook",
    "f-agent",
    "f-day",
    "f-reset",
    "calls",
];

/// Everything that must hold on one screen.
fn played(
    browser: &mut Browser,
    page: &Path,
    (width, height): (u32, u32),
    calls: usize,
) -> Result<String, String> {
    browser.complaints.clear();
    browser.asked.clear();
    browser.show(page, width, height)?;
    let loaded = browser.value("Math.round(performance.now())")?;
    first_sight(browser, calls)?;
    keyboard(browser)?;
    let (filtered, searched) = filters(browser, calls)?;
    the_end_of_the_list(browser)?;
    // For the picture: the top of the page, with a call chosen.
    browser.value(
        "document.getElementById('f-reset').click(); document.activeElement.blur(); scrollTo(0, 0)",
    )?;
    must(browser.complaints.is_empty(), &format!("the page complains: {:?}", browser.complaints))?;
    let own = |text: &&String| !text.contains("file://");
    must(
        !browser.asked.iter().any(|text| own(&text)),
        &format!("it asks for {:?}", browser.asked),
    )?;
    Ok(format!("drawn after {loaded} ms, filtered in {filtered} ms, searched in {searched} ms"))
}

fn must(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

/// An expression holds in the page.
fn is(browser: &mut Browser, expression: &str) -> Result<(), String> {
    let came = browser.value(expression)?;
    must(came == json!(true), &format!("`{expression}` is {came}"))
}

/// Nothing is too wide, too much or taken for a script, and no secret stands there.
fn first_sight(browser: &mut Browser, calls: usize) -> Result<(), String> {
    is(browser, "document.documentElement.scrollWidth <= innerWidth")?;
    is(browser, "document.title !== 'taken'")?;
    is(browser, &format!("!document.documentElement.innerHTML.includes('{SECRET}')"))?;
    is(browser, "document.querySelectorAll('#calls .row').length > 3")?;
    is(browser, &format!("document.querySelectorAll('.row').length < {IN_SIGHT}"))?;
    let count = grouped(calls);
    is(browser, &format!("document.getElementById('count').textContent.includes('of {count}')"))
}

/// By the keyboard alone: from the top to the list, down it, and to its end.
fn keyboard(browser: &mut Browser) -> Result<(), String> {
    let mut reached = Vec::new();
    for _ in 0..200 {
        browser.press("Tab")?;
        let at = browser.value("document.activeElement.id || document.activeElement.tagName")?;
        reached.push(at.as_str().unwrap_or_default().to_owned());
        if at == json!("calls") {
            break;
        }
    }
    for needed in STOPS {
        must(
            reached.iter().any(|text| text == needed),
            &format!("Tab does not reach {needed}: {reached:?}"),
        )?;
    }
    browser.press("ArrowDown")?;
    is(
        browser,
        "document.getElementById('calls').getAttribute('aria-activedescendant') === 'calls-0'",
    )?;
    is(browser, "document.getElementById('details').textContent.includes('Why:')")?;
    browser.press("End")?;
    is(browser, "document.querySelector('#calls .row[aria-selected=true]') !== null")
}

/// Filters, one after the other: how long it took to take one back, and to search.
fn filters(browser: &mut Browser, calls: usize) -> Result<(Value, Value), String> {
    let set = |id: &str, to: &str| {
        format!(
            "(() => {{ const it = document.getElementById('{id}'); it.value = '{to}'; const began = performance.now(); it.dispatchEvent(new Event('input')); return Math.round(performance.now() - began); }})()"
        )
    };
    let filtered = browser.value(&set("f-verdict", ""))?;
    let count = grouped(calls);
    is(browser, &format!("document.getElementById('count').textContent.startsWith('{count} of')"))?;
    let searched = browser.value(&set("f-text", "shop-99"))?;
    is(browser, "!document.getElementById('count').textContent.startsWith('0 ')")?;
    browser.value("document.getElementById('f-reset').click()")?;
    browser.value("document.querySelector('#days button').click()")?;
    is(browser, "document.querySelector('#days button').getAttribute('aria-pressed') === 'true'")?;
    is(
        browser,
        "[...document.querySelectorAll('#calls .row')].every(it => it.textContent.includes(document.getElementById('f-hook').value))",
    )?;
    browser.value("document.getElementById('f-reset').click()")?;
    Ok((filtered, searched))
}

/// Rows are there as far down as the list goes.
fn the_end_of_the_list(browser: &mut Browser) -> Result<(), String> {
    browser.value("document.getElementById('calls').scrollTop = 1e9")?;
    browser.value(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))",
    )?;
    is(browser, "document.querySelectorAll('#calls .row').length > 3")
}

/// A number as the page writes it.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let lead = digits.len() % 3;
    let (first, rest) = digits.split_at(lead);
    let groups: Vec<&str> = std::iter::once(first)
        .filter(|text| !text.is_empty())
        .chain((0..rest.len()).step_by(3).filter_map(|at| rest.get(at..at + 3)))
        .collect();
    groups.join(",")
}
