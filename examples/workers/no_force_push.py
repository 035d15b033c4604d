#!/usr/bin/env python3
"""A worker that denies force pushes: one line of JSON per event in, one line out. Logs go to standard error."""

import json
import sys


def judge(event):
    """What a command hook would print, or nothing where there is no objection."""
    tool = event.get("tool") or {}
    command = (tool.get("input") or {}).get("command", "")
    words = command.split()
    if "push" in words and any(word in ("-f", "--force") for word in words):
        return {"decision": "deny", "reason": "push without --force, or ask a person to do it"}
    return None


for line in sys.stdin:
    request = json.loads(line)
    reply = {"id": request["id"]}
    try:
        reply["answer"] = judge(request["event"])
    except Exception as error:  # one event that cannot be judged must not end the worker
        reply["error"] = repr(error)
    # Flushed at once: a reply in a buffer is a reply that never came.
    print(json.dumps(reply), flush=True)
