#!/usr/bin/env python3
"""Asks that a commit says what kind of change it is."""
import json, re, shlex, sys

call = json.load(sys.stdin)
words = shlex.split(call.get("tool_input", {}).get("command", ""))
if words[:2] != ["git", "commit"] or "-m" not in words:
    sys.exit(0)
message = words[words.index("-m") + 1]
if not re.match(r"(feat|fix|docs|chore)(\(.+\))?: ", message):
    print(json.dumps({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "ask",
        "permissionDecisionReason": f"`{message}` names no kind of change",
    }}))
