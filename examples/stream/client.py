#!/usr/bin/env python3
"""Asks Tenterhook before each tool call: one line out, one line back, under the same id."""
import json
import subprocess
import sys

hooks = subprocess.Popen(
    [sys.argv[1] if len(sys.argv) > 1 else "tenterhook", "fire", "--stream"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(number, tool, tool_input):
    event = {"id": number, "session_id": "demo", "hook_event_name": "PreToolUse",
             "tool_name": tool, "tool_input": tool_input, "tool_use_id": f"t{number}"}
    hooks.stdin.write(json.dumps(event) + "\n")
    hooks.stdin.flush()
    for line in hooks.stdout:
        outcome = json.loads(line)
        if outcome.get("id") == number:  # lines without our id are news of background hooks
            return outcome
    raise SystemExit("tenterhook has gone: nothing may proceed")


for number, command in enumerate(["ls", "rm -rf build", "cat .env"]):
    outcome = ask(number, "Bash", {"command": command})
    print(f"{command}: {outcome['decision'] or 'proceed'} {outcome['reason'] or ''}".rstrip())

hooks.stdin.close()
hooks.wait()
