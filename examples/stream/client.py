#!/usr/bin/env python3
"""Asks Tenterhook before each tool call: one line out, one line back, under the same id. Without Tenterhook nothing may run."""
from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import IO, TYPE_CHECKING, Any, Dict, Iterable, Optional, Tuple

if TYPE_CHECKING:
    from tenterhook_types import Outcome

GONE = "tenterhook is not running: nothing may proceed"


class Hooks:
    def __init__(self, program: str, limit: float) -> None:
        self.last_id, self.limit = 0, limit
        self.process: Optional[subprocess.Popen[str]] = None
        self.input: Optional[IO[str]] = None
        self.lines: Iterable[str] = ()
        try:
            self.process = subprocess.Popen([program, "fire", "--stream"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, encoding="utf-8")
            self.input, self.lines = self.process.stdin, self.process.stdout or ()
        except OSError:
            pass  # it is not installed

    def ask(self, tool: str, tool_input: Dict[str, Any]) -> Tuple[str, Dict[str, Any], str]:
        """Returns `proceed`, `ask` or `deny`, the input that the tool must get, and the reason."""
        self.last_id += 1
        event = {"id": self.last_id, "session_id": "demo", "hook_event_name": "PreToolUse",
                 "tool_name": tool, "tool_input": tool_input, "tool_use_id": f"t{self.last_id}"}
        timer = threading.Timer(self.limit, self.end)  # then there is no line more, and the call is denied
        timer.start()
        try:
            if self.input is not None:
                self.input.write(json.dumps(event) + "\n")
                self.input.flush()
            for line in self.lines:
                outcome = json.loads(line)
                # Without an id it denies a line that was not read: ours. Other lines are news of background hooks.
                if "blocked" in outcome and outcome.get("id") in (self.last_id, None):
                    return self.judge(outcome, tool_input)
        except (AttributeError, LookupError, OSError, TypeError, ValueError):
            pass  # it has ended, maybe within a line
        finally:
            timer.cancel()
        return "deny", tool_input, GONE

    def end(self) -> None:
        if self.process is not None:
            self.process.kill()

    @staticmethod
    def judge(outcome: Outcome, tool_input: Dict[str, Any]) -> Tuple[str, Dict[str, Any], str]:
        denies = outcome["blocked"] or outcome["stop"] is not None
        proceeds = outcome["decision"] in (None, "allow")
        changed = outcome["updated_input"]
        return ("deny" if denies else "proceed" if proceeds else "ask",
                tool_input if changed is None else changed, outcome["reason"] or "")


def main(program: str = "tenterhook", limit: str = "120") -> None:  # seconds, more than the hooks of one event take
    hooks = Hooks(program, float(limit))
    for command in ["ls", "rm -rf build", "cat .env", "npm install"]:
        answer, tool_input, reason = hooks.ask("Bash", {"command": command})
        run_as = f"as {tool_input['command']}" if tool_input["command"] != command else ""
        print(" ".join(f"{command}: {answer} {run_as} {reason}".split()))


if __name__ == "__main__":
    main(*sys.argv[1:3])
