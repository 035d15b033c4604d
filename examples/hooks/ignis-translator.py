#!/usr/bin/env python3
"""Translates prompts on their way to the model, and its messages on their way to the screen. One hook of ignis for both.

Variables (name them in the entry's `env`, or the hook cannot see them):
  TRANSLATE_FROM      what you write and read; default `zh`
  TRANSLATE_TO        what the model gets and writes; default `en`
  TRANSLATE_COMMAND   a program that reads a text and prints its translation; gets both languages as its last arguments
  ANTHROPIC_API_KEY   asks a model where no program is named
  TRANSLATE_MODEL     which one; default `claude-haiku-4-5`

Errors go to stderr, and the text stays as it was. `ignis-translator.py --test` tests itself.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import urllib.request

# The field that an event brings, the field that it takes back, and whether the way is the user's or the model's.
EVENTS = {
    "UserPromptSubmit": ("prompt", "updatedInput", False),
    "AssistantMessageRender": ("content", "updatedOutput", True),
}
# Blocks and spans of code, which no translator may touch.
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
URL = "https://api.anthropic.com/v1/messages"


def masked(text):
    """The text with a mark for each piece of code, and the pieces."""
    pieces = []

    def mark(found):
        pieces.append(found.group(0))
        return f"\u27e6{len(pieces) - 1}\u27e7"

    return CODE.sub(mark, text), pieces


def unmasked(text, pieces):
    """The text with its code back; `None` where the translator lost a mark."""
    for number, piece in enumerate(pieces):
        mark = f"\u27e6{number}\u27e7"
        if text.count(mark) != 1:
            return None
        text = text.replace(mark, piece)
    return text


def by_command(command, source, target, text):
    words = [*shlex.split(command), source, target]
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\n")


def by_model(key, source, target, text):
    asked = {
        "model": os.environ.get("TRANSLATE_MODEL", "claude-haiku-4-5"),
        "max_tokens": 4096,
        "system": f"Translate from {source} to {target}. Print the translation alone. Keep every mark like \u27e60\u27e7.",
        "messages": [{"role": "user", "content": text}],
    }
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01", "content-type": "application/json"}
    request = urllib.request.Request(URL, json.dumps(asked).encode(), headers)
    with urllib.request.urlopen(request, timeout=25) as reply:
        return "".join(part.get("text", "") for part in json.load(reply)["content"])


def translator(source, target):
    """What translates, or `None`."""
    command, key = os.environ.get("TRANSLATE_COMMAND"), os.environ.get("ANTHROPIC_API_KEY")
    if command:
        return lambda text: by_command(command, source, target, text)
    if key:
        return lambda text: by_model(key, source, target, text)
    return None


def answer(event, make=translator):
    """What to print for an event; `None` is nothing."""
    name = event.get("hook_event_name")
    if name not in EVENTS:
        return None
    field, reply, is_shown = EVENTS[name]
    text = event.get(field) or ""
    ways = (os.environ.get("TRANSLATE_FROM", "zh"), os.environ.get("TRANSLATE_TO", "en"))
    translate = make(*(reversed(ways) if is_shown else ways))
    if not text.strip():
        return None
    if translate is None:
        print("no translation: neither TRANSLATE_COMMAND nor ANTHROPIC_API_KEY is set", file=sys.stderr)
        return None
    bare, pieces = masked(text)
    done = unmasked(translate(bare), pieces)
    if done is None or not done.strip():
        print("no translation: it lost a piece of code or came back empty", file=sys.stderr)
        return None
    return {"hookSpecificOutput": {"hookEventName": name, reply: done}}


def test():
    def loud(*ways):
        return lambda text: f"{'-'.join(ways)}: {text.upper()}"

    prompt = {"hook_event_name": "UserPromptSubmit", "prompt": "fix `let x` in\n```\ncode\n```"}
    said = answer(prompt, loud)["hookSpecificOutput"]
    assert said["updatedInput"] == "zh-en: FIX `let x` IN\n```\ncode\n```", said
    shown = answer({"hook_event_name": "AssistantMessageRender", "content": "done"}, loud)
    assert shown["hookSpecificOutput"]["updatedOutput"] == "en-zh: DONE", shown
    assert answer({"hook_event_name": "PreToolUse"}, loud) is None
    assert answer(prompt, lambda *_: None) is None
    assert answer(prompt, lambda *_: lambda text: "no marks") is None
    assert answer({"hook_event_name": "UserPromptSubmit", "prompt": " "}, loud) is None


def main():
    if sys.argv[1:] == ["--test"]:
        return test()
    sys.stdin.reconfigure(encoding="utf-8")
    said = answer(json.load(sys.stdin))
    if said is not None:
        print(json.dumps(said))
    return None


if __name__ == "__main__":
    main()
