#!/bin/bash
# Holds a commit that would take files along which nobody means to commit.
command=$(jq -r '.tool_input.command // ""')
[[ $command == "git commit"* ]] || exit 0
cd "$CLAUDE_PROJECT_DIR" || exit 0
if found=$(git diff --cached --name-only | grep -E '(^|/)\.env($|\.)|\.pem$'); then
  echo "staged by mistake: $found" >&2
  exit 2
fi
