"""Writes down what was asked, a line a call."""
import json, os, pathlib, sys

call = json.load(sys.stdin)
log = pathlib.Path(os.environ["CLAUDE_PROJECT_DIR"]) / "agent-log"
log.mkdir(exist_ok=True)
with open(log / "calls.jsonl", "a") as file:
    file.write(json.dumps({"tool": call["tool_name"], "input": call["tool_input"]}) + "\n")
