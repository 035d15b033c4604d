#!/bin/sh
# Rewrites a command before it runs: `npm install` in a project of another package manager becomes that manager's own.
#
# Written once, in the protocol of Claude Code. Behind `tenterhook hook` every agent gets it in its own words; where an agent cannot be given
# another command, the call is denied with the one that should have been made, and the model makes that.
set -eu
event=$(cat)

# The command, as it stands in the JSON: good enough for a program and its first words, which hold no quotes.
command=$(printf '%s' "$event" | sed -n 's/.*"command" *: *"\(\([^"\\]\|\\.\)*\)".*/\1/p' | head -n 1)
here=$(printf '%s' "$event" | sed -n 's/.*"cwd" *: *"\([^"\\]*\)".*/\1/p' | head -n 1)

case $command in
# More than one plain command is left alone.
*[\;\&\|\$\<\>\(\)\\\`]*) exit 0 ;;
"npm install" | "npm install "* | "npm ci" | "npm ci "*) ;;
*) exit 0 ;;
esac
for pair in pnpm-lock.yaml:pnpm yarn.lock:yarn bun.lock:bun; do
  [ -f "${here:-.}/${pair%%:*}" ] || continue
  manager=${pair##*:}
  what=${command#npm }
  case $what in
  ci*) instead="$manager install --frozen-lockfile${what#ci}" ;;
  install\ *) instead="$manager add${what#install}" ;;
  *) instead="$manager install" ;;
  esac
  printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"%s"},"additionalContext":"%s"}}\n' \
    "$instead" "This project uses $manager."
  exit 0
done
