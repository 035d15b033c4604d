//! What subagents do stands under the call that began them.

use super::*;

fn within(calls: &[&str], update: Update) -> Update {
    let wrap =
        |update, call: &&str| Update::Within { call: (*call).to_owned(), update: Box::new(update) };
    calls.iter().rev().fold(update, wrap)
}

fn ended(id: &str, text: &str) -> Update {
    let (text, is_error) = (text.to_owned(), false);
    Update::ToolEnded {
        call: call(id),
        result: ToolResult { id: id.to_owned(), text, is_error, ..ToolResult::default() },
    }
}

fn task() -> Call {
    let input = json!({"description": "read it"});
    Call { id: "t".to_owned(), tool: "Task".to_owned(), input }
}

/// AG-49: also those of a subagent's subagent, and with the same names of calls.
#[test]
fn steps_are_nested_under_the_call_that_began_them() {
    let mut screen = screen();
    screen.apply_update(Update::ToolStarted(task()));
    screen.apply_update(within(&["t"], Update::Text("I look".to_owned())));
    screen.apply_update(within(&["t"], Update::Reply("I look".to_owned())));
    screen.apply_update(within(&["t"], Update::ToolStarted(task())));
    screen.apply_update(within(&["t", "t"], Update::ToolStarted(call("t"))));
    screen.apply_update(within(&["t", "t"], ended("t", "deep")));
    screen.apply_update(within(
        &["t"],
        Update::ToolEnded {
            call: task(),
            result: ToolResult {
                id: "t".to_owned(),
                text: "found".to_owned(),
                is_error: false,
                ..ToolResult::default()
            },
        },
    ));
    screen.apply_update(Update::ToolEnded {
        call: task(),
        result: ToolResult {
            id: "t".to_owned(),
            text: "all".to_owned(),
            is_error: false,
            ..ToolResult::default()
        },
    });
    let lines = seen(&mut screen, 60, 30);
    let wanted = "* Task read it\n│\n│ I look\n│\n│ * Task read it\n│ │\n│ │ * Bash ls …\n│ │   deep\n│\n│ * Task read it came to this:\n│   found\n\n* Task read it came to this:\n  all";
    assert!(lines.contains(wanted), "{lines}");
    assert!(!lines.contains("running"), "{lines}");
}

/// AG-48, AG-49: nothing is wider than the screen.
#[test]
fn nested_markdown_fits() {
    let mut screen = screen();
    screen.apply_update(Update::ToolStarted(task()));
    let text = "# A heading that is long\n- an item that is long, too\n\n```\ncode that is very long, too\n```\n";
    screen.apply_update(within(&["a", "b", "c"], Update::Text(text.to_owned())));
    for width in 1..40 {
        for line in drawn(&screen, width, 30) {
            assert!(unicode_width::UnicodeWidthStr::width(line.as_str()) <= usize::from(width));
        }
    }
    assert!(drawn(&screen, 40, 30).join("\n").contains("│ │ │ - an item that is long, too"));
}
