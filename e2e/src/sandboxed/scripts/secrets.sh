#!/usr/bin/env bash
# No key is written into a file.
set -euo pipefail
content=$(jq -r '.tool_input.content // .tool_input.new_string // ""')
if grep -nE 'AKIA[0-9A-Z]{16}|BEGIN [A-Z ]*PRIVATE KEY' <<<"$content" >&2; then
  echo "that looks like a key" >&2
  exit 2
fi
